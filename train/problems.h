/* A list of all problems, one line each, so that a user can repair a config in one go. */
#pragma once

#include "core/base/declarations.h"

#include <stdbool.h>

HL_BEGIN_DECLS

enum { HL_MAX_PROBLEMS = 100 };

/* Starts zeroed: hl_problems problems = { 0 }. */
typedef struct hl_problems {
    char *lines[HL_MAX_PROBLEMS]; /* without newlines; owned */
    int n;
    bool no_memory; /* a line was lost because there was no memory */
} hl_problems;

/* Adds a line, formatted as by printf and made safe to show (core/base/shown_text.h). The HL_MAX_PROBLEMS-th line says
 * that there are more, and later lines are dropped. When out of memory, only sets no_memory. */
void hl_problems_add(hl_problems *problems, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Frees the lines and zeroes the list. A zeroed list is allowed. */
void hl_problems_free(hl_problems *problems);

HL_END_DECLS
