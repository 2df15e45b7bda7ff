/* Examples of what a head finds in a treebank: words whose syntactic head it finds, and words for which it looks
 * elsewhere.
 *
 *     hl_syntax_cases_init(&cases, treebank, &syntax, rows, n_rows, 4);
 *     for each layer of a pass over the treebank, until hl_syntax_cases_full:
 *         hl_syntax_cases_add(&cases, &maps, threads);
 *
 * For each relation, the head and direction are chosen on sentences 0, 2, 4 ... and shown on the others, as for the
 * held-out numbers. The first sentences that are short enough to read at a glance are shown, with one case from
 * each. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "data/text/treebank.h"
#include "heads/syntax.h"
#include "heads/treebank_pass.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* The number of words in a sentence that is shown: enough that a wrong guess is easy, and few enough to read. */
enum { HL_SYNTAX_CASE_LEAST = 5, HL_SYNTAX_CASE_MOST = 40 };

typedef struct hl_syntax_case {
    int64_t sentence, word; /* the dependent */
    int64_t guess;          /* the word with its largest weight */
    int64_t gold;           /* the right word; of several the guess, or else the nearest, the earlier of equals */
    hl_real weights
        [HL_SYNTAX_CASE_MOST]; /* (W): what the word gives to each word, or in h>d what each word gives to it; 0 for
                                  itself */
} hl_syntax_case;

/* The arrays are owned. */
typedef struct hl_syntax_cases {
    const hl_treebank *treebank; /* not owned */
    int64_t n_rows, each;
    int64_t *relations;        /* (n_rows): -1 means all relations */
    hl_syntax_choice *choices; /* (n_rows): the head and direction that are shown */
    int64_t *counts;           /* (n_rows, 2): the number of wrong cases, and of right cases */
    hl_syntax_case *list;      /* (n_rows, 2, each), in the order of the sentences */
    void *memory;              /* the block of these arrays */
} hl_syntax_cases;

/* For these relations, keeps up to `each` right cases and as many wrong ones. HL_NO_MEMORY; *cases is then empty. On
 * success free with hl_syntax_cases_free. */
hl_status hl_syntax_cases_init(hl_syntax_cases *cases, const hl_treebank *treebank, const hl_syntax *syntax,
                               const int64_t *relations, int64_t n_rows, int64_t each);

/* A zeroed or already freed struct is allowed. */
void hl_syntax_cases_free(hl_syntax_cases *cases);

/* Takes the cases that are still missing from a layer's maps on some sentences; `context` is a hl_syntax_cases. The
 * sentences must come in order. A receiver of layers (hl_treebank_taker); it uses one thread. */
void hl_syntax_cases_add(void *context, const hl_word_maps *maps, int threads);

/* Whether there are as many cases of each kind as requested. */
bool hl_syntax_cases_full(const void *context);

HL_END_DECLS
