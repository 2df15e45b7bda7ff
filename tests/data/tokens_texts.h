/* Short ways to try tokens. */
#pragma once

#include "data/text/private/hash.h"
#include "data/text/tokens_file.h"
#include "data/text/tokens_learn.h"
#include "tests/check_suite.h"
#include "tests/data/token_strings.h"
#include "tests/fault_checks.h"
#include "tests/scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline hl_tokens *wordpiece_of(const char *lines, bool lowercase)
{
    hl_tokens *tokens = NULL;
    hl_status status = hl_tokens_load_vocabulary(scratch_file("vocab.txt", lines), lowercase, &tokens);
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

/* The tokens of a tokenizer.json, which go when the test ends. */
static inline hl_tokens *loaded_tokenizer(const char *path)
{
    hl_tokens *tokens = NULL;
    bool ignored;
    ck_assert_str_eq(hl_tokens_load_tokenizer(path, &tokens, &ignored).text, "");
    return kept_tokens(tokens);
}

static inline hl_tokens *tokenizer_of(const char *json)
{
    return loaded_tokenizer(scratch_file("tokenizer.json", json));
}

/* The tokens, and what is written of them and read again: a tokenizer.json, a tokens.json, a copy. */
enum { WRITTEN = 4 };
static inline void write_and_read(hl_tokens *tokens, hl_tokens *all[WRITTEN])
{
    const char *path = scratch_path("tokenizer.json");
    all[0] = tokens;
    ck_assert_str_eq(hl_tokens_save_tokenizer(tokens, path).text, "");
    all[1] = loaded_tokenizer(path);
    path = scratch_path("tokens.json");
    ck_assert_str_eq(hl_tokens_save(tokens, path).text, "");
    ck_assert_str_eq(hl_tokens_load(path, &all[2]).text, "");
    ck_assert_str_eq(hl_tokens_copy(tokens, &all[3]).text, "");
    kept_tokens(all[2]);
    kept_tokens(all[3]);
}

/* The message names the file without its folder: "vocab.txt:3: ...". */
static inline void check_tokens_refused(hl_status status, const hl_tokens *tokens, const char *message)
{
    const char *name = strpbrk(status.text, ".:");
    while (name > status.text && name[-1] != '/') {
        name--;
    }
    ck_assert_str_eq(name, message);
    ck_assert_int_eq(status.code, HL_BAD_FILE);
    ck_assert_ptr_null(tokens);
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

/* Checks that these are the pieces, and frees them. */
static inline void check_shown(const hl_tokens *tokens, hl_pieces *pieces, const char *expected)
{
    char *found = shown_pieces(tokens, pieces);
    ck_assert_str_eq(found, expected);
    free(found);
    hl_pieces_free(pieces);
}

static inline void check_pieces(const hl_tokens *tokens, const char *text, bool specials, const char *expected)
{
    hl_pieces pieces = { 0 };
    hl_status status = hl_tokens_encode(tokens, text, strlen(text), specials, &pieces);
    ck_assert_str_eq(status.text, "");
    check_shown(tokens, &pieces, expected);
}

/* Encodes the text, and puts around it what stands there, with each allocation failing in turn. */
static inline void check_without_memory(const hl_tokens *tokens, const char *text)
{
    faults_begin();
    for (int n = 0; fault_checks_next(&n, FAULTS_FOR_EVER);) {
        hl_pieces pieces = { 0 };
        hl_status status = hl_tokens_encode(tokens, text, strlen(text), true, &pieces);
        ck_assert((pieces.n > 0) == (status.code == HL_OK));
        HL_THEN(status, hl_tokens_wrap(tokens, pieces.n, &pieces));
        fault_checks_turn(status);
        hl_pieces_free(&pieces);
    }
    faults_end();
}

/* A digest of the pieces of text i of token_strings.h, with their offsets. */
static inline uint64_t token_string_pieces(const hl_tokens *tokens, uint32_t i, hl_pieces *pieces, uint64_t digest)
{
    char text[TOKEN_STRING_BYTES], piece[64];
    pieces->n = 0;
    CHECK_OK(hl_tokens_encode(tokens, text, token_string(i, text), true, pieces));
    for (size_t p = 0; p < pieces->n; p++) {
        int size =
            snprintf(piece, sizeof piece, "%d:%zu:%zu ", pieces->at[p].id, pieces->at[p].begin, pieces->at[p].end);
        digest = hl_hash(digest, piece, (size_t)size);
    }
    return digest;
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
