#include "show/report_maps.h"

#include "core/base/memory.h"
#include "core/base/private/block.h"
#include "core/base/threads.h"
#include "show/private/packed.h"

#include <math.h>
#include <string.h>

/* The number of levels in a snapshot's maps of the first `n` examples; as double, which does not overflow. */
static double levels_of(const hl_patterns *layers, int n_layers, int64_t n)
{
    double per_head = 0, heads = 0;
    for (int64_t e = 0; e < n; e++) {
        per_head += (double)layers[0].lengths[e] * layers[0].lengths[e];
    }
    for (int l = 0; l < n_layers; l++) {
        heads += (double)layers[l].n_heads;
    }
    return per_head * heads;
}

/* Sets n_examples and stride so that all maps together have at most max_levels numbers. */
static void fit(hl_report_maps *maps, const hl_patterns *layers, int n_layers)
{
    double limit = maps->max_levels > 0 ? (double)maps->max_levels : HL_REPORT_LEVELS;
    int64_t n = maps->max_examples > 0 ? maps->max_examples : HL_REPORT_EXAMPLES;
    n = n < layers[0].n_examples ? n : layers[0].n_examples;
    while (n > 1 && levels_of(layers, n_layers, n) * (double)maps->n_snapshots > limit) {
        n--;
    }
    double most_snapshots = fmax(1, floor(limit / levels_of(layers, n_layers, n)));
    maps->examples.n_examples = n;
    maps->stride = (int64_t)fmax(1, ceil((double)maps->n_snapshots / most_snapshots));
}

static void free_map(hl_report_map *map)
{
    hl_free(map->numbers);
    hl_free(map->levels);
    hl_free(map->predictions);
}

static void free_examples(hl_report_maps *maps)
{
    hl_free(maps->memory);
    *maps = (hl_report_maps){ .n_snapshots = maps->n_snapshots,
                              .max_examples = maps->max_examples,
                              .max_levels = maps->max_levels,
                              .threads = maps->threads };
}

/* An array with a row for each example: where it goes, and where the first snapshot has it. */
typedef struct rows {
    int32_t **to;
    const int32_t *from; /* NULL: there is none */
    int64_t count, stride;
} rows;

/* What holds for all snapshots, as the first one has it. */
enum { ARRAYS = 6 };
typedef struct common {
    hl_report_maps *maps;
    int n_layers;
    rows arrays[ARRAYS];
} common;

static void lay_out(void *context, hl_block *block)
{
    const common *c = context;
    hl_report_maps *maps = c->maps;
    maps->kept = hl_block_take(block, maps->n_snapshots / maps->stride + 1, sizeof *maps->kept);
    maps->n_heads = hl_block_take(block, c->n_layers, sizeof *maps->n_heads);
    for (const rows *r = c->arrays; r < c->arrays + ARRAYS; r++) {
        bool any = r->from != NULL && r->count > 0;
        *r->to = any ? hl_block_take(block, maps->examples.n_examples * r->count, sizeof **r->to) : NULL;
    }
}

/* Copies from the first snapshot what holds for all. */
static bool begin(hl_report_maps *maps, const hl_patterns *layers, int n_layers, const hl_answers *answers)
{
    const hl_patterns *first = &layers[0];
    hl_examples *e = &maps->examples;
    int64_t T = first->n_tokens, R = first->relations != NULL ? first->n_relations : 0;
    common c = { .maps = maps,
                 .n_layers = n_layers,
                 .arrays = { { &e->lengths, first->lengths, 1, 1 },
                             { &e->tokens, first->tokens, T, T },
                             { &e->targets, answers != NULL ? answers->targets : NULL, T, T },
                             { &e->sources, first->sources, T, T + first->sources_gap },
                             { &e->words, first->text.words, T, T },
                             { &e->relations, first->relations, R * T, R * T } } };
    fit(maps, layers, n_layers);
    *e = (hl_examples){ .n_examples = e->n_examples, .n_tokens = T, .n_relations = R };
    if (hl_block_make(&maps->memory, lay_out, &c, "maps of the page").code != HL_OK) {
        free_examples(maps);
        return false;
    }
    for (const rows *r = c.arrays; r < c.arrays + ARRAYS; r++) {
        for (int64_t i = 0; *r->to != NULL && i < e->n_examples; i++) {
            memcpy(*r->to + i * r->count, r->from + i * r->stride, (size_t)r->count * sizeof **r->to);
        }
    }
    for (int l = 0; l < n_layers; l++) {
        maps->n_heads[l] = layers[l].n_heads;
    }
    maps->n_layers = n_layers;
    maps->n_recorded = first->n_examples;
    maps->causal = first->causal;
    return true;
}

/* Whether the snapshot has all examples that are kept. */
static bool holds_all(const hl_report_maps *maps, const hl_patterns *layers)
{
    return layers[0].n_examples >= maps->examples.n_examples;
}

static bool fits(const hl_report_maps *maps, const hl_patterns *layers, int n_layers)
{
    bool last = maps->n_added == maps->n_snapshots - 1, all = holds_all(maps, layers);
    size_t n = (size_t)(all ? maps->examples.n_examples : layers[0].n_examples);
    bool same = n_layers == maps->n_layers && (all || !last) &&
                memcmp(layers[0].lengths, maps->examples.lengths, n * sizeof *maps->examples.lengths) == 0;
    for (int l = 0; same && l < n_layers; l++) {
        same = layers[l].n_heads == maps->n_heads[l];
    }
    return same;
}

/* 0 .. 1. */
static double kept_of(double weight)
{
    return weight > 0 ? fmin(weight, 1) : 0;
}

static long thousandths_of(int level)
{
    double root = level / 255.0;
    return lrint(1000 * root * root);
}

uint8_t hl_report_level(double weight)
{
    double kept = kept_of(weight);
    int level = (int)lround(255 * sqrt(kept));
    long off = lrint(1000 * kept) - thousandths_of(level);
    int beside = level + (off > 0) - (off < 0);
    return (uint8_t)(thousandths_of(beside) == lrint(1000 * kept) ? beside : level);
}

int8_t hl_report_correction(double weight)
{
    return (int8_t)(lrint(1000 * kept_of(weight)) - thousandths_of(hl_report_level(weight)));
}

/* Writes a head's levels, and `gap` bytes behind each its correction; returns where the next head's levels begin. */
static uint8_t *write_numbers(uint8_t *out, size_t gap, const hl_patterns *head, int64_t n_examples)
{
    for (int64_t e = 0; e < n_examples; e++) {
        hl_pattern pattern = hl_patterns_at(head, e);
        for (int64_t i = 0; i < pattern.n; i++) {
            for (int64_t j = 0; j < pattern.n; j++, out++) {
                double weight = j < hl_pattern_keys(&pattern, i) ? (double)hl_pattern_row(&pattern, i)[j] : 0;
                out[0] = hl_report_level(weight);
                out[gap] = (uint8_t)hl_report_correction(weight);
            }
        }
    }
    return out;
}

static uint8_t *numbers_of(const hl_report_maps *maps, const hl_patterns *layers, size_t *n)
{
    double levels = levels_of(layers, maps->n_layers, maps->examples.n_examples);
    uint8_t *numbers = levels < (double)(SIZE_MAX / 8) ? hl_malloc(2 * (size_t)levels) : NULL, *out = numbers;
    for (int l = 0; l < maps->n_layers && numbers != NULL; l++) {
        for (int64_t h = 0; h < maps->n_heads[l]; h++) {
            hl_patterns head = layers[l];
            head.head = h;
            out = write_numbers(out, (size_t)levels, &head, maps->examples.n_examples);
        }
    }
    *n = 2 * (size_t)levels;
    return numbers;
}

/* Packs the maps that still are numbers, each on a thread; all of them or none. */
static bool pack(hl_report_maps *maps)
{
    hl_packed_block blocks[HL_MAX_THREADS];
    hl_report_map *first = maps->kept + maps->n_packed;
    int64_t n = maps->n_kept - maps->n_packed;
    for (int64_t i = 0; i < n; i++) {
        blocks[i] = (hl_packed_block){ .bytes = first[i].numbers, .size = first[i].n_numbers };
    }
    bool complete = hl_packed_all(blocks, n);
    for (int64_t i = 0; i < n && complete; i++) {
        first[i].levels = blocks[i].packed;
        hl_free(first[i].numbers);
        first[i].numbers = NULL;
    }
    maps->n_packed += complete ? n : 0;
    return complete;
}

static int32_t *predict(const hl_report_maps *maps, const hl_answers *answers)
{
    int64_t n = maps->examples.n_examples, T = maps->examples.n_tokens;
    int32_t *predictions = hl_calloc((size_t)(n * T), sizeof *predictions);
    for (int64_t e = 0; predictions != NULL && e < n; e++) {
        hl_answers_predict(answers, e, maps->examples.lengths[e], T, predictions + e * T);
    }
    return predictions;
}

static bool keep(hl_report_maps *maps, int64_t step, const hl_patterns *layers, const hl_answers *answers)
{
    hl_report_map map = { .step = step };
    map.numbers = numbers_of(maps, layers, &map.n_numbers);
    map.predictions = answers != NULL ? predict(maps, answers) : NULL;
    if (map.numbers == NULL || (answers != NULL && map.predictions == NULL)) {
        free_map(&map);
        return false;
    }
    maps->kept[maps->n_kept++] = map;
    int64_t at_once = maps->threads < HL_MAX_THREADS ? maps->threads : HL_MAX_THREADS;
    bool due = maps->n_kept - maps->n_packed >= at_once || maps->n_added == maps->n_snapshots - 1;
    if (due && !pack(maps)) {
        free_map(&maps->kept[--maps->n_kept]);
        return false;
    }
    return true;
}

hl_status hl_report_maps_add(hl_report_maps *maps, int64_t step, const hl_patterns *layers, int n_layers,
                             const hl_answers *answers)
{
    if (n_layers < 1 || maps->n_added >= maps->n_snapshots) {
        return hl_error(HL_INVALID, "a report of %lld snapshots is given another", (long long)maps->n_snapshots);
    }
    if (maps->n_added == 0 && !begin(maps, layers, n_layers, answers)) {
        return hl_error_memory("a report's maps");
    }
    if (!fits(maps, layers, n_layers)) {
        return hl_error(HL_INVALID, "the snapshot of step %lld is of another model or other examples", (long long)step);
    }
    if ((maps->n_snapshots - 1 - maps->n_added) % maps->stride == 0 && holds_all(maps, layers)) {
        if (!keep(maps, step, layers, answers)) {
            if (maps->n_added == 0) {
                free_examples(maps);
            }
            return hl_error_memory("a report's maps");
        }
    }
    maps->n_added++;
    return hl_ok();
}

void hl_report_maps_free(hl_report_maps *maps)
{
    for (int64_t i = 0; i < maps->n_kept; i++) {
        free_map(&maps->kept[i]);
    }
    free_examples(maps);
}
