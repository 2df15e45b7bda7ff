#include "core/base/memory.h"
#include "data/text/private/grow.h"
#include "data/text/private/treebank_build.h"

#include <string.h>

/* Whether FEATS, such as "Mood=Ind|Polarity=Neg", holds Polarity=Neg. */
static bool is_negative(hl_span feats)
{
    static const char wanted[] = "Polarity=Neg";
    for (hl_span item; hl_conllu_next_item(&feats, &item);) {
        if (item.size == sizeof wanted - 1 && memcmp(item.text, wanted, item.size) == 0) {
            return true;
        }
    }
    return false;
}

static hl_status add(hl_treebank_arcs *arcs, hl_treebank_extra relation, int64_t word, int64_t first, int64_t end)
{
    HL_NEED(HL_GROW(arcs->list, arcs->capacity, arcs->n + 1), "the relations of a treebank");
    arcs->list[arcs->n++] = (hl_treebank_arc){ (int32_t)relation, (int32_t)word, (int32_t)first, (int32_t)end };
    arcs->counts[relation]++;
    return hl_ok();
}

/* Reads Entity=. If it cannot be read, there are no cases of it in the whole file. */
static hl_status read_mentions(hl_treebank_arcs *arcs, const hl_conllu *reader, const hl_conllu_sentence *sentence)
{
    if (sentence->begins_document) {
        hl_entities_clear(&arcs->entities);
    }
    hl_status status = hl_entities_add(&arcs->entities, reader, sentence);
    if (status.code != HL_BAD_FILE) {
        return status;
    }
    arcs->fault = status;
    arcs->counts[HL_TREEBANK_ENTITY] = 0;
    return hl_ok();
}

/* Finds each word's innermost mention of several words: the shortest, and of equals the one that ends first. `known`:
 * the number of mentions that ended in earlier sentences. *mentions (words, 2): its first word, and its end. */
static hl_status find_mentions(hl_treebank_arcs *arcs, size_t known, int64_t n_words)
{
    const hl_entities *e = &arcs->entities;
    int64_t before = (int64_t)e->n_words - n_words;
    HL_NEED(HL_GROW(arcs->mentions, arcs->mentions_capacity, 2 * (size_t)n_words), "the mentions of a sentence");
    memset(arcs->mentions, 0, 2 * (size_t)n_words * sizeof *arcs->mentions);
    for (size_t m = known; m < e->n_mentions; m++) {
        int32_t first = (int32_t)(e->mentions[m].begin - before), end = (int32_t)(e->mentions[m].end - before);
        for (int32_t w = first; first >= 0 && end - first > 1 && w < end; w++) {
            int32_t *own = arcs->mentions + (ptrdiff_t)2 * w;
            if (own[1] == 0 || end - first < own[1] - own[0]) {
                own[0] = first;
                own[1] = end;
            }
        }
    }
    return hl_ok();
}

hl_status hl_treebank_arcs_add(hl_treebank_arcs *arcs, const hl_conllu *reader, const hl_conllu_sentence *sentence,
                               bool used)
{
    enum { NEAR = 5 }; /* a dependency of more words is long */
    size_t known = sentence->begins_document ? 0 : arcs->entities.n_mentions;
    HL_TRY(arcs->fault.code == HL_OK ? read_mentions(arcs, reader, sentence) : hl_ok());
    if (!used) {
        return hl_ok();
    }
    bool readable = arcs->fault.code == HL_OK;
    HL_TRY(readable ? find_mentions(arcs, known, sentence->n_words) : hl_ok());
    for (int64_t w = 0; w < sentence->n_words; w++) {
        const hl_conllu_word *word = &sentence->words[w];
        int64_t head = word->head - 1;
        if (head >= 0 && is_negative(word->columns[HL_CONLLU_FEATS])) {
            HL_TRY(add(arcs, HL_TREEBANK_NEG, w, head, head + 1));
        }
        if (readable && arcs->mentions[2 * w + 1] > 0) {
            HL_TRY(add(arcs, HL_TREEBANK_ENTITY, w, arcs->mentions[2 * w], arcs->mentions[2 * w + 1]));
        }
        if (head >= 0 && (head > w + NEAR || head < w - NEAR)) {
            HL_TRY(add(arcs, HL_TREEBANK_LONG, w, head, head + 1));
        }
    }
    return hl_ok();
}

void hl_treebank_arcs_free(hl_treebank_arcs *arcs)
{
    hl_entities_free(&arcs->entities);
    hl_free(arcs->mentions);
    hl_free(arcs->list);
}
