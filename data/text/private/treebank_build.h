/* Builds a treebank sentence by sentence. A sentence of the treebank is one of the file, or several that are joined. */
#pragma once

#include "core/base/status.h"
#include "data/text/conllu.h"
#include "data/text/private/entities.h"
#include "data/text/private/text_set.h"
#include "data/text/private/tokens_parts.h"
#include "data/text/treebank.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- the cases of the further relations (hl_treebank_extra), gathered sentence by sentence ---- */

/* Zeroed, it is empty. All arrays are owned: hl_treebank_arcs_free. */
typedef struct hl_treebank_arcs {
    hl_treebank_arc *list; /* of all sentences that are used, end to end; `relation` is the hl_treebank_extra */
    size_t n, capacity;
    size_t counts[HL_TREEBANK_EXTRAS]; /* of each relation */
    hl_entities entities;              /* of the current document */
    hl_status fault;                   /* why there are no cases of HL_TREEBANK_ENTITY; HL_OK if Entity= can be read */
    int32_t *mentions;                 /* (words, 2): room for each word's innermost mention */
    size_t mentions_capacity;
} hl_treebank_arcs;

/* Reads the next sentence of the file, and appends its cases if it is used. HL_NO_MEMORY. */
hl_status hl_treebank_arcs_add(hl_treebank_arcs *arcs, const hl_conllu *reader, const hl_conllu_sentence *sentence,
                               bool used);

void hl_treebank_arcs_free(hl_treebank_arcs *arcs);

/* ---- the treebank ---- */

/* A word of the sentence that is being built. */
typedef struct hl_joined_word {
    int32_t head, relation, begin; /* as in hl_treebank_sentence, but `begin` does not count special tokens before it */
    int32_t text;                  /* where its spelling is, counted from the sentence's first one */
} hl_joined_word;

typedef struct hl_treebank_builder {
    const hl_treebank_spec *spec;
    hl_conllu *reader;
    int64_t n_read; /* sentences of the file */
    hl_treebank *treebank;
    size_t places_capacity, numbers_capacity, names_capacity;
    hl_text_set relations;
    hl_treebank_arcs arcs;
    hl_joined_word *words; /* of the sentence that is being built, with these pieces */
    size_t n_words, words_capacity;
    hl_pieces pieces;
} hl_treebank_builder;

/* Opens the file, with an empty treebank, which must be ended before it is used. HL_BAD_FILE, HL_NO_MEMORY. Whether it
 * fails or not: hl_treebank_builder_free, and the treebank is the caller's. */
hl_status hl_treebank_begin(const hl_treebank_spec *spec, hl_treebank_builder *builder);
void hl_treebank_builder_free(hl_treebank_builder *builder);

/* Reads the next sentence of the file, and reports the progress. Fails as hl_treebank_read. */
hl_status hl_treebank_read_next(hl_treebank_builder *builder, const hl_conllu_sentence **sentence);

/* Adds the words to the sentence that is being built, if all its pieces then fit. Fails as hl_treebank_read. */
hl_status hl_treebank_join(hl_treebank_builder *builder, const hl_conllu_sentence *sentence, bool *fits);

/* Makes a sentence of the treebank, with that name, of the words so far. One word alone is none: it is forgotten.
 * HL_NO_MEMORY. */
hl_status hl_treebank_add(hl_treebank_builder *builder, hl_span id);

/* Names the relations and gives back unused room. HL_NO_MEMORY. */
hl_status hl_treebank_end(hl_treebank_builder *builder);
