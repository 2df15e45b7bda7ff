#include "core/base/memory.h"
#include "core/base/private/utf8.h"
#include "data/text/private/tokens_encode.h"
#include "data/text/unicode/private/unicode.h"

#include <stdlib.h>
#include <string.h>

bool hl_added_is_plain(const hl_added_token *added)
{
    return !added->single_word && !added->normalized && !added->ordinary;
}

/* ---- what is looked for ---- */

/* Among equal texts, the special token comes first, then the token that is first in its file. */
static int compare(const void *a, const void *b)
{
    const struct hl_token_pattern *x = a, *y = b;
    int order = strcmp(x->text, y->text);
    order = order != 0 ? order : x->token->ordinary - y->token->ordinary;
    return order != 0 ? order : (x->token > y->token) - (x->token < y->token);
}

/* Adds the token's text, normalized if it is to be found in normalized text. */
static hl_status add_pattern(const hl_tokens *tokens, const char *path, const hl_added_token *token,
                             hl_tokens_scratch *scratch, hl_token_matcher *matcher)
{
    const char *text = tokens->text.bytes + tokens->starts[token->id];
    hl_tokens_part part = { .text = text, .size = strlen(text) };
    HL_TRY(token->normalized ? hl_tokens_normalize(tokens, &part, scratch) : hl_ok());
    if (part.size == 0) {
        return hl_error(HL_BAD_FILE,
                        "%s: added_tokens: %s: nothing is left of it when it is normalized; make its normalized false",
                        path, text);
    }
    hl_text_add(&matcher->texts, part.text, part.size);
    hl_text_add(&matcher->texts, "", 1);
    matcher->at[matcher->n++] = (struct hl_token_pattern){ .size = part.size, .token = token };
    return hl_text_status(&matcher->texts);
}

hl_status hl_tokens_match(hl_tokens *tokens, const char *path, int matcher)
{
    hl_token_matcher *made = &tokens->matchers[matcher];
    hl_free(made->at);
    hl_text_free(&made->texts);
    *made = (hl_token_matcher){ .at = hl_calloc(tokens->n_added, sizeof *made->at) };
    hl_pieces memory = { .scratch = hl_calloc(1, sizeof *memory.scratch) };
    if (made->at == NULL || memory.scratch == NULL) {
        hl_pieces_free(&memory);
        return hl_error_memory("the texts of added tokens");
    }
    hl_status status = hl_ok();
    for (size_t i = 0; i < tokens->n_added; i++) {
        if (tokens->added[i].normalized == (matcher == 1)) {
            HL_THEN(status, add_pattern(tokens, path, &tokens->added[i], memory.scratch, made));
        }
    }
    hl_pieces_free(&memory);
    HL_TRY(status);
    const char *text = made->texts.bytes;
    for (size_t i = 0; i < made->n; i++) {
        made->at[i].text = text;
        made->first_bytes[(unsigned char)text[0]] = true;
        text += made->at[i].size + 1;
    }
    qsort(made->at, made->n, sizeof *made->at, compare);
    return hl_ok();
}

/* ---- where it stands ---- */

/* The patterns first .. end - 1 agree in their first `at` bytes. Returns the first whose next byte is at least `least`,
 * or `end` if there is none. */
static size_t first_with(const hl_token_matcher *matcher, size_t first, size_t end, size_t at, int least)
{
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if ((unsigned char)matcher->at[middle].text[at] < least) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return first;
}

/* The longest token whose text is at the beginning of these bytes; NULL if there is none. Byte by byte, it excludes
 * tokens that continue differently, so its time hardly grows with their number. */
static const hl_added_token *longest_at(const hl_token_matcher *matcher, const char *text, size_t size, size_t *bytes)
{
    const hl_added_token *found = NULL;
    size_t first = 0, end = matcher->n;
    for (size_t i = 0; i < size && first < end; i++) {
        int byte = (unsigned char)text[i];
        first = first_with(matcher, first, end, i, byte);
        end = first_with(matcher, first, end, i, byte + 1);
        if (first < end && matcher->at[first].size == i + 1) {
            found = matcher->at[first].token;
            *bytes = i + 1;
        }
        while (first < end && matcher->at[first].size == i + 1) { /* several may have the same text */
            first++;
        }
    }
    return found;
}

/* The beginning of the character that ends at `at`. */
static size_t before(const char *text, size_t at)
{
    at--;
    while (at > 0 && hl_continues(text[at])) {
        at--;
    }
    return at;
}

static bool is_white(const char *text, size_t size, size_t *bytes)
{
    uint32_t code;
    *bytes = hl_utf8_decode(text, size, &code);
    return *bytes > 0 && (hl_bert_class(code) & HL_BERT_WHITE);
}

/* The end of the white space that begins at `at`; or the beginning of the white space that ends there, not before
 * `least`. */
static size_t white_end(const char *text, size_t size, size_t at)
{
    size_t bytes;
    while (at < size && is_white(text + at, size - at, &bytes)) {
        at += bytes;
    }
    return at;
}

static size_t white_begin(const char *text, size_t least, size_t at)
{
    size_t bytes;
    while (at > least && is_white(text + before(text, at), at - before(text, at), &bytes)) {
        at = before(text, at);
    }
    return at;
}

/* Whether no character of a word is directly before `begin` or at `end`. */
static bool stands_alone(const char *text, size_t size, size_t begin, size_t end)
{
    uint32_t left = 0, right = 0; /* a character that is not in a word */
    if (begin > 0) {
        hl_utf8_decode(text + before(text, begin), size - before(text, begin), &left);
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
        bool maybe = matcher->first_bytes[(unsigned char)text[i]];
        const hl_added_token *token = maybe ? longest_at(matcher, text + i, size - i, &bytes) : NULL;
        if (token == NULL) {
            i++;
            continue;
        }
        size_t begin = i, end = i += bytes;
        if ((token->ordinary || specials) && (!token->single_word || stands_alone(text, size, begin, end))) {
            begin = token->strip_left && begin > from ? white_begin(text, from, begin) : begin;
            end = token->strip_right ? white_end(text, size, end) : end;
            *match = (hl_added_match){ token, begin, end };
            *at = i;
            return true;
        }
    }
    return false;
}
