/* Words and maps between them, joined from the maps between their pieces; for metrics, for drawing and for programs. A
 * word consists of the tokens that have the same number in hl_examples.words.
 *
 *   joined[a][b] = mean over the pieces i of word a of the sum over the pieces j of word b of A[i][j]
 *
 * Special tokens are dropped without renormalising, so rows need not sum to 1. With a causal mask, word a may attend to
 * the words 0 .. a, as in any causal map. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/examples.h"
#include "heads/pattern.h"

#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* The tokens begin .. end - 1 of one word. */
typedef struct hl_word_span {
    int64_t begin, end;
} hl_word_span;

/* Moves to the next word; from a zeroed span, to the first one. Returns false if there are no more. */
static inline bool hl_word_next(const hl_pattern *pattern, hl_word_span *word)
{
    const int32_t *words = pattern->text.words;
    int64_t at = word->end, n = words != NULL ? pattern->n : 0;
    while (at < n && words[at] < 0) {
        at++;
    }
    word->begin = word->end = at;
    while (word->end < n && words[word->end] == words[at]) {
        word->end++;
    }
    return at < n;
}

/* The weight that word `query` gives to word `key`. */
double hl_word_weight(const hl_pattern *pattern, hl_word_span query, hl_word_span key);

typedef struct hl_word_join {
    hl_examples examples; /* the same number of examples, of at most W words, W at least 1; an example may have none.
                             tokens: the words' forms; kinds: by form; NULL if forms are not known */
    int32_t *first;       /* (E, W): the first piece of each word */
    hl_patterns *layers;  /* head 0 of every layer, as in the given maps */
    hl_real *weights;     /* of all layers, (E, H, W, W) each */
    void *memory;         /* owned: the block of all arrays except the kinds */
} hl_word_join;

/* Joins the maps of all heads of all examples. layers[l] is head 0 of layer l (first and gap 0), on examples with
 * words. Needs at most as many numbers as the given maps have: E W^2 for each head. HL_NO_MEMORY. On success free with
 * hl_word_join_free. */
hl_status hl_word_join_make(hl_word_join *join, const hl_patterns *layers, int n_layers);

/* A zeroed or already freed struct is allowed. */
void hl_word_join_free(hl_word_join *join);

HL_END_DECLS
