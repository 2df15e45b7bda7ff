#include "heads/heads_csv.h"

#include "core/memory.h"
#include "heads/divergence.h"
#include "heads/entropy.h"

#include <math.h>

/* Room */

static hl_status set_up(hl_heads_csv *csv, int64_t T, int n_layers, int64_t n_heads)
{
    csv->offsets = hl_calloc((size_t)(2 * T - 1), sizeof *csv->offsets);
    csv->best = hl_calloc((size_t)(2 * T - 1), sizeof *csv->best);
    csv->entropies = hl_calloc((size_t)n_heads, sizeof *csv->entropies);
    if (csv->offsets == NULL || csv->best == NULL || csv->entropies == NULL) {
        hl_heads_csv_free(csv);
        return hl_error_memory("the metrics of heads");
    }
    for (int64_t i = 0; i < 2 * T - 1; i++) {
        csv->offsets[i] = i - (T - 1);
    }
    csv->n_layers = n_layers;
    csv->n_heads = n_heads;
    csv->n_tokens = T;
    return hl_ok();
}

/* Sets up at the first snapshot; refuses later ones that do not belong to it. */
static hl_status prepare(hl_heads_csv *csv, int64_t step, const hl_patterns *layers, int n_layers,
                         const hl_streamed *all)
{
    bool first = csv->offsets == NULL;
    int64_t n_heads = 0, T = layers->n_tokens, most = csv->n_tokens > 0 ? csv->n_tokens : T;
    bool fits = (first || csv->n_layers == n_layers) && (all == NULL || all->n_layers == n_layers) && T <= most;
    for (int l = 0; l < n_layers; l++) {
        n_heads += layers[l].n_heads;
        fits = fits && layers[l].n_tokens == T && (all == NULL || all->heads[l] == layers[l].n_heads);
    }
    if (!fits || (!first && csv->n_heads != n_heads)) {
        return hl_error(HL_INVALID, "the patterns of step %lld are of another shape than those before",
                        (long long)step);
    }
    if (first) {
        HL_TRY(set_up(csv, most, n_layers, n_heads));
    }
    if (step == 0 && csv->untrained == NULL) {
        csv->untrained = hl_calloc((size_t)(n_heads * (n_heads - 1) / 2), sizeof *csv->untrained);
        return csv->untrained != NULL ? hl_ok() : hl_error_memory("the metrics of heads");
    }
    return hl_ok();
}

static bool reserve_row(hl_heads_csv *csv)
{
    enum { SOME = 256 };
    if (csv->n < csv->capacity) {
        return true;
    }
    size_t capacity = csv->capacity > 0 ? 2 * csv->capacity : SOME;
    hl_heads_csv_row *rows = hl_realloc(csv->rows, capacity, sizeof *rows);
    if (rows == NULL) {
        return false;
    }
    csv->rows = rows;
    csv->capacity = capacity;
    return true;
}

/* Measuring */

/* A head of a snapshot that is being added. */
typedef struct place {
    hl_heads_csv *csv;
    const hl_patterns *layers;
    const hl_streamed *all;        /* or NULL */
    const hl_head_effect *effects; /* of this head and those after it, or NULL */
    int64_t step;
    int layer;
    int64_t head;
    bool full; /* memory did not suffice */
} place;

static hl_patterns patterns_at(const place *at)
{
    hl_patterns patterns = at->layers[at->layer];
    patterns.head = at->head;
    return patterns;
}

/* Moves on to the next head; false where there is none. */
static bool move_on(place *at)
{
    at->head++;
    if (at->effects != NULL) {
        at->effects++;
    }
    if (at->head == at->layers[at->layer].n_heads) {
        at->layer++;
        at->head = 0;
    }
    return at->layer < at->csv->n_layers;
}

static void add_row(void *context, const hl_reading *reading)
{
    place *at = context;
    hl_heads_csv *csv = at->csv;
    if (!reserve_row(csv)) {
        at->full = true;
        return;
    }
    csv->rows[csv->n++] = (hl_heads_csv_row){ at->step, at->layer, at->head, *reading };
}

/* Of all heads, for js: those of the later ones are needed before these are measured. */
static void measure_entropies(place at)
{
    double *entropy = at.csv->entropies;
    do {
        hl_patterns all = patterns_at(&at), scoring = hl_patterns_scoring(&all);
        *entropy++ = hl_entropy_of(&scoring).nats;
    } while (move_on(&at));
}

/* The js of this head, whose entropy comes first, and every later one; `pair` counts all pairs of the snapshot. */
static void add_pairs(place *at, const double *entropies, int64_t *pair)
{
    double *untrained = at->csv->untrained;
    hl_patterns all = patterns_at(at), scoring = hl_patterns_scoring(&all);
    int64_t i = 0;
    for (place other = *at; move_on(&other); (*pair)++) {
        hl_patterns other_all = patterns_at(&other), other_scoring = hl_patterns_scoring(&other_all);
        double js = hl_divergence_given(&scoring, &other_scoring, entropies[0], entropies[++i]);
        double baseline = NAN;
        if (untrained != NULL) {
            untrained[*pair] = at->step == 0 ? js : untrained[*pair];
            baseline = untrained[*pair];
        }
        add_row(at, &(hl_reading){ HL_METRIC_JS, other.layer, other.head, js, baseline });
    }
}

/* Takes back the rows from `begin` on, of a snapshot whose last ones are missing. */
static void take_back(hl_heads_csv *csv, int64_t step, size_t begin)
{
    csv->n = begin;
    if (step == 0) {
        hl_free(csv->untrained);
        csv->untrained = NULL;
    }
}

static void mark_best_offsets(hl_heads_csv *csv, size_t begin)
{
    for (size_t i = begin; i < csv->n; i++) {
        const hl_reading *reading = &csv->rows[i].reading;
        if (reading->metric == HL_METRIC_BEST_OFFSET) {
            csv->best[(int64_t)reading->value + csv->n_tokens - 1] = true;
        }
    }
}

static void add_effects(place *at)
{
    const hl_head_effect *effect = at->effects;
    double in_layer = hl_effect_in_layer(effect - at->head, at->layers[at->layer].n_heads, at->head);
    add_row(at, &(hl_reading){ HL_METRIC_IMPORTANCE, 0, 0, effect->importance, NAN });
    add_row(at, &(hl_reading){ HL_METRIC_IMPORTANCE_NORMALISED, 0, 0, in_layer, NAN });
    add_row(at, &(hl_reading){ HL_METRIC_LOSS_WITHOUT, 0, 0, effect->loss_without, effect->standard_error });
}

static void measure(place *at)
{
    const hl_heads_csv *csv = at->csv;
    int64_t n_offsets = 2 * csv->n_tokens - 1;
    hl_patterns patterns = patterns_at(at);
    hl_catalogue_measure(&patterns, csv->offsets, n_offsets, add_row, at);
    if (at->all != NULL) {
        hl_catalogue_measure_all(at->all, at->layer, at->head, csv->offsets, n_offsets, add_row, at);
    }
    if (at->effects != NULL) {
        add_effects(at);
    }
}

hl_status hl_heads_csv_add(hl_heads_csv *csv, int64_t step, const hl_patterns *layers, int n_layers,
                           const hl_streamed *all, const hl_head_effect *effects)
{
    HL_TRY(prepare(csv, step, layers, n_layers, all));
    size_t begin = csv->n;
    int64_t pair = 0, i = 0;
    place at = { .csv = csv, .layers = layers, .all = all, .effects = effects, .step = step };
    measure_entropies(at);
    do {
        measure(&at);
        add_pairs(&at, csv->entropies + i++, &pair);
    } while (move_on(&at));
    if (at.full) {
        take_back(csv, step, begin);
        return hl_error_memory("the metrics of heads");
    }
    mark_best_offsets(csv, begin);
    return hl_ok();
}

/* Printing */

bool hl_heads_csv_shows(const hl_heads_csv *csv, const hl_reading *reading)
{
    int64_t k = reading->parameter;
    return (reading->metric != HL_METRIC_OFFSET && reading->metric != HL_METRIC_ALL_OFFSET) || (k >= -1 && k <= 1) ||
           csv->best[k + csv->n_tokens - 1];
}

void hl_heads_csv_print(const hl_heads_csv *csv, const char *const *relations, hl_text *text)
{
    hl_text_print(text, "step,layer,head,metric,value,baseline\n");
    for (size_t i = 0; i < csv->n; i++) {
        const hl_heads_csv_row *row = &csv->rows[i];
        if (hl_heads_csv_shows(csv, &row->reading)) {
            hl_text_print(text, "%lld,%d,%lld,", (long long)row->step, row->layer, (long long)row->head);
            hl_metric_print(text, &row->reading, relations);
            hl_text_print(text, isnan(row->reading.baseline) ? ",%.9g,\n" : ",%.9g,%.9g\n", row->reading.value,
                          row->reading.baseline);
        }
    }
}

void hl_heads_csv_free(hl_heads_csv *csv)
{
    hl_free(csv->rows);
    hl_free(csv->offsets);
    hl_free(csv->best);
    hl_free(csv->entropies);
    hl_free(csv->untrained);
    *csv = (hl_heads_csv){ 0 };
}
