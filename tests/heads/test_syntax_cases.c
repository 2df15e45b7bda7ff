#include "heads/syntax_cases.h"

#include "data/text/tokens_file.h"
#include "tests/check_suite.h"
#include "tests/faults.h"
#include "tests/scratch.h"

#include <stddef.h>

enum { WORDS = 6, SENTENCES = 2, HEADS = 2 };

/* Words 3 to 5 are a mention, so that each of them has two right words. */
#define WORD(id, head, misc) id "\ta\t_\t_\t_\t_\t" head "\tdep\t_\t" misc "\n"
#define SENTENCE        \
    WORD("1", "2", "_") \
    WORD("2", "0", "_") \
    WORD("3", "2", "_") WORD("4", "3", "Entity=(x") WORD("5", "2", "_") WORD("6", "5", "Entity=x)") "\n"

/* Made anew for every test. */
static hl_tokens *tokens;
static hl_treebank *treebank;
static hl_syntax syntax;

/* Word i gives 0.5 to word to[i] and 0.1 to every other one. */
static void look(hl_real weights[WORDS * WORDS], const int to[WORDS])
{
    for (int i = 0; i < WORDS * WORDS; i++) {
        weights[i] = i % WORDS == to[i / WORDS] ? (hl_real)0.5 : (hl_real)0.1;
    }
}

/* In the sentence that chooses, head 0 finds every word's syntactic head, and head 1 every mention. */
static void set_up(void)
{
    CHECK_OK(hl_tokens_load_vocabulary(scratch_file("v", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n"), true, &tokens));
    hl_treebank_spec spec = { .path = scratch_file("t", SENTENCE SENTENCE), .tokens = tokens, .max_pieces = 64 };
    CHECK_OK(hl_treebank_read(&spec, &treebank));
    ck_assert_int_eq(treebank->n_sentences, SENTENCES);
    ck_assert_int_ge(treebank->extras[HL_TREEBANK_ENTITY], 0);
    CHECK_OK(hl_syntax_init(&syntax, treebank->n_relations, HEADS));
    hl_syntax_add_treebank(&syntax, treebank);
    static const int to[HEADS][WORDS] = { { 1, 0, 1, 2, 1, 4 }, { 2, 0, 0, 4, 5, 3 } };
    hl_treebank_sentence first = hl_treebank_at(treebank, 0);
    for (int head = 0; head < HEADS; head++) {
        hl_real weights[WORDS * WORDS];
        look(weights, to[head]);
        hl_syntax_add_head(&syntax, head, &first, 0, weights);
    }
}

static void tear_down(void)
{
    hl_syntax_free(&syntax);
    hl_treebank_free(treebank);
    hl_tokens_free(tokens);
}

static void expect_case(const hl_syntax_cases *cases, int64_t row, bool right, int64_t word, int64_t guess,
                        int64_t gold)
{
    ck_assert_int_eq(cases->counts[2 * row + right], 1);
    const hl_syntax_case *one = &cases->list[(2 * row + right) * cases->each];
    ck_assert_int_eq(one->sentence, 1); /* the one that does not choose */
    ck_assert_int_eq(one->word, word);
    ck_assert_int_eq(one->guess, guess);
    ck_assert_int_eq(one->gold, gold);
    ck_assert(one->weights[word] == 0 && one->weights[guess] == (hl_real)0.5);
}

TEST(a_case_of_each_kind_is_kept_and_the_nearest_of_several_right_words_is_gold)
{
    enum { ALL, MENTION, ROWS_SHOWN };
    const int64_t relations[ROWS_SHOWN] = { -1, treebank->extras[HL_TREEBANK_ENTITY] };
    hl_syntax_cases cases;
    CHECK_OK(hl_syntax_cases_init(&cases, treebank, &syntax, relations, ROWS_SHOWN, 1));
    ck_assert(cases.choices[ALL].head == 0 && cases.choices[MENTION].head == 1);
    ck_assert(!hl_syntax_cases_full(&cases));
    hl_real weights[SENTENCES * HEADS * WORDS * WORDS];
    static const int same[WORDS] = { 0, 0, 0, 0, 0, 0 };
    static const size_t places[SENTENCES] = { 0, (size_t)HEADS * WORDS * WORDS };
    for (int map = 0; map < SENTENCES * HEADS; map++) {
        look(weights + (ptrdiff_t)map * WORDS * WORDS, same);
    }
    /* In sentence 1, head 0 is right for word 2 alone. Head 1 is right for words 3 and 4, and wrong for word 5. */
    look(weights + (ptrdiff_t)HEADS * WORDS * WORDS, (const int[WORDS]){ 3, 0, 1, 0, 0, 0 });
    look(weights + (ptrdiff_t)(HEADS + 1) * WORDS * WORDS, (const int[WORDS]){ 3, 0, 0, 5, 3, 0 });
    hl_word_maps maps = {
        .treebank = treebank, .n_heads = HEADS, .n_sentences = SENTENCES, .weights = weights, .places = places
    };
    hl_syntax_cases_add(&cases, &maps, 1);
    ck_assert(hl_syntax_cases_full(&cases));
    expect_case(&cases, ALL, false, 0, 3, 1);
    expect_case(&cases, ALL, true, 2, 1, 1);
    expect_case(&cases, MENTION, true, 3, 5, 5);
    expect_case(&cases, MENTION, false, 5, 0, 4); /* word 4 is nearer than word 3 */
    hl_syntax_cases_free(&cases);
}

TEST(an_allocation_that_fails_leaves_no_cases)
{
    const int64_t all = -1;
    hl_syntax_cases cases;
    faults_begin();
    faults_in_memory(1, FAULTS_ONCE);
    ck_assert_int_eq(hl_syntax_cases_init(&cases, treebank, &syntax, &all, 1, 1).code, HL_NO_MEMORY);
    faults_end();
    ck_assert(cases.memory == NULL && cases.list == NULL && cases.n_rows == 0);
}

SUITE("syntax_cases", .before = set_up, .after = tear_down)
