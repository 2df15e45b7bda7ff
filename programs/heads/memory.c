#include "programs/heads/memory.h"

#include "core/base/memory.h"
#include "heads/head_set.h"
#include "heads/recorder.h"
#include "programs/heads/input.h"
#include "programs/heads/maps.h"
#include "show/picture.h"
#include "study/model_examples.h"
#include "train/footprint.h"
#include "train/memory_check.h"

#include <stdint.h>

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* What stays in memory all the time. */
static size_t model_bytes(const hl_footprint *f)
{
    return hl_footprint_sum(f, HL_STANDS_MODEL);
}

/* A loss and an accuracy of every set of heads. */
static size_t sets_bytes(const hl_model_source *run, const hl_heads_command *command)
{
    int64_t n = hl_heads_count(&run->shape);
    return command->shapley && n < 32 ? ((size_t)1 << n) * 2 * sizeof(double) : 0;
}

static bool asks_figure(const hl_heads_command *command)
{
    return command->png != NULL || command->svg != NULL || command->pdf != NULL;
}

/* The tokens of the maps that are shown, at most. */
static int64_t shown_tokens(const hl_opened_model *run, const hl_heads_command *command)
{
    return command->input != NULL ? hl_heads_input_most(&run->source, command->input)
           : run->file != NULL    ? hl_opened_model_longest(run)
                                  : run->source.config.sizes.longest;
}

/* The run's heads without their weights: tokens and titles about as long as they will be. */
static hl_status memory_of_picture(const hl_model_source *run, bool one, int64_t T, hl_panel *panels,
                                   const char **tokens, hl_picture_memory *memory)
{
    static const hl_real none = 0;
    int64_t n = one ? 1 : hl_heads_count(&run->shape), rows[HL_MAX_LAYERS];
    for (int l = 0; l < run->shape.n_layers; l++) {
        rows[l] = one ? 1 : run->shape.heads[l];
    }
    for (int64_t i = 0; i < T; i++) {
        tokens[i] = hl_vocabulary_token(run->vocabulary, (int32_t)hl_vocabulary_size(run->vocabulary) - 1);
    }
    for (int64_t i = 0; i < n; i++) {
        panels[i] = (hl_panel){ .title = "L0H10 offset(-10) 0.50",
                                .weights = &none,
                                .n_queries = T,
                                .n_keys = T,
                                .stride = T,
                                .queries = tokens,
                                .keys = tokens };
    }
    hl_picture picture = {
        .panels = panels, .row_lengths = rows, .n_rows = one ? 1 : run->shape.n_layers, .caption = run->name
    };
    return hl_picture_memory_of(&picture, HL_HEADS_PNG_DPI, memory);
}

/* The largest of the figures that are asked for. One that cannot be drawn takes nothing: drawing it will say why. */
static hl_status figure_bytes(const hl_opened_model *run, const hl_heads_command *command, size_t *bytes)
{
    *bytes = 0;
    int64_t T = shown_tokens(run, command);
    if (!asks_figure(command) || T == 0) {
        return hl_ok();
    }
    hl_panel *panels = hl_calloc((size_t)hl_heads_count(&run->source.shape), sizeof *panels);
    const char **tokens = hl_calloc((size_t)T, sizeof *tokens);
    hl_picture_memory memory = { 0 };
    hl_status status = panels != NULL && tokens != NULL
                           ? memory_of_picture(&run->source, command->head != NULL, T, panels, tokens, &memory)
                           : hl_error_memory("a picture");
    hl_free(tokens);
    hl_free(panels);
    *bytes = larger(command->png != NULL ? memory.png : 0,
                    larger(command->svg != NULL ? memory.svg : 0, command->pdf != NULL ? memory.pdf : 0));
    return status.code == HL_INVALID ? hl_ok() : status;
}

/* The pass over an input, and the maps that it leaves. One that is empty or too long takes nothing: it is refused. */
static hl_status input_bytes(const hl_opened_model *run, const hl_heads_command *command, size_t *pass, size_t *maps)
{
    *pass = *maps = 0;
    int64_t T = shown_tokens(run, command);
    if (T == 0 || T > run->source.shape.max_length) {
        return hl_ok();
    }
    hl_model *model = hl_malloc(sizeof *model); /* too large for the stack of some threads */
    HL_NEED(model != NULL, "the model's sizes");
    hl_status status = hl_model_init(model, &run->source.shape);
    HL_THEN(status, hl_recorder_pass_bytes(model, T, T, run->source.threads, pass));
    hl_model_free(model);
    hl_free(model);
    *maps = hl_recorder_bytes(&run->source.shape, 1, T, 0);
    return status;
}

/* Maps that are shown, and the largest of what is made of them. JSON, CSV and BertViz's are written piece by piece. */
static hl_status maps_bytes(const hl_opened_model *run, const hl_heads_command *command, const hl_footprint *f,
                            size_t *bytes)
{
    size_t n = (size_t)hl_heads_count(&run->source.shape), T = (size_t)shown_tokens(run, command), figure, pass, maps;
    HL_TRY(figure_bytes(run, command, &figure));
    if (command->input != NULL) {
        HL_TRY(input_bytes(run, command, &pass, &maps));
        size_t joined = command->words ? maps : 0;
        size_t states = (size_t)(run->source.shape.n_layers + 1) * (size_t)run->source.shape.d_model * sizeof(hl_real);
        size_t hidden = command->npz != NULL ? hl_size_product(T, states) : 0;
        *bytes = hl_size_sum(hl_size_sum(model_bytes(f), hl_size_sum(maps, joined)),
                             larger(hl_size_sum(pass, hidden), figure));
        return hl_ok();
    }
    size_t means = command->example < 0 ? hl_size_product(n * sizeof(hl_real), hl_size_product(T, T)) : 0;
    size_t metrics = command->npz != NULL ? hl_size_sum(f->rows, hl_size_product(n * sizeof(double), n)) : 0;
    size_t maps_and_joined = command->words ? hl_size_sum(f->snapshot, f->snapshot) : f->snapshot;
    *bytes = hl_size_sum(hl_size_sum(f->vocabulary, maps_and_joined), hl_size_sum(means, larger(figure, metrics)));
    return hl_ok();
}

/* Without the libraries and maps. */
static size_t answer_bytes(const hl_opened_model *run, const hl_heads_command *command, const hl_footprint *f)
{
    size_t model = model_bytes(f);
    switch (hl_heads_command_question(command)) {
    case HL_HEADS_SUBSET:
        return hl_size_sum(model, f->evaluation);
    case HL_HEADS_IMPORTANCE:
        return hl_size_sum(model, hl_size_sum(f->measures, sets_bytes(&run->source, command)));
    case HL_HEADS_PRUNE: /* the pruned model beside the whole one */
        return hl_size_sum(hl_size_sum(model, f->weights),
                           larger(f->measures, hl_size_sum(f->snapshot, f->evaluation)));
    case HL_HEADS_TREEBANK: /* what the study takes hl_heads_memory_of_treebank tells */
        return hl_heads_command_looks(command) && f->end > f->libraries ? f->end - f->libraries : 0;
    case HL_HEADS_PROFILE: /* a snapshot, which is recorded where no file has it */
        if (run->file == NULL && run->source.open == NULL) {
            return hl_size_sum(f->vocabulary, f->snapshot);
        }
        break;
    case HL_HEADS_NO_QUESTION:
        break;
    }
    bool measured = hl_heads_command_asks_figures(command);
    return measured && f->end > f->libraries ? f->end - f->libraries : 0; /* 0 where it has no snapshot */
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
    bool looked_at = run->source.open != NULL;
    hl_status status =
        (looked_at ? hl_footprint_of_looked_at : hl_footprint_of_recorded)(config, (int64_t)run->n_steps, f);
    hl_free(config);
    return status;
}

static hl_status footprint_of(const hl_opened_model *run, hl_footprint *f)
{
    if (run->file != NULL) {
        return footprint_of_examined(run, f);
    }
    const hl_config *config = &run->source.config;
    if (run->source.folders != NULL) {
        return hl_footprint_of_recorded(config, 1, f);
    }
    return run->source.open != NULL
               ? hl_footprint_of_evaluated(config, f) /* running it on examples tells what they need */
               : hl_footprint_of_recorded(config, (int64_t)run->n_steps, f);
}

hl_status hl_heads_memory(const hl_opened_model *run, const hl_heads_command *command, size_t *bytes)
{
    hl_footprint f;
    size_t maps = 0;
    HL_TRY(footprint_of(run, &f));
    bool maps_shown = command->treebank == NULL && hl_heads_command_shows(command);
    HL_TRY(maps_shown ? maps_bytes(run, command, &f, &maps) : hl_ok());
    size_t answer = answer_bytes(run, command, &f);
    bool runs_model = answer > 0 || command->input != NULL;
    *bytes = hl_size_sum(f.libraries - (runs_model ? 0 : f.kernels), larger(answer, maps));
    return hl_ok();
}

/* Of both runs: the last snapshot, that of step 0, all metrics and maps; and those of one as text while the page is
 * made. */
hl_status hl_heads_memory_of_two(const hl_opened_model *first, const hl_opened_model *second, size_t *bytes)
{
    const hl_opened_model *runs[] = { first, second };
    size_t page = 0, most = 0;
    *bytes = 0;
    for (int i = 0; i < 2; i++) {
        hl_footprint f;
        HL_TRY(footprint_of(runs[i], &f));
        size_t snapshots = hl_size_sum(f.snapshot, f.snapshot);
        *bytes = hl_size_sum(*bytes, hl_size_sum(i == 0 ? f.libraries : 0,
                                                 hl_size_sum(model_bytes(&f), hl_size_sum(snapshots, f.readings))));
        page = larger(page, f.readings);
        most = larger(most, f.measures - f.snapshot);
    }
    *bytes = hl_size_sum(*bytes, larger(page, most));
    return hl_ok();
}

static const char *remedy(const hl_opened_model *run, const hl_heads_command *command, const hl_footprint *f)
{
    switch (hl_heads_command_question(command)) {
    case HL_HEADS_SUBSET:
        return "a run with a larger optimizer.accumulate needs less";
    case HL_HEADS_IMPORTANCE:
        if (sets_bytes(&run->source, command) > f->measures) {
            return "--importance without --shapley needs less, and so does a run with fewer heads";
        }
        return "a run with fewer patterns.examples or a larger optimizer.accumulate needs less";
    case HL_HEADS_PRUNE:
        return "a run with fewer patterns.examples or a larger optimizer.accumulate needs less";
    case HL_HEADS_TREEBANK:
    case HL_HEADS_PROFILE:
    case HL_HEADS_NO_QUESTION:
        break;
    }
    bool all = asks_figure(command) && command->head == NULL;
    if (command->input != NULL) {
        return all ? "the figure of one head (--head) needs less, and so do fewer tokens" : "fewer tokens need less";
    }
    if (all) {
        return "the figure of one head (--head) needs less, and so does a run with fewer patterns.examples";
    }
    if (hl_heads_command_asks_figures(command) && f->readings > f->snapshot) {
        return "the map of one head (--head) needs less, and so does a run with fewer snapshots (patterns.every)";
    }
    return "a run with fewer patterns.examples needs less";
}

static const char needs[] = "looking at its heads needs";

hl_status hl_heads_memory_check(const hl_opened_model *run, const hl_heads_command *command, hl_memory_at_hand at_hand)
{
    size_t bytes;
    hl_footprint f;
    HL_TRY(hl_heads_memory(run, command, &bytes));
    HL_TRY(footprint_of(run, &f));
    return hl_memory_check(bytes, at_hand, run->source.path, needs, remedy(run, command, &f));
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
 * stays, and before the table and the page, while what was counted stays. *less: what needs less. */
static hl_status treebank_bytes(const hl_syntax_study *study, const hl_syntax_question *question,
                                const hl_heads_command *command, size_t *bytes, const char **less)
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
    *less = others > making  ? remedy(study->model, command, &f)
            : question->null ? "--without-null needs less, and so does a lower --max-pieces"
                             : "a lower --max-pieces needs less, and so do fewer sentences";
    return hl_ok();
}

hl_status hl_heads_memory_of_treebank(const hl_syntax_study *study, const hl_syntax_question *question,
                                      const hl_heads_command *command, size_t *bytes)
{
    const char *less;
    return treebank_bytes(study, question, command, bytes, &less);
}

hl_status hl_heads_memory_check_treebank(const hl_syntax_study *study, const hl_syntax_question *question,
                                         const hl_heads_command *command, hl_memory_at_hand at_hand)
{
    size_t bytes;
    const char *less;
    HL_TRY(treebank_bytes(study, question, command, &bytes, &less));
    bytes -= hl_treebank_bytes(study->treebank); /* which has been taken from what was free */
    return hl_memory_check(bytes, at_hand, study->model->source.path, needs, less);
}
