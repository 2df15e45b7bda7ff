#include "programs/train/data.h"

#include "core/memory.h"
#include "core/units.h"
#include "heads/head_set.h"
#include "heads/syntax_label.h"
#include "programs/open_data.h"
#include "programs/print_line.h"
#include "train/config_keys.h"
#include "train/signals.h"
#include "train/snapshot_budget.h"

#include <inttypes.h>
#include <string.h>

static hl_data_options options_of(const hl_train_call *call, hl_data_use use)
{
    return (hl_data_options){ .use = use, .folder = call->config.train.out, .beside = call->command.config.path };
}

/* The examples of patterns.file, and a line where some were cut. */
static hl_status open_written(hl_train_call *call)
{
    const hl_config *config = &call->config;
    hl_data_options options = options_of(call, HL_DATA_MAKE);
    HL_TRY(hl_setup_examples(config, &options, call->dataset, true, &call->written));
    if (call->written != NULL && hl_text_data_noticed(hl_dataset_text(call->written), HL_VALIDATION)->cut > 0) {
        hl_print_line(call->err, "%s: examples are cut to %lld pieces", hl_config_string(config, config->patterns.file),
                      (long long)config->sizes.longest);
    }
    return hl_ok();
}

static hl_status open_treebank(hl_train_call *call, hl_data_use use)
{
    hl_data_options options = options_of(call, use);
    return hl_setup_treebank(&call->config, &options, call->dataset, &call->treebank);
}

static bool is_given(const hl_train_call *call, const char *key)
{
    size_t length = strlen(key);
    bool given = false;
    for (int i = 0; i < call->command.config.n_overrides; i++) {
        const char *override = call->command.config.overrides[i];
        given = given || (strncmp(override, key, length) == 0 && strcspn(override, " \t=") == length);
    }
    return given;
}

/* A run that goes on may have been begun with a file that the command line named, and now does not: else `failed`. */
static hl_status explain_file(const hl_train_call *call, hl_status failed)
{
    static const size_t keys[] = { offsetof(hl_config, task.file), offsetof(hl_config, task.validation_file) };
    hl_config *stored = hl_malloc(sizeof *stored);
    HL_NEED(stored != NULL, "a config");
    hl_problems problems = { 0 };
    hl_status status = hl_config_load((hl_config_options){ .path = call->folder.config }, stored, &problems);
    hl_problems_free(&problems);
    for (size_t i = 0; status.code == HL_OK && i < sizeof keys / sizeof *keys; i++) {
        const hl_config_key *key = hl_config_key_at(keys[i]);
        char began[HL_CONFIG_VALUE_TEXT], now[HL_CONFIG_VALUE_TEXT];
        hl_config_write_value(key, stored, began);
        hl_config_write_value(key, &call->config, now);
        if (strcmp(began, now) != 0 && !is_given(call, key->full)) {
            failed =
                hl_error(HL_INVALID,
                         "%s: %s is not %s, with which the run in %s was begun: add %s=%s, or where that file is now",
                         call->command.config.path, key->full, began, call->folder.path, key->full, began);
        }
    }
    hl_free(stored);
    return failed;
}

hl_status hl_train_call_open_data(hl_train_call *call, hl_data_use use)
{
    bool text = hl_config_is_text(&call->config, NULL);
    if (text && call->command.mode == HL_RUN_RESUME && use == HL_DATA_MAKE) {
        HL_TRY(hl_data_take_key(&call->config, offsetof(hl_config, task.content), call->folder.config));
        use = *hl_config_string(&call->config, call->config.task.content) != '\0' ? HL_DATA_KEEP : use;
    }
    FILE *out = call->command.quiet || call->command.summary ? NULL : call->out;
    hl_text notices = { 0 };
    hl_data_options options = options_of(call, use);
    options.tokens = call->open != NULL ? hl_pretrained_tokens(call->open) : NULL;
    options.notices = out != NULL ? &notices : NULL;
    hl_status status = hl_open_data(&call->config, options, out, &call->dataset);
    HL_THEN(status, hl_print_notices(out, &notices));
    hl_text_free(&notices);
    if (status.code == HL_FAILED && hl_signals_received() != 0) {
        call->signal = hl_signals_received();
        hl_print_line(call->err, "interrupted while the data were made; the same command goes on with them");
        return hl_ok();
    }
    if (use == HL_DATA_KEEP && (status.code == HL_BAD_FILE || status.code == HL_INVALID)) {
        status = explain_file(call, status);
    }
    HL_TRY(status);
    status = open_written(call);
    HL_THEN(status, open_treebank(call, use));
    return status.code == HL_INVALID ? hl_error(HL_INVALID, "%s: %s", call->command.config.path, status.text) : status;
}

hl_status hl_train_call_follow_data(hl_train_call *call, bool opened)
{
    hl_config config = call->config;
    hl_data_options options = options_of(call, HL_DATA_FOLLOW);
    hl_pretrained *open = NULL;
    if (opened && *hl_config_string(&config, config.task.cache) != '\0') { /* which may be of this machine alone */
        HL_TRY(hl_pretrained_open(hl_config_string(&config, config.train.from), &open));
        options.tokens = hl_pretrained_tokens(open);
    }
    hl_status status = hl_setup_data(&config, &options, &call->dataset);
    hl_pretrained_close(open);
    return status;
}

hl_status hl_train_call_tell_data(hl_train_call *call, const hl_dataset *dataset, bool all)
{
    const hl_text_data *data = hl_dataset_text(dataset);
    hl_text told = { 0 };
    if (data == NULL || call->command.quiet) {
        return hl_ok();
    }
    hl_status status = all ? hl_tell_data(data, call->out, &told) : hl_data_told_shortly(data, &told);
    if (status.code == HL_FAILED && hl_signals_received() != 0) {
        call->signal = hl_signals_received();
        return hl_ok();
    }
    HL_TRY(status);
    fputs(told.bytes, call->out);
    hl_text_free(&told);
    if (call->treebank != NULL) {
        const hl_config *config = &call->config;
        hl_print_line(call->out, "treebank: %s sentences of %s; left out: %s of one word, %s of more than %s pieces",
                      HL_COUNT(hl_treebank_size(call->treebank)), hl_config_string(config, config->patterns.treebank),
                      HL_COUNT(hl_treebank_short(call->treebank)), HL_COUNT(hl_treebank_long(call->treebank)),
                      HL_COUNT(config->model.max_length));
    }
    return hl_ok();
}

hl_status hl_train_call_make_examples(hl_train_call *call, hl_examples *examples)
{
    int64_t n = hl_snapshot_budget_examples(&call->config);
    if (call->written == NULL) {
        return hl_dataset_make_examples(call->trainer.dataset, HL_VALIDATION, 0, n, examples);
    }
    int64_t there = hl_dataset_sizes(call->written)->examples[HL_VALIDATION];
    return hl_dataset_make_examples(call->written, HL_VALIDATION, 0, there < n ? there : n, examples);
}

hl_status hl_train_call_init_syntax(hl_train_call *call)
{
    if (call->treebank == NULL) {
        return hl_ok();
    }
    if (!call->records) {
        return hl_error(HL_INVALID,
                        "%s: patterns.treebank is counted at snapshots, and none is taken; raise patterns.budget_mb",
                        call->command.config.path);
    }
    hl_trainer *trainer = &call->trainer;
    int64_t rows = hl_trainer_evaluation_rows(&call->config);
    HL_TRY(hl_syntax_csv_init(&call->syntax, &trainer->model, call->treebank, rows, trainer->threads));
    call->loop.syntax = &call->syntax;
    if (call->syntax.pass.plan.bytes <= trainer->arena.capacity) {
        return hl_ok();
    }
    hl_arena_free(&trainer->arena);
    return hl_arena_init(&trainer->arena, call->syntax.pass.plan.bytes);
}

hl_status hl_train_call_open_syntax(hl_train_call *call)
{
    if (call->treebank == NULL) {
        return hl_ok();
    }
    hl_data_options options = options_of(call, HL_DATA_KEEP);
    HL_TRY(hl_data_save_treebank(&call->config, &options, call->treebank));
    return hl_syntax_csv_open(&call->syntax, call->folder.syntax);
}

hl_status hl_train_call_tell_earned(const hl_train_call *call)
{
    enum { MOST = 6 };
    if (call->treebank == NULL || call->command.quiet) {
        return hl_ok();
    }
    const hl_syntax *counts = &call->syntax.counts;
    hl_syntax_label *labels;
    int64_t *rows = hl_calloc((size_t)counts->n_relations, sizeof *rows), n = 0;
    HL_NEED(rows != NULL, "the relations of a treebank");
    int64_t n_rows = hl_syntax_rows(counts, call->treebank, HL_SYNTAX_LEAST_CASES, false, rows);
    hl_status status = hl_syntax_labels_make(counts, call->treebank, rows, n_rows, &labels);
    hl_free(rows);
    HL_TRY(status);
    for (int64_t head = 0; head < counts->n_heads; head++) {
        if (labels[head].relation >= 0 && ++n <= MOST) {
            hl_syntax_choice held_out = labels[head].held_out;
            hl_print_line(call->out, "%s finds %s (%s) in %.1f%% of %s held-out cases, the best fixed offset in %.1f%%",
                          hl_head_name_at(call->syntax.shape, head).text, labels[head].name,
                          hl_syntax_direction_name(held_out.direction), 100 * hl_syntax_share(held_out.found),
                          HL_COUNT(held_out.found.cases), 100 * hl_syntax_share(held_out.baseline));
        }
    }
    if (n == 0) {
        hl_print_line(call->out, "no head earns a relation of the treebank");
    } else if (n > MOST) {
        hl_print_line(call->out, "%" PRId64 " more heads earn a relation of the treebank", n - MOST);
    }
    hl_free(labels);
    return hl_ok();
}
