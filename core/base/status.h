/* The result of a function that can fail for reasons outside the code: files, config, data, memory, sizes.
 *
 * A status is a value: it needs no freeing, and no later call overwrites its text. The text is one line for a person.
 * It has no trailing newline and no program name. It names the file, and a remedy if there is one. Our own bugs are
 * asserts, never a status. */
#pragma once

#include "core/base/declarations.h"

#include <stdbool.h>

HL_BEGIN_DECLS

/* The values are the exit codes of the programs. */
typedef enum hl_code {
    HL_OK = 0,
    HL_FAILED = 1,     /* failed while running */
    HL_INVALID = 2,    /* a wrong argument, config value or shape */
    HL_BAD_FILE = 3,   /* a file that cannot be read or written, or whose content is damaged */
    HL_NOT_FINITE = 4, /* a loss or gradient that is infinite or not a number */
    HL_NO_MEMORY = 5,
} hl_code;

enum { HL_STATUS_TEXT = 512 };

typedef struct hl_status {
    hl_code code;
    char text[HL_STATUS_TEXT]; /* "" where code is HL_OK; longer texts are cut and end in "..." */
} hl_status;

/* Success. */
hl_status hl_ok(void);

/* A failure with a text formatted as by printf and made safe to show (core/base/shown_text.h), because names in it come
 * from files and may hold any bytes. Cannot fail itself. */
hl_status hl_error(hl_code code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* HL_NO_MEMORY with the text "out of memory: <what>". */
hl_status hl_error_memory(const char *what);

/* HL_BAD_FILE for a file whose format number is above the newest known one. */
hl_status hl_error_newer(const char *path, long long format, int newest);

/* If `call` fails, returns its status from the calling function, which must return hl_status. */
#define HL_TRY(call)                       \
    do {                                   \
        hl_status hl_try_status = (call);  \
        if (hl_try_status.code != HL_OK) { \
            return hl_try_status;          \
        }                                  \
    } while (0)

/* Unless `all` is true, returns hl_error_memory(what) from the calling function, which must return hl_status. */
#define HL_NEED(all, what)                \
    do {                                  \
        if (!(all)) {                     \
            return hl_error_memory(what); \
        }                                 \
    } while (0)

/* Sets `status` to the result of `call`, unless `status` is already a failure. For steps that depend on each other, in
 * a function that frees something at its end. */
#define HL_THEN(status, call)         \
    do {                              \
        if ((status).code == HL_OK) { \
            (status) = (call);        \
        }                             \
    } while (0)

HL_END_DECLS
