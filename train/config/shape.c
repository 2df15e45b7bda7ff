/* Keys of a config whose model and tokens already exist. */
#include "train/config/reader.h"

#include <string.h>

/* The shape's config for the task; NULL: it is not a text task. */
static const hl_config *shape_of(const hl_config_reader *reader)
{
    hl_text_task task;
    return hl_config_is_text(reader->config, &task) ? &reader->shape->of_task[task] : NULL;
}

/* Whether the shape has a value for it. */
static bool is_known(const hl_config_key *key)
{
    return strncmp(key->full, "model.", strlen("model.")) == 0 || strcmp(key->full, "tokens.kind") == 0 ||
           strcmp(key->full, "train.from") == 0;
}

/* Whether its default follows from a key that was given: model.dropout, heads, which are reported themselves, or head =
 * none, with which nothing can be tied, pooled or dropped. */
static bool follows(hl_config_reader *reader, const hl_config_key *key)
{
    bool bare = reader->config->model.head == HL_HEAD_NONE;
    const struct {
        const char *name;
        size_t from;
        bool holds;
    } rows[] = {
        { "dropout_attention", HL_CONFIG_AT(dropout), true }, { "dropout_residual", HL_CONFIG_AT(dropout), true },
        { "kv_heads", HL_CONFIG_AT(model.heads), true },      { "d_k", HL_CONFIG_AT(model.heads), true },
        { "d_v", HL_CONFIG_AT(model.heads), true },           { "tie_embedding", HL_CONFIG_AT(model.head), bare },
        { "pooler", HL_CONFIG_AT(model.head), bare },         { "dropout_pooler", HL_CONFIG_AT(model.head), bare },
        { "dropout_output", HL_CONFIG_AT(model.head), bare },
    };
    bool found = false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const hl_config_given *from = hl_config_given_at(reader, rows[i].from);
        bool given = from->line != HL_CONFIG_NOWHERE && from->line != HL_CONFIG_SHAPE;
        found = found || (given && rows[i].holds && strcmp(key->name, rows[i].name) == 0);
    }
    return found;
}

void hl_config_take_shape(hl_config_reader *reader)
{
    const hl_config *shape = shape_of(reader);
    for (int k = 0; k < hl_config_n_keys && shape != NULL; k++) {
        const hl_config_key *key = &hl_config_keys[k];
        hl_config_given *given = &reader->given[k];
        if (is_known(key) && given->line == HL_CONFIG_NOWHERE && !follows(reader, key)) {
            char wrong[HL_CONFIG_WRONG_TEXT];
            given->line = HL_CONFIG_SHAPE;
            if (!hl_config_copy_value(key, shape, reader->config, wrong)) {
                given->faulty = true;
                hl_config_complain(reader, HL_CONFIG_SHAPE, "%s: %s", key->full, wrong);
            }
        }
    }
}

void hl_config_check_shape(hl_config_reader *reader)
{
    const hl_config *shape = shape_of(reader);
    if (shape == NULL) {
        hl_config_complain(reader, hl_config_given_at(reader, HL_CONFIG_AT(task.name))->line,
                           "task.name: the model of %s reads text: set masked, next, tags or classes",
                           reader->shape->path);
        return;
    }
    for (int k = 0; k < hl_config_n_keys; k++) {
        const hl_config_key *key = &hl_config_keys[k];
        int line = reader->given[k].line;
        bool given = line != HL_CONFIG_NOWHERE && line != HL_CONFIG_SHAPE;
        bool of_tokens = strncmp(key->full, "tokens.", strlen("tokens.")) == 0 && !is_known(key);
        char ours[HL_CONFIG_VALUE_TEXT], theirs[HL_CONFIG_VALUE_TEXT];
        bool free = key->free || (key->of_heads && reader->config->train.weights != 0);
        if (given && (of_tokens || is_known(key)) && !free) {
            hl_config_write_value(key, reader->config, ours);
            hl_config_write_value(key, shape, theirs);
            bool shorter = key->offset == HL_CONFIG_AT(model.max_length) &&
                           reader->config->model.max_length < shape->model.max_length;
            if (of_tokens && strcmp(ours, theirs) != 0) {
                hl_config_complain(reader, line, "%s: the tokens are those of %s: leave it out", key->full,
                                   reader->shape->path);
            } else if (strcmp(ours, theirs) != 0 && !shorter) {
                hl_config_complain(reader, line, "%s: %s, and the model of %s has %s: leave it out", key->full, ours,
                                   reader->shape->path, theirs);
            }
        }
    }
}
