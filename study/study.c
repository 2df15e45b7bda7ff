#include "study/study.h"

#include "core/base/memory.h"
#include "core/base/threads.h"
#include "heads/word_join.h"

#include <inttypes.h>
#include <math.h>

hl_label *hl_heads_labels(const hl_snapshot *snapshot)
{
    const hl_model_config *config = snapshot->config;
    int64_t n = hl_heads_count(config);
    hl_label *labels = hl_calloc((size_t)n, sizeof *labels);
    for (int64_t i = 0; i < n && labels != NULL; i++) {
        hl_head_place at = hl_head_at(config, i);
        hl_patterns all = hl_snapshot_patterns(snapshot, at.layer, at.head);
        labels[i] = hl_label_of(&all);
    }
    return labels;
}

typedef struct measuring {
    hl_heads_study *study;
    const hl_snapshot *snapshot;
} measuring;

static void measure_row(hl_heads_row *row, int layer, const hl_patterns *all)
{
    hl_patterns scoring = hl_patterns_scoring(all);
    row->metrics = hl_head_measure(layer, all);
    row->distance = hl_distance_of(&scoring);
}

static void measure_rows(const void *context, hl_range range)
{
    const measuring *m = context;
    for (int64_t i = range.begin; i < range.end; i++) {
        hl_head_place at = hl_head_at(m->snapshot->config, i);
        hl_patterns all = hl_snapshot_patterns(m->snapshot, at.layer, at.head);
        m->study->labels[i] = m->study->rows[i].label = hl_label_of(&all);
        measure_row(&m->study->rows[i], at.layer, &all);
    }
}

hl_status hl_heads_study_patterns(hl_heads_study *study, const hl_snapshot *snapshot, int threads)
{
    study->n = hl_heads_count(snapshot->config);
    study->labels = hl_calloc((size_t)study->n, sizeof *study->labels);
    study->rows = hl_calloc((size_t)study->n, sizeof *study->rows);
    HL_NEED(study->labels != NULL && study->rows != NULL, "the metrics of heads");
    hl_threads_run(threads, study->n, 1, measure_rows, &(measuring){ study, snapshot });
    return hl_ok();
}

hl_status hl_heads_load_weights(hl_opened_model *run, int64_t step, bool exactly)
{
    bool has;
    HL_TRY(hl_model_source_has_weights(&run->source, &has));
    if (!has) {
        return hl_error(HL_INVALID, "%s has no weights yet", run->source.path);
    }
    HL_TRY(hl_opened_model_load(run, step));
    if (exactly && run->weights_step != step) {
        return hl_error(HL_INVALID, "the weights of step %" PRId64 " were not kept (train.keep_checkpoints)", step);
    }
    return hl_ok();
}

static hl_status measure_effects(hl_heads_study *study, hl_opened_model *run, const hl_snapshot *snapshot, bool exactly)
{
    if (run->source.open != NULL) {
        return hl_error(HL_INVALID,
                        "of an open model they are not measured; ask a run that begins with it (train --from)");
    }
    HL_TRY(hl_heads_load_weights(run, snapshot->step, exactly));
    HL_TRY(hl_effects_measure(&run->model, &snapshot->examples, snapshot->layers, study->labels, false,
                              run->source.slice, run->source.threads, &study->effects));
    study->has_effects = true;
    study->weights_step = run->weights_step;
    for (int64_t i = 0; i < study->n; i++) {
        hl_heads_row *row = &study->rows[i];
        row->effect = &study->effects.heads[i];
        const hl_group_effect *group = hl_effects_group(&study->effects, row->metrics.layer, row->label);
        row->group = group != NULL ? &group->effect : NULL;
    }
    return hl_ok();
}

hl_status hl_heads_study_make(hl_heads_study *study, hl_opened_model *run, const hl_snapshot *snapshot, bool exactly)
{
    *study = (hl_heads_study){ .step = snapshot->step,
                               .n_examples = snapshot->examples.n_examples,
                               .file = run->file,
                               .there = run->file != NULL ? hl_dataset_sizes(run->written)->examples[HL_VALIDATION] : 0,
                               .of_open = run->source.open != NULL };
    hl_status status = hl_heads_study_patterns(study, snapshot, run->source.threads);
    if (status.code == HL_OK && run->source.open == NULL && run->file == NULL) {
        study->no_syntax = hl_syntax_history_read(&study->syntax, &run->source, study->step);
        study->seconds = study->syntax.labels;
        status = study->no_syntax.code == HL_BAD_FILE ? hl_ok() : study->no_syntax;
    }
    if (status.code == HL_OK) {
        status = measure_effects(study, run, snapshot, exactly);
        study->no_effects = status;
        status = status.code == HL_INVALID ? hl_ok() : status;
    }
    if (status.code != HL_OK) {
        hl_heads_study_free(study);
    }
    return status;
}

hl_status hl_heads_study_last(hl_heads_study *study, hl_opened_model *run)
{
    *study = (hl_heads_study){ 0 };
    const hl_snapshot *snapshot;
    HL_TRY(hl_opened_model_snapshot(run, -1, &snapshot));
    HL_TRY(hl_heads_study_make(study, run, snapshot, false));
    hl_status status = study->no_syntax;
    if (status.code != HL_OK) {
        hl_heads_study_free(study);
    }
    return status;
}

hl_status hl_heads_study_join_words(hl_heads_study *study, const hl_snapshot *snapshot)
{
    if (snapshot->words.places == NULL) {
        return hl_error(HL_INVALID, "command line: --words: the tokens of this run are no pieces of words");
    }
    hl_word_join join;
    HL_TRY(hl_word_join_make(&join, snapshot->layers, snapshot->config->n_layers));
    for (int64_t i = 0; i < study->n; i++) {
        hl_head_place at = hl_head_at(snapshot->config, i);
        hl_patterns all = join.layers[at.layer];
        all.head = at.head;
        measure_row(&study->rows[i], at.layer, &all);
    }
    hl_word_join_free(&join);
    study->of_words = true;
    return hl_ok();
}

static void measure_nulls(const void *context, hl_range range)
{
    const measuring *m = context;
    for (int64_t i = range.begin; i < range.end; i++) {
        const hl_head_metrics *head = &m->study->rows[i].metrics;
        hl_patterns all = hl_snapshot_patterns(m->snapshot, head->layer, head->head);
        hl_score score = hl_label_score(m->study->labels[i], &all);
        m->study->nulls[i] = score.n > 0 ? score.value : NAN;
    }
}

hl_status hl_heads_study_null(hl_heads_study *study, hl_opened_model *run)
{
    if (run->n_steps == 0 || run->steps[0] != 0 || study->step == 0) {
        return hl_ok();
    }
    const hl_snapshot *untrained;
    HL_TRY(hl_opened_model_snapshot(run, 0, &untrained));
    study->nulls = hl_calloc((size_t)study->n, sizeof *study->nulls);
    HL_NEED(study->nulls != NULL, "the null of heads");
    hl_threads_run(run->source.threads, study->n, 1, measure_nulls, &(measuring){ study, untrained });
    return hl_ok();
}

double hl_heads_null(const hl_heads_study *study, const hl_heads_row *row)
{
    return study->nulls != NULL ? study->nulls[row - study->rows] : NAN;
}

const hl_effects *hl_heads_study_effects(const hl_heads_study *study)
{
    return study->has_effects && study->weights_step == study->step ? &study->effects : NULL;
}

double hl_heads_importance_in_layer(const hl_heads_study *study, const hl_heads_row *row)
{
    int64_t n_heads = 0;
    for (int64_t i = 0; i < study->n; i++) {
        n_heads += study->rows[i].metrics.layer == row->metrics.layer;
    }
    return hl_effect_in_layer(row->effect - row->metrics.head, n_heads, row->metrics.head);
}

void hl_heads_study_free(hl_heads_study *study)
{
    hl_effects_free(&study->effects);
    hl_syntax_history_free(&study->syntax);
    hl_free(study->rows);
    hl_free(study->labels);
    hl_free(study->nulls);
    *study = (hl_heads_study){ 0 };
}

hl_faithful hl_heads_verdict(const hl_heads_row *row, bool *by_group)
{
    *by_group = false;
    return row->effect != NULL ? hl_effect_verdict(row->effect, row->group, by_group) : HL_FAITHFUL_UNKNOWN;
}
