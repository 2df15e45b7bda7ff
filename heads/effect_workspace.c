#include "heads/private/effect_workspace.h"

#include "core/base/private/block.h"
#include "heads/head_set.h"

#include <math.h>
#include <string.h>

/* The passes' arena is behind the arrays. */
static void lay_out(hl_effect_workspace *w, hl_block *block, const hl_model *model, hl_effect_workspace_size size)
{
    int64_t rows = size.slice * size.T;
    w->losses = hl_block_take(block, size.n, sizeof *w->losses);
    w->replace = hl_block_take(block, hl_heads_most(&model->config), sizeof *w->replace);
    w->z = hl_block_take(block, rows * hl_heads_width(&model->config), sizeof *w->z);
    w->ideal = hl_block_take(block, rows * size.T, sizeof *w->ideal);
    w->row_losses = hl_block_take(block, rows, sizeof *w->row_losses);
    w->x = hl_block_take(block, rows * model->config.d_model, sizeof *w->x);
}

hl_effect_workspace hl_effect_workspace_in(char *block, size_t bytes, const hl_model *model,
                                           hl_effect_workspace_size size)
{
    hl_effect_workspace workspace;
    hl_block arrays = { .memory = block };
    lay_out(&workspace, &arrays, model, size);
    workspace.arena = (hl_arena){ .block = block, .capacity = bytes, .used = hl_arena_round(arrays.bytes) };
    return workspace;
}

/* ---- a pass ---- */

/* How many rows go behind a layer's heads at once: their numbers stay in a second-level cache. A multiple of the blocks
 * that linear maps are computed by (core/kernels/private/linear_products.h), so that no sum changes. */
enum { ROWS_AT_ONCE = 256 };

/* The arguments of a pass that all its layers have. */
typedef struct pass {
    const hl_model *model;
    const hl_batch *batch;
    hl_tape_options options;
    hl_arena *arena;
    hl_effect_packed packed;
} pass;

/* Threads share as many rows as there are; without packed weights, these would be packed for every few rows. */
static int64_t rows_at_once(const pass *p)
{
    bool few = p->options.threads == 1 && p->packed.heads + p->packed.rest > 0 && p->batch->n_rows > ROWS_AT_ONCE;
    return few ? ROWS_AT_ONCE : p->batch->n_rows;
}

/* Begins a tape. With `kept` it makes or finds the packed weights that begin `at` numbers behind the first ones of the
 * layer. */
static void begin_tape(const pass *p, hl_tape *tape, int layer, int64_t at, hl_tape_kept *kept)
{
    hl_tape_options options = p->options;
    if (kept != NULL && p->packed.numbers != NULL) {
        kept->numbers = p->packed.numbers + layer * (p->packed.heads + p->packed.rest) + at;
        kept->made = p->packed.made || kept->made;
        options.memory.kept = kept;
    }
    hl_tape_begin(tape, p->arena, options);
}

/* z (N, H * Dv) of a layer's heads on x (N, D), in memory of the arena. */
static hl_tensor *heads_forward(const pass *p, hl_tape *tape, int layer, hl_tensor *x, const hl_head_probe *probe,
                                hl_tape_kept *kept)
{
    begin_tape(p, tape, layer, 0, kept);
    hl_attention_rules rules = hl_model_rules(p->model, p->batch);
    return hl_encoder_layer_heads(tape, &p->model->encoder.layers[layer], x, &rules, probe);
}

/* The layer's output for n rows of x and z. */
static hl_tensor *rest_forward(const pass *p, hl_tape *tape, int layer, hl_tensor *x, hl_tensor *z, hl_tape_kept *kept)
{
    begin_tape(p, tape, layer, p->packed.heads, kept);
    return hl_encoder_layer_from_heads(tape, &p->model->encoder.layers[layer], x, z);
}

static void end_forward(const pass *p, hl_tape *tape, hl_tensor *x, hl_cross_entropy_result *result)
{
    begin_tape(p, tape, 0, 0, NULL);
    hl_model_loss_from(tape, p->model, p->batch, p->model->config.n_layers, x,
                       (hl_cross_entropy_args){ .result = result }, NULL);
}

/* Rows of a tensor; never written: only outputs of ops are. */
static hl_tensor rows_of(const hl_real *numbers, int64_t first, int64_t n, int64_t width)
{
    return (hl_tensor){ .shape = HL_SHAPE(n, width), .data = (hl_real *)(numbers + first * width) };
}

/* Copies what was made on the tape to where it stays, and gives its memory back. */
static hl_status keep(const pass *p, hl_tape *tape, size_t mark, const hl_tensor *made, hl_real *to)
{
    hl_status status = hl_tape_status(tape);
    if (status.code == HL_OK) {
        memcpy(to, made->data, (size_t)hl_shape_count(made->shape) * sizeof *to);
    }
    hl_arena_rewind(p->arena, mark);
    return status;
}

/* Writes the layer's output to y, which may be x. */
static hl_status run_rest(const pass *p, int layer, const hl_real *x, const hl_real *z, hl_real *y)
{
    const hl_model_config *config = &p->model->config;
    int64_t D = config->d_model, N = p->batch->n_rows, most = rows_at_once(p);
    size_t mark = p->arena->used;
    for (int64_t first = 0; first < N; first += most) {
        int64_t n = N - first < most ? N - first : most;
        hl_tensor some_x = rows_of(x, first, n, D),
                  some_z = rows_of(z, first, n, config->heads[layer] * config->d_v[layer]);
        hl_tape tape;
        hl_tape_kept kept = { .made = first > 0 };
        const hl_tensor *some_y = rest_forward(p, &tape, layer, &some_x, &some_z, &kept);
        HL_TRY(keep(p, &tape, mark, some_y, y + first * D));
    }
    return hl_ok();
}

static hl_status run_layer(const pass *p, int layer, const hl_effect_workspace_begin *begin, const hl_real *x,
                           hl_real *y)
{
    bool first = layer == begin->layer;
    if (first && begin->z != NULL) {
        return run_rest(p, layer, x, begin->z, y);
    }
    const hl_head_probe probe = { .replace = first ? begin->replace : NULL };
    hl_tensor in = rows_of(x, 0, p->batch->n_rows, p->model->config.d_model);
    hl_tape tape;
    hl_tape_kept kept = { 0 };
    const hl_tensor *z = heads_forward(p, &tape, layer, &in, &probe, &kept);
    HL_TRY(hl_tape_status(&tape));
    return run_rest(p, layer, x, z->data, y);
}

hl_status hl_effect_workspace_pass(hl_effect_workspace *workspace, const hl_model *model, const hl_batch *batch,
                                   const hl_effect_workspace_begin *begin, const hl_effect_packed *packed, int threads)
{
    const pass p = {
        .model = model, .batch = batch, .options = { .threads = threads }, .arena = &workspace->arena, .packed = *packed
    };
    size_t mark = workspace->arena.used;
    const hl_real *x = begin->x;
    for (int l = begin->layer; l < model->config.n_layers; l++) {
        hl_status status = run_layer(&p, l, begin, x, workspace->x);
        hl_arena_rewind(&workspace->arena, mark);
        HL_TRY(status);
        x = workspace->x;
    }
    hl_cross_entropy_result result = { .row_loss = workspace->row_losses };
    hl_tensor in = rows_of(x, 0, batch->n_rows, model->config.d_model);
    hl_tape tape;
    end_forward(&p, &tape, &in, &result);
    hl_arena_rewind(&workspace->arena, mark);
    HL_TRY(hl_tape_status(&tape));
    return isfinite(result.loss_sum)
               ? hl_ok()
               : hl_error(HL_NOT_FINITE, "the loss that the effects of heads are measured by is not finite");
}

hl_status hl_effect_workspace_move(hl_arena *arena, const hl_model *model, const hl_batch *batch, int threads, int from,
                                   int to, hl_real *x, hl_real *z)
{
    const pass p = { .model = model, .batch = batch, .options = { .threads = threads }, .arena = arena };
    const hl_effect_workspace_begin begin = { .layer = from, .z = z };
    hl_tape tape;
    if (from < 0) {
        begin_tape(&p, &tape, 0, 0, NULL);
        const hl_tensor *embedded = hl_model_embed(&tape, model, batch);
        HL_TRY(keep(&p, &tape, 0, embedded, x));
    }
    for (int l = from < 0 ? 0 : from; l < to; l++) {
        hl_status status = run_layer(&p, l, &begin, x, x);
        hl_arena_rewind(arena, 0);
        HL_TRY(status);
    }
    hl_tensor in = rows_of(x, 0, batch->n_rows, model->config.d_model);
    const hl_tensor *heads = heads_forward(&p, &tape, to, &in, NULL, NULL);
    return keep(&p, &tape, 0, heads, z);
}

/* ---- its memory ---- */

static void grow(size_t *most, size_t bytes)
{
    *most = bytes > *most ? bytes : *most;
}

/* The most bytes that one layer of a dry pass needs: its heads, of which all is kept while the rest runs. And the
 * numbers of packed weights that a layer has. */
static hl_status plan_pass(const pass *p, size_t *most, hl_effect_packed *packed)
{
    hl_tape tape, rest;
    hl_tape_kept kept = { 0 };
    int64_t N = p->batch->n_rows, D = p->model->config.d_model;
    hl_tensor x = { .shape = HL_SHAPE(N, D) }, some_x = { .shape = HL_SHAPE(rows_at_once(p), D) };
    for (int l = 0; l < p->model->config.n_layers; l++) {
        hl_tensor some_z = { .shape =
                                 HL_SHAPE(some_x.shape.size[0], p->model->config.heads[l] * p->model->config.d_v[l]) };
        heads_forward(p, &tape, l, &x, NULL, &kept);
        rest_forward(p, &rest, l, &some_x, &some_z, &kept);
        grow(most, hl_arena_round(hl_tape_bytes(&tape)) + hl_tape_bytes(&rest));
        packed->heads = tape.memory.n_kept > packed->heads ? tape.memory.n_kept : packed->heads;
        packed->rest = rest.memory.n_kept > packed->rest ? rest.memory.n_kept : packed->rest;
        hl_arena_rewind(p->arena, 0);
        HL_TRY(hl_tape_status(&tape));
        HL_TRY(hl_tape_status(&rest));
    }
    end_forward(p, &tape, &x, NULL);
    grow(most, hl_tape_bytes(&tape));
    hl_arena_rewind(p->arena, 0);
    return hl_tape_status(&tape);
}

static hl_status plan(const hl_model *model, hl_batch largest, const hl_effect_packed *packed, int threads,
                      size_t *most, hl_effect_packed *counted)
{
    hl_arena records;
    *most = 0;
    *counted = (hl_effect_packed){ 0 };
    HL_TRY(hl_arena_init(&records, hl_model_record_bytes(model)));
    const pass p = { .model = model,
                     .batch = &largest,
                     .options = { .threads = threads, .memory = { .dry = true } },
                     .arena = &records,
                     .packed = *packed };
    hl_status status = plan_pass(&p, most, counted);
    hl_arena_free(&records);
    return status;
}

hl_status hl_effect_workspace_plan(const hl_model *model, hl_effect_workspace_size size, const hl_effect_packed *packed,
                                   int threads, size_t *bytes)
{
    hl_effect_workspace workspace;
    hl_effect_packed same;
    hl_block arrays = { 0 };
    HL_TRY(plan(model, hl_batch_largest(size.slice, size.T), packed, threads, bytes, &same));
    lay_out(&workspace, &arrays, model, size);
    *bytes = hl_arena_round(*bytes) + hl_arena_round(arrays.bytes);
    return hl_ok();
}

hl_status hl_effect_packed_plan(const hl_model *model, hl_effect_packed *packed)
{
    size_t bytes;
    return plan(model, hl_batch_largest(1, 1), &(hl_effect_packed){ 0 }, 1, &bytes, packed);
}
