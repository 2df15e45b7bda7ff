/* Which head attends from a word to its syntactic head: counts over a treebank, and what they say.
 *
 *     hl_syntax_init(&syntax, R, n_heads);
 *     for each sentence s used, numbered from 0:
 *         hl_syntax_add_tree(&syntax, &tree, s);
 *         for each head: hl_syntax_add_head(&syntax, head, &tree, s, its weights between the words);
 *     hl_syntax_row row = hl_syntax_row_of(&syntax, relation);
 *
 * The question is that of Clark et al. 2019 (arXiv:1906.04341), section 4.2; docs/grammar.md says what differs. In the
 * direction d>h the guess for a dependent is the largest weight of its row, in h>d the largest of its column; a word is
 * no guess for itself, every other word is, the first of equals wins. A guess is a hit where it is the word's gold
 * head. The root has none and is not counted. The baseline is a fixed offset k = head - dependent,
 * -HL_SYNTAX_OFFSETS .. HL_SYNTAX_OFFSETS but 0: the guess for word i is word i + k, the first or last word where
 * there is none, a miss where that is word i itself.
 *
 * Published numbers choose head, direction and offset where they measure them: on all sentences. Held-out numbers
 * choose head and direction on sentences 0, 2, 4 ... and measure on 1, 3, 5 ...; the best offset of these odd ones is
 * their baseline. Equals in choosing: the lowest head, d>h first; the smallest |k|, the negative one first. */
#ifndef HL_HEADS_SYNTAX_H
#define HL_HEADS_SYNTAX_H

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/base/tensor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

enum { HL_SYNTAX_OFFSETS = 8 };

typedef enum hl_syntax_direction { HL_SYNTAX_TO_HEAD, HL_SYNTAX_TO_DEPENDENT } hl_syntax_direction; /* d>h, h>d */

const char *hl_syntax_direction_name(hl_syntax_direction direction); /* "d>h", "h>d" */

/* The guess of offset k for word i of n_words: their place, -1 where that is word i itself. */
int64_t hl_syntax_offset_guess(int64_t i, int64_t k, int64_t n_words);

/* The guess of a head with weights (W, W), of what word i gives to word j; -1 where the word is alone. */
int64_t hl_syntax_guess(const hl_real *weights, int64_t i, hl_syntax_direction direction, int64_t n_words);

/* A sentence's gold tree. */
typedef struct hl_syntax_tree {
    int64_t n_words;          /* W, at least 1 */
    const int32_t *heads;     /* (W): the place of each word's head, 0 .. W - 1; -1 of a root */
    const int32_t *relations; /* (W): 0 .. R - 1, of the word to its head */
} hl_syntax_tree;

/* What is counted in a half of the sentences: 0: sentences 0, 2, 4 ...; 1: the others. */
typedef struct hl_syntax_half {
    int64_t *cases;   /* (R) */
    int64_t *offsets; /* (R, 2 HL_SYNTAX_OFFSETS + 1): hits of each fixed offset; that of 0 stays 0 */
    int64_t *hits;    /* (R, heads, 2): of each head in each direction */
} hl_syntax_half;

typedef struct hl_syntax {
    int64_t n_relations; /* R */
    int64_t n_heads;     /* of all layers, the lowest layer's first */
    hl_syntax_half halves[2];
    int64_t *numbers; /* owned: the block that holds them */
} hl_syntax;

/* At least one relation and one head, else HL_INVALID. HL_NO_MEMORY, also for sizes that cannot be; it is then empty.
 * On success ended by hl_syntax_free. */
hl_status hl_syntax_init(hl_syntax *syntax, int64_t n_relations, int64_t n_heads);

/* What it allocates; SIZE_MAX for sizes that cannot be. */
size_t hl_syntax_bytes(int64_t n_relations, int64_t n_heads);

/* A zeroed or already freed one is allowed. */
void hl_syntax_free(hl_syntax *syntax);

/* Counts the cases and the offsets' hits of a sentence. */
void hl_syntax_add_tree(hl_syntax *syntax, const hl_syntax_tree *tree, int64_t sentence);

/* Counts what a head hits in it; weights (W, W): what word i gives to word j. Several heads may be added at once by
 * several threads. */
void hl_syntax_add_head(hl_syntax *syntax, int64_t head, const hl_syntax_tree *tree, int64_t sentence,
                        const hl_real *weights);

/* Hits in cases, and how sure their share is. */
typedef struct hl_syntax_rate {
    int64_t hits, cases;
} hl_syntax_rate;
double hl_syntax_share(hl_syntax_rate rate); /* hits / cases; NAN where there are none */

/* The Wilson score interval of the share at 95% (Wilson 1927), [0, 1] where there are no cases. */
typedef struct hl_syntax_interval {
    double low, high;
} hl_syntax_interval;
hl_syntax_interval hl_syntax_interval_of(hl_syntax_rate rate);

/* A head and an offset that were chosen, and what they reach. */
typedef struct hl_syntax_choice {
    int64_t head;
    hl_syntax_direction direction;
    int64_t offset;
    hl_syntax_rate found, baseline; /* of the head, of the offset */
} hl_syntax_choice;

typedef struct hl_syntax_row {
    hl_syntax_choice published, held_out;
} hl_syntax_row;
/* The best head of a relation, or of all together where `relation` is -1. */
hl_syntax_row hl_syntax_row_of(const hl_syntax *syntax, int64_t relation);
/* The best head of a relation where held-out numbers choose, measured there, which says nothing of the other half. */
hl_syntax_choice hl_syntax_chosen_of(const hl_syntax *syntax, int64_t relation);
/* As hl_syntax_row_of, of one head: its better direction. */
hl_syntax_row hl_syntax_head_of(const hl_syntax *syntax, int64_t relation, int64_t head);

/* Whether the share of the head is at least HL_SYNTAX_CLEAR above the baseline's, and their intervals do not overlap.
 * Held out, the head then earns the relation as its label. */
#define HL_SYNTAX_CLEAR 0.1
bool hl_syntax_earned(const hl_syntax_choice *choice);

HL_END_DECLS

#endif
