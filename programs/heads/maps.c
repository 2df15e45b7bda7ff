#include "programs/heads/maps.h"

#include "data/batch_storage.h"
#include "heads/head_set.h"
#include "programs/heads/answers.h"
#include "programs/heads/deliver.h"
#include "programs/heads/export.h"
#include "programs/heads/input.h"
#include "show/terminal_cells.h"
#include "show/terminal_map.h"
#include "study/block_maps.h"
#include "study/model_examples.h"
#include "study/output.h"
#include "study/study.h"
#include "study/view.h"
#include "train/terminal.h"

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
    return hl_heads_print_bertviz(text, &s->view, s->command->example >= 0 ? s->command->example : 0);
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

static hl_status show_maps(const hl_opened_model *run, const hl_heads_command *command, const hl_snapshot *maps,
                           FILE *out)
{
    show s = { .run = run, .command = command, .maps = maps, .head = -1, .out = out };
    if (command->object != NULL) {
        hl_status found = hl_head_set_find(&run->source.shape, command->object, &s.head);
        if (found.code != HL_OK) {
            return hl_error(found.code, "command line: %s", found.text);
        }
    }
    hl_heads_view_options options = { .example = command->example >= 0 ? command->example : HL_VIEW_ANY,
                                      .labeled = command->input == NULL && !command->norms,
                                      .words = command->words,
                                      .norms = command->norms };
    HL_TRY(hl_heads_view_make(&s.view, run, maps, options));
    if (command->blocks > 0) {
        hl_text_print(&s.view.caption, ", blocks of %lld tokens", (long long)command->blocks);
    }
    hl_status status = hl_text_status(&s.view.caption);
    HL_THEN(status, show_view(&s));
    hl_heads_view_free(&s.view);
    return status;
}

/* The maps of an input in blocks. */
static hl_status show_blocks(hl_opened_model *run, const hl_heads_command *command, FILE *out)
{
    hl_heads_input input;
    hl_block_maps maps = { 0 };
    HL_TRY(hl_heads_input_read(&run->source, "input", command->input, &input));
    hl_status status = hl_block_maps_make(run, &input.example, command->blocks, &maps);
    HL_THEN(status, show_maps(run, command, &maps.maps, out));
    hl_block_maps_free(&maps);
    hl_heads_input_free(&input);
    return status;
}

hl_status hl_heads_show(hl_opened_model *run, const hl_heads_command *command, FILE *out)
{
    if (command->input != NULL) {
        hl_heads_input input;
        HL_TRY(hl_opened_model_load(run, -1));
        if (command->blocks > 0) {
            return show_blocks(run, command, out);
        }
        HL_TRY(hl_heads_input_run(run, command->input, &input));
        hl_status status = command->norms ? hl_model_maps_to_norms(run, &input.maps) : hl_ok();
        HL_THEN(status, show_maps(run, command, &input.maps, out));
        hl_heads_input_free(&input);
        return status;
    }
    const hl_snapshot *snapshot;
    HL_TRY(hl_opened_model_snapshot(run, command->step, &snapshot));
    if (command->norms) {
        HL_TRY(hl_heads_load_weights(run, snapshot->step, command->step >= 0));
        HL_TRY(hl_model_maps_to_norms(run, snapshot));
    }
    return show_maps(run, command, snapshot, out);
}
