#include "heads/label.h"
#include "tests/check_suite.h"
#include "tests/scratch.h"

TEST(texts)
{
    static const char *const relations[] = { "noun_det", "det_noun" };
    static const struct {
        hl_label label;
        const char *text, *without_names;
    } known[] = {
        { { .kind = HL_LABEL_PREVIOUS, .parameter = -1 }, "previous", "previous" },
        { { .kind = HL_LABEL_NEXT, .parameter = 1 }, "next", "next" },
        { { .kind = HL_LABEL_SELF }, "self", "self" },
        { { .kind = HL_LABEL_OFFSET, .parameter = -11 }, "offset(-11)", "offset(-11)" },
        { { .kind = HL_LABEL_OFFSET, .parameter = 2 }, "offset(2)", "offset(2)" },
        { { .kind = HL_LABEL_ALIGNMENT }, "alignment", "alignment" },
        { { .kind = HL_LABEL_RELATION, .parameter = 1 }, "relation(det_noun)", "relation(1)" },
        { { .kind = HL_LABEL_INDUCTION }, "induction", "induction" },
        { { .kind = HL_LABEL_DUPLICATE }, "duplicate", "duplicate" },
        { { .kind = HL_LABEL_FIRST }, "first", "first" },
        { { .kind = HL_LABEL_SPECIAL }, "special", "special" },
        { { .kind = HL_LABEL_PREVIOUS_WORD }, "previous_word", "previous_word" },
        { { .kind = HL_LABEL_SAME_WORD }, "same_word", "same_word" },
        { { .kind = HL_LABEL_UNIFORM }, "uniform", "uniform" },
        { { .kind = HL_LABEL_MIXED }, "mixed", "mixed" },
    };
    for (int i = 0; i < ROWS(known); i++) {
        ck_assert_str_eq(hl_label_text_of(known[i].label, relations).text, known[i].text);
        ck_assert_str_eq(hl_label_text_of(known[i].label, NULL).text, known[i].without_names);
    }
}

TEST(titles)
{
    static const char *const relations[] = { "noun_det", "det_noun" };
    const hl_score score = { 0.876, 0.1, 10 };
    const struct {
        hl_label label;
        const char *text;
    } known[] = {
        { { .kind = HL_LABEL_OFFSET, .parameter = -11, .score = score }, "offset(-11) 0.88" },
        { { .kind = HL_LABEL_RELATION, .parameter = 1, .score = score }, "det_noun 0.88" },
        { { .kind = HL_LABEL_SPECIAL, .score = score }, "special 0.88" },
        { { .kind = HL_LABEL_UNIFORM, .score = score }, "uniform" },
        { { .kind = HL_LABEL_MIXED, .score = score }, "mixed" },
    };
    for (int i = 0; i < ROWS(known); i++) {
        ck_assert_str_eq(hl_label_title_of(known[i].label, relations).text, known[i].text);
    }
    ck_assert_str_eq(hl_label_title_of(known[1].label, NULL).text, "relation(1) 0.88");
}

TEST(why_a_head_is_mixed)
{
    static const char *const relations[] = { "noun_det", "det_noun" };
    hl_label label = { .kind = HL_LABEL_MIXED, .nearest = { HL_LABEL_RELATION, 1, { 0.4, 0.25, 10 }, NULL } };
    hl_text *text = scratch_text();
    hl_label_print_miss(text, label, relations);
    ck_assert_str_eq(text->bytes, "nearest is relation(det_noun): 0.400, and that label takes 0.625");
    size_t size = text->size;
    label.kind = HL_LABEL_UNIFORM;
    hl_label_print_miss(text, label, relations);
    ck_assert_uint_eq(text->size, size);
}

TEST(an_unknown_kind_and_a_long_name_are_shown)
{
    static const char *const relations[] = { "from_a_noun_phrase_at_the_determiner_which_belongs_to_its_inner_noun" };
    const hl_label label = { .kind = HL_LABEL_RELATION };
    ck_assert_str_eq(hl_label_text_of((hl_label){ .kind = (hl_label_kind)-1 }, NULL).text, "unknown(-1)");
    ck_assert_str_eq(hl_label_text_of(label, relations).text,
                     "relation(from_a_noun_phrase_at_the_determiner_which_belongs_...");
}

TEST(meanings)
{
    static const char *const relations[] = { "adj_noun", "noun_det", "partner" };
    const struct {
        hl_label label;
        const char *meaning;
    } known[] = {
        { { .kind = HL_LABEL_PREVIOUS, .parameter = -1 }, "looks at the previous token" },
        { { .kind = HL_LABEL_OFFSET, .parameter = -11 }, "looks 11 tokens back" },
        { { .kind = HL_LABEL_OFFSET, .parameter = 2 }, "looks 2 tokens ahead" },
        { { .kind = HL_LABEL_OFFSET, .parameter = 1 }, "looks at the next token" },
        { { .kind = HL_LABEL_RELATION, .parameter = 0 }, "finds the noun that belongs to an adjective" },
        { { .kind = HL_LABEL_RELATION, .parameter = 1 }, "finds the determiner that belongs to a noun" },
        { { .kind = HL_LABEL_RELATION, .parameter = 2 }, "finds the partner in pairs partner" },
        { { .kind = HL_LABEL_MIXED }, "does no one thing clearly" },
        { { .kind = (hl_label_kind)99 }, "unknown" },
    };
    for (int i = 0; i < ROWS(known); i++) {
        ck_assert_str_eq(hl_label_meaning_of(known[i].label, relations).text, known[i].meaning);
    }
}

SUITE("label's text")
