#include "train/tensorboard.h"

#include "core/base/memory.h"
#include "core/files/files.h"
#include "core/files/folders.h"
#include "heads/catalogue.h"
#include "heads/head_set.h"
#include "heads/label.h"
#include "show/picture.h"
#include "train/config_keys.h"
#include "train/private/events.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

enum { TAG_BYTES = 256, DPI = 72, MOST_BYTES = 1 << 30 };

/* ---- where a run goes on ---- */

hl_status hl_tensorboard_drop_after(const char *path, int64_t step, int64_t *begin)
{
    char *bytes;
    size_t size, kept = 0;
    *begin = 0;
    HL_TRY(hl_file_read_if_there(path, MOST_BYTES, &bytes, &size));
    if (bytes == NULL) {
        return hl_ok();
    }
    int64_t its;
    for (size_t n; (n = hl_event_read(bytes + kept, size - kept, &its)) > 0 && its <= step && its >= *begin - 1;) {
        kept += n;
        *begin = its + 1;
    }
    hl_free(bytes);
    if (kept == 0) {
        return hl_file_remove(path);
    }
    return kept < size ? hl_file_cut(path, kept) : hl_ok();
}

/* ---- writing ---- */

static double seconds_now(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct tag {
    char text[TAG_BYTES];
} tag;

/* Such as "heads.best/L0H3": TensorBoard groups tags with the same words before the slash. */
static tag tag_of(const char *before, const char *name, const char *of)
{
    tag made;
    snprintf(made.text, sizeof made.text, "%s%s/%s", before, name, of);
    return made;
}

/* Appends the values made so far, as an event. */
static hl_status append(hl_tensorboard *board, int64_t step)
{
    hl_event_record(&board->record, seconds_now(), step, &board->values);
    HL_TRY(hl_text_status(&board->record));
    hl_status status = hl_file_write_bytes(board->fd, board->path, board->record.bytes, board->record.size);
    board->values.size = board->record.size = 0;
    return status;
}

/* Appends the beginning of the file. */
static hl_status append_config(hl_tensorboard *board, const hl_config *config)
{
    hl_text markdown = { 0 }, settings = { 0 };
    char *text = hl_config_result_text(config), value[HL_CONFIG_VALUE_TEXT];
    HL_NEED(text != NULL, "the config");
    hl_text_print(&markdown, "```\n%s```\n", text);
    hl_free(text);
    hl_event_markdown(&board->values, "config", &markdown);
    hl_text_free(&markdown);
    for (int k = 0; k < hl_config_n_keys; k++) {
        const hl_config_key *key = &hl_config_keys[k];
        if (!key->may_change && hl_config_key_used(key, hl_config_task_spec(config).name)) {
            hl_config_write_value(key, config, value);
            hl_event_setting(&settings, key->full, value);
        }
    }
    hl_event_settings(&board->values, &settings);
    hl_text_free(&settings);
    hl_event_record(&board->record, seconds_now(), 0, NULL);
    return append(board, 0);
}

static hl_status append_rows(hl_tensorboard *board, const char *metrics)
{
    char *text;
    size_t size;
    hl_metrics_rows rows;
    hl_metrics_row row;
    bool there = true;
    HL_TRY(hl_file_read(metrics, HL_METRICS_MAX_BYTES, &text, &size));
    hl_status status = hl_metrics_rows_begin(&rows, metrics, text, size);
    while (status.code == HL_OK && there) {
        status = hl_metrics_rows_next(&rows, &row, &there);
        if (status.code == HL_OK && there && row.step >= board->begin) {
            status = hl_tensorboard_row(board, &row);
        }
    }
    hl_free(text);
    return status;
}

hl_status hl_tensorboard_open(hl_tensorboard *board, const hl_run_folder *folder, const hl_config *config,
                              const hl_dataset *dataset, const hl_recorder *recorder)
{
    *board = (hl_tensorboard){
        .recorder = recorder, .dataset = dataset, .begin = board->begin, .path = folder->events, .fd = -1
    };
    HL_TRY(hl_file_open(board->path, O_WRONLY | O_APPEND | O_CREAT, &board->fd));
    HL_TRY(board->begin == 0 ? append_config(board, config) : hl_ok());
    return append_rows(board, folder->metrics);
}

hl_status hl_tensorboard_row(hl_tensorboard *board, const hl_metrics_row *row)
{
    if (board == NULL) {
        return hl_ok();
    }
    hl_metrics_figure figures[HL_METRICS_FIGURES];
    int n = hl_metrics_row_figures(row, figures);
    for (int i = 0; i < n; i++) {
        hl_event_scalar(&board->values, tag_of("", figures[i].name, row->split).text, figures[i].value);
    }
    return append(board, row->step);
}

/* ---- snapshots ---- */

typedef struct scored {
    hl_text *values;
    const char *head, *const *relations;
} scored;

static void add_score(void *context, const hl_reading *reading)
{
    static const bool left_out[HL_METRIC_JS + 1] = {
        [HL_METRIC_BEST_OFFSET] = true,      [HL_METRIC_ALIGNMENT_HIT_RATE] = true, [HL_METRIC_ENTROPY] = true,
        [HL_METRIC_DISTANCE] = true,         [HL_METRIC_DISTANCE_SIGNED] = true,    [HL_METRIC_DUPLICATE_PAST] = true,
        [HL_METRIC_DUPLICATE_FUTURE] = true, [HL_METRIC_INDUCTION_MIRRORED] = true,
    };
    const scored *to = context;
    hl_text metric = { 0 };
    hl_metric_print(&metric, reading, to->relations);
    hl_text_fail(to->values, metric.error);
    if (metric.bytes != NULL && !left_out[reading->metric]) {
        hl_event_scalar(to->values, tag_of("heads.", metric.bytes, to->head).text, reading->value);
    }
    hl_text_free(&metric);
}

/* Adds the head's scores, and its map of the first example. */
static hl_status add_head(hl_tensorboard *board, int layer, int64_t h, const char *caption, const char *const *tokens)
{
    const char *const *relations = hl_dataset_relations(board->dataset);
    hl_patterns all = hl_recorder_patterns(board->recorder, layer, h);
    hl_pattern first = hl_patterns_at(&all, 0);
    hl_head_name head = hl_head_name_of(layer, h);
    char title[TAG_BYTES];
    snprintf(title, sizeof title, "%s %s", head.text, hl_label_title_of(hl_label_of(&all), relations).text);
    hl_catalogue_measure(&all, NULL, 0, add_score, &(scored){ &board->values, head.text, relations });
    hl_panel panel = { .title = title,
                       .weights = first.weights,
                       .n_queries = first.n,
                       .n_keys = first.n,
                       .stride = first.n_tokens,
                       .queries = tokens,
                       .keys = tokens };
    hl_picture picture = { .panels = &panel, .row_lengths = (int64_t[]){ 1 }, .n_rows = 1, .caption = caption };
    hl_text png = { 0 };
    hl_text_fail(&png, hl_picture_print(&picture, HL_PNG, DPI, &png));
    hl_event_image(&board->values, tag_of("", "maps", head.text).text, &png);
    hl_text_free(&png);
    return hl_text_status(&board->values);
}

hl_status hl_tensorboard_snapshot(hl_tensorboard *board, int64_t step)
{
    if (board == NULL || board->recorder == NULL) {
        return hl_ok();
    }
    const hl_examples *examples = &board->recorder->examples;
    const hl_model_config *shape = &board->recorder->model->config;
    const char **tokens = hl_calloc((size_t)examples->n_tokens, sizeof *tokens);
    HL_NEED(tokens != NULL, "the tokens of maps");
    for (int64_t i = 0; i < examples->lengths[0]; i++) {
        tokens[i] = hl_vocabulary_token(hl_dataset_vocabulary(board->dataset), examples->tokens[i]);
    }
    char caption[64];
    snprintf(caption, sizeof caption, "step %" PRId64 ", example 0", step);
    hl_status status = hl_ok();
    for (int l = 0, n = 0; l < shape->n_layers; l++) {
        for (int64_t h = 0; h < shape->heads[l] && n < HL_TENSORBOARD_HEADS; h++, n++) {
            HL_THEN(status, add_head(board, l, h, caption, tokens));
        }
    }
    hl_free(tokens);
    HL_THEN(status, append(board, step));
    return status;
}

hl_status hl_tensorboard_sync(const hl_tensorboard *board)
{
    return board != NULL ? hl_file_sync(board->fd, board->path) : hl_ok();
}

void hl_tensorboard_close(hl_tensorboard *board)
{
    if (board->path != NULL && board->fd >= 0) {
        hl_file_calls_get()->close(board->fd);
    }
    hl_text_free(&board->values);
    hl_text_free(&board->record);
    *board = (hl_tensorboard){ .fd = -1 };
}
