/* Added tokens: which ones exist, and where they are in a text. */
#pragma once

#include "data/text/private/trie.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A token that is found in a text before the text is cut. A zeroed one is special. */
typedef struct hl_added_token {
    int32_t id;
    bool strip_left, strip_right; /* takes the white space beside it */
    bool single_word;             /* found only if no character of a word is beside it */
    bool normalized;              /* its normalized text is searched in the normalized text */
    bool ordinary;                /* in every other respect a token like any other */
} hl_added_token;

/* Finds added tokens by their texts. */
typedef struct hl_token_matcher {
    const hl_added_token **at; /* by the numbers of their texts */
    size_t n;
    hl_trie trie;
} hl_token_matcher;

void hl_tokens_matcher_free(hl_token_matcher *matcher);

/* Whether an added token is special and has no rule except to strip white space. */
bool hl_added_is_plain(const hl_added_token *added);

/* An added token in a text: bytes begin .. end - 1, including white space that it takes. */
typedef struct hl_added_match {
    const hl_added_token *token;
    size_t begin, end;
} hl_added_match;

/* Finds the next added token from byte *at on, or the longest one if several begin there; *at: where to go on. It takes
 * white space before it only from `from` on. Without `specials`, special tokens are skipped. false: no more. */
bool hl_tokens_next_added(const hl_token_matcher *matcher, const char *text, size_t size, bool specials, size_t from,
                          size_t *at, hl_added_match *match);
