/* Sets of heads as people write them. */
#include "heads/head_set.h"

#include "tests/check_suite.h"
#include "tests/scratch.h"

#include <string.h>

enum { N = 6 };

static const hl_model_config config = { .n_layers = 2, .heads = { 4, 2 } };

/* The set as a string of one 0 or 1 a head. */
static const char *parsed(const char *names)
{
    static char digits[N + 1];
    bool set[N];
    CHECK_OK(hl_head_set_parse(&config, names, set));
    for (int i = 0; i < N; i++) {
        digits[i] = set[i] ? '1' : '0';
    }
    return digits;
}

TEST(names_and_stars_make_a_set)
{
    ck_assert_int_eq(hl_heads_count(&config), N);
    ck_assert_str_eq(parsed("L0H2"), "001000");
    ck_assert_str_eq(parsed("L1H*"), "000011");
    ck_assert_str_eq(parsed("L0H0,L1H1"), "100001");
    ck_assert_str_eq(parsed(" L0H3 , l0h3,L0H*"), "111100");
    ck_assert_str_eq(parsed("L1H0,L0H01"), "010010");
}

TEST(what_is_no_head_is_named_with_those_that_are)
{
    static const struct {
        const char *names, *item, *remedy;
    } wrong[] = {
        { "", "\"\"", "L0H0 .. L1H1" },
        { "L0H0,", "\"\"", "L0H*" },
        { "L0H0,,L0H1", "\"\"", "L0H*" },
        { "L0H0,x", "\"x\"", "L0H0 .. L1H1" },
        { "L0", "\"L0\"", "L0H0 .. L1H1" },
        { "L0H", "\"L0H\"", "L0H0 .. L1H1" },
        { "H0", "\"H0\"", "L0H0 .. L1H1" },
        { "LH0", "\"LH0\"", "L0H0 .. L1H1" },
        { "L0H-1", "\"L0H-1\"", "L0H0 .. L1H1" },
        { "L0H1x", "\"L0H1x\"", "L0H0 .. L1H1" },
        { "L0H**", "\"L0H**\"", "L0H0 .. L1H1" },
        { "L*H0", "\"L*H0\"", "L0H0 .. L1H1" },
        { "L0H1 L0H2", "\"L0H1 L0H2\"", "L0H0 .. L1H1" },
        { "L0H4", "\"L0H4\"", "L0H0 .. L0H3" },
        { "L1H2", "\"L1H2\"", "L1H0 .. L1H1" },
        { "L2H0", "\"L2H0\"", "0 .. 1" },
        { "L2H*", "\"L2H*\"", "0 .. 1" },
        { "L0H99999999999999999999", "\"L0H99999999999999999999\"", "L0H0 .. L1H1" },
    };
    for (int i = 0; i < ROWS(wrong); i++) {
        bool set[N];
        hl_status status = hl_head_set_parse(&config, wrong[i].names, set);
        ck_assert_msg(status.code == HL_INVALID, "\"%s\" was taken", wrong[i].names);
        ck_assert_msg(strstr(status.text, wrong[i].item) != NULL && strstr(status.text, wrong[i].remedy) != NULL,
                      "\"%s\": %s", wrong[i].names, status.text);
    }
}

static void expect_printed_of(const hl_model_config *of, const bool set[N], const char *expected)
{
    hl_text *text = scratch_text();
    hl_head_set_print(text, of, set);
    ck_assert_str_eq(text->bytes, expected);
    bool again[N];
    if (hl_head_set_size(set, N) > 0) {
        CHECK_OK(hl_head_set_parse(of, text->bytes, again));
        ck_assert_mem_eq(again, set, sizeof again);
    }
}

static void expect_printed(const bool set[N], const char *expected)
{
    expect_printed_of(&config, set, expected);
}

TEST(a_set_is_printed_as_it_can_be_read)
{
    expect_printed((bool[N]){ 0 }, "none");
    expect_printed((bool[N]){ 1, 1, 1, 1, 1, 1 }, "L0H*, L1H*");
    expect_printed((bool[N]){ 0, 1, 0, 1, 0, 0 }, "L0H1, L0H3");
    expect_printed((bool[N]){ 1, 0, 0, 0, 1, 1 }, "L0H0, L1H*");
    ck_assert_str_eq(hl_head_name_at(&config, 3).text, "L0H3");
    ck_assert_str_eq(hl_head_name_at(&config, 4).text, "L1H0");
}

/* A star would tell less than the one name that there is. */
TEST(the_only_head_of_a_layer_is_printed_by_its_name)
{
    static const hl_model_config narrow = { .n_layers = 3, .heads = { 1, 4, 1 } };
    expect_printed_of(&narrow, (bool[N]){ 1, 1, 1, 1, 1, 1 }, "L0H0, L1H*, L2H0");
    expect_printed_of(&narrow, (bool[N]){ 1, 0, 0, 0, 0, 0 }, "L0H0");
}

TEST(one_head_is_found_by_its_name)
{
    int64_t index = -1;
    CHECK_OK(hl_head_set_find(&config, "l1H1", &index));
    ck_assert_int_eq(index, 5);
    ck_assert_str_eq(hl_head_set_find(&config, "L1H*", &index).text, "\"L1H*\" names all heads of a layer; name one");
    ck_assert_str_eq(hl_head_set_find(&config, "L0H4", &index).text,
                     "\"L0H4\": no head 4 in layer 0; its heads are L0H0 .. L0H3");
    ck_assert_int_eq(hl_head_set_find(&config, "L0H0,L0H1", &index).code, HL_INVALID);
}

SUITE("sets of heads")
