#include "core/base/memory.h"
#include "heads/head_set.h"
#include "heads/recorder.h"
#include "programs/heads/examples.h"
#include "programs/heads/help.h"
#include "programs/heads/input.h"
#include "programs/heads/maps.h"
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

/* The tokens of the maps that are shown, at most; of blocks, the first tokens. */
static int64_t shown_tokens(const hl_heads_need *need)
{
    const hl_heads_command *command = need->command;
    int64_t block = command->blocks > 0 ? command->blocks : 1;
    return command->input != NULL ? (hl_heads_input_most(&need->run->source, command->input) + block - 1) / block
                                  : hl_heads_examples_size(need->run).n_tokens;
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
static hl_status figure_bytes(const hl_heads_need *need, size_t *bytes)
{
    const hl_heads_files *files = &need->command->files;
    *bytes = 0;
    int64_t T = shown_tokens(need);
    if (!hl_heads_command_draws(need->command) || T == 0) {
        return hl_ok();
    }
    hl_panel *panels = hl_calloc((size_t)hl_heads_count(&need->run->source.shape), sizeof *panels);
    const char **tokens = hl_calloc((size_t)T, sizeof *tokens);
    hl_picture_memory memory = { 0 };
    hl_status status =
        panels != NULL && tokens != NULL
            ? memory_of_picture(&need->run->source, need->command->object != NULL, T, panels, tokens, &memory)
            : hl_error_memory("a picture");
    hl_free(tokens);
    hl_free(panels);
    *bytes = hl_heads_larger(files->png != NULL ? memory.png : 0,
                             hl_heads_larger(files->svg != NULL ? memory.svg : 0, files->pdf != NULL ? memory.pdf : 0));
    return status.code == HL_INVALID ? hl_ok() : status;
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

/* The pass over an input, and the maps that it leaves. One that is empty or too long takes nothing: it is refused. */
static hl_status memory_of_input(hl_heads_need *need, size_t norms, size_t figure)
{
    const hl_heads_command *command = need->command;
    const hl_model_config *shape = &need->run->source.shape;
    int64_t tokens = hl_heads_input_most(&need->run->source, command->input);
    size_t T = (size_t)shown_tokens(need), pass, maps = 0;
    HL_TRY(hl_heads_bytes(need, hl_heads_input_bytes, &pass));
    if (tokens > 0 && tokens <= shape->max_length) {
        maps = command->blocks > 0 ? hl_block_maps_bytes(hl_heads_count(shape), tokens, command->blocks)
                                   : hl_recorder_bytes(shape, 1, tokens, 0);
    }
    size_t joined = command->words ? maps : 0, written = command->writes ? written_bytes(shape, T) : 0;
    size_t states = (size_t)(shape->n_layers + 1) * (size_t)shape->d_model * sizeof(hl_real);
    size_t hidden = command->files.npz != NULL && command->blocks == 0 ? hl_size_product(T, states) : 0;
    pass = hl_size_sum(pass, hl_size_sum(hidden, written));
    need->bytes = hl_size_sum(hl_size_sum(hl_heads_model_bytes(need), hl_size_sum(maps, joined)),
                              hl_heads_larger(hl_heads_larger(pass, norms), figure));
    return hl_ok();
}

/* Maps that are shown, and the largest of what is made of them. JSON, CSV and BertViz's are written piece by piece. */
static hl_status memory(hl_heads_need *need)
{
    const hl_heads_command *command = need->command;
    const hl_footprint *f = &need->f;
    size_t figure, norms = 0;
    HL_TRY(figure_bytes(need, &figure));
    HL_TRY(command->norms ? hl_heads_bytes(need, hl_heads_norms_bytes, &norms) : hl_ok());
    bool all = hl_heads_command_draws(command) && command->object == NULL;
    if (command->input != NULL) {
        need->remedy = all ? "the figure of one head needs less, and so do fewer tokens and --blocks"
                           : "fewer tokens need less, and so does --blocks";
        return memory_of_input(need, norms, figure);
    }
    size_t n = (size_t)hl_heads_count(&need->run->source.shape), T = (size_t)shown_tokens(need);
    size_t means = command->example < 0 ? hl_size_product(n * sizeof(hl_real), hl_size_product(T, T)) : 0;
    size_t metrics = command->files.npz != NULL ? hl_size_sum(f->rows, hl_size_product(n * sizeof(double), n)) : 0;
    size_t maps_and_joined = command->words ? hl_size_sum(f->snapshot, f->snapshot) : f->snapshot;
    if (command->norms) { /* the maps stand, and the model runs on their examples */
        norms = hl_size_sum(norms, hl_heads_model_bytes(need));
    }
    need->bytes = hl_size_sum(hl_size_sum(f->vocabulary, hl_size_sum(maps_and_joined, norms)),
                              hl_size_sum(means, hl_heads_larger(figure, metrics)));
    need->remedy = all ? "the figure of one head needs less, and so does a run with fewer patterns.examples"
                       : HL_HEADS_LESS_EXAMPLES;
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
