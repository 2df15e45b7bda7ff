#include "study/syntax_history.h"

#include "core/base/memory.h"
#include "core/files/folders.h"
#include "data/text/private/grow.h"
#include "heads/head_set.h"
#include "heads/treebank_pass.h"
#include "train/setup_data.h"

#include <string.h>

/* What is gathered step by step. */
typedef struct gathering {
    hl_syntax_history *history;
    int64_t asked;              /* the step at which heads are named */
    int64_t *relations, *steps; /* (R), (S) */
    float *found;               /* (S, R, H) */
    int32_t *births;            /* (R, H): as far as the rows are read */
    size_t steps_capacity, found_capacity;
} gathering;

static hl_status take_step(void *context, int64_t step)
{
    gathering *g = context;
    hl_report_syntax_steps *shown = &g->history->shown;
    size_t n = (size_t)(shown->n_relations * shown->n_heads), s = (size_t)shown->n_steps;
    bool good = HL_GROW(g->steps, g->steps_capacity, s + 1) &&
                HL_GROW(g->found, g->found_capacity, hl_size_product(s + 1, n > 0 ? n : 1));
    shown->steps = g->steps;
    shown->found = g->found;
    HL_NEED(good, "what heads found in a treebank");
    g->steps[shown->n_steps++] = step;
    for (size_t i = 0; i < n; i++) {
        int64_t relation = g->relations[(int64_t)i / shown->n_heads];
        hl_syntax_choice choice =
            hl_syntax_head_of(&g->history->counts, relation, (int64_t)i % shown->n_heads).held_out;
        g->found[s * n + i] = (float)hl_syntax_share(choice.found);
        int32_t birth = g->births[i] >= 0 ? g->births[i] : (int32_t)s;
        g->births[i] = hl_syntax_earned(&choice) ? birth : -1;
    }
    return step == g->asked ? hl_syntax_labels_make(&g->history->counts, g->history->followed.treebank, g->relations,
                                                    shown->n_relations, &g->history->labels)
                            : hl_ok();
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
    g->births = hl_calloc(R * H, sizeof *g->births);
    g->relations = hl_calloc(R, sizeof *g->relations);
    *shown = (hl_report_syntax_steps){
        .n_heads = counts->n_heads, .names = names, .baselines = baselines, .births = g->births
    };
    HL_NEED(names != NULL && baselines != NULL && g->births != NULL && g->relations != NULL,
            "what heads found in a treebank");
    memset(g->births, -1, R * H * sizeof *g->births);
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
    return hl_syntax_csv_read(path, &history->followed, &run->shape, counts, take_step, g);
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
