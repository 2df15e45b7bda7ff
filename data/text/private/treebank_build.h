/* Builds a treebank sentence by sentence. */
#pragma once

#include "core/base/status.h"
#include "data/text/conllu.h"
#include "data/text/private/tokens_parts.h"
#include "data/text/treebank.h"

/* An empty treebank, which must be ended before it is used; NULL when out of memory. Freed with hl_treebank_free. */
hl_treebank *hl_treebank_begin(void);

/* Appends the sentence, or counts it as left out; `pieces` is room to work in. Fails as hl_treebank_read. */
hl_status hl_treebank_add(hl_treebank *treebank, const hl_treebank_spec *spec, const hl_conllu *reader,
                          const hl_conllu_sentence *sentence, hl_pieces *pieces);

/* Adds the pieces of word w (from 0 on) of a sentence; `first`: no word stands before it in the text. Fails as
 * hl_treebank_read. */
hl_status hl_treebank_add_pieces(const hl_treebank_spec *spec, const hl_conllu *reader, const hl_conllu_word *word,
                                 int64_t w, bool first, hl_pieces *pieces);

/* Names the relations and gives back unused room. HL_NO_MEMORY. */
hl_status hl_treebank_end(hl_treebank *treebank, const hl_treebank_spec *spec);
