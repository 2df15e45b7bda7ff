#include "core/base/memory.h"
#include "heads/head_set.h"
#include "programs/heads/deliver.h"
#include "programs/heads/importance.h"
#include "programs/heads/memory.h"
#include "programs/heads/subset.h"
#include "programs/heads/verb.h"

static const char usage[] = "usage: {heads} importance MODEL [options]\n"
                            "\n"
                            "Shows how much the loss depends on each head: by its gradient, and by how much\n"
                            "the loss grows without it. Points out heads that look useful but are not, and\n"
                            "heads without a label that matter.\n"
                            "\n"
                            "  --shapley         also evaluate all sets of heads (up to 16 heads): Shapley\n"
                            "                    values, and the fewest heads that keep 99% of the accuracy\n"
                            "  --step S          use the snapshot and the weights of step S\n"
                            "\n"
                            "  --keep HEADS      instead, compare the whole model with one that has only these\n"
                            "                    heads, as in L0H2,L1H* (L1H*: all heads of layer 1): loss,\n"
                            "                    perplexity and accuracy on the validation set, with the\n"
                            "                    weights of the last checkpoint\n"
                            "  --drop HEADS      the same with all heads but these\n"
                            "\n"
                            "  --json [FILE]     write the result as JSON\n"
                            "  --csv [FILE]      write the rows as CSV\n"
                            "                    (without FILE, or with -: to standard output, alone)\n"
                            "\n"
                            "An open model needs a task and examples of yours:\n"
                            "  --task T          what its output layer answers: masked, next, tags or classes\n"
                            "                    (not needed if it answers one task only)\n"
                            "  --file FILE       all examples of this file, in the format of task.file. Keys\n"
                            "                    after MODEL say more: task.column=XPOS task.label_column=is\n"
                            "                    task.length=128 patterns.examples=200 train.seed=2\n"
                            "\n"
                            "With mpirun -n N, N processes measure together.\n";

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

/* A loss and an accuracy of every set of heads. */
static size_t sets_bytes(const hl_model_source *model, const hl_heads_command *command)
{
    int64_t n = hl_heads_count(&model->shape);
    return command->shapley && n < 32 ? ((size_t)1 << n) * 2 * sizeof(double) : 0;
}

static hl_status memory(const hl_opened_model *model, const hl_heads_command *command, const hl_footprint *f,
                        size_t *bytes, const char **remedy)
{
    size_t stands = hl_size_sum(f->kernels, hl_footprint_sum(f, HL_STANDS_MODEL));
    size_t sets = sets_bytes(&model->source, command);
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
    .usage = usage,
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .shares = shares,
    .check = check,
    .memory = memory,
    .run = run,
};
