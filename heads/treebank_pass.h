/* Runs a model over a treebank and provides what every head attends to between the words of every sentence.
 *
 *     hl_treebank_pass_init(&pass, &model, treebank, 2048, threads);
 *     hl_arena_init(&arena, pass.plan.bytes);
 *     hl_treebank_pass_run(&pass, &arena, &(hl_treebank_taker){ .layer = count, .context = &counts });
 *
 * Word a gives word b the mean over a's pieces of the sum over b's pieces. Attention to special tokens is dropped
 * without renormalising (heads/word_join.h). No map between pieces is kept. */
#pragma once

#include "core/arena.h"
#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/tape.h"
#include "data/batch_storage.h"
#include "data/text/treebank.h"
#include "layers/model.h"

#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* The maps of all heads of a layer on a few sentences. */
typedef struct hl_word_maps {
    const hl_treebank *treebank;
    int layer;
    int64_t n_heads;            /* H of the layer */
    int64_t first_head;         /* the index of the layer's first head among the heads of all layers */
    int64_t first, n_sentences; /* the treebank's sentences first .. first + n_sentences - 1 */
    const hl_real *weights;
    const size_t *places; /* (n_sentences): where in `weights` the (H, W, W) numbers of each sentence begin */
} hl_word_maps;

/* (W, W): what word i of the sentence gives to word j in that head. */
static inline const hl_real *hl_word_map(const hl_word_maps *maps, int64_t sentence, int64_t head)
{
    int64_t W = hl_treebank_at(maps->treebank, sentence).n_words;
    return maps->weights + maps->places[sentence - maps->first] + head * W * W;
}

/* Takes every head of the layer with every sentence of the maps; different heads on `threads` threads at the same
 * time. `head` is counted over all layers; weights (W, W): what word i gives to word j. */
void hl_word_maps_each_head(const hl_word_maps *maps, int threads,
                            void (*take)(void *context, int64_t head, int64_t sentence, const hl_real *weights),
                            void *context);

typedef struct hl_treebank_taker {
    /* Receives each layer in order, for one group of sentences after the other; may use `threads` threads
     * (core/base/threads.h). */
    void (*layer)(void *context, const hl_word_maps *maps, int threads);

    /* Called with the number of sentences done and their total; its failure ends the run. May be NULL. */
    hl_status (*progress)(void *context, int64_t done, int64_t total);
    void *context;
} hl_treebank_taker;

typedef struct hl_treebank_pass {
    const hl_model *model; /* not owned; nor is the treebank */
    const hl_treebank *treebank;
    int64_t rows;
    int threads;
    hl_tape_plan plan;        /* of the passes, which need plan.bytes of arena; owned, as everything below */
    hl_batch_storage storage; /* all sentences */
    int32_t *words;           /* for each row: its word in its sentence; -1 for a special token */
    hl_real *weights;         /* of the layer that ran last */
    size_t *places;
    size_t bytes; /* the memory that all this needs, including the arena's */

    hl_head_probe probes[HL_MAX_LAYERS];
    hl_tape_observer observer;
    hl_word_maps maps; /* of the current slice */
    const hl_treebank_taker *taker;
} hl_treebank_pass;

/* Runs the model on up to `rows` rows at once, or on one longer sentence. The model needs no numbers yet. HL_INVALID (a
 * sentence is too long for the model, no rows), HL_NO_MEMORY; *pass is then empty. On success free with
 * hl_treebank_pass_free. The pass must not be moved. */
hl_status hl_treebank_pass_init(hl_treebank_pass *pass, const hl_model *model, const hl_treebank *treebank,
                                int64_t rows, int threads);

/* The model's parameters may change between two runs. The bits of the maps do not depend on the threads. Allocates
 * nothing, and leaves the arena as it was. Fails if `progress` fails, with the same status; HL_NO_MEMORY if the arena
 * has less memory left than planned. */
hl_status hl_treebank_pass_run(hl_treebank_pass *pass, hl_arena *arena, const hl_treebank_taker *taker);

/* A zeroed or already freed struct is allowed. */
void hl_treebank_pass_free(hl_treebank_pass *pass);

HL_END_DECLS
