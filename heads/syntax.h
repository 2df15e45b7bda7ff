/* Which head attends from a word to its syntactic head: counts over a treebank, and what they show.
 *
 *     hl_syntax_init(&syntax, R, n_heads);
 *     for each sentence s used, numbered from 0:
 *         hl_syntax_add_tree(&syntax, &tree, s);
 *         for each head: hl_syntax_add_head(&syntax, head, &tree, s, its weights between the words);
 *     hl_syntax_row row = hl_syntax_row_of(&syntax, relation);
 *
 * The question is that of Clark et al. 2019 (arXiv:1906.04341), section 4.2; docs/grammar.md lists the differences. In
 * direction d>h the guess for a dependent is the largest weight in its row; in h>d, the largest in its column. A word's
 * guess is never the word itself, but may be any other word; the first among equals wins. A guess is a hit if it is the
 * word's gold head. The root has no head and is not counted. The baseline is a fixed offset k = head - dependent,
 * -HL_SYNTAX_OFFSETS .. HL_SYNTAX_OFFSETS except 0. The guess for word i is word i + k, or the first or last word if
 * there is none. It is a miss if that is word i itself.
 *
 * Relations n_own .. R - 1 are further ones (hl_treebank_extra): a guess is a hit if it is any of several right words.
 * They are not part of all relations together. For one of them, `far`, offsets are HL_SYNTAX_FAR .. HL_SYNTAX_FURTHEST
 * on both sides.
 *
 * Published numbers choose and measure head, direction and offset on the same sentences: all. Held-out numbers choose
 * head and direction on sentences 0, 2, 4 ... and measure on 1, 3, 5 ...; their baseline is the best offset of the
 * latter. Ties in choosing: the lowest head, d>h first; the smallest |k|, the negative one first. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/base/tensor.h"
#include "data/text/treebank.h"
#include "heads/estimate.h"
#include "heads/treebank_pass.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

enum { HL_SYNTAX_OFFSETS = 8, HL_SYNTAX_FAR = 6, HL_SYNTAX_FURTHEST = 20 };

typedef enum hl_syntax_direction { HL_SYNTAX_TO_HEAD, HL_SYNTAX_TO_DEPENDENT } hl_syntax_direction; /* d>h, h>d */

const char *hl_syntax_direction_name(hl_syntax_direction direction); /* "d>h", "h>d" */

/* The guess of offset k for word i of n_words: a word's position; -1 if that is word i itself. */
int64_t hl_syntax_offset_guess(int64_t i, int64_t k, int64_t n_words);

/* A head's guess for word i. weights (W, W): what word i gives to word j. -1 if the sentence has only one word. */
int64_t hl_syntax_guess(const hl_real *weights, int64_t i, hl_syntax_direction direction, int64_t n_words);

/* The counts in a half of the sentences. Half 0: sentences 0, 2, 4 ...; half 1: the others. */
typedef struct hl_syntax_half {
    int64_t *cases;   /* (R) */
    int64_t *offsets; /* (R, 2 HL_SYNTAX_FURTHEST + 1): hits of each fixed offset of the relation; the others stay 0 */
    int64_t *hits;    /* (R, heads, 2): hits of each head in each direction */
} hl_syntax_half;

typedef struct hl_syntax {
    int64_t n_relations; /* R */
    int64_t n_own, far;  /* hl_syntax_init: R, and -1 for none; hl_syntax_add_treebank: those of the treebank */
    int64_t n_heads;     /* in all layers, the lowest layer first */
    hl_syntax_half halves[2];
    void *memory; /* owned: the block of the counts */
} hl_syntax;

/* Requires at least one relation and one head, else HL_INVALID. HL_NO_MEMORY, also for impossible sizes; *syntax is
 * then empty. On success free with hl_syntax_free. */
hl_status hl_syntax_init(hl_syntax *syntax, int64_t n_relations, int64_t n_heads);

/* The bytes that it allocates; SIZE_MAX for impossible sizes. */
size_t hl_syntax_bytes(int64_t n_relations, int64_t n_heads);

/* A zeroed or already freed struct is allowed. */
void hl_syntax_free(hl_syntax *syntax);

/* Counts a sentence's cases and the hits of each offset. */
void hl_syntax_add_tree(hl_syntax *syntax, const hl_treebank_sentence *tree, int64_t sentence);

/* The same for all sentences of a treebank. Also sets n_own and `far`, as the treebank has them. */
void hl_syntax_add_treebank(hl_syntax *syntax, const hl_treebank *treebank);

/* Counts a head's hits in a sentence. weights (W, W): what word i gives to word j. Several threads may add different
 * heads at the same time. */
void hl_syntax_add_head(hl_syntax *syntax, int64_t head, const hl_treebank_sentence *tree, int64_t sentence,
                        const hl_real *weights);

/* Counts the hits of all heads of a layer in the sentences of its maps. `syntax` is a hl_syntax for the relations of
 * the maps' treebank and the heads of the model. Hits are added to those already counted: see hl_syntax_clear. A
 * receiver of layers (hl_treebank_taker). */
void hl_syntax_add_layer(void *syntax, const hl_word_maps *maps, int threads);

/* Sets all hits of heads to 0. */
void hl_syntax_clear(hl_syntax *syntax);

/* A chosen head and offset, and what they reach. */
typedef struct hl_syntax_choice {
    int64_t head;
    hl_syntax_direction direction;
    int64_t offset;
    hl_syntax_rate found, baseline; /* the head's rate, and the offset's */
} hl_syntax_choice;

typedef struct hl_syntax_row {
    hl_syntax_choice published, held_out;
} hl_syntax_row;
/* The best head for a relation, or for the first n_own relations together if `relation` is -1. */
hl_syntax_row hl_syntax_row_of(const hl_syntax *syntax, int64_t relation);
/* The head that held-out numbers choose for a relation, measured on the choosing half; says nothing of the other. */
hl_syntax_choice hl_syntax_chosen_of(const hl_syntax *syntax, int64_t relation);
/* As hl_syntax_row_of, for one head in its better direction. */
hl_syntax_row hl_syntax_head_of(const hl_syntax *syntax, int64_t relation, int64_t head);

/* Whether the head's share is at least HL_SYNTAX_CLEAR above the baseline's, and their intervals do not overlap. If
 * this holds for held-out numbers, the head earns the relation as its label. */
#define HL_SYNTAX_CLEAR 0.1
bool hl_syntax_earned(const hl_syntax_choice *choice);
/* The same, and that the relation is one of the first n_own: the others are no labels. */
bool hl_syntax_names(const hl_syntax *syntax, int64_t relation, const hl_syntax_choice *choice);

HL_END_DECLS
