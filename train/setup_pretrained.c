#include "train/setup_pretrained.h"

#include "core/memory.h"
#include "data/text/tokens_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_TASKS = HL_TEXT_FILE + 1 };

/* ---- the shape ---- */

/* The shortest number that is the same float, as 1e-12 in config.ini. */
static double plain(hl_real value)
{
    char text[32];
    for (int digits = 1; digits < 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)value);
        double number = strtod(text, NULL);
        if ((hl_real)number == value) {
            return number;
        }
    }
    return (double)value;
}

/* hl_setup_model (train/setup.h) the other way. */
static hl_config_model model_of(const hl_model_config *m)
{
    hl_config_model model = {
        .layers = m->n_layers,
        .d_model = m->d_model,
        .embedding_size = m->embedding_size,
        .d_ff = m->d_ff,
        .max_length = m->max_length,
        .position_offset = m->position_offset,
        .token_types = m->token_types,
        .activation = (int)m->activation,
        .norm = (int)m->norm,
        .positions = (int)m->positions,
        .pooling = (int)m->pooling,
        .pooler = (int)m->pooler,
        .head = (int)m->head,
        .causal = m->causal,
        .bias = m->bias,
        .embedding_norm = m->embedding_norm,
        .tie_embedding = m->tie_embedding,
        .tied_bias = m->tied_bias,
        .scale_embedding = !m->unscaled_embedding,
        .scale_residual = m->scale_residual,
        .initial_std = plain(m->initial_std),
        .norm_eps = plain(m->norm_epsilon),
        .dropout = plain(m->dropout_residual),
        .dropout_attention = plain(m->dropout_attention),
        .dropout_concat = plain(m->dropout_concat),
        .dropout_residual = plain(m->dropout_residual),
        .dropout_ffn = plain(m->dropout_ffn),
        .dropout_embedding = plain(m->dropout_embedding),
        .dropout_pooler = plain(m->dropout_pooler),
        .dropout_output = plain(m->dropout_output),
    };
    size_t layers = (size_t)m->n_layers;
    memcpy(model.heads, m->heads, layers * sizeof *m->heads);
    memcpy(model.kv_heads, m->kv_heads, layers * sizeof *m->kv_heads);
    memcpy(model.d_k, m->d_k, layers * sizeof *m->d_k);
    memcpy(model.d_v, m->d_v, layers * sizeof *m->d_v);
    return model;
}

hl_status hl_setup_shape(const hl_pretrained *folder, const char *path, hl_config_shape *shape)
{
    static const hl_pretrained_head heads[TEXT_TASKS] = { [HL_TEXT_MASKED] = HL_PRETRAINED_MASKED,
                                                          [HL_TEXT_NEXT] = HL_PRETRAINED_NEXT,
                                                          [HL_TEXT_TAGS] = HL_PRETRAINED_TAGS,
                                                          [HL_TEXT_CLASSES] = HL_PRETRAINED_CLASSES,
                                                          [HL_TEXT_FILE] = HL_PRETRAINED_NONE };
    *shape = (hl_config_shape){ .path = path, .of_task = hl_calloc(TEXT_TASKS, sizeof *shape->of_task) };
    HL_NEED(shape->of_task != NULL, path);
    for (int task = 0; task < TEXT_TASKS; task++) {
        shape->of_task[task].model = model_of(hl_pretrained_model_with(folder, heads[task]));
        shape->of_task[task].tokens.kind = (int)hl_tokens_get_kind(hl_pretrained_tokens(folder));
    }
    return hl_ok();
}

void hl_setup_shape_free(hl_config_shape *shape)
{
    hl_free(shape->of_task);
    *shape = (hl_config_shape){ 0 };
}

/* ---- the folder as it is ---- */

static hl_status make_config(const hl_pretrained *folder, const char *path, hl_text_task task, hl_config *config)
{
    static const char *const names[TEXT_TASKS] = { "masked", "next", "tags", "classes", "file" };
    hl_config_shape shape;
    hl_problems problems = { 0 };
    hl_text text = { 0 };
    hl_text_print(&text, "[task]\nname = %s\n", names[task]);
    if (task == HL_TEXT_NEXT) {
        hl_text_print(&text, "length = %lld\n", (long long)hl_pretrained_model(folder)->max_length);
    }
    hl_status status = hl_setup_shape(folder, path, &shape);
    if (status.code == HL_OK) {
        shape.of_task[task].model = model_of(hl_pretrained_model(folder));
        status = hl_text_status(&text);
        hl_config_options options = { .path = path, .shape = &shape };
        HL_THEN(status, hl_config_parse(options, text.bytes, text.size, config, &problems));
    }
    hl_problems_free(&problems);
    hl_setup_shape_free(&shape);
    hl_text_free(&text);
    return status.code == HL_INVALID ? hl_error(HL_BAD_FILE, "%s", status.text) : status;
}

hl_status hl_setup_pretrained(hl_pretrained *folder, const char *path, hl_config *config, hl_dataset **out)
{
    static const hl_text_task tasks[HL_PRETRAINED_HEADS] = { [HL_PRETRAINED_NONE] = HL_TEXT_MASKED,
                                                             [HL_PRETRAINED_MASKED] = HL_TEXT_MASKED,
                                                             [HL_PRETRAINED_NEXT] = HL_TEXT_NEXT,
                                                             [HL_PRETRAINED_TAGS] = HL_TEXT_TAGS,
                                                             [HL_PRETRAINED_CLASSES] = HL_TEXT_CLASSES };
    const hl_model_config *model = hl_pretrained_model(folder);
    hl_text_task task = tasks[hl_pretrained_stored_head(folder)];
    const char *const *names;
    int64_t n_labels = hl_pretrained_labels(folder, &names);
    hl_tokens *labels = NULL;
    HL_TRY(make_config(folder, path, task, config));
    HL_TRY(n_labels > 0 ? hl_tokens_of_labels(names, n_labels, path, &labels) : hl_ok());
    hl_data_sizes sizes = { .longest = model->max_length,
                            .answers = model->max_length,
                            .n_lengths = model->max_length,
                            .types = model->token_types > 1 ? 2 : 0,
                            .words = true,
                            .pooled = task == HL_TEXT_CLASSES };
    HL_TRY(hl_dataset_of_tokens(task, hl_pretrained_take_tokens(folder), labels, sizes, out));
    config->sizes = *hl_dataset_sizes(*out);
    config->sizes.vocabulary = model->vocabulary; /* there may be rows of embeddings that no token has */
    config->sizes.targets = labels != NULL ? config->sizes.targets : model->vocabulary;
    return hl_ok();
}
