#include "data/text/coreference.h"

#include "core/base/memory.h"
#include "data/text/private/entities.h"
#include "data/text/private/grow.h"
#include "data/text/private/treebank_build.h"
#include "data/text/unicode/private/unicode.h"

#include <string.h>

/* A word of the document. */
typedef struct document_word {
    int64_t window; /* -1: its sentence is left out */
    int32_t word, sentence, form;
    hl_mention_kind kind;
} document_word;

typedef struct reading {
    hl_treebank_builder windows;
    hl_coreference_text *text;
    int32_t n_sentences;
    hl_entities entities;
    document_word *words; /* of the current document */
    size_t n_words, words_capacity;
    int64_t n_windows; /* of the documents that have ended */
    hl_text_set forms;
} reading;

/* ---- windows ---- */

/* Adds the current window to the treebank, which takes none of one word: in it there is nothing to look at. */
static hl_status end_window(reading *r)
{
    hl_coreference_text *text = r->text;
    size_t window = (size_t)r->windows.treebank->n_sentences;
    if (r->windows.n_words == 0) {
        return hl_ok();
    }
    if (r->windows.n_words == 1) {
        r->words[r->n_words - 1].window = -1;
    }
    HL_NEED(HL_GROW(text->documents, text->windows_capacity, window + 1), r->windows.spec->path);
    text->documents[window] = (int32_t)text->n_documents;
    return hl_treebank_add(&r->windows, (hl_span){ "", 0 });
}

/* Puts the sentence into the current window or the next one. *window: its number; -1 if it fits into none. *first: the
 * place of its first word there. */
static hl_status place_sentence(reading *r, const hl_conllu_sentence *sentence, int64_t *window, int64_t *first)
{
    bool fits;
    *first = (int64_t)r->windows.n_words;
    HL_TRY(hl_treebank_join(&r->windows, sentence, &fits));
    if (!fits && *first > 0) {
        HL_TRY(end_window(r));
        *first = 0;
        HL_TRY(hl_treebank_join(&r->windows, sentence, &fits));
    }
    r->text->n_left_out += !fits;
    *window = fits ? r->windows.treebank->n_sentences : -1;
    return hl_ok();
}

/* ---- documents ---- */

static hl_mention_kind kind_of(hl_span upos)
{
    return upos.size == 4 && memcmp(upos.text, "PRON", 4) == 0    ? HL_MENTION_PRONOUN
           : upos.size == 5 && memcmp(upos.text, "PROPN", 5) == 0 ? HL_MENTION_NAME
                                                                  : HL_MENTION_OTHER;
}

/* The number of the word's spelling in lower case. */
static hl_status number_form(reading *r, hl_span form, int32_t *number)
{
    hl_text lower = { 0 };
    hl_add_lower_case(&lower, form.text, form.size);
    hl_status status = hl_text_status(&lower);
    size_t found = 0;
    HL_THEN(status, hl_text_set_add(&r->forms, lower.bytes, lower.size, 1, &found));
    hl_text_free(&lower);
    *number = (int32_t)found;
    return status;
}

static hl_status add_sentence(reading *r, const hl_conllu_sentence *sentence)
{
    int64_t window, first;
    HL_TRY(hl_entities_add(&r->entities, r->windows.reader, sentence));
    HL_TRY(place_sentence(r, sentence, &window, &first));
    HL_NEED(HL_GROW(r->words, r->words_capacity, r->n_words + (size_t)sentence->n_words), r->windows.spec->path);
    for (int64_t w = 0; w < sentence->n_words; w++) {
        const hl_conllu_word *word = &sentence->words[w];
        document_word *own = &r->words[r->n_words++];
        *own = (document_word){ .window = window,
                                .word = (int32_t)(first + w),
                                .sentence = r->n_sentences,
                                .kind = kind_of(word->columns[HL_CONLLU_UPOS]) };
        HL_TRY(number_form(r, word->columns[HL_CONLLU_FORM], &own->form));
    }
    r->n_sentences++;
    return hl_ok();
}

/* Adds a mention at this word, or, if there is one already, its entity to that. */
static hl_status add_mention(hl_coreference_text *text, const document_word *at, bool again, int32_t entity)
{
    HL_NEED(HL_GROW(text->mentions, text->mentions_capacity, text->n_mentions + 1) &&
                HL_GROW(text->entities, text->entities_capacity, text->n_entities + 1),
            "mentions");
    if (!again) {
        text->mentions[text->n_mentions++] = (hl_coreference_mention){ .word = at->word,
                                                                       .sentence = at->sentence,
                                                                       .form = at->form,
                                                                       .kind = at->kind,
                                                                       .first_entity = text->n_entities };
    }
    hl_coreference_mention *mention = &text->mentions[text->n_mentions - 1];
    if (mention->n_entities > 0 && text->entities[text->n_entities - 1] == entity) {
        return hl_ok(); /* the same entity twice at one word */
    }
    text->entities[text->n_entities++] = entity;
    mention->n_entities++;
    return hl_ok();
}

static hl_status end_document(reading *r)
{
    hl_coreference_text *text = r->text;
    int64_t window = r->n_windows, last = -1;
    HL_TRY(hl_entities_end(&r->entities, r->windows.reader));
    HL_TRY(end_window(r));
    r->n_windows = r->windows.treebank->n_sentences;
    HL_NEED(HL_GROW(text->firsts, text->firsts_capacity, (size_t)r->n_windows + 1), r->windows.spec->path);
    for (size_t i = 0; i < r->entities.n_mentions; i++) {
        hl_mention mention = r->entities.mentions[i];
        const document_word *at = &r->words[mention.head];
        for (; window <= at->window; window++) {
            text->firsts[window] = text->n_mentions;
        }
        HL_TRY(at->window >= 0 ? add_mention(text, at, mention.head == last, mention.entity) : hl_ok());
        last = mention.head;
    }
    for (; window <= r->n_windows; window++) {
        text->firsts[window] = text->n_mentions;
    }
    text->n_documents++;
    r->n_words = 0;
    r->n_sentences = 0;
    hl_entities_clear(&r->entities);
    return hl_ok();
}

static hl_status read_all(reading *r)
{
    const hl_treebank_spec *spec = r->windows.spec;
    const hl_conllu_sentence *sentence;
    HL_TRY(hl_treebank_read_next(&r->windows, &sentence));
    while (sentence != NULL) {
        HL_TRY(sentence->begins_document && r->n_sentences > 0 ? end_document(r) : hl_ok());
        HL_TRY(add_sentence(r, sentence));
        if (r->windows.n_read == spec->max_sentences) {
            r->entities.n_open = 0;
            break;
        }
        HL_TRY(hl_treebank_read_next(&r->windows, &sentence));
    }
    HL_TRY(end_document(r));
    if (r->text->n_mentions == 0) {
        return hl_error(HL_BAD_FILE,
                        "%s: no mention of an entity can be used: column MISC has none with Entity=, or all "
                        "are in sentences longer than %lld pieces",
                        spec->path, (long long)spec->max_pieces);
    }
    return hl_treebank_end(&r->windows);
}

hl_status hl_coreference_read(const hl_treebank_spec *spec, hl_coreference_text *text)
{
    *text = (hl_coreference_text){ 0 };
    reading r = { .text = text };
    hl_status status = hl_treebank_begin(spec, &r.windows);
    HL_THEN(status, read_all(&r));
    text->windows = r.windows.treebank;
    hl_treebank_builder_free(&r.windows);
    hl_entities_free(&r.entities);
    hl_text_set_free(&r.forms);
    hl_free(r.words);
    if (status.code != HL_OK) {
        hl_coreference_text_free(text);
    }
    return status;
}

void hl_coreference_text_free(hl_coreference_text *text)
{
    hl_treebank_free(text->windows);
    hl_free(text->documents);
    hl_free(text->firsts);
    hl_free(text->mentions);
    hl_free(text->entities);
    *text = (hl_coreference_text){ 0 };
}

bool hl_coreference_same(const hl_coreference_text *text, size_t mention, size_t other)
{
    const hl_coreference_mention *x = &text->mentions[mention], *y = &text->mentions[other];
    for (int32_t i = 0; i < x->n_entities; i++) {
        for (int32_t j = 0; j < y->n_entities; j++) {
            if (text->entities[x->first_entity + (size_t)i] == text->entities[y->first_entity + (size_t)j]) {
                return true;
            }
        }
    }
    return false;
}

size_t hl_coreference_bytes(const hl_coreference_text *text)
{
    return hl_treebank_bytes(text->windows) + text->windows_capacity * sizeof *text->documents +
           text->firsts_capacity * sizeof *text->firsts + text->mentions_capacity * sizeof *text->mentions +
           text->entities_capacity * sizeof *text->entities;
}
