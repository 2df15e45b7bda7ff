/* The attention maps of a run as its report holds them, snapshot by snapshot. The page draws each weight as one of 256
 * levels. With a correction per level, it knows each weight to three decimals. Levels and corrections are deflated. The
 * model's answers stand beside them.
 *
 *     hl_report_maps maps = { .n_snapshots = n };
 *     HL_TRY(hl_report_maps_add(&maps, step, layers, n_layers, &answers));  // for each of the n snapshots, by step
 *     ...
 *     hl_report_maps_free(&maps); */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "heads/answers.h"
#include "heads/pattern.h"

#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

enum {
    HL_REPORT_EXAMPLES = 4,
    HL_REPORT_LEVELS =
        16 << 20, /* some 16 MiB: a level and its correction deflate to 0.7 bytes, and base64 adds a third */
};

typedef struct hl_report_map {
    int64_t step;
    uint8_t
        *numbers; /* (n_numbers): levels by layer, head and example, (n, n) for its n tokens without padding; then as
                         many corrections in the same order; NULL once they are packed */
    size_t n_numbers;
    char *levels;         /* the numbers, packed (show/private/packed.h); set with the last snapshot at the latest */
    int32_t *predictions; /* (n_examples, n_tokens): the model's answers, HL_IGNORE if nothing is asked; or NULL */
} hl_report_map;

/* Owned by the caller: hl_report_maps_free. */
typedef struct hl_report_maps {
    /* Set by the caller. */
    int64_t n_snapshots;  /* how many will be added */
    int64_t max_examples; /* the most examples that are kept, counted from the first; 0: HL_REPORT_EXAMPLES */
    size_t max_levels;    /* the most numbers in all maps together; 0: HL_REPORT_LEVELS */
    int threads;          /* the threads that pack, each a snapshot; 0: one */

    hl_report_map *kept; /* (n_kept): every `stride`-th snapshot that has all examples, counted back from the last */
    int64_t n_kept, n_packed, n_added, stride;

    /* Of all snapshots; copied from the first. */
    int n_layers;
    int64_t *n_heads;     /* (n_layers) */
    hl_examples examples; /* those that are kept; arrays that are not known are NULL, as are types and kinds */
    int64_t n_recorded;   /* the examples of the first snapshot */
    bool causal;
    void *memory; /* owned: the block of all arrays */
} hl_report_maps;

/* Adds a snapshot. layers[l] is head 0 of layer l on all examples (first and gap 0, at least one example), and stands
 * for all n_heads of its layer. `answers` are those on the same examples; NULL if they are not known, in all snapshots
 * or in none. Snapshots are added in the order of their steps. Their arrays may be freed afterwards. If all maps
 * together have too many numbers, fewer examples are kept (at least one). If that is not enough, fewer snapshots are
 * kept, always including the last one. Later snapshots may have more or fewer examples than the first. A snapshot that
 * lacks a kept example has no maps; the last one must have all. HL_INVALID: layers, heads or kept examples differ from
 * the first snapshot's, more snapshots than announced; HL_NO_MEMORY. Then nothing is added. */
hl_status hl_report_maps_add(hl_report_maps *maps, int64_t step, const hl_patterns *layers, int n_layers,
                             const hl_answers *answers);

/* The level of a weight. Among the levels whose thousandths, round(1000 * (level / 255)^2), are the weight's, it is the
 * one nearest to 255 * sqrt(weight); if there is none, the nearest of all. The root keeps small weights apart, because
 * with many keys all weights are near 0. Weights below 0 and NaN count as 0, weights above 1 as 1. */
uint8_t hl_report_level(double weight);

/* The correction of a level: round(1000 * weight) - round(1000 * (level / 255)^2), with the weight limited as above.
 * Halves are rounded to even, as printf does. It is -4 .. 4, and 0 for most weights, so that it deflates well. */
int8_t hl_report_correction(double weight);

/* Frees all and empties it. */
void hl_report_maps_free(hl_report_maps *maps);

HL_END_DECLS
