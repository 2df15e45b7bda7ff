/* The attention maps of a run as its report holds them, snapshot by snapshot: weights as 256 levels, which are drawn,
 * with corrections, by which the page knows each weight to three decimals; both deflated. Beside them what the model
 * answered.
 *
 *     hl_report_maps maps = { .n_snapshots = n };
 *     HL_TRY(hl_report_maps_add(&maps, step, layers, n_layers, &answers));  // for each of the n snapshots, by step
 *     ...
 *     hl_report_maps_free(&maps); */
#ifndef HL_SHOW_REPORT_MAPS_H
#define HL_SHOW_REPORT_MAPS_H

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
    uint8_t *numbers; /* levels, by layer, head and example the rows (n, n) of its n real tokens, then as many */
    size_t n_numbers; /* corrections in the same order: n_numbers in all; NULL once they are packed */
    char *levels;     /* the same packed (show/private/packed.h), at the latest with the last snapshot */
    int32_t
        *predictions; /* (n_examples, n_tokens): what the model answered, HL_IGNORE where nothing is asked; or NULL */
} hl_report_map;

/* Owned by the caller: hl_report_maps_free. */
typedef struct hl_report_maps {
    /* Set by the caller. */
    int64_t n_snapshots;  /* how many will be added */
    int64_t max_examples; /* how many examples are kept at most, the first ones; 0: HL_REPORT_EXAMPLES */
    size_t max_levels;    /* how many numbers all maps together have at most; 0: HL_REPORT_LEVELS */
    int threads;          /* on how many threads they are packed, a snapshot on each; 0: on one */

    hl_report_map *kept; /* n_kept: every `stride`-th snapshot, counted back from the last, that has all examples */
    int64_t n_kept, n_packed, n_added, stride;

    /* Of all snapshots; copied from the first. */
    int n_layers;
    int64_t *n_heads; /* (n_layers) */
    int64_t n_examples, n_tokens, n_relations;
    int64_t n_recorded; /* examples of the first snapshot, of which n_examples are kept */
    bool causal;
    int32_t *lengths;   /* (n_examples) */
    int32_t *tokens;    /* (n_examples, n_tokens); NULL where not known, as the next four */
    int32_t *targets;   /* likewise; HL_IGNORE where nothing is asked */
    int32_t *sources;   /* likewise */
    int32_t *words;     /* likewise: the word that each token belongs to (core/examples.h) */
    int32_t *relations; /* (n_examples, n_relations, n_tokens) */
} hl_report_maps;

/* Adds a snapshot: layers[l] is head 0 of layer l on all examples (first and gap 0, at least one example), and stands
 * for all n_heads of its layer. `answers`: on the same examples; NULL where they are not known, in all snapshots or
 * none. Snapshots come by step; their arrays may go afterwards. Where all maps would be too
 * many numbers, fewer examples are kept (at least one), and where that is not enough, fewer snapshots; the last one
 * always. Later snapshots may have more examples than the first, or fewer: of one that lacks some of those that are
 * kept there are no maps, and the last must have them. HL_INVALID: other layers, heads or kept examples than the first,
 * more snapshots than were announced; HL_NO_MEMORY. Then nothing is added. */
hl_status hl_report_maps_add(hl_report_maps *maps, int64_t step, const hl_patterns *layers, int n_layers,
                             const hl_answers *answers);

/* The level of a weight: the nearest to 255 * sqrt(weight) of those that make the weight's thousandths,
 * round(1000 * (level / 255)^2); the nearest of all where none does. The root distinguishes weights near 0, which all
 * are among many keys. Weights below 0 and NaN count as 0, those above 1 as 1. */
uint8_t hl_report_level(double weight);

/* What a level's thousandths lack: round(1000 * weight) - round(1000 * (level / 255)^2), where the weight counts as for
 * its level. Halves are rounded to even, as printf does. -4 .. 4, and 0 for most weights, so that it deflates well. */
int8_t hl_report_correction(double weight);

/* Frees all and empties it. */
void hl_report_maps_free(hl_report_maps *maps);

HL_END_DECLS

#endif
