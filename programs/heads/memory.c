#include "programs/heads/memory.h"

#include "core/base/memory.h"
#include "heads/head_set.h"
#include "heads/norm_shares.h"
#include "programs/heads/input.h"
#include "programs/heads/verb.h"
#include "study/model_examples.h"

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* What stays in memory all the time. */
static size_t model_bytes(const hl_footprint *f)
{
    return hl_footprint_sum(f, HL_STANDS_MODEL);
}

/* As of a run that has taken its two snapshots, of these examples. */
static hl_status footprint_of_examined(const hl_opened_model *run, hl_footprint *f)
{
    hl_config *config = hl_malloc(sizeof *config); /* too large for the stack of some threads */
    HL_NEED(config != NULL, "the model's sizes");
    *config = run->source.config;
    config->sizes.longest = hl_opened_model_longest(run);
    config->sizes.examples[HL_TRAIN] = 0; /* patterns.budget_mb has been asked */
    config->patterns.examples = config->train.eval_examples = run->examples.n_examples;
    hl_footprint_use use = run->source.open != NULL ? HL_FOR_LOOKING : HL_FOR_TRAINING;
    hl_status status = hl_footprint_of(config, use, 1, (int64_t)run->n_steps, f);
    hl_free(config);
    return status;
}

static hl_status footprint_of(const hl_opened_model *run, hl_footprint *f)
{
    if (run->file != NULL) {
        return footprint_of_examined(run, f);
    }
    const hl_config *config = &run->source.config;
    bool several = run->source.folders != NULL, open = run->source.open != NULL && !several;
    /* Of an open model, running it on examples tells what they need. */
    return hl_footprint_of(config, open ? HL_FOR_EVALUATION : HL_FOR_TRAINING, 1, several ? 1 : (int64_t)run->n_steps,
                           f);
}

/* The answer of the verb, beside what always stands. */
hl_status hl_heads_memory(const hl_opened_model *run, const hl_heads_command *command, size_t *bytes,
                          const char **remedy)
{
    hl_footprint f;
    *remedy = HL_HEADS_LESS_EXAMPLES;
    *bytes = 0;
    HL_TRY(footprint_of(run, &f));
    if (command->verb->memory != NULL) {
        HL_TRY(command->verb->memory(run, command, &f, bytes, remedy));
    }
    *bytes = hl_size_sum(f.libraries - f.kernels, *bytes);
    return hl_ok();
}

hl_status hl_heads_bytes(const hl_opened_model *run, const hl_heads_command *command, hl_heads_bytes_of *bytes_of,
                         size_t *bytes)
{
    hl_model *model = hl_calloc(1, sizeof *model);
    HL_NEED(model != NULL, "the model's sizes");
    hl_status status = hl_model_init(model, &run->source.shape);
    HL_THEN(status, bytes_of(run, command, model, bytes));
    hl_model_free(model);
    hl_free(model);
    return status;
}

hl_examples hl_heads_examples_size(const hl_opened_model *run)
{
    const hl_config *config = &run->source.config;
    return run->file != NULL
               ? (hl_examples){ .n_examples = run->examples.n_examples, .n_tokens = hl_opened_model_longest(run) }
               : (hl_examples){ .n_examples = config->patterns.examples, .n_tokens = config->sizes.longest };
}

hl_status hl_heads_norms_bytes(const hl_opened_model *run, const hl_heads_command *command, const hl_model *model,
                               size_t *bytes)
{
    hl_examples examples = hl_heads_examples_size(run);
    int64_t T = command->input != NULL ? hl_heads_input_most(&run->source, command->input) : examples.n_tokens;
    *bytes = 0;
    return T == 0 || T > run->source.shape.max_length
               ? hl_ok() /* it will be refused */
               : hl_norm_shares_bytes(model, command->input != NULL ? 1 : examples.n_examples, T,
                                      run->source.rows_at_once, run->source.threads, bytes);
}

size_t hl_heads_study_bytes(const hl_footprint *f)
{
    return f->end > f->libraries ? f->end - f->libraries + f->kernels : 0;
}

const char *hl_heads_study_remedy(const hl_footprint *f)
{
    return f->readings > f->snapshot
               ? "the map of one head needs less, and so does a run with fewer snapshots (patterns.every)"
               : HL_HEADS_LESS_EXAMPLES;
}

hl_status hl_heads_page_memory(const hl_opened_model *run, const hl_heads_command *command, const hl_footprint *f,
                               size_t *bytes, const char **remedy)
{
    (void)run;
    *bytes = hl_heads_command_looks(command) ? hl_heads_study_bytes(f) : 0;
    *remedy = hl_heads_study_remedy(f);
    return hl_ok();
}

/* Of both runs: all metrics and maps, and the last snapshot. The heads are measured first. Then both snapshots of step
 * 0 are read and the page is made: metrics and maps of one run as text, and the passes of one, as those of the second
 * begin when a snapshot of the first is gone. */
hl_status hl_heads_memory_of_two(const hl_opened_model *first, const hl_opened_model *second, size_t *bytes)
{
    const hl_opened_model *runs[] = { first, second };
    size_t untrained = 0, page = 0, measuring = 0;
    *bytes = 0;
    for (int i = 0; i < 2; i++) {
        hl_footprint f;
        HL_TRY(footprint_of(runs[i], &f));
        size_t stands = hl_size_sum(model_bytes(&f), hl_size_sum(f.snapshot, f.readings));
        *bytes = hl_size_sum(*bytes, hl_size_sum(i == 0 ? f.libraries : 0, stands));
        untrained = hl_size_sum(untrained, f.snapshot);
        page = larger(page, hl_size_sum(f.readings, f.page));
        measuring = larger(measuring, f.measures - f.snapshot);
    }
    *bytes = hl_size_sum(*bytes, larger(measuring, hl_size_sum(untrained, page)));
    return hl_ok();
}

static const char needs[] = "looking at its heads needs";

hl_status hl_heads_memory_check(const hl_opened_model *run, const hl_heads_command *command, hl_memory_at_hand at_hand)
{
    size_t bytes;
    const char *remedy;
    HL_TRY(hl_heads_memory(run, command, &bytes, &remedy));
    return hl_memory_check(bytes, at_hand, run->source.path, needs, remedy);
}

hl_status hl_heads_memory_check_two(const hl_opened_model *first, const hl_opened_model *second,
                                    hl_memory_at_hand at_hand)
{
    size_t bytes;
    HL_TRY(hl_heads_memory_of_two(first, second, &bytes));
    return hl_memory_check(bytes, at_hand, first->source.path, "comparing it needs",
                           "runs with fewer patterns.examples need less");
}

/* Beside the treebank, which stands all the time, the study comes after the measures of --importance, whose snapshot
 * stays, and before the table and the page, while what was counted stays. */
hl_status hl_heads_memory_of_treebank(const hl_syntax_study *study, const hl_syntax_question *question,
                                      const hl_heads_command *command, size_t *bytes, const char **remedy)
{
    hl_footprint f;
    size_t making, kept, others = 0;
    HL_TRY(footprint_of(study->model, &f));
    HL_TRY(hl_syntax_study_bytes(study, question, &making, &kept));
    if (command->importance) {
        making = hl_size_sum(making, f.snapshot);
        others = f.measures;
    } else if (hl_heads_command_looks(command) && f.end > 0) {
        others = hl_size_sum(f.end - f.libraries - model_bytes(&f), kept);
    }
    size_t before = hl_size_sum(hl_size_sum(f.libraries, model_bytes(&f)), hl_treebank_bytes(study->treebank));
    *bytes = hl_size_sum(before, larger(making, others));
    *remedy = others > making  ? (command->importance ? HL_HEADS_LESS_MEASURING : hl_heads_study_remedy(&f))
              : question->null ? "--without-null needs less, and so does a lower --max-pieces"
                               : "a lower --max-pieces needs less, and so do fewer sentences";
    return hl_ok();
}

hl_status hl_heads_memory_check_treebank(const hl_syntax_study *study, const hl_syntax_question *question,
                                         const hl_heads_command *command, hl_memory_at_hand at_hand)
{
    size_t bytes;
    const char *remedy;
    HL_TRY(hl_heads_memory_of_treebank(study, question, command, &bytes, &remedy));
    bytes -= hl_treebank_bytes(study->treebank); /* which has been taken from what was free */
    return hl_memory_check(bytes, at_hand, study->model->source.path, needs, remedy);
}

hl_status hl_heads_memory_check_coreference(const hl_coreference_study *study, const hl_syntax_question *question,
                                            const hl_heads_command *command, hl_memory_at_hand at_hand)
{
    hl_footprint f;
    size_t making, counts = hl_coreference_counts_bytes(&study->text, hl_heads_count(&study->model->source.shape));
    size_t others = question->null ? hl_size_sum(counts, counts) : counts; /* stay while the page is made */
    HL_TRY(footprint_of(study->model, &f));
    HL_TRY(hl_coreference_study_bytes(study, question, &making));
    others =
        hl_heads_command_looks(command) && f.end > 0 ? hl_size_sum(f.end - f.libraries - model_bytes(&f), others) : 0;
    size_t bytes = hl_size_sum(larger(making, others), hl_size_sum(f.libraries, model_bytes(&f)));
    return hl_memory_check(bytes, at_hand, study->model->source.path, needs,
                           others > making  ? hl_heads_study_remedy(&f)
                           : question->null ? "--without-null needs less, and so does a lower --max-pieces"
                                            : "a lower --max-pieces needs less, and so do fewer documents");
}
