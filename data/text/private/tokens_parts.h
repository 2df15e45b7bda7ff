/* The parts of a tokens object, for the files that make one and for those that encode with it. */
#pragma once

#include "core/base/status.h"
#include "data/text/private/hash.h"
#include "data/text/private/number_table.h"
#include "data/text/private/text_set.h"
#include "data/text/private/tokens_added.h"
#include "data/text/private/unigram.h"
#include "data/text/tokens.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    HL_TEMPLATE_MAX = 16,
    HL_TEXT_A = -2, /* stands for a text among a template's ids */
    HL_TEXT_B = -3,
    HL_WORD_CHARACTERS = 100, /* a longer word is unknown to WordPiece */
};

/* What encloses a text or a pair: ids, each with its type. */
typedef struct hl_template {
    int n;
    struct {
        int32_t id, type;
    } at[HL_TEMPLATE_MAX];
} hl_template;

/* The rank of a merge is its index: the pair `left`, `right` becomes `id`. */
typedef struct hl_merge {
    int32_t left, right, id;
} hl_merge;

/* The rules by which a text is cut. */
typedef struct hl_tokens_rules {
    bool clean, cjk, accents, lowercase; /* BertNormalizer's; accents: whether they are stripped */
    int64_t word_characters;             /* wordpiece: a longer word is unknown */
    bool prefix_space;                   /* bpe, unigram: a text begins with a space */
    bool unknown_bytes;                  /* bpe: a byte without a piece is unknown, not left out */
    bool nfc;                            /* bpe: texts are made NFC */
} hl_tokens_rules;

struct hl_tokens {
    hl_tokens_kind kind;
    hl_tokens_rules rules;

    /* set by the maker, with hl_tokens_add and these arrays */
    hl_text_set pieces; /* numbered by their ids; hl_tokens_index finds those that were appended */
    hl_added_token *added;
    size_t n_added, added_capacity;
    int32_t n_model; /* the first pieces, into which words are cut; 0: all. The others are found only as added tokens */
    hl_merge *merges;
    size_t n_merges, merges_capacity;
    hl_unigram *unigram; /* NULL for other kinds */
    int32_t roles[HL_ROLES];
    hl_template single, pair;

    /* set by hl_tokens_index */
    enum hl_piece_kind { HL_OF_MODEL, HL_ORDINARY, HL_SPECIAL } * piece_kinds; /* by id; the last two: added */
    hl_token_matcher matchers[2]; /* for texts as they are; for normalized texts */
    size_t longest;               /* the bytes of the longest piece */
    int32_t byte_ids[256];        /* for bytes and bpe; -1: no such piece */
    hl_number_table ranks;        /* of merges */
};

/* An object without pieces, or NULL when out of memory. It has no roles, and its templates contain only texts. */
hl_tokens *hl_tokens_new(hl_tokens_kind kind);

/* The number of pieces, also while they are still being added. */
static inline int32_t hl_tokens_count(const hl_tokens *tokens)
{
    return (int32_t)tokens->pieces.n;
}

/* Returns the status of making *out. If that has failed, frees what was made, and *out becomes NULL. */
hl_status hl_tokens_made(hl_status status, hl_tokens **out);

/* Adds a piece; its id is the number of pieces before it. HL_NO_MEMORY. */
hl_status hl_tokens_add(hl_tokens *tokens, const char *piece, size_t size);

/* Makes a piece an added token. HL_NO_MEMORY. */
hl_status hl_tokens_mark_added(hl_tokens *tokens, hl_added_token added);

/* Makes the matcher for normalized texts, or that for texts as they are: for hl_tokens_index, and again when the rules
 * have changed. HL_BAD_FILE, naming `path`, if nothing is left of a token's text after normalizing; HL_NO_MEMORY. */
hl_status hl_tokens_match(hl_tokens *tokens, const char *path, bool normalized);

/* Sets the templates of texts between two tokens: [CLS] A [SEP] and [CLS] A [SEP] B [SEP]. An id of -1 is left out. */
void hl_tokens_set_templates(hl_tokens *tokens, int32_t before, int32_t after);

/* Call it when all pieces and special tokens are added: checks them and prepares the functions that find them. With
 * `lines`, the file has one piece per line. HL_BAD_FILE, naming `path`; HL_NO_MEMORY. */
hl_status hl_tokens_index(hl_tokens *tokens, const char *path, bool lines);

/* Adds the merge of two pieces, given by texts of l and r bytes, to an indexed object. HL_BAD_FILE, naming `path`, if
 * one of them or their result is not a piece; HL_NO_MEMORY. */
hl_status hl_tokens_merge(hl_tokens *tokens, const char *path, const char *left, size_t l, const char *right, size_t r);

/* Call it at the end: checks everything else, and the merges. HL_BAD_FILE, naming `path`; HL_NO_MEMORY. */
hl_status hl_tokens_finish(hl_tokens *tokens, const char *path);

/* The rank of the pair's merge; -1 if there is none. */
int64_t hl_tokens_rank(const hl_tokens *tokens, int32_t left, int32_t right);

/* The id of the piece "<prefix><bytes>", whose hash is `hash`; -1 if there is none. */
int32_t hl_tokens_find_hashed(const hl_tokens *tokens, uint64_t hash, const char *prefix, const char *bytes,
                              size_t size);
