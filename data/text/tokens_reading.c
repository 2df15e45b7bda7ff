#include "data/text/private/tokens_reading.h"

#include "core/base/memory.h"
#include "core/files/files.h"

#include <string.h>

hl_status hl_tokens_read_json(const char *path, hl_tokens_read *read, void *context, hl_tokens **out)
{
    char *content;
    size_t size;
    json_t *root = NULL;
    *out = NULL;
    HL_TRY(hl_file_read(path, HL_TOKENS_JSON_BYTES, &content, &size));
    hl_status status = hl_json_parse(path, content, size, &root);
    hl_free(content);
    HL_THEN(status, read(path, root, context, out));
    json_decref(root);
    return hl_tokens_made(status, out);
}

int32_t hl_json_id(const json_t *id)
{
    json_int_t value = json_is_integer(id) ? json_integer_value(id) : INT32_MIN;
    return value >= 0 && value < HL_TOKENS_MAX ? (int32_t)value : INT32_MIN;
}

/* Writes the pieces to `names`, by their ids. */
static hl_status name_pieces(const char *path, json_t *pieces, size_t n, const char **names)
{
    for (size_t i = 0; i < json_array_size(pieces); i++) {
        names[i] = json_string_value(json_array_get(pieces, i));
        if (names[i] == NULL) {
            return hl_error(HL_BAD_FILE, "%s: piece %zu is no text", path, i);
        }
    }
    const char *name;
    json_t *value;
    json_object_foreach(pieces, name, value)
    {
        int32_t id = hl_json_id(value);
        if (id < 0 || (size_t)id >= n) {
            return hl_error(HL_BAD_FILE, "%s: the id of the piece %s is not from 0 to %zu: ids have no gaps", path,
                            name, n - 1);
        }
        if (names[id] != NULL) {
            return hl_error(HL_BAD_FILE, "%s: the id %d has two pieces, %s and %s", path, id, names[id], name);
        }
        names[id] = name;
    }
    return hl_ok();
}

hl_status hl_json_pieces(const char *path, json_t *pieces, hl_tokens *tokens)
{
    size_t n = json_is_array(pieces) ? json_array_size(pieces) : json_object_size(pieces);
    if (n > HL_TOKENS_MAX) {
        return hl_error(HL_BAD_FILE, "%s: more than %d pieces", path, HL_TOKENS_MAX);
    }
    const char **names = hl_calloc(n, sizeof *names);
    HL_NEED(names != NULL, "tokens");
    hl_status status = name_pieces(path, pieces, n, names);
    for (size_t id = 0; id < n; id++) {
        HL_THEN(status, hl_tokens_add(tokens, names[id], strlen(names[id])));
    }
    hl_free(names);
    return status;
}

void hl_tokens_usual_roles(hl_tokens *tokens)
{
    static const struct {
        const char *text;
        hl_role role;
    } usual[] = { { "[PAD]", HL_ROLE_PAD },   { "[UNK]", HL_ROLE_UNK },         { "[CLS]", HL_ROLE_CLS },
                  { "[SEP]", HL_ROLE_SEP },   { "[MASK]", HL_ROLE_MASK },       { "<pad>", HL_ROLE_PAD },
                  { "<unk>", HL_ROLE_UNK },   { "<cls>", HL_ROLE_CLS },         { "<sep>", HL_ROLE_SEP },
                  { "<mask>", HL_ROLE_MASK }, { "<begin>", HL_ROLE_BEGIN },     { "<end>", HL_ROLE_END },
                  { "<s>", HL_ROLE_CLS },     { "<s>", HL_ROLE_BEGIN },         { "</s>", HL_ROLE_SEP },
                  { "</s>", HL_ROLE_END },    { "<|endoftext|>", HL_ROLE_END }, { "<|endoftext|>", HL_ROLE_BEGIN } };
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        int32_t id = hl_tokens_find(tokens, usual[i].text, strlen(usual[i].text));
        if (hl_tokens_is_special(tokens, id) && tokens->roles[usual[i].role] < 0) {
            tokens->roles[usual[i].role] = id;
        }
    }
}

void hl_tokens_wrap_as_roberta(hl_tokens *tokens, int32_t before, int32_t after)
{
    hl_tokens_set_templates(tokens, before, after);
    tokens->pair = tokens->single;
    const int32_t second[] = { after, HL_TEXT_B, after };
    for (size_t i = 0; i < sizeof second / sizeof second[0]; i++) {
        tokens->pair.at[tokens->pair.n].id = second[i];
        tokens->pair.at[tokens->pair.n++].type = 0;
    }
}

/* ---- tokenizer.json ---- */

const char *hl_tokenizer_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

bool hl_tokenizer_is(const json_t *object, const char *type)
{
    return strcmp(hl_tokenizer_text(object, "type"), type) == 0;
}

bool hl_tokenizer_is_off(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return value == NULL || json_is_null(value) || json_is_false(value) ||
           (json_is_number(value) && json_number_value(value) == 0) ||
           (json_is_string(value) && json_string_length(value) == 0);
}

hl_status hl_tokenizer_unsupported(const char *path, const char *section, const char *what)
{
    return hl_error(HL_BAD_FILE, "%s: %s: %s is not supported", path, section,
                    what[0] != '\0' ? what : "what stands here");
}
