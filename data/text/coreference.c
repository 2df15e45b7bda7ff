#include "data/text/coreference.h"

#include "core/base/memory.h"
#include "core/base/private/utf8.h"
#include "data/text/private/entities.h"
#include "data/text/private/grow.h"
#include "data/text/private/treebank_build.h"
#include "data/text/unicode/private/unicode.h"

#include <string.h>

enum { TELL_EVERY = 256 /* sentences */ };

/* A word of the window that is being filled: where its texts begin in `bytes`, and their sizes. */
typedef struct joined_word {
    size_t form, form_size, relation, relation_size;
    int64_t head, line; /* head: the number of its head in the window, from 1 on; 0 for a root */
} joined_word;

/* A word of the document. */
typedef struct document_word {
    int64_t window; /* -1: its sentence is left out */
    int32_t word, sentence, form;
    hl_mention_kind kind;
} document_word;

typedef struct reading {
    const hl_treebank_spec *spec;
    hl_conllu *reader;
    hl_coreference_text *text;
    hl_pieces pieces;
    int32_t n_sentences;
    hl_entities entities;
    document_word *words; /* of the current document */
    size_t n_words, words_capacity;
    joined_word *joined; /* of the current window */
    size_t n_joined, joined_capacity;
    int64_t n_pieces;
    int64_t n_windows; /* of the documents that have ended */
    hl_text bytes;
    hl_text_set forms;
} reading;

/* ---- windows ---- */

/* The pieces of a sentence's words alone. */
static hl_status count_pieces(reading *r, const hl_conllu_sentence *sentence, bool first, int64_t *n)
{
    r->pieces.n = 0;
    for (int64_t w = 0; w < sentence->n_words; w++) {
        HL_TRY(hl_treebank_add_pieces(r->spec, r->reader, &sentence->words[w], w, first && w == 0, &r->pieces));
    }
    *n = (int64_t)r->pieces.n;
    return hl_ok();
}

/* Adds the current window to the treebank, which takes none of one word: in it there is nothing to look at. */
static hl_status end_window(reading *r)
{
    hl_coreference_text *text = r->text;
    int64_t window = hl_treebank_size(text->windows);
    if (r->n_joined == 0) {
        return hl_ok();
    }
    if (r->n_joined == 1) {
        r->words[r->n_words - 1].window = -1;
    }
    HL_NEED(HL_GROW(text->documents, text->windows_capacity, (size_t)window + 1), r->spec->path);
    hl_conllu_word *words = hl_calloc(r->n_joined, sizeof *words);
    HL_NEED(words != NULL, r->spec->path);
    for (size_t i = 0; i < r->n_joined; i++) {
        const joined_word *j = &r->joined[i];
        words[i] = (hl_conllu_word){ .head = j->head, .line = j->line };
        words[i].columns[HL_CONLLU_FORM] = (hl_span){ r->bytes.bytes + j->form, j->form_size };
        words[i].columns[HL_CONLLU_DEPREL] = (hl_span){ r->bytes.bytes + j->relation, j->relation_size };
    }
    hl_conllu_sentence all = { .words = words, .n_words = (int64_t)r->n_joined, .raw = { "", 0 } };
    hl_status status = hl_treebank_add(text->windows, r->spec, r->reader, &all, &r->pieces);
    hl_free(words);
    text->documents[window] = (int32_t)text->n_documents;
    r->n_joined = 0;
    r->n_pieces = 0;
    r->bytes.size = 0;
    return status;
}

static hl_status join_word(reading *r, const hl_conllu_word *word, int64_t first)
{
    hl_span form = word->columns[HL_CONLLU_FORM], relation = word->columns[HL_CONLLU_DEPREL];
    HL_NEED(HL_GROW(r->joined, r->joined_capacity, r->n_joined + 1), r->spec->path);
    joined_word *j = &r->joined[r->n_joined++];
    *j = (joined_word){ .form = r->bytes.size,
                        .form_size = form.size,
                        .relation = r->bytes.size + form.size,
                        .relation_size = relation.size,
                        .head = word->head > 0 ? first + word->head : 0,
                        .line = word->line };
    hl_text_add(&r->bytes, form.text, form.size);
    hl_text_add(&r->bytes, relation.text, relation.size);
    return hl_text_status(&r->bytes);
}

/* Puts the sentence into the current window or the next one. *window: its number; -1 if it fits into none. */
static hl_status place_sentence(reading *r, const hl_conllu_sentence *sentence, int64_t *window, int64_t *first)
{
    int64_t around = r->spec->wraps ? (int64_t)r->spec->tokens->single.n - 1 : 0, n;
    HL_TRY(count_pieces(r, sentence, r->n_joined == 0, &n));
    if (r->n_joined > 0 && around + r->n_pieces + n > r->spec->max_pieces) {
        HL_TRY(end_window(r));
        HL_TRY(count_pieces(r, sentence, true, &n));
    }
    *window = -1;
    *first = (int64_t)r->n_joined;
    if (around + n > r->spec->max_pieces) {
        r->text->n_left_out++;
        return hl_ok();
    }
    for (int64_t w = 0; w < sentence->n_words; w++) {
        HL_TRY(join_word(r, &sentence->words[w], *first));
    }
    r->n_pieces += n;
    *window = hl_treebank_size(r->text->windows);
    return hl_ok();
}

/* ---- documents ---- */

static hl_mention_kind kind_of(hl_span upos)
{
    return upos.size == 4 && memcmp(upos.text, "PRON", 4) == 0    ? HL_MENTION_PRONOUN
           : upos.size == 5 && memcmp(upos.text, "PROPN", 5) == 0 ? HL_MENTION_NAME
                                                                  : HL_MENTION_OTHER;
}

/* The number of the word's spelling in lower case. Bytes that are not UTF-8 stay. */
static hl_status number_form(reading *r, hl_span form, int32_t *number)
{
    hl_text lower = { 0 };
    for (size_t i = 0; i < form.size;) {
        uint32_t code;
        size_t size = hl_utf8_decode(form.text + i, form.size - i, &code);
        hl_add_lower_case(&lower, form.text + i, size, code);
        i += size > 0 ? size : 1;
    }
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
    HL_TRY(hl_entities_add(&r->entities, r->reader, sentence));
    HL_TRY(place_sentence(r, sentence, &window, &first));
    HL_NEED(HL_GROW(r->words, r->words_capacity, r->n_words + (size_t)sentence->n_words), r->spec->path);
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
    int64_t first = r->n_windows, last = -1;
    HL_TRY(hl_entities_end(&r->entities, r->reader));
    HL_TRY(end_window(r));
    int64_t end = hl_treebank_size(text->windows);
    HL_NEED(HL_GROW(text->firsts, text->firsts_capacity, (size_t)end + 1), r->spec->path);
    int64_t window = first;
    for (size_t i = 0; i < r->entities.n_mentions; i++) {
        hl_mention mention = r->entities.mentions[i];
        const document_word *at = &r->words[mention.head];
        if (at->window < 0 || at->window >= end) {
            continue;
        }
        for (; window <= at->window; window++) {
            text->firsts[window] = text->n_mentions;
        }
        HL_TRY(add_mention(text, at, mention.head == last, mention.entity));
        last = mention.head;
    }
    for (; window <= end; window++) {
        text->firsts[window] = text->n_mentions;
    }
    r->n_windows = end;
    text->n_documents++;
    r->n_words = 0;
    r->n_sentences = 0;
    hl_entities_clear(&r->entities);
    return hl_ok();
}

static hl_status read_all(reading *r)
{
    const hl_conllu_sentence *sentence;
    HL_TRY(hl_conllu_next(r->reader, &sentence));
    for (int64_t number = 0; sentence != NULL; number++) {
        HL_TRY(sentence->begins_document && r->n_sentences > 0 ? end_document(r) : hl_ok());
        HL_TRY(add_sentence(r, sentence));
        if (r->spec->progress != NULL && number % TELL_EVERY == 0) {
            int64_t done, total;
            hl_lines_progress(hl_conllu_lines(r->reader), &done, &total);
            HL_TRY(r->spec->progress(r->spec->context, done, total));
        }
        if (number + 1 == r->spec->max_sentences) {
            r->entities.n_open = 0;
            break;
        }
        HL_TRY(hl_conllu_next(r->reader, &sentence));
    }
    HL_TRY(end_document(r));
    if (r->text->n_mentions == 0) {
        return hl_error(HL_BAD_FILE,
                        "%s: no mention of an entity can be used: column MISC has none with Entity=, or all "
                        "are in sentences longer than %lld pieces",
                        r->spec->path, (long long)r->spec->max_pieces);
    }
    return hl_treebank_end(r->text->windows, r->spec);
}

hl_status hl_coreference_read(const hl_treebank_spec *spec, hl_coreference_text *text)
{
    *text = (hl_coreference_text){ .windows = hl_treebank_begin() };
    HL_NEED(text->windows != NULL, spec->path);
    reading r = { .spec = spec, .text = text };
    hl_status status = hl_conllu_open(spec->path, HL_CONLLU_ROOTS, &r.reader);
    HL_THEN(status, read_all(&r));
    hl_conllu_close(r.reader);
    hl_pieces_free(&r.pieces);
    hl_entities_free(&r.entities);
    hl_text_set_free(&r.forms);
    hl_text_free(&r.bytes);
    hl_free(r.words);
    hl_free(r.joined);
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
