#include "heads/all_subsets.h"

#include "core/base/memory.h"
#include "heads/head_set.h"
#include "heads/private/effect_losses.h"

#include <math.h>

/* The state of the walk over all sets. */
typedef struct walk {
    hl_effect_losses *losses; /* holds the examples and the arena */
    const hl_model *model;
    hl_batch slice; /* the examples of the current passes */
    hl_real *gates; /* (H) of the current layer: its pass reads them before the next layer's are set */
    const hl_share *share;
    uint32_t shared; /* the heads of the first layer: by the set of these it is told whose a set is */
    hl_all_subsets *subsets;
} walk;

/* ---- the walk ---- */

/* In the arena, after its present content. */
static void begin_tape(const walk *w, hl_tape *tape)
{
    hl_tape_begin(tape, &w->losses->arena, (hl_tape_options){ .threads = w->losses->threads });
}

static hl_status measure_set(const walk *w, uint32_t set, hl_tensor *x)
{
    hl_cross_entropy_result result = { .row_loss = w->losses->row_losses };
    hl_tape tape;
    begin_tape(w, &tape);
    hl_model_loss_from(&tape, w->model, &w->slice, w->model->config.n_layers, x,
                       (hl_cross_entropy_args){ .result = &result }, NULL);
    HL_TRY(hl_tape_status(&tape));
    if (!isfinite(result.loss_sum)) {
        return hl_error(HL_NOT_FINITE, "the loss of the model with some of its heads is not finite");
    }
    hl_all_subsets *all = w->subsets;
    hl_effect_losses_of_rows(&w->slice, w->losses->row_losses, w->losses->losses);
    for (int64_t e = 0; e < w->slice.n_examples; e++) {
        all->losses[set] += w->losses->losses[e] / (double)all->n_examples;
    }
    all->accuracies[set] += (double)result.n_correct / (double)w->losses->storage.batch.n_targets;
    return hl_ok();
}

/* The output of a layer with its chosen heads alone. */
static hl_tensor *run_layer(hl_tape *tape, const walk *w, int layer, uint32_t chosen, hl_tensor *x)
{
    int64_t H = w->model->config.heads[layer];
    for (int64_t h = 0; h < H; h++) {
        w->gates[h] = chosen >> h & 1;
    }
    hl_tensor *gate = hl_tape_tensor(tape, HL_SHAPE(1, H), w->gates, false);
    hl_attention_rules rules = hl_model_rules(w->model, &w->slice);
    return hl_encoder_layer_forward(tape, &w->model->encoder.layers[layer], x, &rules,
                                    &(hl_head_probe){ .gate = gate });
}

/* Measures all sets of the heads from `layer` on, whose first bit is `bit`, joined with `set`, those that made x. */
static hl_status walk_from(const walk *w, int layer, int bit, uint32_t set, hl_tensor *x)
{
    if (layer == w->model->config.n_layers) {
        return measure_set(w, set, x);
    }
    int H = (int)w->model->config.heads[layer];
    for (uint32_t chosen = 0; chosen >> H == 0; chosen++) {
        uint32_t joined = set | chosen << bit;
        if (!hl_share_has(w->share, joined & w->shared)) {
            continue;
        }
        size_t mark = w->losses->arena.used;
        hl_tape tape;
        begin_tape(w, &tape);
        hl_tensor *y = run_layer(&tape, w, layer, chosen, x);
        hl_status status = hl_tape_status(&tape);
        HL_THEN(status, walk_from(w, layer + 1, bit + H, joined, y));
        hl_arena_rewind(&w->losses->arena, mark);
        HL_TRY(status);
    }
    return hl_ok();
}

static hl_status walk_slice(walk *w, int64_t first)
{
    hl_effect_losses *s = w->losses;
    w->slice = hl_effect_losses_slice(s, first);
    hl_tape tape;
    begin_tape(w, &tape);
    hl_tensor *x = hl_model_embed(&tape, w->model, &w->slice);
    hl_status status = hl_tape_status(&tape);
    HL_THEN(status, walk_from(w, 0, 0, 0, x));
    hl_arena_rewind(&s->arena, 0);
    return status;
}

/* ---- all of it ---- */

/* The arena of hl_effect_losses holds a pass with gradients, which is larger than the outputs of all layers of one set,
 * which the walk keeps. */
static hl_status measure(hl_effect_losses *s, const hl_examples *examples, const hl_share *share,
                         hl_all_subsets *subsets)
{
    int64_t n = hl_heads_count(&s->model->config);
    if (n > HL_ALL_SUBSETS_MOST_HEADS) {
        return hl_error(HL_INVALID, "%lld heads have too many sets to measure them all; %d heads are the most",
                        (long long)n, HL_ALL_SUBSETS_MOST_HEADS);
    }
    subsets->n = (int)n;
    subsets->losses = hl_calloc((size_t)2 << n, sizeof *subsets->losses);
    HL_NEED(subsets->losses != NULL, "the sets of heads");
    subsets->accuracies = subsets->losses + ((size_t)1 << n);
    HL_TRY(hl_effect_losses_begin(s, examples));
    subsets->n_examples = s->n;
    walk w = { .losses = s,
               .model = s->model,
               .gates = s->gates,
               .share = share,
               .shared = (1U << s->model->config.heads[0]) - 1,
               .subsets = subsets };
    for (int64_t first = 0; first < s->n; first += s->slice) {
        HL_TRY(walk_slice(&w, first));
    }
    return hl_ok();
}

hl_status hl_all_subsets_measure(hl_model *model, const hl_examples *examples, const hl_patterns *layers, int64_t slice,
                                 int threads, const hl_share *share, hl_all_subsets *subsets)
{
    *subsets = (hl_all_subsets){ 0 };
    hl_effect_losses s = { .model = model, .layers = layers, .slice = slice, .threads = threads };
    hl_status status = measure(&s, examples, share, subsets);
    status = hl_share_join(share, status, subsets->losses, subsets->losses != NULL ? (int64_t)2 << subsets->n : 0);
    hl_effect_losses_free(&s);
    if (status.code != HL_OK) {
        hl_all_subsets_free(subsets);
    }
    return status;
}

void hl_all_subsets_free(hl_all_subsets *subsets)
{
    hl_free(subsets->losses);
    *subsets = (hl_all_subsets){ 0 };
}

/* ---- what follows ---- */

static int size_of(uint32_t set)
{
    return __builtin_popcount(set);
}

void hl_shapley_values(int n, const double *losses, double *values)
{
    double weights[32]; /* |S|! (n - |S| - 1)! / n! by |S|: 1 / n, and from each to the next |S| / (n - |S|) of it */
    weights[0] = 1.0 / n;
    for (int size = 1; size < n; size++) {
        weights[size] = weights[size - 1] * size / (n - size);
    }
    for (int i = 0; i < n; i++) {
        uint32_t head = (uint32_t)1 << i;
        values[i] = 0;
        for (uint32_t set = 0; set >> n == 0; set++) {
            if ((set & head) == 0) {
                values[i] += weights[size_of(set)] * (losses[set] - losses[set | head]);
            }
        }
    }
}

uint32_t hl_smallest_set(int n, const double *losses, const double *accuracies, double share)
{
    uint32_t best = ((uint32_t)1 << n) - 1;
    double enough = share * accuracies[best];
    for (uint32_t set = 0; set >> n == 0; set++) {
        int size = size_of(set), least = size_of(best);
        if (accuracies[set] >= enough && (size < least || (size == least && losses[set] < losses[best]))) {
            best = set;
        }
    }
    return best;
}
