#include "programs/heads/importance.h"

#include "core/base/memory.h"
#include "heads/shapley.h"
#include "heads/snapshot.h"
#include "study/study.h"

static hl_status measure_subsets(hl_heads_importance *study, hl_opened_model *run, const hl_snapshot *snapshot,
                                 const hl_share *share, FILE *err)
{
    enum { WONDERING = 13 }; /* from here on a notice tells their number: 2^12 take about a second in a small model */
    hl_all_subsets *subsets = &study->subsets;
    int n = (int)hl_heads_count(&run->source.shape);
    if (n >= WONDERING) {
        fprintf(err, "measuring all %d sets of %d heads; this may take a minute or two, in a wide model longer\n",
                1 << n, n);
        fflush(err);
    }
    HL_TRY(hl_all_subsets_measure(&run->model, &snapshot->examples, snapshot->layers, run->source.slice,
                                  run->source.threads, share, subsets));
    study->has_subsets = true;
    hl_shapley_values(subsets->n, subsets->losses, study->shapley);
    study->smallest = hl_smallest_set(subsets->n, subsets->losses, subsets->accuracies, HL_IMPORTANCE_KEPT);
    return hl_ok();
}

hl_status hl_heads_importance_measure(hl_heads_importance *study, hl_heads_call *call)
{
    hl_opened_model *run = &call->model;
    const hl_heads_command *command = &call->command;
    hl_share ours = hl_ranks_share(call->ranks);
    const hl_share *share = call->ranks != NULL ? &ours : NULL;
    *study = (hl_heads_importance){ .run = &run->source };
    int64_t n = hl_heads_count(&run->source.shape);
    if (command->shapley && n > HL_ALL_SUBSETS_MOST_HEADS) {
        return hl_error(HL_INVALID,
                        "command line: --shapley: %s has %lld heads, and their sets are too many to measure them all; "
                        "%d heads are the most; leave --shapley out",
                        run->source.path, (long long)n, HL_ALL_SUBSETS_MOST_HEADS);
    }
    const hl_snapshot *snapshot;
    HL_TRY(hl_opened_model_snapshot(run, command->step, &snapshot));
    HL_TRY(hl_heads_load_weights(run, snapshot->step, command->step >= 0));
    study->step = snapshot->step;
    study->weights_step = run->weights_step;
    study->labels = hl_heads_labels(snapshot);
    HL_NEED(study->labels != NULL, "the labels of heads");
    HL_TRY(hl_importance_measure(&run->model, &snapshot->examples, snapshot->layers, run->source.slice,
                                 run->source.threads, HL_IMPORTANCE_ALL, share, &study->importance));
    return command->shapley ? measure_subsets(study, run, snapshot, share, call->err) : hl_ok();
}

void hl_heads_importance_free(hl_heads_importance *study)
{
    hl_all_subsets_free(&study->subsets);
    hl_importance_free(&study->importance);
    hl_free(study->labels);
    study->labels = NULL;
}
