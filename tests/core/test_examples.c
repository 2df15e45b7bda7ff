#include "core/examples.h"

#include "tests/check_suite.h"

static int32_t tokens[12] = { 3, 4, 5, 0, 6, 0, 0, 0, 7, 8, 9, 3 };
static int32_t targets[12] = { -1, 0, 4, -1, 3, -1, -1, -1, -1, -1, -1, -1 };
static int32_t sources[12] = { -1, 0, 1, -1, 0, -1, -1, -1, -1, -1, -1, -1 };
static int32_t lengths[3] = { 3, 1, 4 };
static int32_t relations[3 * 2 * 4];
static const hl_examples whole = { .n_examples = 3,
                                   .n_tokens = 4,
                                   .tokens = tokens,
                                   .targets = targets,
                                   .sources = sources,
                                   .lengths = lengths,
                                   .n_relations = 2,
                                   .relations = relations };

TEST(scored_targets_and_real_tokens_are_counted)
{
    ck_assert_int_eq(hl_examples_scored(&whole), 3); /* the target 0 counts too */
    ck_assert_int_eq(hl_examples_real_tokens(&whole), 8);
}

TEST(a_part_has_no_array_that_the_whole_has_not)
{
    hl_examples without = { .n_examples = 3, .n_tokens = 4, .tokens = tokens, .lengths = lengths };
    hl_examples part = hl_examples_slice(&without, 1, 2);
    ck_assert_int_eq(part.n_relations, 0);
    ck_assert_ptr_null(part.relations);
    ck_assert_ptr_null(part.targets);
    ck_assert_ptr_null(part.sources);
}

TEST(a_part_of_text_keeps_its_words)
{
    static const unsigned char kinds[4] = { 0 };
    hl_examples text = whole;
    text.words = sources;
    text.forms = targets;
    text.form_kinds = kinds;
    text.rarest = lengths;
    hl_examples part = hl_examples_slice(&text, 2, 1);
    ck_assert_ptr_eq(part.words, sources + 8);
    ck_assert_ptr_eq(part.forms, targets + 8);
    ck_assert_ptr_eq(part.form_kinds, kinds);
    ck_assert_ptr_eq(part.rarest, lengths + 2);
}

TEST(a_part_shares_the_arrays_of_the_whole)
{
    hl_examples part = hl_examples_slice(&whole, 1, 2);
    ck_assert_int_eq(part.n_examples, 2);
    ck_assert_int_eq(part.n_tokens, 4);
    ck_assert_ptr_eq(part.tokens, tokens + 4);
    ck_assert_ptr_eq(part.targets, targets + 4);
    ck_assert_ptr_eq(part.sources, sources + 4);
    ck_assert_ptr_eq(part.lengths, lengths + 1);
    ck_assert_int_eq(part.n_relations, 2);
    ck_assert_ptr_eq(part.relations, relations + 8);
    ck_assert_int_eq(hl_examples_scored(&part), 1);
    ck_assert_int_eq(hl_examples_real_tokens(&part), 5);
    part = hl_examples_slice(&whole, 2, 1);
    ck_assert_int_eq(hl_examples_scored(&part), 0);
    ck_assert_int_eq(hl_examples_real_tokens(&part), 4);
}

SUITE("examples")
