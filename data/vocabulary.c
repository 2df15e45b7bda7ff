#include "data/vocabulary.h"

#include "core/base/memory.h"
#include "core/base/private/utf8.h"
#include "core/base/text.h"
#include "data/text/private/text_set.h"
#include "data/text/unicode/private/unicode.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

struct hl_vocabulary {
    hl_text_set tokens; /* numbered by their ids */
    unsigned char *kinds;
};

/* Whether vocab.txt must escape the character: white space, control characters and the backslash. */
static bool is_escaped(uint32_t code)
{
    return code == '\\' || code < ' ' || (code >= 0x7F && code < 0xA0) || hl_byte_level_kind(code) == HL_KIND_WHITE;
}

/* Makes room for the kinds of the tokens, all 0. */
static hl_status allocate_kinds(hl_vocabulary *vocabulary)
{
    vocabulary->kinds = hl_calloc(vocabulary->tokens.n, sizeof *vocabulary->kinds);
    HL_NEED(vocabulary->kinds != NULL, "vocabulary");
    return hl_ok();
}

/* Returns the status. Frees what a failure left, and makes it NULL. */
static hl_status made(hl_status status, hl_vocabulary **out)
{
    if (status.code != HL_OK) {
        hl_vocabulary_free(*out);
        *out = NULL;
    }
    return status;
}

static hl_status add_lines(const char *lines, size_t size, hl_vocabulary *vocabulary)
{
    HL_NEED(vocabulary != NULL, "vocabulary");
    for (const char *line = lines, *newline; line < lines + size; line = newline + 1) {
        newline = memchr(line, '\n', size - (size_t)(line - lines));
        assert(newline != NULL && newline - line <= HL_TOKEN_MAX_BYTES);
        size_t id;
        HL_TRY(hl_text_set_add(&vocabulary->tokens, line, (size_t)(newline - line), 0, &id));
        assert(id + 1 == vocabulary->tokens.n); /* no line stands twice */
    }
    assert(vocabulary->tokens.n >= HL_SPECIAL_TOKENS);
    HL_TRY(allocate_kinds(vocabulary));
    vocabulary->kinds[HL_PAD] = HL_TOKEN_SPECIAL | HL_TOKEN_PAD;
    vocabulary->kinds[HL_SEPARATOR] = HL_TOKEN_SPECIAL | HL_TOKEN_SEPARATOR;
    vocabulary->kinds[HL_MASK] = HL_TOKEN_SPECIAL | HL_TOKEN_MASK;
    return hl_ok();
}

hl_status hl_vocabulary_of_lines(const char *lines, size_t size, hl_vocabulary **out)
{
    *out = hl_calloc(1, sizeof **out);
    return made(add_lines(lines, size, *out), out);
}

static unsigned char kind_of_special(const hl_tokens *tokens, int32_t id)
{
    static const unsigned char kinds[HL_ROLES] = {
        [HL_ROLE_PAD] = HL_TOKEN_PAD,       [HL_ROLE_UNK] = HL_TOKEN_UNKNOWN, [HL_ROLE_CLS] = HL_TOKEN_FIRST,
        [HL_ROLE_SEP] = HL_TOKEN_SEPARATOR, [HL_ROLE_MASK] = HL_TOKEN_MASK,   [HL_ROLE_BEGIN] = HL_TOKEN_FIRST,
        [HL_ROLE_END] = HL_TOKEN_SEPARATOR,
    };
    unsigned bits = 0;
    for (int role = 0; role < HL_ROLES; role++) {
        bits |= hl_tokens_role(tokens, (hl_role)role) == id ? kinds[role] : 0;
    }
    return (unsigned char)(bits == HL_TOKEN_UNKNOWN ? bits : bits | HL_TOKEN_SPECIAL);
}

/* HL_TOKEN_PUNCTUATION or 0, for the text of a piece. Bytes that are a part of a character count as a letter. */
static unsigned char kind_of_text(const hl_text *text, bool continues)
{
    bool white = true;
    for (size_t at = continues ? strlen("##") : 0, step; at < text->size; at += step) {
        uint32_t code;
        step = hl_utf8_decode(text->bytes + at, text->size - at, &code);
        hl_kind kind = step > 0 ? hl_byte_level_kind(code) : HL_KIND_LETTER;
        if (kind == HL_KIND_LETTER || kind == HL_KIND_NUMBER) {
            return 0;
        }
        white = white && kind == HL_KIND_WHITE;
    }
    return white ? 0 : HL_TOKEN_PUNCTUATION;
}

static hl_status find_kinds(const hl_tokens *tokens, unsigned char *kinds, hl_text *text)
{
    for (int32_t id = 0; id < hl_tokens_size(tokens); id++) {
        if (hl_tokens_is_special(tokens, id)) {
            kinds[id] = kind_of_special(tokens, id);
            continue;
        }
        text->size = 0;
        HL_TRY(hl_tokens_decode(tokens, &id, 1, false, text));
        bool continues = hl_tokens_get_kind(tokens) == HL_TOKENS_WORDPIECE && text->size > strlen("##") &&
                         strncmp(text->bytes, "##", strlen("##")) == 0;
        kinds[id] = kind_of_text(text, continues);
    }
    return hl_ok();
}

static hl_status copy_tokens(const hl_tokens *tokens, hl_vocabulary *vocabulary)
{
    HL_NEED(vocabulary != NULL, "vocabulary");
    for (int32_t id = 0; id < hl_tokens_size(tokens); id++) {
        size_t size;
        const char *piece = hl_tokens_piece(tokens, id, &size);
        HL_TRY(hl_text_set_add(&vocabulary->tokens, piece, size, 0, NULL)); /* no piece occurs twice */
    }
    HL_TRY(allocate_kinds(vocabulary));
    hl_text text = { 0 };
    hl_status status = find_kinds(tokens, vocabulary->kinds, &text);
    hl_text_free(&text);
    return status;
}

hl_status hl_vocabulary_of_tokens(const hl_tokens *tokens, hl_vocabulary **out)
{
    *out = hl_calloc(1, sizeof **out);
    return made(copy_tokens(tokens, *out), out);
}

void hl_vocabulary_free(hl_vocabulary *vocabulary)
{
    if (vocabulary != NULL) {
        hl_text_set_free(&vocabulary->tokens);
        hl_free(vocabulary->kinds);
        hl_free(vocabulary);
    }
}

/* Adds the token in the form that a line can hold. */
static void escape(const char *token, hl_text *text)
{
    static const char plain[] = " \n\r\t\\", letters[] = "snrt\\";
    size_t length = strlen(token), step;
    for (size_t at = 0; at < length; at += step) {
        uint32_t code;
        step = hl_utf8_decode(token + at, length - at, &code);
        const char *known = code < 0x80 ? strchr(plain, (int)code) : NULL;
        if (known != NULL) {
            hl_text_print(text, "\\%c", letters[known - plain]);
        } else if (is_escaped(code)) {
            hl_text_print(text, code < 0x100 ? "\\x%02x" : "\\u%04x", (unsigned)code);
        } else {
            hl_text_add(text, token + at, step);
        }
    }
}

hl_status hl_vocabulary_text(const hl_vocabulary *vocabulary, char **text, size_t *size)
{
    hl_text lines = { 0 };
    for (size_t id = 0; id < vocabulary->tokens.n; id++) {
        escape(hl_text_set_get(&vocabulary->tokens, id).text, &lines);
        hl_text_add(&lines, "\n", 1);
    }
    hl_status status = hl_text_status(&lines);
    if (status.code != HL_OK) {
        hl_text_free(&lines);
        return status;
    }
    *text = lines.bytes;
    *size = lines.size;
    return status;
}

int64_t hl_vocabulary_size(const hl_vocabulary *vocabulary)
{
    return (int64_t)vocabulary->tokens.n;
}

const char *hl_vocabulary_token(const hl_vocabulary *vocabulary, int32_t id)
{
    return id >= 0 && id < hl_vocabulary_size(vocabulary) ? hl_text_set_get(&vocabulary->tokens, (size_t)id).text
                                                          : NULL;
}

int32_t hl_vocabulary_find(const hl_vocabulary *vocabulary, const char *token)
{
    return token != NULL ? (int32_t)hl_text_set_find(&vocabulary->tokens, token, strlen(token)) : -1;
}

const unsigned char *hl_vocabulary_kinds(const hl_vocabulary *vocabulary)
{
    return vocabulary->kinds;
}

int32_t hl_vocabulary_special(const hl_vocabulary *vocabulary, hl_token_kind kind)
{
    for (int32_t id = 0; id < hl_vocabulary_size(vocabulary); id++) {
        if ((vocabulary->kinds[id] & kind) != 0) {
            return id;
        }
    }
    return -1;
}
