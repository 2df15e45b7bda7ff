#include "data/text/word_forms.h"

#include "core/base/memory.h"
#include "core/base/private/utf8.h"
#include "data/text/private/hash.h"
#include "data/text/private/text_data_parts.h"
#include "data/text/private/text_set.h"
#include "data/text/unicode/private/unicode.h"

void hl_word_forms_number(const unsigned char *kinds, const hl_text_example *example, int32_t *words)
{
    int64_t next = 0;
    int32_t word = -1;
    for (int32_t row = 0; row < example->n_tokens; row++) {
        bool is_first = next < example->n_words && example->words[next] == row;
        unsigned kind = kinds[example->tokens[row]];
        bool special = (kind & HL_TOKEN_SPECIAL) != 0 && (kind & HL_TOKEN_MASK) == 0;
        next += is_first;
        word += is_first && !special;
        words[row] = special ? HL_IGNORE : word;
    }
}

/* ---- the text and the form of a word ---- */

/* Memory for making them. */
typedef struct word_maker {
    hl_text whole, form;
    const char *text; /* within `whole`: without white space around it */
    size_t size;
    bool has_letter; /* or a digit */
} word_maker;

static void free_maker(word_maker *word)
{
    hl_text_free(&word->whole);
    hl_text_free(&word->form);
}

static hl_status make_word(word_maker *word, const hl_tokens *tokens, const int32_t *ids, size_t n)
{
    word->whole.size = word->form.size = 0;
    word->text = "";
    word->size = 0;
    word->has_letter = false;
    HL_TRY(hl_tokens_decode(tokens, ids, n, true, &word->whole));
    const char *all = word->whole.bytes;
    size_t begin = 0, end = 0;
    for (size_t at = 0, step; at < word->whole.size; at += step) {
        uint32_t code;
        size_t size = hl_utf8_decode(all + at, word->whole.size - at, &code);
        hl_kind kind = size > 0 ? hl_byte_level_kind(code) : HL_KIND_OTHER;
        step = size > 0 ? size : 1; /* bytes that are not UTF-8 are read one by one */
        if (kind != HL_KIND_WHITE) {
            begin = end == 0 ? at : begin;
            end = at + step;
            word->has_letter = word->has_letter || kind == HL_KIND_LETTER || kind == HL_KIND_NUMBER;
        }
    }
    if (end > begin) {
        word->text = all + begin;
        word->size = end - begin;
        hl_add_lower_case(&word->form, word->text, word->size);
    }
    return hl_text_status(&word->form);
}

/* ---- forms ---- */

static bool is_hidden(const hl_examples *examples, const int32_t *ids, int64_t n)
{
    unsigned kinds = 0;
    for (int64_t i = 0; i < n; i++) {
        kinds |= examples->kinds[ids[i]];
    }
    return (kinds & (HL_TOKEN_MASK | HL_TOKEN_UNKNOWN)) != 0;
}

/* The id of the word's form; a new id if the form is new. */
static hl_status form_of(hl_word_forms *forms, const word_maker *word, bool hidden, int32_t *form)
{
    size_t number = 0;
    if (!hidden && word->form.size > 0) {
        HL_TRY(hl_text_set_add(forms->set, word->form.bytes, word->form.size, 0, &number));
    }
    *form = (int32_t)number;
    if ((int64_t)number == forms->n_forms) { /* at most one per token, so there is room */
        forms->form_kinds[forms->n_forms++] = word->has_letter ? 0 : HL_TOKEN_PUNCTUATION;
    }
    return hl_ok();
}

static hl_status find_forms(hl_word_forms *forms, const hl_examples *examples, const hl_tokens *tokens,
                            word_maker *word)
{
    static const char hidden_form[] = "\xff"; /* a text that is not UTF-8 */
    HL_TRY(hl_text_set_add(forms->set, hidden_form, 1, 0, NULL));
    forms->form_kinds[forms->n_forms++] = HL_TOKEN_UNKNOWN;
    for (int64_t e = 0; e < forms->n_examples; e++) {
        forms->rarest[e] = -1;
        for (int64_t i = 0, n; i < forms->n_tokens; i += n) {
            int64_t at = e * forms->n_tokens + i;
            const int32_t *words = examples->words + at, *ids = examples->tokens + at;
            int32_t form = -1;
            n = 1;
            if (i < examples->lengths[e] && *words >= 0) {
                while (i + n < examples->lengths[e] && words[n] == *words) {
                    n++;
                }
                HL_TRY(make_word(word, tokens, ids, (size_t)n));
                HL_TRY(form_of(forms, word, is_hidden(examples, ids, n), &form));
                forms->places[at] = forms->texts.size;
                hl_text_add(&forms->texts, word->text, word->size);
                hl_text_add(&forms->texts, "", 1);
            }
            for (int64_t j = at; j < at + n; j++) {
                forms->forms[j] = form;
                forms->places[j] = forms->places[at];
            }
        }
    }
    return hl_text_status(&forms->texts);
}

hl_status hl_word_forms_make(const hl_examples *examples, const hl_tokens *tokens, hl_word_forms *forms)
{
    size_t n = (size_t)(examples->n_examples * examples->n_tokens);
    *forms = (hl_word_forms){ 0 };
    if (examples->words == NULL) {
        return hl_ok();
    }
    *forms = (hl_word_forms){ .n_examples = examples->n_examples, .n_tokens = examples->n_tokens };
    forms->forms = hl_calloc(n, sizeof *forms->forms);
    forms->form_kinds = hl_calloc(n + 1, sizeof *forms->form_kinds);
    forms->rarest = hl_calloc((size_t)examples->n_examples, sizeof *forms->rarest);
    forms->places = hl_calloc(n, sizeof *forms->places);
    forms->set = hl_calloc(1, sizeof *forms->set);
    bool complete = forms->forms != NULL && forms->form_kinds != NULL && forms->rarest != NULL &&
                    forms->places != NULL && forms->set != NULL;
    word_maker word = { 0 };
    hl_text_add(&forms->texts, "", 1); /* for tokens that belong to no word */
    hl_status status = complete ? hl_ok() : hl_error_memory("the words of examples");
    HL_THEN(status, find_forms(forms, examples, tokens, &word));
    free_maker(&word);
    if (status.code != HL_OK) {
        hl_word_forms_free(forms);
    }
    return status;
}

void hl_word_forms_free(hl_word_forms *forms)
{
    hl_free(forms->forms);
    hl_free(forms->form_kinds);
    hl_free(forms->rarest);
    hl_free(forms->places);
    hl_text_free(&forms->texts);
    if (forms->set != NULL) {
        hl_text_set_free(forms->set);
        hl_free(forms->set);
    }
    *forms = (hl_word_forms){ 0 };
}

void hl_word_forms_tell(const hl_word_forms *forms, hl_examples *examples)
{
    examples->forms = forms->forms;
    examples->form_kinds = forms->form_kinds;
    examples->rarest = forms->rarest;
}

const char *hl_word_forms_text(const hl_word_forms *forms, int64_t example, int64_t position)
{
    return forms->texts.bytes + forms->places[example * forms->n_tokens + position];
}

/* ---- counts ---- */

/* Most words of a file occur again and again. These are the results for recent words, by their tokens. */
enum { KNOWN_WORDS = 1 << 15, KNOWN_TOKENS = 14 };
typedef struct known_word {
    int32_t n, ids[KNOWN_TOKENS]; /* n = 0: no word is known */
    int32_t form;                 /* -1: it is not a word of the examples */
} known_word;

typedef struct counting {
    hl_word_forms *forms;
    const hl_text_data *data;
    word_maker word;
    known_word *known; /* (KNOWN_WORDS) */
} counting;

/* The form of a word in the file; -1 if no example has it, or if it is a special token. */
static hl_status find_form(counting *c, const int32_t *ids, int64_t n, int32_t *form)
{
    const word_maker *word = &c->word;
    *form = -1;
    for (int64_t i = 0; i < n; i++) {
        if ((c->data->pieces[ids[i]] & HL_PIECE_SPECIAL) != 0) {
            return hl_ok();
        }
    }
    HL_TRY(make_word(&c->word, c->data->tokens, ids, (size_t)n));
    if (word->form.size > 0) {
        *form = (int32_t)hl_text_set_find(c->forms->set, word->form.bytes, word->form.size);
    }
    return hl_ok();
}

static hl_status count_word(counting *c, const int32_t *ids, int64_t n)
{
    size_t size = (size_t)n * sizeof *ids;
    known_word *known = &c->known[hl_hash(HL_HASH, ids, size) % KNOWN_WORDS];
    int32_t form = known->form;
    if (known->n != n || memcmp(known->ids, ids, size) != 0) {
        HL_TRY(find_form(c, ids, n, &form));
        if (n <= KNOWN_TOKENS) {
            known->n = (int32_t)n;
            known->form = form;
            memcpy(known->ids, ids, size);
        }
    }
    if (form >= 0) {
        c->forms->set->at[form].count++;
    }
    return hl_ok();
}

static hl_status count_words(void *context, const hl_text_example *example)
{
    for (int64_t w = 0; w < example->n_words; w++) {
        int64_t begin = example->words[w], end = w + 1 < example->n_words ? example->words[w + 1] : example->n_tokens;
        HL_TRY(count_word(context, example->tokens + begin, end - begin));
    }
    return hl_ok();
}

static void find_rarest(hl_word_forms *forms)
{
    for (int64_t e = 0; e < forms->n_examples; e++) {
        int64_t least = INT64_MAX;
        int32_t word = -1;
        size_t place = 0;
        for (int64_t i = e * forms->n_tokens; i < (e + 1) * forms->n_tokens; i++) {
            if (forms->forms[i] >= 0 && forms->places[i] != place) { /* a word begins */
                place = forms->places[i];
                word++;
                int64_t count = forms->set->at[forms->forms[i]].count;
                if (forms->forms[i] > 0 && count < least) {
                    least = count;
                    forms->rarest[e] = word;
                }
            }
        }
    }
}

hl_status hl_word_forms_count(hl_word_forms *forms, const hl_text_data *data)
{
    if (forms->set == NULL) {
        return hl_ok();
    }
    counting c = { .forms = forms, .data = data, .known = hl_calloc(KNOWN_WORDS, sizeof *c.known) };
    hl_status status = c.known != NULL ? hl_ok() : hl_error_memory("the words of a text");
    hl_split split = data->of == NULL ? HL_TRAIN : HL_VALIDATION; /* a file in the tokens of others has no training */
    HL_THEN(status, hl_text_data_visit(data, split, HL_WORD_FORMS_COUNTED, count_words, &c));
    if (status.code == HL_OK) {
        find_rarest(forms);
    }
    hl_free(c.known);
    free_maker(&c.word);
    return status;
}
