#include "tests/data/task_example.h"

#include <string.h>
#include <time.h>

static void check_symbols(const int32_t *tokens, int64_t n, int64_t symbols)
{
    for (int64_t i = 0; i < n; i++) {
        ck_assert_int_ge(tokens[i], HL_SPECIAL_TOKENS);
        ck_assert_int_lt(tokens[i], HL_SPECIAL_TOKENS + symbols);
    }
}

static void check_unscored(hl_example example, int64_t from, int64_t to)
{
    for (int64_t i = from; i < to; i++) {
        ck_assert_int_eq(example.targets[i], HL_IGNORE);
        ck_assert_int_eq(example.sources[i], HL_IGNORE);
    }
}

/* x_1 .. x_n <sep> <mask> * n, unscored up to the first slot, and every answer where its source says. */
static void check_slots(sample made, int64_t n, int64_t symbols)
{
    const hl_example example = made.example;
    ck_assert_int_eq(made.length, 2 * n + 1);
    check_symbols(example.tokens, n, symbols);
    ck_assert_int_eq(example.tokens[n], HL_SEPARATOR);
    check_unscored(example, 0, n + 1);
    for (int64_t i = n + 1; i < 2 * n + 1; i++) {
        ck_assert_int_eq(example.tokens[i], HL_MASK);
        ck_assert_int_ge(example.sources[i], 0);
        ck_assert_int_lt(example.sources[i], n);
        ck_assert_int_eq(example.tokens[example.sources[i]], example.targets[i]);
    }
}

static void check_copy(const hl_task_spec *spec, sample made, int64_t n)
{
    check_slots(made, n, spec->symbols);
    for (int64_t t = n + 1; t < made.length; t++) {
        ck_assert_int_eq(made.example.targets[t], made.example.tokens[t - (n + 1)]);
        ck_assert_int_eq(made.example.sources[t], t - (n + 1));
    }
}

static void check_reverse(const hl_task_spec *spec, sample made, int64_t n)
{
    check_slots(made, n, spec->symbols);
    for (int64_t t = n + 1; t < made.length; t++) {
        ck_assert_int_eq(made.example.targets[t], made.example.tokens[made.length - 1 - t]);
        ck_assert_int_eq(made.example.sources[t], made.length - 1 - t);
    }
}

static void check_shift(const hl_task_spec *spec, sample made, int64_t n)
{
    check_slots(made, n, spec->symbols);
    for (int64_t i = 0; i < n; i++) {
        /* Slot i + shift of an unbounded row of copies of x: moved into the first copy step by step. */
        int64_t place = i;
        for (int64_t k = spec->shift % n; k > 0; k--) {
            place = place == n - 1 ? 0 : place + 1;
        }
        for (int64_t k = spec->shift % n; k < 0; k++) {
            place = place == 0 ? n - 1 : place - 1;
        }
        ck_assert_int_eq(made.example.sources[n + 1 + i], place);
        ck_assert_int_eq(made.example.targets[n + 1 + i], made.example.tokens[place]);
    }
}

static void check_sort(const hl_task_spec *spec, sample made, int64_t n)
{
    check_slots(made, n, spec->symbols);
    const int32_t *sources = made.example.sources + n + 1;
    for (int64_t i = 0; i < n; i++) {
        /* The place of symbol i: how many are smaller, or equal and earlier. */
        int64_t place = 0;
        for (int64_t j = 0; j < n; j++) {
            place += made.example.tokens[j] < made.example.tokens[i];
            place += made.example.tokens[j] == made.example.tokens[i] && j < i;
        }
        ck_assert_int_eq(sources[place], i);
        ck_assert_int_eq(made.example.targets[n + 1 + place], made.example.tokens[i]);
    }
}

static void check_identity_copy(const hl_task_spec *spec, sample made, int64_t n)
{
    ck_assert_int_eq(made.length, n);
    check_symbols(made.example.tokens, n, spec->symbols);
    for (int64_t i = 0; i < n; i++) {
        ck_assert_int_eq(made.example.targets[i], made.example.tokens[i]);
        ck_assert_int_eq(made.example.sources[i], HL_IGNORE);
    }
}

static const struct {
    const char *name;
    void (*check)(const hl_task_spec *spec, sample made, int64_t n);
} sequence_tasks[] = {
    { "copy", check_copy },
    { "reverse", check_reverse },
    { "shift", check_shift },
    { "sort", check_sort },
    { "identity_copy", check_identity_copy },
};

LOOP_TEST(sequence_tasks_ask_for_what_they_say, 0, ROWS(sequence_tasks))
{
    static const int64_t lengths[] = { 1, 2, 3, 7, 10, 33 };
    static const int64_t symbols[] = { 2, 3, 16, 27, 1000, HL_TASK_MAX_SYMBOLS };
    static const int64_t shifts[] = { 0, 1, 3, -1, -12, 7, 34, INT64_MAX, INT64_MIN };
    for (int i = 0; i < 6 * 6 * 9; i++) {
        hl_task_spec spec = {
            .name = sequence_tasks[_i].name,
            .length = lengths[i % 6],
            .min_length = 1,
            .symbols = symbols[i / 6 % 6],
            .shift = shifts[i / 36],
        };
        for (uint64_t seed = 0; seed < 4; seed++) {
            int64_t n = seed % 2 == 0 ? spec.length : 1 + spec.length / 2; /* any size up to the length */
            n = n > spec.length ? spec.length : n;
            sample made = make_sample(&spec, n, seed);
            sequence_tasks[_i].check(&spec, made, n);
            release_sample(&spec, made);
        }
    }
}

LOOP_TEST(long_sequences_are_right_too, 0, ROWS(sequence_tasks))
{
    hl_task_spec spec = {
        .name = sequence_tasks[_i].name, .length = 2000, .min_length = 1, .symbols = 100, .shift = 777
    };
    sample made = make_sample(&spec, 2000, 1);
    sequence_tasks[_i].check(&spec, made, 2000);
    release_sample(&spec, made);
}

/* Processor time of 2 * HL_TASK_MAX_SIZE symbols to sort, in examples of n: the least of three times. */
static clock_t sorting_time(int64_t n)
{
    hl_task_spec spec = { .name = "sort", .length = n, .min_length = n, .symbols = HL_TASK_MAX_SYMBOLS };
    clock_t least = 0;
    for (int run = 0; run < 3; run++) {
        clock_t begin = clock();
        for (int64_t i = 0; i < 2 * HL_TASK_MAX_SIZE / n; i++) {
            release_sample(&spec, make_sample(&spec, n, (uint64_t)i));
        }
        clock_t taken = clock() - begin;
        least = run == 0 || taken < least ? taken : least;
    }
    return least;
}

TEST(the_longest_sequences_are_sorted_in_linear_time)
{
    hl_task_spec spec = { .name = "sort", .length = HL_TASK_MAX_SIZE, .min_length = 1, .symbols = HL_TASK_MAX_SYMBOLS };
    sample made = make_sample(&spec, HL_TASK_MAX_SIZE, 1);
    const int32_t *tokens = made.example.tokens, *sources = made.example.sources + HL_TASK_MAX_SIZE + 1;
    int wrong = 0, equal = 0;
    for (int i = 1; i < HL_TASK_MAX_SIZE; i++) {
        int32_t before = tokens[sources[i - 1]], token = tokens[sources[i]];
        wrong += before > token || (before == token && sources[i - 1] >= sources[i]);
        equal += before == token;
    }
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_gt(equal, 0);
    release_sample(&spec, made);
    /* Quadratic time would be 64 times as much; what is larger than a cache may take a few times as much. */
    ck_assert_int_lt(sorting_time(HL_TASK_MAX_SIZE), 16 * sorting_time(HL_TASK_MAX_SIZE / 64));
}

/* How often `token` stands among `count` tokens, `stride` apart. (Assertions are slow: loops within loops count.) */
static int count_token(const int32_t *tokens, int64_t count, int64_t stride, int32_t token)
{
    int found = 0;
    for (int64_t i = 0; i < count; i++) {
        found += tokens[i * stride] == token;
    }
    return found;
}

/* Keys that differ, values of their own range, queries that differ and are keys, each answered by the key's value. */
static void check_recall(const hl_task_spec *spec, sample made)
{
    const int32_t *tokens = made.example.tokens;
    int64_t pairs = spec->pairs, first_query = 2 * pairs + 1;
    int64_t first_value = HL_SPECIAL_TOKENS + spec->symbols / 2;
    ck_assert_int_eq(made.length, first_query + spec->queries);
    ck_assert_int_eq(tokens[2 * pairs], HL_SEPARATOR);
    check_unscored(made.example, 0, first_query);
    check_symbols(tokens, 2 * pairs, spec->symbols);
    for (int64_t i = 0; i < pairs; i++) {
        ck_assert_int_lt(tokens[2 * i], first_value);
        ck_assert_int_ge(tokens[2 * i + 1], first_value);
        ck_assert_int_eq(count_token(tokens, pairs, 2, tokens[2 * i]), 1);
    }
    for (int64_t q = first_query; q < made.length; q++) {
        ck_assert_int_eq(count_token(tokens, pairs, 2, tokens[q]), 1);
        ck_assert_int_eq(count_token(tokens + first_query, spec->queries, 1, tokens[q]), 1);
        int64_t key = 0;
        while (tokens[key] != tokens[q]) {
            key += 2;
        }
        ck_assert_int_eq(made.example.targets[q], tokens[key + 1]);
        ck_assert_int_eq(made.example.sources[q], key + 1);
    }
}

TEST(recall_answers_each_query_with_its_keys_value)
{
    static const struct {
        int64_t symbols, pairs, queries;
    } cases[] = { { 2, 1, 1 },  { 3, 1, 1 },   { 8, 4, 4 },      { 8, 4, 1 },
                  { 9, 4, 2 },  { 16, 8, 3 },  { 1000, 40, 40 }, { HL_TASK_MAX_SYMBOLS, 300, 299 },
                  { 64, 4, 4 }, { 64, 32, 32 } };
    for (int i = 0; i < ROWS(cases); i++) {
        hl_task_spec spec = {
            .name = "recall", .symbols = cases[i].symbols, .pairs = cases[i].pairs, .queries = cases[i].queries
        };
        for (uint64_t seed = 0; seed < 20; seed++) {
            sample made = make_sample(&spec, spec.pairs, seed);
            check_recall(&spec, made);
            release_sample(&spec, made);
        }
    }
}

/* The number 0 .. 5 of the order of three different numbers. */
static int permutation(int32_t a, int32_t b, int32_t c)
{
    return (a > b) + 2 * ((a > c) + (b > c));
}

TEST(recall_puts_keys_and_queries_in_every_order_equally_often)
{
    hl_task_spec spec = { .name = "recall", .symbols = 6, .pairs = 3, .queries = 3 };
    int keys[8] = { 0 }, queries[8] = { 0 }, values[3] = { 0 };
    for (uint64_t seed = 0; seed < 6000; seed++) {
        sample made = make_sample(&spec, 3, seed);
        const int32_t *tokens = made.example.tokens;
        const int32_t *sources = made.example.sources + 7;
        keys[permutation(tokens[0], tokens[2], tokens[4])]++;
        queries[permutation(sources[0], sources[1], sources[2])]++;
        values[tokens[1] - HL_SPECIAL_TOKENS - 3]++;
        release_sample(&spec, made);
    }
    int orders = 0;
    for (int i = 0; i < 8; i++) { /* 1000 expected of each that can be, standard deviation 29 */
        orders += keys[i] > 870 && keys[i] < 1130 && queries[i] > 870 && queries[i] < 1130;
    }
    ck_assert_int_eq(orders, 6);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_gt(values[i], 1830); /* 2000 expected, standard deviation 37 */
    }
}

TEST(recall_chooses_every_key_and_value_equally_often)
{
    hl_task_spec spec = { .name = "recall", .symbols = 21, .pairs = 4, .queries = 2 };
    int seen[21] = { 0 }; /* 10 keys, 11 values */
    for (uint64_t seed = 0; seed < 5000; seed++) {
        sample made = make_sample(&spec, 4, seed);
        for (int i = 0; i < 8; i++) {
            seen[made.example.tokens[i] - HL_SPECIAL_TOKENS]++;
        }
        release_sample(&spec, made);
    }
    for (int i = 0; i < 21; i++) { /* 2000 and 1818 expected, standard deviations 35 and 41 */
        ck_assert_int_gt(seen[i], i < 10 ? 1850 : 1650);
        ck_assert_int_lt(seen[i], i < 10 ? 2150 : 1990);
    }
}

TEST(tokens_have_readable_names)
{
    static const struct {
        hl_task_spec spec;
        const char *text;
    } cases[] = {
        { { .name = "copy", .symbols = 2 }, "<pad>\n<sep>\n<mask>\na\nb\n" },
        { { .name = "sort", .symbols = 3 }, "<pad>\n<sep>\n<mask>\na\nb\nc\n" },
        { { .name = "recall", .symbols = 5 }, "<pad>\n<sep>\n<mask>\na\nb\n0\n1\n2\n" },
    };
    for (int i = 0; i < ROWS(cases); i++) {
        hl_vocabulary *vocabulary;
        char *text;
        size_t size;
        CHECK_OK(hl_task_vocabulary(&cases[i].spec, &vocabulary));
        CHECK_OK(hl_vocabulary_text(vocabulary, &text, &size));
        ck_assert_str_eq(text, cases[i].text);
        hl_free(text);
        hl_vocabulary_free(vocabulary);
    }
}

TEST(more_symbols_than_letters_are_numbered)
{
    hl_task_spec spec = { .name = "copy", .symbols = 26 };
    hl_vocabulary *vocabulary;
    CHECK_OK(hl_task_vocabulary(&spec, &vocabulary));
    ck_assert_str_eq(hl_vocabulary_token(vocabulary, 28), "z");
    hl_vocabulary_free(vocabulary);
    spec.symbols = 27;
    CHECK_OK(hl_task_vocabulary(&spec, &vocabulary));
    ck_assert_str_eq(hl_vocabulary_token(vocabulary, 29), "s26");
    hl_vocabulary_free(vocabulary);
}

SUITE("tasks")
