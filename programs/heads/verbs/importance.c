#include "programs/heads/importance.h"
#include "core/base/memory.h"
#include "core/base/units.h"
#include "core/files/json_text.h"
#include "heads/all_subsets.h"
#include "heads/head_set.h"
#include "heads/snapshot.h"
#include "programs/heads/deliver.h"
#include "programs/heads/verb.h"
#include "programs/results.h"
#include "show/table.h"
#include "study/study.h"
#include "study/validation.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

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

/* ---- --keep and --drop: loss and accuracy of a model with some of its heads ---- */

enum { NAME = 10 };

static hl_status read_kept(const hl_model_source *run, const hl_heads_command *command, bool *kept)
{
    bool drops = command->drop != NULL;
    hl_status status = hl_head_set_parse(&run->shape, drops ? command->drop : command->keep, kept);
    for (int64_t i = 0; i < hl_heads_count(&run->shape); i++) {
        kept[i] = kept[i] != drops;
    }
    return status.code == HL_INVALID
               ? hl_error(HL_INVALID, "command line: --%s: %s", drops ? "drop" : "keep", status.text)
               : status;
}

/* What is shown, and of which heads. */
typedef struct subset {
    const hl_opened_model *run;
    const bool *kept;
    int64_t n_examples;
    struct {
        int64_t heads;
        hl_subset_worth worth;
    } rows[2]; /* of all heads, of those kept */
} subset;

/* Which heads the second row is of. */
static void write_heading(hl_text *text, const subset *s)
{
    const hl_opened_model *run = s->run;
    hl_text names = { 0 };
    hl_head_set_print(&names, &run->source.shape, s->kept);
    char step[48] = "";
    if (run->weights_step >= 0) {
        snprintf(step, sizeof step, ", weights of step %" PRId64, run->weights_step);
    }
    hl_text_paragraph(text, HL_TABLE_WIDTH, "%s%s, on the %s example%s of %s.", run->source.path, step,
                      HL_COUNT(s->n_examples), s->n_examples == 1 ? "" : "s", run->source.validation);
    hl_text_paragraph(text, HL_TABLE_WIDTH, "Heads kept: %s.", hl_text_part(text, &names));
    hl_text_free(&names);
}

static void row_of(const void *context, int64_t index, hl_row *row)
{
    const subset *s = context;
    hl_subset_worth worth = s->rows[index].worth;
    hl_row_integer(row, NULL, "heads", s->rows[index].heads);
    hl_row_number(row, NULL, "loss", 0, worth.loss);
    hl_row_number(row, NULL, "perplexity", 0, exp(worth.loss));
    hl_row_number(row, NULL, "accuracy", 0, worth.accuracy);
}

static hl_status validate(hl_opened_model *run, const bool *kept, const hl_heads_command *command, FILE *out)
{
    HL_TRY(hl_opened_model_load(run, -1));
    hl_heads_validation validation;
    HL_TRY(hl_heads_validation_make(&validation, &run->source));
    int64_t n = hl_heads_count(&run->source.shape);
    subset s = { .run = run, .kept = kept, .n_examples = validation.n_examples };
    s.rows[0].heads = n;
    s.rows[1].heads = hl_head_set_size(kept, n);
    hl_status status = hl_heads_validate(&validation, &run->model, NULL, &s.rows[0].worth);
    HL_THEN(status, hl_heads_validate(&validation, &run->model, kept, &s.rows[1].worth));
    hl_heads_validation_free(&validation);
    HL_TRY(status);
    hl_heads_answer answer = { 0 };
    write_heading(&answer.table, &s);
    hl_text_print(&answer.table, "\n%*s%12s%12s%12s\n", NAME, "heads", "loss", "perplexity", "accuracy");
    for (int i = 0; i < 2; i++) {
        hl_subset_worth worth = s.rows[i].worth;
        char loss[HL_UNITS_TEXT], perplexity[HL_UNITS_TEXT];
        hl_text_print(&answer.table, "%*" PRId64 "%12s%12s%11.2f%%\n", NAME, s.rows[i].heads,
                      hl_units_number(worth.loss, 6, loss), hl_units_number(exp(worth.loss), 4, perplexity),
                      100 * worth.accuracy);
    }
    json_t *names = hl_heads_set_json(&run->source.shape, kept);
    int64_t step = run->weights_step;
    json_t *root =
        json_pack("{s:o, s:I, s:o, s:o}", "weights_step", step >= 0 ? json_integer(step) : json_null(), "examples",
                  (json_int_t)s.n_examples, "kept", names, "rows", hl_results_json((hl_results){ row_of, &s, 2 }));
    hl_json_print_document(&answer.json, root);
    hl_results_csv(&answer.csv, (hl_results){ row_of, &s, 2 });
    return hl_heads_deliver(command, &answer, out);
}

/* Prints a table to `out`, with a row for all heads and a row for the kept ones (keep or drop must be given): loss,
 * perplexity and accuracy on the validation set, with the last checkpoint's weights, which this loads. Or writes the
 * requested files: JSON {"weights_step" (null: not known), "examples", "kept": ["L0H2", ...], "rows": [{"heads",
 * "loss", "perplexity", "accuracy"}]}, CSV the rows. HL_INVALID, naming the option and the part that is no head,
 * HL_BAD_FILE, HL_NOT_FINITE, HL_NO_MEMORY. */
static hl_status show_subset(hl_opened_model *run, const hl_heads_command *command, FILE *out)
{
    bool *kept = hl_calloc((size_t)hl_heads_count(&run->source.shape), sizeof *kept);
    HL_NEED(kept != NULL, "the heads that are kept");
    hl_status status = read_kept(&run->source, command, kept);
    HL_THEN(status, validate(run, kept, command, out));
    hl_free(kept);
    return status;
}

/* ---- the verb ---- */

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

static hl_status memory(hl_heads_need *need)
{
    const hl_footprint *f = &need->f;
    bool of_subset = is_of_subset(need->command);
    /* A loss and an accuracy of every set of heads. */
    int64_t n = hl_heads_count(&need->run->source.shape);
    size_t sets = need->command->shapley && n < 32 ? ((size_t)1 << n) * 2 * sizeof(double) : 0;
    need->bytes = hl_size_sum(hl_heads_model_bytes(need), of_subset ? f->evaluation : hl_size_sum(f->measures, sets));
    need->remedy = of_subset            ? "a run with a larger optimizer.accumulate needs less"
                   : sets > f->measures ? "without --shapley it needs less, and so does a run with fewer heads"
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
        hl_results_csv(&answer.csv, (hl_results){ hl_heads_importance_row_of, &study, study.importance.n });
        status = hl_heads_deliver(&call->command, &answer, call->out);
    }
    hl_heads_importance_free(&study);
    return status;
}

static hl_status run(hl_heads_call *call)
{
    HL_TRY(hl_heads_call_start(call, HL_DATA_READ, hl_heads_call_needs_loss));
    return is_of_subset(&call->command) ? show_subset(&call->model, &call->command, call->out) : show(call);
}

const hl_heads_verb hl_heads_verb_importance = {
    .name = "importance",
    .does = "how much the loss depends on each head, or on a set of heads",
    .example = "importance runs/copy_task",
    .help = hl_heads_help_importance,
    .options = "shapley step keep drop json csv task file",
    .shares = shares,
    .check = check,
    .memory = memory,
    .run = run,
};
