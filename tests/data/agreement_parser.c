#include "tests/data/agreement_parser.h"

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

const char *const parser_relations[PARSER_RELATIONS] = {
    "det_noun", "noun_det", "adj_noun", "noun_adj", "verb_subject", "subject_verb", "pronoun_noun", "noun_pronoun"
};
enum { DET_NOUN = 0, ADJ_NOUN = 2, VERB_SUBJECT = 4, PRONOUN_NOUN = 6 };

typedef struct word {
    const char *singular, *plural;
    const char *verb_singular, *verb_plural;
    const char *adjective, *pronoun;
} word;

static const word lexicon[] = {
    { "king", "kings", "shouts", "shout", "wise", "his" },
    { "monk", "monks", "chants", "chant", "wise", "his" },
    { "queen", "queens", "sings", "sing", "wise", "her" },
    { "witch", "witches", "cackles", "cackle", "wise", "her" },
    { "dog", "dogs", "barks", "bark", "furry", "its" },
    { "cat", "cats", "purrs", "purr", "furry", "its" },
    { "wolf", "wolves", "howls", "howl", "furry", "its" },
    { "lion", "lions", "roars", "roar", "furry", "its" },
    { "rooster", "roosters", "crows", "crow", "feathered", "his" },
    { "hen", "hens", "clucks", "cluck", "feathered", "her" },
    { "owl", "owls", "hoots", "hoot", "feathered", "its" },
    { "duck", "ducks", "quacks", "quack", "feathered", "its" },
    { "robot", "robots", "beeps", "beep", "rusty", "its" },
    { "clock", "clocks", "ticks", "tick", "rusty", "its" },
    { "bell", "bells", "rings", "ring", "rusty", "its" },
    { "engine", "engines", "hums", "hum", "rusty", "its" },
};
enum { LEXICON = sizeof lexicon / sizeof *lexicon };

/* A noun as it stands in the sentence. */
typedef struct phrase {
    const word *word;
    bool plural;
    int at;
} phrase;

static void reject(const parser *p, const char *wanted)
{
    char text[1024] = "";
    size_t used = 0;
    for (int i = 0; i < p->n && used < sizeof text; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, " %s", p->words[i]);
    }
    ck_abort_msg("word %d should be %s:%s", p->at, wanted, text);
}

/* Whether the next word is one of those in `list`, which blanks separate. */
static bool next_is(const parser *p, const char *list)
{
    if (p->at >= p->n) {
        return false;
    }
    char padded[128], wanted[64];
    snprintf(padded, sizeof padded, " %s ", list);
    snprintf(wanted, sizeof wanted, " %s ", p->words[p->at]);
    return strstr(padded, wanted) != NULL;
}

/* The position of the next word, which must be in the list. */
static int expect(parser *p, const char *list)
{
    if (!next_is(p, list)) {
        reject(p, list);
    }
    return p->at++;
}

static int skip(parser *p, const char *list)
{
    int n = 0;
    for (; next_is(p, list); n++) {
        p->at++;
    }
    return n;
}

static const char degree[] = "very truly rather", epithet[] = "old little quiet",
                  adjective[] = "wise furry feathered rusty", manner[] = "loudly often again",
                  place[] = "garden tower dream", preposition[] = "near beside behind";

static void pair(parser *p, int relation, int one, int other)
{
    p->partners[relation][one] = other;
    p->partners[relation + 1][other] = one;
}

static phrase read_noun(parser *p)
{
    for (int i = 0; i < LEXICON; i++) {
        if (next_is(p, lexicon[i].singular) || next_is(p, lexicon[i].plural)) {
            p->nouns[p->n_nouns++] = lexicon[i].singular;
            return (phrase){ &lexicon[i], next_is(p, lexicon[i].plural), p->at++ };
        }
    }
    reject(p, "a noun");
    return (phrase){ 0 };
}

static void expect_word_at(parser *p, int at, const char *wanted)
{
    int back = p->at;
    p->at = at;
    expect(p, wanted);
    p->at = back;
}

static phrase read_noun_phrase(parser *p)
{
    int determiner = expect(p, "this these"), before = -1;
    if (next_is(p, degree) || next_is(p, adjective)) {
        skip(p, degree);
        before = expect(p, adjective);
    }
    skip(p, epithet);
    phrase noun = read_noun(p);
    expect_word_at(p, determiner, noun.plural ? "these" : "this");
    pair(p, DET_NOUN, determiner, noun.at);
    if (before >= 0) {
        expect_word_at(p, before, noun.word->adjective);
        pair(p, ADJ_NOUN, before, noun.at);
    } else if (skip(p, ",") > 0) {
        skip(p, degree);
        pair(p, ADJ_NOUN, expect(p, noun.word->adjective), noun.at);
        expect(p, ",");
    }
    return noun;
}

static void read_neighbour(parser *p)
{
    if (skip(p, preposition) > 0) {
        read_noun_phrase(p);
    }
}

static void read_verb(parser *p, phrase subject)
{
    skip(p, manner);
    int verb = expect(p, subject.plural ? subject.word->verb_plural : subject.word->verb_singular);
    pair(p, VERB_SUBJECT, verb, subject.at);
}

/* in his tower: the pronoun agrees with the first subject of the sentence. */
static void read_place(parser *p)
{
    if (skip(p, "in") > 0) {
        ck_assert_int_eq(p->pronoun, -1);
        p->pronoun = expect(p, "his her its their");
        expect(p, place);
    }
}

static phrase read_clause(parser *p)
{
    read_place(p);
    phrase subject = read_noun_phrase(p);
    read_neighbour(p);
    if (skip(p, "that") > 0) {
        read_verb(p, read_noun_phrase(p));
        expect(p, "at");
    }
    read_verb(p, subject);
    skip(p, manner);
    read_neighbour(p);
    read_place(p);
    return subject;
}

void parser_read(parser *p)
{
    p->at = p->n_nouns = 0;
    p->pronoun = -1;
    memset(p->partners, -1, sizeof p->partners);
    phrase topic = read_clause(p);
    while (skip(p, "while") > 0) {
        read_clause(p);
    }
    skip(p, manner);
    if (p->at != p->n) {
        reject(p, "the end");
    }
    if (p->pronoun >= 0) {
        expect_word_at(p, p->pronoun, topic.plural ? "their" : topic.word->pronoun);
        pair(p, PRONOUN_NOUN, p->pronoun, topic.at);
    }
}
