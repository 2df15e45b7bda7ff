#include "data/private/task_parts.h"

/* Sentences with a phrase that may belong to the subject or to the object:
 *
 *     used the old man saw the kid with the telescope <mask>     ->  man
 *     the man saw the small kid with the telescope held <mask>   ->  kid
 *     the man saw the kid with the old telescope <mask>          ->  man or kid
 *
 * A cue says who has the thing: `used` means the subject, `held` the object. It stands at the beginning or the end of
 * the sentence, or is absent; then either answer is right half of the time. All three occur equally often. Adjectives
 * before the nouns keep distances from telling anything.
 *
 * Relations lead from the question to both nouns: subject and object where there is no cue, cued_subject and
 * cued_object where there is one. */

enum { NOUNS = 8, VERBS = 6, THINGS = 6, ADJECTIVES = 6 };
static const char *const all_words[] = {
    "man",       "woman", "kid",      "dog",    "king",     "queen", "cat", "owl", /* nouns */
    "saw",       "heard", "met",      "called", "followed", "found",               /* verbs */
    "telescope", "hat",   "umbrella", "book",   "lamp",     "flute",               /* things */
    "old",       "small", "young",    "tall",   "tired",    "happy",               /* adjectives */
    "the",       "with",  "used",     "held",
};

/* The first token of each kind of word. */
enum {
    NOUN = HL_SPECIAL_TOKENS,
    VERB = NOUN + NOUNS,
    THING = VERB + VERBS,
    ADJECTIVE = THING + THINGS,
    THE = ADJECTIVE + ADJECTIVES,
    WITH,
    USED,
    HELD,
    END
};
_Static_assert(sizeof all_words / sizeof *all_words == END - HL_SPECIAL_TOKENS, "every word has a token");

/* Each example has the words of the shortest sentence, a cue or an adjective in its place, and more adjectives. */
enum { SHORTEST = 10, NOUN_PHRASES = 3, CUES = 3 };
typedef enum cue { NO_CUE, CUE_BEFORE, CUE_AFTER } cue_place;
enum { SUBJECT, OBJECT, CUED_SUBJECT, CUED_OBJECT };

static hl_status check(const hl_task_spec *spec)
{
    return hl_task_check_lengths(spec, SHORTEST);
}

static int64_t n_words(const hl_task_spec *spec)
{
    (void)spec;
    return END - HL_SPECIAL_TOKENS;
}

static void words(const hl_task_spec *spec, hl_text *text)
{
    (void)spec;
    hl_task_add_words(all_words, END - HL_SPECIAL_TOKENS, text);
}

/* Writes the, so many adjectives, and the noun. Returns the noun's position. */
static int64_t put_phrase(int32_t *tokens, int64_t *at, int32_t noun, int64_t n_adjectives, hl_draw *draw)
{
    tokens[(*at)++] = THE;
    for (int64_t i = 0; i < n_adjectives; i++) {
        tokens[(*at)++] = ADJECTIVE + hl_draw_below(draw, ADJECTIVES);
    }
    tokens[*at] = noun;
    return (*at)++;
}

static void make(const hl_task_spec *spec, int64_t n, hl_draw *draw, hl_example example)
{
    (void)spec;
    cue_place cue = (cue_place)hl_draw_below(draw, CUES);
    bool is_object = hl_draw_below(draw, 2) == 1;
    int32_t subject = hl_draw_below(draw, NOUNS);
    int32_t object = (subject + 1 + hl_draw_below(draw, NOUNS - 1)) % NOUNS;
    int64_t spare[NOUN_PHRASES] = { 0 }, at = 0;
    for (int64_t i = cue == NO_CUE ? SHORTEST - 1 : SHORTEST; i < n; i++) {
        spare[hl_draw_below(draw, NOUN_PHRASES)]++;
    }
    if (cue == CUE_BEFORE) {
        example.tokens[at++] = is_object ? HELD : USED;
    }
    int64_t subject_at = put_phrase(example.tokens, &at, NOUN + subject, spare[0], draw);
    example.tokens[at++] = VERB + hl_draw_below(draw, VERBS);
    int64_t object_at = put_phrase(example.tokens, &at, NOUN + object, spare[1], draw);
    example.tokens[at++] = WITH;
    put_phrase(example.tokens, &at, THING + hl_draw_below(draw, THINGS), spare[2], draw);
    if (cue == CUE_AFTER) {
        example.tokens[at++] = is_object ? HELD : USED;
    }
    example.tokens[at] = HL_MASK;
    example.targets[at] = NOUN + (is_object ? object : subject);
    example.sources[at] = (int32_t)(is_object ? object_at : subject_at);
    if (cue == NO_CUE) {
        example.relations[SUBJECT][at] = (int32_t)subject_at;
        example.relations[OBJECT][at] = (int32_t)object_at;
    } else {
        example.relations[is_object ? CUED_OBJECT : CUED_SUBJECT][at] = example.sources[at];
    }
}

const hl_task hl_task_attachment = {
    .name = "attachment",
    .summary = "who has the thing in an ambiguous sentence, the subject or the object: a cue tells, or nothing does",
    .keys = { "length", "min_length" },
    .relations = { "subject", "object", "cued_subject", "cued_object" },
    .n_words = n_words,
    .words = words,
    .check = check,
    .make = make,
};
