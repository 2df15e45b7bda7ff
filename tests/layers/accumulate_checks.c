/* A batch worked in parts, in either precision. */
#include "core/base/memory.h"
#include "tests/check_suite.h"
#include "tests/layers/examples.h"

#include <math.h>

/* In float: sums of some hundred terms, cut in other places; whether a term is missing shows in double. */
static const double tolerance = sizeof(hl_real) == sizeof(double) ? 1e-12 : 3e-6;

enum { B = 6, T = 5 };

typedef struct setting {
    hl_model *model;
    hl_batch batch;
    hl_real loss; /* of the undivided batch */
    hl_real *grads;
} setting;

static const hl_tape_options options = { .training = true, .seed = 77, .step = 5, .threads = 2 };

typedef enum kind { POST, PRE, POOLED, MASKED, CLASSES, KINDS } kind; /* the last two as BERT's */

static void begin(setting *s, kind which)
{
    static const int32_t lengths[B] = { 5, 2, 4, 1, 5, 3 };
    hl_model_config config = example_config();
    config.pooler = which == CLASSES ? HL_POOLER_TANH : HL_POOLER_NONE;
    config.head = which == MASKED ? HL_HEAD_TRANSFORM : HL_HEAD_LINEAR;
    config.embedding_size = which == MASKED ? 4 : 0;
    config.position_offset = which == MASKED ? 2 : 0;
    config.embedding_norm = which == MASKED;
    example_dropouts(&config);
    example_heads(&config, 1, 4, 2, 3, 2);
    config.norm = which == PRE || which == POOLED ? HL_NORM_PRE : HL_NORM_POST;
    config.tie_embedding = which == PRE;
    config.positions = HL_POSITIONS_LEARNED;
    if (which == POOLED || which == CLASSES) {
        config.pooling = which == POOLED ? HL_POOLING_MEAN : HL_POOLING_ROWS;
        config.targets = 3;
        config.token_types = 2;
    }
    s->model = example_model(&config);
    s->batch = example_batch(B, T, config.vocabulary, lengths);
    if (which == POOLED || which == CLASSES) {
        example_targets(&s->batch, config.targets, true);
    }
    s->loss = example_step(s->model, &s->batch, (hl_cross_entropy_args){ .smoothing = (hl_real)0.1 }, NULL, options);
    s->grads = example_grads_copy(&s->model->parameters);
}

/* Returns the sum of the micro-batches' losses and adds their gradients to the model's. `placed`: whether their rows
 * keep their places in the whole batch; else all have those of the first. */
static hl_real work_parts(setting *s, const int64_t *parts, bool placed)
{
    hl_cross_entropy_args args = { .smoothing = (hl_real)0.1, .n = s->batch.n_targets };
    hl_real loss = 0;
    hl_parameters_zero_grad(&s->model->parameters);
    for (int64_t first = 0; first < B; first += *parts++) {
        hl_batch part = hl_batch_slice(&s->batch, first, *parts);
        if (!placed) {
            part.places = s->batch.places;
        }
        if (part.n_targets > 0) {
            loss += example_step(s->model, &part, args, NULL, options);
        }
    }
    return loss;
}

static const int64_t divisions[][B] = { { 6 }, { 3, 3 }, { 1, 3, 2 }, { 1, 1, 1, 1, 1, 1 } };

LOOP_TEST(parts_make_the_undivided_gradient, 0, ROWS(divisions) * KINDS)
{
    setting s;
    begin(&s, (kind)(_i % KINDS));
    hl_real loss = work_parts(&s, divisions[_i / KINDS], true);
    example_assert_near("loss", &loss, &s.loss, 1, tolerance);
    example_assert_grads_near(&s.model->parameters, s.grads, tolerance);
}

/* The test above would pass with dropout off; so check that by other places the micro-batches draw other numbers. */
TEST(parts_without_their_places_drop_otherwise)
{
    setting s;
    begin(&s, POST);
    hl_real loss = work_parts(&s, divisions[1], false);
    ck_assert_double_gt(fabs((double)(loss - s.loss)), 1e-3);
}

SUITE("a batch in parts")
