#include "data/text/treebank.h"

#include "core/base/memory.h"
#include "core/base/shown_text.h"
#include "data/text/private/grow.h"
#include "data/text/private/treebank_build.h"

#include <inttypes.h>
#include <string.h>

enum { TELL_EVERY = 256 /* sentences */ };

/* Where a sentence begins in the arrays of all. Its numbers are the heads (W), relations (W), begins (W + 1), where the
 * spelling of each word and its own name are in `text`, counted from `text` on (W + 1), and its pieces. */
typedef struct hl_treebank_place {
    size_t n_words, number, text, arc;
} place;

void hl_treebank_free(hl_treebank *treebank)
{
    if (treebank != NULL) {
        hl_free(treebank->places);
        hl_free(treebank->numbers);
        hl_free(treebank->arcs);
        hl_free(treebank->names);
        hl_text_free(&treebank->text);
        hl_free(treebank);
    }
}

void hl_treebank_builder_free(hl_treebank_builder *b)
{
    hl_conllu_close(b->reader);
    hl_text_set_free(&b->relations);
    hl_treebank_arcs_free(&b->arcs);
    hl_free(b->words);
    hl_pieces_free(&b->pieces);
}

hl_status hl_treebank_begin(const hl_treebank_spec *spec, hl_treebank_builder *b)
{
    *b = (hl_treebank_builder){ .spec = spec, .treebank = hl_calloc(1, sizeof *b->treebank) };
    HL_NEED(b->treebank != NULL && HL_GROW(b->treebank->places, b->places_capacity, 1), spec->path);
    b->treebank->places[0] = (place){ 0 };
    return hl_conllu_open(spec->path, HL_CONLLU_ROOTS, &b->reader);
}

hl_status hl_treebank_read_next(hl_treebank_builder *b, const hl_conllu_sentence **sentence)
{
    if (b->spec->progress != NULL && b->n_read % TELL_EVERY == 1) {
        int64_t done, total;
        hl_lines_progress(hl_conllu_lines(b->reader), &done, &total);
        HL_TRY(b->spec->progress(b->spec->context, done, total));
    }
    b->n_read++;
    return hl_conllu_next(b->reader, sentence);
}

/* Adds a text with a zero byte. Returns where it begins, counted from `first` on. */
static int32_t add_text(hl_text *text, size_t first, const char *bytes, size_t size)
{
    size_t begin = text->size;
    hl_text_add(text, bytes, size);
    hl_text_add(text, "", 1);
    return (int32_t)(begin - first);
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

static hl_status number_relation(hl_treebank_builder *b, const hl_conllu_word *word, int32_t *relation)
{
    hl_span label = word->columns[HL_CONLLU_DEPREL];
    hl_span name = b->spec->subtypes ? label : hl_conllu_label(label);
    size_t number;
    if (!is_name(name)) {
        return hl_lines_bad(hl_conllu_lines(b->reader), word->line,
                            "DEPREL %.*s is no relation's name: that has 1 to %d bytes, all of which can be shown",
                            (int)(label.size < HL_TREEBANK_RELATION ? label.size : HL_TREEBANK_RELATION), label.text,
                            HL_TREEBANK_RELATION);
    }
    if (name.size == strlen(HL_TREEBANK_ALL) && memcmp(name.text, HL_TREEBANK_ALL, name.size) == 0) {
        return hl_lines_bad(hl_conllu_lines(b->reader), word->line,
                            "DEPREL %.*s has the name of all relations together; give it another one", (int)label.size,
                            label.text);
    }
    HL_TRY(hl_text_set_add(&b->relations, name.text, name.size, 1, &number));
    *relation = (int32_t)number;
    return hl_ok();
}

/* Cuts the words into pieces, which come after those of the words so far. */
static hl_status cut_words(hl_treebank_builder *b, const hl_conllu_sentence *sentence)
{
    for (int64_t w = 0; w < sentence->n_words; w++) {
        const hl_conllu_word *word = &sentence->words[w];
        hl_span form = word->columns[HL_CONLLU_FORM];
        size_t n = b->n_words + (size_t)w;
        b->words[n].begin = (int32_t)b->pieces.n;
        hl_status status = hl_tokens_encode_word(b->spec->tokens, form.text, form.size, n == 0, &b->pieces);
        HL_TRY(status.code == HL_INVALID
                   ? hl_lines_bad(hl_conllu_lines(b->reader), word->line, "word %" PRId64 ": %s", w + 1, status.text)
                   : status);
    }
    return hl_ok();
}

hl_status hl_treebank_join(hl_treebank_builder *b, const hl_conllu_sentence *sentence, bool *fits)
{
    int64_t around = b->spec->wraps ? b->spec->tokens->single.n - 1 : 0;
    size_t before = b->pieces.n, first = b->n_words, text = b->treebank->places[b->treebank->n_sentences].text;
    HL_NEED(HL_GROW(b->words, b->words_capacity, first + (size_t)sentence->n_words), b->spec->path);
    HL_TRY(cut_words(b, sentence));
    *fits = around + (int64_t)b->pieces.n <= b->spec->max_pieces;
    if (!*fits) {
        b->pieces.n = before;
        return hl_ok();
    }
    for (int64_t w = 0; w < sentence->n_words; w++) {
        const hl_conllu_word *word = &sentence->words[w];
        hl_span form = word->columns[HL_CONLLU_FORM];
        hl_joined_word *own = &b->words[b->n_words++];
        own->head = word->head > 0 ? (int32_t)((int64_t)first + word->head - 1) : -1;
        own->text = add_text(&b->treebank->text, text, form.text, form.size);
        HL_TRY(number_relation(b, word, &own->relation));
    }
    return hl_text_status(&b->treebank->text);
}

/* Whether one of the pieces is the unknown token. */
static bool has_unknown(const hl_treebank_builder *b, size_t begin, size_t end)
{
    bool has = false;
    for (size_t i = begin; i < end; i++) {
        has = has || b->pieces.at[i].id == b->spec->tokens->roles[HL_ROLE_UNK];
    }
    return has;
}

/* Writes the words after the last sentence's numbers. */
static void write_words(hl_treebank_builder *b, int32_t *numbers)
{
    hl_treebank *t = b->treebank;
    const hl_template *single = &b->spec->tokens->single;
    size_t W = b->n_words, roots = 0;
    int32_t before = 0;
    while (b->spec->wraps && single->at[before].id != HL_TEXT_A) {
        before++;
    }
    for (size_t w = 0; w < W; w++) {
        const hl_joined_word *word = &b->words[w];
        size_t begin = (size_t)word->begin, end = w + 1 < W ? (size_t)word[1].begin : b->pieces.n;
        numbers[w] = word->head;
        numbers[W + w] = word->relation;
        numbers[2 * W + w] = before + (int32_t)begin;
        numbers[2 * W + w + 1] = before + (int32_t)end;
        numbers[3 * W + 1 + w] = word->text;
        roots += word->head < 0;
        t->n_unknown_words += has_unknown(b, begin, end);
    }
    t->n_several_roots += roots > 1;
}

hl_status hl_treebank_add(hl_treebank_builder *b, hl_span id)
{
    hl_treebank *t = b->treebank;
    size_t n = (size_t)t->n_sentences, W = b->n_words;
    place *last = &t->places[n];
    if (W < 2) {
        t->text.size = last->text;
        b->n_words = b->pieces.n = 0;
        return hl_ok();
    }
    size_t around = b->spec->wraps ? (size_t)b->spec->tokens->single.n - 1 : 0, n_pieces = around + b->pieces.n;
    size_t end = last->number + 4 * W + 2 + n_pieces;
    HL_NEED(HL_GROW(t->places, b->places_capacity, n + 2) && HL_GROW(t->numbers, b->numbers_capacity, end),
            b->spec->path);
    last = &t->places[n];
    int32_t *numbers = t->numbers + last->number;
    write_words(b, numbers);
    numbers[4 * W + 1] = add_text(&t->text, last->text, id.text, id.size);
    HL_TRY(b->spec->wraps ? hl_tokens_wrap(b->spec->tokens, b->pieces.n, &b->pieces) : hl_ok());
    for (size_t i = 0; i < n_pieces; i++) {
        numbers[4 * W + 2 + i] = b->pieces.at[i].id;
    }
    last->n_words = W;
    last[1] = (place){ .number = end, .text = t->text.size };
    t->longest = (int64_t)n_pieces > t->longest ? (int64_t)n_pieces : t->longest;
    t->most_words = (int64_t)W > t->most_words ? (int64_t)W : t->most_words;
    t->n_sentences++;
    b->n_words = b->pieces.n = 0;
    return hl_text_status(&t->text);
}

hl_status hl_treebank_end(hl_treebank_builder *b)
{
    /* The further relations, if they exist, are numbered after those of the file. */
    static const char *const names[HL_TREEBANK_EXTRAS] = { "neg", "entity", "long" };
    hl_treebank *t = b->treebank;
    hl_treebank_arcs *arcs = &b->arcs;
    t->n_own = (int64_t)b->relations.n;
    for (int extra = 0; extra < HL_TREEBANK_EXTRAS; extra++) {
        size_t next = b->relations.n, number = 0;
        t->extras[extra] = -1;
        if (arcs->counts[extra] > 0) {
            HL_TRY(hl_text_set_add(&b->relations, names[extra], strlen(names[extra]), 1, &number));
            t->extras[extra] = number == next ? (int64_t)number : -1;
        }
    }
    for (size_t i = 0; i < arcs->n; i++) {
        arcs->list[i].relation = (int32_t)t->extras[arcs->list[i].relation];
    }
    size_t n = b->relations.n;
    HL_NEED(HL_GROW(t->names, b->names_capacity, n), b->spec->path);
    for (size_t r = 0; r < n; r++) {
        size_t first = t->text.size;
        hl_span name = hl_text_set_get(&b->relations, r);
        add_text(&t->text, first, name.text, name.size);
        t->names[r] = first;
    }
    HL_TRY(hl_text_status(&t->text));
    /* A treebank is read once and kept as long as the model runs, so it keeps no more room than needed. */
    HL_NEED(HL_FIT(t->places, b->places_capacity, (size_t)t->n_sentences + 1) &&
                HL_FIT(t->numbers, b->numbers_capacity, t->places[t->n_sentences].number) &&
                HL_FIT(t->names, b->names_capacity, n) && HL_FIT(t->text.bytes, t->text.capacity, t->text.size + 1) &&
                (arcs->n == 0 || HL_FIT(arcs->list, arcs->capacity, arcs->n)),
            b->spec->path);
    t->n_relations = (int64_t)n;
    t->entity_fault = arcs->fault;
    t->arcs = arcs->list;
    arcs->list = NULL;
    return hl_ok();
}

static hl_status add_sentences(hl_treebank_builder *b)
{
    hl_treebank *t = b->treebank;
    const hl_conllu_sentence *sentence;
    HL_TRY(hl_treebank_read_next(b, &sentence));
    while (sentence != NULL) {
        bool has_tree = sentence->n_words > 1, fits = false;
        HL_TRY(has_tree ? hl_treebank_join(b, sentence, &fits) : hl_ok());
        HL_TRY(fits ? hl_treebank_add(b, hl_conllu_comment(sentence, "sent_id")) : hl_ok());
        t->n_short += !has_tree;
        t->n_long += has_tree && !fits;
        HL_TRY(hl_treebank_arcs_add(&b->arcs, b->reader, sentence, fits));
        t->places[t->n_sentences].arc = b->arcs.n;
        if (b->spec->max_sentences > 0 && t->n_sentences == b->spec->max_sentences) {
            break;
        }
        HL_TRY(hl_treebank_read_next(b, &sentence));
    }
    if (t->n_sentences == 0) {
        return hl_error(HL_BAD_FILE,
                        "%s: no sentence can be used: of %" PRId64 ", %" PRId64 " have one word, %" PRId64
                        " are longer than %" PRId64 " pieces",
                        b->spec->path, t->n_short + t->n_long, t->n_short, t->n_long, b->spec->max_pieces);
    }
    return hl_treebank_end(b);
}

hl_status hl_treebank_read(const hl_treebank_spec *spec, hl_treebank **out)
{
    hl_treebank_builder builder;
    hl_status status = hl_treebank_begin(spec, &builder);
    HL_THEN(status, add_sentences(&builder));
    hl_treebank_builder_free(&builder);
    *out = builder.treebank;
    if (status.code != HL_OK) {
        hl_treebank_free(*out);
        *out = NULL;
    }
    return status;
}

size_t hl_treebank_bytes(const hl_treebank *t)
{
    const place *last = &t->places[t->n_sentences];
    return ((size_t)t->n_sentences + 1) * sizeof *last + last->number * sizeof *t->numbers +
           last->arc * sizeof *t->arcs + t->text.size + (size_t)t->n_relations * sizeof *t->names;
}

const char *hl_treebank_relation(const hl_treebank *treebank, int64_t relation)
{
    return treebank->text.bytes + treebank->names[relation];
}

hl_treebank_sentence hl_treebank_at(const hl_treebank *treebank, int64_t sentence)
{
    const place *at = &treebank->places[sentence];
    const int32_t *numbers = treebank->numbers + at->number;
    size_t W = at->n_words;
    return (hl_treebank_sentence){ .n_words = (int64_t)W,
                                   .heads = numbers,
                                   .relations = numbers + W,
                                   .begins = numbers + 2 * W,
                                   .pieces = numbers + 4 * W + 2,
                                   .n_pieces = (int64_t)(at[1].number - at->number - 4 * W - 2),
                                   .arcs = treebank->arcs != NULL ? treebank->arcs + at->arc : NULL,
                                   .n_arcs = (int64_t)(at[1].arc - at->arc) };
}

bool hl_treebank_own_arc(const hl_treebank_sentence *sentence, int64_t i, hl_treebank_arc *arc)
{
    int32_t head = sentence->heads[i];
    *arc = (hl_treebank_arc){ sentence->relations[i], (int32_t)i, head, head + 1 };
    return head >= 0;
}

const char *hl_treebank_word(const hl_treebank *treebank, int64_t sentence, int64_t word)
{
    const place *at = &treebank->places[sentence];
    const int32_t *texts = treebank->numbers + at->number + 3 * at->n_words + 1;
    return treebank->text.bytes + at->text + texts[word];
}

const char *hl_treebank_id(const hl_treebank *treebank, int64_t sentence)
{
    return hl_treebank_word(treebank, sentence, (int64_t)treebank->places[sentence].n_words);
}
