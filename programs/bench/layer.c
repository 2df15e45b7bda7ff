#include "programs/bench/workload.h"

#include "core/memory.h"
#include "core/random.h"
#include "programs/repeat.h"
#include "train/setup.h"
#include "train/trainer.h"

enum { WARM_UP_PASSES = 3 };

typedef struct layer {
    hl_parameters parameters;
    hl_multi_head module;
    bool looped;
    int threads;
    hl_shape shape;    /* (B, T, D) */
    hl_real *x, *dy;   /* of that shape */
    hl_arena arena;    /* of one pass */
    size_t pass_bytes; /* that a pass takes of it */
    double flops;
} layer;

static hl_status run_pass(layer *l, hl_arena *arena, bool dry)
{
    hl_tape tape;
    hl_tape_begin(&tape, arena,
                  (hl_tape_options){ .threads = l->threads, .gradients = true, .reuse = true, .dry = dry });
    hl_tensor *x = hl_tape_tensor(&tape, l->shape, l->x, true);
    hl_tensor *y = l->looped
                       ? hl_multi_head_naive_forward(&tape, &l->module, x, x, (hl_mask){ 0 })
                       : hl_multi_head_forward(&tape, &l->module, x, x, (hl_mask){ 0 }, NULL, (hl_linear_after){ 0 });
    hl_status status = hl_tape_backward_from(&tape, y, l->dy);
    if (dry) {
        l->pass_bytes = hl_tape_bytes(&tape);
        l->flops = tape.flops;
    }
    hl_arena_rewind(arena, 0);
    return status;
}

static hl_status pass_once(void *context)
{
    layer *l = context;
    return run_pass(l, &l->arena, false);
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
    const hl_config_model *m = &config->model;
    hl_task_spec spec = hl_config_task_spec(config);
    l->threads = hl_setup_threads(config);
    l->shape = HL_SHAPE(hl_trainer_micro_batch(config), hl_task_max_tokens(&spec), m->d_model);
    l->module = hl_multi_head_make(&l->parameters, hl_name_of("self_attn"),
                                   (hl_multi_head_config){ .d_model = m->d_model,
                                                           .n_heads = m->heads[0],
                                                           .n_kv_heads = m->kv_heads[0],
                                                           .d_k = m->d_k[0],
                                                           .d_v = m->d_v[0],
                                                           .bias = m->bias });
    HL_TRY(hl_parameters_allocate(&l->parameters));
    hl_parameters_initialise(&l->parameters, (uint64_t)config->train.seed);
    hl_arena records; /* a loop over the heads records a few ops for each */
    HL_TRY(hl_arena_init(&records, (size_t)(m->heads[0] + 1) * 64 * 1024));
    hl_status planned = run_pass(l, &records, true);
    hl_arena_free(&records);
    HL_TRY(planned);
    HL_TRY(hl_arena_init(&l->arena, l->pass_bytes));
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
    HL_TRY(hl_bench_repeat(seconds, pass_once, l, &times));
    *figures = (hl_bench_figures){
        .threads = l->threads,
        .steps = times.n,
        .ms = 1e3 * times.median,
        .ms_quarter = 1e3 * times.quarter,
        .ms_3_quarters = 1e3 * times.three_quarters,
        .tokens_per_second = (double)(l->shape.size[0] * l->shape.size[1]) / times.median,
        .gflops = 1e-9 * l->flops / times.median,
        .flops = l->flops,
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
    hl_arena_free(&l.arena);
    hl_parameters_free(&l.parameters);
    return status;
}
