#include "data/text/tokens.h"

#include "core/base/memory.h"
#include "core/base/private/utf8.h"
#include "data/text/private/byte_letters.h"
#include "data/text/private/grow.h"
#include "data/text/private/tokens_parts.h"
#include "data/text/unicode/private/unicode.h"

#include <string.h>

static const char *const kind_names[HL_TOKENS_KINDS] = { "chars", "bytes", "words", "wordpiece", "bpe", "unigram" };
static const char *const role_names[HL_ROLES] = { "pad", "unk", "cls", "sep", "mask", "begin", "end" };

const char *hl_tokens_kind_name(hl_tokens_kind kind)
{
    return (unsigned)kind < HL_TOKENS_KINDS ? kind_names[kind] : NULL;
}

const char *hl_role_name(hl_role role)
{
    return (unsigned)role < HL_ROLES ? role_names[role] : NULL;
}

hl_tokens *hl_tokens_new(hl_tokens_kind kind)
{
    hl_tokens *tokens = hl_calloc(1, sizeof *tokens);
    if (tokens != NULL) {
        tokens->kind = kind;
        tokens->rules.word_characters = HL_WORD_CHARACTERS;
        for (int role = 0; role < HL_ROLES; role++) {
            tokens->roles[role] = -1;
        }
        hl_tokens_set_templates(tokens, -1, -1);
        tokens->unigram = kind == HL_TOKENS_UNIGRAM ? hl_calloc(1, sizeof *tokens->unigram) : NULL;
        if (kind == HL_TOKENS_UNIGRAM && tokens->unigram == NULL) {
            hl_free(tokens);
            return NULL;
        }
    }
    return tokens;
}

void hl_tokens_free(hl_tokens *tokens)
{
    if (tokens != NULL) {
        hl_text_set_free(&tokens->pieces);
        hl_free(tokens->added);
        hl_free(tokens->merges);
        hl_free(tokens->piece_kinds);
        for (int i = 0; i < 2; i++) {
            hl_tokens_matcher_free(&tokens->matchers[i]);
        }
        hl_free(tokens->ranks.at);
        hl_unigram_free(tokens->unigram);
        hl_free(tokens);
    }
}

hl_status hl_tokens_made(hl_status status, hl_tokens **out)
{
    if (status.code != HL_OK) {
        hl_tokens_free(*out);
        *out = NULL;
    }
    return status;
}

hl_status hl_tokens_add(hl_tokens *tokens, const char *piece, size_t size)
{
    HL_NEED(hl_text_set_append(&tokens->pieces, piece, size).code == HL_OK, "tokens");
    return hl_ok();
}

hl_status hl_tokens_mark_added(hl_tokens *tokens, hl_added_token added)
{
    HL_NEED(HL_GROW(tokens->added, tokens->added_capacity, tokens->n_added + 1), "added tokens");
    tokens->added[tokens->n_added++] = added;
    return hl_ok();
}

static void put(hl_template *template, int32_t id, int32_t type)
{
    if (id != -1) {
        template->at[template->n].id = id;
        template->at[template->n++].type = type;
    }
}

void hl_tokens_set_templates(hl_tokens *tokens, int32_t before, int32_t after)
{
    tokens->single.n = 0;
    put(&tokens->single, before, 0);
    put(&tokens->single, HL_TEXT_A, 0);
    put(&tokens->single, after, 0);
    tokens->pair = tokens->single;
    put(&tokens->pair, HL_TEXT_B, 1);
    put(&tokens->pair, after, 1);
}

hl_tokens_kind hl_tokens_get_kind(const hl_tokens *tokens)
{
    return tokens->kind;
}

int64_t hl_tokens_size(const hl_tokens *tokens)
{
    return hl_tokens_count(tokens);
}

int32_t hl_tokens_role(const hl_tokens *tokens, hl_role role)
{
    return (unsigned)role < HL_ROLES ? tokens->roles[role] : -1;
}

bool hl_tokens_is_special(const hl_tokens *tokens, int32_t id)
{
    return id >= 0 && id < hl_tokens_count(tokens) && tokens->piece_kinds[id] == HL_SPECIAL;
}

bool hl_tokens_first_word_is_bare(const hl_tokens *tokens)
{
    bool spaces = tokens->kind == HL_TOKENS_BPE || tokens->kind == HL_TOKENS_UNIGRAM;
    return spaces && !tokens->rules.prefix_space;
}

const char *hl_tokens_piece(const hl_tokens *tokens, int32_t id, size_t *size)
{
    if (id < 0 || id >= hl_tokens_count(tokens)) {
        return NULL;
    }
    hl_span piece = hl_text_set_get(&tokens->pieces, (size_t)id);
    if (size != NULL) {
        *size = piece.size;
    }
    return piece.text;
}

/* The text of a piece, in two parts. */
typedef struct piece_text {
    const char *prefix, *bytes;
    size_t size; /* of the bytes */
} piece_text;

static bool is_piece(const void *things, uint32_t number, const void *wanted)
{
    const piece_text *text = wanted;
    const size_t before = strlen(text->prefix);
    hl_span piece = hl_text_set_get(things, number);
    return piece.size == before + text->size && memcmp(piece.text, text->prefix, before) == 0 &&
           memcmp(piece.text + before, text->bytes, text->size) == 0;
}

int32_t hl_tokens_find_hashed(const hl_tokens *tokens, uint64_t hash, const char *prefix, const char *bytes,
                              size_t size)
{
    const piece_text wanted = { prefix, bytes, size };
    uint32_t id = hl_number_table_find(&tokens->pieces.table, hash, is_piece, &tokens->pieces, &wanted);
    return id != UINT32_MAX ? (int32_t)id : -1;
}

int32_t hl_tokens_find(const hl_tokens *tokens, const char *piece, size_t size)
{
    return (int32_t)hl_text_set_find(&tokens->pieces, piece, size);
}

static hl_status check_piece(const char *path, bool lines, int32_t id, const char *piece, size_t size)
{
    const char *wrong = size == 0 ? "is empty" : NULL;
    for (size_t i = 0, step; i < size && wrong == NULL; i += step) {
        step = hl_utf8_decode(piece + i, size - i, NULL);
        wrong = step == 0 ? "is not UTF-8" : piece[i] == '\0' ? "holds a zero byte" : NULL;
    }
    if (wrong == NULL) {
        return hl_ok();
    }
    return lines ? hl_error(HL_BAD_FILE, "%s:%d: the piece %s", path, id + 1, wrong)
                 : hl_error(HL_BAD_FILE, "%s: the piece with id %d %s", path, id, wrong);
}

static hl_status check_ids(const hl_tokens *tokens, const char *path)
{
    bool good = true;
    for (int role = 0; role < HL_ROLES; role++) {
        good = good && tokens->roles[role] >= -1 && tokens->roles[role] < hl_tokens_count(tokens);
    }
    for (size_t i = 0; i < tokens->n_added; i++) {
        good = good && tokens->added[i].id >= 0 && tokens->added[i].id < hl_tokens_count(tokens);
    }
    return good ? hl_ok() : hl_error(HL_BAD_FILE, "%s: a special token's id is that of no piece", path);
}

static hl_status index_added(hl_tokens *tokens, const char *path)
{
    for (size_t i = 0; i < tokens->n_added; i++) {
        enum hl_piece_kind *kind = &tokens->piece_kinds[tokens->added[i].id];
        *kind = tokens->added[i].ordinary && *kind != HL_SPECIAL ? HL_ORDINARY : HL_SPECIAL;
    }
    HL_TRY(hl_tokens_match(tokens, path, false));
    return hl_tokens_match(tokens, path, true);
}

hl_status hl_tokens_index(hl_tokens *tokens, const char *path, bool lines)
{
    if (hl_tokens_count(tokens) == 0) {
        return hl_error(HL_BAD_FILE, "%s: no pieces", path);
    }
    HL_TRY(check_ids(tokens, path));
    tokens->piece_kinds = hl_calloc((size_t)hl_tokens_count(tokens), sizeof *tokens->piece_kinds);
    HL_NEED(tokens->piece_kinds != NULL, "tokens");
    tokens->n_model = tokens->n_model > 0 ? tokens->n_model : hl_tokens_count(tokens);
    for (int32_t id = 0; id < hl_tokens_count(tokens); id++) {
        size_t length = 0;
        const char *piece = hl_tokens_piece(tokens, id, &length);
        HL_TRY(check_piece(path, lines, id, piece, length));
        int32_t other = hl_tokens_find(tokens, piece, length);
        if (other >= 0 && other != id) {
            return lines ? hl_error(HL_BAD_FILE, "%s:%d: the piece %s stands already in line %d", path, id + 1, piece,
                                    other + 1)
                         : hl_error(HL_BAD_FILE, "%s: the piece %s has two ids, %d and %d", path, piece, other, id);
        }
        if (other < 0) {
            uint64_t hash = hl_hash(HL_HASH, piece, length);
            HL_NEED(hl_number_table_add(&tokens->pieces.table, hash, (size_t)id), "tokens");
        }
        tokens->longest = length > tokens->longest ? length : tokens->longest;
    }
    HL_TRY(index_added(tokens, path));
    for (int byte = 0; byte < 256; byte++) {
        char letter[4];
        int32_t id = hl_tokens_find(tokens, letter, hl_utf8_encode(hl_byte_letter((unsigned char)byte), letter));
        tokens->byte_ids[byte] = id < tokens->n_model ? id : -1;
    }
    return tokens->unigram != NULL ? hl_unigram_index(tokens, tokens->unigram) : hl_ok();
}

hl_status hl_tokens_merge(hl_tokens *tokens, const char *path, const char *left, size_t l, const char *right, size_t r)
{
    hl_merge merge = { hl_tokens_find(tokens, left, l), hl_tokens_find(tokens, right, r), -1 };
    if (merge.left >= 0) {
        uint64_t hash = hl_hash(hl_hash(HL_HASH, left, l), right, r);
        merge.id = hl_tokens_find_hashed(tokens, hash, hl_tokens_piece(tokens, merge.left, NULL), right, r);
    }
    if (merge.right < 0 || merge.id < 0) {
        const char *missing = "what they make";
        size_t size = strlen(missing);
        if (merge.left < 0 || merge.right < 0) {
            missing = merge.left < 0 ? left : right;
            size = merge.left < 0 ? l : r;
        }
        return hl_error(HL_BAD_FILE, "%s: the merge of %.*s and %.*s: %.*s is no piece", path, (int)l, left, (int)r,
                        right, (int)size, missing);
    }
    HL_NEED(HL_GROW(tokens->merges, tokens->merges_capacity, tokens->n_merges + 1), "merges of tokens");
    tokens->merges[tokens->n_merges++] = merge;
    return hl_ok();
}

static bool is_merge(const void *things, uint32_t rank, const void *wanted)
{
    const hl_merge *a = &((const hl_tokens *)things)->merges[rank], *b = wanted;
    return a->left == b->left && a->right == b->right;
}

int64_t hl_tokens_rank(const hl_tokens *tokens, int32_t left, int32_t right)
{
    const hl_merge wanted = { .left = left, .right = right };
    uint32_t rank = hl_number_table_find(&tokens->ranks, hl_hash_pair(left, right), is_merge, tokens, &wanted);
    return rank != UINT32_MAX ? (int64_t)rank : -1;
}

static hl_status hash_merges(hl_tokens *tokens, const char *path)
{
    for (size_t i = 0; i < tokens->n_merges; i++) {
        hl_merge merge = tokens->merges[i];
        if (hl_tokens_rank(tokens, merge.left, merge.right) >= 0) {
            return hl_error(HL_BAD_FILE, "%s: the merge of %s and %s comes twice", path,
                            hl_tokens_piece(tokens, merge.left, NULL), hl_tokens_piece(tokens, merge.right, NULL));
        }
        HL_NEED(hl_number_table_add(&tokens->ranks, hl_hash_pair(merge.left, merge.right), i), "merges of tokens");
    }
    return hl_ok();
}

/* Checks that ids belong to pieces, and that each of the texts, one or two, occurs once. */
static hl_status check_template(const hl_tokens *tokens, const char *path, const hl_template *template, int texts)
{
    int named[2] = { 0, 0 };
    for (int i = 0; i < template->n; i++) {
        int32_t id = template->at[i].id;
        bool text = id == HL_TEXT_A || id == HL_TEXT_B;
        if (text && named[id == HL_TEXT_B]++ > 0) {
            return hl_error(HL_BAD_FILE, "%s: what stands around a text or a pair names a text twice", path);
        }
        if (!text && (id < 0 || id >= hl_tokens_count(tokens))) {
            return hl_error(HL_BAD_FILE, "%s: a special token's id is that of no piece", path);
        }
    }
    return named[0] == 1 && named[1] == texts - 1
               ? hl_ok()
               : hl_error(HL_BAD_FILE, "%s: what stands around a text or a pair leaves a text out", path);
}

hl_status hl_tokens_finish(hl_tokens *tokens, const char *path)
{
    for (int byte = 0; tokens->kind == HL_TOKENS_BYTES && byte < 256; byte++) {
        if (tokens->byte_ids[byte] < 0) {
            return hl_error(HL_BAD_FILE, "%s: no piece for the byte %d", path, byte);
        }
    }
    if (tokens->kind == HL_TOKENS_WORDPIECE && tokens->roles[HL_ROLE_UNK] < 0) {
        return hl_error(HL_BAD_FILE, "%s: no unknown token, which wordpiece needs", path);
    }
    HL_TRY(check_template(tokens, path, &tokens->single, 1));
    HL_TRY(check_template(tokens, path, &tokens->pair, 2));
    return hash_merges(tokens, path);
}
