#include "core/base/memory.h"
#include "heads/head_set.h"
#include "heads/recorder.h"
#include "programs/heads/examples.h"
#include "programs/heads/help.h"
#include "programs/heads/input.h"
#include "programs/heads/maps.h"
#include "programs/heads/memory.h"
#include "programs/heads/verb.h"
#include "show/picture.h"
#include "study/block_maps.h"
#include "study/model_examples.h"

#include <stdint.h>

/* Maps are of one text, of sentences, or of a task's examples. */
static hl_status check(const hl_heads_command *command)
{
    bool input = command->input != NULL;
    if (input && command->step >= 0) {
        return hl_error(HL_INVALID, "command line: --input runs the last checkpoint's weights; leave --step out");
    }
    if (input && command->example >= 0) {
        return hl_error(HL_INVALID, "command line: --input and --example exclude each other: an input is one text");
    }
    if (command->writes && (!input || command->files.npz == NULL)) {
        return hl_error(HL_INVALID, "command line: --writes adds what heads write to an --npz file of an --input; give "
                                    "both");
    }
    if (command->blocks > 0 && (!input || command->words || command->norms || command->writes)) {
        return hl_error(HL_INVALID,
                        "command line: --blocks is for the maps of an --input, without --words, --norms and "
                        "--writes");
    }
    return hl_heads_examples_check(command);
}

/* ---- memory ---- */

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* The tokens of the maps that are shown, at most; of blocks, the first tokens. */
static int64_t shown_tokens(const hl_opened_model *run, const hl_heads_command *command)
{
    int64_t block = command->blocks > 0 ? command->blocks : 1;
    return command->input != NULL ? (hl_heads_input_most(&run->source, command->input) + block - 1) / block
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
    if (!hl_heads_command_draws(command) || T == 0) {
        return hl_ok();
    }
    hl_panel *panels = hl_calloc((size_t)hl_heads_count(&run->source.shape), sizeof *panels);
    const char **tokens = hl_calloc((size_t)T, sizeof *tokens);
    hl_picture_memory memory = { 0 };
    hl_status status = panels != NULL && tokens != NULL
                           ? memory_of_picture(&run->source, command->object != NULL, T, panels, tokens, &memory)
                           : hl_error_memory("a picture");
    hl_free(tokens);
    hl_free(panels);
    *bytes = larger(command->files.png != NULL ? memory.png : 0,
                    larger(command->files.svg != NULL ? memory.svg : 0, command->files.pdf != NULL ? memory.pdf : 0));
    return status.code == HL_INVALID ? hl_ok() : status;
}

/* The pass over an input, and the maps that it leaves. One that is empty or too long takes nothing: it is refused. */
static hl_status input_bytes(const hl_opened_model *run, const hl_heads_command *command, size_t *pass, size_t *maps)
{
    *pass = *maps = 0;
    int64_t T = hl_heads_input_most(&run->source, command->input);
    if (T == 0 || T > run->source.shape.max_length) {
        return hl_ok();
    }
    hl_model *model = hl_malloc(sizeof *model); /* too large for the stack of some threads */
    HL_NEED(model != NULL, "the model's sizes");
    hl_status status = hl_model_init(model, &run->source.shape);
    HL_THEN(status, hl_recorder_pass_bytes(model, T, T, run->source.threads, pass));
    hl_model_free(model);
    hl_free(model);
    *maps = command->blocks > 0 ? hl_block_maps_bytes(hl_heads_count(&run->source.shape), T, command->blocks)
                                : hl_recorder_bytes(&run->source.shape, 1, T, 0);
    return status;
}

/* z, twice for a while, and what heads write. */
static size_t written_bytes(const hl_model_config *shape, size_t T)
{
    size_t numbers = 0;
    for (int l = 0; l < shape->n_layers; l++) {
        numbers += (size_t)shape->heads[l] * (size_t)(2 * shape->d_v[l] + shape->d_model);
    }
    return hl_size_product(T, numbers * sizeof(hl_real));
}

/* Maps that are shown, and the largest of what is made of them. JSON, CSV and BertViz's are written piece by piece. */
static hl_status memory(const hl_opened_model *run, const hl_heads_command *command, const hl_footprint *f,
                        size_t *bytes, const char **remedy)
{
    size_t n = (size_t)hl_heads_count(&run->source.shape), T = (size_t)shown_tokens(run, command), figure, pass, maps;
    bool all = hl_heads_command_draws(command) && command->object == NULL;
    *remedy = command->input != NULL ? (all ? "the figure of one head needs less, and so do fewer tokens and --blocks"
                                            : "fewer tokens need less, and so does --blocks")
              : all ? "the figure of one head needs less, and so does a run with fewer patterns.examples"
                    : "a run with fewer patterns.examples needs less";
    size_t norms = 0;
    HL_TRY(figure_bytes(run, command, &figure));
    HL_TRY(command->norms ? hl_heads_bytes(run, command, hl_heads_norms_bytes, &norms) : hl_ok());
    if (command->input != NULL) {
        HL_TRY(input_bytes(run, command, &pass, &maps));
        size_t joined = command->words ? maps : 0;
        size_t states = (size_t)(run->source.shape.n_layers + 1) * (size_t)run->source.shape.d_model * sizeof(hl_real);
        size_t hidden = command->files.npz != NULL && command->blocks == 0 ? hl_size_product(T, states) : 0;
        size_t stands = hl_size_sum(f->kernels, hl_footprint_sum(f, HL_STANDS_MODEL));
        size_t written = command->writes ? written_bytes(&run->source.shape, T) : 0;
        *bytes = hl_size_sum(hl_size_sum(stands, hl_size_sum(maps, joined)),
                             larger(larger(hl_size_sum(pass, hl_size_sum(hidden, written)), norms), figure));
        return hl_ok();
    }
    size_t means = command->example < 0 ? hl_size_product(n * sizeof(hl_real), hl_size_product(T, T)) : 0;
    size_t metrics = command->files.npz != NULL ? hl_size_sum(f->rows, hl_size_product(n * sizeof(double), n)) : 0;
    size_t maps_and_joined = command->words ? hl_size_sum(f->snapshot, f->snapshot) : f->snapshot;
    if (command->norms) { /* the maps stand, and the model runs on their examples */
        norms = hl_size_sum(norms, hl_size_sum(f->kernels, hl_footprint_sum(f, HL_STANDS_MODEL)));
    }
    *bytes = hl_size_sum(hl_size_sum(f->vocabulary, hl_size_sum(maps_and_joined, norms)),
                         hl_size_sum(means, larger(figure, metrics)));
    return hl_ok();
}

/* ---- the verb ---- */

static hl_status run(hl_heads_call *call)
{
    HL_TRY(hl_heads_call_start(call, HL_DATA_READ, call->command.input != NULL ? NULL : hl_heads_call_needs_examples));
    return hl_heads_show(&call->model, &call->command, call->out);
}

const hl_heads_verb hl_heads_verb_map = {
    .name = "map",
    .does = "where heads look: maps in the terminal, as figures or as arrays",
    .example = "map runs/copy_task L1H0",
    .help = hl_heads_help_map,
    .options = "example input examples task file step blocks words norms writes png svg pdf json csv npz bertviz",
    .object = "HEAD",
    .check = check,
    .memory = memory,
    .run = run,
};
