/* heads importance, with --shapley, on runs of the tiny config: two layers of two heads, snapshots of 4
 * examples. */
#include "tests/check_suite.h"
#include "tests/runs/answers.h"
#include "tests/runs/runs.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { HEADS = 4 };

TEST(the_table_has_a_row_a_head_and_fits_80_columns)
{
    run_result run = SAYS(HEADS("importance", TINY_RUN("run")),
                          ", step 24\nWhat 4 heads are worth on the 2 examples that score, where");
    ck_assert_str_eq(run.err, "");
    answer_has_heads(run.out);
    answer_fits_below(run.out);
    ck_assert_ptr_nonnull(strstr(run.out, "rank correlation"));
}

TEST(json_agrees_with_the_table_of_all_heads_and_with_csv)
{
    const char *folder = TINY_RUN("run"), *path = run_path("importance.csv");
    json_t *all = ANSWER(folder, "--json");
    json_t *root = ANSWER("importance", folder, "--json", "--csv", path), *heads = json_object_get(root, "heads");
    ck_assert_uint_eq(json_array_size(heads), HEADS);
    ck_assert_double_eq(number_at(root, "loss"), number_at(all, "loss"));
    const char *csv = run_read(path), *row = strchr(csv, '\n') + 1;
    static const char header[] = "layer,head,label,importance,importance_error,importance_normalised,zero,zero_error,";
    ck_assert_int_eq(strncmp(csv, header, strlen(header)), 0);
    for (size_t i = 0; i < HEADS; i++, row = strchr(row, '\n') + 1) {
        json_t *head = json_array_get(heads, i), *same = item_at(all, "heads", i);
        ck_assert_double_eq(number_at(head, "importance"), number_at(same, "importance"));
        ck_assert_double_eq(number_at(head, "zero"), number_at(same, "loss_without"));
        ck_assert_double_eq(number_at(head, "zero_error"), number_at(same, "standard_error"));
        ck_assert(json_is_null(json_object_get(head, "shapley")));
        int layer, number;
        double gradient, gradient_error, normalised, zero;
        ck_assert_int_eq(sscanf(row, "%d,%d,%*[^,],%lf,%lf,%lf,%lf,", &layer, &number, &gradient, &gradient_error,
                                &normalised, &zero),
                         6);
        ck_assert_int_eq(layer * 2 + number, (int)i);
        ck_assert_double_eq(gradient, number_at(head, "importance"));
        ck_assert_double_eq(gradient_error, number_at(head, "importance_error"));
        ck_assert_double_eq(normalised, number_at(head, "importance_normalised"));
        ck_assert_double_eq(zero, number_at(head, "zero"));
    }
}

TEST(shapley_values_sum_to_what_all_heads_take_off_the_loss)
{
    const char *folder = TINY_RUN("run");
    json_t *root = ANSWER("importance", folder, "--shapley", "--json");
    double sum = 0;
    for (size_t i = 0; i < HEADS; i++) {
        sum += number_at(item_at(root, "heads", i), "shapley");
    }
    json_t *smallest = json_object_get(root, "smallest_set");
    ck_assert_uint_le(json_array_size(json_object_get(smallest, "heads")), HEADS);
    ck_assert_double_ge(number_at(smallest, "accuracy"), 0);
    run_result run = HEADS("importance", folder, "--shapley");
    const char *words = strstr(answer_flat(run.out), "The values sum to");
    ck_assert_msg(words != NULL, "%s", run.out);
    double told, none, whole;
    ck_assert_int_eq(
        sscanf(words, "The values sum to %lf, from a loss of %lf without heads to %lf with all.", &told, &none, &whole),
        3);
    ck_assert_double_eq_tol(told, sum, 5e-5 + 1e-6);
    ck_assert_double_eq_tol(none - whole, sum, 1e-4 + 1e-6);
    ck_assert_double_eq_tol(whole, number_at(root, "loss"), 5e-5 + 1e-9);
    ck_assert_ptr_nonnull(strstr(run.out, "The fewest heads that keep 99% of the accuracy: "));
}

TEST(a_step_is_looked_at_where_its_weights_were_kept)
{
    const char *folder = TINY_RUN("run", "train.keep_checkpoints=9", "patterns.every=2");
    SAYS(HEADS("importance", folder, "--step", "12"), ", step 12\n");
    REFUSED(HEADS("importance", folder, "--step", "2"), 2, "runs.the_weights_of_step_2_were");
}

TEST(what_cannot_be_measured_is_one_line)
{
    const char *folder = TINY_RUN("many", "model.heads=16,1", "train.steps=1");
    run_result run = REFUSED(HEADS("importance", folder, "--shapley"), 2, "runs.shapley_has_17_heads_and_their");
    ck_assert_str_eq(run.out, "");
    OK(HEADS("importance", folder));
    REFUSED(HEADS("importance", folder, "--head", "L0H0"), 2, "runs.head_is_for_the_verb_map_2");
    const char *bare = TINY_RUN("bare", "patterns.examples=0", "train.steps=1");
    REFUSED(HEADS("importance", bare), 3, "runs.no_patterns_were_recorded_patterns_examples");
}

SUITE("heads importance")
