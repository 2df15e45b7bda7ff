#include "core/base/memory.h"
#include "data/batch_storage.h"
#include "heads/head_set.h"
#include "heads/recorder.h"
#include "programs/heads/answers.h"
#include "programs/heads/deliver.h"
#include "programs/heads/examples.h"
#include "programs/heads/export.h"
#include "programs/heads/input.h"
#include "programs/heads/verb.h"
#include "show/picture.h"
#include "show/terminal_cells.h"
#include "show/terminal_map.h"
#include "study/block_maps.h"
#include "study/model_examples.h"
#include "study/output.h"
#include "study/study.h"
#include "study/view.h"
#include "train/terminal.h"

#include <stdint.h>

/* Which maps are shown, and how. */
typedef struct show {
    const hl_opened_model *run;
    const hl_heads_command *command;
    const hl_snapshot *maps;
    hl_heads_view view;
    int64_t head; /* the index of the only one; -1: all */
    FILE *out;
} show;

/* ---- the terminal ---- */

/* The maps of each layer begin a row of their own. */
static hl_status draw_layers(const hl_terminal *terminal, const hl_heads_view *view, hl_text *text)
{
    const hl_panel *panels = view->panels;
    for (int64_t l = 0; l < view->n_layers; panels += view->row_lengths[l++]) {
        HL_TRY(hl_terminal_heads(terminal, panels, view->row_lengths[l], text));
    }
    return hl_ok();
}

static hl_status draw(const show *s)
{
    hl_terminal terminal = hl_terminal_of(s->out);
    hl_text text = { 0 };
    if (s->command->input != NULL && s->command->blocks == 0) {
        hl_heads_answers_print(&text, &s->run->source, s->maps);
    }
    hl_text_fail(&text, s->head >= 0 ? hl_terminal_map(&terminal, &s->view.panels[s->head], &text)
                                     : draw_layers(&terminal, &s->view, &text));
    hl_terminal_put(&terminal, s->view.caption.bytes, terminal.width, &text); /* a folder's name may hold anything */
    hl_text_print(&text, "\n");
    if (s->head < 0) {
        hl_terminal_put(&terminal, "down: queries, across: keys; one head with its tokens: add its name, as in L0H0",
                        terminal.width, &text);
        hl_text_print(&text, "\n");
    }
    if (s->head >= 0 && s->view.labels != NULL && s->view.labels[s->head].kind == HL_LABEL_MIXED) {
        hl_text_print(&text, "%s is mixed: ", hl_head_name_at(&s->run->source.shape, s->head).text);
        hl_label_print_miss(&text, s->view.labels[s->head], s->run->source.relations);
        hl_text_print(&text, "\n");
    }
    return hl_output_put("-", &text, s->out);
}

/* ---- figures ---- */

static hl_status draw_figure(const void *context, hl_picture_format format, hl_text *bytes)
{
    const show *s = context;
    const hl_heads_view *view = &s->view;
    bool all = s->head < 0;
    hl_picture picture = { .panels = all ? view->panels : &view->panels[s->head],
                           .row_lengths = all ? view->row_lengths : (const int64_t[]){ 1 },
                           .n_rows = all ? view->n_layers : 1,
                           .caption = view->caption.bytes };
    return hl_picture_print(&picture, format, HL_HEADS_PNG_DPI, bytes);
}

/* ---- arrays ---- */

static hl_status print_bertviz(void *of, hl_text *text)
{
    const show *s = of;
    hl_heads_print_bertviz(text, &s->view, s->command->example >= 0 ? s->command->example : 0);
    return hl_ok();
}

/* Of an input with the rows between layers. */
static hl_status write_npz(const show *s)
{
    const hl_opened_model *run = s->run;
    if (s->command->input == NULL || s->command->blocks > 0) {
        return hl_heads_write_npz(s->command->files.npz, &s->view, s->command->input == NULL, NULL);
    }
    hl_batch_storage storage;
    hl_hidden_states hidden;
    HL_TRY(hl_batch_storage_of(&storage, &s->maps->examples, s->maps->examples.n_tokens));
    hl_status status =
        hl_hidden_states_make(&run->model, &storage.batch, s->command->writes, run->source.threads, &hidden);
    HL_THEN(status, hl_heads_write_npz(s->command->files.npz, &s->view, false, &hidden));
    hl_hidden_states_free(&hidden);
    hl_batch_storage_free(&storage);
    return status;
}

/* ---- for programs ---- */

static hl_status print_json(void *of, hl_text *text)
{
    const show *s = of;
    hl_heads_maps_json(text, &s->run->source, s->maps, &s->view, s->head,
                       s->command->input != NULL && s->command->blocks == 0);
    return hl_ok();
}

static hl_status print_csv(void *of, hl_text *text)
{
    const show *s = of;
    hl_heads_maps_csv(text, &s->view, s->head);
    return hl_ok();
}

/* ---- all of it ---- */

static hl_status show_view(show *s)
{
    const hl_heads_files *f = &s->command->files;
    HL_TRY(hl_heads_deliver_charts(s->command, draw_figure, s, s->out));
    HL_TRY(f->npz != NULL ? write_npz(s) : hl_ok());
    HL_TRY(f->bertviz != NULL ? hl_output_write(f->bertviz, s->out, print_bertviz, s) : hl_ok());
    HL_TRY(f->json != NULL ? hl_output_write(f->json, s->out, print_json, s) : hl_ok());
    HL_TRY(f->csv != NULL ? hl_output_write(f->csv, s->out, print_csv, s) : hl_ok());
    bool writes = hl_heads_command_draws(s->command) || f->npz != NULL || f->bertviz != NULL;
    return writes || hl_heads_command_fills_output(s->command) ? hl_ok() : draw(s);
}

static hl_status show_maps(const hl_heads_call *call, const hl_snapshot *maps)
{
    const hl_heads_command *command = &call->command;
    const hl_model_config *shape = &call->model.source.shape;
    show s = { .run = &call->model, .command = command, .maps = maps, .head = -1, .out = call->out };
    if (command->object != NULL) {
        hl_status found = hl_head_set_find(shape, command->object, &s.head);
        if (found.code != HL_OK) {
            return hl_error(found.code, "command line: %s", found.text);
        }
    }
    hl_heads_view_options options = { .example = command->example >= 0 ? command->example : HL_VIEW_ANY,
                                      .labeled = command->input == NULL && !command->norms,
                                      .words = command->words,
                                      .norms = command->norms };
    HL_TRY(hl_heads_view_make(&s.view, s.run, maps, options));
    if (command->blocks > 0) {
        hl_text_print(&s.view.caption, ", blocks of %lld tokens", (long long)command->blocks);
    }
    hl_status status = hl_text_status(&s.view.caption);
    HL_THEN(status, show_view(&s));
    hl_heads_view_free(&s.view);
    return status;
}

/* The maps of an input, of its tokens or in blocks. */
static hl_status show_input(hl_heads_call *call)
{
    const hl_heads_command *command = &call->command;
    hl_opened_model *run = &call->model;
    bool blocks = command->blocks > 0;
    hl_heads_input input;
    hl_block_maps maps = { 0 };
    HL_TRY(hl_opened_model_load(run, -1));
    HL_TRY(blocks ? hl_heads_input_read(&run->source, "input", command->input, &input)
                  : hl_heads_input_run(run, command->input, &input));
    hl_status status = blocks           ? hl_block_maps_make(run, &input.example, command->blocks, &maps)
                       : command->norms ? hl_model_maps_to_norms(run, &input.maps)
                                        : hl_ok();
    HL_THEN(status, show_maps(call, blocks ? &maps.maps : &input.maps));
    hl_block_maps_free(&maps);
    hl_heads_input_free(&input);
    return status;
}

static hl_status show_examples(hl_heads_call *call)
{
    const hl_snapshot *snapshot;
    int64_t step = call->command.step;
    HL_TRY(hl_opened_model_snapshot(&call->model, step, &snapshot));
    if (call->command.norms) {
        HL_TRY(hl_heads_load_weights(&call->model, snapshot->step, step >= 0));
        HL_TRY(hl_model_maps_to_norms(&call->model, snapshot));
    }
    return show_maps(call, snapshot);
}

/* Draws the maps of the command, or writes the requested files. It draws only if no picture or array is requested and
 * no file goes to the output. For an input, the tokens and the model's answers are printed above. */
static hl_status run(hl_heads_call *call)
{
    bool input = call->command.input != NULL;
    HL_TRY(hl_heads_call_start(call, HL_DATA_READ, input ? NULL : hl_heads_call_needs_examples));
    return input ? show_input(call) : show_examples(call);
}

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
