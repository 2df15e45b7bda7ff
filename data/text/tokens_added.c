#include "core/base/memory.h"
#include "core/base/private/utf8.h"
#include "data/text/private/tokens_encode.h"
#include "data/text/unicode/private/unicode.h"

#include <string.h>

bool hl_added_is_plain(const hl_added_token *added)
{
    return !added->single_word && !added->normalized && !added->ordinary;
}

/* ---- what is looked for ---- */

void hl_tokens_matcher_free(hl_token_matcher *matcher)
{
    hl_free(matcher->at);
    hl_trie_free(&matcher->trie);
    *matcher = (hl_token_matcher){ 0 };
}

/* Adds the token and its text, which is normalized if it is to be found in normalized text. */
static hl_status add_text(const hl_tokens *tokens, const char *path, const hl_added_token *token,
                          hl_token_matcher *matcher, hl_tokens_scratch *scratch, hl_text *texts)
{
    const hl_span piece = hl_text_set_get(&tokens->pieces, (size_t)token->id);
    hl_tokens_part part = { .text = piece.text, .size = piece.size };
    HL_TRY(token->normalized ? hl_tokens_normalize(tokens, &part, scratch) : hl_ok());
    if (part.size == 0) {
        return hl_error(HL_BAD_FILE,
                        "%s: added_tokens: %s: nothing is left of it when it is normalized; make its normalized false",
                        path, piece.text);
    }
    hl_text_add(texts, part.text, part.size);
    hl_text_add(texts, "", 1);
    matcher->at[matcher->n++] = token;
    return hl_text_status(texts);
}

/* Of equal texts, that of a special token comes first, then that of the token that is first in its file. */
static hl_status make_matcher(hl_tokens *tokens, const char *path, bool normalized, hl_tokens_scratch *scratch,
                              hl_text *texts)
{
    hl_token_matcher *matcher = &tokens->matchers[normalized];
    matcher->at = hl_calloc(tokens->n_added, sizeof *matcher->at);
    HL_NEED(matcher->at != NULL && scratch != NULL, "the texts of added tokens");
    for (int ordinary = 0; ordinary < 2; ordinary++) {
        for (size_t i = 0; i < tokens->n_added; i++) {
            const hl_added_token *token = &tokens->added[i];
            if (token->normalized == normalized && token->ordinary == ordinary) {
                HL_TRY(add_text(tokens, path, token, matcher, scratch, texts));
            }
        }
    }
    return hl_trie_make(&matcher->trie, texts->bytes, (int32_t)matcher->n);
}

hl_status hl_tokens_match(hl_tokens *tokens, const char *path, bool normalized)
{
    hl_tokens_matcher_free(&tokens->matchers[normalized]);
    hl_pieces memory = { .scratch = hl_calloc(1, sizeof *memory.scratch) };
    hl_text texts = { 0 };
    hl_status status = make_matcher(tokens, path, normalized, memory.scratch, &texts);
    hl_text_free(&texts);
    hl_pieces_free(&memory);
    return status;
}

/* ---- where it stands ---- */

/* The longest token whose text is at the beginning of these bytes; NULL if there is none. */
static const hl_added_token *longest_at(const hl_token_matcher *matcher, const char *text, size_t size, size_t *bytes)
{
    const hl_added_token *found = NULL;
    uint32_t node = 0;
    for (size_t i = 0; i < size && (node = hl_trie_child(&matcher->trie, node, text[i])) > 0; i++) {
        int32_t number = matcher->trie.nodes[node].text;
        if (number >= 0) {
            found = matcher->at[number];
            *bytes = i + 1;
        }
    }
    return found;
}

/* The end of the white space that begins at `at`. */
static size_t white_end(const char *text, size_t size, size_t at)
{
    for (size_t bytes; at < size && (bytes = hl_white_bytes(text, size, at)) > 0;) {
        at += bytes;
    }
    return at;
}

/* Whether no character of a word is directly before `begin` or at `end`. */
static bool stands_alone(const char *text, size_t size, size_t begin, size_t end)
{
    uint32_t left = 0, right = 0; /* a character that is not in a word */
    if (begin > 0) {
        hl_utf8_decode(text + hl_utf8_before(text, begin), size - hl_utf8_before(text, begin), &left);
    }
    if (end < size) {
        hl_utf8_decode(text + end, size - end, &right);
    }
    return !hl_is_of_word(left) && !hl_is_of_word(right);
}

bool hl_tokens_next_added(const hl_token_matcher *matcher, const char *text, size_t size, bool specials, size_t from,
                          size_t *at, hl_added_match *match)
{
    size_t i = matcher->n > 0 ? *at : size;
    while (i < size) {
        size_t bytes;
        const hl_added_token *token = longest_at(matcher, text + i, size - i, &bytes);
        if (token == NULL) {
            i++;
            continue;
        }
        size_t begin = i, end = i += bytes;
        if ((token->ordinary || specials) && (!token->single_word || stands_alone(text, size, begin, end))) {
            begin = token->strip_left && begin > from ? hl_white_begin(text, from, begin) : begin;
            end = token->strip_right ? white_end(text, size, end) : end;
            *match = (hl_added_match){ token, begin, end };
            *at = i;
            return true;
        }
    }
    return false;
}
