#include "data/batch_storage.h"

#include "tests/data/dataset_examples.h"

#include <string.h>

static const int32_t first[3] = { 3, 4, 5 }, targets[3] = { HL_IGNORE, 7, 8 }, second[2] = { 6, 7 };

TEST(examples_lie_end_to_end_without_padding)
{
    static const int32_t offsets[] = { 0, 3, 5, 7 };
    static const int32_t tokens[] = { 3, 4, 5, 6, 7, 6, 7 };
    static const int32_t positions[] = { 0, 1, 2, 0, 1, 0, 1 };
    static const int64_t places[] = { 0, 1, 2, 9, 10, 18, 19 };
    static const int32_t target_rows[] = { 1, 2, 5, 6 };
    static const int32_t target_ids[] = { 7, 8, 6, 7 };
    hl_batch_storage s;
    CHECK_OK(hl_batch_storage_init(&s, 3, 8, 9));
    CHECK_OK(hl_batch_storage_add(&s, first, targets, 3));
    CHECK_OK(hl_batch_storage_add(&s, second, NULL, 2));
    CHECK_OK(hl_batch_storage_add(&s, second, second, 2));
    const hl_batch *b = &s.batch;
    ck_assert(b->n_examples == 3 && b->n_rows == 7 && b->longest == 3 && b->n_targets == 4);
    ck_assert_mem_eq(b->offsets, offsets, sizeof offsets);
    ck_assert_mem_eq(b->tokens, tokens, sizeof tokens);
    ck_assert_mem_eq(b->positions, positions, sizeof positions);
    ck_assert_mem_eq(b->places, places, sizeof places);
    ck_assert_mem_eq(b->target_rows, target_rows, sizeof target_rows);
    ck_assert_mem_eq(b->target_ids, target_ids, sizeof target_ids);
    hl_batch_storage_clear(&s);
    ck_assert(b->n_examples == 0 && b->n_rows == 0 && b->n_targets == 0 && b->longest == 0);
    hl_batch_storage_free(&s);
    hl_batch_storage_free(&s); /* twice is allowed */
}

TEST(types_and_unseen_targets_come_along)
{
    hl_examples examples = { 0 };
    hl_batch_storage s = { 0 };
    CHECK_OK(hl_examples_allocate_text(2, 3, true, &examples));
    memcpy(examples.types, (int32_t[]){ 0, 1, 0, 0, 1, 1 }, 6 * sizeof *examples.types);
    memcpy(examples.targets, (int32_t[]){ HL_IGNORE, 4, 0, HL_IGNORE, HL_IGNORE, HL_UNSEEN },
           6 * sizeof *examples.targets);
    memcpy(examples.lengths, (int32_t[]){ 2, 3 }, 2 * sizeof *examples.lengths);
    ck_assert_ptr_eq(hl_examples_slice(&examples, 1, 1).types, examples.types + 3);
    ck_assert_ptr_eq(hl_examples_slice(&examples, 1, 1).words, examples.words + 3);
    ck_assert(examples.n_relations == 0 && examples.relations == NULL);
    CHECK_OK(hl_batch_storage_of(&s, &examples, 3));
    static const int32_t types[] = { 0, 1, 0, 1, 1 };
    for (int i = 0; i < 5; i++) {
        ck_assert_int_eq(s.batch.types[i], types[i]);
    }
    ck_assert(s.batch.n_targets == 2 && s.batch.target_rows[1] == 4 && s.batch.target_ids[1] == HL_IGNORE);
    ck_assert_ptr_eq(hl_batch_slice(&s.batch, 1, 1).types, s.batch.types + 2);
    hl_batch_storage_clear(&s); /* types of an earlier batch do not stay */
    CHECK_OK(hl_batch_storage_add(&s, first, NULL, 3));
    ck_assert(s.batch.types[0] == 0 && s.batch.types[1] == 0 && s.batch.types[2] == 0);
    hl_batch_storage_free(&s);
    hl_examples_free(&examples);
    CHECK_OK(hl_examples_allocate_text(2, 3, false, &examples));
    ck_assert_ptr_null(examples.types);
    CHECK_OK(hl_batch_storage_init(&s, 2, 6, 3));
    ck_assert_ptr_null(s.batch.types);
    hl_batch_storage_free(&s);
    hl_examples_free(&examples);
}

TEST(what_does_not_fit_changes_nothing)
{
    hl_batch_storage s;
    CHECK_OK(hl_batch_storage_init(&s, 2, 4, 3));
    CHECK_OK(hl_batch_storage_add(&s, first, targets, 3));
    ck_assert_int_eq(hl_batch_storage_add(&s, second, NULL, 2).code, HL_INVALID); /* of five rows */
    ck_assert_int_eq(hl_batch_storage_add(&s, second, NULL, 0).code, HL_INVALID);
    ck_assert_int_eq(hl_batch_storage_add(&s, second, NULL, 4).code, HL_INVALID); /* longer than the model's examples */
    ck_assert_int_eq(hl_batch_storage_add(&s, NULL, NULL, 1).code, HL_INVALID);
    ck_assert(s.batch.n_examples == 1 && s.batch.n_rows == 3 && s.batch.n_targets == 2);
    CHECK_OK(hl_batch_storage_add(&s, second, NULL, 1));
    hl_batch_storage_clear(&s);
    for (int i = 0; i < 2; i++) {
        CHECK_OK(hl_batch_storage_add(&s, second, NULL, 1));
    }
    ck_assert_int_eq(hl_batch_storage_add(&s, second, NULL, 1).code, HL_INVALID); /* the third example */
    hl_batch_storage_free(&s);
    ck_assert_int_eq(hl_batch_storage_init(&s, 0, 4, 3).code, HL_INVALID);
    ck_assert_int_eq(hl_batch_storage_init(&s, 2, (int64_t)1 << 40, 3).code, HL_INVALID);
    ck_assert_int_eq(hl_batch_storage_init(&s, 2, 4, 0).code, HL_INVALID);
}

/* The batch of a dataset is its examples, packed. */
TEST(a_datasets_batch_is_its_examples_without_padding)
{
    enum { N = 20, FIRST = 7 };
    hl_dataset *dataset = open_dataset((hl_task_spec){ .name = "copy", .length = 6, .min_length = 2, .symbols = 9 }, 3);
    int64_t T = hl_dataset_sizes(dataset)->longest;
    hl_examples examples = read_batch(dataset, HL_TRAIN, FIRST, N, T);
    hl_batch_storage made, packed;
    CHECK_OK(hl_batch_storage_of(&packed, &examples, 40));
    CHECK_OK(hl_dataset_storage(dataset, N, N * T, 40, &made));
    CHECK_OK(hl_dataset_batch(dataset, HL_TRAIN, FIRST, N, &made));
    const hl_batch *a = &made.batch, *b = &packed.batch;
    ck_assert(a->n_examples == N && a->n_rows == b->n_rows && a->n_targets == b->n_targets && a->longest == b->longest);
    ck_assert_int_lt(a->n_rows, N * T);
    ck_assert_int_eq(a->n_targets, hl_examples_scored(&examples));
    ck_assert_mem_eq(a->offsets, b->offsets, (N + 1) * sizeof(int32_t));
    ck_assert_mem_eq(a->tokens, b->tokens, (size_t)a->n_rows * sizeof(int32_t));
    ck_assert_mem_eq(a->places, b->places, (size_t)a->n_rows * sizeof(int64_t));
    ck_assert_mem_eq(a->target_rows, b->target_rows, (size_t)a->n_targets * sizeof(int32_t));
    ck_assert_mem_eq(a->target_ids, b->target_ids, (size_t)a->n_targets * sizeof(int32_t));
    for (int64_t rows = 1; rows < N * T; rows += 5) {
        CHECK_OK(hl_dataset_fill(dataset, HL_TRAIN, FIRST, N, rows, &made));
        ck_assert_int_eq(a->n_examples, hl_batch_fitting(b, 0, rows));
    }
    ck_assert_int_eq(hl_dataset_batch(dataset, HL_TRAIN, -1, N, &made).code, HL_INVALID);
    ck_assert_int_eq(hl_dataset_batch(dataset, HL_TRAIN, 0, N, &packed).code, HL_INVALID); /* no room to make one */
    hl_batch_storage_free(&made);
    hl_batch_storage_free(&packed);
}

SUITE("batch storage")
