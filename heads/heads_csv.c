#include "heads/heads_csv.h"

#include "core/base/memory.h"
#include "core/base/private/block.h"
#include "core/base/threads.h"
#include "heads/divergence.h"
#include "heads/private/row_entropy.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- memory ---- */

/* How many pairs of n heads, each head with itself among them, come before those whose first head is `head`. */
static int64_t pairs_before(int64_t n, int64_t head)
{
    return head * (2 * n + 1 - head) / 2;
}

/* The same without a head's pair with itself: those that have a row. */
static int64_t pair_rows_before(int64_t n, int64_t head)
{
    return pairs_before(n, head) - head;
}

/* What is the same for all snapshots. The row halves come first: their loops read whole cache lines. */
static void lay_out(void *context, hl_block *block)
{
    hl_heads_csv *csv = context;
    int64_t H = csv->n_heads, pairs = pairs_before(H, H), offsets = 2 * csv->n_tokens - 1;
    int threads = csv->threads < 1 ? 1 : csv->threads < HL_MAX_THREADS ? csv->threads : HL_MAX_THREADS;
    csv->halves = hl_block_take(block, threads * H * hl_row_halves_width(csv->n_tokens), sizeof *csv->halves);
    csv->mixed = hl_block_take(block, pairs, sizeof *csv->mixed);
    csv->untrained = hl_block_take(block, pairs, sizeof *csv->untrained);
    csv->offsets = hl_block_take(block, offsets, sizeof *csv->offsets);
    csv->measured = hl_block_take(block, H, sizeof *csv->measured);
    csv->best = hl_block_take(block, offsets, sizeof *csv->best);
}

size_t hl_heads_csv_bytes(int64_t n_heads, int64_t T, int threads)
{
    hl_heads_csv csv = { .n_heads = n_heads, .n_tokens = T, .threads = threads };
    return hl_block_bytes(lay_out, &csv);
}

static hl_status set_up(hl_heads_csv *csv, int64_t T, int n_layers, int64_t n_heads)
{
    csv->n_layers = n_layers;
    csv->n_heads = n_heads;
    csv->n_tokens = T;
    HL_TRY(hl_block_make(&csv->memory, lay_out, csv, "the metrics of heads"));
    for (int64_t i = 0; i < 2 * T - 1; i++) {
        csv->offsets[i] = i - (T - 1);
    }
    return hl_ok();
}

/* As many rows as a head has at most besides its pairs'. */
static int64_t most_rows(const hl_heads_csv *csv, const hl_patterns *layers)
{
    enum { OTHERS = 40 }; /* 29 by now */
    return 2 * (2 * csv->n_tokens - 1) + layers->n_relations + OTHERS;
}

static hl_status reserve_rows(hl_heads_csv *csv, const hl_patterns *layers)
{
    size_t some = (size_t)(csv->n_heads * most_rows(csv, layers) + pair_rows_before(csv->n_heads, csv->n_heads));
    if (csv->capacity - csv->n >= some) {
        return hl_ok();
    }
    size_t capacity = 2 * csv->capacity > csv->n + some ? 2 * csv->capacity : csv->n + some;
    hl_heads_csv_row *rows = hl_realloc(csv->rows, capacity, sizeof *rows);
    HL_NEED(rows != NULL, "the metrics of heads");
    csv->rows = rows;
    csv->capacity = capacity;
    return hl_ok();
}

/* Sets up at the first snapshot; refuses later ones that do not belong to it. */
static hl_status prepare(hl_heads_csv *csv, int64_t step, const hl_patterns *layers, int n_layers,
                         const hl_validation_sums *sums)
{
    bool first = csv->memory == NULL;
    int64_t n_heads = 0, T = layers->n_tokens, most = csv->n_tokens > 0 ? csv->n_tokens : T;
    bool fits = (first || csv->n_layers == n_layers) && (sums == NULL || sums->n_layers == n_layers) && T <= most;
    for (int l = 0; l < n_layers; l++) {
        n_heads += layers[l].n_heads;
        fits = fits && layers[l].n_tokens == T && (sums == NULL || sums->heads[l] == layers[l].n_heads);
    }
    if (!fits || (!first && csv->n_heads != n_heads)) {
        return hl_error(HL_INVALID, "the patterns of step %lld are of another shape than those before",
                        (long long)step);
    }
    if (first) {
        HL_TRY(set_up(csv, most, n_layers, n_heads));
    }
    HL_TRY(reserve_rows(csv, layers));
    csv->has_untrained = csv->has_untrained || step == 0;
    return hl_ok();
}

/* ---- measuring ---- */

/* A snapshot that is being added. Each head has rows of its own, so that threads can work on different heads and pairs;
 * gaps between them are closed at the end. */
typedef struct adding {
    hl_heads_csv *csv;
    const hl_patterns *layers;
    const hl_validation_sums *sums; /* or NULL */
    const hl_head_effect *effects;  /* of all heads, or NULL */
    int64_t step;
} adding;

/* A head, by its number among all and by layer and head. */
typedef struct place {
    const adding *of;
    int64_t i;
    int layer;
    int64_t head;
} place;

static place place_of(const adding *a, int64_t i)
{
    place at = { .of = a, .i = i, .head = i };
    while (at.head >= a->layers[at.layer].n_heads) {
        at.head -= a->layers[at.layer++].n_heads;
    }
    return at;
}

/* A head's rows: most_rows for itself, then those of its pairs. */
static hl_heads_csv_row *rows_of(const adding *a, int64_t i)
{
    return a->csv->rows + a->csv->n + i * most_rows(a->csv, a->layers) + pair_rows_before(a->csv->n_heads, i);
}

static void add_row(void *context, const hl_reading *reading)
{
    const place *at = context;
    int64_t *measured = &at->of->csv->measured[at->i];
    assert(*measured < most_rows(at->of->csv, at->of->layers));
    rows_of(at->of, at->i)[(*measured)++] =
        (hl_heads_csv_row){ .step = at->of->step, .layer = at->layer, .head = at->head, .reading = *reading };
}

static void add_effects(place *at)
{
    const hl_head_effect *effect = at->of->effects + at->i;
    double in_layer = hl_effect_in_layer(effect - at->head, at->of->layers[at->layer].n_heads, at->head);
    add_row(at, &(hl_reading){ .metric = HL_METRIC_IMPORTANCE, .value = effect->importance, .baseline = NAN });
    add_row(at, &(hl_reading){ .metric = HL_METRIC_IMPORTANCE_NORMALISED, .value = in_layer, .baseline = NAN });
    add_row(at, &(hl_reading){ .metric = HL_METRIC_LOSS_WITHOUT,
                               .value = effect->loss_without,
                               .baseline = effect->standard_error });
}

static void measure_heads(const void *context, hl_range range)
{
    const adding *a = context;
    const hl_heads_csv *csv = a->csv;
    int64_t n_offsets = 2 * csv->n_tokens - 1;
    for (int64_t i = range.begin; i < range.end; i++) {
        place at = place_of(a, i);
        hl_patterns patterns = a->layers[at.layer];
        patterns.head = at.head;
        csv->measured[i] = 0;
        hl_catalogue_measure(&patterns, csv->offsets, n_offsets, add_row, &at);
        if (a->sums != NULL) {
            hl_catalogue_measure_sums(a->sums, at.layer, at.head, csv->offsets, n_offsets, add_row, &at);
        }
        if (a->effects != NULL) {
            add_effects(&at);
        }
    }
}

/* Halves the rows of all heads, `stride` numbers apart, in a query of a scoring example. */
static void halve_rows(const adding *a, int64_t e, int64_t query, double *halves, int64_t stride)
{
    for (int l = 0; l < a->csv->n_layers; l++) {
        hl_patterns scoring = hl_patterns_scoring(&a->layers[l]);
        for (scoring.head = 0; scoring.head < scoring.n_heads; scoring.head++, halves += stride) {
            hl_pattern pattern = hl_patterns_at(&scoring, e);
            hl_row_halve(hl_pattern_row(&pattern, query), hl_pattern_keys(&pattern, query), halves);
        }
    }
}

/* Adds the entropies of the mixed rows of the pairs in `range` in a query of n keys, whose rows are halved. All heads
 * are compared with some before the next: with as many as stay in a core's nearest cache. */
static void add_mixed(const hl_heads_csv *csv, const double *halves, int64_t stride, int64_t n, hl_range range)
{
    enum { CACHED = 24 << 10 };
    int64_t some = CACHED / ((int64_t)sizeof *halves * stride);
    some = some < 1 ? 1 : some;
    for (int64_t first = 0; first < csv->n_heads; first += some) {
        for (int64_t i = 0; i < csv->n_heads; i++) {
            int64_t base = pairs_before(csv->n_heads, i) - i; /* the pair of heads i and j >= i is number base + j */
            int64_t begin = i > first ? i : first, end = first + some < csv->n_heads ? first + some : csv->n_heads;
            begin = begin > range.begin - base ? begin : range.begin - base;
            end = end < range.end - base ? end : range.end - base;
            if (begin < end) {
                hl_row_entropies_mixed(halves + i * stride, halves + begin * stride, stride, n, end - begin,
                                       csv->mixed + base + begin);
            }
        }
    }
}

/* The entropies of the mixed rows of a range of all pairs of heads, over all queries. It compares all heads in one
 * query before the next, so that each row is halved once. */
static void measure_pairs(const void *context, hl_range range)
{
    const adding *a = context;
    const hl_heads_csv *csv = a->csv;
    int64_t stride = hl_row_halves_width(csv->n_tokens);
    double *halves = csv->halves + range.thread * csv->n_heads * stride;
    hl_patterns examples = hl_patterns_scoring(&a->layers[0]);
    memset(csv->mixed + range.begin, 0, (size_t)(range.end - range.begin) * sizeof *csv->mixed);
    for (int64_t e = 0; e < examples.n_examples; e++) {
        hl_pattern example = hl_patterns_at(&examples, e);
        for (int64_t query = 0; query < example.n; query++) {
            halve_rows(a, e, query, halves, stride);
            add_mixed(csv, halves, stride, hl_pattern_keys(&example, query), range);
        }
    }
}

/* After measure_pairs: writes the rows of the pairs of some heads with later ones. A head's own entropy is that of its
 * pair with itself, so that equal heads differ by exactly nothing. */
static void end_pairs(const void *context, hl_range range)
{
    const adding *a = context;
    const hl_heads_csv *csv = a->csv;
    hl_patterns examples = hl_patterns_scoring(&a->layers[0]);
    int64_t queries = hl_patterns_queries(&examples);
    for (int64_t i = range.begin; i < range.end; i++) {
        int64_t own = pairs_before(csv->n_heads, i);
        place one = place_of(a, i);
        hl_heads_csv_row *row = rows_of(a, i) + most_rows(csv, a->layers);
        for (int64_t j = i + 1; j < csv->n_heads; j++) {
            int64_t number = own + j - i, others = pairs_before(csv->n_heads, j);
            place other = place_of(a, j);
            double q = (double)queries,
                   js = hl_divergence_end(csv->mixed[number], queries, csv->mixed[own] / q, csv->mixed[others] / q);
            double baseline = NAN;
            if (csv->has_untrained) {
                csv->untrained[number] = a->step == 0 ? js : csv->untrained[number];
                baseline = csv->untrained[number];
            }
            *row++ = (hl_heads_csv_row){ .step = a->step,
                                         .layer = one.layer,
                                         .head = one.head,
                                         .reading = { .metric = HL_METRIC_JS,
                                                      .layer = other.layer,
                                                      .parameter = other.head,
                                                      .value = js,
                                                      .baseline = baseline } };
        }
    }
}

/* Moves the rows together. */
static void close_gaps(const adding *a)
{
    hl_heads_csv *csv = a->csv;
    hl_heads_csv_row *end = csv->rows + csv->n;
    for (int64_t i = 0; i < csv->n_heads; i++) {
        const hl_heads_csv_row *rows = rows_of(a, i);
        size_t own = (size_t)csv->measured[i], pairs = (size_t)(csv->n_heads - 1 - i);
        memmove(end, rows, own * sizeof *end);
        memmove(end + own, rows + most_rows(csv, a->layers), pairs * sizeof *end);
        end += own + pairs;
    }
    csv->n = (size_t)(end - csv->rows);
}

hl_status hl_heads_csv_add(hl_heads_csv *csv, int64_t step, const hl_patterns *layers, int n_layers,
                           const hl_validation_sums *sums, const hl_head_effect *effects)
{
    HL_TRY(prepare(csv, step, layers, n_layers, sums));
    size_t begin = csv->n;
    adding a = { .csv = csv, .layers = layers, .sums = sums, .effects = effects, .step = step };
    hl_threads_run(csv->threads, csv->n_heads, 1, measure_heads, &a);
    hl_threads_run(csv->threads, pairs_before(csv->n_heads, csv->n_heads), 1, measure_pairs, &a);
    hl_threads_run(csv->threads, csv->n_heads, 1, end_pairs, &a);
    close_gaps(&a);
    for (size_t i = begin; i < csv->n; i++) {
        const hl_reading *reading = &csv->rows[i].reading;
        if (reading->metric == HL_METRIC_BEST_OFFSET) {
            csv->best[(int64_t)reading->value + csv->n_tokens - 1] = true;
        }
    }
    return hl_ok();
}

/* ---- printing ---- */

bool hl_heads_csv_shows(const hl_heads_csv *csv, const hl_reading *reading)
{
    int64_t k = reading->parameter;
    return (reading->metric != HL_METRIC_OFFSET && reading->metric != HL_METRIC_ALL_OFFSET) || (k >= -1 && k <= 1) ||
           csv->best[k + csv->n_tokens - 1];
}

void hl_heads_csv_print_row(const hl_heads_csv_row *row, const char *const *relations, hl_text *text)
{
    hl_text_print(text, "%lld,%d,%lld,", (long long)row->step, row->layer, (long long)row->head);
    hl_metric_print(text, &row->reading, relations);
    hl_text_print(text, isnan(row->reading.baseline) ? ",%.9g,\n" : ",%.9g,%.9g\n", row->reading.value,
                  row->reading.baseline);
}

void hl_heads_csv_print(const hl_heads_csv *csv, const char *const *relations, int64_t step, hl_text *text)
{
    hl_text_print(text, "step,layer,head,metric,value,baseline\n");
    for (size_t i = 0; i < csv->n; i++) {
        const hl_heads_csv_row *row = &csv->rows[i];
        if ((step < 0 || row->step == step) && hl_heads_csv_shows(csv, &row->reading)) {
            hl_heads_csv_print_row(row, relations, text);
        }
    }
}

void hl_heads_csv_free(hl_heads_csv *csv)
{
    hl_free(csv->rows);
    hl_free(csv->memory);
    *csv = (hl_heads_csv){ 0 };
}
