#include "programs/heads/memory.h"

#include "core/base/memory.h"
#include "heads/head_set.h"
#include "heads/norm_shares.h"
#include "heads/recorder.h"
#include "programs/heads/input.h"
#include "programs/heads/verb.h"
#include "study/model_examples.h"

size_t hl_heads_larger(size_t a, size_t b)
{
    return a > b ? a : b;
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

hl_status hl_heads_memory(const hl_opened_model *run, const hl_heads_command *command, hl_heads_need *need)
{
    *need = (hl_heads_need){ .run = run, .command = command, .remedy = HL_HEADS_LESS_EXAMPLES };
    HL_TRY(footprint_of(run, &need->f));
    HL_TRY(command->verb->memory != NULL ? command->verb->memory(need) : hl_ok());
    need->bytes = hl_size_sum(need->f.libraries - need->f.kernels, need->bytes);
    return hl_ok();
}

hl_status hl_heads_need_check(const hl_heads_need *need, hl_memory_at_hand at_hand)
{
    const char *what = need->command != NULL ? "looking at its heads needs" : "comparing it needs";
    return hl_memory_check(need->bytes - need->there, at_hand, need->run->source.path, what, need->remedy);
}

/* ---- parts of what verbs need ---- */

hl_status hl_heads_bytes(const hl_heads_need *need, hl_heads_bytes_of *bytes_of, size_t *bytes)
{
    hl_model model = { 0 };
    hl_status status = hl_model_init(&model, &need->run->source.shape);
    HL_THEN(status, bytes_of(need, &model, bytes));
    hl_model_free(&model);
    return status;
}

hl_examples hl_heads_examples_size(const hl_opened_model *run)
{
    const hl_config *config = &run->source.config;
    return run->file != NULL
               ? (hl_examples){ .n_examples = run->examples.n_examples, .n_tokens = hl_opened_model_longest(run) }
               : (hl_examples){ .n_examples = config->patterns.examples, .n_tokens = config->sizes.longest };
}

/* What the model is run on: an input, or the examples. */
static hl_examples size_of_pass(const hl_heads_need *need)
{
    const char *input = need->command->input;
    return input != NULL ? (hl_examples){ .n_examples = 1, .n_tokens = hl_heads_input_most(&need->run->source, input) }
                         : hl_heads_examples_size(need->run);
}

hl_status hl_heads_input_bytes(const hl_heads_need *need, const hl_model *model, size_t *bytes)
{
    int64_t T = size_of_pass(need).n_tokens;
    *bytes = 0;
    return T == 0 || T > need->run->source.shape.max_length
               ? hl_ok()
               : hl_recorder_pass_bytes(model, T, T, need->run->source.threads, bytes);
}

hl_status hl_heads_norms_bytes(const hl_heads_need *need, const hl_model *model, size_t *bytes)
{
    const hl_model_source *run = &need->run->source;
    hl_examples pass = size_of_pass(need);
    *bytes = 0;
    return pass.n_tokens == 0 || pass.n_tokens > run->shape.max_length
               ? hl_ok() /* it will be refused */
               : hl_norm_shares_bytes(model, pass.n_examples, pass.n_tokens, run->rows_at_once, run->threads, bytes);
}

size_t hl_heads_model_bytes(const hl_heads_need *need)
{
    return hl_size_sum(need->f.kernels, hl_footprint_sum(&need->f, HL_STANDS_MODEL));
}

size_t hl_heads_study_bytes(const hl_heads_need *need)
{
    const hl_footprint *f = &need->f;
    return f->end > f->libraries ? f->end - f->libraries + f->kernels : 0;
}

static const char *study_remedy(const hl_footprint *f)
{
    return f->readings > f->snapshot
               ? "the map of one head needs less, and so does a run with fewer snapshots (patterns.every)"
               : HL_HEADS_LESS_EXAMPLES;
}

hl_status hl_heads_study_memory(hl_heads_need *need)
{
    need->bytes = hl_heads_study_bytes(need);
    need->remedy = study_remedy(&need->f);
    return hl_ok();
}

hl_status hl_heads_page_memory(hl_heads_need *need)
{
    HL_TRY(hl_heads_study_memory(need));
    need->bytes = hl_heads_command_looks(need->command) ? need->bytes : 0;
    return hl_ok();
}

/* ---- needs of their own ---- */

/* Of both runs: all metrics and maps, and the last snapshot. The heads are measured first. Then both snapshots of step
 * 0 are read and the page is made: metrics and maps of one run as text, and the passes of one, as those of the second
 * begin when a snapshot of the first is gone. */
hl_status hl_heads_memory_of_two(const hl_opened_model *first, const hl_opened_model *second, hl_heads_need *need)
{
    const hl_opened_model *runs[] = { first, second };
    size_t untrained = 0, page = 0, measuring = 0;
    *need = (hl_heads_need){ .run = first, .remedy = "runs with fewer patterns.examples need less" };
    for (int i = 0; i < 2; i++) {
        hl_footprint *f = &need->f;
        HL_TRY(footprint_of(runs[i], f));
        size_t stands = hl_size_sum(hl_footprint_sum(f, HL_STANDS_MODEL), hl_size_sum(f->snapshot, f->readings));
        need->bytes = hl_size_sum(need->bytes, hl_size_sum(i == 0 ? f->libraries : 0, stands));
        untrained = hl_size_sum(untrained, f->snapshot);
        page = hl_heads_larger(page, hl_size_sum(f->readings, f->page));
        measuring = hl_heads_larger(measuring, f->measures - f->snapshot);
    }
    need->bytes = hl_size_sum(need->bytes, hl_heads_larger(measuring, hl_size_sum(untrained, page)));
    return hl_ok();
}

/* Adds a study that takes `making` while it is made and `kept` from then on; or `others`, which are measured at
 * another time, if they need more. Without others that is the page, where one is asked for. `fewer`: the remedy
 * without null. */
static void add_study(hl_heads_need *need, bool null, size_t making, size_t kept, size_t others, const char *fewer)
{
    const hl_footprint *f = &need->f;
    size_t model = hl_size_sum(f->libraries, hl_footprint_sum(f, HL_STANDS_MODEL));
    need->remedy = HL_HEADS_LESS_MEASURING;
    if (others == 0 && hl_heads_command_looks(need->command) && f->end > 0) {
        others = hl_size_sum(f->end - model, kept);
        need->remedy = study_remedy(f);
    }
    need->bytes = hl_size_sum(need->there, hl_size_sum(model, hl_heads_larger(making, others)));
    if (others <= making) {
        need->remedy = null ? "--without-null needs less, and so does a lower --max-pieces" : fewer;
    }
}

/* Beside the treebank, which stands all the time, the study comes after the measures of --importance, whose snapshot
 * stays, and before the table and the page. */
hl_status hl_heads_memory_of_treebank(const hl_syntax_study *study, const hl_syntax_question *question,
                                      const hl_heads_command *command, hl_heads_need *need)
{
    size_t making, kept;
    *need = (hl_heads_need){ .run = study->model, .command = command, .there = hl_treebank_bytes(study->treebank) };
    HL_TRY(footprint_of(study->model, &need->f));
    HL_TRY(hl_syntax_study_bytes(study, question, &making, &kept));
    making = hl_size_sum(making, command->importance ? need->f.snapshot : 0);
    add_study(need, question->null, making, kept, command->importance ? need->f.measures : 0,
              "a lower --max-pieces needs less, and so do fewer sentences");
    return hl_ok();
}

hl_status hl_heads_memory_of_coreference(const hl_coreference_study *study, const hl_syntax_question *question,
                                         const hl_heads_command *command, hl_heads_need *need)
{
    size_t making, counts = hl_coreference_counts_bytes(&study->text, hl_heads_count(&study->model->source.shape));
    *need = (hl_heads_need){ .run = study->model, .command = command };
    HL_TRY(footprint_of(study->model, &need->f));
    HL_TRY(hl_coreference_study_bytes(study, question, &making));
    add_study(need, question->null, making, question->null ? hl_size_sum(counts, counts) : counts, 0,
              "a lower --max-pieces needs less, and so do fewer documents");
    return hl_ok();
}
