/* A step has the same bits at every thread count, with and without recording, whether attention keeps its weights for
 * backward or not. */
#include "core/base/memory.h"
#include "core/base/threads.h"
#include "tests/check_suite.h"
#include "tests/layers/examples.h"

#include <string.h>

enum { B = 24, T = 48, D = 64, V = 61, HEADS = 4, LAYERS = 2 };

static const int64_t n_weights = (int64_t)B * HEADS * T * T, n_z = (int64_t)B * T * D;

/* A variant, large enough that every op shares its work; of every second one two heads share their keys. */
static hl_model *begin(hl_batch *batch, int variant, bool recompute)
{
    int32_t lengths[B];
    for (int b = 0; b < B; b++) {
        lengths[b] = b % 4 == 3 ? T - b : T;
    }
    hl_model_config config = example_variant(variant);
    config.vocabulary = V;
    config.max_length = T;
    config.d_model = D;
    config.d_ff = 2 * D;
    config.embedding_size = config.embedding_size > 0 ? D / 2 : 0;
    config.recompute = recompute;
    for (int l = 0; l < LAYERS; l++) {
        example_heads(&config, l, HEADS, variant % 2 == 0 ? 2 : HEADS, D / HEADS, D / HEADS);
    }
    hl_model *model = example_made(&config);
    CHECK_OK(hl_model_allocate(model, 1));
    *batch = example_batch(B, T, V, lengths);
    return model;
}

/* What a step leaves: its loss, gradients, and the weights and z of each layer where they are recorded. */
typedef struct outcome {
    hl_real loss, *grads, *weights[LAYERS], *z[LAYERS];
} outcome;

static outcome step(hl_model *model, const hl_batch *batch, int threads, bool recorded)
{
    outcome o = { 0 };
    hl_head_probe probes[LAYERS] = { { 0 } };
    hl_head_weights weights[LAYERS];
    for (int l = 0; recorded && l < LAYERS; l++) {
        o.weights[l] = owned_calloc(n_weights, sizeof(hl_real));
        weights[l] = (hl_head_weights){ .at = o.weights[l], .n_heads = HEADS, .n_tokens = T };
        probes[l].observe = hl_head_weights_observe;
        probes[l].observe_context = &weights[l];
        probes[l].z = o.z[l] = owned_calloc(n_z, sizeof(hl_real));
    }
    hl_parameters_zero_grad(&model->parameters);
    o.loss = example_step(model, batch, (hl_cross_entropy_args){ .smoothing = (hl_real)0.1 }, recorded ? probes : NULL,
                          (hl_tape_options){ .threads = threads, .training = true, .seed = 3, .step = 9 });
    o.grads = example_grads_copy(&model->parameters);
    return o;
}

static void assert_same_step(const hl_model *model, const outcome *a, const outcome *b)
{
    ck_assert_mem_eq(&a->loss, &b->loss, sizeof a->loss);
    ck_assert_mem_eq(a->grads, b->grads, (size_t)model->parameters.count * sizeof(hl_real));
}

LOOP_TEST(threads_do_not_change_a_bit, 0, EXAMPLE_VARIANTS)
{
    hl_threads_setup();
    ck_assert_int_eq(hl_threads_for(4, (int64_t)B * T * D), 4); /* even the cheapest op of a layer is cut */
    hl_batch batch;
    hl_model *model = begin(&batch, _i, false);
    outcome one = step(model, &batch, 1, true);
    for (int threads = 2; threads <= 4; threads++) {
        outcome more = step(model, &batch, threads, true);
        assert_same_step(model, &one, &more);
        for (int l = 0; l < LAYERS; l++) {
            ck_assert_mem_eq(one.weights[l], more.weights[l], (size_t)n_weights * sizeof(hl_real));
            ck_assert_mem_eq(one.z[l], more.z[l], (size_t)n_z * sizeof(hl_real));
        }
    }
}

LOOP_TEST(recording_does_not_change_a_bit, 0, EXAMPLE_VARIANTS)
{
    hl_threads_setup();
    hl_batch batch;
    hl_model *model = begin(&batch, _i, false);
    outcome watched = step(model, &batch, 2, true), unwatched = step(model, &batch, 2, false);
    assert_same_step(model, &watched, &unwatched);
}

/* The same model with weights that are kept, seen and not. */
LOOP_TEST(weights_made_again_do_not_change_a_bit, 0, EXAMPLE_VARIANTS)
{
    hl_threads_setup();
    hl_batch batch, same_batch;
    hl_model *keeping = begin(&batch, _i, false);
    hl_model *recomputing = begin(&same_batch, _i, true);
    outcome kept = step(keeping, &batch, 1, true);
    for (int threads = 1; threads <= 4; threads++) {
        outcome again = step(recomputing, &same_batch, threads, threads % 2 == 0);
        assert_same_step(keeping, &kept, &again);
        for (int l = 0; l < LAYERS && again.weights[l] != NULL; l++) {
            ck_assert_mem_eq(kept.weights[l], again.weights[l], (size_t)n_weights * sizeof(hl_real));
        }
    }
}

SUITE("threads")
