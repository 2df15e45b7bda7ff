/* A whole run made up for its report: snapshots of heads that learn to look at fixed offsets. */
#pragma once

#include "core/base/memory.h"
#include "core/examples.h"
#include "core/kernels/random.h"
#include "heads/heads_csv.h"
#include "show/report.h"

#include <math.h>
#include <stdlib.h>

enum { MADE_UP_RUN_LAYERS = 16, MADE_UP_RUN_VOCABULARY = 10 };

/* Its sizes, and the arrays of the snapshot made last. */
typedef struct made_up_run {
    int n_layers;
    int64_t n_heads, n_examples, n_tokens, n_snapshots; /* n_heads in each layer */
    int32_t *tokens, *targets, *sources, *lengths;
    hl_real *weights; /* (L, E, H, T, T) */
    hl_real *logits;  /* (E, T, MADE_UP_RUN_VOCABULARY) */
} made_up_run;

static inline void *made_up_numbers(int64_t count, size_t size)
{
    void *numbers = hl_calloc((size_t)count, size);
    if (numbers == NULL) {
        abort();
    }
    return numbers;
}

/* Every third example is a third shorter; tokens are 3, 4, ..., and every second one is asked for. */
static inline made_up_run made_up_run_make(int n_layers, int64_t H, int64_t E, int64_t T, int64_t n_snapshots)
{
    made_up_run run = {
        .n_layers = n_layers, .n_heads = H, .n_examples = E, .n_tokens = T, .n_snapshots = n_snapshots
    };
    run.tokens = made_up_numbers(E * T, sizeof *run.tokens);
    run.targets = made_up_numbers(E * T, sizeof *run.targets);
    run.sources = made_up_numbers(E * T, sizeof *run.sources);
    run.logits = made_up_numbers(E * T * MADE_UP_RUN_VOCABULARY, sizeof *run.logits);
    run.lengths = made_up_numbers(E, sizeof *run.lengths);
    run.weights = made_up_numbers(n_layers * E * H * T * T, sizeof *run.weights);
    for (int64_t e = 0; e < E; e++) {
        run.lengths[e] = (int32_t)(e % 3 == 1 ? T - T / 3 : T);
        for (int64_t i = 0; i < T; i++) {
            run.tokens[e * T + i] = i < run.lengths[e] ? (int32_t)(3 + (e + i) % 7) : HL_PAD;
            run.targets[e * T + i] = i % 2 == 1 && i < run.lengths[e] ? run.tokens[e * T + i] : HL_IGNORE;
            run.sources[e * T + i] = i > 0 && i < run.lengths[e] ? (int32_t)i - 1 : HL_IGNORE;
        }
    }
    return run;
}

static inline void made_up_run_free(made_up_run *run)
{
    hl_free(run->tokens);
    hl_free(run->targets);
    hl_free(run->sources);
    hl_free(run->lengths);
    hl_free(run->weights);
    hl_free(run->logits);
}

/* One row: noise, and more and more on the key at the offset. */
static inline void made_up_run_row(hl_real *row, int64_t i, int64_t n, int64_t offset, double strength,
                                   hl_random random, uint64_t position)
{
    double sum = 0;
    for (int64_t j = 0; j < n; j++) {
        double noise = 3 * (double)hl_random_uniform(random, position + (uint64_t)j);
        row[j] = (hl_real)exp(noise + (j == i + offset ? strength : 0));
        sum += (double)row[j];
    }
    for (int64_t j = 0; j < n; j++) {
        row[j] = (hl_real)((double)row[j] / sum);
    }
}

/* What the model answers at snapshot s: more and more positions from the left on right, the others one token off. */
static inline void made_up_run_answer(made_up_run *run, int64_t s)
{
    int64_t T = run->n_tokens, E = run->n_examples, V = MADE_UP_RUN_VOCABULARY;
    for (int64_t place = 0; place < E * T; place++) {
        int32_t token = run->tokens[place];
        bool right = place % T < T * s / run->n_snapshots;
        for (int64_t v = 0; v < V; v++) {
            run->logits[place * V + v] = v == (right ? token : token == 3 ? 4 : token - 1) ? 5 : -1;
        }
    }
}

/* The weights of snapshot s: head h of layer l looks at offset -(h + 1), the later layers the less. */
static inline void made_up_run_snapshot(made_up_run *run, int64_t s)
{
    int64_t T = run->n_tokens, E = run->n_examples, H = run->n_heads;
    hl_random random = { .seed = (uint64_t)s, .stream = 9 };
    made_up_run_answer(run, s);
    for (int64_t map = 0; map < run->n_layers * E * H; map++) {
        int64_t e = map / H % E, h = map % H, l = map / H / E;
        double strength = 9.0 * (double)s / (double)(run->n_snapshots * (l + 1));
        for (int64_t i = 0; i < run->lengths[e]; i++) {
            int64_t row = (map * T + i) * T;
            made_up_run_row(run->weights + row, i, run->lengths[e], -(h + 1), strength, random, (uint64_t)row);
        }
    }
}

/* Head 0 of every layer. */
static inline void made_up_run_layers(const made_up_run *run, hl_patterns *layers)
{
    for (int l = 0; l < run->n_layers; l++) {
        layers[l] = (hl_patterns){
            .weights = run->weights + l * run->n_examples * run->n_heads * run->n_tokens * run->n_tokens,
            .lengths = run->lengths,
            .n_heads = run->n_heads,
            .n_tokens = run->n_tokens,
            .n_examples = run->n_examples,
            .tokens = run->tokens,
            .sources = run->sources,
        };
    }
}

static inline hl_answers made_up_run_answers(const made_up_run *run)
{
    return (hl_answers){
        .n_tokens = run->n_tokens, .n_targets = MADE_UP_RUN_VOCABULARY, .targets = run->targets, .logits = run->logits
    };
}

/* Adds snapshots first .. n_snapshots - 1, of steps 0, 10, 20, ... */
static inline hl_status made_up_run_add(made_up_run *run, hl_report_maps *maps, int64_t first)
{
    hl_patterns layers[MADE_UP_RUN_LAYERS];
    for (int64_t s = first; s < run->n_snapshots; s++) {
        made_up_run_snapshot(run, s);
        made_up_run_layers(run, layers);
        hl_answers answers = made_up_run_answers(run);
        HL_TRY(hl_report_maps_add(maps, 10 * s, layers, run->n_layers, &answers));
    }
    return hl_ok();
}
