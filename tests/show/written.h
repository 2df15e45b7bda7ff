/* What figures and pages hold. */
#pragma once

#include "core/base/text.h"
#include "show/drawing.h"
#include "tests/heads/example.h"

#include <check.h>
#include <string.h>

/* How often the text holds the part. */
static inline int count_of(const char *text, const char *part)
{
    int n = 0;
    for (; (text = strstr(text, part)) != NULL; text += strlen(part)) {
        n++;
    }
    return n;
}

/* Whether the figure begins in every format as it must, and twice is the same. */
static inline void expect_formats(hl_status (*print)(hl_picture_format format, hl_text *bytes))
{
    static const char *const beginnings[] = { "\x89PNG\r\n\x1a\n", "<?xml", "%PDF-1." };
    for (int f = 0; f < HL_PICTURE_FORMATS; f++) {
        hl_text *once = scratch_text(), *twice = scratch_text();
        expect_ok(print((hl_picture_format)f, once));
        expect_ok(print((hl_picture_format)f, twice));
        ck_assert_uint_gt(once->size, 1000);
        ck_assert_int_eq(strncmp(once->bytes, beginnings[f], strlen(beginnings[f])), 0);
        ck_assert_uint_eq(once->size, twice->size);
        ck_assert_mem_eq(once->bytes, twice->bytes, once->size);
    }
}
