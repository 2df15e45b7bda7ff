#include "core/files/json.h"
#include "programs/heads/table_files.h"
#include "show/table.h"
#include "study/heads_table.h"
#include "tests/check_suite.h"
#include "tests/fault_checks.h"
#include "tests/runs/answers.h"
#include "tests/scratch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { KINDS = HL_LABEL_MIXED + 1, HEADS = KINDS + 2, FIRST = 7 /* heads of layer 0 */ };

static const char *const relations[] = { "det_noun", "noun_pronoun" };

/* A head of every label, the last two relations; the first ones are layer 0's. */
static hl_heads_row rows[HEADS];
static hl_label labels[HEADS];
static hl_head_effect effects[HEADS];

static hl_heads_study made_up_study(void)
{
    for (int i = 0; i < HEADS; i++) {
        bool named = i < KINDS;
        hl_label_kind kind = named ? (hl_label_kind)i : HL_LABEL_RELATION;
        labels[i] = (hl_label){ .kind = kind,
                                .parameter = kind == HL_LABEL_OFFSET ? -11 : !named && i == HEADS - 1,
                                .score = { 0.75, 0.25, 10 } };
        effects[i] = (hl_head_effect){ .importance = i == 2      ? 3.456e-6
                                                     : i < FIRST ? 3e-5 * i
                                                                 : 0.8571,
                                       .loss_without = i == 0   ? -2.4e-7
                                                       : i == 1 ? 12.5
                                                                : 0.0123,
                                       .standard_error = 1e-3,
                                       .kept = 0.97,
                                       .faithful = i == 3 ? HL_FAITHFUL_YES : HL_FAITHFUL_NO };
        rows[i] = (hl_heads_row){ .metrics = { .layer = i >= FIRST, .head = i < FIRST ? i : i - FIRST },
                                  .label = labels[i],
                                  .distance = { .absolute = { 12.3, 7, 10 } },
                                  .effect = &effects[i] };
        rows[i].metrics.entropy.normalised = 0.5;
        rows[i].metrics.entropy.n_normalised = 10;
    }
    return (hl_heads_study){
        .step = 5, .n_examples = 2, .rows = rows, .labels = labels, .n = HEADS, .has_effects = true, .weights_step = 5
    };
}

/* The table's text, to be freed. */
static hl_text table_of(const hl_heads_study *study, bool wide)
{
    hl_text text = { 0 };
    hl_heads_table_print(&text, "a", study, (hl_heads_table_options){ "heads", relations, wide });
    CHECK_OK(hl_text_status(&text));
    return text;
}

/* It has these lines, and none is wider than a terminal. */
static void check_table(const hl_text *text, const char *const *expected, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ck_assert_msg(strstr(text->bytes, expected[i]) != NULL, "no %s in %.2000s", expected[i], text->bytes);
    }
    answer_fits(text->bytes);
}

TEST(a_row_has_what_a_head_does_and_is_worth)
{
    hl_heads_study study = made_up_study();
    hl_text text = table_of(&study, false);
    const char *last =
        scratch_format("\nL1H%-2d relation(noun_pronoun)   0.75  0.25    0.012 (0.001)        no\n", HEADS - FIRST - 1);
    const char *const expected[] = {
        "\nhead  label                   score  base          without  faithful\n",
        "\nL0H0  previous                 0.75  0.25   -2e-07 (0.001)        no\n",
        "\nL0H1  next                     0.75  0.25   12.500 (0.001)        no\n",
        "\nL0H2  self                     0.75  0.25    0.012 (0.001)        no\n",
        "\nL0H3  offset(-11)              0.75  0.25    0.012 (0.001)       yes\n",
        last,
    };
    check_table(&text, expected, sizeof expected / sizeof *expected);
    ck_assert(answer_says(text.bytes,
                          "L0H3: faithful to \"offset(-11)\". Without it the loss grows by 0.0123 (standard error "
                          "0.001); its ideal pattern restores 97% of that."));
    hl_text_free(&text);
}

/* The columns that a newcomer does without, each number in its column. */
TEST(wide_adds_a_second_table)
{
    hl_heads_study study = made_up_study();
    rows[0].metrics.best_offset = -11;
    rows[0].metrics.offset = (hl_score){ 0.984, 0.05, 10 };
    rows[0].metrics.confidence = (hl_score){ 0.875, 0.05, 10 };
    hl_text text = table_of(&study, true), narrow = table_of(&study, false);
    const char *const without_sources[] = {
        "\nhead   offset share  entropy  dist  conf  importance\n",
        "\nL0H0      -11  0.98     0.50  12.3  0.88        0.00\n",
        "\nL0H1        0     -     0.50  12.3     -   0.0000300\n",
        "\nL0H2        0     -     0.50  12.3     -    3.46e-06\n",
    };
    check_table(&text, without_sources, sizeof without_sources / sizeof *without_sources);
    ck_assert(answer_says(text.bytes, "conf: the largest weight of a query.") &&
              !answer_says(text.bytes, "alignment: the share"));
    ck_assert(!answer_says(narrow.bytes, "entropy"));
    hl_text_free(&narrow);
    hl_text_free(&text);
    rows[1].metrics.alignment = (hl_score){ 0.25, 0.05, 4 };
    rows[1].metrics.hit_rate = 0.5;
    text = table_of(&study, true);
    const char *const with_sources[] = {
        "\nhead   offset share  entropy  dist  conf  importance  alignment  hits\n",
        "\nL0H0      -11  0.98     0.50  12.3  0.88        0.00          -     -\n",
        "\nL0H1        0     -     0.50  12.3     -   0.0000300       0.25  0.50\n",
    };
    check_table(&text, with_sources, sizeof with_sources / sizeof *with_sources);
    hl_text_free(&text);
}

/* Of a run, too; no line is wider than a terminal. */
TEST(on_sentences_the_null_stands_beside_the_score)
{
    double nulls[HEADS] = { 0.125, NAN };
    hl_heads_study study = made_up_study();
    study.file = "a.txt";
    study.there = 9;
    study.nulls = nulls;
    hl_text text = table_of(&study, true); /* what the loss loses stands in the second table */
    char word[128];
    snprintf(word, sizeof word, "\nL1H%-2d previous_word      0.75  0.25  0.00\n", HL_LABEL_PREVIOUS_WORD - FIRST);
    const char *const expected[] = {
        "\nhead  label             score  base  null\n",  "\nL0H0  previous           0.75  0.25  0.12\n",
        "\nL0H1  next               0.75  0.25     -\n",  "  importance          without  faithful\nL0H0 ",
        "        0.00   -2e-07 (0.001)        no\nL0H1 ", word,
    };
    check_table(&text, expected, sizeof expected / sizeof *expected);
    ck_assert(answer_says(text.bytes, "; null: "));
    hl_text_free(&text);
}

#define NAME(constant, name, meaning) [constant] = #name,
TEST(labels_that_stand_there_are_explained_and_no_others)
{
    static const char *const names[KINDS] = {
        [HL_LABEL_PREVIOUS] = "previous", [HL_LABEL_NEXT] = "next",           [HL_LABEL_SELF] = "self",
        [HL_LABEL_OFFSET] = "offset(k)",  [HL_LABEL_ALIGNMENT] = "alignment", [HL_LABEL_RELATION] = "relation(a_b)",
        [HL_LABEL_UNIFORM] = "uniform",   [HL_LABEL_MIXED] = "mixed",         HL_LABEL_SHARES(NAME)
    };
    char why[64];
    snprintf(why, sizeof why, "Why a head is mixed: heads map a L1H%d ", HL_LABEL_MIXED - FIRST);
    hl_heads_study study = made_up_study();
    for (int one = -1; one < KINDS; one++) { /* all of them, and each alone */
        hl_heads_study part = study;
        part.rows = one < 0 ? study.rows : study.rows + one;
        part.labels = one < 0 ? study.labels : study.labels + one;
        part.n = one < 0 ? study.n : 1;
        hl_text text = table_of(&part, false);
        for (int i = 0; i < KINDS; i++) {
            const char *meaning = scratch_format("; %s: ", names[i]);
            ck_assert_msg(answer_says(text.bytes, meaning) == (one < 0 || one == i), "%s in %s", names[i], text.bytes);
        }
        ck_assert(answer_says(text.bytes, why) == (one < 0 || one == HL_LABEL_MIXED));
        hl_text_free(&text);
    }
}

/* "no" and "-" say different things. */
TEST(where_no_head_is_faithful_it_says_why)
{
    static const struct {
        hl_faithful first, others;
        bool no, unclear;
    } cases[] = {
        { HL_FAITHFUL_NO, HL_FAITHFUL_NO, true, false },
        { HL_FAITHFUL_UNKNOWN, HL_FAITHFUL_NO, true, true },
        { HL_FAITHFUL_UNKNOWN, HL_FAITHFUL_UNKNOWN, false, true },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        hl_heads_study study = made_up_study();
        for (int i = 0; i < HEADS; i++) {
            effects[i].faithful = i == 0                             ? cases[c].first
                                  : labels[i].kind == HL_LABEL_MIXED ? HL_FAITHFUL_UNKNOWN
                                                                     : cases[c].others;
        }
        hl_text text = table_of(&study, false);
        ck_assert(answer_says(text.bytes, "No head is shown to be faithful to its label."));
        ck_assert_int_eq(answer_says(text.bytes, "label. no: the label's pattern cannot replace the head."),
                         cases[c].no);
        ck_assert_int_eq(answer_says(text.bytes,
                                     " -: without the head the loss changes by at most three standard errors, so these "
                                     "examples cannot decide."),
                         cases[c].unclear);
        hl_text_free(&text);
    }
    hl_heads_study mixed = made_up_study();
    mixed.rows += HL_LABEL_MIXED;
    mixed.labels += HL_LABEL_MIXED;
    mixed.n = 1;
    hl_text text = table_of(&mixed, false);
    ck_assert(answer_says(text.bytes, "Every head is mixed, so no head has a label to be faithful to."));
    hl_text_free(&text);
}

TEST(without_effects_there_is_a_reason)
{
    hl_heads_study study = made_up_study();
    for (int i = 0; i < HEADS; i++) {
        rows[i].effect = NULL;
    }
    study.has_effects = false;
    study.no_effects = hl_error(HL_INVALID, "there are no weights");
    hl_text text = table_of(&study, false);
    ck_assert_ptr_nonnull(strstr(text.bytes, "\nL0H1  next                     0.75  0.25\n")); /* no empty columns */
    ck_assert(!answer_says(text.bytes, "without  faithful") && !answer_says(text.bytes, "faithful: "));
    ck_assert(answer_says(text.bytes, "Importance, without and faithful are not known: there are no weights."));
    hl_text_free(&text);
}

/* Heads 0 and 2 of layer 0, and all of layer 1, have been judged together: the former as faithful. */
static hl_heads_study grouped_study(void)
{
    static hl_group_effect groups[2];
    hl_heads_study study = made_up_study();
    groups[0] = (hl_group_effect){ 0, labels[0], 2, { 1, 0.5, 0.25, 0.875, HL_FAITHFUL_YES } };
    groups[1] =
        (hl_group_effect){ 1, labels[HL_LABEL_DUPLICATE], HEADS - FIRST, { 1, 0.5, 0.25, 0.125, HL_FAITHFUL_NO } };
    for (int i = 0; i < HEADS; i++) {
        rows[i].group = i == 0 || i == 2 ? &groups[0].effect : i >= FIRST ? &groups[1].effect : NULL;
    }
    study.effects = (hl_effects){ .loss = 2, .heads = effects, .n_heads = HEADS, .groups = groups, .n_groups = 2 };
    return study;
}

static void strip_blanks(char *text)
{
    char *to = text;
    for (const char *c = text; *c != '\0'; c++) {
        if (*c != ' ' && *c != '\n') {
            *to++ = *c;
        }
    }
    *to = '\0';
}

TEST(heads_that_share_a_label_are_told_together)
{
    hl_heads_study study = grouped_study();
    hl_text text = table_of(&study, false);
    ck_assert(answer_says(text.bytes, "*: only together with the heads in its layer that have the same label."));
    ck_assert(answer_says(text.bytes,
                          "L0H0, L0H2: faithful to \"previous\" together. Without them the loss grows by 0.5 (standard "
                          "error 0.25); their ideal pattern restores 88% of that."));
    ck_assert(!answer_says(text.bytes, "L1H0, "));
    hl_text_free(&text);
    hl_heads_json_print(&text, &study, relations);
    CHECK_OK(hl_text_status(&text));
    strip_blanks(text.bytes);
    const char *groups = strstr(text.bytes, "\"groups\"");
    ck_assert_ptr_nonnull(groups);
    ck_assert_msg(strstr(groups, "{\"layer\":0,\"label\":\"previous\",\"heads\":[0,2],") != NULL, "%s", groups);
    hl_text heads = { 0 };
    for (int i = 0; i < HEADS - FIRST; i++) {
        hl_text_print(&heads, "%s%d", i > 0 ? "," : "{\"layer\":1,\"label\":\"duplicate\",\"heads\":[", i);
    }
    hl_text_print(&heads, "],");
    ck_assert_msg(strstr(groups, heads.bytes) != NULL, "%s", groups);
    hl_text_free(&heads);
    ck_assert(strstr(groups, "\"faithful\":true}") < strstr(groups, "\"faithful\":false}"));
    hl_text_free(&text);
}

TEST(want_of_memory_for_the_json_is_told_and_nothing_lost)
{
    hl_heads_study study = grouped_study();
    study.n = 2;
    faults_begin();
    hl_json_use_allocator();
    int n = 0;
    while (fault_checks_next(&n, FAULTS_ONCE)) {
        hl_text text = { 0 };
        hl_heads_json_print(&text, &study, relations);
        fault_checks_turn(hl_text_status(&text));
        hl_text_free(&text);
    }
    ck_assert_int_gt(n, 20);
    faults_end();
}

TEST(only_the_first_faithful_heads_have_a_sentence)
{
    hl_heads_study study = made_up_study();
    for (int i = 0; i < HEADS; i++) {
        effects[i].faithful = HL_FAITHFUL_YES;
    }
    hl_text text = table_of(&study, false);
    ck_assert(answer_says(text.bytes, "L0H5: faithful to ") && !answer_says(text.bytes, "L0H6: faithful to "));
    char more[64];
    snprintf(more, sizeof more, "And %d more; see the table.", HEADS - 6);
    ck_assert(answer_says(text.bytes, more));
    hl_text_free(&text);
}

SUITE("table of what heads do")
