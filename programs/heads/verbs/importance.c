#include "programs/heads/importance.h"
#include "core/base/memory.h"
#include "heads/head_set.h"
#include "heads/shapley.h"
#include "heads/snapshot.h"
#include "programs/heads/deliver.h"
#include "programs/heads/help.h"
#include "programs/heads/memory.h"
#include "programs/heads/subset.h"
#include "programs/heads/verb.h"
#include "study/study.h"

/* ---- measuring ---- */

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

/* ---- the verb ---- */

static const hl_option options[] = {
    HL_HEADS_HELP_OPTIONS,
    { HL_HEADS_OPTION("shapley", FLAG, shapley) },
    { HL_HEADS_OPTION("step", INTEGER, step), .most = INT64_MAX },
    { HL_HEADS_OPTION("keep", TEXT, keep) },
    { HL_HEADS_OPTION("drop", TEXT, drop) },
    { HL_HEADS_OPTION("json", FILE, files.json) },
    { HL_HEADS_OPTION("csv", FILE, files.csv) },
    HL_HEADS_TASK_OPTIONS,
};

static bool is_of_subset(const hl_heads_command *command)
{
    return command->keep != NULL || command->drop != NULL;
}

static bool shares(const hl_heads_command *command)
{
    return !is_of_subset(command);
}

static hl_status check(const hl_heads_command *command)
{
    const char *one = command->keep != NULL ? "keep" : "drop";
    const char *other = command->keep != NULL && command->drop != NULL ? "drop"
                        : command->shapley                             ? "shapley"
                        : command->step >= 0                           ? "step"
                                                                       : NULL;
    return !is_of_subset(command) || other == NULL
               ? hl_ok()
               : hl_error(HL_INVALID, "command line: --%s and --%s exclude each other", one, other);
}

static hl_status memory(const hl_opened_model *model, const hl_heads_command *command, const hl_footprint *f,
                        size_t *bytes, const char **remedy)
{
    size_t stands = hl_size_sum(f->kernels, hl_footprint_sum(f, HL_STANDS_MODEL));
    /* A loss and an accuracy of every set of heads. */
    int64_t n = hl_heads_count(&model->source.shape);
    size_t sets = command->shapley && n < 32 ? ((size_t)1 << n) * 2 * sizeof(double) : 0;
    *bytes = hl_size_sum(stands, is_of_subset(command) ? f->evaluation : hl_size_sum(f->measures, sets));
    *remedy = is_of_subset(command) ? "a run with a larger optimizer.accumulate needs less"
              : sets > f->measures  ? "without --shapley it needs less, and so does a run with fewer heads"
                                    : HL_HEADS_LESS_MEASURING;
    return hl_ok();
}

static hl_status show(hl_heads_call *call)
{
    hl_heads_importance study;
    hl_status status = hl_heads_importance_measure(&study, call);
    if (status.code == HL_OK && hl_ranks_leads(call->ranks)) {
        hl_heads_answer answer = { 0 };
        hl_heads_importance_table(&answer.table, &study);
        hl_heads_importance_json(&answer.json, &study);
        hl_heads_importance_csv(&answer.csv, &study);
        status = hl_heads_deliver(&call->command, &answer, call->out);
    }
    hl_heads_importance_free(&study);
    return status;
}

static hl_status run(hl_heads_call *call)
{
    HL_TRY(hl_heads_call_open(call, HL_DATA_READ));
    HL_TRY(hl_heads_call_needs_loss(call));
    HL_TRY(hl_heads_call_read(call));
    HL_TRY(hl_heads_call_begin(call));
    return is_of_subset(&call->command) ? hl_heads_subset_show(&call->model, &call->command, call->out) : show(call);
}

const hl_heads_verb hl_heads_verb_importance = {
    .name = "importance",
    .does = "how much the loss depends on each head, or on a set of heads",
    .example = "importance runs/copy_task",
    .help = hl_heads_help_importance,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .shares = shares,
    .check = check,
    .memory = memory,
    .run = run,
};
