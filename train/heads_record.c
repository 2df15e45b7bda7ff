#include "train/heads_record.h"

#include "core/files.h"
#include "core/memory.h"
#include "heads/heads_csv.h"

static hl_status add_snapshot(const hl_opened_run *run, int64_t step, hl_heads_csv *csv)
{
    hl_snapshot snapshot;
    HL_TRY(hl_opened_run_snapshot(run, step, &snapshot));
    hl_patterns layers[HL_MAX_LAYERS];
    for (int l = 0; l < run->shape.n_layers; l++) {
        layers[l] = hl_snapshot_patterns(&snapshot, l, 0);
    }
    hl_status status = hl_heads_csv_add(csv, step, layers, run->shape.n_layers, hl_snapshot_streamed(&snapshot));
    hl_snapshot_free(&snapshot);
    if (status.code == HL_INVALID) {
        return hl_error(HL_BAD_FILE, "%s: %s", run->patterns, status.text);
    }
    return status;
}

hl_status hl_heads_record_make(const hl_opened_run *run, hl_text *text)
{
    HL_TRY(hl_opened_run_check_steps(run));
    hl_heads_csv csv = { 0 };
    hl_status status = hl_ok();
    for (size_t i = 0; i < run->n_steps && status.code == HL_OK; i++) {
        status = add_snapshot(run, run->steps[i], &csv);
    }
    if (status.code == HL_OK) {
        hl_heads_csv_print(&csv, run->relations, text);
        status = hl_text_status(text);
    }
    hl_heads_csv_free(&csv);
    return status;
}

hl_status hl_heads_record_write(const hl_opened_run *run, const hl_text *text)
{
    char *path = hl_path_join(run->path, "heads.csv");
    if (path == NULL) {
        return hl_error_memory(run->path);
    }
    hl_status status = hl_file_replace(path, text->bytes, text->size, HL_VOLATILE);
    hl_free(path);
    return status;
}

hl_status hl_heads_record_of(const char *path)
{
    hl_opened_run run;
    hl_text text = { 0 };
    hl_status status = hl_opened_run_open(&run, path);
    if (status.code == HL_OK) {
        status = hl_heads_record_make(&run, &text);
    }
    if (status.code == HL_OK) {
        status = hl_heads_record_write(&run, &text);
    }
    hl_text_free(&text);
    hl_opened_run_close(&run);
    return status;
}
