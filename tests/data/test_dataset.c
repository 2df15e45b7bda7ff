#include "core/base/memory.h"
#include "tests/data/dataset_examples.h"
#include "tests/fault_checks.h"

#include <string.h>

static const hl_task_spec variable_copy = { .name = "copy", .length = 9, .min_length = 3, .symbols = 5 };

/* Every task has a row. */
static const struct {
    hl_task_spec spec;
    bool states_sources; /* one for every answer; else for none */
} specs[] = {
    { { .name = "copy", .length = 10, .min_length = 10, .symbols = 16 }, true },
    { { .name = "copy", .length = 9, .min_length = 3, .symbols = 5 }, true },
    { { .name = "identity_copy", .length = 12, .min_length = 4, .symbols = 7 }, false },
    { { .name = "reverse", .length = 8, .min_length = 2, .symbols = 30 }, true },
    { { .name = "shift", .length = 6, .min_length = 5, .symbols = 4, .shift = -2 }, true },
    { { .name = "sort", .length = 7, .min_length = 4, .symbols = 9 }, true },
    { { .name = "recall", .symbols = 12, .pairs = 4, .queries = 3 }, true },
    { { .name = "agreement", .length = 24, .min_length = 8 }, true },
    { { .name = "ngram", .length = 12, .min_length = 9, .symbols = 3, .order = 4 }, false },
    { { .name = "markov", .length = 12, .min_length = 9, .symbols = 3 }, false },
    { { .name = "attachment", .length = 14, .min_length = 10 }, true },
};

TEST(every_task_has_a_spec_here)
{
    for (int i = 0; hl_task_at(i) != NULL; i++) {
        int rows = 0;
        for (int k = 0; k < ROWS(specs); k++) {
            rows += strcmp(specs[k].spec.name, hl_task_at(i)->name) == 0;
        }
        ck_assert_msg(rows > 0, "the task %s has no row in specs", hl_task_at(i)->name);
    }
}

/* Row b of one batch against row c of another, possibly narrower or wider. */
static void assert_same_example(const hl_examples *one, int64_t b, const hl_examples *other, int64_t c)
{
    int32_t length = one->lengths[b];
    ck_assert_int_eq(length, other->lengths[c]);
    size_t bytes = (size_t)length * sizeof(int32_t);
    ck_assert_mem_eq(one->tokens + b * one->n_tokens, other->tokens + c * other->n_tokens, bytes);
    ck_assert_mem_eq(one->targets + b * one->n_tokens, other->targets + c * other->n_tokens, bytes);
    ck_assert_mem_eq(one->sources + b * one->n_tokens, other->sources + c * other->n_tokens, bytes);
    int64_t R = one->n_relations;
    ck_assert_int_eq(R, other->n_relations);
    for (int64_t r = 0; r < R; r++) {
        ck_assert_mem_eq(one->relations + (b * R + r) * one->n_tokens, other->relations + (c * R + r) * other->n_tokens,
                         bytes);
    }
}

LOOP_TEST(an_example_is_the_same_alone_in_any_batch_and_in_any_order, 0, ROWS(specs))
{
    hl_dataset *dataset = open_dataset(specs[_i].spec, 42);
    hl_dataset *again = open_dataset(specs[_i].spec, 42);
    int64_t longest = hl_dataset_sizes(dataset)->longest;
    for (int split = HL_TRAIN; split <= HL_VALIDATION; split++) {
        hl_examples whole = read_batch(dataset, split, 100, 40, longest);
        for (int64_t i = 39; i >= 0; i--) {
            hl_examples alone = read_batch(again, split, 100 + i, 1, longest + 3);
            assert_same_example(&alone, 0, &whole, i);
        }
        hl_examples later = read_batch(dataset, split, 120, 20, longest);
        for (int64_t i = 0; i < 20; i++) {
            assert_same_example(&later, i, &whole, 20 + i);
        }
    }
}

/* Partners are real tokens of the same example, and padding has none. */
static void expect_relations_within(const hl_examples *batch)
{
    int64_t R = batch->n_relations, T = batch->n_tokens, pairs = 0;
    for (int64_t i = 0; i < batch->n_examples * R * T; i++) {
        int32_t partner = batch->relations[i], length = batch->lengths[i / T / R];
        ck_assert(partner == HL_IGNORE || (partner >= 0 && partner < length && i % T < length));
        pairs += partner != HL_IGNORE;
    }
    ck_assert_int_ge(pairs, batch->n_examples * R / 4);
}

LOOP_TEST(rows_are_padded_past_their_length_and_sources_hold_the_answer, 0, ROWS(specs))
{
    hl_dataset *dataset = open_dataset(specs[_i].spec, 3);
    int64_t longest = hl_dataset_sizes(dataset)->longest, T = longest + 2;
    int64_t V = hl_vocabulary_size(hl_dataset_vocabulary(dataset)), R = hl_dataset_sizes(dataset)->relations;
    ck_assert_int_eq(V, hl_task_sizes_of(&specs[_i].spec).vocabulary);
    int64_t scored = 0, sources = 0;
    for (int split = HL_TRAIN; split <= HL_VALIDATION; split++) {
        hl_examples batch;
        CHECK_OK(hl_examples_allocate(200, T, R, &batch));
        memset(batch.tokens, 0x55, hl_examples_bytes(200, T, R)); /* what an earlier batch left */
        hl_dataset_examples(dataset, split, 0, &batch);
        for (int64_t i = 0; i < 200 * T; i++) {
            int64_t t = i % T, row = i - t;
            if (t >= batch.lengths[i / T]) {
                ck_assert_int_eq(batch.tokens[i], HL_PAD);
                ck_assert_int_eq(batch.targets[i], HL_IGNORE);
                ck_assert_int_eq(batch.sources[i], HL_IGNORE);
                continue;
            }
            ck_assert_int_gt(batch.tokens[i], HL_PAD);
            ck_assert_int_lt(batch.tokens[i], V);
            scored += batch.targets[i] != HL_IGNORE;
            if (batch.sources[i] != HL_IGNORE) {
                int32_t source = batch.tokens[row + batch.sources[i]];
                ck_assert(R == 0 ? source == batch.targets[i] : source >= HL_SPECIAL_TOKENS);
                sources++;
            }
        }
        expect_relations_within(&batch);
        for (int64_t b = 0; b < 200; b++) {
            ck_assert_int_ge(batch.lengths[b], 1);
            ck_assert_int_le(batch.lengths[b], longest);
        }
        hl_examples_free(&batch);
    }
    ck_assert_int_ge(scored, 2 * 200); /* no example asks for nothing */
    ck_assert_int_eq(sources, specs[_i].states_sources ? scored : 0);
}

TEST(the_numbers_are_these)
{
    static const int32_t train[3][5] = { { 5, 4, 5, 8, 10 }, { 16, 5, 7, 16, 3 }, { 9, 15, 14, 3, 8 } };
    static const int32_t validation[3][5] = { { 11, 16, 7, 16, 4 }, { 6, 16, 3, 5, 5 }, { 9, 13, 3, 10, 10 } };
    hl_dataset *dataset =
        open_dataset((hl_task_spec){ .name = "identity_copy", .length = 5, .min_length = 5, .symbols = 16 }, 1);
    hl_examples batch = read_batch(dataset, HL_TRAIN, 0, 3, 5);
    ck_assert_mem_eq(batch.tokens, train, sizeof train);
    hl_dataset_examples(dataset, HL_VALIDATION, 0, &batch);
    ck_assert_mem_eq(batch.tokens, validation, sizeof validation);
}

TEST(seeds_splits_and_indices_give_other_examples)
{
    hl_task_spec spec = { .name = "copy", .length = 10, .min_length = 10, .symbols = 16 };
    hl_dataset *one = open_dataset(spec, 1), *two = open_dataset(spec, 2), *high = open_dataset(spec, 1 + (1ull << 32));
    hl_examples batches[] = {
        read_batch(one, HL_TRAIN, 0, 100, 21),
        read_batch(one, HL_TRAIN, 100, 100, 21),
        read_batch(two, HL_TRAIN, 0, 100, 21),
        read_batch(high, HL_TRAIN, 0, 100, 21),
        read_batch(one, HL_VALIDATION, 0, 100, 21),
        read_batch(one, HL_TRAIN, 1ll << 40, 100, 21),
        read_batch(one, HL_TRAIN, (1ll << 56) - 100, 100, 21),
    };
    int same = 0;
    for (int i = 0; i < 700; i++) { /* among 16^10 sequences no two of 700 are the same */
        for (int j = 0; j < i; j++) {
            const int32_t *x = batches[i / 100].tokens + i % 100 * 21, *y = batches[j / 100].tokens + j % 100 * 21;
            same += memcmp(x, y, 10 * sizeof *x) == 0;
        }
    }
    ck_assert_int_eq(same, 0);
}

enum { DRAWN = 20000, SPACE = 1 << 20 };

/* Marks the token sequences of DRAWN examples; the number of different ones. A sequence is counted by its length and
 * first `digits` tokens, which must tell all examples apart. */
static int mark(const hl_dataset *dataset, hl_split split, int64_t digits, bool *seen)
{
    int64_t T = hl_dataset_sizes(dataset)->longest, V = hl_vocabulary_size(hl_dataset_vocabulary(dataset));
    hl_examples batch = read_batch(dataset, split, 0, DRAWN, T);
    int different = 0, outside = 0;
    for (int64_t b = 0; b < DRAWN; b++) {
        int64_t code = batch.lengths[b];
        for (int64_t t = 0; t < digits && t < T; t++) {
            code = code * V + batch.tokens[b * T + t];
        }
        outside += code >= SPACE;
        different += !seen[code % SPACE];
        seen[code % SPACE] = true;
    }
    ck_assert_int_eq(outside, 0);
    return different;
}

static const struct {
    hl_task_spec spec;
    int64_t digits; /* tokens that tell examples apart */
    int different;  /* sequences there are in all */
} small_spaces[] = {
    { { .name = "copy", .length = 6, .min_length = 4, .symbols = 2 }, 6, 16 + 32 + 64 },
    { { .name = "identity_copy", .length = 3, .min_length = 2, .symbols = 6 }, 3, 36 + 216 },
    { { .name = "sort", .length = 4, .min_length = 4, .symbols = 4 }, 4, 256 },
    { { .name = "recall", .symbols = 4, .pairs = 2, .queries = 1 }, 6, 2 * 4 * 2 },
};

LOOP_TEST(splits_share_no_sequence_and_leave_none_out, 0, 4)
{
    bool *train = hl_calloc(SPACE, 1), *validation = hl_calloc(SPACE, 1);
    hl_dataset *dataset = open_dataset(small_spaces[_i].spec, 1);
    hl_dataset *other = open_dataset(small_spaces[_i].spec, 99);
    int in_train = mark(dataset, HL_TRAIN, small_spaces[_i].digits, train);
    int in_validation = mark(dataset, HL_VALIDATION, small_spaces[_i].digits, validation);
    ck_assert_int_gt(in_validation, 0);
    ck_assert_int_gt(in_train, in_validation);
    ck_assert_int_eq(in_train + in_validation, small_spaces[_i].different);
    /* Another seed draws from the same two sets. */
    ck_assert_int_eq(mark(other, HL_TRAIN, small_spaces[_i].digits, train), 0);
    ck_assert_int_eq(mark(other, HL_VALIDATION, small_spaces[_i].digits, validation), 0);
    int shared = 0;
    for (int64_t i = 0; i < SPACE; i++) {
        shared += train[i] && validation[i];
    }
    ck_assert_int_eq(shared, 0);
    hl_free(train);
    hl_free(validation);
}

/* The sentences of three words, masks filled in, by noun and number. */
static void mark_sentences(hl_split split, bool seen[32])
{
    hl_dataset *dataset = open_dataset((hl_task_spec){ .name = "agreement", .length = 3, .min_length = 3 }, 1);
    const hl_vocabulary *vocabulary = hl_dataset_vocabulary(dataset);
    hl_examples batch = read_batch(dataset, split, 0, 2000, 3);
    for (int b = 0; b < 2000; b++) {
        int32_t noun = batch.tokens[3 * b + 1] == HL_MASK ? batch.targets[3 * b + 1] : batch.tokens[3 * b + 1];
        int32_t form = noun - hl_vocabulary_find(vocabulary, "king");
        ck_assert(form >= 0 && form < 32);
        seen[form] = true;
    }
}

TEST(splits_share_no_sentence_whichever_words_are_masked)
{
    bool train[32] = { false }, validation[32] = { false };
    mark_sentences(HL_TRAIN, train);
    mark_sentences(HL_VALIDATION, validation);
    int in_validation = 0;
    for (int i = 0; i < 32; i++) {
        ck_assert(train[i] != validation[i]);
        in_validation += validation[i];
    }
    ck_assert(in_validation > 0 && in_validation < 16);
}

TEST(validation_holds_every_length_equally_often)
{
    hl_dataset *dataset = open_dataset(variable_copy, 1);
    ck_assert_int_eq(hl_dataset_sizes(dataset)->n_lengths, 7);
    ck_assert_int_eq(hl_dataset_sizes(dataset)->longest, 19);
    ck_assert_double_eq_tol(hl_dataset_sizes(dataset)->mean, 13, 1e-9);
    hl_examples batch = read_batch(dataset, HL_VALIDATION, 0, 70, 19);
    int seen[20] = { 0 };
    for (int i = 0; i < 70; i++) {
        seen[batch.lengths[i]]++;
    }
    for (int n = 3; n <= 9; n++) {
        ck_assert_int_eq(seen[2 * n + 1], 10);
    }
}

TEST(every_second_validation_example_holds_every_length_equally_often)
{
    for (int count = 1; count <= 6; count++) {
        hl_task_spec spec = { .name = "identity_copy", .length = 3 + count, .min_length = 4, .symbols = 8 };
        hl_dataset *dataset = open_dataset(spec, 1);
        ck_assert_int_eq(hl_dataset_sizes(dataset)->n_lengths, count);
        hl_examples batch = read_batch(dataset, HL_VALIDATION, 0, 4 * count, 3 + count);
        int seen[2][10] = { { 0 } }, in_round[4][10] = { { 0 } };
        for (int i = 0; i < 4 * count; i++) {
            seen[i % 2][batch.lengths[i]]++;
            in_round[i / count][batch.lengths[i]]++;
        }
        for (int n = 4; n < 4 + count; n++) {
            ck_assert_int_eq(seen[0][n], 2);
            ck_assert_int_eq(seen[1][n], 2);
            for (int round = 0; round < 4; round++) {
                ck_assert_int_eq(in_round[round][n], 1);
            }
        }
    }
}

TEST(training_draws_every_length_equally_often)
{
    /* Where short sequences are few and often in the wrong split, too. */
    hl_dataset *dataset = open_dataset((hl_task_spec){ .name = "copy", .length = 8, .min_length = 4, .symbols = 2 }, 1);
    hl_examples batch = read_batch(dataset, HL_TRAIN, 0, DRAWN, 17);
    int seen[18] = { 0 };
    for (int i = 0; i < DRAWN; i++) {
        seen[batch.lengths[i]]++;
    }
    for (int n = 4; n <= 8; n++) {
        ck_assert_int_gt(seen[2 * n + 1], 3750); /* 4000 expected, standard deviation 57 */
        ck_assert_int_lt(seen[2 * n + 1], 4250);
    }
}

TEST(symbols_are_even_at_every_position_in_both_splits)
{
    hl_dataset *dataset =
        open_dataset((hl_task_spec){ .name = "identity_copy", .length = 6, .min_length = 6, .symbols = 16 }, 7);
    for (int split = HL_TRAIN; split <= HL_VALIDATION; split++) {
        hl_examples batch = read_batch(dataset, split, 0, DRAWN, 6);
        int seen[6][16] = { { 0 } };
        for (int i = 0; i < DRAWN * 6; i++) {
            seen[i % 6][batch.tokens[i] - HL_SPECIAL_TOKENS]++;
        }
        for (int i = 0; i < 6 * 16; i++) {
            ck_assert_int_gt(seen[i / 16][i % 16], 1080); /* 1250 expected, standard deviation 34 */
            ck_assert_int_lt(seen[i / 16][i % 16], 1420);
        }
    }
}

TEST(a_batchs_tokens_are_its_longest_example)
{
    hl_dataset *dataset = open_dataset(variable_copy, 5);
    bool shorter = false;
    for (int split = HL_TRAIN; split <= HL_VALIDATION; split++) {
        for (int64_t first = 0; first < 60; first += 3) {
            int64_t n_tokens = hl_dataset_longest(dataset, split, first, 3);
            hl_examples batch = read_batch(dataset, split, first, 3, 19);
            int32_t longest = 0;
            for (int b = 0; b < 3; b++) {
                longest = batch.lengths[b] > longest ? batch.lengths[b] : longest;
            }
            ck_assert_int_eq(n_tokens, longest);
            shorter = shorter || n_tokens < 19;
            batch.n_tokens = n_tokens; /* the same memory serves a trimmed batch */
            hl_dataset_examples(dataset, split, first, &batch);
            hl_examples again = read_batch(dataset, split, first, 3, 19);
            for (int b = 0; b < 3; b++) {
                assert_same_example(&batch, b, &again, b);
            }
        }
    }
    ck_assert(shorter);
}

LOOP_TEST(filling_a_batch_allocates_nothing, 0, ROWS(specs))
{
    hl_dataset *dataset = open_dataset(specs[_i].spec, 1);
    hl_examples batch = read_batch(dataset, HL_TRAIN, 0, 50, hl_dataset_sizes(dataset)->longest);
    faults_begin();
    hl_dataset_examples(dataset, HL_VALIDATION, 50, &batch);
    ck_assert_int_eq(hl_dataset_longest(dataset, HL_TRAIN, 50, 50), hl_dataset_sizes(dataset)->longest);
    ck_assert_int_eq(faults_allocations(), 0);
    faults_end();
}

SUITE("dataset")
