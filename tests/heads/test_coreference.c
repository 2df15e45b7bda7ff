#include "heads/coreference_cases.h"

#include "data/text/tokens_file.h"
#include "tests/check_suite.h"
#include "tests/fault_checks.h"
#include "tests/faults.h"
#include "tests/scratch.h"

#include <math.h>
#include <string.h>

#define WORD(id, form, upos, head, misc) id "\t" form "\t_\t" upos "\t_\t_\t" head "\tx\t_\t" misc "\n"

/* Two documents alike: Ann (e1) saw Bob (e2) . / Ann (e1) . she (e1) / Bob (e2) */
#define DOCUMENT(id)                                                                                          \
    "# newdoc id = " id "\n" WORD("1", "Ann", "PROPN", "2", "Entity=(e1)") WORD("2", "saw", "VERB", "0", "_") \
        WORD("3", "Bob", "PROPN", "2", "Entity=(e2)") "\n" WORD("1", "ann", "PROPN", "0", "Entity=(e1)")      \
            WORD("2", "she", "PRON", "1", "Entity=(e1)") "\n" WORD("1", "Bob", "NOUN", "0", "Entity=(e2)")    \
                WORD("2", "saw", "VERB", "1", "_") "\n"

enum { W = 7, HEADS = 3 };
enum { ANN, SAW, BOB, ANN2, SHE, BOB2 }; /* the words */

/* Made anew for every test. */
static hl_coreference_text text;
static hl_coreference_counts counts;
static hl_coreference_cases cases;

static void read_text(const char *content)
{
    hl_tokens *tokens;
    const char *vocabulary = scratch_file("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nann\nsaw\nbob\nshe\n");
    const char *path = scratch_file("t", content);
    CHECK_OK(hl_tokens_load_vocabulary(vocabulary, true, &tokens));
    CHECK_OK(hl_coreference_read(&(hl_treebank_spec){ .path = path, .tokens = tokens, .wraps = true, .max_pieces = 14 },
                                 &text));
    hl_tokens_free(tokens);
}

/* The cases of a text, and room for what that many heads find. */
static void begin(const char *content, int64_t n_heads)
{
    read_text(content);
    CHECK_OK(hl_coreference_init(&counts, &text, n_heads));
}

static void end(void)
{
    for (int i = 0; i < 2; i++) { /* twice is allowed */
        hl_coreference_cases_free(&cases);
        hl_coreference_free(&counts);
        hl_coreference_text_free(&text);
    }
}

static hl_coreference_row row_of(hl_coreference_rows row)
{
    hl_coreference_row found;
    CHECK_OK(hl_coreference_row_of(&counts, row, &found));
    return found;
}

/* Word `from` gives most to word `to`, and most of all to later words, which are no candidates. */
static void look(hl_real *weights, int from, int to)
{
    for (int j = 0; j < W; j++) {
        weights[from * W + j] = j == to ? (hl_real)0.3 : j > from ? (hl_real)0.5 : (hl_real)0.1;
    }
}

TEST(baselines_guess_the_nearest_the_first_and_the_same_word)
{
    begin(DOCUMENT("1") DOCUMENT("2"), HEADS);
    /* Cases of a document: ann (Ann, Bob), she (ann), Bob (Bob). */
    hl_coreference_row row = row_of(HL_COREFERENCE_ALL);
    ck_assert_int_eq(row.cases, 6);
    ck_assert_int_eq(row.held_out_cases, 3);
    ck_assert_double_eq(row.baselines[HL_COREFERENCE_SAME_WORD], 1); /* ann: Ann in any case; she: the nearest */
    ck_assert_double_eq_tol(row.baselines[HL_COREFERENCE_NEAREST], 1.0 / 3, 1e-12);
    ck_assert_double_eq_tol(row.baselines[HL_COREFERENCE_FIRST], 2.0 / 3, 1e-12);
    ck_assert_double_eq_tol(row.chance, (0.5 + 2.0 / 3 + 0.25) / 3, 1e-12);
    static const int expected[HL_COREFERENCE_ROWS] = { 6, 2, 2, 2, 2, 4, 0 };
    for (int r = 0; r < HL_COREFERENCE_ROWS; r++) {
        row = row_of(r);
        ck_assert_msg(row.cases == expected[r], "%s: %d", hl_coreference_row_name(r), (int)row.cases);
    }
    ck_assert(isnan(row.found) && isnan(row.held_out) && isnan(row.chance) && !row.beyond);
}

/* Head 0 finds all in the first document and nothing in the second; head 1 the pronoun in both; head 2 the first of
 * equals. */
TEST(a_head_is_chosen_on_even_documents_and_measured_on_odd_ones)
{
    hl_real weights[W * W];
    begin(DOCUMENT("1") DOCUMENT("2"), HEADS);
    for (int64_t window = 0; window < 2; window++) {
        memset(weights, 0, sizeof weights);
        look(weights, ANN2, window == 0 ? ANN : BOB);
        look(weights, SHE, window == 0 ? ANN2 : BOB);
        look(weights, BOB2, window == 0 ? BOB : SHE);
        hl_coreference_add_head(&counts, 0, window, weights);
        look(weights, ANN2, BOB);
        look(weights, SHE, ANN);
        look(weights, BOB2, ANN);
        hl_coreference_add_head(&counts, 1, window, weights);
        for (int i = 0; i < W * W; i++) {
            weights[i] = (hl_real)0.25;
        }
        hl_coreference_add_head(&counts, 2, window, weights);
    }
    hl_coreference_row row = row_of(HL_COREFERENCE_ALL);
    ck_assert_int_eq(row.head, 2); /* ann and she by the first candidate, in both */
    ck_assert_double_eq_tol(row.found, 4.0 / 6, 1e-12);
    ck_assert_int_eq(row.held_out_head, 0);
    ck_assert_double_eq(row.held_out, 0);
    ck_assert(isnan(row.held_out_low) && isnan(row.held_out_high) && !row.beyond); /* of one document */
    ck_assert_double_eq_tol(hl_coreference_held_out(&counts, HL_COREFERENCE_ALL, 1), 1.0 / 3, 1e-12);
    row = row_of(HL_COREFERENCE_PRONOUN);
    ck_assert_int_eq(row.head, 1);
    ck_assert_double_eq(row.found, 1);
    hl_coreference_clear(&counts);
    row = row_of(HL_COREFERENCE_ALL);
    ck_assert_double_eq(row.found, 0);
}

/* Of the head that was chosen, the examples are of odd documents, one from each window. */
TEST(examples_are_of_the_chosen_head_and_of_odd_documents)
{
    hl_coreference_row rows[HL_COREFERENCE_ROWS];
    hl_real weights[4 * HEADS * W * W] = { 0 };
    size_t places[4];
    begin(DOCUMENT("1") DOCUMENT("2") DOCUMENT("3") DOCUMENT("4"), 2 * HEADS);
    for (int64_t window = 0; window < 4; window++) {
        hl_real *map = weights + (window * HEADS + 1) * W * W; /* of head 1 of this layer, which is head 4 of all */
        places[window] = (size_t)(window * HEADS * W * W);
        look(map, ANN2, BOB);
        look(map, SHE, window == 3 ? BOB : ANN);
        look(map, BOB2, BOB);
        hl_coreference_add_head(&counts, 4, window, map);
    }
    for (int r = 0; r < HL_COREFERENCE_ROWS; r++) {
        rows[r] = row_of(r);
    }
    CHECK_OK(hl_coreference_cases_init(&cases, &counts, rows, 2));
    hl_word_maps maps = {
        .treebank = text.windows, .n_heads = HEADS, .n_sentences = 4, .weights = weights, .places = places
    };
    hl_coreference_cases_add(&cases, &maps, 1); /* of layer 0, which has not the head */
    ck_assert_int_eq(cases.n[HL_COREFERENCE_PRONOUN][true], 0);
    maps.layer = 1;
    maps.first_head = HEADS;
    hl_coreference_cases_add(&cases, &maps, 1);
    ck_assert_int_eq(cases.n[HL_COREFERENCE_PRONOUN][true], 1);
    ck_assert_int_eq(cases.n[HL_COREFERENCE_PRONOUN][false], 1);
    ck_assert_int_eq(cases.n[HL_COREFERENCE_NAME][true], 2); /* no head found names: of head 0, the first of equals */
    ck_assert(!hl_coreference_cases_full(&cases));
    const hl_coreference_case *wrong = &cases.list[2 * HL_COREFERENCE_PRONOUN * 2], *right = wrong + 2;
    ck_assert(right->window == 1 && right->word == SHE && right->right == ANN && right->guess == ANN);
    ck_assert(wrong->window == 3 && wrong->word == SHE && wrong->right == ANN2 && wrong->guess == BOB);
    const hl_coreference_case *all = &cases.list[(2 * HL_COREFERENCE_ALL + true) * 2];
    ck_assert(cases.n[HL_COREFERENCE_ALL][true] == 2 && all[0].window == 1 && all[1].window == 3);
    ck_assert_int_eq(right->n_shown, W);
    for (int i = 0; i < W; i++) {
        ck_assert_int_eq(right->shown[i], i);
        ck_assert_double_eq_tol((double)right->weights[i], i == SHE ? 0 : i == ANN ? 0.3 : i > SHE ? 0.5 : 0.1, 1e-6);
    }
}

/* Between mentions that are far apart, words are left out. */
TEST(examples_leave_out_words_between_mentions)
{
#define SAW(id) WORD(id, "saw", "VERB", "1", "_")
    hl_coreference_row rows[HL_COREFERENCE_ROWS] = { 0 };
    enum { LONG = 12 };
    hl_real weights[2 * 2 + LONG * LONG] = { 0 };
    const size_t places[] = { 0, 2 * 2 };
    begin("# newdoc id = 1\n" WORD("1", "Ann", "PROPN", "0", "Entity=(e1)")
              SAW("2") "\n# newdoc id = 2\n" WORD("1", "Ann", "PROPN", "0", "Entity=(e1)") SAW("2") SAW("3") SAW("4")
                  SAW("5") SAW("6") SAW("7") SAW("8") SAW("9") SAW("10") SAW("11")
                      WORD("12", "she", "PRON", "1", "Entity=(e1)") "\n",
          1);
    CHECK_OK(hl_coreference_cases_init(&cases, &counts, rows, 4));
    hl_word_maps maps = {
        .treebank = text.windows, .n_heads = 1, .n_sentences = 2, .weights = weights, .places = places
    };
    hl_coreference_cases_add(&cases, &maps, 1);
    static const int32_t shown[] = { 0, 1, 2, 3, 4, -1, 7, 8, 9, 10, 11 };
    ck_assert_int_eq(cases.n[HL_COREFERENCE_ALL][true], 1);
    const hl_coreference_case *one = &cases.list[(2 * HL_COREFERENCE_ALL + true) * 4];
    ck_assert_int_eq(one->n_shown, sizeof shown / sizeof *shown);
    ck_assert_mem_eq(one->shown, shown, sizeof shown);
}

/* Of the odd documents, in which a head finds all or nothing, the draws tell how unsure the share is. */
TEST(intervals_come_from_documents)
{
    hl_real weights[W * W];
    begin(DOCUMENT("1") DOCUMENT("2") DOCUMENT("3") DOCUMENT("4") DOCUMENT("5") DOCUMENT("6") DOCUMENT("7")
              DOCUMENT("8"),
          1);
    for (int64_t window = 0; window < 8; window++) {
        memset(weights, 0, sizeof weights);
        look(weights, ANN2, ANN);
        look(weights, SHE, ANN);
        look(weights, BOB2, window == 7 ? ANN : BOB);
        hl_coreference_add_head(&counts, 0, window, weights);
    }
    hl_coreference_row row = row_of(HL_COREFERENCE_OTHER); /* 3 of 4 odd documents */
    ck_assert_double_eq(row.held_out, 0.75);
    ck_assert(row.held_out_low == 0.25 && row.held_out_high == 1); /* binomial, n = 4, p = 3/4: 2.5% and 97.5% */
    ck_assert(!row.beyond);                                        /* the same word finds all */
    hl_coreference_row pronouns = row_of(HL_COREFERENCE_PRONOUN), again = row_of(HL_COREFERENCE_OTHER);
    ck_assert(pronouns.held_out == 1 && pronouns.held_out_low == 1 && !pronouns.beyond);
    ck_assert_mem_eq(&again, &row, sizeof row); /* the same draws again */
}

/* Where the nearest mention with the same word is another one, a head that knows better is beyond all baselines. */
TEST(beyond_is_above_the_strongest_baseline)
{
#define OTHER(id)                                                                                      \
    "# newdoc id = " id "\n" WORD("1", "Ann", "PROPN", "0", "Entity=(e1)")                             \
        WORD("2", "Bob", "PROPN", "1", "Entity=(e2)") WORD("3", "Ann", "PROPN", "1", "Entity=(e3)")    \
            WORD("4", "she", "PRON", "1", "Entity=(e2)") WORD("5", "Ann", "PROPN", "1", "Entity=(e1)") \
                WORD("6", "saw", "VERB", "1", "_") WORD("7", "saw", "VERB", "1", "_") "\n"
    hl_real weights[W * W] = { 0 };
    begin(OTHER("1") OTHER("2") OTHER("3") OTHER("4"), 1);
    look(weights, 3, 1);
    look(weights, 4, 0);
    for (int64_t window = 0; window < 4; window++) {
        hl_coreference_add_head(&counts, 0, window, weights);
    }
    hl_coreference_row row = row_of(HL_COREFERENCE_ALL);
    ck_assert(row.cases == 8 && row.found == 1 && row.beyond);
    ck_assert_double_eq(row.baselines[HL_COREFERENCE_SAME_WORD], 0);
    ck_assert_double_eq(row.held_out_baselines[HL_COREFERENCE_FIRST], 0.5);
}

TEST(counts_need_memory)
{
    read_text(DOCUMENT("1") DOCUMENT("2"));
    faults_begin();
    for (int n = 0; fault_checks_next(&n, FAULTS_ONCE);) {
        hl_coreference_row row;
        hl_status status = hl_coreference_init(&counts, &text, HEADS);
        ck_assert(status.code == HL_OK || counts.memory == NULL);
        HL_THEN(status, hl_coreference_row_of(&counts, HL_COREFERENCE_ALL, &row));
        fault_checks_turn(status);
        hl_coreference_free(&counts);
    }
    faults_end();
    ck_assert_uint_ge(hl_coreference_counts_bytes(&text, HEADS), 2 * HL_COREFERENCE_ROWS * HEADS * sizeof(int32_t));
}

SUITE("coreference", .after = end)
