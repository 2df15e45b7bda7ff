#include "programs/bench/workload.h"

#include "core/base/memory.h"
#include "core/kernels/random.h"
#include "layers/multi_head_naive.h"
#include "programs/timing.h"
#include "train/setup.h"
#include "train/trainer.h"

enum { WARM_UP_PASSES = 3 };

typedef struct layer {
    hl_parameters parameters;
    hl_multi_head module;
    bool looped;
    int threads;
    int64_t B, T;
    int32_t *offsets; /* (B + 1): B sequences of T rows */
    hl_attention_rules rules;
    hl_naive_padding padding; /* where the heads are looped over */
    hl_shape shape;           /* (B T, D) */
    hl_real *x, *dy;          /* of that shape */
    hl_tape_plan plan;
    hl_arena arena; /* of one pass */
} layer;

static hl_status record_pass(hl_tape *tape, void *context)
{
    layer *l = context;
    hl_tensor *x = hl_tape_tensor(tape, l->shape, l->x, true);
    hl_tensor *y = l->looped ? hl_multi_head_naive_forward(tape, &l->module, x, x, &l->padding)
                             : hl_multi_head_forward(tape, &l->module, x, x, &l->rules, NULL, (hl_linear_after){ 0 });
    return hl_tape_backward_from(tape, y, l->dy);
}

static hl_tape_options options_of(const layer *l)
{
    return (hl_tape_options){ .threads = l->threads, .gradients = true, .memory = { .reuse = true, .plan = &l->plan } };
}

static hl_status pass_once(void *context)
{
    layer *l = context;
    hl_tape tape;
    hl_tape_begin(&tape, &l->arena, options_of(l));
    hl_status status = record_pass(&tape, l);
    hl_arena_rewind(&l->arena, 0);
    return status;
}

/* A loop over the heads records a few ops for each. */
static hl_status plan(layer *l)
{
    size_t records = (size_t)(l->module.config.n_heads + 1) * 64 * 1024;
    return hl_tape_plan_pass(records, options_of(l), record_pass, l, &l->plan);
}

static hl_real *make_numbers(hl_shape shape, const char *use)
{
    int64_t count = hl_shape_count(shape);
    hl_random random = { .stream = hl_random_stream(use) };
    hl_real *numbers = hl_calloc((size_t)count, sizeof *numbers);
    for (int64_t i = 0; numbers != NULL && i < count; i++) {
        numbers[i] = hl_random_normal(random, (uint64_t)i);
    }
    return numbers;
}

static hl_status prepare(layer *l, const hl_config *config)
{
    hl_model_config m = hl_setup_model(config);
    HL_TRY(hl_model_config_resolve(&m));
    l->threads = hl_setup_threads(config);
    l->B = hl_trainer_micro_batch(config);
    l->T = config->sizes.longest;
    l->shape = HL_SHAPE(l->B * l->T, m.d_model);
    l->module = hl_multi_head_make(&l->parameters, hl_name_of("self_attn"),
                                   (hl_multi_head_config){ .d_model = m.d_model,
                                                           .n_heads = m.heads[0],
                                                           .n_kv_heads = m.kv_heads[0],
                                                           .d_k = m.d_k[0],
                                                           .d_v = m.d_v[0],
                                                           .bias = m.attention_bias == HL_BIAS_TRUE,
                                                           .window = hl_model_config_window(&m, 0),
                                                           .recompute = m.recompute });
    for (int i = 0; i < l->parameters.n; i++) {
        l->parameters.list[i].tensor->bf16 = m.bf16;
    }
    HL_TRY(hl_parameters_allocate(&l->parameters));
    hl_parameters_initialise(&l->parameters, (uint64_t)config->train.seed);
    l->offsets = hl_calloc((size_t)l->B + 1, sizeof *l->offsets);
    HL_NEED(l->offsets != NULL, "the layer's input");
    for (int64_t b = 0; b <= l->B; b++) {
        l->offsets[b] = (int32_t)(b * l->T);
    }
    const hl_sequences sequences = { .n = l->B, .longest = l->T, .offsets = l->offsets };
    l->rules = (hl_attention_rules){ .queries = sequences, .keys = sequences };
    HL_TRY(hl_naive_padding_init(&l->padding, &l->rules, l->module.config.n_heads));
    HL_TRY(plan(l));
    HL_TRY(hl_arena_init(&l->arena, l->plan.bytes));
    l->x = make_numbers(l->shape, "bench x");
    l->dy = make_numbers(l->shape, "bench dy");
    return l->x != NULL && l->dy != NULL ? hl_ok() : hl_error_memory("the layer's input");
}

static hl_status measure(layer *l, const hl_config *config, double seconds, hl_bench_figures *figures)
{
    HL_TRY(prepare(l, config));
    for (int i = 0; i < WARM_UP_PASSES; i++) {
        HL_TRY(pass_once(l));
    }
    hl_bench_times times;
    HL_TRY(hl_bench_repeat(HL_BENCH_LEAST_REPEATS, seconds, pass_once, l, &times));
    *figures = (hl_bench_figures){
        .threads = l->threads,
        .steps = times.n,
        .ms = 1e3 * times.median,
        .ms_quarter = 1e3 * times.quarter,
        .ms_3_quarters = 1e3 * times.three_quarters,
        .tokens_per_second = (double)l->shape.size[0] / times.median,
        .gflops = 1e-9 * l->plan.flops / times.median,
        .flops = l->plan.flops,
        .arena_mib = (double)l->arena.capacity / (1 << 20),
        .peak_rss_mib = hl_bench_peak_rss(),
    };
    return hl_ok();
}

hl_status hl_bench_layer(const hl_config *config, double seconds, bool looped, hl_bench_figures *figures)
{
    layer l = { .looped = looped };
    hl_status status = measure(&l, config, seconds, figures);
    hl_free(l.x);
    hl_free(l.dy);
    hl_free(l.offsets);
    hl_naive_padding_free(&l.padding);
    hl_tape_plan_free(&l.plan);
    hl_arena_free(&l.arena);
    hl_parameters_free(&l.parameters);
    return status;
}
