/* Examples of what a head finds in a treebank: words whose syntactic head it finds, and words where it looks elsewhere.
 *
 *     hl_syntax_cases_init(&cases, treebank, &syntax, rows, n_rows, 4);
 *     for each layer of a pass over the treebank, until hl_syntax_cases_full:
 *         hl_syntax_cases_add(&cases, &maps, the layer's first head);
 *
 * Of each relation the head and direction that are chosen on sentences 0, 2, 4 ... are shown on the others, as the
 * held-out numbers are: the first of sentences that can be taken in at a glance, one of each sentence. */
#ifndef HL_HEADS_SYNTAX_CASES_H
#define HL_HEADS_SYNTAX_CASES_H

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "data/text/treebank.h"
#include "heads/syntax.h"
#include "heads/treebank_pass.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* The words of a sentence that is shown: enough that looking beside the right one is easy, and few enough to read. */
enum { HL_SYNTAX_CASE_LEAST = 5, HL_SYNTAX_CASE_MOST = 40 };

typedef struct hl_syntax_case {
    int64_t sentence, word; /* the dependent */
    int64_t guess;          /* the word that its largest weight is on */
    hl_real weights
        [HL_SYNTAX_CASE_MOST]; /* (W): what it gives to each word, or in h>d what each gives to it; 0 of its own */
} hl_syntax_case;

/* All arrays are owned. */
typedef struct hl_syntax_cases {
    const hl_treebank *treebank; /* not owned */
    int64_t n_rows, each;
    int64_t *relations;        /* (n_rows): -1 stands for all */
    hl_syntax_choice *choices; /* (n_rows): what is shown */
    int64_t *counts;           /* (n_rows, 2): how many there are, of those that are wrong, of those that are right */
    hl_syntax_case *list;      /* (n_rows, 2, each), in the order of the sentences */
} hl_syntax_cases;

/* For these relations, up to `each` that are right and as many that are wrong. HL_NO_MEMORY; it is then empty. On
 * success ended by hl_syntax_cases_free. */
hl_status hl_syntax_cases_init(hl_syntax_cases *cases, const hl_treebank *treebank, const hl_syntax *syntax,
                               const int64_t *relations, int64_t n_rows, int64_t each);

/* A zeroed or already freed one is allowed. */
void hl_syntax_cases_free(hl_syntax_cases *cases);

/* Takes what it still needs of a layer on some sentences; these come in order. */
void hl_syntax_cases_add(hl_syntax_cases *cases, const hl_word_maps *maps);

/* Whether there are as many of each as were asked for. */
bool hl_syntax_cases_full(const hl_syntax_cases *cases);

HL_END_DECLS

#endif
