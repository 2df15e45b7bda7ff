#include "core/base/memory.h"
#include "core/files/files.h"
#include "data/text/private/tokens_encode.h"
#include "data/text/private/tokens_reading.h"
#include "data/text/tokens_file.h"
#include "data/text/unicode/private/unicode.h"

#include <stdio.h>
#include <string.h>

static hl_status add_lines(const char *path, const char *text, size_t size, hl_tokens *tokens)
{
    for (size_t i = 0, end; i < size; i = end + 1) {
        const char *newline = memchr(text + i, '\n', size - i);
        end = newline != NULL ? (size_t)(newline - text) : size;
        if (hl_tokens_count(tokens) == HL_TOKENS_MAX) {
            return hl_error(HL_BAD_FILE, "%s:%d: more than %d pieces", path, hl_tokens_count(tokens) + 1,
                            HL_TOKENS_MAX);
        }
        HL_TRY(hl_tokens_add(tokens, text + i, hl_white_begin(text + i, 0, end - i)));
    }
    return hl_ok();
}

/* Makes BERT's five special tokens special, as far as they exist. */
static hl_status add_specials(const char *path, hl_tokens *tokens)
{
    static const char *const specials[] = { "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]" };
    for (int32_t id = 0; id < hl_tokens_count(tokens); id++) {
        for (size_t i = 0; i < sizeof specials / sizeof specials[0]; i++) {
            if (strcmp(hl_tokens_piece(tokens, id, NULL), specials[i]) == 0) {
                HL_TRY(hl_tokens_mark_added(tokens, (hl_added_token){ .id = id }));
            }
        }
    }
    HL_TRY(hl_tokens_index(tokens, path, true));
    hl_tokens_usual_roles(tokens);
    hl_tokens_set_templates(tokens, tokens->roles[HL_ROLE_CLS], tokens->roles[HL_ROLE_SEP]);
    return hl_tokens_finish(tokens, path);
}

hl_status hl_tokens_load_vocabulary(const char *path, bool lowercase, hl_tokens **out)
{
    hl_tokens *tokens = *out = hl_tokens_new(HL_TOKENS_WORDPIECE);
    HL_NEED(tokens != NULL, "tokens");
    tokens->rules.clean = tokens->rules.cjk = true;
    tokens->rules.lowercase = tokens->rules.accents = lowercase;
    char *content = NULL;
    size_t size;
    hl_status status = hl_file_read(path, HL_TOKENS_FILE_BYTES, &content, &size);
    HL_THEN(status, add_lines(path, content, size, tokens));
    HL_THEN(status, add_specials(path, tokens));
    hl_free(content);
    return hl_tokens_made(status, out);
}

static hl_status read_pieces(const char *path, json_t *root, void *context, hl_tokens **out)
{
    const bool *roberta = context;
    static const char *const specials[] = { "<s>", "</s>", "<pad>", "<unk>", "<mask>", "<|endoftext|>" };
    if (!json_is_object(root)) {
        return hl_error(HL_BAD_FILE, "%s: no object of pieces and their ids", path);
    }
    hl_tokens *tokens = *out = hl_tokens_new(HL_TOKENS_BPE);
    HL_NEED(tokens != NULL, "tokens");
    HL_TRY(hl_json_pieces(path, root, tokens));
    for (size_t i = 0; i < sizeof specials / sizeof specials[0]; i++) {
        const json_t *id = json_object_get(root, specials[i]);
        if (id != NULL) {
            bool strip = *roberta && strcmp(specials[i], "<mask>") == 0;
            HL_TRY(hl_tokens_mark_added(tokens, (hl_added_token){ .id = hl_json_id(id), .strip_left = strip }));
        }
    }
    HL_TRY(hl_tokens_index(tokens, path, false));
    hl_tokens_usual_roles(tokens);
    if (*roberta) {
        int32_t before = tokens->roles[HL_ROLE_CLS], after = tokens->roles[HL_ROLE_SEP];
        if (before < 0 || after < 0) {
            return hl_error(HL_BAD_FILE, "%s: has no piece <s> or </s>, which stand around a text of RoBERTa's", path);
        }
        hl_tokens_wrap_as_roberta(tokens, before, after);
    }
    return hl_ok();
}

static hl_status add_merges(const char *path, const char *text, size_t size, hl_tokens *tokens)
{
    if (memchr(text, '\0', size) != NULL) {
        return hl_error(HL_BAD_FILE, "%s: holds a zero byte", path);
    }
    int line = 1;
    for (size_t i = 0, end; i < size; i = end + 1, line++) {
        const char *left = text + i, *newline = memchr(left, '\n', size - i);
        end = newline != NULL ? (size_t)(newline - text) : size;
        if (strncmp(left, "#version", strlen("#version")) == 0) {
            continue;
        }
        size_t bytes = end - i - (newline != NULL && end > i && newline[-1] == '\r');
        const char *space = memchr(left, ' ', bytes), *right = space != NULL ? space + 1 : left;
        size_t l = space != NULL ? (size_t)(space - left) : 0, r = bytes - (size_t)(right - left);
        if (l == 0 || r == 0 || memchr(right, ' ', r) != NULL) {
            return hl_error(HL_BAD_FILE, "%s:%d: not two pieces with a space between them", path, line);
        }
        char place[HL_STATUS_TEXT];
        snprintf(place, sizeof place, "%s:%d", path, line);
        HL_TRY(hl_tokens_merge(tokens, place, left, l, right, r));
    }
    return hl_tokens_finish(tokens, path);
}

hl_status hl_tokens_load_merges(const char *vocabulary, const char *merges, bool roberta, hl_tokens **out)
{
    char *content = NULL;
    size_t size;
    hl_status status = hl_tokens_read_json(vocabulary, read_pieces, &roberta, out);
    HL_THEN(status, hl_file_read(merges, HL_TOKENS_FILE_BYTES, &content, &size));
    HL_THEN(status, add_merges(merges, content, size, *out));
    hl_free(content);
    return hl_tokens_made(status, out);
}

hl_status hl_tokens_of_labels(const char *const *labels, int64_t n, const char *path, hl_tokens **out)
{
    hl_tokens *tokens = *out = hl_tokens_new(HL_TOKENS_WORDS);
    hl_status status = tokens != NULL ? hl_ok() : hl_error_memory("labels");
    for (int64_t i = 0; i < n; i++) {
        HL_THEN(status, hl_tokens_add(tokens, labels[i], strlen(labels[i])));
    }
    HL_THEN(status, hl_tokens_index(tokens, path, false));
    HL_THEN(status, hl_tokens_finish(tokens, path));
    return hl_tokens_made(status, out);
}
