#include "heads/private/effect_losses.h"

#include "core/base/memory.h"
#include "core/base/private/block.h"
#include "heads/head_set.h"

#include <math.h>

/* Set-up */

/* The targets that have a loss, which those that the model does not know have not. */
static int64_t count_known(const hl_batch *batch, int64_t example)
{
    hl_batch one = hl_batch_slice(batch, example, 1);
    int64_t known = 0;
    for (int64_t i = 0; i < one.n_targets; i++) {
        known += one.target_ids[i] != HL_IGNORE;
    }
    return known;
}

/* Only gates need gradients, so parameters need no memory for theirs. */
static void freeze_parameters(hl_effect_losses *s)
{
    const hl_parameters *parameters = &s->model->parameters;
    for (int i = 0; i < parameters->n; i++) {
        s->learned[i] = parameters->list[i].tensor->requires_grad;
        parameters->list[i].tensor->requires_grad = false;
    }
}

void hl_effect_losses_free(hl_effect_losses *s)
{
    const hl_parameters *parameters = &s->model->parameters;
    for (int i = 0; s->learned != NULL && i < parameters->n; i++) {
        parameters->list[i].tensor->requires_grad = s->learned[i];
    }
    s->learned = NULL;
    hl_free(s->pass);
    hl_free(s->numbers);
    hl_free(s->packed.numbers);
    hl_batch_storage_free(&s->storage);
    hl_tape_plan_free(&s->plan);
    hl_arena_free(&s->arena);
}

/* The model's loss on some of the examples, with a gate for each head of each layer: s->layer_gates. */
static hl_tensor *gated_loss(hl_tape *tape, const hl_effect_losses *s, const hl_batch *batch)
{
    for (int l = 0; l < s->model->config.n_layers; l++) {
        const hl_real *gates = s->gates + l * s->slice * hl_heads_most(&s->model->config);
        s->layer_gates[l] = hl_tape_tensor(tape, HL_SHAPE(batch->n_examples, s->model->config.heads[l]), gates, true);
        s->probes[l] = (hl_head_probe){ .gate = s->layer_gates[l] };
    }
    return hl_model_loss(tape, s->model, batch, (hl_cross_entropy_args){ 0 }, s->probes);
}

static hl_tape_options with_gradients(const hl_effect_losses *s)
{
    return (hl_tape_options){ .threads = s->threads, .gradients = true, .memory = { .reuse = true } };
}

static hl_status record_gradients(hl_tape *tape, void *context)
{
    const hl_effect_losses *s = context;
    hl_batch largest = hl_batch_largest(s->slice, s->T);
    return hl_tape_backward(tape, gated_loss(tape, s, &largest));
}

static size_t packed_bytes(const hl_effect_losses *s)
{
    return (size_t)s->model->config.n_layers * (size_t)(s->packed.heads + s->packed.rest) * sizeof(hl_real);
}

/* The bytes of the arena. Weights are packed where that takes little beside it. Workspaces use the memory of the pass
 * with gradients, which is over by then and larger than one of them. */
static hl_status plan(hl_effect_losses *s, size_t *bytes)
{
    const hl_effect_workspace_size size = { s->n, s->slice, s->T };
    size_t alone;
    HL_TRY(hl_tape_plan_pass(hl_model_record_bytes(s->model), with_gradients(s), record_gradients, s, &s->plan));
    HL_TRY(hl_effect_packed_plan(s->model, &s->packed));
    s->packed = packed_bytes(s) <= s->plan.bytes / 4 ? s->packed : (hl_effect_packed){ 0 };
    HL_TRY(hl_effect_workspace_plan(s->model, size, &s->packed, 1, &s->workspace));
    HL_TRY(hl_effect_workspace_plan(s->model, size, &s->packed, s->threads, &alone));
    *bytes = s->plan.bytes > alone ? s->plan.bytes : alone;
    return hl_ok();
}

static int64_t count_gates(const hl_effect_losses *s)
{
    return s->model->config.n_layers * s->slice * hl_heads_most(&s->model->config);
}

static void lay_out_pass(void *context, hl_block *block)
{
    hl_effect_losses *s = context;
    int L = s->model->config.n_layers;
    s->layer_gates = hl_block_take(block, L, sizeof *s->layer_gates);
    s->probes = hl_block_take(block, L, sizeof *s->probes);
    s->gates = hl_block_take(block, count_gates(s), sizeof *s->gates);
    s->learned = hl_block_take(block, s->model->parameters.n, sizeof *s->learned);
}

static void lay_out_numbers(void *context, hl_block *block)
{
    hl_effect_losses *s = context;
    const hl_model_config *c = &s->model->config;
    s->losses = hl_block_take(block, s->n, sizeof *s->losses);
    s->x = hl_block_take(block, s->n_rows * c->d_model, sizeof *s->x);
    s->z = hl_block_take(block, s->n_rows, (size_t)hl_heads_width(c) * sizeof *s->z);
    s->row_losses = hl_block_take(block, s->slice * s->T, sizeof *s->row_losses);
    s->rows = hl_block_take(block, s->n, sizeof *s->rows);
}

static hl_status begin_pass(hl_effect_losses *s, size_t *bytes)
{
    s->slice = s->slice < s->n ? s->slice : s->n;
    HL_TRY(hl_block_make(&s->pass, lay_out_pass, s, "the effects of heads"));
    freeze_parameters(s);
    return plan(s, bytes);
}

static hl_status plan_all(hl_effect_losses *s, size_t *bytes)
{
    HL_TRY(begin_pass(s, bytes));
    size_t gates = (size_t)count_gates(s) * sizeof *s->gates;
    *bytes = hl_size_sum(*bytes, hl_size_sum(hl_block_bytes(lay_out_numbers, s), gates));
    *bytes = hl_size_sum(*bytes, hl_size_sum(packed_bytes(s), hl_batch_storage_bytes(s->n, s->n_rows)));
    return hl_ok();
}

hl_status hl_effect_losses_plan(const hl_model *model, int64_t n, int64_t slice, int64_t T, int threads, size_t *bytes)
{
    hl_effect_losses s = { .model = model, .threads = threads, .n = n, .n_rows = n * T, .T = T, .slice = slice };
    hl_status status = plan_all(&s, bytes);
    hl_effect_losses_free(&s);
    return status;
}

/* Counts the scoring examples that have a target with a loss, and their tokens; lists them in `rows`, unless it is
 * NULL. */
static void choose_examples(hl_effect_losses *s, const hl_examples *examples, int64_t *rows)
{
    hl_patterns scoring = hl_patterns_scoring(&s->layers[0]);
    s->n = s->n_rows = 0;
    for (int64_t e = 0; e < scoring.n_examples; e++) {
        int64_t row = scoring.first + e * (1 + scoring.gap), t = row * s->T, end = t + s->T;
        while (t < end && examples->targets[t] < 0) {
            t++;
        }
        if (t < end) {
            s->n_rows += examples->lengths[row];
            if (rows != NULL) {
                rows[s->n] = row;
            }
            s->n++;
        }
    }
}

hl_status hl_effect_losses_begin(hl_effect_losses *s, const hl_examples *examples)
{
    s->layer = -1;
    HL_TRY(hl_parameters_check_allocated(&s->model->parameters));
    if (s->slice < 1) {
        return hl_error(HL_INVALID, "slices of %lld examples cannot be", (long long)s->slice);
    }
    s->T = examples->n_tokens;
    choose_examples(s, examples, NULL);
    HL_TRY(s->n > 0 ? hl_ok()
                    : hl_error(HL_INVALID, "no example has a scored token that a head could have an effect on"));
    size_t bytes;
    HL_TRY(begin_pass(s, &bytes));
    HL_TRY(hl_block_make(&s->numbers, lay_out_numbers, s, "the effects of heads"));
    choose_examples(s, examples, s->rows);
    HL_TRY(hl_batch_storage_init(&s->storage, s->n, s->n_rows, s->T));
    HL_TRY(examples->types != NULL ? hl_batch_storage_take_types(&s->storage) : hl_ok());
    for (int64_t e = 0; e < s->n; e++) {
        HL_TRY(hl_batch_storage_add_example(&s->storage, examples, s->rows[e]));
    }
    s->storage.batch.longest = s->T; /* the size of ideal patterns */
    if (packed_bytes(s) > 0) {
        s->packed.numbers = hl_calloc(packed_bytes(s), 1);
        HL_NEED(s->packed.numbers != NULL, "the packed weights of the model");
    }
    return hl_arena_init(&s->arena, bytes);
}

/* Passes */

hl_batch hl_effect_losses_slice(const hl_effect_losses *s, int64_t first)
{
    return hl_batch_slice(&s->storage.batch, first, s->n - first < s->slice ? s->n - first : s->slice);
}

hl_status hl_effect_losses_begin_at(hl_effect_losses *s, int layer)
{
    int from = s->layer <= layer ? s->layer : -1;
    s->layer = -1;
    for (int64_t first = 0; first < s->n && from != layer; first += s->slice) {
        hl_batch slice = hl_effect_losses_slice(s, first);
        HL_TRY(hl_effect_workspace_move(&s->arena, s->model, &slice, s->threads, from, layer,
                                        hl_effect_losses_x(s, &slice), hl_effect_losses_z(s, &slice)));
    }
    s->layer = layer;
    return hl_ok();
}

/* A slice of the batch knows the row it begins with: the batch itself begins with row 0. */
hl_real *hl_effect_losses_x(const hl_effect_losses *s, const hl_batch *slice)
{
    return s->x + slice->offsets[0] * s->model->config.d_model;
}

/* A slice has the same room in layers of whatever width. */
hl_real *hl_effect_losses_z(const hl_effect_losses *s, const hl_batch *slice)
{
    return s->z + slice->offsets[0] * hl_heads_width(&s->model->config);
}

void hl_effect_losses_of_rows(const hl_batch *slice, const hl_real *row_losses, double *losses)
{
    for (int64_t e = 0; e < slice->n_examples; e++) {
        double sum = 0;
        int64_t n = hl_batch_slice(slice, e, 1).n_targets;
        for (int64_t i = 0; i < n; i++) {
            sum += (double)*row_losses++;
        }
        losses[e] = sum / (double)count_known(slice, e);
    }
}

/* |dL/dgate| of each head on each example of a slice, all found in one backward pass. */
static hl_status measure_slopes(hl_effect_losses *s, int64_t first, double *slopes)
{
    hl_batch slice = hl_effect_losses_slice(s, first);
    hl_tape_options options = with_gradients(s);
    options.memory.plan = &s->plan;
    hl_tape tape;
    hl_tape_begin(&tape, &s->arena, options);
    hl_status status = hl_tape_backward(&tape, gated_loss(&tape, s, &slice));
    double all_targets = (double)slice.n_targets;
    int64_t all_heads = hl_heads_count(&s->model->config);
    for (int l = 0; status.code == HL_OK && l < s->model->config.n_layers; l++) {
        int64_t H = s->model->config.heads[l];
        for (int64_t i = 0; i < slice.n_examples * H; i++) {
            /* the pass divides by all targets, L by those of the example that have a loss */
            double factor = all_targets / (double)count_known(&slice, i / H);
            slopes[i / H * all_heads + i % H] = fabs((double)s->layer_gates[l]->grad[i]) * factor;
        }
        slopes += H;
    }
    hl_arena_rewind(&s->arena, 0);
    return status;
}

hl_status hl_effect_losses_slopes(hl_effect_losses *s, double **slopes)
{
    int64_t n_heads = hl_heads_count(&s->model->config);
    double *found = *slopes = hl_calloc(hl_size_product((size_t)s->n, (size_t)n_heads), sizeof *found);
    HL_NEED(found != NULL, "the importance of heads");
    for (int64_t i = 0; i < count_gates(s); i++) {
        s->gates[i] = 1;
    }
    hl_status status = hl_ok();
    for (int64_t first = 0; first < s->n; first += s->slice) {
        HL_THEN(status, measure_slopes(s, first, found + first * n_heads));
    }
    if (status.code != HL_OK) {
        hl_free(found);
    }
    return status;
}

hl_status hl_effect_losses_mean_output(hl_effect_losses *s, int layer, hl_real *mean)
{
    int64_t width = (int64_t)s->model->config.heads[layer] * s->model->config.d_v[layer];
    HL_TRY(hl_effect_losses_begin_at(s, layer));
    double *sums = hl_calloc((size_t)width, sizeof *sums);
    HL_NEED(sums != NULL, "the mean outputs of heads");
    for (int64_t first = 0; first < s->n; first += s->slice) {
        hl_batch slice = hl_effect_losses_slice(s, first);
        const hl_real *z = hl_effect_losses_z(s, &slice);
        for (int64_t i = 0; i < slice.n_rows * width; i++) {
            sums[i % width] += (double)z[i];
        }
    }
    for (int64_t d = 0; d < width; d++) {
        mean[d] = (hl_real)(sums[d] / (double)s->storage.batch.n_rows);
    }
    hl_free(sums);
    return hl_ok();
}
