/* Maps made up to be drawn, in pictures and in a terminal. */
#pragma once

#include "show/panel.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

enum { DRAWN_TOKENS = 700, DRAWN_STRIDE = DRAWN_TOKENS + 3 };

/* One map of which any n <= DRAWN_TOKENS queries and keys can be drawn; the numbers past them must not be drawn. */
typedef struct drawn {
    hl_real weights[DRAWN_TOKENS * DRAWN_STRIDE];
    char texts[DRAWN_TOKENS][8];
    const char *tokens[DRAWN_TOKENS];
} drawn;

/* A[i][j] = 1/1, 1/2, ... by the distance to key i - 1, 0 from 8 on. */
static inline hl_panel drawn_panel(drawn *d, const char *title, int64_t n_queries, int64_t n_keys)
{
    ck_assert(n_queries <= DRAWN_TOKENS && n_keys <= DRAWN_TOKENS);
    for (int64_t i = 0; i < n_queries; i++) {
        for (int64_t j = 0; j < DRAWN_STRIDE; j++) {
            int64_t distance = j > i - 1 ? j - (i - 1) : i - 1 - j;
            hl_real weight = distance < 8 ? 1 / (hl_real)(distance + 1) : 0;
            d->weights[i * DRAWN_STRIDE + j] = j < n_keys ? weight : (hl_real)0.77;
        }
    }
    for (int i = 0; i < DRAWN_TOKENS; i++) {
        snprintf(d->texts[i], sizeof d->texts[i], i % 5 == 0 ? "<m%d>" : "%d", i);
        d->tokens[i] = d->texts[i];
    }
    return (hl_panel){ title, d->weights, n_queries, n_keys, DRAWN_STRIDE, d->tokens, d->tokens };
}

/* The same for n heads. */
static inline void drawn_panels(drawn *d, hl_panel *panels, int n, const char *title, int64_t n_tokens)
{
    hl_panel panel = drawn_panel(d, title, n_tokens, n_tokens);
    for (int i = 0; i < n; i++) {
        panels[i] = panel;
    }
}

/* 255 bytes, markup, what a terminal or a parser would obey, what is no UTF-8 or is not seen, wide characters, none. */
static const char drawn_longest[256] =
    "wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww"
    "wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww"
    "wwwwwwwwwwwwwwwwwwwwwwwwwwwwwww";
static const char *const drawn_nasty[] = {
    drawn_longest,
    "</text><script>&amp;\"'",
    "\033[2J\a\n\t",
    "\xff\xc3(\xe2\x82",
    "a\xcc\x81\xe2\x80\xae\xef\xbb\xbf",
    "\xef\xbf\xbe\xef\xb7\x90\xf0\x9f\xbf\xbf]]>",
    "\xe4\xb8\xad\xe6\x96\x87\xf0\x9f\x98\x80",
    "\xc3\xa4\xd0\xb6\xce\xbb",
    "",
    "%s%n\\",
};
enum { DRAWN_NASTY = sizeof drawn_nasty / sizeof *drawn_nasty };
