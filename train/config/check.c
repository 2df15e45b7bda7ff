/* Defaults that follow from other keys, and conditions on several keys together. */
#include "train/config/reader.h"
#include "train/holds.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define AT HL_CONFIG_AT

/* Whether the key was read without a fault, so that conclusions may be drawn from it. */
static bool is_sound(hl_config_reader *reader, size_t key)
{
    return !hl_config_given_at(reader, key)->faulty;
}

static bool is_given(hl_config_reader *reader, size_t key)
{
    return hl_config_given_at(reader, key)->line != HL_CONFIG_NOWHERE;
}

hl_task_spec hl_config_task_spec(const hl_config *config)
{
    const hl_config_task *task = &config->task;
    return (hl_task_spec){ .name = hl_config_key_at(AT(task.name))->choices[task->name],
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

/* A task whose answers are the next tokens. */
static void resolve_causal(hl_config_reader *reader, const char *task)
{
    if (is_given(reader, AT(model.causal)) && !reader->config->model.causal) {
        hl_config_complain_of(reader, AT(model.causal), AT(model.causal),
                              "model.causal: must be true for task %s: the target of each token is the one after it",
                              task);
    }
    reader->config->model.causal = true;
}

/* max_length = what the task needs if it is 0; otherwise it must be as long. */
static void resolve_max_length(hl_config_reader *reader, int64_t needed)
{
    int64_t *most = &reader->config->model.max_length;
    if (*most == 0) {
        *most = needed;
    } else if (*most < needed) {
        hl_config_complain_of(reader, AT(model.max_length), AT(model.max_length),
                              "model.max_length: %" PRId64 " is too short, the task needs %" PRId64, *most, needed);
    }
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
    config->sizes = hl_task_sizes_of(&spec);
    resolve_max_length(reader, config->sizes.longest);
    int64_t lengths = config->sizes.n_lengths, examples = config->train.eval_examples;
    if (examples < lengths) {
        hl_config_complain_of(reader, AT(train.eval_examples), AT(task.min_length),
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
    if (!is_given(reader, AT(task.length))) {
        config->task.length = task == HL_TEXT_NEXT ? 64 : 0;
    } else if (task == HL_TEXT_NEXT && config->task.length == 0) {
        hl_config_complain_of(reader, AT(task.length), AT(task.length),
                              "task.length: must be 1 or more, the pieces of a window");
    }
    if (!is_given(reader, AT(tokens.kind))) {
        tokens->kind = task == HL_TEXT_NEXT   ? HL_TOKENS_CHARS
                       : task == HL_TEXT_FILE ? HL_TOKENS_WORDS
                                              : HL_TOKENS_WORDPIECE;
    } else if (task == HL_TEXT_FILE && tokens->kind != HL_TOKENS_WORDS) {
        hl_config_complain_of(reader, AT(tokens.kind), AT(tokens.kind),
                              "tokens.kind: must be words for task file, whose tokens stand as they are");
    }
    bool pieces = tokens->kind == HL_TOKENS_WORDPIECE || tokens->kind == HL_TOKENS_BPE;
    if (!is_given(reader, AT(tokens.size))) {
        tokens->size = pieces ? HL_CONFIG_PIECES : 0;
    }
    if (!is_given(reader, AT(tokens.min_count))) {
        tokens->min_count =
            pieces || (tokens->kind == HL_TOKENS_WORDS && task != HL_TEXT_FILE) ? HL_CONFIG_MIN_COUNT : 1;
    }
    if (config->task.prefix_space && tokens->kind != HL_TOKENS_BPE && tokens->kind != HL_TOKENS_UNIGRAM) {
        hl_config_complain_of(
            reader, AT(task.prefix_space), AT(tokens.kind),
            "task.prefix_space = true: the tokens are of kind %s, and only bpe and unigram read spaces",
            hl_tokens_kind_name(tokens->kind));
    }
    if (task == HL_TEXT_NEXT) {
        resolve_causal(reader, "next");
    }
    resolve_max_length(reader, config->task.length); /* for sentences 0: it is known when the data are opened */
    if (config->patterns.treebank != 0 && config->patterns.examples == 0) {
        hl_config_complain_of(reader, AT(patterns.treebank), AT(patterns.examples),
                              "patterns.treebank: is counted at snapshots, and patterns.examples = 0 takes none");
    }
    if (config->train.length_window % config->train.batch_size != 0) {
        hl_config_complain_of(reader, AT(train.length_window), AT(train.batch_size),
                              "train.length_window: %" PRId64 " is no multiple of train.batch_size, %" PRId64,
                              config->train.length_window, config->train.batch_size);
    }
}

/* One number serves every layer; otherwise there must be one per layer. Numbers of missing layers become 0. */
static void spread_over_layers(hl_config_reader *reader)
{
    int layers = reader->config->model.n_layers;
    for (int k = 0; k < hl_config_n_keys; k++) {
        const hl_config_key *key = &hl_config_keys[k];
        if (key->type != HL_CONFIG_PER_LAYER || reader->given[k].faulty) {
            continue;
        }
        int32_t *values = (int32_t *)(void *)((char *)reader->config + key->offset);
        int n = 0;
        while (n < HL_MAX_LAYERS && values[n] != HL_CONFIG_NO_NUMBER) {
            n++;
        }
        if (n != 1 && n != layers) {
            reader->given[k].faulty = true;
            hl_config_complain(reader, reader->given[k].line,
                               "%s: %d numbers for %d layer%s: give one, or one per layer", key->full, n, layers,
                               layers == 1 ? "" : "s");
        }
        for (int l = n == 1 ? 1 : layers; l < HL_MAX_LAYERS; l++) {
            values[l] = l < layers ? values[0] : 0;
        }
    }
}

/* kv_heads = heads if it is 0; otherwise it must divide them. */
static void resolve_kv_heads(hl_config_reader *reader)
{
    hl_model_config *model = &reader->config->model;
    if (!is_sound(reader, AT(model.kv_heads)) || !is_sound(reader, AT(model.heads))) {
        return;
    }
    for (int l = 0; l < model->n_layers; l++) {
        if (model->kv_heads[l] == 0) {
            model->kv_heads[l] = model->heads[l];
        }
        if (model->heads[l] % model->kv_heads[l] != 0) {
            hl_config_complain_of(reader, AT(model.kv_heads), AT(model.kv_heads),
                                  "model.kv_heads: %" PRId32 " does not divide heads, %" PRId32 ", in layer %d",
                                  model->kv_heads[l], model->heads[l], l);
            return;
        }
    }
}

/* d_k and d_v = d_model / heads if they are 0. */
static void resolve_head_widths(hl_config_reader *reader)
{
    hl_model_config *model = &reader->config->model;
    if (!is_sound(reader, AT(model.heads)) || !is_sound(reader, AT(model.d_model)) ||
        !is_sound(reader, AT(model.d_k)) || !is_sound(reader, AT(model.d_v))) {
        return;
    }
    for (int l = 0; l < model->n_layers; l++) {
        if ((model->d_k[l] == 0 || model->d_v[l] == 0) && model->d_model % model->heads[l] != 0) {
            const char *missing = model->d_k[l] != 0 ? "d_v" : model->d_v[l] != 0 ? "d_k" : "d_k and d_v";
            hl_config_complain_of(reader, AT(model.heads), AT(model.d_model),
                                  "model.heads: d_model, %" PRId64 ", cannot be divided by %" PRId32
                                  " in layer %d: change one of them or give %s",
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
    static const size_t follow_dropout[] = { AT(model.dropout_attention), AT(model.dropout_residual),
                                             AT(model.dropout_ffn) };
    hl_model_config *model = &reader->config->model;
    if (is_sound(reader, AT(model.n_layers))) {
        spread_over_layers(reader);
        resolve_kv_heads(reader);
        resolve_head_widths(reader);
    }
    if (model->d_ff == 0) {
        model->d_ff = 4 * model->d_model;
    }
    for (int i = 0; i < 3; i++) {
        if (!is_given(reader, follow_dropout[i])) {
            *(double *)(void *)((char *)reader->config + follow_dropout[i]) = reader->config->dropout;
        }
    }
}

/* Checks keys that exclude each other, before and after the encoder. */
static void check_ends(hl_config_reader *reader)
{
    const hl_model_config *m = &reader->config->model;
    hl_text_task task;
    bool classes = hl_config_is_text(reader->config, &task) && task == HL_TEXT_CLASSES;
    const struct {
        bool wrong;
        size_t key, with;
        const char *text;
    } rows[] = {
        { hl_model_config_breaks(m, HL_RULE_TIED_BIAS_UNTIED), AT(model.tied_bias), AT(model.tie_embedding),
          "model.tied_bias: nothing is tied: leave it out (model.bias says whether the output layer has one) or set "
          "model.tie_embedding = true" },
        { hl_model_config_breaks(m, HL_RULE_TIED_BIAS_TRANSFORM), AT(model.tied_bias), AT(model.head),
          "model.tied_bias: leave it out: with model.head = transform model.bias says whether there is one" },
        { hl_model_config_breaks(m, HL_RULE_OFFSET_UNLEARNED), AT(model.position_offset), AT(model.positions),
          "model.position_offset: only learned positions stand in a table: leave it out or set model.positions = "
          "learned" },
        { hl_model_config_breaks(m, HL_RULE_TIE_WIDTHS), AT(model.tie_embedding), AT(model.embedding_size),
          "model.tie_embedding: the embedding's matrix is model.embedding_size wide, but the output layer reads "
          "model.d_model numbers: leave it out or set model.head = transform, which maps the one to the other" },
        { m->pooler != HL_POOLER_NONE && !classes, AT(model.pooler), AT(task.name),
          "model.pooler: is for task classes, which answers for a whole text: leave it out" },
        { hl_model_config_breaks(m, HL_RULE_DROPOUT_WITHOUT_POOLER), AT(model.dropout_pooler), AT(model.pooler),
          "model.dropout_pooler: there is no pooler: leave it out or set model.pooler" },
        { hl_model_config_breaks(m, HL_RULE_TIE_WITHOUT_OUTPUT), AT(model.tie_embedding), AT(model.head),
          "model.tie_embedding: model.head = none leaves no output layer: leave one of them out" },
        { hl_model_config_breaks(m, HL_RULE_POOLER_WITHOUT_OUTPUT), AT(model.pooler), AT(model.head),
          "model.pooler: model.head = none leaves no output layer: leave one of them out" },
        { hl_model_config_breaks(m, HL_RULE_DROPOUT_WITHOUT_OUTPUT), AT(model.dropout_output), AT(model.head),
          "model.dropout_output: model.head = none leaves no output layer: leave one of them out" },
        { hl_model_config_breaks(m, HL_RULE_FIRST_NORM_POST), AT(model.lacks_first_norm), AT(model.norm),
          "model.first_norm: only a model with model.norm = pre can lack the first norm: leave it out" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].wrong) {
            hl_config_complain_of(reader, rows[i].key, rows[i].with, "%s", rows[i].text);
        }
    }
}

static void check_rates(hl_config_reader *reader)
{
    const hl_schedule *schedule = &reader->config->optimizer.schedule;
    if (schedule->min_rate > schedule->learning_rate) {
        hl_config_complain_of(reader, AT(optimizer.schedule.min_rate), AT(optimizer.schedule.learning_rate),
                              "optimizer.min_rate: %g is above optimizer.learning_rate, %g", schedule->min_rate,
                              schedule->learning_rate);
    }
}

static void check_accumulate(hl_config_reader *reader)
{
    int64_t parts = reader->config->optimizer.accumulate;
    int64_t leaves = is_sound(reader, AT(train.leaves)) ? reader->config->train.leaves : 1;
    int64_t batch_size = reader->config->train.batch_size;
    if (batch_size % (leaves * parts) == 0) {
        return;
    }
    if (leaves == 1) {
        hl_config_complain_of(reader, AT(optimizer.accumulate), AT(train.batch_size),
                              "optimizer.accumulate: %" PRId64 " does not divide train.batch_size, %" PRId64, parts,
                              batch_size);
    } else if (is_sound(reader, AT(optimizer.accumulate))) {
        hl_config_complain_of(reader, AT(train.leaves), AT(train.batch_size),
                              "train.leaves: %" PRId64 " times optimizer.accumulate, %" PRId64
                              ", does not divide train.batch_size, %" PRId64,
                              leaves, parts, batch_size);
    }
}

/* A list of heads and steps names heads that the model has. */
static void check_holds(hl_config_reader *reader, size_t key, hl_config_string_at text)
{
    hl_holds holds;
    if (is_sound(reader, AT(model.heads)) && is_sound(reader, AT(model.n_layers))) {
        hl_status status = hl_holds_parse(&reader->config->model, hl_config_string(reader->config, text), &holds);
        if (status.code != HL_OK) {
            hl_config_complain_of(reader, key, key, "%s: %s", hl_config_key_at(key)->full, status.text);
        }
    }
}

void hl_config_resolve_out(hl_config_reader *reader)
{
    if (reader->config->train.out[0] != '\0' || !is_sound(reader, AT(train.out))) {
        return;
    }
    const char *slash = strrchr(reader->path, '/');
    const char *name = slash != NULL ? slash + 1 : reader->path;
    const char *dot = strrchr(name, '.');
    int length = dot != NULL ? (int)(dot - name) : (int)strlen(name);
    char path[HL_CONFIG_MAX_PATH + 1];
    snprintf(path, sizeof path, "runs/%.*s", length, name);
    char wrong[HL_CONFIG_WRONG_TEXT];
    if (length > 0 && *name != '.' && strcmp(name, "-") != 0) {
        hl_config_read_value(hl_config_key_at(AT(train.out)), path, reader->config, wrong); /* "" if it is too long */
    }
}

void hl_config_resolve(hl_config_reader *reader)
{
    if (reader->unclear) {
        return;
    }
    if (is_sound(reader, AT(task.name))) {
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
    check_rates(reader);
    check_accumulate(reader);
    check_holds(reader, AT(train.off), reader->config->train.off);
    check_holds(reader, AT(train.frozen), reader->config->train.frozen);
}
