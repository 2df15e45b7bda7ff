#include "programs/train/data.h"

#include "core/base/memory.h"
#include "core/base/units.h"
#include "heads/head_set.h"
#include "heads/syntax_label.h"
#include "programs/open_data.h"
#include "programs/print_line.h"
#include "train/config_keys.h"
#include "train/signals.h"

#include <inttypes.h>
#include <string.h>

static hl_data_options options_of(const hl_config *config, const char *beside, hl_data_use use)
{
    return (hl_data_options){ .use = use, .folder = config->train.out, .beside = beside };
}

/* The examples of patterns.file, and a line where some were cut. */
static hl_status open_written(hl_train_data *data, const hl_config *config, const char *beside, FILE *err)
{
    hl_data_options options = options_of(config, beside, HL_DATA_MAKE);
    HL_TRY(hl_setup_examples(config, &options, data->dataset, true, &data->written));
    if (data->written != NULL && hl_text_data_noticed(hl_dataset_text(data->written), HL_VALIDATION)->cut > 0) {
        hl_print_line(err, "%s: examples are cut to %lld pieces", hl_config_string(config, config->patterns.file),
                      (long long)config->sizes.longest);
    }
    return hl_ok();
}

/* A run that goes on may have been begun with a file that the command line named, and now does not: else `failed`. */
static hl_status explain_file(const hl_config *config, const hl_named_config *named, const hl_run_folder *begun,
                              hl_status failed)
{
    static const size_t keys[] = { offsetof(hl_config, task.file), offsetof(hl_config, task.validation_file) };
    hl_config *stored = hl_malloc(sizeof *stored);
    HL_NEED(stored != NULL, "a config");
    hl_problems problems = { 0 };
    hl_status status = hl_config_load((hl_config_options){ .path = begun->config }, stored, &problems);
    hl_problems_free(&problems);
    for (size_t i = 0; status.code == HL_OK && i < sizeof keys / sizeof *keys; i++) {
        const hl_config_key *key = hl_config_key_at(keys[i]);
        char began[HL_CONFIG_VALUE_TEXT], now[HL_CONFIG_VALUE_TEXT];
        hl_config_write_value(key, stored, began);
        hl_config_write_value(key, config, now);
        if (strcmp(began, now) != 0 && !hl_named_config_sets(named, key->full)) {
            failed =
                hl_error(HL_INVALID,
                         "%s: %s is not %s, with which the run in %s was begun: add %s=%s, or where that file is now",
                         named->path, key->full, began, begun->path, key->full, began);
        }
    }
    hl_free(stored);
    return failed;
}

hl_status hl_train_data_open(hl_train_data *data, hl_config *config, const hl_named_config *named, hl_data_use use,
                             const hl_run_folder *begun, hl_train_shown shown, int *signal)
{
    if (begun != NULL && hl_config_is_text(config, NULL)) {
        HL_TRY(hl_data_take_key(config, offsetof(hl_config, task.content), begun->config));
        use = *hl_config_string(config, config->task.content) != '\0' ? HL_DATA_KEEP : use;
    }
    hl_text notices = { 0 };
    hl_data_options options = options_of(config, named->path, use);
    options.tokens = data->open != NULL ? hl_pretrained_tokens(data->open) : NULL;
    options.notices = shown.out != NULL ? &notices : NULL;
    hl_status status = hl_open_data(config, options, shown.out, &data->dataset);
    HL_THEN(status, hl_print_notices(shown.out, &notices));
    hl_text_free(&notices);
    if (status.code == HL_FAILED && hl_signals_received() != 0) {
        *signal = hl_signals_received();
        hl_print_line(shown.err, "interrupted while the data were made; the same command continues with them");
        return hl_ok();
    }
    if (use == HL_DATA_KEEP && (status.code == HL_BAD_FILE || status.code == HL_INVALID)) {
        status = explain_file(config, named, begun, status);
    }
    HL_TRY(status);
    options = options_of(config, named->path, use);
    status = open_written(data, config, named->path, shown.err);
    HL_THEN(status, hl_setup_treebank(config, &options, data->dataset, &data->followed));
    return status.code == HL_INVALID ? hl_error(HL_INVALID, "%s: %s", named->path, status.text) : status;
}

hl_status hl_train_data_follow(hl_train_data *data, const hl_config *config, const char *beside, bool opened)
{
    hl_config copy = *config;
    hl_data_options options = options_of(config, beside, HL_DATA_FOLLOW);
    hl_pretrained *open = NULL;
    if (opened && *hl_config_string(config, config->task.cache) != '\0') { /* which may be of this machine alone */
        HL_TRY(hl_pretrained_open(hl_config_string(config, config->train.from), &open));
        options.tokens = hl_pretrained_tokens(open);
    }
    hl_status status = hl_setup_data(&copy, &options, &data->dataset);
    hl_pretrained_close(open);
    return status;
}

hl_status hl_train_data_tell(const hl_dataset *dataset, const hl_followed *followed, const hl_config *config, bool all,
                             FILE *out, int *signal)
{
    const hl_text_data *data = hl_dataset_text(dataset);
    hl_text told = { 0 };
    if (data == NULL || out == NULL) {
        return hl_ok();
    }
    hl_status status = all ? hl_tell_data(data, out, &told) : hl_data_told_shortly(data, &told);
    if (status.code == HL_FAILED && hl_signals_received() != 0) {
        *signal = hl_signals_received();
        hl_text_free(&told);
        return hl_ok();
    }
    hl_text_fail(&told, status);
    HL_TRY(hl_print_text(out, &told));
    const hl_treebank *treebank = followed->treebank;
    if (treebank != NULL) {
        hl_print_line(out, "treebank: %s sentences of %s; left out: %s of one word, %s of more than %s pieces",
                      HL_COUNT(treebank->n_sentences), hl_config_string(config, config->patterns.treebank),
                      HL_COUNT(treebank->n_short), HL_COUNT(treebank->n_long), HL_COUNT(config->model.max_length));
    }
    if (followed->no_mentions.code != HL_OK) {
        hl_print_line(out, "coreference is not followed: %s", followed->no_mentions.text);
    }
    return hl_ok();
}

void hl_train_data_free(hl_train_data *data)
{
    hl_dataset_free(data->written); /* before the dataset, whose tokens it has */
    hl_dataset_free(data->dataset);
    hl_followed_free(&data->followed);
    hl_pretrained_close(data->open);
    *data = (hl_train_data){ 0 };
}

hl_status hl_train_syntax_init(hl_syntax_csv *syntax, const hl_followed *followed, hl_loop *loop, const char *path)
{
    if (followed->treebank == NULL) {
        return hl_ok();
    }
    if (loop->recorder == NULL) {
        return hl_error(HL_INVALID,
                        "%s: patterns.treebank is counted at snapshots, and none is taken; raise patterns.budget_mb",
                        path);
    }
    hl_trainer *trainer = loop->trainer;
    int64_t rows = hl_trainer_evaluation_rows(loop->config);
    HL_TRY(hl_syntax_csv_init(syntax, &trainer->model, followed, rows, trainer->threads));
    loop->syntax = syntax;
    if (hl_syntax_csv_arena(syntax) <= trainer->arena.capacity) {
        return hl_ok();
    }
    hl_arena_free(&trainer->arena);
    return hl_arena_init(&trainer->arena, hl_syntax_csv_arena(syntax));
}

hl_status hl_train_syntax_open(const hl_loop *loop, const char *path)
{
    if (loop->syntax == NULL) {
        return hl_ok();
    }
    hl_data_options options = options_of(loop->config, path, HL_DATA_KEEP);
    HL_TRY(hl_data_save_treebank(loop->config, &options, loop->syntax->followed->treebank));
    return hl_syntax_csv_open(loop->syntax, loop->folder->syntax);
}

hl_status hl_train_tell_earned(const hl_syntax_csv *syntax, FILE *out)
{
    enum { MOST = 6 };
    if (syntax->followed == NULL || out == NULL) {
        return hl_ok();
    }
    const hl_syntax *counts = &syntax->counts;
    hl_syntax_label *labels;
    int64_t *rows = hl_calloc((size_t)counts->n_relations, sizeof *rows), n = 0;
    HL_NEED(rows != NULL, "the relations of a treebank");
    int64_t n_rows = hl_syntax_rows(counts, syntax->followed->treebank, HL_SYNTAX_LEAST_CASES, false, rows);
    hl_status status = hl_syntax_labels_make(counts, syntax->followed->treebank, rows, n_rows, &labels);
    hl_free(rows);
    HL_TRY(status);
    for (int64_t head = 0; head < counts->n_heads; head++) {
        if (labels[head].relation >= 0 && ++n <= MOST) {
            hl_syntax_choice held_out = labels[head].held_out;
            hl_print_line(out, "%s finds %s (%s) in %.1f%% of %s held-out cases, the best fixed offset in %.1f%%",
                          hl_head_name_at(syntax->shape, head).text, labels[head].name,
                          hl_syntax_direction_name(held_out.direction), 100 * hl_syntax_share(held_out.found),
                          HL_COUNT(held_out.found.cases), 100 * hl_syntax_share(held_out.baseline));
        }
    }
    if (n == 0) {
        hl_print_line(out, "no head earns a relation of the treebank");
    } else if (n > MOST) {
        hl_print_line(out, "%" PRId64 " more heads earn a relation of the treebank", n - MOST);
    }
    hl_free(labels);
    return hl_ok();
}
