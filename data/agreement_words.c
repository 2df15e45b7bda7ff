#include "data/private/agreement_words.h"

#include "data/private/task_parts.h"

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

void hl_agreement_add_words(hl_text *text)
{
    hl_task_add_words(others, HL_WORD_NOUN - HL_SPECIAL_TOKENS, text);
    for (int i = 0; i < HL_AGREEMENT_NOUNS; i++) {
        hl_task_add_words(nouns[i].noun, 2, text);
    }
    for (int i = 0; i < HL_AGREEMENT_NOUNS; i++) {
        hl_task_add_words(nouns[i].verb, 2, text);
    }
}
