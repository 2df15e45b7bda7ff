#include "heads/relation_gradients.h"

#include "core/arena.h"
#include "core/base/memory.h"
#include "core/base/private/block.h"
#include "core/finite_watch.h"
#include "data/batch_storage.h"
#include "heads/head_set.h"
#include "layers/head_parts.h"

#include <math.h>
#include <string.h>

typedef struct measuring {
    hl_relation_gradients *found;
    const hl_examples *examples;
    hl_model model;    /* with gradients */
    int32_t *targets;  /* (B, T): the answers of one relation */
    double *gradients; /* (R, numbers): of all heads, one after the other */
    int64_t numbers;   /* of all heads */
    int threads;
} measuring;

/* ---- the answers of a relation ---- */

/* Keeps the targets whose source is the partner in relation r. Returns how many. */
static int64_t choose_targets(const hl_examples *examples, int64_t r, int32_t *targets)
{
    int64_t T = examples->n_tokens, n = 0;
    for (int64_t i = 0; i < examples->n_examples * T; i++) {
        int32_t source = examples->sources[i];
        bool its = source != HL_IGNORE && examples->targets[i] != HL_IGNORE &&
                   examples->relations[(i / T * examples->n_relations + r) * T + i % T] == source;
        targets[i] = its ? examples->targets[i] : HL_IGNORE;
        n += its;
    }
    return n;
}

/* ---- one pass ---- */

static hl_status run_backward(measuring *m, const hl_batch *batch, double *loss)
{
    hl_tape_options options = { .threads = m->threads, .gradients = true };
    hl_tape_plan plan;
    HL_TRY(hl_model_plan(&m->model, batch, options, &plan));
    hl_arena arena = { 0 };
    hl_status status = hl_arena_init(&arena, plan.bytes);
    if (status.code == HL_OK) {
        hl_cross_entropy_result result = { 0 };
        hl_tape tape;
        options.memory.plan = &plan;
        hl_tape_begin(&tape, &arena, options);
        hl_parameters_zero_grad(&m->model.parameters);
        hl_tensor *y = hl_model_loss(&tape, &m->model, batch, (hl_cross_entropy_args){ .result = &result }, NULL);
        status = hl_tape_status(&tape);
        *loss = result.loss_sum / (double)batch->n_targets;
        if (status.code == HL_OK && !isfinite(*loss)) {
            status = hl_tape_not_finite(&tape, "the loss of a relation", *loss);
        }
        HL_THEN(status, hl_tape_backward(&tape, y));
    }
    hl_arena_free(&arena);
    hl_tape_plan_free(&plan);
    return status;
}

/* Copies the gradients of all heads' numbers. */
static void take_gradients(const hl_model *model, double *to)
{
    for (int l = 0; l < model->encoder.n_layers; l++) {
        for (int64_t h = 0; h < model->config.heads[l]; h++) {
            hl_head_part parts[HL_HEAD_PARTS];
            int n = hl_head_parts(&model->encoder.layers[l].self_attn, h, parts);
            for (int i = 0; i < n; i++) {
                for (int64_t k = 0; k < parts[i].n_rows * parts[i].n_columns; k++) {
                    *to++ = (double)parts[i]
                                .x->grad[hl_head_part_at(&parts[i], k / parts[i].n_columns, k % parts[i].n_columns)];
                }
            }
        }
    }
}

static int64_t head_numbers(const hl_model_config *c, int l)
{
    int64_t rows = 2 * c->d_k[l] + c->d_v[l];
    return rows * (c->d_model + (c->attention_bias == HL_BIAS_TRUE ? 1 : 0)) + c->d_model * c->d_v[l];
}

static hl_status measure_relation(measuring *m, int64_t r)
{
    m->found->answers[r] = choose_targets(m->examples, r, m->targets);
    if (!hl_relation_gradients_has(m->found, r)) {
        return hl_ok();
    }
    hl_examples asked = *m->examples;
    asked.targets = m->targets;
    hl_batch_storage storage = { 0 };
    hl_status status = hl_batch_storage_of(&storage, &asked, asked.n_tokens);
    HL_THEN(status, run_backward(m, &storage.batch, &m->found->losses[r]));
    hl_batch_storage_free(&storage);
    if (status.code == HL_OK) {
        take_gradients(&m->model, m->gradients + r * m->numbers);
    }
    return status;
}

/* ---- all ---- */

static void multiply_gradients(const measuring *m)
{
    int64_t R = m->found->n_relations, first = 0;
    double *product = m->found->products;
    const hl_model_config *c = &m->model.config;
    for (int l = 0; l < c->n_layers; l++) {
        int64_t n = head_numbers(c, l);
        for (int64_t h = 0; h < c->heads[l]; h++, first += n) {
            for (int64_t pair = 0; pair < R * R; pair++, product++) {
                const double *a = m->gradients + pair / R * m->numbers + first;
                const double *b = m->gradients + pair % R * m->numbers + first;
                for (int64_t i = 0; i < n; i++) {
                    *product += a[i] * b[i];
                }
            }
        }
    }
}

static void lay_out(void *context, hl_block *block)
{
    measuring *m = context;
    m->gradients = hl_block_take(block, m->found->n_relations * m->numbers, sizeof *m->gradients);
    m->targets = hl_block_take(block, m->examples->n_examples * m->examples->n_tokens, sizeof *m->targets);
}

static void lay_out_found(void *context, hl_block *block)
{
    hl_relation_gradients *found = context;
    int64_t R = found->n_relations;
    found->answers = hl_block_take(block, R, sizeof *found->answers);
    found->losses = hl_block_take(block, R, sizeof *found->losses);
    found->products = hl_block_take(block, found->n_heads * R * R, sizeof *found->products);
}

/* The model, with gradients. */
static hl_status copy_model(const hl_model *model, hl_model *copy)
{
    HL_TRY(hl_model_init(copy, &model->config));
    HL_TRY(hl_model_reserve(copy, HL_MODEL_TRAINED));
    memcpy(copy->parameters.values, model->parameters.values,
           (size_t)model->parameters.count * sizeof *model->parameters.values);
    return hl_ok();
}

hl_status hl_relation_gradients_make(hl_relation_gradients *found, const hl_model *model, const hl_examples *examples,
                                     int threads)
{
    static const char what[] = "the gradients of relations";
    *found = (hl_relation_gradients){ 0 };
    HL_TRY(hl_parameters_check_allocated(&model->parameters));
    if (examples->n_relations < 1) {
        return hl_error(HL_INVALID, "the examples have no relations between tokens");
    }
    measuring *m = hl_calloc(1, sizeof *m); /* too large for a small stack */
    HL_NEED(m != NULL, what);
    *m = (measuring){ .found = found, .examples = examples, .threads = threads };
    *found = (hl_relation_gradients){ .n_heads = hl_heads_count(&model->config), .n_relations = examples->n_relations };
    for (int l = 0; l < model->config.n_layers; l++) {
        m->numbers += model->config.heads[l] * head_numbers(&model->config, l);
    }
    void *memory = NULL;
    hl_status status = hl_block_make(&found->memory, lay_out_found, found, what);
    HL_THEN(status, hl_block_make(&memory, lay_out, m, what));
    HL_THEN(status, copy_model(model, &m->model));
    for (int64_t r = 0; r < examples->n_relations; r++) {
        HL_THEN(status, measure_relation(m, r));
    }
    if (status.code == HL_OK) {
        multiply_gradients(m);
    } else {
        hl_relation_gradients_free(found);
    }
    hl_model_free(&m->model);
    hl_free(memory);
    hl_free(m);
    return status;
}

void hl_relation_gradients_free(hl_relation_gradients *found)
{
    hl_free(found->memory);
    *found = (hl_relation_gradients){ 0 };
}

bool hl_relation_gradients_has(const hl_relation_gradients *found, int64_t r)
{
    return found->answers[r] >= HL_GRADIENTS_LEAST;
}

static double product_of(const hl_relation_gradients *found, int64_t head, int64_t r, int64_t other)
{
    return found->products[(head * found->n_relations + r) * found->n_relations + other];
}

double hl_relation_gradients_norm(const hl_relation_gradients *found, int64_t head, int64_t r)
{
    return sqrt(product_of(found, head, r, r));
}

double hl_relation_gradients_cosine(const hl_relation_gradients *found, int64_t head, int64_t r, int64_t other)
{
    double norms = hl_relation_gradients_norm(found, head, r) * hl_relation_gradients_norm(found, head, other);
    return norms > 0 ? product_of(found, head, r, other) / norms : 0;
}
