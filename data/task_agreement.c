#include "data/private/agreement_words.h"
#include "data/private/task_parts.h"

#include <stdbool.h>
#include <stddef.h>

/* A small language in which words agree:
 *
 *     these old queens , very wise , near this owl loudly sing while this rusty robot beeps in their tower
 *
 * A determiner agrees with its noun in number, and an adjective in kind (wise people, furry animals, feathered birds,
 * rusty machines). A verb determines its subject and the subject's number. A possessive pronoun determines the person
 * and number of the sentence's first subject. Each of these words follows from its noun alone, and a noun follows from
 * its verb. So either may be masked, to be predicted from the other. All other words (`very`, `old`, `loudly`, `near`,
 * ...) agree with nothing. They, and other nouns, come between partners, so that no fixed offset leads from one to the
 * other. */

enum { CLAUSE_NOUNS = 4 }; /* at most: the subject, one in a relative clause, one each beside subject and verb */

/* Each constant is followed by the same relation in the other direction: DETERMINER_NOUN + 1 leads from noun to
 * determiner. */
enum { DETERMINER_NOUN = 0, ADJECTIVE_NOUN = 2, VERB_SUBJECT = 4, PRONOUN_NOUN = 6 };

enum { SMALLEST = 3 /* this dog barks */, PLACE_WORDS = 3 /* in its tower */, LONG = 12 };

static hl_status check(const hl_task_spec *spec)
{
    return hl_task_check_lengths(spec, SMALLEST);
}

static int64_t n_words(const hl_task_spec *spec)
{
    (void)spec;
    return HL_WORD_END - HL_SPECIAL_TOKENS;
}

static void words(const hl_task_spec *spec, hl_text *text)
{
    (void)spec;
    hl_agreement_add_words(text);
}

/* A sentence that is being written from left to right; nouns by their forms (agreement_words.h). */
typedef struct sentence {
    hl_draw *draw;
    hl_example to;
    int64_t written;
    int64_t spare;                /* number of tokens left for optional words */
    unsigned used;                /* the nouns in the sentence, one bit each */
    int topic;                    /* the form of its first subject */
    int64_t topic_at, pronoun_at; /* HL_IGNORE if there is none yet */
} sentence;

static bool chance(sentence *s, int percent)
{
    return hl_draw_below(s->draw, 100) < percent;
}

/* Decides at random whether to write something optional that needs `tokens` tokens, if so many are spare. If it does,
 * subtracts them. */
static bool afford(sentence *s, int64_t tokens, int percent)
{
    bool granted = s->spare >= tokens && chance(s, percent);
    s->spare -= granted ? tokens : 0;
    return granted;
}

/* Writes a token and returns its position. */
static int64_t put(sentence *s, int32_t token)
{
    s->to.tokens[s->written] = token;
    return s->written++;
}

/* Writes one of the words `first` ... that agree with nothing, never the same word twice in a row. */
static void put_any(sentence *s, int32_t first)
{
    int choice = hl_draw_below(s->draw, HL_AGREEMENT_CHOICES);
    bool repeats = s->written > 0 && s->to.tokens[s->written - 1] == first + choice;
    put(s, first + (repeats ? (choice + 1) % HL_AGREEMENT_CHOICES : choice));
}

/* Writes no, one or two such words. */
static void put_some(sentence *s, int32_t first, int percent)
{
    for (int i = 0; i < 2 && afford(s, 1, percent); i++) {
        put_any(s, first);
    }
}

static void pair(sentence *s, int relation, int64_t word, int64_t partner)
{
    s->to.relations[relation][word] = (int32_t)partner;
    s->to.relations[relation + 1][partner] = (int32_t)word;
}

/* A form of a noun that is not in the sentence yet, so that every word has one possible partner. */
static int draw_form(sentence *s, bool plural)
{
    int noun = hl_draw_below(s->draw, HL_AGREEMENT_NOUNS);
    while ((s->used >> noun & 1) != 0) {
        noun = (noun + 1) % HL_AGREEMENT_NOUNS;
    }
    s->used |= 1u << noun;
    return 2 * noun + plural;
}

/* A form for a noun near another one. Two times in three it has the other number. */
static int draw_other_form(sentence *s, int form)
{
    bool plural = form % 2;
    return draw_form(s, hl_draw_below(s->draw, 3) > 0 ? !plural : plural);
}

/* this (very) wise (old) queen | this (old) queen (, very wise ,); returns the noun's position. */
static int64_t put_noun(sentence *s, int form)
{
    int64_t determiner = put(s, hl_agreement_determiner(form)), adjective_at = HL_IGNORE;
    if (afford(s, 1, 20)) {
        put_some(s, HL_WORD_DEGREE, 50);
        adjective_at = put(s, hl_agreement_adjective(form));
    }
    put_some(s, HL_WORD_EPITHET, 65);
    int64_t noun = put(s, HL_WORD_NOUN + form);
    if (adjective_at == HL_IGNORE && afford(s, 3, 60)) {
        put(s, HL_WORD_COMMA);
        put_some(s, HL_WORD_DEGREE, 60);
        adjective_at = put(s, hl_agreement_adjective(form));
        put(s, HL_WORD_COMMA);
    }
    pair(s, DETERMINER_NOUN, determiner, noun);
    if (adjective_at != HL_IGNORE) {
        pair(s, ADJECTIVE_NOUN, adjective_at, noun);
    }
    return noun;
}

/* near these lions */
static void put_neighbour(sentence *s, int form)
{
    put_any(s, HL_WORD_PREPOSITION);
    put_noun(s, draw_other_form(s, form));
}

/* that these lions roar at */
static void put_relative_clause(sentence *s, int form)
{
    int other = draw_other_form(s, form);
    put(s, HL_WORD_THAT);
    int64_t subject = put_noun(s, other);
    put_some(s, HL_WORD_MANNER, 45);
    pair(s, VERB_SUBJECT, put(s, HL_WORD_VERB + other), subject);
    put(s, HL_WORD_AT);
}

/* Writes words that may come between a subject and its verb. */
static void put_modifiers(sentence *s, int form)
{
    if (afford(s, 3, 65)) {
        put_neighbour(s, form);
    }
    if (afford(s, 5, 40)) {
        put_relative_clause(s, form);
    }
}

/* in her tower */
static void put_place(sentence *s)
{
    put(s, HL_WORD_IN);
    s->pronoun_at = put(s, hl_agreement_possessive(s->topic));
    put_any(s, HL_WORD_PLACE);
}

static void put_clause(sentence *s)
{
    if (__builtin_popcount(s->used) > HL_AGREEMENT_NOUNS - CLAUSE_NOUNS) {
        s->used = 0; /* a long sentence reuses nouns */
    }
    int form = draw_form(s, chance(s, 50));
    bool is_first = s->topic_at == HL_IGNORE;
    s->topic = is_first ? form : s->topic;
    bool place = s->pronoun_at == HL_IGNORE && afford(s, PLACE_WORDS, is_first ? 30 : 90);
    bool front = place && chance(s, 40);
    if (front) {
        put_place(s);
    }
    int64_t subject = put_noun(s, form);
    s->topic_at = is_first ? subject : s->topic_at;
    put_modifiers(s, form);
    put_some(s, HL_WORD_MANNER, 45);
    pair(s, VERB_SUBJECT, put(s, HL_WORD_VERB + form), subject);
    put_some(s, HL_WORD_MANNER, 40);
    if (afford(s, 3, 30)) {
        put_neighbour(s, form);
    }
    if (place && !front) {
        put_place(s);
    }
}

static void put_sentence(sentence *s, int64_t n)
{
    int64_t kept = 0; /* for a second clause, whose pronoun means the first clause's subject */
    if (n >= LONG && chance(s, 75)) {
        kept = 1 + SMALLEST + PLACE_WORDS + hl_draw_below(s->draw, n / 2 - 5);
    }
    s->spare = n - SMALLEST - kept;
    put_clause(s);
    s->spare += kept;
    while (s->spare >= 1 + SMALLEST) {
        s->spare -= 1 + SMALLEST;
        put(s, HL_WORD_WHILE);
        put_clause(s);
    }
    for (; s->spare > 0; s->spare--) {
        put_any(s, HL_WORD_MANNER);
    }
    if (s->pronoun_at != HL_IGNORE) {
        pair(s, PRONOUN_NOUN, s->pronoun_at, s->topic_at);
    }
}

/* Masks about `percent` percent of the words with a partner in the relation that is not masked. Returns how many. */
static int64_t mask_some(sentence *s, int relation, int percent)
{
    int64_t masked = 0;
    for (int64_t i = 0; i < s->written; i++) {
        int64_t partner = s->to.relations[relation][i];
        if (partner != HL_IGNORE && s->to.tokens[partner] != HL_MASK && chance(s, percent)) {
            s->to.targets[i] = s->to.tokens[i];
            s->to.sources[i] = (int32_t)partner;
            s->to.tokens[i] = HL_MASK;
            masked++;
        }
    }
    return masked;
}

/* Masks some subjects, which follow from their verbs, and then about half of the words that agree with nouns, so that
 * all relations occur about equally often. */
static int64_t mask_words(sentence *s)
{
    static const struct {
        int relation, percent;
    } shares[] = { { VERB_SUBJECT + 1, 15 },
                   { DETERMINER_NOUN, 50 },
                   { ADJECTIVE_NOUN, 60 },
                   { VERB_SUBJECT, 60 },
                   { PRONOUN_NOUN, 75 } };
    int64_t masked = 0;
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        masked += mask_some(s, shares[i].relation, shares[i].percent);
    }
    return masked;
}

static void make(const hl_task_spec *spec, int64_t n, hl_draw *draw, hl_example example)
{
    (void)spec;
    sentence s = { .draw = draw, .to = example, .topic_at = HL_IGNORE, .pronoun_at = HL_IGNORE };
    put_sentence(&s, n);
    while (mask_words(&s) == 0) { /* until at least one word is masked */
    }
}

const hl_task hl_task_agreement = {
    .name = "agreement",
    .summary = "sentences of a small language: fill in masked words that agree with a partner elsewhere",
    .keys = { "length", "min_length" },
    .relations = { "det_noun", "noun_det", "adj_noun", "noun_adj", "verb_subject", "subject_verb", "pronoun_noun",
                   "noun_pronoun" },
    .n_words = n_words,
    .words = words,
    .has_gaps = true,
    .check = check,
    .make = make,
};
