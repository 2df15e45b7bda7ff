#include "heads/treebank_pass.h"

#include "data/text/tokens_file.h"
#include "tests/check_suite.h"
#include "tests/fault_checks.h"
#include "tests/faults.h"
#include "tests/heads/example.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WORD(id, form, head) id "\t" form "\t_\t_\t_\t_\t" head "\tdep\t_\t_\n"

/* Words of one to three pieces, in sentences of different lengths. */
static const char bank[] = WORD("1", "abc", "2") WORD("2", "a", "0") WORD("3", "ab", "2") "\n" WORD("1", "a", "2")
    WORD("2", "abcabc", "0") "\n" WORD("1", "ab", "0") WORD("2", "abc", "1") WORD("3", "a", "1") WORD("4", "a", "3")
        WORD("5", "ac", "4") "\n" WORD("1", "a", "0") WORD("2", "a", "1") "\n";

typedef struct made {
    hl_tokens *tokens;
    hl_treebank *treebank;
    hl_model model;
    hl_real *maps[EXAMPLE_LAYERS][4][4]; /* of layer, head and sentence, as they were given */
    int64_t told;
} made;

static void make(made *m)
{
    *m = (made){ 0 };
    hl_model_config config = example_config(8);
    example_model(&m->model, &config);
    expect_ok(hl_tokens_load_vocabulary(scratch_file("v", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n##b\n##c\n##a\n"),
                                        true, &m->tokens));
    expect_ok(hl_treebank_read(
        &(hl_treebank_spec){ .path = scratch_file("t", bank), .tokens = m->tokens, .wraps = true, .max_pieces = 64 },
        &m->treebank));
    ck_assert_int_eq(m->treebank->n_sentences, 4);
}

static void drop(made *m)
{
    for (int i = 0; i < EXAMPLE_LAYERS * 16; i++) {
        free(m->maps[i / 16][i / 4 % 4][i % 4]);
    }
    hl_treebank_free(m->treebank);
    hl_tokens_free(m->tokens);
    hl_model_free(&m->model);
}

/* Made anew for every test. */
static made f;

static void set_up(void)
{
    make(&f);
}

static void tear_down(void)
{
    drop(&f);
}

static void keep(void *context, const hl_word_maps *maps, int threads)
{
    made *m = context;
    ck_assert_int_eq(maps->n_heads, m->model.config.heads[maps->layer]);
    ck_assert_int_ge(threads, 1);
    for (int64_t s = maps->first; s < maps->first + maps->n_sentences; s++) {
        int64_t W = hl_treebank_at(m->treebank, s).n_words;
        size_t bytes = (size_t)(W * W) * sizeof(hl_real);
        for (int64_t h = 0; h < maps->n_heads; h++) {
            hl_real **to = &m->maps[maps->layer][h][s];
            ck_assert_ptr_null(*to); /* each once */
            *to = malloc(bytes);
            memcpy(*to, hl_word_map(maps, s, h), bytes);
        }
    }
}

static hl_status count_told(void *context, int64_t done, int64_t total)
{
    made *m = context;
    ck_assert(done >= 0 && done < total && total == 4);
    m->told++;
    return hl_ok();
}

static void run(made *m, int64_t rows, int threads)
{
    hl_treebank_pass pass;
    hl_arena arena;
    expect_ok(hl_treebank_pass_init(&pass, &m->model, m->treebank, rows, threads));
    expect_ok(hl_arena_init(&arena, pass.plan.bytes));
    hl_treebank_taker taker = { .layer = keep, .progress = count_told, .context = m };
    expect_ok(hl_treebank_pass_run(&pass, &arena, &taker));
    ck_assert_int_eq(arena.used, 0);
    hl_arena_free(&arena);
    hl_treebank_pass_free(&pass);
}

/* By the definition, of the maps between pieces that a recorder keeps. */
static void agree(const made *m)
{
    enum { T = 12 };
    hl_examples examples;
    expect_ok(hl_examples_allocate(4, T, 0, &examples));
    for (int64_t s = 0; s < 4; s++) {
        hl_treebank_sentence sentence = hl_treebank_at(m->treebank, s);
        examples.lengths[s] = (int32_t)sentence.n_pieces;
        for (int64_t i = 0; i < T; i++) {
            examples.tokens[s * T + i] = i < sentence.n_pieces ? sentence.pieces[i] : HL_PAD;
            examples.targets[s * T + i] = HL_IGNORE;
        }
    }
    hl_recorder recorder;
    hl_arena arena;
    expect_ok(hl_recorder_init(&recorder, &m->model, &examples, 64, 1, NULL));
    expect_ok(hl_arena_init(&arena, recorder.plan.bytes));
    expect_ok(hl_recorder_run(&recorder, &arena));
    for (int l = 0; l < EXAMPLE_LAYERS; l++) {
        for (int64_t h = 0; h < m->model.config.heads[l]; h++) {
            hl_patterns patterns = hl_recorder_patterns(&recorder, l, h);
            for (int64_t s = 0; s < 4; s++) {
                hl_treebank_sentence sentence = hl_treebank_at(m->treebank, s);
                hl_pattern pattern = hl_patterns_at(&patterns, s);
                int64_t W = sentence.n_words;
                for (int64_t a = 0; a < W; a++) {
                    for (int64_t b = 0; b < W; b++) {
                        double sum = 0;
                        int32_t begin = sentence.begins[a], end = sentence.begins[a + 1];
                        for (int32_t i = begin; i < end; i++) {
                            for (int32_t j = sentence.begins[b]; j < sentence.begins[b + 1]; j++) {
                                sum += (double)hl_pattern_row(&pattern, i)[j] / (end - begin);
                            }
                        }
                        ck_assert_double_eq_tol((double)m->maps[l][h][s][a * W + b], sum, 2e-6);
                    }
                }
            }
        }
    }
    hl_recorder_free(&recorder);
    hl_arena_free(&arena);
    hl_examples_free(&examples);
}

/* _i: slices of one sentence, of some, of all. */
LOOP_TEST(words_get_the_mean_over_queries_of_the_sum_over_keys, 0, 3)
{
    static const int64_t rows[] = { 1, 17, 100 }, slices[] = { 4, 2, 1 };
    run(&f, rows[_i], 1);
    ck_assert_int_eq(f.told, slices[_i]);
    agree(&f);
}

TEST(threads_change_no_bit)
{
    made three;
    make(&three);
    run(&f, 17, 1);
    run(&three, 17, 3);
    for (int i = 0; i < EXAMPLE_LAYERS * 16; i++) {
        const hl_real *a = f.maps[i / 16][i / 4 % 4][i % 4], *b = three.maps[i / 16][i / 4 % 4][i % 4];
        int64_t W = hl_treebank_at(f.treebank, i % 4).n_words;
        ck_assert((a == NULL) == (b == NULL) && (a == NULL || memcmp(a, b, (size_t)(W * W) * sizeof *a) == 0));
    }
    drop(&three);
}

static hl_status stop(void *context, int64_t done, int64_t total)
{
    (void)context, (void)total;
    return done > 0 ? hl_error(HL_INVALID, "stopped") : hl_ok();
}

static void take_nothing(void *context, const hl_word_maps *maps, int threads)
{
    (void)threads;
    *(int64_t *)context += maps->n_sentences;
}

TEST(a_run_ends_where_its_progress_fails)
{
    hl_treebank_pass pass;
    hl_arena arena;
    int64_t given = 0;
    expect_ok(hl_treebank_pass_init(&pass, &f.model, f.treebank, 1, 1));
    expect_ok(hl_arena_init(&arena, pass.plan.bytes));
    hl_treebank_taker taker = { .layer = take_nothing, .progress = stop, .context = &given };
    ck_assert_str_eq(hl_treebank_pass_run(&pass, &arena, &taker).text, "stopped");
    ck_assert_int_eq(given, EXAMPLE_LAYERS); /* of the first sentence alone */
    hl_arena_free(&arena);
    hl_treebank_pass_free(&pass);
}

TEST(a_pass_is_made_whole_or_not_at_all)
{
    hl_treebank_pass pass;
    ck_assert_int_eq(hl_treebank_pass_init(&pass, &f.model, f.treebank, 0, 1).code, HL_INVALID);
    ck_assert_ptr_null(pass.weights);
    faults_begin();
    for (int n = 0; fault_checks_next(&n, FAULTS_ONCE);) {
        hl_status status = hl_treebank_pass_init(&pass, &f.model, f.treebank, 17, 2);
        fault_checks_turn(status);
        ck_assert(status.code == HL_OK || pass.weights == NULL);
        if (status.code == HL_OK) {
            hl_treebank_pass_free(&pass);
        }
    }
    faults_end();
}

SUITE("treebank_pass", .before = set_up, .after = tear_down)
