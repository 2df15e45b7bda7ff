#include "study/history.h"

#include "core/files/json_text.h"
#include "heads/head_set.h"
#include "study/output.h"
#include "train/snapshot_budget.h"

#include <inttypes.h>
#include <stdio.h>

static hl_status add_snapshot(hl_opened_model *run, int64_t step, const hl_effects *effects, hl_heads_csv *csv,
                              hl_report_maps *maps)
{
    const hl_snapshot *snapshot;
    HL_TRY(hl_opened_model_snapshot(run, step, &snapshot));
    hl_status status = hl_heads_csv_add(csv, step, snapshot->layers, run->source.shape.n_layers, snapshot->sums,
                                        effects != NULL ? effects->heads : NULL);
    HL_THEN(status, hl_report_maps_add(maps, step, snapshot->layers, run->source.shape.n_layers, &snapshot->answers));
    if (status.code == HL_INVALID) {
        return hl_error(HL_BAD_FILE, "%s: %s", run->source.patterns, status.text);
    }
    return status;
}

hl_status hl_heads_history_make(hl_opened_model *run, const hl_heads_study *study, hl_heads_history *history)
{
    /* How many examples every snapshot has, as far as config.ini tells: a run may have been resumed with fewer. */
    int64_t recorded = hl_snapshot_budget_examples(&run->source.config);
    bool few = recorded > 0 && recorded < HL_REPORT_EXAMPLES;
    *history = (hl_heads_history){ .run = run,
                                   .study = study,
                                   .printed = -1,
                                   .csv = { .n_tokens = run->source.shape.max_length, .threads = run->source.threads },
                                   .maps = { .n_snapshots = (int64_t)run->n_steps,
                                             .threads = run->source.threads,
                                             .max_examples = few ? recorded : HL_REPORT_EXAMPLES } };
    const hl_effects *effects = hl_heads_study_effects(study);
    hl_status status = hl_opened_model_check_steps(run);
    for (size_t i = 0; i < run->n_steps && status.code == HL_OK; i++) {
        int64_t step = run->steps[i];
        status = add_snapshot(run, step, step == study->step ? effects : NULL, &history->csv, &history->maps);
    }
    if (status.code != HL_OK) {
        hl_heads_history_free(history);
    }
    return status;
}

void hl_heads_history_free(hl_heads_history *history)
{
    hl_heads_csv_free(&history->csv);
    hl_report_maps_free(&history->maps);
}

static void print_second(int64_t step, hl_head_place at, const hl_syntax_label *second, hl_text *text)
{
    char metric[sizeof "relation()" + HL_TREEBANK_RELATION];
    snprintf(metric, sizeof metric, "relation(%s)", second->name);
    hl_text_print(text, "%" PRId64 ",%d,%" PRId64 ",", step, at.layer, at.head);
    hl_csv_field(text, metric);
    hl_text_print(text, ",%.9g,%.9g\n", hl_syntax_share(second->held_out.found),
                  hl_syntax_share(second->held_out.baseline));
}

hl_status hl_heads_history_print(void *history, hl_text *text)
{
    const hl_heads_history *all = history;
    const hl_model_source *run = &all->run->source;
    const hl_heads_study *study = all->study;
    const hl_syntax_label *second = study->seconds;
    int64_t n = second != NULL && (all->printed < 0 || all->printed == study->step) ? study->n : 0;
    hl_heads_csv_print(&all->csv, run->relations, all->printed, text);
    for (int64_t i = 0; i < n; i++) {
        if (second[i].relation >= 0) {
            print_second(study->step, hl_head_at(&run->shape, i), &second[i], text);
        }
    }
    return hl_text_status(text);
}

hl_status hl_heads_history_write(hl_heads_history *history, const char *folder)
{
    return hl_output_write_in_turn(folder, "heads.csv", hl_heads_history_print, history);
}
