#include "data/text/treebank.h"

#include "core/base/memory.h"
#include "core/base/shown_text.h"
#include "data/text/conllu.h"
#include "data/text/private/grow.h"
#include "data/text/private/text_set.h"
#include "data/text/private/tokens_parts.h"
#include "data/text/private/treebank_arcs.h"
#include "data/text/private/treebank_build.h"

#include <inttypes.h>
#include <string.h>

enum { TELL_EVERY = 256 /* sentences */ };

/* A sentence's first word, begin and piece in the arrays of all, and its name in `text`. One more entry marks the end
 * of the last sentence. A sentence has one more begin than words. */
typedef struct place {
    size_t word, begin, piece, id, arc;
} place;

struct hl_treebank {
    size_t n, places_capacity;
    place *places; /* (n + 1) */
    int64_t n_short, n_long, n_several_roots, n_unknown_words, longest, most_words;
    size_t heads_capacity, relations_capacity, texts_capacity, begins_capacity, pieces_capacity;
    int32_t *heads, *relations, *begins, *pieces; /* of all sentences, end to end */
    size_t *texts;                                /* where each word is in `text` */
    hl_text text;                                 /* of all words and names, each with a zero byte at its end */
    hl_text_set relation_set;                     /* while the treebank is read */
    size_t n_relations, n_own, names_bytes;
    hl_treebank_arcs arcs;
    int64_t extras[HL_TREEBANK_EXTRAS];
    char **names; /* (R): of the relations, in one block of names_bytes */
};

void hl_treebank_free(hl_treebank *treebank)
{
    if (treebank == NULL) {
        return;
    }
    hl_free(treebank->places);
    hl_free(treebank->heads);
    hl_free(treebank->relations);
    hl_free(treebank->texts);
    hl_free(treebank->begins);
    hl_free(treebank->pieces);
    hl_free(treebank->names);
    hl_text_free(&treebank->text);
    hl_text_set_free(&treebank->relation_set);
    hl_treebank_arcs_free(&treebank->arcs);
    hl_free(treebank);
}

/* Makes room for one more sentence with so many words and pieces. */
static bool make_room(hl_treebank *t, size_t words, size_t pieces)
{
    place last = t->places[t->n];
    return HL_GROW(t->places, t->places_capacity, t->n + 2) &&
           HL_GROW(t->heads, t->heads_capacity, last.word + words) &&
           HL_GROW(t->relations, t->relations_capacity, last.word + words) &&
           HL_GROW(t->texts, t->texts_capacity, last.word + words) &&
           HL_GROW(t->begins, t->begins_capacity, last.begin + words + 1) &&
           HL_GROW(t->pieces, t->pieces_capacity, last.piece + pieces);
}

/* A name is shown and written in many files, so it must be short and harmless. */
static bool is_name(hl_span label)
{
    char name[HL_TREEBANK_RELATION + 1] = "", shown[sizeof name];
    if (label.size == 0 || label.size >= sizeof name) {
        return false;
    }
    memcpy(name, label.text, label.size);
    return hl_shown_text(shown, sizeof shown, name) == label.size && strcmp(shown, name) == 0;
}

static hl_status add_words(hl_treebank *t, const hl_treebank_spec *spec, const hl_conllu *reader,
                           const hl_conllu_sentence *sentence)
{
    int64_t roots = 0;
    size_t at = t->places[t->n].word;
    hl_span id = hl_conllu_comment(sentence, "sent_id");
    t->places[t->n].id = t->text.size;
    hl_text_add(&t->text, id.text, id.size);
    hl_text_add(&t->text, "", 1);
    for (int64_t w = 0; w < sentence->n_words; w++) {
        const hl_conllu_word *word = &sentence->words[w];
        hl_span form = word->columns[HL_CONLLU_FORM], label = word->columns[HL_CONLLU_DEPREL];
        size_t relation;
        hl_span name = spec->subtypes ? label : hl_conllu_label(label);
        if (!is_name(name)) {
            return hl_lines_bad(hl_conllu_lines(reader), word->line,
                                "DEPREL %.*s is no relation's name: that has 1 to %d bytes, all of which can be shown",
                                (int)(label.size < HL_TREEBANK_RELATION ? label.size : HL_TREEBANK_RELATION),
                                label.text, HL_TREEBANK_RELATION);
        }
        if (name.size == strlen(HL_TREEBANK_ALL) && memcmp(name.text, HL_TREEBANK_ALL, name.size) == 0) {
            return hl_lines_bad(hl_conllu_lines(reader), word->line,
                                "DEPREL %.*s has the name of all relations together; give it another one",
                                (int)label.size, label.text);
        }
        HL_TRY(hl_text_set_add(&t->relation_set, name.text, name.size, 1, &relation));
        t->heads[at + (size_t)w] = (int32_t)(word->head - 1);
        roots += word->head == 0;
        t->relations[at + (size_t)w] = (int32_t)relation;
        t->texts[at + (size_t)w] = t->text.size;
        hl_text_add(&t->text, form.text, form.size);
        hl_text_add(&t->text, "", 1);
    }
    t->n_several_roots += roots > 1;
    return t->text.error;
}

hl_status hl_treebank_add_pieces(const hl_treebank_spec *spec, const hl_conllu *reader, const hl_conllu_word *word,
                                 int64_t w, bool first, hl_pieces *pieces)
{
    hl_span form = word->columns[HL_CONLLU_FORM];
    hl_status status = hl_tokens_encode_word(spec->tokens, form.text, form.size, first, pieces);
    return status.code == HL_INVALID
               ? hl_lines_bad(hl_conllu_lines(reader), word->line, "word %" PRId64 ": %s", w + 1, status.text)
               : status;
}

/* Cuts the words into pieces, with the special tokens around the sentence. The begins of the words are written after
 * the last sentence's, where there is room. */
static hl_status cut_words(hl_treebank *t, const hl_treebank_spec *spec, const hl_conllu *reader,
                           const hl_conllu_sentence *sentence, hl_pieces *pieces)
{
    int64_t around = 0;
    if (spec->wraps) {
        const hl_template *single = &spec->tokens->single;
        while (single->at[around].id != HL_TEXT_A) {
            around++;
        }
    }
    int32_t *begins = t->begins + t->places[t->n].begin;
    pieces->n = 0;
    for (int64_t w = 0; w < sentence->n_words; w++) {
        begins[w] = (int32_t)(around + (int64_t)pieces->n);
        HL_TRY(hl_treebank_add_pieces(spec, reader, &sentence->words[w], w, w == 0, pieces));
    }
    begins[sentence->n_words] = (int32_t)(around + (int64_t)pieces->n);
    return spec->wraps ? hl_tokens_wrap(spec->tokens, pieces->n, pieces) : hl_ok();
}

hl_status hl_treebank_add(hl_treebank *t, const hl_treebank_spec *spec, const hl_conllu *reader,
                          const hl_conllu_sentence *sentence, hl_pieces *pieces)
{
    if (sentence->n_words < 2) {
        t->n_short++;
        return hl_ok();
    }
    size_t words = (size_t)sentence->n_words;
    HL_NEED(make_room(t, words, 0), spec->path);
    HL_TRY(cut_words(t, spec, reader, sentence, pieces));
    if ((int64_t)pieces->n > spec->max_pieces) {
        t->n_long++;
        return hl_ok();
    }
    HL_NEED(make_room(t, words, pieces->n), spec->path);
    HL_TRY(add_words(t, spec, reader, sentence));
    place *last = &t->places[t->n];
    for (size_t i = 0; i < pieces->n; i++) {
        t->pieces[last->piece + i] = pieces->at[i].id;
    }
    const int32_t *begins = t->begins + last->begin, *ids = t->pieces + last->piece;
    for (size_t w = 0; w < words; w++) {
        bool unknown = false;
        for (int32_t i = begins[w]; i < begins[w + 1]; i++) {
            unknown = unknown || ids[i] == spec->tokens->roles[HL_ROLE_UNK];
        }
        t->n_unknown_words += unknown;
    }
    last[1] = (place){ .word = last->word + words, .begin = last->begin + words + 1, .piece = last->piece + pieces->n };
    t->longest = (int64_t)pieces->n > t->longest ? (int64_t)pieces->n : t->longest;
    t->most_words = sentence->n_words > t->most_words ? sentence->n_words : t->most_words;
    t->n++;
    return hl_ok();
}

static hl_status add_sentences(hl_treebank *t, const hl_treebank_spec *spec, hl_conllu *reader, hl_pieces *pieces)
{
    const hl_conllu_sentence *sentence;
    HL_TRY(hl_conllu_next(reader, &sentence));
    for (int64_t number = 0; sentence != NULL; number++) {
        size_t before = t->n;
        HL_TRY(hl_treebank_add(t, spec, reader, sentence, pieces));
        HL_TRY(hl_treebank_arcs_add(&t->arcs, reader, sentence, t->n > before));
        t->places[t->n].arc = t->arcs.n;
        if (spec->max_sentences > 0 && (int64_t)t->n == spec->max_sentences) {
            break;
        }
        if (spec->progress != NULL && number % TELL_EVERY == 0) {
            int64_t done, total;
            hl_lines_progress(hl_conllu_lines(reader), &done, &total);
            HL_TRY(spec->progress(spec->context, done, total));
        }
        HL_TRY(hl_conllu_next(reader, &sentence));
    }
    if (t->n == 0) {
        return hl_error(HL_BAD_FILE,
                        "%s: no sentence can be used: of %" PRId64 ", %" PRId64 " have one word, %" PRId64
                        " are longer than %" PRId64 " pieces",
                        spec->path, t->n_short + t->n_long, t->n_short, t->n_long, spec->max_pieces);
    }
    return hl_ok();
}

/* Makes strings of the names, because the texts of the set have no zero byte. */
static hl_status name_relations(hl_treebank *t)
{
    size_t n = t->n_relations = t->relation_set.n;
    t->names_bytes = n * sizeof *t->names + t->relation_set.bytes.size + n;
    t->names = hl_calloc(t->names_bytes, 1);
    HL_NEED(t->names != NULL, "the relations of a treebank");
    char *next = (char *)(t->names + n);
    for (size_t r = 0; r < n; r++) {
        size_t size;
        const char *name = hl_text_set_get(&t->relation_set, r, &size);
        t->names[r] = next;
        memcpy(next, name, size);
        next += size + 1;
    }
    hl_text_set_free(&t->relation_set);
    return hl_ok();
}

/* A treebank is read once and kept as long as the model runs, so it keeps no more room than needed. */
static bool give_back(hl_treebank *t)
{
    place last = t->places[t->n];
    return HL_FIT(t->places, t->places_capacity, t->n + 1) && HL_FIT(t->heads, t->heads_capacity, last.word) &&
           HL_FIT(t->relations, t->relations_capacity, last.word) && HL_FIT(t->texts, t->texts_capacity, last.word) &&
           HL_FIT(t->begins, t->begins_capacity, last.begin) && HL_FIT(t->pieces, t->pieces_capacity, last.piece) &&
           HL_FIT(t->text.bytes, t->text.capacity, t->text.size + 1) &&
           (t->arcs.n == 0 || HL_FIT(t->arcs.list, t->arcs.capacity, t->arcs.n));
}

hl_treebank *hl_treebank_begin(void)
{
    hl_treebank *t = hl_calloc(1, sizeof *t);
    if (t == NULL || !HL_GROW(t->places, t->places_capacity, 1)) {
        hl_treebank_free(t);
        return NULL;
    }
    t->places[0] = (place){ 0 };
    return t;
}

hl_status hl_treebank_end(hl_treebank *t, const hl_treebank_spec *spec)
{
    hl_treebank_arcs_end(&t->arcs);
    /* The further relations, if they exist, are numbered after those of the file. */
    static const char *const names[HL_TREEBANK_EXTRAS] = { "neg", "entity", "long" };
    t->n_own = t->relation_set.n;
    for (int extra = 0; extra < HL_TREEBANK_EXTRAS; extra++) {
        size_t next = t->relation_set.n, number = 0;
        t->extras[extra] = -1;
        if (t->arcs.counts[extra] > 0) {
            HL_TRY(hl_text_set_add(&t->relation_set, names[extra], strlen(names[extra]), 1, &number));
            t->extras[extra] = number == next ? (int64_t)number : -1;
        }
    }
    for (size_t i = 0; i < t->arcs.n; i++) {
        t->arcs.list[i].relation = (int32_t)t->extras[t->arcs.list[i].relation];
    }
    HL_TRY(name_relations(t));
    return give_back(t) ? hl_ok() : hl_error_memory(spec->path);
}

hl_status hl_treebank_read(const hl_treebank_spec *spec, hl_treebank **out)
{
    *out = NULL;
    hl_conllu *reader;
    HL_TRY(hl_conllu_open(spec->path, HL_CONLLU_ROOTS, &reader));
    hl_pieces pieces = { 0 };
    hl_treebank *t = hl_treebank_begin();
    hl_status status = t != NULL ? add_sentences(t, spec, reader, &pieces) : hl_error_memory(spec->path);
    HL_THEN(status, hl_treebank_end(t, spec));
    hl_pieces_free(&pieces);
    hl_conllu_close(reader);
    if (status.code != HL_OK) {
        hl_treebank_free(t);
        return status;
    }
    *out = t;
    return hl_ok();
}

int64_t hl_treebank_size(const hl_treebank *treebank)
{
    return (int64_t)treebank->n;
}

int64_t hl_treebank_short(const hl_treebank *treebank)
{
    return treebank->n_short;
}

int64_t hl_treebank_long(const hl_treebank *treebank)
{
    return treebank->n_long;
}

int64_t hl_treebank_several_roots(const hl_treebank *treebank)
{
    return treebank->n_several_roots;
}

int64_t hl_treebank_unknown_words(const hl_treebank *treebank)
{
    return treebank->n_unknown_words;
}

size_t hl_treebank_bytes(const hl_treebank *t)
{
    place last = t->places[t->n];
    size_t of_word = sizeof *t->heads + sizeof *t->relations + sizeof *t->texts;
    return (t->n + 1) * sizeof last + last.word * of_word + last.begin * sizeof *t->begins +
           last.piece * sizeof *t->pieces + t->arcs.n * sizeof *t->arcs.list + t->text.size + t->names_bytes;
}

int64_t hl_treebank_longest(const hl_treebank *treebank)
{
    return treebank->longest;
}

int64_t hl_treebank_most_words(const hl_treebank *treebank)
{
    return treebank->most_words;
}

int64_t hl_treebank_relations(const hl_treebank *treebank)
{
    return (int64_t)treebank->n_relations;
}

int64_t hl_treebank_own(const hl_treebank *treebank)
{
    return (int64_t)treebank->n_own;
}

int64_t hl_treebank_extra_relation(const hl_treebank *treebank, hl_treebank_extra extra)
{
    return treebank->extras[extra];
}

hl_status hl_treebank_entity_fault(const hl_treebank *treebank)
{
    return treebank->arcs.fault;
}

const char *hl_treebank_relation(const hl_treebank *treebank, int64_t relation)
{
    return treebank->names[relation];
}

hl_treebank_sentence hl_treebank_at(const hl_treebank *treebank, int64_t sentence)
{
    const place *at = &treebank->places[sentence];
    return (hl_treebank_sentence){ .n_words = (int64_t)(at[1].word - at->word),
                                   .heads = treebank->heads + at->word,
                                   .relations = treebank->relations + at->word,
                                   .begins = treebank->begins + at->begin,
                                   .pieces = treebank->pieces + at->piece,
                                   .n_pieces = (int64_t)(at[1].piece - at->piece),
                                   .arcs = treebank->arcs.n > 0 ? treebank->arcs.list + at->arc : NULL,
                                   .n_arcs = (int64_t)(at[1].arc - at->arc) };
}

bool hl_treebank_own_arc(const hl_treebank_sentence *sentence, int64_t i, hl_treebank_arc *arc)
{
    int32_t head = sentence->heads[i];
    *arc = (hl_treebank_arc){ sentence->relations[i], (int32_t)i, head, head + 1 };
    return head >= 0;
}

const char *hl_treebank_id(const hl_treebank *treebank, int64_t sentence)
{
    return treebank->text.bytes + treebank->places[sentence].id;
}

const char *hl_treebank_word(const hl_treebank *treebank, int64_t sentence, int64_t word)
{
    return treebank->text.bytes + treebank->texts[treebank->places[sentence].word + (size_t)word];
}
