/* Parsing a config in a test: all that is wrong with it as one text. */
#pragma once

#include "core/base/memory.h"
#include "train/config.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

enum { CONFIG_OVERRIDES = 4, CONFIG_PROBLEMS_TEXT = HL_MAX_PROBLEMS * 256 };

/* Parses `text` as the file "x.ini" with the overrides before the first NULL; NULL: without any. Returns the problems,
 * one a line, "" where there is none; they stand until the next call. The status must say the same. The parser is given
 * no byte beyond the text, so that a sanitizer sees one read too many. */
static inline const char *config_problems(const char *text, size_t size, const char *const overrides[CONFIG_OVERRIDES],
                                          hl_config *config)
{
    static _Thread_local char lines[CONFIG_PROBLEMS_TEXT];
    size_t rounded = (size + 63) / 64 * 64;
    char *block = hl_malloc(rounded);
    char *exact = block + rounded - size;
    memcpy(exact, text, size);
    hl_config_options options = { .path = "x.ini", .overrides = overrides };
    while (overrides != NULL && options.n_overrides < CONFIG_OVERRIDES && overrides[options.n_overrides] != NULL) {
        options.n_overrides++;
    }
    hl_problems problems = { 0 };
    hl_status status = hl_config_parse(options, exact, size, config, &problems);
    hl_free(block);
    ck_assert_int_eq(status.code, problems.n > 0 ? HL_INVALID : HL_OK);
    ck_assert(strncmp(status.text, problems.n > 0 ? problems.lines[0] : "", 500) == 0);
    lines[0] = '\0';
    for (int i = 0; i < problems.n; i++) {
        size_t used = strlen(lines);
        snprintf(lines + used, sizeof lines - used, "%s\n", problems.lines[i]);
    }
    hl_problems_free(&problems);
    return lines;
}

/* The same for a text that must be valid, without overrides. */
static inline void config_parse(const char *text, hl_config *config)
{
    ck_assert_str_eq(config_problems(text, strlen(text), NULL, config), "");
}
