/* The cases of the further relations of a treebank (hl_treebank_extra), gathered sentence by sentence. */
#pragma once

#include "core/base/status.h"
#include "data/text/conllu.h"
#include "data/text/private/entities.h"
#include "data/text/treebank.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
