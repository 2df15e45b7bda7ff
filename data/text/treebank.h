/* The sentences of a treebank as a model reads them, with their trees.
 *
 * Words are the words of CoNLL-U, without ranges and empty nodes, each cut into pieces on its own
 * (hl_tokens_encode_word). Sentences of one word, and sentences that are too long, are left out and counted. All others
 * are numbered from 0. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "data/text/tokens.h"
#include "data/text/treebank_arc.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

typedef struct hl_treebank_spec {
    const char *path;        /* CoNLL-U, plain or gzipped, or "-" */
    const hl_tokens *tokens; /* not owned */
    bool wraps;              /* whether the tokens' own special tokens enclose a sentence, as in [CLS] A [SEP] */
    int64_t max_pieces;      /* per sentence, including these special tokens */
    int64_t max_sentences;   /* use only the first ones; 0: all */
    bool subtypes;           /* "nmod:poss" is its own relation, not "nmod" */

    /* Reports now and then how many bytes of the file have been read, and its size (-1 if unknown). Its failure ends
     * the reading. NULL is allowed. */
    hl_status (*progress)(void *context, int64_t done, int64_t total);
    void *context;
} hl_treebank_spec;

typedef struct hl_treebank_sentence {
    int64_t n_words;          /* W, at least 2 */
    const int32_t *heads;     /* (W): the index of each word's head, 0 .. W - 1; -1 for a root */
    const int32_t *relations; /* (W): the relation of each word to its head, 0 .. R - 1 */
    const int32_t *begins;    /* (W + 1): word w consists of the pieces begins[w] .. begins[w + 1] - 1 */
    const int32_t *pieces;    /* (n_pieces): ids */
    int64_t n_pieces;
    const hl_treebank_arc *arcs; /* (n_arcs): the cases of further relations, in the order of the words */
    int64_t n_arcs;
} hl_treebank_sentence;

/* Word i with its head as a case of its relation in DEPREL. False if it is a root. */
bool hl_treebank_own_arc(const hl_treebank_sentence *sentence, int64_t i, hl_treebank_arc *arc);

enum { HL_TREEBANK_RELATION = 63 /* the most bytes in a relation's name */ };

/* The name for all relations together, in tables and files. No relation has this name. */
#define HL_TREEBANK_ALL "all"

typedef struct hl_treebank {
    int64_t n_sentences;     /* S: those that are used */
    int64_t n_short, n_long; /* sentences left out: with one word, and with too many pieces */
    int64_t n_several_roots; /* sentences with several roots, among those used */
    int64_t n_unknown_words; /* words with an unknown token as a piece, among those used */
    int64_t longest;         /* the most pieces in a sentence that is used */
    int64_t most_words;      /* the most words in one */
    int64_t n_relations;     /* R */
    /* The first n_own relations are those of DEPREL, in the order of first occurrence, without subtypes unless asked
     * for. */
    int64_t n_own;
    int64_t extras[HL_TREEBANK_EXTRAS]; /* the numbers of these relations; -1 for one that does not exist */
    hl_status entity_fault; /* HL_BAD_FILE if "entity" does not exist because Entity= cannot be read, with the line and
                               the reason */

    /* For the functions below. All arrays are owned. */
    struct hl_treebank_place *places; /* (S + 1): where each sentence begins in the arrays */
    int32_t *numbers;                 /* of all sentences, end to end */
    hl_treebank_arc *arcs;
    size_t *names; /* (R): of the relations, in `text` */
    hl_text text;  /* all words and names, each with a zero byte at its end */
} hl_treebank;

/* Reads the whole treebank (hl_treebank_bytes stay in memory). HL_BAD_FILE as hl_conllu_open and hl_conllu_next with
 * HL_CONLLU_ROOTS, and:
 *     <path>: no sentence can be used: of <n>, <a> have one word, <b> are longer than <max_pieces> pieces
 *     <path>:<line>: word 3: <what hl_tokens_encode_word says>
 *     <path>:<line>: DEPREL :x is no relation's name: that has 1 to 63 bytes, all of which can be shown
 *     <path>:<line>: DEPREL all has the name of all relations together; give it another one
 * HL_NO_MEMORY; failures of `progress`; *out is then NULL. After success the caller owns it: hl_treebank_free. */
hl_status hl_treebank_read(const hl_treebank_spec *spec, hl_treebank **out);

void hl_treebank_free(hl_treebank *treebank); /* NULL is allowed */

/* The memory that it needs, in bytes. */
size_t hl_treebank_bytes(const hl_treebank *treebank);

/* The name of a relation in 0 .. R - 1. */
const char *hl_treebank_relation(const hl_treebank *treebank, int64_t relation);

/* Sentence s in 0 .. S - 1. The treebank owns its arrays. */
hl_treebank_sentence hl_treebank_at(const hl_treebank *treebank, int64_t sentence);

/* The file's name for the sentence ("# sent_id = ..."); "" if it has none. */
const char *hl_treebank_id(const hl_treebank *treebank, int64_t sentence);

/* The spelling of word w in sentence s. */
const char *hl_treebank_word(const hl_treebank *treebank, int64_t sentence, int64_t word);

HL_END_DECLS
