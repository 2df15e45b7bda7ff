/* Short ways to try tokens. */
#pragma once

#include "data/text/tokens_file.h"
#include "data/text/tokens_learn.h"
#include "tests/check_suite.h"
#include "tests/scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The path of a new file that holds the text. */
static inline const char *file_of(const char *name, const char *text)
{
    const char *path = scratch_path(name);
    scratch_write(path, text, strlen(text));
    return path;
}

static inline hl_tokens *wordpiece_of(const char *lines, bool lowercase)
{
    hl_tokens *tokens = NULL;
    hl_status status = hl_tokens_load_vocabulary(file_of("vocab.txt", lines), lowercase, &tokens);
    ck_assert_str_eq(status.text, "");
    return tokens;
}

static inline void release_tokens(void *tokens)
{
    hl_tokens_free(tokens);
}

/* These tokens, which go when the test ends. */
static inline hl_tokens *kept_tokens(hl_tokens *tokens)
{
    return scratch_own(tokens, release_tokens);
}

/* A hl_tokens_source of one text; `context` is the address of a pointer to it, which becomes NULL. */
static inline hl_status one_text(void *context, const char **text, size_t *size)
{
    const char **next = context;
    *text = *next;
    *size = *next != NULL ? strlen(*next) : 0;
    *next = NULL;
    return hl_ok();
}

static inline hl_tokens *learned(hl_tokens_options options, const char *text)
{
    hl_tokens *tokens = NULL;
    hl_status status = hl_tokens_learn(&options, one_text, &text, &tokens);
    ck_assert_str_eq(status.text, "");
    return tokens;
}

/* "piece@begin-end piece@begin-end"; the type of a piece of type 1 as "piece@begin-end/1". To be freed by free(). */
static inline char *shown_pieces(const hl_tokens *tokens, const hl_pieces *pieces)
{
    char *text = calloc(1, 64 * pieces->n + 4096), *at = text;
    for (size_t i = 0; i < pieces->n; i++) {
        at += sprintf(at, "%s%s@%zu-%zu%s", i == 0 ? "" : " ", hl_tokens_piece(tokens, pieces->at[i].id, NULL),
                      pieces->at[i].begin, pieces->at[i].end, pieces->at[i].type == 1 ? "/1" : "");
    }
    return text;
}

static inline void check_pieces(const hl_tokens *tokens, const char *text, bool specials, const char *expected)
{
    hl_pieces pieces = { 0 };
    hl_status status = hl_tokens_encode(tokens, text, strlen(text), specials, &pieces);
    ck_assert_str_eq(status.text, "");
    char *found = shown_pieces(tokens, &pieces);
    ck_assert_str_eq(found, expected);
    free(found);
    hl_pieces_free(&pieces);
}

static inline void check_decoded(const hl_tokens *tokens, const int32_t *ids, size_t n, bool specials,
                                 const char *expected)
{
    hl_text text = { 0 };
    hl_text_add(&text, ">", 1);
    ck_assert_str_eq(hl_tokens_decode(tokens, ids, n, specials, &text).text, "");
    ck_assert_str_eq(text.bytes + 1, expected);
    hl_text_free(&text);
}
