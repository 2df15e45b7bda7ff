#include "programs/heads/questions.h"

#include "core/base/memory.h"
#include "heads/shapley.h"
#include "heads/snapshot.h"
#include "programs/heads/deliver.h"
#include "programs/heads/importance_syntax.h"
#include "programs/heads/importance_table.h"
#include "programs/heads/memory.h"
#include "programs/heads/treebank.h"
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

static hl_status measure(hl_heads_importance *study, hl_opened_model *run, const hl_heads_command *command,
                         const hl_share *share, FILE *err)
{
    int64_t n = hl_heads_count(&run->source.shape);
    if (command->shapley && n > HL_ALL_SUBSETS_MOST_HEADS) {
        return hl_error(HL_INVALID,
                        "command line: --shapley: %s has %lld heads, and their sets are too many to measure them all; "
                        "%d heads are the most; use --importance",
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
    return command->shapley ? measure_subsets(study, run, snapshot, share, err) : hl_ok();
}

static hl_status deliver_both(const hl_heads_importance *importance, const hl_syntax_study *syntax,
                              const hl_heads_command *command, FILE *out)
{
    hl_heads_importance_syntax both;
    HL_TRY(hl_heads_importance_syntax_make(&both, importance, syntax));
    hl_heads_answer answer = { 0 };
    hl_heads_importance_syntax_answer(&answer, &both);
    hl_heads_importance_syntax_free(&both);
    return hl_heads_deliver(command, &answer, out);
}

/* Reads the treebank before anything is measured. */
static hl_status join_treebank(hl_heads_importance *study, hl_opened_model *run, const hl_heads_command *command,
                               const hl_share *share, FILE *out, FILE *err)
{
    hl_waiting waiting = { .out = err };
    hl_syntax_question question = hl_heads_treebank_question(command, &waiting);
    question.null = false;
    hl_syntax_study syntax;
    hl_status status = hl_syntax_study_read(&syntax, run, &question);
    HL_THEN(status, hl_heads_memory_check_treebank(&syntax, &question, command, hl_memory_at_hand_now()));
    HL_THEN(status, measure(study, run, command, share, err));
    HL_THEN(status, hl_syntax_study_make(&syntax, &question));
    hl_waiting_end(&waiting);
    HL_THEN(status, deliver_both(study, &syntax, command, out));
    hl_syntax_study_free(&syntax);
    return status;
}

static hl_status show_alone(hl_heads_importance *study, hl_opened_model *run, const hl_heads_command *command,
                            const hl_share *share, FILE *out, FILE *err)
{
    hl_heads_answer answer = { 0 };
    HL_TRY(measure(study, run, command, share, err));
    hl_heads_importance_table(&answer.table, study);
    hl_heads_importance_json(&answer.json, study);
    hl_heads_importance_csv(&answer.csv, study);
    return hl_heads_deliver(command, &answer, out);
}

hl_status hl_heads_importance_show(hl_opened_model *run, const hl_heads_command *command, const hl_share *share,
                                   FILE *out, FILE *err)
{
    hl_heads_importance study = { .run = &run->source };
    hl_status status;
    if (share != NULL && share->index > 0) {
        status = measure(&study, run, command, share, err);
    } else if (command->treebank != NULL) {
        status = join_treebank(&study, run, command, share, out, err);
    } else {
        status = show_alone(&study, run, command, share, out, err);
    }
    hl_all_subsets_free(&study.subsets);
    hl_importance_free(&study.importance);
    hl_free(study.labels);
    return status;
}
