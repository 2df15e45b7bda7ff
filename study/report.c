#include "study/report.h"

#include "core/base/memory.h"
#include "core/base/units.h"
#include "core/files/files.h"
#include "core/files/folders.h"
#include "heads/head_set.h"
#include "study/model_examples.h"
#include "study/output.h"
#include "train/footprint.h"
#include "train/memory_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST_BYTES = 1 << 26 }; /* of a table of classes */

/* ---- gathering ---- */

/* Copies are measured if their logits cost at most so many multiplications. */
static const double most_products = 4e11;

/* What the heads compute and write with the weights that made the last maps, if the run still has these weights. */
static hl_status gather_numbers(hl_heads_report *report, hl_opened_model *run, const hl_report_maps *maps)
{
    int64_t step = maps->kept[maps->n_kept - 1].step;
    bool has;
    HL_TRY(hl_model_source_has_weights(&run->source, &has));
    if (has) {
        HL_TRY(hl_opened_model_load(run, step));
    }
    if (run->weights_step != step) {
        return hl_ok();
    }
    const hl_examples *examples = &maps->examples;
    int64_t n = examples->n_examples;
    bool whole = hl_head_pass_bytes(&run->model, n, examples->n_tokens, true) <= HL_REPORT_PASS_BYTES;
    HL_TRY(hl_head_pass_run(&run->model, examples, n, whole, run->source.threads, &report->pass));
    report->shown.pass = &report->pass;
    const hl_snapshot *snapshot;
    HL_TRY(hl_opened_model_snapshot(run, -1, &snapshot));
    hl_writes_options options = hl_opened_model_writes_options(run);
    const hl_model_config *c = &run->model.config;
    options.without_copies =
        (double)HL_COPIES_POSITIONS * (double)hl_heads_count(c) * (double)c->d_model * (double)c->vocabulary >
        most_products;
    HL_TRY(hl_writes_measure(&run->model, &snapshot->examples, &options, &report->writes));
    report->shown.writes = &report->writes;
    return hl_ok();
}

/* *text: NULL if the run has no such file. */
static hl_status read_file(const hl_model_source *run, const char *name, char **text)
{
    size_t size;
    char *path = hl_path_join(run->path, "%s", name);
    HL_NEED(path != NULL, run->path);
    hl_status status = hl_file_read_if_there(path, MOST_BYTES, text, &size);
    hl_free(path);
    return status;
}

/* What an examined model was looked at on, and what its steps are called. */
static hl_status gather_examined(hl_heads_report *report, const hl_opened_model *run)
{
    const char *slash = strrchr(run->file, '/');
    int64_t own = run->steps[run->n_steps - 1];
    if (run->source.open != NULL) {
        hl_text_print(&report->about, "%s, ", hl_pretrained_kind(run->source.open));
    }
    int64_t there = hl_dataset_sizes(run->written)->examples[HL_VALIDATION];
    hl_text_print(&report->about, "on %" PRId64 " of %s example%s of %s", run->examples.n_examples, HL_COUNT(there),
                  there == 1 ? "" : "s", slash != NULL ? slash + 1 : run->file);
    if (run->n_steps > 1) {
        hl_text_print(&report->about, ", beside the same model with random weights (seed %" PRId64 "), the null",
                      run->source.config.train.seed);
        snprintf(report->last_stage, sizeof report->last_stage, "step %" PRId64, own);
        if (run->source.open != NULL) {
            snprintf(report->last_stage, sizeof report->last_stage, "the model");
        }
        report->shown.last_stage = report->last_stage;
    }
    report->shown.about = report->about.bytes;
    return hl_text_status(&report->about);
}

static hl_status gather_texts(hl_heads_report *report, const hl_heads_history *history)
{
    hl_opened_model *run = history->run;
    const hl_heads_study *study = history->study;
    /* Of an open model the part about the model, as the rest of its config is nobody's. In new memory, or NULL. */
    char *text = hl_config_text(&run->source.config), *model = text != NULL ? strstr(text, "[model]") : NULL;
    char *end = model != NULL ? strstr(model, "\n[") : NULL;
    if (run->source.open != NULL && end != NULL) {
        end[1] = '\0';
        memmove(text, model, strlen(model) + 1);
    }
    report->config = text;
    HL_NEED(report->config != NULL, "a report");
    if (run->source.open == NULL) {
        HL_TRY(read_file(&run->source, "scores.csv", &report->scores));
        HL_TRY(read_file(&run->source, "confusion.csv", &report->confusion));
    }
    report->shown = (hl_report_run){
        .name = run->source.name,
        .config = report->config,
        .scores_csv = report->scores,
        .confusion_csv = report->confusion,
        .csv = &history->csv,
        .maps = &history->maps,
        .vocabulary = run->source.vocabulary,
        .words = run->last.words.places != NULL ? &run->last.words : NULL,
        .targets = hl_dataset_targets(run->source.dataset),
        .relations = run->source.relations,
        .labels = study->labels,
        .nulls = study->nulls,
        .effects = hl_heads_study_effects(study),
        .seconds = study->seconds,
        .syntax_steps = study->syntax.shown.n_steps > 0 ? &study->syntax.shown : NULL,
    };
    HL_TRY(run->file != NULL ? gather_examined(report, run) : hl_ok());
    return run->source.open == NULL ? hl_opened_model_metrics(run, &report->shown.metrics_csv) : hl_ok();
}

/* What they find in a treebank. */
static void add_syntax(hl_heads_report *report, const hl_syntax_study *syntax, const char *name)
{
    report->syntax = (hl_report_syntax){
        .name = name,
        .treebank = syntax->treebank,
        .found = &syntax->found,
        .null = syntax->null.n_heads > 0 ? &syntax->null : NULL,
        .n_rows = syntax->n_rows,
        .rows = syntax->rows,
        .cases = &syntax->cases,
    };
    report->shown.syntax = &report->syntax;
}

/* In a text of one document nothing is held out, and there is nothing to show. */
static void add_coreference(hl_heads_report *report, const hl_coreference_study *study, const char *name)
{
    if (study->rows[HL_COREFERENCE_ALL].held_out_cases == 0) {
        return;
    }
    report->coreference = (hl_report_coreference){
        .name = name,
        .found = &study->found,
        .rows = study->rows,
        .null_rows = study->null.n_heads > 0 ? study->null_rows : NULL,
        .cases = &study->cases,
    };
    report->shown.coreference = &report->coreference;
}

hl_status hl_heads_report_gather(hl_heads_report *report, const hl_heads_page *page)
{
    *report = (hl_heads_report){ 0 };
    hl_status status = gather_texts(report, page->history);
    HL_THEN(status, gather_numbers(report, page->history->run, &page->history->maps));
    if (status.code != HL_OK) {
        hl_heads_report_free(report);
        return status;
    }
    const char *slash = page->treebank != NULL ? strrchr(page->treebank, '/') : NULL;
    const char *name = slash != NULL ? slash + 1 : page->treebank;
    if (page->syntax != NULL) {
        add_syntax(report, page->syntax, name);
    } else if (page->coreference != NULL) {
        add_coreference(report, page->coreference, name);
    }
    return status;
}

void hl_heads_report_free(hl_heads_report *report)
{
    hl_head_pass_free(&report->pass);
    hl_writes_free(&report->writes);
    hl_free(report->config);
    hl_free(report->scores);
    hl_free(report->confusion);
    hl_text_free(&report->about);
    *report = (hl_heads_report){ 0 };
}

/* ---- one run ---- */

hl_status hl_heads_page_print(void *page, hl_text *text)
{
    hl_heads_report report;
    HL_TRY(hl_heads_report_gather(&report, page));
    hl_status status = hl_report_write(&report.shown, 1, text);
    hl_heads_report_free(&report);
    return status;
}

hl_status hl_heads_page_write(hl_heads_page *page, const char *folder)
{
    return hl_output_write_in_turn(folder, "report.html", hl_heads_page_print, page);
}

/* ---- a run's end ---- */

/* The run was begun with memory for the snapshots that were sure: where others came to them, it is checked again. */
static hl_status check_memory(const hl_opened_model *run)
{
    hl_footprint sure, recorded;
    HL_TRY(hl_footprint_of_config(&run->source.config, &sure));
    HL_TRY(hl_footprint_of(&run->source.config, HL_FOR_TRAINING, 1, (int64_t)run->n_steps, &recorded));
    return recorded.end <= sure.total
               ? hl_ok()
               : hl_memory_check(recorded.end - recorded.libraries, hl_memory_at_hand_now(), run->source.path,
                                 "measuring its heads needs",
                                 "fewer snapshots (patterns.every, patterns.budget_mb) need less");
}

/* `studied`: how the study ended; heads.csv is written all the same, then without its effects. */
static hl_status write_files(hl_opened_model *run, const hl_heads_study *study, hl_status studied)
{
    hl_heads_history history;
    HL_TRY(hl_heads_history_make(run, study, &history));
    hl_status status = hl_heads_history_write(&history, run->source.path);
    HL_THEN(status, studied);
    HL_THEN(status, hl_heads_page_write(&(hl_heads_page){ .history = &history }, run->source.path));
    hl_heads_history_free(&history);
    return status;
}

hl_status hl_heads_files_write(const char *path, hl_heads_told told, void *context)
{
    hl_opened_model *run = hl_malloc(sizeof *run); /* too large for the stack of some threads */
    HL_NEED(run != NULL, path);
    hl_status status = hl_opened_model_open(run, path);
    HL_THEN(status, check_memory(run));
    if (status.code == HL_OK) {
        hl_heads_study study;
        hl_status studied = hl_heads_study_last(&study, run);
        HL_THEN(studied, hl_heads_study_null(&study, run));
        status = studied.code == HL_OK ? told(context, run, &study) : hl_ok();
        HL_THEN(status, write_files(run, &study, studied));
        hl_heads_study_free(&study);
    }
    hl_opened_model_close(run);
    hl_free(run);
    return status;
}
