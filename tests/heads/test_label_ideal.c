#include "heads/alignment.h"
#include "heads/label.h"
#include "heads/offset.h"
#include "heads/word_join.h"
#include "tests/check_suite.h"
#include "tests/heads/made_up.h"

/* Every label; of those in HL_LABEL_SHARES, also their metric. Labels of words: test_word.c. */
static const struct {
    hl_label label;
    hl_score (*share)(const hl_patterns *patterns);
} labels[] = {
    [HL_LABEL_PREVIOUS] = { { .kind = HL_LABEL_PREVIOUS, .parameter = -1 }, NULL },
    [HL_LABEL_NEXT] = { { .kind = HL_LABEL_NEXT, .parameter = 1 }, NULL },
    [HL_LABEL_SELF] = { { .kind = HL_LABEL_SELF }, NULL },
    [HL_LABEL_OFFSET] = { { .kind = HL_LABEL_OFFSET, .parameter = -3 }, NULL },
    [HL_LABEL_ALIGNMENT] = { { .kind = HL_LABEL_ALIGNMENT }, NULL },
    [HL_LABEL_RELATION] = { { .kind = HL_LABEL_RELATION, .parameter = 1 }, NULL },
#define ROW(constant, name, meaning) [constant] = { { .kind = constant }, hl_##name##_of },
    HL_LABEL_SHARES(ROW)[HL_LABEL_UNIFORM] = { { .kind = HL_LABEL_UNIFORM }, NULL },
    [HL_LABEL_MIXED] = { { .kind = HL_LABEL_MIXED }, NULL },
};
enum { N_LABELS = ROWS(labels), TOKENS = 12 };

/* Examples of 11 tokens and one of padding, in which no label but the offsets names keys of a fixed offset. */
static made_up written(void)
{
    static const char *const texts[4] = { "345637481563", "536437283746", "374836251346", "463753847315" };
    made_up m = made_up_empty(4, TOKENS, false);
    for (int64_t e = 0; e < 4; e++) {
        m.lengths[e] = TOKENS - 1;
        made_up_spell(&m, e, texts[e]);
        for (int64_t i = 4; i < TOKENS - 1; i++) {
            *made_up_source(&m, e, i) = (int32_t)((7 * i + e) % 4);
            *made_up_partner(&m, e, 1, i) = (int32_t)((5 * i + e) % (TOKENS - 1));
        }
    }
    return m;
}

static double lift(int row, const hl_patterns *patterns)
{
    hl_label label = labels[row].label;
    hl_patterns paired = hl_relation_as_source(patterns, label.parameter >= 0 ? label.parameter : 0);
    if (labels[row].share != NULL) {
        return hl_score_lift(labels[row].share(patterns));
    }
    switch (label.kind) {
    case HL_LABEL_ALIGNMENT:
        return hl_score_lift(hl_alignment_of(patterns).weight);
    case HL_LABEL_RELATION:
        return hl_score_lift(hl_alignment_of(&paired).weight);
    default:
        return hl_score_lift(hl_offset_score(patterns, label.parameter));
    }
}

TEST(every_label_has_a_row_here)
{
    for (int kind = 0; kind <= HL_LABEL_MIXED; kind++) {
        hl_label_text name = hl_label_text_of((hl_label){ .kind = (hl_label_kind)kind }, NULL);
        ck_assert_msg(labels[kind].label.kind == (hl_label_kind)kind, "%s has no row in labels", name.text);
    }
}

LOOP_TEST(an_ideal_has_a_lift_of_1_and_earns_its_label, 0, N_LABELS - 1)
{
    made_up m = written();
    bool of_text = _i >= HL_LABEL_PREVIOUS_WORD && _i < HL_LABEL_UNIFORM;
    if (of_text || labels[_i].label.kind == HL_LABEL_MIXED) {
        return; /* has none here */
    }
    made_up_idealise(&m, labels[_i].label);
    hl_patterns patterns = made_up_patterns(&m);
    if (labels[_i].label.kind != HL_LABEL_UNIFORM) {
        ck_assert_double_eq_tol(lift(_i, &patterns), 1, 1e-6);
    }
    hl_label label = hl_label_of(&patterns);
    ck_assert_int_eq(label.kind, labels[_i].label.kind);
    ck_assert_int_eq(label.parameter, labels[_i].label.parameter);
}

/* All rows of all labels: what hl_head_probe.replace takes. */
static void expect_form(const hl_pattern *example, const hl_real *ideal)
{
    for (int64_t i = 0; i < example->n_tokens; i++) {
        const hl_real *row = ideal + i * example->n_tokens;
        int64_t n_keys = i < example->n ? hl_pattern_keys(example, i) : 0;
        double sum = 0, largest = 0;
        for (int64_t j = 0; j < example->n_tokens; j++) {
            ck_assert(row[j] >= 0 || (j == 0 && row[j] == -1));
            ck_assert(row[j] <= 0 || j < n_keys);
            sum += (double)row[j];
            largest = fmax(largest, (double)row[j]);
        }
        ck_assert(n_keys > 0 || row[0] == -1);
        ck_assert_double_eq_tol(sum, row[0] < 0 ? -1 : 1, 1e-6);
        for (int64_t j = 0; j < n_keys && row[0] >= 0; j++) { /* they share equally */
            ck_assert(row[j] == 0 || (double)row[j] == largest);
        }
    }
}

LOOP_TEST(an_ideal_is_of_the_form_that_replaces_weights, 0, 30)
{
    made_up m = made_up_random((uint64_t)_i, _i % 2 == 1);
    hl_patterns patterns = made_up_patterns(&m);
    for (int l = 0; l < N_LABELS; l++) {
        for (int64_t e = 0; e < m.n_examples; e++) {
            hl_real ideal[MADE_UP_TOKENS * MADE_UP_TOKENS];
            for (int i = 0; i < MADE_UP_TOKENS * MADE_UP_TOKENS; i++) {
                ideal[i] = MADE_UP_POISON;
            }
            hl_pattern example = hl_patterns_at(&patterns, e);
            hl_label_ideal(labels[l].label, &example, ideal);
            expect_form(&example, ideal);
            ck_assert(m.n_tokens == MADE_UP_TOKENS || ideal[m.n_tokens * m.n_tokens] == MADE_UP_POISON);
            for (int64_t i = 0; i < m.n_tokens && labels[l].label.kind == HL_LABEL_MIXED; i++) {
                ck_assert_double_eq((double)ideal[i * m.n_tokens], -1);
            }
        }
    }
}

/* An ideal of one example, each row as digits: 1 for a key alone, 2 for each of two, - for a row without one. */
static void expect_ideal(made_up *m, hl_label label, const char *expected)
{
    hl_patterns patterns = made_up_patterns(m);
    hl_pattern example = hl_patterns_at(&patterns, 0);
    hl_real ideal[MADE_UP_TOKENS * MADE_UP_TOKENS];
    char text[MADE_UP_TOKENS * MADE_UP_TOKENS + 1] = "";
    hl_label_ideal(label, &example, ideal);
    for (int64_t i = 0; i < m->n_tokens * m->n_tokens; i++) {
        text[i] = ideal[i] < 0 ? '-' : ideal[i] == 0 ? '.' : (char)('0' + lround(1 / (double)ideal[i]));
    }
    ck_assert_str_eq(text, expected);
}

TEST(ideals_row_by_row)
{
    made_up m = made_up_empty(1, 5, false);
    m.lengths[0] = 4;
    made_up_spell(&m, 0, "34233");
    *made_up_source(&m, 0, 3) = 1;
    *made_up_partner(&m, 0, 1, 0) = 2;
    expect_ideal(&m, labels[HL_LABEL_PREVIOUS].label, "-....1.....1.....1..-....");
    expect_ideal(&m, labels[HL_LABEL_NEXT].label, ".1.....1.....1.-....-....");
    expect_ideal(&m, labels[HL_LABEL_OFFSET].label, "-....-....-....1....-....");
    expect_ideal(&m, labels[HL_LABEL_ALIGNMENT].label, "-....-....-.....1...-....");
    expect_ideal(&m, labels[HL_LABEL_RELATION].label, "..1..-....-....-....-....");
    expect_ideal(&m, labels[HL_LABEL_INDUCTION].label, "-....-....-.....1...-....");
    expect_ideal(&m, labels[HL_LABEL_DUPLICATE].label, "...1.-....-....1....-....");
    expect_ideal(&m, labels[HL_LABEL_FIRST].label, "1....1....1....1....-....");
    expect_ideal(&m, labels[HL_LABEL_SPECIAL].label, "..1....1....1....1..-....");
    expect_ideal(&m, labels[HL_LABEL_UNIFORM].label, "4444.4444.4444.4444.-....");
    expect_ideal(&m, labels[HL_LABEL_MIXED].label, "-....-....-....-....-....");
    m.lengths[0] = 5;
    expect_ideal(&m, labels[HL_LABEL_DUPLICATE].label, "...22-....-....2...22..2.");
    m.causal = true;
    expect_ideal(&m, labels[HL_LABEL_NEXT].label, "-....-....-....-....-....");
    expect_ideal(&m, labels[HL_LABEL_RELATION].label,
                 "-....-....-....-....-...."); /* the partner may not be attended to */
    expect_ideal(&m, labels[HL_LABEL_DUPLICATE].label, "-....-....-....1....2..2.");
    expect_ideal(&m, labels[HL_LABEL_SPECIAL].label, "-....-......1....1....1..");
    expect_ideal(&m, labels[HL_LABEL_UNIFORM].label, "1....22...333..4444.55555");
}

/* "[CLS] ab c de [SEP]", three words of two, one and two pieces. Relation 0 pairs the first and the third with the
 * second, relation 1 the second with the third, each by all its pieces with the other's first. Joined as words are,
 * what a word gives to its partner is 1. */
TEST(a_relation_of_words_is_with_all_pieces_of_the_partner)
{
    made_up m = made_up_empty(1, 7, false);
    made_up_words(&m, 0, "-ab c de-"); /* tokens 1 2, 3, 4 5 */
    m.lengths[0] = 7;
    m.words[6] = HL_IGNORE;
    m.text = false;
    *made_up_partner(&m, 0, 0, 1) = *made_up_partner(&m, 0, 0, 2) = 3;
    *made_up_partner(&m, 0, 0, 4) = *made_up_partner(&m, 0, 0, 5) = 3;
    *made_up_partner(&m, 0, 1, 3) = 4;
    static const struct {
        hl_label label;
        bool causal;
        const char *ideal; /* row by row, as in expect_ideal */
    } cases[] = {
        { { .kind = HL_LABEL_RELATION }, false, "-...... ...1... ...1... -...... ...1... ...1... -......" },
        { { .kind = HL_LABEL_RELATION, .reversed = true },
          false,
          "-...... -...... -...... .44.44. -...... -...... -......" },
        { { .kind = HL_LABEL_RELATION, .parameter = 1 },
          false,
          "-...... -...... -...... ....22. -...... -...... -......" },
        { { .kind = HL_LABEL_RELATION, .parameter = 1, .reversed = true },
          false,
          "-...... -...... -...... -...... ...1... ...1... -......" },
        { { .kind = HL_LABEL_RELATION }, true, "-...... -...... -...... -...... ...1... ...1... -......" },
        { { .kind = HL_LABEL_RELATION, .reversed = true },
          true,
          "-...... -...... -...... .22.... -...... -...... -......" },
    };
    for (int c = 0; c < ROWS(cases); c++) {
        hl_patterns patterns = made_up_patterns(&m);
        patterns.text.words = m.words;
        patterns.causal = cases[c].causal;
        hl_pattern example = hl_patterns_at(&patterns, 0);
        hl_real ideal[7 * 7];
        char text[7 * 8 + 1] = "";
        hl_label_ideal(cases[c].label, &example, ideal);
        for (int i = 0; i < 7 * 8 - 1; i++) {
            hl_real weight = i % 8 < 7 ? ideal[i / 8 * 7 + i % 8] : 0;
            text[i] = (char)(i % 8 == 7    ? ' '
                             : weight < 0  ? '-'
                             : weight == 0 ? '.'
                                           : (char)('0' + lround(1 / (double)weight)));
        }
        ck_assert_str_eq(text, cases[c].ideal);
        example.weights = ideal;
        if (c == 0) {
            const hl_word_span ab = { 1, 3 }, middle = { 3, 4 }, de = { 4, 6 };
            ck_assert_double_eq(hl_word_weight(&example, ab, middle), 1);
            ck_assert_double_eq(hl_word_weight(&example, de, middle), 1);
            ck_assert_double_eq(hl_word_weight(&example, ab, de), 0);
        }
    }
}

TEST(what_is_not_known_is_not_named)
{
    made_up m = written();
    hl_patterns patterns = made_up_patterns(&m);
    patterns.tokens = patterns.sources = patterns.relations = NULL;
    patterns.n_relations = 0;
    hl_pattern example = hl_patterns_at(&patterns, 1);
    static const hl_label_kind unknown[] = { HL_LABEL_ALIGNMENT, HL_LABEL_RELATION, HL_LABEL_INDUCTION,
                                             HL_LABEL_DUPLICATE, HL_LABEL_SPECIAL };
    for (int l = 0; l < 5; l++) {
        hl_real ideal[TOKENS * TOKENS];
        hl_label_ideal(labels[unknown[l]].label, &example, ideal);
        for (int64_t i = 0; i < TOKENS; i++) {
            ck_assert_double_eq((double)ideal[i * TOKENS], -1);
        }
    }
}

SUITE("label's ideal")
