#include "heads/syntax.h"

#include "core/kernels/random.h"
#include "tests/check_suite.h"
#include "tests/faults.h"

#include <math.h>
#include <string.h>

/* "the dog saw a cat": det(dog, the) nsubj(saw, dog) root det(cat, a) obj(saw, cat) */
enum { DET, NSUBJ, ROOT, OBJ, RELATIONS, WORDS = 5 };
static const int32_t heads[WORDS] = { 1, 2, -1, 4, 2 }, relations[WORDS] = { DET, NSUBJ, ROOT, DET, OBJ };
static const hl_treebank_sentence tree = { .n_words = WORDS, .heads = heads, .relations = relations };

/* Made anew for every test. */
static hl_syntax syntax;

static void begin(int64_t n_relations, int64_t n_heads)
{
    CHECK_OK(hl_syntax_init(&syntax, n_relations, n_heads));
}

static void end(void)
{
    hl_syntax_free(&syntax);
}

static void expect_choice(const hl_syntax_choice *found, int64_t head, hl_syntax_direction direction, int64_t hits,
                          int64_t cases)
{
    ck_assert_int_eq(found->head, head);
    ck_assert_int_eq(found->direction, direction);
    ck_assert_int_eq(found->found.hits, hits);
    ck_assert_int_eq(found->found.cases, cases);
}

/* Word i gives 0.5 to word to[i], 0.1 to every other one and 0.9 to itself. */
static void look(hl_real *weights, const int *to)
{
    for (int i = 0; i < WORDS; i++) {
        for (int j = 0; j < WORDS; j++) {
            weights[i * WORDS + j] = i == j ? (hl_real)0.9 : j == to[i] ? (hl_real)0.5 : (hl_real)0.1;
        }
    }
}

TEST(guesses_are_the_largest_weights_of_rows_and_columns)
{
    begin(RELATIONS, 2);
    hl_real weights[WORDS * WORDS];
    look(weights, (const int[]){ 1, 2, 0, 4, 1 }); /* both det, nsubj; obj is missed */
    hl_syntax_add_tree(&syntax, &tree, 0);
    hl_syntax_add_head(&syntax, 0, &tree, 0, weights);
    look(weights, (const int[]){ 2, 0, 4, 1, 3 }); /* from the heads: dog to the, saw to cat, cat to a */
    hl_syntax_add_head(&syntax, 1, &tree, 0, weights);

    hl_syntax_row det = hl_syntax_row_of(&syntax, DET), obj = hl_syntax_row_of(&syntax, OBJ);
    expect_choice(&det.published, 0, HL_SYNTAX_TO_HEAD, 2, 2);
    expect_choice(&obj.published, 1, HL_SYNTAX_TO_DEPENDENT, 1, 1);
    hl_syntax_row all = hl_syntax_row_of(&syntax, -1), second = hl_syntax_head_of(&syntax, DET, 1);
    ck_assert_int_eq(all.published.found.cases, 4); /* the root has no head */
    ck_assert_int_eq(all.published.found.hits, 3);
    expect_choice(&second.published, 1, HL_SYNTAX_TO_DEPENDENT, 2, 2);
}

/* The first of equals; never the word itself, whatever it gives itself. */
TEST(of_equal_weights_the_first_word_is_the_guess)
{
    const int32_t to_first[3] = { -1, 0, 0 }, same[3] = { 0, 0, 0 };
    hl_treebank_sentence flat = { .n_words = 3, .heads = to_first, .relations = same };
    hl_real equal[9];
    for (int i = 0; i < 9; i++) {
        equal[i] = (hl_real)0.25;
    }
    begin(1, 3);
    hl_syntax_add_tree(&syntax, &flat, 0);
    for (int64_t head = 0; head < 3; head++) {
        hl_syntax_add_head(&syntax, head, &flat, 0, equal);
    }
    hl_syntax_row row = hl_syntax_row_of(&syntax, 0);
    expect_choice(&row.published, 0, HL_SYNTAX_TO_HEAD, 2, 2); /* of equal heads the lowest, of directions d>h */
}

TEST(offsets_are_cut_at_the_ends_of_the_sentence)
{
    begin(RELATIONS, 1);
    hl_syntax_add_tree(&syntax, &tree, 0);
    hl_syntax_row det = hl_syntax_row_of(&syntax, DET), obj = hl_syntax_row_of(&syntax, OBJ);
    ck_assert_int_eq(det.published.offset, 1);
    ck_assert_int_eq(det.published.baseline.hits, 2);
    ck_assert_int_eq(obj.published.offset, -2); /* word 4 to word 2 */
    const int64_t *of_det = syntax.halves[0].offsets + DET * (2 * HL_SYNTAX_FURTHEST + 1) + HL_SYNTAX_FURTHEST;
    ck_assert_int_eq(of_det[0], 0);
    ck_assert_int_eq(of_det[2], 1);  /* word 3 + 2 is cut to word 4 */
    ck_assert_int_eq(of_det[-1], 0); /* word 0 - 1 is cut to word 0 itself: a miss */
    ck_assert_int_eq(hl_syntax_offset_guess(0, -1, 5), -1);
    ck_assert_int_eq(hl_syntax_offset_guess(1, -3, 5), 0);
    ck_assert_int_eq(hl_syntax_offset_guess(4, 8, 5), -1);
}

/* Nothing is hit by any offset: of equals the nearest, the negative one first. */
TEST(of_equal_offsets_the_nearest_negative_one_is_chosen)
{
    begin(RELATIONS, 1);
    ck_assert_int_eq(hl_syntax_row_of(&syntax, OBJ).published.offset, -1);
    const int32_t far[4] = { 2, -1, 0, 0 }, same[4] = { 0, 0, 0, 0 }; /* offsets 2, -2 and -3 or less */
    hl_treebank_sentence four = { .n_words = 4, .heads = far, .relations = same };
    hl_syntax_add_tree(&syntax, &four, 0);
    ck_assert_int_eq(hl_syntax_row_of(&syntax, 0).published.offset, -3);
}

/* "the dog saw a cat": a further relation whose right words are 1 to 3, but not the word itself, and a far one. */
TEST(further_relations_have_several_right_words_and_offsets_of_their_own)
{
    enum { MENTION = RELATIONS, FAR, ALL, LONG = 10 };
    const hl_treebank_arc arcs[] = { { MENTION, 2, 1, 4 }, { -1, 2, 1, 4 }, { MENTION, 4, 1, 4 } };
    hl_treebank_sentence marked = tree;
    hl_real weights[WORDS * WORDS];
    begin(ALL, 1);
    syntax.n_own = RELATIONS;
    syntax.far = FAR;
    marked.arcs = arcs;
    marked.n_arcs = sizeof arcs / sizeof *arcs;
    look(weights, (const int[]){ 1, 2, 3, 4, 0 }); /* a hit by word 2, a miss by word 4 */
    hl_syntax_add_tree(&syntax, &marked, 0);
    hl_syntax_add_head(&syntax, 0, &marked, 0, weights);
    hl_syntax_choice mention = hl_syntax_row_of(&syntax, MENTION).published,
                     all = hl_syntax_row_of(&syntax, -1).published;
    ck_assert_int_eq(mention.found.cases, 2);
    ck_assert_int_eq(syntax.halves[0].hits[MENTION * 2 + HL_SYNTAX_TO_HEAD], 1);
    ck_assert(mention.offset == -1 && mention.baseline.hits == 2); /* words 1 and 3 */
    ck_assert_int_eq(all.found.cases, 4);
    ck_assert(!hl_syntax_names(&syntax, MENTION, &(hl_syntax_choice){ .found = { 80, 100 }, .baseline = { 40, 100 } }));
    ck_assert(hl_syntax_names(&syntax, OBJ, &(hl_syntax_choice){ .found = { 80, 100 }, .baseline = { 40, 100 } }));
    const int32_t to_last[LONG] = { LONG - 1, -1, -1, -1, -1, -1, -1, -1, -1, -1 }, same[LONG] = { DET };
    const hl_treebank_arc last = { FAR, 0, LONG - 1, LONG };
    hl_treebank_sentence far = { .n_words = LONG, .heads = to_last, .relations = same, .arcs = &last, .n_arcs = 1 };
    hl_syntax_add_tree(&syntax, &far, 0);
    hl_syntax_choice long_one = hl_syntax_row_of(&syntax, FAR).published;
    ck_assert(long_one.offset == LONG - 1 && long_one.baseline.hits == 1); /* 9 and more reach the last word */
    ck_assert_int_eq(hl_syntax_row_of(&syntax, DET).published.offset, 1);  /* 8 at most: word 8 */
}

TEST(what_is_held_out_is_chosen_on_the_other_half)
{
    begin(RELATIONS, 2);
    hl_real good[WORDS * WORDS], bad[WORDS * WORDS];
    look(good, (const int[]){ 1, 2, 0, 4, 2 });
    look(bad, (const int[]){ 3, 3, 3, 0, 3 });
    for (int64_t s = 0; s < 5; s++) { /* head 0 is good on 0, 2, 4; head 1 on 1, 3 */
        hl_syntax_add_tree(&syntax, &tree, s);
        hl_syntax_add_head(&syntax, 0, &tree, s, s % 2 == 0 ? good : bad);
        hl_syntax_add_head(&syntax, 1, &tree, s, s % 2 == 0 ? bad : good);
    }
    hl_syntax_row nsubj = hl_syntax_row_of(&syntax, NSUBJ);
    expect_choice(&nsubj.published, 0, HL_SYNTAX_TO_HEAD, 3, 5);
    expect_choice(&nsubj.held_out, 0, HL_SYNTAX_TO_HEAD, 0, 2);
    ck_assert_int_eq(nsubj.held_out.baseline.hits, 2);
    hl_syntax_choice chosen = hl_syntax_chosen_of(&syntax, NSUBJ);
    ck_assert(chosen.head == 0 && chosen.offset == nsubj.held_out.offset);
    ck_assert(chosen.found.hits == 3 && chosen.found.cases == 3);
}

/* The even sentences would choose offset -3, which hits few of the odd ones: the head is compared with -2. */
TEST(the_held_out_baseline_is_the_best_offset_of_the_sentences_that_score)
{
    begin(1, 1);
    static const int64_t of_3[2] = { 600, 346 }, of_2[2] = { 500, 515 };
    for (int half = 0; half < 2; half++) {
        hl_syntax_half *counts = &syntax.halves[half];
        counts->cases[0] = 1000;
        counts->hits[0] = 650 - 50 * half;
        counts->offsets[HL_SYNTAX_FURTHEST - 3] = of_3[half];
        counts->offsets[HL_SYNTAX_FURTHEST - 2] = of_2[half];
    }
    hl_syntax_choice held = hl_syntax_row_of(&syntax, 0).held_out, chosen = hl_syntax_chosen_of(&syntax, 0);
    ck_assert_int_eq(held.offset, -2);
    ck_assert_int_eq(held.baseline.hits, 515);
    ck_assert_int_eq(held.found.hits, 600);
    ck_assert(!hl_syntax_earned(&held)); /* 0.600 - 0.346 would be enough */
    ck_assert(chosen.offset == -3 && chosen.baseline.hits == 600);
}

/* Values of R's binom::binom.wilson and of the formula in 50 digits. */
TEST(intervals_are_wilsons)
{
    hl_syntax_interval i = hl_syntax_interval_of((hl_syntax_rate){ 8, 10 });
    ck_assert_double_eq_tol(i.low, 0.490162471536642, 1e-12);
    ck_assert_double_eq_tol(i.high, 0.943317848545625, 1e-12);
    i = hl_syntax_interval_of((hl_syntax_rate){ 0, 10 });
    ck_assert_double_eq(i.low, 0);
    ck_assert_double_eq_tol(i.high, 0.277532799862889, 1e-12);
    i = hl_syntax_interval_of((hl_syntax_rate){ 0, 0 });
    ck_assert(i.low == 0 && i.high == 1);
    ck_assert(isnan(hl_syntax_share((hl_syntax_rate){ 0, 0 })));
}

TEST(a_label_is_earned_by_a_clear_distance_and_enough_cases)
{
    hl_syntax_choice far = { .found = { 80, 100 }, .baseline = { 40, 100 } };
    hl_syntax_choice few = { .found = { 8, 10 }, .baseline = { 4, 10 } };
    hl_syntax_choice near = { .found = { 49000, 100000 }, .baseline = { 40000, 100000 } };
    hl_syntax_choice none = { .found = { 0, 0 }, .baseline = { 0, 0 } };
    ck_assert(hl_syntax_earned(&far));
    ck_assert(!hl_syntax_earned(&few));
    ck_assert(!hl_syntax_earned(&near));
    ck_assert(!hl_syntax_earned(&none));
}

TEST(counts_are_refused_where_they_cannot_be)
{
    ck_assert_int_eq(hl_syntax_init(&syntax, 0, 1).code, HL_INVALID);
    ck_assert_int_eq(hl_syntax_init(&syntax, 1, 0).code, HL_INVALID);
    ck_assert_int_eq(hl_syntax_init(&syntax, INT64_MAX / 4, INT64_MAX / 4).code, HL_NO_MEMORY);
    faults_begin();
    faults_in_memory(1, FAULTS_ONCE);
    ck_assert_int_eq(hl_syntax_init(&syntax, 3, 2).code, HL_NO_MEMORY);
    ck_assert_ptr_null(syntax.memory);
    faults_end();
}

SUITE("syntax", .after = end)
