#include "data/text/private/grow.h"
#include "data/text/private/tokens_encode.h"
#include "data/text/unicode/private/unicode.h"

#include <string.h>

/* ---- the best cut of a word ---- */

/* Takes the piece where it ends if its cut is better than the best so far, and returns whether it does. Of equal cuts,
 * the first stays. */
static bool offer(hl_best_cut *best, size_t begin, size_t end, double score, int32_t id)
{
    score += best[begin].score;
    if (best[end].id < 0 || score > best[end].score) {
        best[end] = (hl_best_cut){ score, (uint32_t)begin, id };
        return true;
    }
    return false;
}

/* Finds for each end of a character the best cut up to there. */
static hl_status find_cuts(const hl_tokens *tokens, const char *word, size_t n, hl_best_cut *best)
{
    const hl_unigram *unigram = tokens->unigram;
    for (size_t i = 0; i <= n; i++) {
        best[i] = (hl_best_cut){ .id = -1 };
    }
    for (size_t at = 0, bytes; at < n; at += bytes) {
        bytes = hl_character_bytes(word + at, n - at);
        bool single = false;
        size_t end = at + 1;
        for (uint32_t node = hl_trie_child(&unigram->trie, 0, word[at]); node > 0; end++) {
            int32_t id = unigram->trie.nodes[node].text;
            if (id >= 0) {
                offer(best, at, end, unigram->used[id], id);
                single = single || end - at == bytes;
            }
            node = end < n ? hl_trie_child(&unigram->trie, node, word[end]) : 0;
        }
        int32_t unknown = tokens->roles[HL_ROLE_UNK];
        if (!single && offer(best, at, at + bytes, unigram->unknown, unknown) && unknown < 0) {
            return hl_error(HL_INVALID, "no piece begins with %.*s, and there is no unknown token", (int)bytes,
                            word + at);
        }
    }
    return hl_ok();
}

/* A word in scratch->word: the mark of a space, which may stand for bytes of the normalized text or for none, and the
 * rest of its bytes. */
typedef struct word_place {
    size_t begin;        /* in the normalized text */
    size_t lead, stands; /* the bytes of the mark, and of what it stands for */
} word_place;

/* The byte of the normalized text from which the word's byte `at` comes. */
static size_t place_of(word_place word, size_t at)
{
    return at < word.lead ? word.begin : word.begin + word.stands + (at - word.lead);
}

/* Adds the pieces of the best cut. Unknown pieces in a row become one, which may happen to be a piece of the model. */
static hl_status add_cut(const hl_tokens *tokens, word_place word, size_t n, hl_pieces *pieces)
{
    hl_tokens_scratch *scratch = pieces->scratch;
    const hl_best_cut *best = scratch->best;
    const int32_t unknown = tokens->roles[HL_ROLE_UNK];
    size_t first = pieces->n;
    for (size_t end = n, begin; end > 0; end = begin) {
        int32_t id = best[end].id;
        begin = best[end].begin;
        if (id == unknown) {
            while (begin > 0 && best[begin].id == unknown) {
                begin = best[begin].begin;
            }
            int32_t known = hl_tokens_find(tokens, scratch->word + begin, end - begin);
            id = known >= 0 && known < tokens->n_model ? known : id;
        }
        HL_TRY(hl_pieces_add(pieces, id, place_of(word, begin), place_of(word, end - 1) + 1));
    }
    for (size_t last = pieces->n; first + 1 < last; first++) { /* they were found from the end on */
        hl_piece piece = pieces->at[first];
        pieces->at[first] = pieces->at[--last];
        pieces->at[last] = piece;
    }
    return hl_ok();
}

static hl_status add_word(const hl_tokens *tokens, word_place word, size_t end, hl_pieces *pieces)
{
    hl_tokens_scratch *scratch = pieces->scratch;
    size_t rest = end - word.begin - word.stands, n = word.lead + rest;
    HL_NEED(HL_GROW(scratch->word, scratch->word_capacity, n) && HL_GROW(scratch->best, scratch->best_capacity, n + 1),
            "a word's pieces");
    memcpy(scratch->word, HL_SPACE_MARK, word.lead);
    memcpy(scratch->word + word.lead, scratch->plain + word.begin + word.stands, rest);
    HL_TRY(find_cuts(tokens, scratch->word, n, scratch->best));
    return add_cut(tokens, word, n, pieces);
}

/* ---- words ---- */

static bool is_mark(const char *text, size_t size, size_t at)
{
    return size - at >= HL_SPACE_MARK_BYTES && memcmp(text + at, HL_SPACE_MARK, HL_SPACE_MARK_BYTES) == 0;
}

/* The end of the word whose first character ends at `at`. Spaces and marks of spaces begin words. */
static size_t word_end(const hl_unigram *unigram, const char *text, size_t size, size_t at)
{
    while (at < size && text[at] != ' ') {
        unsigned char c = (unsigned char)text[at];
        bool may_end = c <= '\r' || (c >= 0xC2 && c <= 0xE3); /* white space and the mark begin with such bytes */
        if (may_end && (is_mark(text, size, at) || (unigram->drops_white && hl_white_bytes(text, size, at) > 0))) {
            break;
        }
        at++;
    }
    return at;
}

/* Whether a space comes before the byte of the normalized text, where a word begins. `space`: one comes before byte 0.
 * What comes from the text's first character may have several words. */
static bool has_space(const hl_tokens *tokens, const hl_tokens_scratch *scratch, size_t at, bool space)
{
    bool first = space && scratch->base + scratch->origins[at].begin == 0;
    return at == 0 ? space : tokens->rules.prefix_space && (first || !tokens->unigram->first_only);
}

hl_status hl_tokens_encode_unigram(const hl_tokens *tokens, const hl_tokens_part *part, hl_pieces *pieces)
{
    const hl_unigram *unigram = tokens->unigram;
    const char *text = pieces->scratch->plain;
    const size_t end = part->base + part->size;
    bool begins = true;
    for (size_t at = part->base; at < end;) {
        size_t white = unigram->drops_white ? hl_white_bytes(text, end, at) : 0;
        if (white > 0) {
            at += white;
            begins = true;
            continue;
        }
        word_place word = { .begin = at };
        word.stands = text[at] == ' ' ? 1 : is_mark(text, end, at) ? HL_SPACE_MARK_BYTES : 0;
        word.lead = word.stands > 0 || (begins && has_space(tokens, pieces->scratch, at, part->space))
                        ? HL_SPACE_MARK_BYTES
                        : 0;
        at = word_end(unigram, text, end,
                      at + (word.stands > 0 ? word.stands : hl_character_bytes(text + at, end - at)));
        HL_TRY(add_word(tokens, word, at, pieces));
        begins = false;
    }
    return hl_ok();
}
