/* Runs a model over a treebank and gives what every head attends to between the words of every sentence.
 *
 *     hl_treebank_pass_init(&pass, &model, treebank, 2048, threads);
 *     hl_arena_init(&arena, pass.plan.bytes);
 *     hl_treebank_pass_run(&pass, &arena, &(hl_treebank_taker){ .layer = count, .context = &counts });
 *
 * Word a gives word b the mean over a's pieces of the sum over b's; what falls on special tokens is dropped, and
 * nothing is scaled in its place (heads/word_join.h). No map between pieces is kept. */
#ifndef HL_HEADS_TREEBANK_PASS_H
#define HL_HEADS_TREEBANK_PASS_H

#include "core/arena.h"
#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/tape.h"
#include "data/batch_storage.h"
#include "data/text/treebank.h"
#include "heads/syntax.h"
#include "layers/model.h"

#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* The maps of all heads of a layer on a few sentences. */
typedef struct hl_word_maps {
    int layer;
    int64_t n_heads;            /* H, of the layer */
    int64_t first_head;         /* of the layer, among the heads of all */
    int64_t first, n_sentences; /* of the treebank: first .. first + n_sentences - 1 */
    const hl_real *weights;
    const size_t *places; /* (n_sentences): where in `weights` the (H, W, W) of each begin */
} hl_word_maps;

/* (W, W): what word i of the sentence gives to word j in that head. */
static inline const hl_real *hl_word_map(const hl_word_maps *maps, int64_t sentence, int64_t head, int64_t n_words)
{
    return maps->weights + maps->places[sentence - maps->first] + head * n_words * n_words;
}

typedef struct hl_treebank_taker {
    /* Receives each layer in order, for some sentences after the other; may use `threads` threads
     * (core/base/threads.h). */
    void (*layer)(void *context, const hl_word_maps *maps, int threads);

    /* Told how many sentences are done, of how many; its failure ends the run. NULL is allowed. */
    hl_status (*progress)(void *context, int64_t done, int64_t total);
    void *context;
} hl_treebank_taker;

typedef struct hl_treebank_pass {
    const hl_model *model; /* not owned, as the treebank */
    const hl_treebank *treebank;
    int64_t rows;
    int threads;
    hl_tape_plan plan;        /* of the passes: plan.bytes of arena; owned, as all below */
    hl_batch_storage storage; /* all sentences */
    int32_t *words;           /* of each row: its word in its sentence, -1 of a special token */
    hl_real *weights;         /* of the layer that was run last */
    size_t *places;
    size_t bytes; /* of memory that all this takes, the arena's with it */

    hl_head_probe probes[HL_MAX_LAYERS];
    hl_tape_observer observer;
    hl_word_maps maps; /* of the slice at work */
    const hl_treebank_taker *taker;
    hl_status status;
} hl_treebank_pass;

/* The model, which needs no numbers yet, is run on up to `rows` rows at once, or on one sentence that is longer.
 * HL_INVALID (a sentence is too long for the model, no rows), HL_NO_MEMORY; it is then empty. On success ended by
 * hl_treebank_pass_free; must not be moved. */
hl_status hl_treebank_pass_init(hl_treebank_pass *pass, const hl_model *model, const hl_treebank *treebank,
                                int64_t rows, int threads);

/* The model's parameters may change between two runs. The bits of the maps do not depend on the threads. Allocates
 * nothing, and leaves the arena as it was. Fails as the progress does, and with HL_NO_MEMORY where the arena has less
 * left than planned. */
hl_status hl_treebank_pass_run(hl_treebank_pass *pass, hl_arena *arena, const hl_treebank_taker *taker);

/* Runs the model and sets what each head hits (heads/syntax.h), whatever the counts of heads were; the counts are of
 * the treebank's relations and the model's heads. Allocates nothing. `progress` as that of a taker, or NULL. Fails as
 * hl_treebank_pass_run. */
hl_status hl_treebank_pass_count(hl_treebank_pass *pass, hl_arena *arena, hl_syntax *counts,
                                 hl_status (*progress)(void *context, int64_t done, int64_t total), void *context);

/* Counts the cases and the offsets' hits of all its sentences. */
void hl_syntax_add_treebank(hl_syntax *counts, const hl_treebank *treebank);

/* A zeroed or already freed one is allowed. */
void hl_treebank_pass_free(hl_treebank_pass *pass);

HL_END_DECLS

#endif
