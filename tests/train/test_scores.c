#include "core/examples.h"
#include "core/kernels/random.h"
#include "tests/check_suite.h"
#include "tests/faults.h"
#include "train/scores.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static hl_class_counts counts_of(int64_t n_classes)
{
    hl_class_counts counts;
    CHECK_OK(hl_class_counts_init(&counts, n_classes));
    return counts;
}

/* Answers as logits: 1 for the answer, 0 for all other classes. */
static hl_real *logits_of(const int32_t *answers, int64_t n, int64_t n_classes)
{
    hl_real *logits = calloc((size_t)(n * n_classes), sizeof *logits);
    ck_assert_ptr_nonnull(logits);
    for (int64_t i = 0; i < n; i++) {
        logits[i * n_classes + answers[i]] = 1;
    }
    return logits;
}

enum { TARGETS = 9, CLASSES = 4 };
static const int32_t targets[TARGETS] = { 0, 0, 0, 1, 1, 3, 3, HL_IGNORE, HL_IGNORE };
static const int32_t answers[TARGETS] = { 0, 0, 1, 1, 2, 3, 0, 0, 2 };

static hl_class_counts counted(void)
{
    hl_class_counts counts = counts_of(CLASSES);
    hl_real *logits = logits_of(answers, TARGETS, CLASSES);
    hl_class_counts_add(&counts, logits, targets, TARGETS);
    free(logits);
    return counts;
}

TEST(scores_are_those_worked_out_by_hand)
{
    hl_class_counts counts = counted();
    hl_cross_entropy_result sum = { .loss_sum = 7 * log(8), .n_scored = TARGETS, .n_known = 7, .n_correct = 4 };
    const hl_scored_text text = { .characters = 42, .words = 10 };
    hl_scores scores = hl_scores_of(&sum, &counts, &text);
    const double tiny = 1e-12;
    ck_assert_double_eq_tol(scores.loss, log(8), tiny);
    ck_assert_double_eq_tol(scores.accuracy, 4.0 / 9, tiny);
    ck_assert_double_eq_tol(scores.perplexity, 8, tiny);
    ck_assert_double_eq_tol(scores.bits_per_character, 0.5, tiny); /* 21 bits */
    ck_assert_double_eq_tol(scores.bits_per_word, 2.1, tiny);
    ck_assert_double_eq_tol(scores.macro_f1, (4.0 / 7 + 2.0 / 4 + 2.0 / 3) / 3, tiny); /* without class 2 */
    ck_assert_double_eq_tol(scores.micro_f1, 2 * 4.0 / (7 + 9), tiny);
    hl_class_score second = hl_class_score_of(&counts, 1), third = hl_class_score_of(&counts, 2);
    ck_assert(second.precision == 0.5 && second.recall == 0.5 && second.f1 == 0.5);
    ck_assert(third.precision == 0 && isnan(third.recall) && third.f1 == 0);
    hl_class_counts_clear(&counts);
    hl_class_score none = hl_class_score_of(&counts, 0);
    ck_assert(isnan(none.precision) && isnan(none.recall) && isnan(none.f1) && counts.confusion[0] == 0);
    hl_class_counts_free(&counts);
}

TEST(figures_that_do_not_apply_are_negative)
{
    hl_cross_entropy_result sum = { .loss_sum = 2, .n_scored = 4, .n_known = 4, .n_correct = 1 };
    hl_scores scores = hl_scores_of(&sum, NULL, NULL);
    ck_assert(scores.loss == 0.5 && scores.accuracy == 0.25 && scores.perplexity == exp(0.5));
    ck_assert(scores.bits_per_character < 0 && scores.bits_per_word < 0 && scores.macro_f1 < 0 && scores.micro_f1 < 0);
    const hl_scored_text white = { .characters = 4 };
    scores = hl_scores_of(&sum, NULL, &white);
    ck_assert(scores.bits_per_character > 0 && scores.bits_per_word < 0);
    sum = (hl_cross_entropy_result){ .n_scored = 2 }; /* the model knows none of the labels */
    hl_class_counts counts = counts_of(2);
    hl_class_counts_add(&counts, (hl_real[]){ 1, 0, 0, 1 }, (int32_t[]){ HL_IGNORE, HL_IGNORE }, 2);
    scores = hl_scores_of(&sum, &counts, NULL);
    ck_assert(scores.loss == 0 && scores.accuracy == 0 && scores.macro_f1 == 0 && scores.micro_f1 == 0);
    hl_class_counts_free(&counts);
}

/* F1 as the harmonic mean of precision and recall, counted target by target for each class. */
static void check_class(const hl_class_counts *counts, const int32_t *ids, const int32_t *said, int64_t n, int32_t c)
{
    double hits = 0, misses = 0, alarms = 0;
    for (int64_t i = 0; i < n; i++) {
        hits += ids[i] == c && said[i] == c;
        misses += ids[i] == c && said[i] != c;
        alarms += ids[i] != c && said[i] == c;
    }
    hl_class_score score = hl_class_score_of(counts, c);
    double precision = hits / (hits + alarms), recall = hits / (hits + misses);
    ck_assert_double_eq_tol(score.precision, precision, 1e-12);
    ck_assert_double_eq_tol(score.recall, recall, 1e-12);
    ck_assert_double_eq_tol(score.f1, 2 * precision * recall / (precision + recall), 1e-12);
}

TEST(counts_are_those_of_a_plain_loop_however_they_are_cut)
{
    enum { N = 5000, C = 7 };
    static int32_t ids[N], said[N];
    static hl_real logits[N * C];
    const hl_random random = { .seed = 5 };
    int64_t confusion[C][C] = { 0 };
    for (int64_t i = 0; i < N; i++) {
        for (int64_t c = 0; c < C; c++) { /* of few values, so that some are equal */
            logits[i * C + c] = (hl_real)hl_random_below(random, (uint64_t)(i * C + c), 6);
        }
        ids[i] = (int32_t)hl_random_below(random, (uint64_t)(N * C + i), C + 1) - 1;
        said[i] = C - 1;
        for (int32_t c = C - 1; c >= 0; c--) {
            said[i] = logits[i * C + c] >= logits[i * C + said[i]] ? c : said[i];
        }
        if (ids[i] >= 0) {
            confusion[ids[i]][said[i]]++;
        }
    }
    static const int64_t slices[] = { N, 1, 77 };
    for (int s = 0; s < 3; s++) {
        hl_class_counts counts = counts_of(C);
        for (int64_t i = 0; i < N; i += slices[s]) {
            hl_class_counts_add(&counts, logits + i * C, ids + i, slices[s] < N - i ? slices[s] : N - i);
        }
        ck_assert_mem_eq(counts.confusion, confusion, sizeof confusion);
        for (int32_t c = 0; c < C; c++) {
            check_class(&counts, ids, said, N, c);
        }
        hl_class_counts_free(&counts);
    }
}

/* Labels may hold what CSV has to quote. */
TEST(the_files_are_tables_of_classes)
{
    static const char vocab[] = "<pad>\n<sep>\n<mask>\na,\"b\"\n";
    hl_vocabulary *names;
    CHECK_OK(hl_vocabulary_of_lines(vocab, sizeof vocab - 1, &names));
    hl_class_counts counts = counted();
    hl_text scores = { 0 }, confusion = { 0 };
    hl_scores_csv_print(&counts, names, &scores);
    ck_assert_str_eq(scores.bytes, "class,cases,found,right,precision,recall,f1\n"
                                   "<pad>,3,4,2,0.5,0.666666667,0.571428571\n"
                                   "<sep>,2,2,1,0.5,0.5,0.5\n"
                                   "<mask>,0,2,0,0,,0\n"
                                   "\"a,\"\"b\"\"\",2,1,1,1,0.5,0.666666667\n");
    hl_confusion_csv_print(&counts, names, &confusion);
    ck_assert_str_eq(confusion.bytes, "class,<pad>,<sep>,<mask>,\"a,\"\"b\"\"\"\n"
                                      "<pad>,2,1,0,0\n<sep>,0,1,1,0\n<mask>,0,0,0,0\n\"a,\"\"b\"\"\",1,0,0,1\n");
    hl_text_free(&scores);
    hl_text_free(&confusion);
    hl_vocabulary_free(names);
    hl_class_counts_free(&counts);
}

TEST(many_classes_have_no_matrix)
{
    hl_class_counts counts = counts_of(HL_CONFUSION_CLASSES);
    ck_assert_ptr_nonnull(counts.confusion);
    hl_class_counts_free(&counts);
    counts = counts_of(HL_CONFUSION_CLASSES + 1);
    hl_real logits[HL_CONFUSION_CLASSES + 1] = { 0 };
    hl_class_counts_add(&counts, logits, (int32_t[]){ 0 }, 1);
    ck_assert(counts.confusion == NULL && counts.right[0] == 1);
    hl_class_counts_clear(&counts);
    ck_assert_int_eq(counts.right[0], 0);
    hl_class_counts_free(&counts);
}

TEST(missing_memory_is_told)
{
    faults_begin();
    hl_class_counts counts;
    faults_in_memory(1, FAULTS_ONCE);
    ck_assert_int_eq(hl_class_counts_init(&counts, 3).code, HL_NO_MEMORY);
    ck_assert_ptr_null(counts.cases);
    faults_end();
}

SUITE("scores")
