#include "show/report_maps.h"

#include "show/private/packed.h"
#include "tests/check_suite.h"
#include "tests/fault_checks.h"
#include "tests/faults.h"
#include "tests/heads/example.h"
#include "tests/heads/made_up_run.h"
#include "tests/show/unpacked.h"

#include <math.h>
#include <stdio.h>

static made_up_run run;
static hl_report_maps maps;
static hl_patterns layers[2];

static void end(void)
{
    hl_report_maps_free(&maps);
    made_up_run_free(&run);
    run = (made_up_run){ 0 };
}

/* Makes a run in the place of the one before, and maps that nothing is added to. */
static void begin(int n_layers, int64_t H, int64_t E, int64_t T, int64_t n_snapshots)
{
    end();
    run = made_up_run_make(n_layers, H, E, T, n_snapshots);
    maps = (hl_report_maps){ .n_snapshots = n_snapshots };
    made_up_run_layers(&run, layers);
}

static hl_status add(int64_t step, int n_layers)
{
    return hl_report_maps_add(&maps, step, layers, n_layers, NULL);
}

TEST(levels_are_the_weights_of_the_first_examples)
{
    enum { LAYERS = 2, H = 3, E = 5, T = 6 };
    begin(LAYERS, H, E, T, 2);
    maps.max_examples = 3;
    expect_ok(made_up_run_add(&run, &maps, 0));
    ck_assert_int_eq(maps.n_kept, 2);
    ck_assert_int_eq(maps.kept[1].step, 10);
    ck_assert_int_eq(maps.examples.n_examples, 3);
    ck_assert_mem_eq(maps.examples.tokens, run.tokens, 3 * T * sizeof *run.tokens);
    ck_assert_mem_eq(maps.examples.sources, run.sources, 3 * T * sizeof *run.sources);
    enum { N = LAYERS * H * (T * T + 4 * 4 + T * T) };
    uint8_t numbers[2 * N];
    ck_assert_uint_eq(unpacked(maps.kept[1].levels, numbers, sizeof numbers), sizeof numbers);
    const uint8_t *at = numbers;
    for (int64_t l = 0; l < LAYERS; l++) {
        for (int64_t h = 0; h < H; h++) {
            for (int64_t e = 0; e < 3; e++) {
                for (int64_t i = 0; i < run.lengths[e]; i++) {
                    for (int64_t j = 0; j < run.lengths[e]; j++) {
                        hl_real weight = run.weights[(((l * E + e) * H + h) * T + i) * T + j];
                        long whole = lrint(1000 * (*at / 255.0) * (*at / 255.0)) + (int8_t)at[N];
                        ck_assert_int_eq(whole, lrint(1000 * (double)weight));
                        ck_assert_int_eq(*at++, hl_report_level((double)weight));
                    }
                }
            }
        }
    }
    hl_report_maps_free(&maps); /* which may be done again */
}

/* Keys behind a causal mask hold anything. */
TEST(a_forbidden_key_has_level_0)
{
    hl_real weights[] = { 1, 7, (hl_real)0.5, (hl_real)0.5 };
    hl_patterns layer = {
        .weights = weights, .lengths = &(int32_t){ 2 }, .n_heads = 1, .n_tokens = 2, .causal = true, .n_examples = 1
    };
    maps.n_snapshots = 1;
    expect_ok(hl_report_maps_add(&maps, 3, &layer, 1, NULL));
    uint8_t numbers[8];
    ck_assert_uint_eq(unpacked(maps.kept[0].levels, numbers, 8), 8);
    ck_assert_mem_eq(numbers, ((uint8_t[]){ 255, 0, 180, 180, 0, 0, 2, 2 }), 8);
    ck_assert(maps.causal && maps.examples.tokens == NULL && maps.examples.sources == NULL);
}

/* By looking at all levels. */
static int nearest_level(double weight, bool *exact)
{
    int best = -1;
    for (int pass = 0; best < 0; pass++) {
        *exact = pass == 0;
        for (int level = 0; level < 256; level++) {
            double root = level / 255.0, off = fabs(root - sqrt(weight));
            bool fits = pass > 0 || lrint(1000 * root * root) == lrint(1000 * weight);
            best = fits && (best < 0 || off <= fabs(best / 255.0 - sqrt(weight))) ? level : best;
        }
    }
    return best;
}

/* Each weight from 0 to 1 in thousandths, as printf rounds it. */
TEST(a_level_and_its_correction_make_thousandths)
{
    for (int i = 0; i <= 1 << 14; i++) {
        double weight = i / 16384.0, level = hl_report_level(weight) / 255.0;
        char exact[16], kept[16];
        bool makes;
        ck_assert_int_eq(hl_report_level(weight), nearest_level(weight, &makes));
        ck_assert_int_eq(hl_report_correction(weight) == 0, makes);
        snprintf(exact, sizeof exact, "%.3f", weight);
        snprintf(kept, sizeof kept, "%.3f",
                 (double)(lrint(1000 * level * level) + hl_report_correction(weight)) / 1000);
        ck_assert_str_eq(kept, exact);
    }
}

TEST(a_level_tells_small_weights_apart)
{
    ck_assert_int_eq(hl_report_level(1), 255);
    ck_assert_int_eq(hl_report_level(0.25), 128);
    ck_assert_int_eq(hl_report_level(1.0 / 64), 32);
    ck_assert_int_eq(hl_report_level(1.0 / 512), 11);
    ck_assert_int_eq(hl_report_level(0), 0);
    static const double outside[] = { -3, NAN, 1.001 };
    for (int i = 0; i < ROWS(outside); i++) {
        ck_assert_int_eq(hl_report_level(outside[i]), outside[i] > 1 ? 255 : 0);
        ck_assert_int_eq(hl_report_correction(outside[i]), 0);
    }
}

/* In the made-up run every second token is asked for; at the second of 2 snapshots the first half is right. */
TEST(predictions_are_the_largest_logits_where_something_is_asked)
{
    enum { E = 3, T = 8 };
    begin(1, 1, E, T, 2);
    maps.max_examples = 2;
    expect_ok(made_up_run_add(&run, &maps, 0));
    ck_assert_mem_eq(maps.examples.targets, run.targets, 2 * T * sizeof *run.targets);
    const int32_t *predictions = maps.kept[1].predictions;
    for (int64_t place = 0; place < 2 * T; place++) {
        int32_t target = run.targets[place];
        int32_t wrong = target == 3 ? 4 : target - 1;
        int32_t expected = target == HL_IGNORE ? HL_IGNORE : place % T < T / 2 ? target : wrong;
        ck_assert_int_eq(predictions[place], expected);
    }
    ck_assert_int_eq(predictions[1], 4);
    ck_assert_int_eq(predictions[T + 7], HL_IGNORE); /* padding */
    hl_real same[] = { 1, 3, 3, NAN };
    int32_t first;
    hl_answers one = { .n_tokens = 1, .n_targets = 4, .targets = &(int32_t){ 0 }, .logits = same };
    hl_answers_predict(&one, 0, 1, 1, &first);
    ck_assert_int_eq(first, 1);
}

/* 2 heads of 9 numbers a snapshot and example; 5 snapshots. */
TEST(too_many_numbers_cost_examples_then_snapshots_and_never_the_last)
{
    const struct {
        size_t limit;
        int64_t examples, kept, first;
    } cases[] = { { 0, 3, 5, 0 },  { 270, 3, 5, 0 }, { 269, 2, 5, 0 }, { 90, 1, 5, 0 },
                  { 89, 1, 3, 0 }, { 54, 1, 3, 0 },  { 53, 1, 2, 10 }, { 1, 1, 1, 40 } };
    for (int c = 0; c < ROWS(cases); c++) {
        begin(1, 2, 3, 3, 5);
        for (int64_t e = 0; e < 3; e++) {
            run.lengths[e] = 3;
        }
        maps.max_levels = cases[c].limit;
        expect_ok(made_up_run_add(&run, &maps, 0));
        ck_assert_int_eq(maps.examples.n_examples, cases[c].examples);
        ck_assert_int_eq(maps.n_kept, cases[c].kept);
        ck_assert_int_eq(maps.kept[0].step, cases[c].first);
        ck_assert_int_eq(maps.kept[maps.n_kept - 1].step, 40);
    }
}

TEST(other_snapshots_are_refused)
{
    begin(2, 2, 3, 4, 2);
    expect_ok(add(0, 2));
    ck_assert_int_eq(add(1, 1).code, HL_INVALID);
    layers[1].n_heads = 1;
    ck_assert_int_eq(add(1, 2).code, HL_INVALID);
    layers[1].n_heads = 2;
    layers[0].n_examples = 2; /* of the last one */
    ck_assert_int_eq(add(1, 2).code, HL_INVALID);
    layers[0].n_examples = 3;
    run.lengths[2] = 1;
    ck_assert_int_eq(add(1, 2).code, HL_INVALID);
    run.lengths[2] = 4;
    ck_assert_int_eq(maps.n_kept, 1);
    expect_ok(add(1, 2));
    ck_assert_int_eq(add(2, 2).code, HL_INVALID);
}

/* A run that went on with fewer examples and later with more. */
TEST(a_snapshot_in_between_that_lacks_examples_has_no_maps)
{
    begin(2, 2, 3, 4, 3);
    expect_ok(add(0, 2));
    layers[0].n_examples = layers[1].n_examples = 1;
    run.lengths[0]--;
    ck_assert_int_eq(add(10, 2).code, HL_INVALID);
    run.lengths[0]++;
    expect_ok(add(10, 2));
    layers[0].n_examples = layers[1].n_examples = 3;
    expect_ok(add(20, 2));
    ck_assert_int_eq(maps.examples.n_examples, 3);
    ck_assert_int_eq(maps.n_kept, 2);
    ck_assert_int_eq(maps.kept[0].step, 0);
    ck_assert_int_eq(maps.kept[1].step, 20);
}

TEST(any_number_of_threads_packs_the_same)
{
    begin(2, 2, 3, 6, 5);
    expect_ok(made_up_run_add(&run, &maps, 0));
    for (int threads = 1; threads < 7; threads++) {
        hl_report_maps others = { .n_snapshots = 5, .threads = threads };
        expect_ok(made_up_run_add(&run, &others, 0));
        for (int s = 0; s < 5; s++) {
            ck_assert_str_eq(others.kept[s].levels, maps.kept[s].levels);
            ck_assert_ptr_null(others.kept[s].numbers);
        }
        hl_report_maps_free(&others);
    }
}

TEST(want_of_memory_leaves_what_was_added)
{
    faults_begin();
    begin(1, 2, 3, 4, 3);
    int n = 0;
    while (fault_checks_next(&n, FAULTS_ONCE)) {
        maps = (hl_report_maps){ .n_snapshots = 3, .threads = 2 };
        fault_checks_turn(made_up_run_add(&run, &maps, 0));
        expect_ok(made_up_run_add(&run, &maps, maps.n_added));
        ck_assert_int_eq(maps.n_kept, 3);
        ck_assert(maps.kept[0].levels != NULL && maps.kept[1].levels != NULL && maps.kept[2].levels != NULL);
        hl_report_maps_free(&maps);
    }
    ck_assert_int_gt(n, 8);
    end();
    faults_end();
}

TEST(pieces_are_packed_as_the_whole)
{
    enum { SIZE = 100000 };
    static uint8_t bytes[SIZE];
    for (unsigned i = 0; i < SIZE; i++) {
        bytes[i] = (uint8_t)(i * i % 251 * (i / 1000 % 3));
    }
    char *whole = hl_packed(bytes, SIZE);
    ck_assert_ptr_nonnull(whole);
    for (size_t piece = 1; piece < SIZE; piece *= 7) {
        hl_text *text = scratch_text();
        hl_packer packer;
        hl_packer_begin(&packer, text);
        for (size_t first = 0; first < SIZE; first += piece) {
            hl_packer_add(&packer, bytes + first, SIZE - first < piece ? SIZE - first : piece);
        }
        hl_packer_end(&packer);
        ck_assert_str_eq(text->bytes, whole);
    }
    hl_free(whole);
}

SUITE("a report's maps", .after = end)
