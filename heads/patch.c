#include "heads/patch.h"

#include "core/base/memory.h"
#include "core/base/private/block.h"
#include "core/ops/add.h"
#include "heads/answers.h"
#include "heads/head_set.h"

#include <math.h>
#include <string.h>

/* ---- a pass, with some of its numbers from another one ---- */

/* What a pass takes from elsewhere, and what it keeps. */
typedef struct pass {
    const hl_patch *patch;
    const hl_batch *batch;
    hl_patch_change change;
    const hl_patch_states *from; /* where the numbers come from; NULL: nothing changes */
    hl_patch_states *kept;       /* NULL: nothing is kept */
} pass;

/* Where the layer's z begins in hl_patch_states.z, over T. */
static int64_t z_before(const hl_model *model, int layer)
{
    int64_t columns = 0;
    for (int l = 0; l < layer; l++) {
        columns += model->config.heads[l] * model->config.d_v[l];
    }
    return columns;
}

/* Where a pass's numbers of a kind lie, of layer l. */
static hl_real *numbers_of(const hl_patch *patch, const hl_patch_states *states, hl_patch_kind kind, int l)
{
    int64_t T = patch->n_tokens, D = patch->model->config.d_model;
    switch (kind) {
    case HL_PATCH_HEADS:
        return states->z + z_before(patch->model, l) * T;
    case HL_PATCH_FEED_FORWARD:
        return states->feed_forward + l * T * D;
    case HL_PATCH_RESIDUAL:
        break;
    }
    return states->x + (l + 1) * T * D;
}

/* Columns first .. first + n - 1 of the rows that change. */
static void replace(const pass *p, hl_tensor *x, const hl_real *from, int64_t first, int64_t n)
{
    int64_t T = p->patch->n_tokens, width = hl_shape_last(x->shape), at = p->change.at;
    for (int64_t t = at < 0 ? 0 : at; t < (at < 0 ? T : at + 1); t++) {
        memcpy(x->data + t * width + first, from + t * width + first, (size_t)n * sizeof *from);
    }
}

static void keep(hl_real *to, const hl_tensor *x)
{
    memcpy(to, x->data, (size_t)hl_shape_count(x->shape) * sizeof *to);
}

/* Whether the tensor has numbers: it is not of a dry pass or a failed one. */
static bool runs(const hl_tape *tape, const hl_tensor *x)
{
    return x != NULL && !tape->options.memory.dry;
}

/* Keeps the numbers of a kind that layer l computed, and replaces those that change, in the rows that change. */
static void exchange(const hl_tape *tape, const pass *p, hl_patch_kind kind, int l, hl_tensor *x)
{
    if (!runs(tape, x)) {
        return;
    }
    if (p->kept != NULL) {
        keep(numbers_of(p->patch, p->kept, kind, l), x);
    }
    if (p->from == NULL || p->change.kind != kind) {
        return;
    }
    const hl_real *from = numbers_of(p->patch, p->from, kind, l);
    const hl_model_config *c = &p->patch->model->config;
    bool of_heads = kind == HL_PATCH_HEADS;
    int64_t n = of_heads ? c->d_v[l] : hl_shape_last(x->shape), head = hl_heads_before(c, l);
    for (int64_t first = 0; first < hl_shape_last(x->shape); first += n, head++) {
        if (of_heads ? p->change.heads[head] : l == p->change.layer) {
            replace(p, x, from, first, n);
        }
    }
}

/* The outputs of a layer's heads and of its feed-forward network are tensors of their own here, so that they can be
 * replaced: sums are ops, not fused with the linear maps before them. */
static hl_tensor *run_feed_forward(hl_tape *tape, const pass *p, int l, hl_tensor *x)
{
    const hl_encoder_layer *layer = &p->patch->model->encoder.layers[l];
    bool post = layer->norm == HL_NORM_POST;
    hl_tensor *y = post ? x : hl_norm_layer_forward(tape, &layer->norm2, x);
    hl_tensor *added = hl_feed_forward_forward(tape, &layer->feed_forward, y, (hl_linear_after){ .residual = NULL });
    exchange(tape, p, HL_PATCH_FEED_FORWARD, l, added);
    x = hl_add(tape, x, added);
    return post ? hl_norm_layer_forward(tape, &layer->norm2, x) : x;
}

static hl_tensor *run_layer(hl_tape *tape, const pass *p, int l, hl_tensor *x)
{
    const hl_encoder_layer *layer = &p->patch->model->encoder.layers[l];
    hl_attention_rules rules = hl_model_rules(p->patch->model, p->batch);
    hl_tensor *z = hl_encoder_layer_heads(tape, layer, x, &rules, NULL);
    exchange(tape, p, HL_PATCH_HEADS, l, z);
    x = hl_multi_head_from_heads(tape, &layer->self_attn, z, (hl_linear_after){ .residual = x });
    x = layer->norm == HL_NORM_POST ? hl_norm_layer_forward(tape, &layer->norm1, x) : x;
    x = layer->kind != HL_FEED_FORWARD_NONE ? run_feed_forward(tape, p, l, x) : x;
    exchange(tape, p, HL_PATCH_RESIDUAL, l, x);
    return x;
}

/* Logits at the position, from layer `first` on, whose input is x; NULL: from the embedding. */
static hl_tensor *run_layers(hl_tape *tape, const pass *p, int first, const hl_real *input)
{
    const hl_model *model = p->patch->model;
    int64_t T = p->patch->n_tokens, D = model->config.d_model;
    hl_tensor *x =
        input != NULL ? hl_tape_tensor(tape, HL_SHAPE(T, D), input, false) : hl_model_embed(tape, model, p->batch);
    if (runs(tape, x) && p->kept != NULL) {
        keep(p->kept->x, x);
    }
    for (int l = first; l < model->encoder.n_layers; l++) {
        x = run_layer(tape, p, l, x);
    }
    return hl_model_target_logits(tape, model, p->batch, x);
}

static hl_status run(hl_patch *patch, const pass *p, int first, const hl_real *input, hl_real *logits)
{
    hl_tape tape; /* in a row: passes that begin at a later layer are not the one that was planned */
    hl_tape_begin(&tape, &patch->arena, (hl_tape_options){ .threads = patch->threads });
    hl_tensor *out = run_layers(&tape, p, first, input);
    hl_status status = hl_tape_status(&tape);
    if (status.code == HL_OK) {
        keep(logits, out);
    }
    hl_arena_rewind(&patch->arena, 0);
    return status;
}

/* ---- memory ---- */

static hl_status record(hl_tape *tape, void *context)
{
    const pass *p = context;
    run_layers(tape, p, 0, NULL);
    return hl_tape_status(tape);
}

/* The arena that a whole pass takes; one that begins at a later layer takes less. */
static hl_status pass_bytes(const hl_patch *patch, size_t *bytes)
{
    hl_tape_plan plan;
    int64_t T = patch->n_tokens;
    const hl_batch largest = { .n_examples = 1, .n_rows = T, .longest = T, .n_targets = 1 };
    pass p = { .patch = patch, .batch = &largest };
    HL_TRY(hl_tape_plan_pass(2 * hl_model_record_bytes(patch->model), (hl_tape_options){ .threads = patch->threads },
                             record, &p, &plan));
    *bytes = plan.bytes;
    hl_tape_plan_free(&plan);
    return hl_ok();
}

static void lay_out_states(const hl_patch *patch, hl_block *block, hl_patch_states *states)
{
    const hl_model *model = patch->model;
    int64_t T = patch->n_tokens, L = model->encoder.n_layers, D = model->config.d_model;
    states->x = hl_block_take(block, (L + 1) * T * D, sizeof(hl_real));
    states->feed_forward = hl_block_take(block, L * T * D, sizeof(hl_real));
    states->z = hl_block_take(block, z_before(model, (int)L) * T, sizeof(hl_real));
    states->logits = hl_block_take(block, hl_answers_targets(&model->config), sizeof(hl_real));
}

static void lay_out(void *context, hl_block *block)
{
    hl_patch *patch = context;
    lay_out_states(patch, block, &patch->clean);
    lay_out_states(patch, block, &patch->corrupt);
    patch->logits = hl_block_take(block, hl_answers_targets(&patch->model->config), sizeof(hl_real));
}

hl_status hl_patch_bytes(const hl_model *model, int64_t n_tokens, int threads, size_t *bytes)
{
    hl_patch patch = { .model = model, .n_tokens = n_tokens, .threads = threads };
    HL_TRY(pass_bytes(&patch, bytes));
    *bytes = hl_size_sum(*bytes, hl_block_bytes(lay_out, &patch));
    return hl_ok();
}

/* ---- both inputs ---- */

/* The example as a batch, which is asked at the position alone. */
static hl_status make_batch(const hl_examples *example, int64_t position, hl_batch_storage *storage)
{
    int64_t T = *example->lengths;
    int32_t *targets = hl_malloc((size_t)example->n_tokens * sizeof *targets);
    HL_NEED(targets != NULL, "an input");
    for (int64_t t = 0; t < example->n_tokens; t++) {
        targets[t] = t == position ? 0 : HL_IGNORE;
    }
    hl_examples asked = *example;
    asked.targets = targets;
    hl_status status = hl_batch_storage_of(storage, &asked, T);
    hl_free(targets);
    return status;
}

static hl_status run_whole(hl_patch *patch, const hl_batch *batch, hl_patch_states *states)
{
    pass p = { .patch = patch, .batch = batch, .kept = states };
    return run(patch, &p, 0, NULL, states->logits);
}

hl_status hl_patch_begin(hl_patch *patch, const hl_model *model, const hl_examples *clean, const hl_examples *corrupt,
                         int64_t position, int threads)
{
    *patch = (hl_patch){ .model = model, .threads = threads };
    HL_TRY(hl_parameters_check_allocated(&model->parameters));
    if (model->config.head == HL_HEAD_NONE) {
        return hl_error(HL_INVALID, "the model has no output layer, so it answers nothing");
    }
    if (*clean->lengths != *corrupt->lengths) {
        return hl_error(HL_INVALID, "the clean input has %d tokens, and the corrupt one %d", (int)*clean->lengths,
                        (int)*corrupt->lengths);
    }
    HL_TRY(position >= 0 && position < *clean->lengths ? hl_ok()
                                                       : hl_error(HL_INVALID, "position %lld is none of 0 .. %d",
                                                                  (long long)position, (int)*clean->lengths - 1));
    patch->n_tokens = *clean->lengths;
    patch->position = position;
    HL_TRY(hl_block_make(&patch->memory, lay_out, patch, "two inputs"));
    HL_TRY(make_batch(clean, position, &patch->clean_batch));
    HL_TRY(make_batch(corrupt, position, &patch->corrupt_batch));
    size_t bytes;
    HL_TRY(pass_bytes(patch, &bytes));
    HL_TRY(hl_arena_init(&patch->arena, bytes));
    HL_TRY(run_whole(patch, &patch->clean_batch.batch, &patch->clean));
    return run_whole(patch, &patch->corrupt_batch.batch, &patch->corrupt);
}

void hl_patch_free(hl_patch *patch)
{
    hl_batch_storage_free(&patch->clean_batch);
    hl_batch_storage_free(&patch->corrupt_batch);
    hl_free(patch->memory);
    hl_arena_free(&patch->arena);
    *patch = (hl_patch){ 0 };
}

int32_t hl_patch_answer(const hl_patch *patch, const hl_patch_states *states)
{
    return hl_answer_of(states->logits, patch->model->config.targets);
}

static double difference(const hl_patch *patch, const hl_real *logits)
{
    return (double)logits[patch->right] - (double)logits[patch->wrong];
}

void hl_patch_answers(hl_patch *patch, int32_t right, int32_t wrong)
{
    patch->right = right;
    patch->wrong = wrong;
    patch->d_clean = difference(patch, patch->clean.logits);
    patch->d_corrupt = difference(patch, patch->corrupt.logits);
}

/* ---- a change ---- */

/* The first layer that changes: below it the pass is what it was. */
static int first_layer(const hl_patch *patch, const hl_patch_change *change)
{
    if (change->kind != HL_PATCH_HEADS) {
        return change->layer;
    }
    int64_t n = hl_heads_count(&patch->model->config), head = 0;
    while (head < n && !change->heads[head]) {
        head++;
    }
    return head < n ? hl_head_at(&patch->model->config, head).layer : 0;
}

hl_status hl_patch_measure(hl_patch *patch, hl_patch_change change, double *effect)
{
    const hl_patch_states *into = patch->reverse ? &patch->clean : &patch->corrupt;
    pass p = { .patch = patch,
               .batch = patch->reverse ? &patch->clean_batch.batch : &patch->corrupt_batch.batch,
               .change = change,
               .from = patch->reverse ? &patch->corrupt : &patch->clean };
    int first = first_layer(patch, &change);
    const hl_real *x = into->x + first * patch->n_tokens * patch->model->config.d_model;
    hl_status status = run(patch, &p, first, x, patch->logits);
    double whole = patch->d_clean - patch->d_corrupt, patched = difference(patch, patch->logits);
    *effect = fabs(whole) < HL_PATCH_LEAST ? NAN
              : patch->reverse             ? (patch->d_clean - patched) / whole
                                           : (patched - patch->d_corrupt) / whole;
    return status;
}
