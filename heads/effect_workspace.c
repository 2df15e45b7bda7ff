#include "heads/private/effect_workspace.h"

#include <math.h>
#include <string.h>

int64_t hl_effect_workspace_heads(const hl_model *model)
{
    int64_t most = 0;
    for (int l = 0; l < model->config.n_layers; l++) {
        most = model->config.heads[l] > most ? model->config.heads[l] : most;
    }
    return most;
}

static int64_t widest(const hl_model *model)
{
    int64_t most = 0;
    for (int l = 0; l < model->config.n_layers; l++) {
        int64_t width = model->config.heads[l] * model->config.d_v[l];
        most = width > most ? width : most;
    }
    return most;
}

/* The arrays of a workspace in their order; the passes' arena is behind them. */
enum { LOSSES, GATES, INSTEAD, IDEAL, REPLACE, ROW_LOSSES, BETWEEN, ARRAYS };

static void measure_arrays(const hl_model *model, hl_effect_workspace_size size, size_t bytes[ARRAYS])
{
    size_t H = (size_t)hl_effect_workspace_heads(model), slice = (size_t)size.slice, T = (size_t)size.T;
    bytes[LOSSES] = (size_t)size.n * sizeof(double);
    bytes[GATES] = H * sizeof(hl_real);
    bytes[INSTEAD] = (size_t)widest(model) * sizeof(hl_real);
    bytes[IDEAL] = slice * T * T * sizeof(hl_real);
    bytes[REPLACE] = H * sizeof(const hl_real *);
    bytes[ROW_LOSSES] = slice * T * sizeof(hl_real);
    bytes[BETWEEN] = slice * T * (size_t)model->config.d_model * sizeof(hl_real);
}

hl_effect_workspace hl_effect_workspace_in(char *block, size_t bytes, const hl_model *model,
                                           hl_effect_workspace_size size)
{
    hl_effect_workspace workspace = { .arena = { .block = block, .capacity = bytes } };
    size_t sizes[ARRAYS];
    void *at[ARRAYS];
    measure_arrays(model, size, sizes);
    for (int i = 0; i < ARRAYS; i++) {
        at[i] = hl_arena_allocate(&workspace.arena, sizes[i]);
    }
    workspace.losses = at[LOSSES];
    workspace.gates = at[GATES];
    workspace.instead = at[INSTEAD];
    workspace.ideal = at[IDEAL];
    workspace.replace = at[REPLACE];
    workspace.row_losses = at[ROW_LOSSES];
    workspace.x = at[BETWEEN];
    return workspace;
}

/* ---- a pass ---- */

/* The arguments of a pass that all its layers have. */
typedef struct pass {
    const hl_model *model;
    const hl_batch *batch;
    hl_tape_options options;
    hl_arena *arena;
} pass;

static hl_tensor *layer_forward(const pass *p, hl_tape *tape, int layer, hl_tensor *x, const hl_head_probe *probe)
{
    hl_tape_begin(tape, p->arena, p->options);
    hl_attention_rules rules = hl_model_rules(p->model, p->batch);
    return hl_encoder_layer_forward(tape, &p->model->encoder.layers[layer], x, &rules, probe);
}

static void end_forward(const pass *p, hl_tape *tape, hl_tensor *x, hl_cross_entropy_result *result)
{
    hl_tape_begin(tape, p->arena, p->options);
    hl_model_loss_from(tape, p->model, p->batch, p->model->config.n_layers, x,
                       (hl_cross_entropy_args){ .result = result }, NULL);
}

hl_status hl_effect_workspace_pass(hl_effect_workspace *workspace, const hl_model *model, const hl_batch *batch,
                                   int layer, const hl_real *x, const hl_head_probe *probe, int threads)
{
    const pass p = { model, batch, { .threads = threads }, &workspace->arena };
    size_t mark = workspace->arena.used;
    hl_tensor in = { .shape = HL_SHAPE(batch->n_rows, model->config.d_model),
                     .data = (hl_real *)x }; /* never written: only outputs of ops are */
    hl_tape tape;
    for (int l = layer; l < model->config.n_layers; l++) {
        const hl_tensor *y = layer_forward(&p, &tape, l, &in, l == layer ? probe : NULL);
        if (y != NULL) {
            memcpy(workspace->x, y->data, (size_t)hl_shape_count(y->shape) * sizeof *workspace->x);
        }
        hl_arena_rewind(&workspace->arena, mark);
        HL_TRY(hl_tape_status(&tape));
        in.data = workspace->x;
    }
    hl_cross_entropy_result result = { .row_loss = workspace->row_losses };
    end_forward(&p, &tape, &in, &result);
    hl_arena_rewind(&workspace->arena, mark);
    HL_TRY(hl_tape_status(&tape));
    return isfinite(result.loss_sum)
               ? hl_ok()
               : hl_error(HL_NOT_FINITE, "the loss that the effects of heads are measured by is not finite");
}

/* ---- its memory ---- */

static void grow(size_t *most, const hl_tape *tape)
{
    *most = hl_tape_bytes(tape) > *most ? hl_tape_bytes(tape) : *most;
}

/* The most bytes that one layer of a pass needs, with everything that a probe may ask for. */
static hl_status plan_pass(const pass *p, size_t *most)
{
    static const hl_real nothing[1];
    *most = 0;
    hl_tape tape;
    hl_tensor x = { .shape = HL_SHAPE(p->batch->n_rows, p->model->config.d_model) };
    for (int l = 0; l < p->model->config.n_layers; l++) {
        hl_tensor gate = { .shape = HL_SHAPE(1, p->model->config.heads[l]) };
        layer_forward(p, &tape, l, &x, &(hl_head_probe){ .gate = &gate, .constant = nothing });
        grow(most, &tape);
        hl_arena_rewind(p->arena, 0);
        HL_TRY(hl_tape_status(&tape));
    }
    end_forward(p, &tape, &x, NULL);
    grow(most, &tape);
    hl_arena_rewind(p->arena, 0);
    return hl_tape_status(&tape);
}

hl_status hl_effect_workspace_plan(const hl_model *model, hl_effect_workspace_size size, int threads, size_t *bytes)
{
    hl_arena records;
    HL_TRY(hl_arena_init(&records, hl_model_record_bytes(model)));
    const hl_batch largest = hl_batch_largest(size.slice, size.T);
    const pass p = { model, &largest, { .threads = threads, .dry = true }, &records };
    size_t sizes[ARRAYS];
    hl_status status = plan_pass(&p, bytes);
    hl_arena_free(&records);
    measure_arrays(model, size, sizes);
    *bytes = hl_arena_round(*bytes);
    for (int i = 0; i < ARRAYS; i++) {
        *bytes += hl_arena_round(sizes[i]);
    }
    return status;
}
