/* Texts in which mentions of entities are annotated, as a model reads them: CoNLL-U with Entity= in column MISC, as in
 * GUM and CorefUD.
 *
 * A document is cut into windows of whole sentences: each takes as many as fit. A sentence that does not fit alone is
 * left out. The windows are the sentences of a treebank, so that a pass (heads/treebank_pass.h) runs over them.
 *
 * A mention stands at its head, the first of its words whose syntactic head lies outside it. Mentions with the same
 * head are one, of all their entities. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "data/text/treebank.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* By the UPOS of the mention's head. */
typedef enum hl_mention_kind {
    HL_MENTION_PRONOUN, /* PRON */
    HL_MENTION_NAME,    /* PROPN */
    HL_MENTION_OTHER,
    HL_MENTION_KINDS
} hl_mention_kind;

typedef struct hl_coreference_mention {
    int32_t word;     /* its head's place in the window */
    int32_t sentence; /* of the document, counted from 0 */
    int32_t form;     /* the number of its head's spelling, in lower case */
    hl_mention_kind kind;
    size_t first_entity; /* among the numbers of entities, of which it has n_entities, ascending */
    int32_t n_entities;
} hl_coreference_mention;

/* All arrays are owned. */
typedef struct hl_coreference_text {
    hl_treebank *windows;
    int64_t n_documents, n_left_out;  /* left out: sentences longer than a window */
    int32_t *documents;               /* (windows): the document of each, counted from 0 */
    size_t *firsts;                   /* (windows + 1): where each window's mentions begin */
    hl_coreference_mention *mentions; /* of all windows, in the order of their words */
    int32_t *entities;
    size_t n_mentions, n_entities, windows_capacity, firsts_capacity, mentions_capacity, entities_capacity;
} hl_coreference_text;

/* Reads the text. `spec` as for hl_treebank_read; max_pieces is that of a window, and max_sentences counts all
 * sentences of the file. If there are as many or more, mentions that are open after the last one of them are left out.
 * Fails as hl_treebank_read, and with HL_BAD_FILE:
 *     <path>: no mention of an entity can be used: column MISC has none with Entity=, or all are in sentences longer
 *             than <max_pieces> pieces
 *     <path>:<line>: Entity= is empty
 *     <path>:<line>: Entity= cannot be read at "...": its parts look like (e1-person, e1) or (e1-person)
 *     <path>:<line>: Entity= at "...": the parts of a mention are numbered [1/n] to [n/n], with n from 2 to 99
 *     <path>:<line>: e1) closes a mention that is not open
 *     <path>:<line>: the mention of e1 does not end in its document
 * *text is then empty. After success the caller owns it: hl_coreference_text_free. */
hl_status hl_coreference_read(const hl_treebank_spec *spec, hl_coreference_text *text);

/* A zeroed or already freed text is allowed. */
void hl_coreference_text_free(hl_coreference_text *text);

/* Whether both mentions have an entity in common. They must be of the same window. */
bool hl_coreference_same(const hl_coreference_text *text, size_t mention, size_t other);

/* The memory that it needs, in bytes. */
size_t hl_coreference_bytes(const hl_coreference_text *text);

HL_END_DECLS
