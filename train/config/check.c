/* Defaults that follow from other keys, and conditions on several keys together. */
#include "train/config/reader.h"
#include "train/holds.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Whether the key was read without a fault, so that conclusions may be drawn from it. */
#define SOUND(reader, field) (!HL_CONFIG_GIVEN(reader, field)->faulty)

/* The line to name for two keys that exclude each other: the first key's, or if that was not given, the second's. */
static int blame(const hl_config_given *first, const hl_config_given *second)
{
    return first->line != HL_CONFIG_NOWHERE && first->line != HL_CONFIG_SHAPE ? first->line : second->line;
}

hl_task_spec hl_config_task_spec(const hl_config *config)
{
    const hl_config_task *task = &config->task;
    return (hl_task_spec){ .name = hl_config_key_at(offsetof(hl_config, task.name))->choices[task->name],
                           .length = task->length,
                           .min_length = task->min_length,
                           .symbols = task->symbols,
                           .shift = task->shift,
                           .pairs = task->pairs,
                           .queries = task->queries,
                           .order = task->order };
}

/* Complains about given keys that the task does not use. */
static void check_task_keys(hl_config_reader *reader)
{
    const char *task = hl_config_task_spec(reader->config).name;
    for (int k = 0; k < hl_config_n_keys; k++) {
        int line = reader->given[k].line;
        if (line != HL_CONFIG_NOWHERE && !hl_config_key_used(&hl_config_keys[k], task)) {
            hl_config_complain(reader, line, "%s: not used by task %s", hl_config_keys[k].full, task);
        }
    }
}

/* Complains about what the task refuses: its text begins with the faulty key, whose line is named. */
static bool task_accepts(hl_config_reader *reader, const hl_task_spec *spec)
{
    hl_status status = hl_task_check(spec);
    if (status.code == HL_OK) {
        return true;
    }
    int line = HL_CONFIG_NOWHERE;
    for (int k = 0; hl_config_keys[k].section == 0; k++) {
        size_t length = strlen(hl_config_keys[k].full);
        if (strncmp(status.text, hl_config_keys[k].full, length) == 0 && status.text[length] == ' ') {
            line = reader->given[k].line;
        }
    }
    hl_config_complain(reader, line, "%s", status.text);
    return false;
}

static bool is_given(const hl_config_given *given)
{
    return given->line != HL_CONFIG_NOWHERE;
}

/* A task whose answers are the next tokens. */
static void resolve_causal(hl_config_reader *reader, const char *task)
{
    const hl_config_given *causal = HL_CONFIG_GIVEN(reader, model.causal);
    if (is_given(causal) && !reader->config->model.causal) {
        hl_config_complain(reader, causal->line,
                           "model.causal: must be true for task %s: the target of each token is the one after it",
                           task);
    }
    reader->config->model.causal = true;
}

/* Sets min_length = length if it is 0, and max_length to what the task needs; then what follows from its lengths. */
static void resolve_lengths(hl_config_reader *reader)
{
    hl_config *config = reader->config;
    if (config->task.min_length == 0) {
        config->task.min_length = config->task.length;
    }
    hl_task_spec spec = hl_config_task_spec(config);
    if (!task_accepts(reader, &spec)) {
        return;
    }
    if (hl_task_find(spec.name)->is_chain) {
        resolve_causal(reader, spec.name);
    }
    const hl_config_given *max_length = HL_CONFIG_GIVEN(reader, model.max_length);
    config->sizes = hl_task_sizes_of(&spec);
    int64_t needed = config->sizes.longest;
    if (!max_length->faulty && config->model.max_length == 0) {
        config->model.max_length = needed;
    }
    if (!max_length->faulty && config->model.max_length < needed) {
        hl_config_complain(reader, max_length->line,
                           "model.max_length: %" PRId64 " is too short, the task needs %" PRId64,
                           config->model.max_length, needed);
    }
    int64_t lengths = config->sizes.n_lengths, examples = config->train.eval_examples;
    const hl_config_given *given = HL_CONFIG_GIVEN(reader, train.eval_examples);
    if (!given->faulty && examples < lengths) {
        hl_config_complain(reader, blame(given, HL_CONFIG_GIVEN(reader, task.min_length)),
                           "train.eval_examples: %" PRId64 " is too few, the task needs %" PRId64
                           ": the validation set must hold every length from task.min_length to task.length",
                           examples, lengths);
    }
}

/* Applies what follows from a text task, and what it forbids. */
static void resolve_text(hl_config_reader *reader, hl_text_task task)
{
    hl_config *config = reader->config;
    hl_config_tokens *tokens = &config->tokens;
    const hl_config_given *length = HL_CONFIG_GIVEN(reader, task.length);
    if (!is_given(length)) {
        config->task.length = task == HL_TEXT_NEXT ? 64 : 0;
    } else if (task == HL_TEXT_NEXT && config->task.length == 0) {
        hl_config_complain(reader, length->line, "task.length: must be 1 or more, the pieces of a window");
    }
    const hl_config_given *kind = HL_CONFIG_GIVEN(reader, tokens.kind);
    if (!is_given(kind)) {
        tokens->kind = task == HL_TEXT_NEXT   ? HL_TOKENS_CHARS
                       : task == HL_TEXT_FILE ? HL_TOKENS_WORDS
                                              : HL_TOKENS_WORDPIECE;
    } else if (task == HL_TEXT_FILE && tokens->kind != HL_TOKENS_WORDS) {
        hl_config_complain(reader, kind->line,
                           "tokens.kind: must be words for task file, whose tokens stand as they are");
    }
    bool pieces = tokens->kind == HL_TOKENS_WORDPIECE || tokens->kind == HL_TOKENS_BPE;
    if (!is_given(HL_CONFIG_GIVEN(reader, tokens.size))) {
        tokens->size = pieces ? HL_CONFIG_PIECES : 0;
    }
    if (!is_given(HL_CONFIG_GIVEN(reader, tokens.min_count))) {
        tokens->min_count =
            pieces || (tokens->kind == HL_TOKENS_WORDS && task != HL_TEXT_FILE) ? HL_CONFIG_MIN_COUNT : 1;
    }
    if (config->task.prefix_space && tokens->kind != HL_TOKENS_BPE && tokens->kind != HL_TOKENS_UNIGRAM) {
        hl_config_complain(reader, HL_CONFIG_GIVEN(reader, task.prefix_space)->line,
                           "task.prefix_space = true: the tokens are of kind %s, and only bpe and unigram read spaces",
                           hl_tokens_kind_name(tokens->kind));
    }
    if (task == HL_TEXT_NEXT) {
        resolve_causal(reader, "next");
    }
    const hl_config_given *max_length = HL_CONFIG_GIVEN(reader, model.max_length);
    if (config->model.max_length == 0) {
        config->model.max_length = config->task.length; /* for sentences, it is known when the data are opened */
    } else if (config->model.max_length < config->task.length) {
        hl_config_complain(reader, max_length->line,
                           "model.max_length: %" PRId64 " is too short, the task needs %" PRId64,
                           config->model.max_length, config->task.length);
    }
    const hl_config_given *treebank = HL_CONFIG_GIVEN(reader, patterns.treebank);
    if (config->patterns.treebank != 0 && config->patterns.examples == 0) {
        hl_config_complain(reader, treebank->line,
                           "patterns.treebank: is counted at snapshots, and patterns.examples = 0 takes none");
    }
    const hl_config_given *window = HL_CONFIG_GIVEN(reader, train.length_window);
    if (SOUND(reader, train.batch_size) && config->train.length_window % config->train.batch_size != 0) {
        hl_config_complain(reader, window->line,
                           "train.length_window: %" PRId64 " is no multiple of train.batch_size, %" PRId64,
                           config->train.length_window, config->train.batch_size);
    }
}

/* One number serves every layer; otherwise there must be one per layer. Numbers of missing layers become 0. */
static void spread_over_layers(hl_config_reader *reader)
{
    int64_t layers = reader->config->model.n_layers;
    for (int k = 0; k < hl_config_n_keys; k++) {
        const hl_config_key *key = &hl_config_keys[k];
        hl_config_given *given = &reader->given[k];
        if (key->type != HL_CONFIG_PER_LAYER || given->faulty) {
            continue;
        }
        int32_t *values = (int32_t *)(void *)((char *)reader->config + key->offset);
        for (int64_t l = 1; l < layers && given->count == 1; l++) {
            values[l] = values[0];
        }
        if (given->count != 1 && given->count != layers) {
            given->faulty = true;
            hl_config_complain(reader, given->line,
                               "%s: %d numbers for %" PRId64 " layer%s: give one, or one per layer", key->full,
                               given->count, layers, layers == 1 ? "" : "s");
        }
    }
}

/* kv_heads = heads if it is 0; otherwise it must divide them. */
static void resolve_kv_heads(hl_config_reader *reader)
{
    hl_model_config *model = &reader->config->model;
    const hl_config_given *given = HL_CONFIG_GIVEN(reader, model.kv_heads);
    if (given->faulty || !SOUND(reader, model.heads)) {
        return;
    }
    for (int64_t l = 0; l < model->n_layers; l++) {
        if (model->kv_heads[l] == 0) {
            model->kv_heads[l] = model->heads[l];
        }
        if (model->heads[l] % model->kv_heads[l] != 0) {
            hl_config_complain(reader, given->line,
                               "model.kv_heads: %" PRId32 " does not divide heads, %" PRId32 ", in layer %" PRId64,
                               model->kv_heads[l], model->heads[l], l);
            return;
        }
    }
}

/* d_k and d_v = d_model / heads if they are 0. */
static void resolve_head_widths(hl_config_reader *reader)
{
    hl_model_config *model = &reader->config->model;
    const hl_config_given *heads = HL_CONFIG_GIVEN(reader, model.heads);
    const hl_config_given *d_model = HL_CONFIG_GIVEN(reader, model.d_model);
    if (heads->faulty || d_model->faulty || !SOUND(reader, model.d_k) || !SOUND(reader, model.d_v)) {
        return;
    }
    for (int64_t l = 0; l < model->n_layers; l++) {
        if ((model->d_k[l] == 0 || model->d_v[l] == 0) && model->d_model % model->heads[l] != 0) {
            const char *missing = model->d_k[l] != 0 ? "d_v" : model->d_v[l] != 0 ? "d_k" : "d_k and d_v";
            hl_config_complain(reader, blame(heads, d_model),
                               "model.heads: d_model, %" PRId64 ", cannot be divided by %" PRId32 " in layer %" PRId64
                               ": change one of them or give %s",
                               model->d_model, model->heads[l], l, missing);
            return;
        }
        int32_t width = (int32_t)(model->d_model / model->heads[l]);
        model->d_k[l] = model->d_k[l] != 0 ? model->d_k[l] : width;
        model->d_v[l] = model->d_v[l] != 0 ? model->d_v[l] : width;
    }
}

static void resolve_model(hl_config_reader *reader)
{
    hl_model_config *model = &reader->config->model;
    if (SOUND(reader, model.n_layers)) {
        spread_over_layers(reader);
        resolve_kv_heads(reader);
        resolve_head_widths(reader);
    }
    if (model->d_ff == 0) {
        model->d_ff = 4 * model->d_model;
    }
    if (HL_CONFIG_GIVEN(reader, model.dropout_attention)->line == HL_CONFIG_NOWHERE) {
        model->dropout_attention = reader->config->dropout;
    }
    if (HL_CONFIG_GIVEN(reader, model.dropout_residual)->line == HL_CONFIG_NOWHERE) {
        model->dropout_residual = reader->config->dropout;
    }
    if (HL_CONFIG_GIVEN(reader, model.dropout_ffn)->line == HL_CONFIG_NOWHERE) {
        model->dropout_ffn = reader->config->dropout;
    }
}

/* Checks keys that exclude each other, before and after the encoder. */
static void check_ends(hl_config_reader *reader)
{
    const hl_model_config *m = &reader->config->model;
    hl_text_task task;
    bool classes = hl_config_is_text(reader->config, &task) && task == HL_TEXT_CLASSES;
    const hl_config_given *tied = HL_CONFIG_GIVEN(reader, model.tie_embedding);
    const hl_config_given *head = HL_CONFIG_GIVEN(reader, model.head), *pooler = HL_CONFIG_GIVEN(reader, model.pooler);
    const struct {
        bool wrong;
        const hl_config_given *first, *second; /* the first one names the line, or if it was not given, the second */
        const char *text;
    } rows[] = {
        { hl_model_config_breaks(m, HL_RULE_TIED_BIAS_UNTIED), HL_CONFIG_GIVEN(reader, model.tied_bias), tied,
          "model.tied_bias: nothing is tied: leave it out (model.bias says whether the output layer has one) or set "
          "model.tie_embedding = true" },
        { hl_model_config_breaks(m, HL_RULE_TIED_BIAS_TRANSFORM), HL_CONFIG_GIVEN(reader, model.tied_bias), head,
          "model.tied_bias: leave it out: with model.head = transform model.bias says whether there is one" },
        { hl_model_config_breaks(m, HL_RULE_OFFSET_UNLEARNED), HL_CONFIG_GIVEN(reader, model.position_offset),
          HL_CONFIG_GIVEN(reader, model.positions),
          "model.position_offset: only learned positions stand in a table: leave it out or set model.positions = "
          "learned" },
        { hl_model_config_breaks(m, HL_RULE_TIE_WIDTHS), tied, HL_CONFIG_GIVEN(reader, model.embedding_size),
          "model.tie_embedding: the embedding's matrix is model.embedding_size wide, but the output layer reads "
          "model.d_model numbers: leave it out or set model.head = transform, which maps the one to the other" },
        { m->pooler != HL_POOLER_NONE && !classes, pooler, HL_CONFIG_GIVEN(reader, task.name),
          "model.pooler: is for task classes, which answers for a whole text: leave it out" },
        { hl_model_config_breaks(m, HL_RULE_DROPOUT_WITHOUT_POOLER), HL_CONFIG_GIVEN(reader, model.dropout_pooler),
          pooler, "model.dropout_pooler: there is no pooler: leave it out or set model.pooler" },
        { hl_model_config_breaks(m, HL_RULE_TIE_WITHOUT_OUTPUT), tied, head,
          "model.tie_embedding: model.head = none leaves no output layer: leave one of them out" },
        { hl_model_config_breaks(m, HL_RULE_POOLER_WITHOUT_OUTPUT), pooler, head,
          "model.pooler: model.head = none leaves no output layer: leave one of them out" },
        { hl_model_config_breaks(m, HL_RULE_DROPOUT_WITHOUT_OUTPUT), HL_CONFIG_GIVEN(reader, model.dropout_output),
          head, "model.dropout_output: model.head = none leaves no output layer: leave one of them out" },
        { hl_model_config_breaks(m, HL_RULE_FIRST_NORM_POST), HL_CONFIG_GIVEN(reader, model.lacks_first_norm),
          HL_CONFIG_GIVEN(reader, model.norm),
          "model.first_norm: only a model with model.norm = pre can lack the first norm: leave it out" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].wrong && !rows[i].first->faulty && !rows[i].second->faulty) {
            hl_config_complain(reader, blame(rows[i].first, rows[i].second), "%s", rows[i].text);
        }
    }
}

static void check_min_rate(hl_config_reader *reader)
{
    const hl_config_optimizer *optimizer = &reader->config->optimizer;
    const hl_config_given *least = HL_CONFIG_GIVEN(reader, optimizer.min_rate);
    const hl_config_given *rate = HL_CONFIG_GIVEN(reader, optimizer.learning_rate);
    if (!least->faulty && !rate->faulty && optimizer->min_rate > optimizer->learning_rate) {
        hl_config_complain(reader, blame(least, rate), "optimizer.min_rate: %g is above optimizer.learning_rate, %g",
                           optimizer->min_rate, optimizer->learning_rate);
    }
}

static void check_accumulate(hl_config_reader *reader)
{
    int64_t parts = reader->config->optimizer.accumulate, leaves = reader->config->train.leaves;
    const hl_config_given *accumulate = HL_CONFIG_GIVEN(reader, optimizer.accumulate);
    const hl_config_given *given = HL_CONFIG_GIVEN(reader, train.leaves);
    int64_t batch_size = reader->config->train.batch_size;
    if (!given->faulty && leaves > 1) {
        if (!accumulate->faulty && SOUND(reader, train.batch_size) && batch_size % (leaves * parts) != 0) {
            hl_config_complain(reader, blame(given, accumulate),
                               "train.leaves: %" PRId64 " times optimizer.accumulate, %" PRId64
                               ", does not divide train.batch_size, %" PRId64,
                               leaves, parts, batch_size);
        }
        return;
    }
    if (!accumulate->faulty && SOUND(reader, train.batch_size) && batch_size % parts != 0) {
        hl_config_complain(reader, accumulate->line,
                           "optimizer.accumulate: %" PRId64 " does not divide train.batch_size, %" PRId64, parts,
                           batch_size);
    }
}

/* A list of heads and steps names heads that the model has. */
static void check_holds(hl_config_reader *reader, const hl_config_given *given, const char *key,
                        hl_config_string_at text)
{
    hl_holds holds;
    if (given->faulty || !SOUND(reader, model.heads) || !SOUND(reader, model.n_layers)) {
        return;
    }
    hl_status status = hl_holds_parse(&reader->config->model, hl_config_string(reader->config, text), &holds);
    if (status.code != HL_OK) {
        hl_config_complain(reader, given->line, "%s: %s", key, status.text);
    }
}

void hl_config_resolve_out(hl_config_reader *reader)
{
    if (reader->config->train.out[0] != '\0' || !SOUND(reader, train.out)) {
        return;
    }
    const char *slash = strrchr(reader->path, '/');
    const char *name = slash != NULL ? slash + 1 : reader->path;
    const char *dot = strrchr(name, '.');
    int length = dot != NULL ? (int)(dot - name) : (int)strlen(name);
    char path[HL_CONFIG_MAX_PATH + 1];
    snprintf(path, sizeof path, "runs/%.*s", length, name);
    char wrong[HL_CONFIG_WRONG_TEXT];
    int count;
    const hl_config_key *out = hl_config_key_at(offsetof(hl_config, train.out));
    bool valid = length > 0 && *name != '.' && strcmp(name, "-") != 0 &&
                 hl_config_read_value(out, path, reader->config, &count, wrong);
    if (!valid) {
        reader->config->train.out[0] = '\0';
    }
}

void hl_config_resolve(hl_config_reader *reader)
{
    if (reader->unclear) {
        return;
    }
    if (SOUND(reader, task.name)) {
        check_task_keys(reader);
    }
    bool task_is_sound = true;
    for (int k = 0; hl_config_keys[k].section == 0; k++) {
        task_is_sound = task_is_sound && !reader->given[k].faulty;
    }
    hl_text_task text;
    if (hl_config_is_text(reader->config, &text)) {
        resolve_text(reader, text);
    } else if (task_is_sound) {
        resolve_lengths(reader);
    }
    resolve_model(reader);
    check_ends(reader);
    check_min_rate(reader);
    check_accumulate(reader);
    check_holds(reader, HL_CONFIG_GIVEN(reader, train.off), "train.off", reader->config->train.off);
    check_holds(reader, HL_CONFIG_GIVEN(reader, train.frozen), "train.frozen", reader->config->train.frozen);
}
