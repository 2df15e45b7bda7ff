#include "study/syntax_history.h"

#include "core/base/memory.h"
#include "core/files/folders.h"
#include "heads/head_set.h"
#include "heads/treebank_pass.h"
#include "train/setup_data.h"

/* What is gathered step by step. */
typedef struct gathering {
    hl_syntax_history *history;
    int64_t asked;              /* the step at which heads are named */
    int64_t *relations, *steps; /* (R), (S) */
    float *found;               /* (S, R, H) */
    bool *earned;               /* (S, R, H) */
} gathering;

/* Room for so many steps. */
static hl_status make_room(gathering *g, size_t n)
{
    const char *what = "what heads found in a treebank";
    hl_report_syntax_steps *shown = &g->history->shown;
    const hl_syntax *counts = &g->history->counts;
    size_t each = (size_t)(counts->n_relations * counts->n_heads); /* not 0, though none of them may be shown */
    int64_t *steps = hl_realloc(g->steps, n, sizeof *steps);
    HL_NEED(steps != NULL, what);
    shown->steps = g->steps = steps;
    float *found = hl_realloc(g->found, hl_size_product(n, each), sizeof *found);
    HL_NEED(found != NULL, what);
    shown->found = g->found = found;
    bool *earned = hl_realloc(g->earned, hl_size_product(n, each), sizeof *earned);
    HL_NEED(earned != NULL, what);
    g->earned = earned;
    return hl_ok();
}

static hl_status take_step(void *context, int64_t step)
{
    gathering *g = context;
    hl_report_syntax_steps *shown = &g->history->shown;
    int64_t at = shown->n_steps * shown->n_relations * shown->n_heads;
    HL_TRY(make_room(g, (size_t)shown->n_steps + 1));
    g->steps[shown->n_steps++] = step;
    for (int64_t r = 0; r < shown->n_relations; r++) {
        for (int64_t h = 0; h < shown->n_heads; h++, at++) {
            hl_syntax_choice choice = hl_syntax_head_of(&g->history->counts, g->relations[r], h).held_out;
            g->found[at] = (float)hl_syntax_share(choice.found);
            g->earned[at] = hl_syntax_earned(&choice);
        }
    }
    return step == g->asked ? hl_syntax_labels_make(&g->history->counts, g->history->followed.treebank, g->relations,
                                                    shown->n_relations, &g->history->labels)
                            : hl_ok();
}

static void find_births(const hl_report_syntax_steps *shown, const bool *earned, int32_t *births)
{
    int64_t n = shown->n_relations * shown->n_heads;
    for (int64_t i = 0; i < n; i++) {
        int64_t s = shown->n_steps;
        while (s > 0 && earned[(s - 1) * n + i]) {
            s--;
        }
        births[i] = s < shown->n_steps ? (int32_t)s : -1;
    }
}

static hl_status read_rows(hl_syntax_history *history, const hl_model_source *run, const char *path, gathering *g)
{
    hl_report_syntax_steps *shown = &history->shown;
    hl_syntax *counts = &history->counts;
    hl_coreference_counts mentions;
    HL_TRY(hl_followed_counts(&history->followed, hl_heads_count(&run->shape), counts, &mentions));
    hl_coreference_free(&mentions);
    HL_TRY(hl_syntax_csv_find_relations(path, counts));
    size_t R = (size_t)counts->n_relations, H = (size_t)counts->n_heads;
    const char **names = hl_calloc(R, sizeof *names);
    hl_syntax_rate *baselines = hl_calloc(R, sizeof *baselines);
    int32_t *births = hl_calloc(R * H, sizeof *births);
    *shown = (hl_report_syntax_steps){
        .n_heads = counts->n_heads, .names = names, .baselines = baselines, .births = births
    };
    g->relations = hl_calloc(R, sizeof *g->relations);
    HL_NEED(names != NULL && baselines != NULL && births != NULL && g->relations != NULL,
            "what heads found in a treebank");
    int64_t n = hl_syntax_rows(counts, history->followed.treebank, HL_SYNTAX_LEAST_CASES, false, g->relations);
    for (int64_t i = 0; i < n; i++) {
        hl_syntax_rate baseline = hl_syntax_head_of(counts, g->relations[i], 0).held_out.baseline;
        int64_t r = shown->n_relations;
        if (baseline.cases > 0) { /* mentions in a single document have none */
            g->relations[r] = g->relations[i];
            names[r] = hl_followed_name(&history->followed, g->relations[r]);
            baselines[r] = baseline;
            shown->n_relations++;
        }
    }
    HL_TRY(hl_syntax_csv_read(path, &history->followed, &run->shape, counts, take_step, g));
    find_births(shown, g->earned, births);
    return hl_ok();
}

hl_status hl_syntax_history_read(hl_syntax_history *history, hl_model_source *run, int64_t step)
{
    *history = (hl_syntax_history){ 0 };
    hl_data_options options = { .use = HL_DATA_READ, .folder = run->path, .beside = NULL };
    HL_TRY(hl_setup_treebank(&run->config, &options, run->dataset, &history->followed));
    if (history->followed.treebank == NULL) {
        return hl_ok();
    }
    gathering g = { .history = history, .asked = step };
    char *path = hl_path_join(run->path, "syntax.csv");
    hl_status status = path != NULL ? read_rows(history, run, path, &g) : hl_error_memory(run->path);
    hl_free(path);
    hl_free(g.relations);
    hl_free(g.earned);
    if (status.code != HL_OK) {
        hl_syntax_history_free(history);
    }
    return status;
}

void hl_syntax_history_free(hl_syntax_history *history)
{
    const hl_report_syntax_steps *shown = &history->shown;
    hl_free((void *)shown->steps);
    hl_free((void *)shown->names);
    hl_free((void *)shown->baselines);
    hl_free((void *)shown->found);
    hl_free((void *)shown->births);
    hl_followed_free(&history->followed);
    hl_syntax_free(&history->counts);
    hl_free(history->labels);
    *history = (hl_syntax_history){ 0 };
}
