#include "tests/data/dataset_examples.h"
#include "tests/fault_checks.h"

#include <string.h>

static const hl_task_spec variable_copy = { .name = "copy", .length = 9, .min_length = 3, .symbols = 5 };

TEST(too_few_sequences_for_two_splits_are_refused)
{
    hl_dataset *dataset = NULL;
    hl_task_spec two_symbols = { .name = "identity_copy", .length = 10, .min_length = 2, .symbols = 2 };
    hl_status status = hl_dataset_open(&two_symbols, 1, &dataset);
    ck_assert_int_eq(status.code, HL_INVALID);
    ck_assert_str_eq(status.text, "task.symbols = 2: too few different examples of size 2 for a validation set that "
                                  "shares none with training; raise task.symbols or task.min_length");
    hl_task_spec one_key = { .name = "recall", .symbols = 2, .pairs = 1, .queries = 1 };
    status = hl_dataset_open(&one_key, 1, &dataset);
    ck_assert_int_eq(status.code, HL_INVALID);
    ck_assert_str_eq(status.text, "task.symbols = 2: too few different examples of size 1 for a validation set that "
                                  "shares none with training; raise task.symbols or task.pairs");
    /* Three symbols: both splits have sequences of length 1, one of them has none of length 2. */
    hl_task_spec second = { .name = "identity_copy", .length = 2, .min_length = 1, .symbols = 3 };
    status = hl_dataset_open(&second, 1, &dataset);
    ck_assert_int_eq(status.code, HL_INVALID);
    ck_assert_ptr_nonnull(strstr(status.text, "of size 2"));
    ck_assert_ptr_null(dataset);
}

TEST(whether_a_spec_is_accepted_does_not_depend_on_the_seed)
{
    int accepted = 0;
    for (int symbols = 2; symbols <= 20; symbols++) {
        hl_task_spec spec = { .name = "identity_copy", .length = 2, .min_length = 1, .symbols = symbols };
        int here = 0;
        for (uint64_t seed = 0; seed < 20; seed++) {
            hl_dataset *dataset = NULL;
            here += hl_dataset_open(&spec, seed, &dataset).code == HL_OK;
            hl_dataset_free(dataset);
        }
        ck_assert(here == 0 || here == 20);
        accepted += here > 0;
    }
    ck_assert_int_gt(accepted, 0);
    ck_assert_int_lt(accepted, 20);
}

TEST(a_spec_out_of_range_is_refused)
{
    hl_dataset *dataset = NULL;
    hl_task_spec spec = variable_copy;
    spec.length = INT64_MAX;
    ck_assert_int_eq(hl_dataset_open(&spec, 1, &dataset).code, HL_INVALID);
    spec = variable_copy;
    spec.name = "no task";
    ck_assert_int_eq(hl_dataset_open(&spec, 1, &dataset).code, HL_INVALID);
    ck_assert_ptr_null(dataset);
}

TEST(the_largest_specs_open_and_work)
{
    hl_task_spec spec = { .name = "copy", .length = HL_TASK_MAX_SIZE, .min_length = 1, .symbols = HL_TASK_MAX_SYMBOLS };
    hl_dataset *dataset = open_dataset(spec, UINT64_MAX);
    ck_assert_int_eq(hl_dataset_sizes(dataset)->n_lengths, HL_TASK_MAX_SIZE);
    hl_examples batch = read_batch(dataset, HL_VALIDATION, HL_TASK_MAX_SIZE - 1, 1, hl_dataset_sizes(dataset)->longest);
    ck_assert_int_eq(batch.lengths[0], 2 * HL_TASK_MAX_SIZE + 1);
    ck_assert_int_eq(hl_examples_scored(&batch), HL_TASK_MAX_SIZE);
}

TEST(sentences_of_every_length_open)
{
    for (int64_t n = 3; n <= 30; n++) {
        hl_dataset *dataset = open_dataset((hl_task_spec){ .name = "agreement", .length = n, .min_length = n }, 1);
        ck_assert_int_eq(hl_dataset_sizes(dataset)->longest, n);
    }
    open_dataset((hl_task_spec){ .name = "agreement", .length = HL_TASK_MAX_SIZE, .min_length = 3 }, 1);
}

TEST(a_spec_and_its_name_need_not_outlive_the_opening)
{
    char name[] = "recall";
    hl_task_spec spec = { .name = name, .symbols = 12, .pairs = 4, .queries = 3 };
    hl_dataset *dataset = open_dataset(spec, 1);
    memset(name, 'x', sizeof name);
    memset(&spec, 0, sizeof spec);
    ck_assert_int_eq(read_batch(dataset, HL_TRAIN, 0, 2, hl_dataset_sizes(dataset)->longest).lengths[1], 12);
    hl_dataset_free(NULL);
}

TEST(every_allocation_may_fail)
{
    faults_begin();
    int n = 0;
    while (fault_checks_next(&n, FAULTS_FOR_EVER)) {
        hl_dataset *dataset = NULL;
        hl_status status = hl_dataset_open(&variable_copy, 1, &dataset);
        fault_checks_turn(status);
        ck_assert((dataset != NULL) == (status.code == HL_OK));
        hl_dataset_free(dataset);
    }
    ck_assert_int_gt(n, 6);
    faults_end();
}

SUITE("opening a dataset")
