#include "data/private/agreement_words.h"

#include <assert.h>
#include <stdio.h>

enum { PEOPLE, ANIMALS, BIRDS, MACHINES };
enum { HE, SHE, IT, THEY };

static const struct {
    const char *noun[2], *verb[2]; /* singular, plural */
    int kind, person;
} nouns[HL_AGREEMENT_NOUNS] = {
    { { "king", "kings" }, { "shouts", "shout" }, PEOPLE, HE },
    { { "monk", "monks" }, { "chants", "chant" }, PEOPLE, HE },
    { { "queen", "queens" }, { "sings", "sing" }, PEOPLE, SHE },
    { { "witch", "witches" }, { "cackles", "cackle" }, PEOPLE, SHE },
    { { "dog", "dogs" }, { "barks", "bark" }, ANIMALS, IT },
    { { "cat", "cats" }, { "purrs", "purr" }, ANIMALS, IT },
    { { "wolf", "wolves" }, { "howls", "howl" }, ANIMALS, IT },
    { { "lion", "lions" }, { "roars", "roar" }, ANIMALS, IT },
    { { "rooster", "roosters" }, { "crows", "crow" }, BIRDS, HE },
    { { "hen", "hens" }, { "clucks", "cluck" }, BIRDS, SHE },
    { { "owl", "owls" }, { "hoots", "hoot" }, BIRDS, IT },
    { { "duck", "ducks" }, { "quacks", "quack" }, BIRDS, IT },
    { { "robot", "robots" }, { "beeps", "beep" }, MACHINES, IT },
    { { "clock", "clocks" }, { "ticks", "tick" }, MACHINES, IT },
    { { "bell", "bells" }, { "rings", "ring" }, MACHINES, IT },
    { { "engine", "engines" }, { "hums", "hum" }, MACHINES, IT },
};

static const char *const others[] = {
    "this",  "these",                       /* by number */
    "wise",  "furry", "feathered", "rusty", /* by kind */
    "his",   "her",   "its",       "their", /* by person */
    "very",  "truly", "rather",    "old",   "little", "quiet", "near", "beside", "behind", "loudly",
    "often", "again", "garden",    "tower", "dream",  "in",    "that", "at",     ",",      "while",
};
_Static_assert(sizeof others / sizeof *others == HL_WORD_NOUN - HL_SPECIAL_TOKENS, "every word has its place");

int32_t hl_agreement_determiner(int form)
{
    return HL_WORD_DETERMINER + form % 2;
}

int32_t hl_agreement_adjective(int form)
{
    return HL_WORD_ADJECTIVE + nouns[form / 2].kind;
}

int32_t hl_agreement_possessive(int form)
{
    return HL_WORD_POSSESSIVE + (form % 2 == 1 ? THEY : nouns[form / 2].person);
}

/* Adds a line to the text, which already has *used bytes. */
static void add_line(char *text, size_t size, size_t *used, const char *word)
{
    *used += (size_t)snprintf(text + *used, size - *used, "%s\n", word);
    assert(*used < size);
}

hl_status hl_agreement_vocabulary(hl_vocabulary **out)
{
    char text[2048];
    size_t used = 0;
    add_line(text, sizeof text, &used, "<pad>\n<sep>\n<mask>");
    for (int i = 0; i < HL_WORD_NOUN - HL_SPECIAL_TOKENS; i++) {
        add_line(text, sizeof text, &used, others[i]);
    }
    for (int form = 0; form < 2 * HL_AGREEMENT_NOUNS; form++) {
        add_line(text, sizeof text, &used, nouns[form / 2].noun[form % 2]);
    }
    for (int form = 0; form < 2 * HL_AGREEMENT_NOUNS; form++) {
        add_line(text, sizeof text, &used, nouns[form / 2].verb[form % 2]);
    }
    return hl_vocabulary_parse("vocabulary", text, used, out);
}
