#include "data/vocabulary.h"

#include "core/base/memory.h"
#include "core/base/private/utf8.h"
#include "core/base/text.h"
#include "data/text/unicode/private/unicode.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry {
    const char *token;
    int32_t id;
} entry;

struct hl_vocabulary {
    char *text; /* the tokens, each with a zero byte */
    size_t size;
    const char **tokens; /* by id, into text */
    entry *sorted;       /* by token */
    unsigned char *kinds;
    int32_t n;
};

static const char *const special[HL_SPECIAL_TOKENS] = { "<pad>", "<sep>", "<mask>" };

/* Whether vocab.txt must escape the character: white space, control characters and the backslash. */
static bool is_escaped(uint32_t code)
{
    return code == '\\' || code < ' ' || (code >= 0x7F && code < 0xA0) || hl_byte_level_kind(code) == HL_KIND_WHITE;
}

/* What is wrong with a token of `length` bytes, or NULL. */
static const char *fault(const char *token, size_t length)
{
    if (length == 0) {
        return "an empty line";
    }
    if (length > HL_TOKEN_MAX_BYTES) {
        return "a token longer than 255 bytes";
    }
    for (size_t i = 0, step; i < length; i += step) {
        uint32_t code;
        step = hl_utf8_decode(token + i, length - i, &code);
        if (step == 0) {
            return "a token that is not UTF-8";
        }
        if (is_escaped(code) && code != '\\') {
            return "white space or a control character in a token";
        }
    }
    return NULL;
}

/* Counts the lines and checks what can be checked before anything is allocated. */
static hl_status count_lines(const char *path, const char *text, size_t size, int32_t *lines)
{
    int32_t n = 0;
    const char *end = text + size;
    for (const char *line = text; line < end; n++) {
        if (n == HL_VOCABULARY_MAX_TOKENS) {
            return hl_error(HL_BAD_FILE, "%s:%d: more than %d tokens", path, n + 1, HL_VOCABULARY_MAX_TOKENS);
        }
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        if (newline == NULL) {
            return hl_error(HL_BAD_FILE, "%s:%d: the last line has no newline: the file is cut off", path, n + 1);
        }
        line = newline + 1;
    }
    if (n < HL_SPECIAL_TOKENS) {
        return hl_error(HL_BAD_FILE, "%s:%d: a vocabulary begins with <pad>, <sep>, <mask>", path, n + 1);
    }
    *lines = n;
    return hl_ok();
}

static hl_status allocate(size_t size, int32_t n, hl_vocabulary **out)
{
    hl_vocabulary *vocabulary = hl_calloc(1, sizeof *vocabulary);
    HL_NEED(vocabulary != NULL, "vocabulary");
    vocabulary->n = n;
    vocabulary->size = size;
    vocabulary->text = hl_malloc(size);
    vocabulary->tokens = hl_calloc((size_t)n, sizeof *vocabulary->tokens);
    vocabulary->sorted = hl_calloc((size_t)n, sizeof *vocabulary->sorted);
    vocabulary->kinds = hl_calloc((size_t)n, sizeof *vocabulary->kinds);
    if (vocabulary->text == NULL || vocabulary->tokens == NULL || vocabulary->sorted == NULL ||
        vocabulary->kinds == NULL) {
        hl_vocabulary_free(vocabulary);
        return hl_error_memory("vocabulary");
    }
    *out = vocabulary;
    return hl_ok();
}

static hl_status split(const char *path, hl_vocabulary *vocabulary)
{
    char *line = vocabulary->text;
    char *end = vocabulary->text + vocabulary->size;
    for (int32_t id = 0; id < vocabulary->n; id++) {
        char *newline = memchr(line, '\n', (size_t)(end - line));
        *newline = '\0';
        const char *wrong = fault(line, (size_t)(newline - line));
        if (wrong != NULL) {
            return hl_error(HL_BAD_FILE, "%s:%d: %s", path, id + 1, wrong);
        }
        if (id < HL_SPECIAL_TOKENS && strcmp(line, special[id]) != 0) {
            return hl_error(HL_BAD_FILE, "%s:%d: %s must stand here, not %s", path, id + 1, special[id], line);
        }
        vocabulary->tokens[id] = line;
        vocabulary->sorted[id] = (entry){ line, id };
        line = newline + 1;
    }
    return hl_ok();
}

static int compare(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    int order = strcmp(x->token, y->token);
    return order != 0 ? order : (x->id > y->id) - (x->id < y->id);
}

static hl_status sort(const char *path, hl_vocabulary *vocabulary)
{
    entry *sorted = vocabulary->sorted;
    qsort(sorted, (size_t)vocabulary->n, sizeof *sorted, compare);
    for (int32_t i = 1; i < vocabulary->n; i++) {
        if (strcmp(sorted[i - 1].token, sorted[i].token) == 0) {
            return hl_error(HL_BAD_FILE, "%s:%d: the token %s stands already in line %d", path, sorted[i].id + 1,
                            sorted[i].token, sorted[i - 1].id + 1);
        }
    }
    return hl_ok();
}

hl_status hl_vocabulary_parse(const char *path, const char *text, size_t size, hl_vocabulary **out)
{
    int32_t n = 0;
    hl_vocabulary *vocabulary = NULL;
    HL_TRY(count_lines(path, text, size, &n));
    HL_TRY(allocate(size, n, &vocabulary));
    memcpy(vocabulary->text, text, size);
    vocabulary->kinds[HL_PAD] = HL_TOKEN_SPECIAL | HL_TOKEN_PAD;
    vocabulary->kinds[HL_SEPARATOR] = HL_TOKEN_SPECIAL | HL_TOKEN_SEPARATOR;
    vocabulary->kinds[HL_MASK] = HL_TOKEN_SPECIAL | HL_TOKEN_MASK;
    hl_status status = split(path, vocabulary);
    HL_THEN(status, sort(path, vocabulary));
    if (status.code != HL_OK) {
        hl_vocabulary_free(vocabulary);
        return status;
    }
    *out = vocabulary;
    return status;
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

static hl_status find_kinds(const hl_tokens *tokens, hl_vocabulary *vocabulary)
{
    hl_text text = { 0 };
    hl_status status = hl_ok();
    for (int32_t id = 0; status.code == HL_OK && id < vocabulary->n; id++) {
        if (hl_tokens_is_special(tokens, id)) {
            vocabulary->kinds[id] = kind_of_special(tokens, id);
            continue;
        }
        text.size = 0;
        status = hl_tokens_decode(tokens, &id, 1, false, &text);
        bool continues = hl_tokens_get_kind(tokens) == HL_TOKENS_WORDPIECE && text.size > strlen("##") &&
                         strncmp(text.bytes, "##", strlen("##")) == 0;
        vocabulary->kinds[id] = kind_of_text(&text, continues);
    }
    hl_text_free(&text);
    return status;
}

hl_status hl_vocabulary_of_tokens(const hl_tokens *tokens, hl_vocabulary **out)
{
    int32_t n = (int32_t)hl_tokens_size(tokens);
    size_t all = 0, size;
    for (int32_t id = 0; id < n; id++) {
        hl_tokens_piece(tokens, id, &size);
        all += size + 1;
    }
    hl_vocabulary *vocabulary;
    HL_TRY(allocate(all, n, &vocabulary));
    char *next = vocabulary->text;
    for (int32_t id = 0; id < n; id++) {
        const char *piece = hl_tokens_piece(tokens, id, &size);
        memcpy(next, piece, size + 1);
        vocabulary->tokens[id] = next;
        vocabulary->sorted[id] = (entry){ next, id };
        next += size + 1;
    }
    hl_status status = sort("vocabulary", vocabulary); /* no piece occurs twice */
    HL_THEN(status, find_kinds(tokens, vocabulary));
    if (status.code != HL_OK) {
        hl_vocabulary_free(vocabulary);
        return status;
    }
    *out = vocabulary;
    return status;
}

void hl_vocabulary_free(hl_vocabulary *vocabulary)
{
    if (vocabulary != NULL) {
        hl_free(vocabulary->text);
        hl_free(vocabulary->tokens);
        hl_free(vocabulary->sorted);
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
    for (int32_t id = 0; id < vocabulary->n; id++) {
        escape(vocabulary->tokens[id], &lines);
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
    return vocabulary->n;
}

const char *hl_vocabulary_token(const hl_vocabulary *vocabulary, int32_t id)
{
    return id >= 0 && id < vocabulary->n ? vocabulary->tokens[id] : NULL;
}

static int compare_text(const void *text, const void *candidate)
{
    return strcmp(text, ((const entry *)candidate)->token);
}

int32_t hl_vocabulary_find(const hl_vocabulary *vocabulary, const char *token)
{
    if (token == NULL) {
        return -1;
    }
    const entry *found =
        bsearch(token, vocabulary->sorted, (size_t)vocabulary->n, sizeof *vocabulary->sorted, compare_text);
    return found != NULL ? found->id : -1;
}

const unsigned char *hl_vocabulary_kinds(const hl_vocabulary *vocabulary)
{
    return vocabulary->kinds;
}

int32_t hl_vocabulary_special(const hl_vocabulary *vocabulary, hl_token_kind kind)
{
    for (int32_t id = 0; id < vocabulary->n; id++) {
        if ((vocabulary->kinds[id] & kind) != 0) {
            return id;
        }
    }
    return -1;
}
