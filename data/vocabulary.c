#include "data/vocabulary.h"

#include "core/memory.h"
#include "core/private/utf8.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry {
    const char *token;
    int32_t id;
} entry;

struct hl_vocabulary {
    char *text; /* the file's bytes, each newline a zero byte */
    size_t size;
    const char **tokens; /* by id, into text */
    entry *sorted;       /* by token */
    int32_t n;
};

static const char *const special[HL_SPECIAL_TOKENS] = { "<pad>", "<sep>", "<mask>" };

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
        unsigned char byte = (unsigned char)token[i];
        if (byte <= ' ' || byte == 0x7F) {
            return "white space or a control character in a token";
        }
        step = hl_utf8_decode(token + i, length - i, NULL);
        if (step == 0) {
            return "a token that is not UTF-8";
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

static hl_status allocate(const char *text, size_t size, int32_t n, hl_vocabulary **out)
{
    hl_vocabulary *vocabulary = hl_calloc(1, sizeof *vocabulary);
    if (vocabulary == NULL) {
        return hl_error_memory("vocabulary");
    }
    vocabulary->n = n;
    vocabulary->size = size;
    vocabulary->text = hl_malloc(size);
    vocabulary->tokens = hl_calloc((size_t)n, sizeof *vocabulary->tokens);
    vocabulary->sorted = hl_calloc((size_t)n, sizeof *vocabulary->sorted);
    if (vocabulary->text == NULL || vocabulary->tokens == NULL || vocabulary->sorted == NULL) {
        hl_vocabulary_free(vocabulary);
        return hl_error_memory("vocabulary");
    }
    memcpy(vocabulary->text, text, size);
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
    HL_TRY(allocate(text, size, n, &vocabulary));
    hl_status status = split(path, vocabulary);
    HL_THEN(status, sort(path, vocabulary));
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
        hl_free(vocabulary);
    }
}

hl_status hl_vocabulary_text(const hl_vocabulary *vocabulary, char **text, size_t *size)
{
    char *copy = hl_malloc(vocabulary->size + 1);
    if (copy == NULL) {
        return hl_error_memory("vocabulary's text");
    }
    for (size_t i = 0; i < vocabulary->size; i++) {
        copy[i] = (char)(vocabulary->text[i] != '\0' ? vocabulary->text[i] : '\n');
    }
    copy[vocabulary->size] = '\0';
    *text = copy;
    *size = vocabulary->size;
    return hl_ok();
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
