#include "heads/importance.h"

#include "core/base/memory.h"
#include "core/base/private/block.h"
#include "heads/head_set.h"
#include "heads/private/effect_losses.h"

#include <math.h>
#include <string.h>

/* ---- by the gradient ---- */

static hl_status measure_gradients(hl_effect_losses *s, hl_importance *importance)
{
    double *slopes;
    HL_TRY(hl_effect_losses_slopes(s, &slopes));
    for (int64_t i = 0; i < importance->n; i++) {
        importance->heads[i].gradient = hl_estimate_of(slopes + i, importance->n, s->n);
    }
    hl_free(slopes);
    hl_head_importance *heads = importance->heads;
    for (int l = 0; l < s->model->config.n_layers; l++) {
        int64_t H = s->model->config.heads[l];
        double squares = 0;
        for (int64_t h = 0; h < H; h++) {
            squares += heads[h].gradient.mean * heads[h].gradient.mean;
        }
        for (int64_t h = 0; h < H; h++) {
            heads[h].normalised = squares > 0 ? heads[h].gradient.mean / sqrt(squares) : 0;
        }
        heads += H;
    }
    return hl_ok();
}

/* ---- exactly ---- */

/* A head's estimates: by a zero, by its mean output, by uniform attention. */
enum { ESTIMATES = 3 };

/* The changes of a layer's heads: n for each head, one after the other. */
typedef struct layer_work {
    int64_t H, Dv;
    bool *chosen;  /* (H, H) */
    hl_real *mean; /* (H * Dv) */
    hl_effect_change *changes;
    int64_t n;
} layer_work;

static void lay_out(void *context, hl_block *block)
{
    layer_work *w = context;
    w->changes = hl_block_take(block, w->n * w->H, sizeof *w->changes);
    w->mean = hl_block_take(block, w->H * w->Dv, sizeof *w->mean);
    w->chosen = hl_block_take(block, w->H * w->H, sizeof *w->chosen);
}

/* Those of the heads that are this process's, from the head `first` of the model on: returns how many heads. */
static int64_t set_changes(const layer_work *w, int layer, int64_t first, const hl_share *share)
{
    static const hl_label uniform = { .kind = HL_LABEL_UNIFORM };
    int64_t n_heads = 0;
    for (int64_t h = 0; h < w->H; h++) {
        if (!hl_share_has(share, first + h)) {
            continue;
        }
        bool *chosen = w->chosen + h * w->H;
        const hl_effect_change all[] = { { .layer = layer, .chosen = chosen },
                                         { .layer = layer, .chosen = chosen, .instead = w->mean },
                                         { .layer = layer, .chosen = chosen, .label = &uniform } };
        chosen[h] = true;
        memcpy(w->changes + n_heads++ * w->n, all, (size_t)w->n * sizeof *all);
    }
    return n_heads;
}

static hl_status measure_changes(hl_effect_losses *s, const layer_work *w, int layer, int64_t first,
                                 const hl_share *share, hl_estimate (*exact)[ESTIMATES])
{
    HL_TRY(w->n == ESTIMATES ? hl_effect_losses_mean_output(s, layer, w->mean) : hl_ok());
    HL_TRY(hl_effect_losses_changes(s, w->changes, w->n * set_changes(w, layer, first, share)));
    const hl_effect_change *change = w->changes;
    for (int64_t h = 0; h < w->H; h++) {
        for (int64_t i = 0; i < w->n && hl_share_has(share, first + h); i++) {
            exact[first + h][i] = change++->loss;
        }
    }
    return hl_ok();
}

/* Writes the estimates of the layer's heads that are this process's; `first`: the number of its first head. */
static hl_status measure_layer(hl_effect_losses *s, int layer, int64_t first, hl_importance_depth depth,
                               const hl_share *share, hl_estimate (*exact)[ESTIMATES])
{
    const hl_model_config *c = &s->model->config;
    layer_work w = { .H = c->heads[layer], .Dv = c->d_v[layer], .n = depth == HL_IMPORTANCE_ALL ? ESTIMATES : 1 };
    void *memory;
    HL_TRY(hl_block_make(&memory, lay_out, &w, "the importance of heads"));
    hl_status status = measure_changes(s, &w, layer, first, share, exact);
    hl_free(memory);
    return status;
}

/* How far number i ranks above the middle, times two: the numbers below it less those above. */
static double centred_rank(const double *numbers, int64_t n, int64_t i)
{
    double rank = 0;
    for (int64_t j = 0; j < n; j++) {
        rank += (numbers[j] < numbers[i]) - (numbers[j] > numbers[i]);
    }
    return isnan(numbers[i]) ? NAN : rank;
}

double hl_spearman(const double *a, const double *b, int64_t n)
{
    double aa = 0, bb = 0, ab = 0;
    for (int64_t i = 0; i < n; i++) {
        double x = centred_rank(a, n, i), y = centred_rank(b, n, i);
        aa += x * x;
        bb += y * y;
        ab += x * y;
    }
    return ab / sqrt(aa * bb);
}

/* Takes the estimates over, and compares them with the gradients. */
static hl_status take_exact(hl_importance *importance, hl_estimate (*exact)[ESTIMATES])
{
    int64_t n = importance->n;
    double *figures = hl_calloc((size_t)n, 2 * sizeof *figures);
    HL_NEED(figures != NULL, "the importance of heads");
    for (int64_t i = 0; i < n; i++) {
        hl_head_importance *head = &importance->heads[i];
        head->zero = exact[i][0];
        head->mean = exact[i][1];
        head->uniform = exact[i][2];
        figures[i] = head->gradient.mean;
        figures[n + i] = head->zero.mean;
    }
    importance->rank_correlation = hl_spearman(figures, figures + n, n);
    hl_free(figures);
    return hl_ok();
}

static hl_status measure_exactly(hl_effect_losses *s, hl_importance_depth depth, const hl_share *share,
                                 hl_estimate (*exact)[ESTIMATES])
{
    int64_t first = 0;
    for (int l = 0; l < s->model->config.n_layers; l++) {
        HL_TRY(measure_layer(s, l, first, depth, share, exact));
        first += s->model->config.heads[l];
    }
    return hl_ok();
}

/* ---- both ---- */

static hl_status allocate(hl_importance *importance, const hl_model_config *config)
{
    *importance = (hl_importance){ .n = hl_heads_count(config) };
    importance->heads = hl_calloc((size_t)importance->n, sizeof *importance->heads);
    HL_NEED(importance->heads != NULL, "the importance of heads");
    for (int64_t i = 0; i < importance->n; i++) {
        hl_head_place at = hl_head_at(config, i);
        importance->heads[i] = (hl_head_importance){ .layer = at.layer, .head = at.head };
    }
    return hl_ok();
}

hl_status hl_importance_measure(hl_model *model, const hl_examples *examples, const hl_patterns *layers, int64_t slice,
                                int threads, hl_importance_depth depth, const hl_share *share,
                                hl_importance *importance)
{
    *importance = (hl_importance){ 0 };
    if ((unsigned)depth > HL_IMPORTANCE_ALL) {
        return hl_error(HL_INVALID, "unknown depth number %d of the importance of heads", (int)depth);
    }
    int64_t n = hl_heads_count(&model->config);
    hl_estimate(*exact)[ESTIMATES] = hl_calloc((size_t)n, sizeof *exact);
    hl_status status =
        exact != NULL ? allocate(importance, &model->config) : hl_error_memory("the importance of heads");
    hl_effect_losses s = { .model = model, .layers = layers, .slice = slice, .threads = threads };
    HL_THEN(status, hl_effect_losses_begin(&s, examples));
    HL_THEN(status, hl_effect_losses_measure(&s, NULL, s.losses));
    if (status.code == HL_OK) {
        importance->n_examples = s.n;
        importance->loss = hl_estimate_of(s.losses, 1, s.n).mean;
        status = measure_gradients(&s, importance);
    }
    HL_THEN(status, depth != HL_IMPORTANCE_GRADIENT ? measure_exactly(&s, depth, share, exact) : hl_ok());
    status = hl_share_join(share, status, (double *)exact, exact != NULL ? 2 * ESTIMATES * n : 0);
    HL_THEN(status, depth != HL_IMPORTANCE_GRADIENT ? take_exact(importance, exact) : hl_ok());
    hl_effect_losses_free(&s);
    hl_free(exact);
    if (status.code != HL_OK) {
        hl_importance_free(importance);
    }
    return status;
}

void hl_importance_free(hl_importance *importance)
{
    hl_free(importance->heads);
    *importance = (hl_importance){ 0 };
}
