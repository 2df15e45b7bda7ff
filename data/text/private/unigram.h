/* SentencePiece's Unigram: the cut of a word with the highest sum of scores. It equals the `tokenizers` library in all
 * pieces and offsets. */
#pragma once

#include "core/base/status.h"
#include "data/text/private/charsmap.h"
#include "data/text/private/trie.h"
#include "data/text/tokens.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In the pieces, this character, U+2581, stands for a space. */
#define HL_SPACE_MARK "\xE2\x96\x81"
enum { HL_SPACE_MARK_BYTES = 3, HL_SPACE_MARK_CODE = 0x2581 };

enum { HL_SCORE_DIGITS = 17 }; /* in files: as many as tell any double */

/* What two or more spaces in a row become. */
typedef enum hl_spaces { HL_SPACES_STAY, HL_SPACES_BECOME_ONE, HL_SPACES_BECOME_MARK, HL_SPACES_RULES } hl_spaces;

typedef struct hl_unigram {
    /* set by the maker */
    double *scores; /* of the model's pieces, as its file has them */
    size_t n_scores;
    hl_charsmap charsmap;
    hl_spaces spaces;
    bool strips_end;  /* white space at the end of a text is dropped */
    bool drops_white; /* white space separates words, and is dropped */
    bool first_only;  /* a space comes only before the first word of a text */

    /* set by hl_unigram_index */
    hl_trie trie;   /* of the model's pieces */
    double *used;   /* the scores as the library reads them */
    double unknown; /* the score of an unknown character */
} hl_unigram;

/* Reserves n scores. HL_NO_MEMORY. */
hl_status hl_unigram_reserve(hl_unigram *unigram, size_t n);

/* Prepares the search for the model's pieces. The scores are finite. HL_NO_MEMORY. */
hl_status hl_unigram_index(const hl_tokens *tokens, hl_unigram *unigram);

void hl_unigram_free(hl_unigram *unigram); /* NULL is allowed */
