#include "show/table.h"
#include "tests/check_suite.h"
#include "tests/fault_checks.h"
#include "tests/faults.h"
#include "tests/heads/example.h"
#include "tests/scratch.h"

#include <math.h>
#include <string.h>

static hl_head_metrics fetching_head(int layer, int64_t head)
{
    return (hl_head_metrics){
        .layer = layer,
        .head = head,
        .best_offset = -11,
        .offset = { 0.984, 0.0476, 160 },
        .entropy = { .nats = 0.1, .uniform = 3, .normalised = 0.034, .n = 336, .n_normalised = 336 },
        .confidence = { 0.91, 0.0476, 336 },
        .alignment = { 0.984, 1, 160 },
        .hit_rate = 0.996,
        .fixed_offset = -11,
        .fixed_rate = 1,
    };
}

static hl_head_metrics idle_head(int layer, int64_t head)
{
    hl_head_metrics idle = fetching_head(layer, head);
    idle.best_offset = 0;
    idle.offset = (hl_score){ 0.12, 0.0476, 336 };
    idle.entropy.nats = 2.9;
    idle.entropy.normalised = 0.968;
    idle.confidence.value = 0.1;
    idle.alignment.value = 0.05;
    idle.hit_rate = 0.0625;
    return idle;
}

#define LEGEND                                                                          \
    "label: what the head does (mixed: does no one thing clearly); score: how well\n"   \
    "the label fits (1: always); for mixed and uniform heads the share of attention\n"  \
    "at the most-attended distance; base: the score without skill: attention spread\n"  \
    "evenly, or always at one distance; offset: the distance that gets most of its\n"   \
    "attention (-2: two tokens back); entropy: how widely attention is spread: 0 for\n" \
    "one token, 1 for all tokens equally.\n"                                            \
    "\n"

static void is_ascii_and_narrow(const hl_text *text)
{
    size_t column = 0;
    for (const char *at = text->bytes; *at != '\0'; at++) {
        ck_assert(*at == '\n' || (*at >= ' ' && *at <= '~'));
        column = *at == '\n' ? 0 : column + 1;
        ck_assert_msg(column <= HL_TABLE_WIDTH, "too wide at: %.60s\n%s", at, text->bytes);
        ck_assert(*at != '\n' || at == text->bytes || at[-1] != ' ');
    }
    ck_assert_uint_eq(text->size, strlen(text->bytes));
}

static void expect_table(const hl_head_metrics *heads, const hl_label *labels, int64_t n, const char *expected)
{
    static const char *const relations[] = { "det_noun", "pronoun_noun", NULL };
    hl_text *text = scratch_text();
    hl_table_write(text, heads, labels, n, relations);
    expect_ok(hl_text_status(text));
    ck_assert_str_eq(text->bytes, expected);
    is_ascii_and_narrow(text);
}

TEST(the_table_names_the_head_that_fetches)
{
    hl_head_metrics heads[] = { idle_head(0, 0), fetching_head(1, 2), fetching_head(1, 3) };
    heads[0].entropy.n_normalised = 0;
    static const hl_label labels[] = {
        { .kind = HL_LABEL_MIXED, .score = { 0.12, 0.0476, 336 } },
        { .kind = HL_LABEL_OFFSET, .parameter = -11, .score = { 0.984, 0.0476, 160 } },
        { .kind = HL_LABEL_RELATION, .parameter = 1, .score = { 0.75, 0.5, 160 } },
    };
    expect_table(heads, labels, 3,
                 "head  label                  score base offset entropy\n"
                 "L0H0  mixed                   0.12 0.05      0       -\n"
                 "L1H2  offset(-11)             0.98 0.05    -11    0.03\n"
                 "L1H3  relation(pronoun_noun)  0.75 0.50    -11    0.03\n"
                 "\n" LEGEND "L1H2 looks 11 back (offset -11): 0.98 of its attention, 0.05 if spread evenly.\n"
                 "L1H2 has the most attention on the token that holds the answer: 0.98, the\n"
                 "largest weight in 100% of the cases. One fixed offset (-11) finds it in 100%.\n");
}

TEST(without_sources_no_sentence_is_about_them)
{
    hl_head_metrics heads[] = { idle_head(0, 0), idle_head(0, 1) };
    heads[0].alignment.n = heads[1].alignment.n = 0;
    heads[1].best_offset = 1;
    heads[1].offset.value = 0.4;
    static const hl_label labels[] = { { .kind = HL_LABEL_UNIFORM },
                                       { .kind = HL_LABEL_MIXED, .score = { 0.4, 0.0476, 336 } } };
    expect_table(heads, labels, 2,
                 "head  label   score base offset entropy\n"
                 "L0H0  uniform     -    -      0    0.97\n"
                 "L0H1  mixed    0.40 0.05     +1    0.97\n"
                 "\n" LEGEND "No head keeps to one offset. At best, L0H1 looks 1 ahead (offset +1): 0.40 of\n"
                 "its attention, 0.05 if spread evenly.\n");
}

TEST(no_line_is_too_wide)
{
    static const char *const relations[] = { "from_many_a_noun", "\303\244\303\244\303\244" };
    static const hl_label labels[] = { { .kind = HL_LABEL_RELATION }, { .kind = HL_LABEL_RELATION, .parameter = 1 } };
    hl_head_metrics heads[] = { fetching_head(255, 99998), idle_head(255, 99999) };
    heads[0].best_offset = heads[0].fixed_offset = -131072;
    heads[1].best_offset = +131072;
    heads[1].offset.value = (double)NAN;
    heads[1].confidence.n = 0;
    for (int n = 1; n <= 2; n++) {
        for (int clear = 0; clear < 2; clear++) {
            heads[0].offset.value = clear ? 0.9 : 0.2;
            hl_text *text = scratch_text();
            hl_table_write(text, heads, labels, n, relations);
            is_ascii_and_narrow(text);
            ck_assert_ptr_nonnull(strstr(text->bytes, "\nL255H99998  relation(from_many_a_noun) "));
            ck_assert(n == 1 || strstr(text->bytes, "\nL255H99999  relation(\\u{e4}\\u{e4}\\u{e4})   ") != NULL);
        }
    }
}

TEST(heads_without_a_lift_are_not_named)
{
    hl_head_metrics heads[] = { idle_head(0, 0), idle_head(0, 1) };
    for (int i = 0; i < 2; i++) {
        heads[i].offset = (hl_score){ 1, 1, 4 }; /* sequences of one token */
        heads[i].alignment.n = 0;
    }
    static const hl_label labels[] = { { .kind = HL_LABEL_UNIFORM }, { .kind = HL_LABEL_UNIFORM } };
    hl_text *text = scratch_text();
    hl_table_write(text, heads, labels, 2, NULL);
    ck_assert_ptr_null(strstr(text->bytes, "looks at"));
    ck_assert_ptr_null(strstr(text->bytes, "No head"));
}

TEST(the_table_of_a_recorder_lists_all_its_heads)
{
    faults_begin();
    hl_model_config config = example_config(8);
    hl_model model;
    example_model(&model, &config);
    hl_examples batch = example_batch(4, 9);
    hl_recorder recorder;
    expect_ok(hl_recorder_init(&recorder, &model, &batch, 36, 1, scratch_path("patterns")));
    hl_arena arena = example_arena(&recorder);
    expect_ok(hl_recorder_record(&recorder, 0, NULL, &arena));

    hl_text text = { 0 }, expected = { 0 };
    expect_ok(hl_table_of(&recorder, NULL, &text));
    hl_head_metrics heads[6];
    hl_label labels[6];
    for (int i = 0; i < 6; i++) {
        hl_patterns patterns = hl_recorder_patterns(&recorder, i / 4, i % 4);
        heads[i] = hl_head_measure(i / 4, &patterns);
        labels[i] = hl_label_of(&patterns);
    }
    hl_table_write(&expected, heads, labels, 6, NULL);
    ck_assert_str_eq(text.bytes, expected.bytes);
    hl_text_free(&expected);
    hl_text_free(&text);

    int n = 0;
    while (fault_checks_next(&n, FAULTS_ONCE)) {
        fault_checks_turn(hl_table_of(&recorder, NULL, &text));
        hl_text_free(&text);
    }
    ck_assert_int_gt(n, 2);
    hl_recorder_free(&recorder);
    hl_arena_free(&arena);
    hl_examples_free(&batch);
    hl_model_free(&model);
    ck_assert_int_eq(faults_live_blocks(), 0);
    faults_end();
}

SUITE("table of heads")
