/* Maps and metrics for other programs, of a made-up snapshot: two layers of two heads and one. */
#include "programs/heads/export.h"

#include "tests/check_suite.h"
#include "tests/runs/answers.h"
#include "tests/scratch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { E = 2, T = 3, HEADS_OF_ALL = 3 };

static int32_t tokens[E * T] = { 3, 4, 5, 5, 3, 0 }, lengths[E] = { 3, 2 };
static hl_real first[E * 2 * T * T], second[E * 1 * T * T];

typedef struct made {
    hl_vocabulary *vocabulary;
    hl_model_config config;
    hl_patterns layers[2];
    hl_snapshot snapshot;
    hl_opened_model run;
    hl_heads_view view;
} made;

/* Head h attends evenly to the first h + 1 keys. */
static void fill(hl_real *weights, int64_t H)
{
    for (int64_t i = 0; i < E * H * T * T; i++) {
        int64_t key = i % T, query = i / T % T, h = i / (T * T) % H, n = lengths[i / (H * T * T)];
        weights[i] = query < n && key <= h ? 1 / (hl_real)(h + 1) : 0;
    }
}

static void make(made *m, int64_t example)
{
    static const char names[] = "<pad>\n<sep>\n<mask>\na\nb,\n\"c\n";
    *m = (made){ .config = { .vocabulary = 6, .n_layers = 2, .heads = { 2, 1 } } };
    CHECK_OK(hl_vocabulary_of_lines(names, strlen(names), &m->vocabulary));
    fill(first, 2);
    fill(second, 1);
    m->snapshot = (hl_snapshot){
        .step = 7,
        .examples = { .n_examples = E, .n_tokens = T, .tokens = tokens, .lengths = lengths },
        .layers = m->layers,
        .config = &m->config,
    };
    m->layers[0] = hl_patterns_of(first, &m->snapshot.examples, &m->config, 0, 0);
    m->layers[1] = hl_patterns_of(second, &m->snapshot.examples, &m->config, 1, 0);
    m->run = (hl_opened_model){
        .source.name = "run", .source.vocabulary = m->vocabulary, .source.shape = m->config, .source.threads = 1
    };
    hl_heads_view_options options = { .example = example, .labeled = true };
    ck_assert_int_eq(hl_heads_view_make(&m->view, &m->run, &m->snapshot, options).code, HL_OK);
}

static void end(made *m)
{
    hl_heads_view_free(&m->view);
    hl_vocabulary_free(m->vocabulary);
}

TEST(arrays_have_a_row_for_every_head_and_js_both_ways)
{
    made m;
    make(&m, 0);
    char path[512];
    snprintf(path, sizeof path, "%s", scratch_path("a.npz"));
    ck_assert_int_eq(hl_heads_write_npz(path, &m.view, true, NULL).code, HL_OK);
    const hl_npz *npz = answer_arrays(path);
    ck_assert(hl_shape_equal(hl_npz_find(npz, "layer_0")->shape, HL_SHAPE(E, 2, T, T)));
    ck_assert_mem_eq(hl_npz_find(npz, "layer_1")->data, second, sizeof second);
    ck_assert_int_eq(*(const int64_t *)hl_npz_find(npz, "step")->data, 7);
    const hl_npz_array *entropy = hl_npz_find(npz, "entropy"), *js = hl_npz_find(npz, "js");
    ck_assert(hl_shape_equal(entropy->shape, HL_SHAPE(HEADS_OF_ALL, 2)));
    const double expected[HEADS_OF_ALL] = { 0, log(2), 0 }, *found = entropy->data, *d = js->data;
    for (int i = 0; i < HEADS_OF_ALL; i++) {
        ck_assert_double_eq_tol(found[2 * i], expected[i], 1e-9);
        ck_assert_double_eq_tol(found[2 * i + 1], log(2), 1e-9); /* spread evenly; the scoring example has two tokens */
        for (int j = 0; j < HEADS_OF_ALL; j++) {
            ck_assert(d[i * HEADS_OF_ALL + j] == d[j * HEADS_OF_ALL + i]);
        }
    }
    ck_assert_double_eq_tol(d[2], 0, 1e-9); /* L0H0 and L1H0 are the same */
    ck_assert_double_eq_tol(d[1], 0.75 * log(4.0 / 3) + 0.25 * log(4) - log(2) / 2, 1e-9);
    CHECK_OK(hl_heads_write_npz(path, &m.view, false, NULL));
    ck_assert_ptr_null(hl_npz_find(answer_arrays(path), "entropy"));
    end(&m);
}

TEST(bertviz_has_no_padding)
{
    made m;
    make(&m, 0);
    hl_text text = { 0 };
    hl_heads_print_bertviz(&text, &m.view, 1);
    json_t *json = answer_json(text.bytes);
    const json_t *attention = json_object_get(json, "attention"), *layer = json_array_get(attention, 0);
    ck_assert_uint_eq(json_array_size(attention), 2);
    ck_assert_uint_eq(json_array_size(layer), 1);
    const json_t *head = json_array_get(json_array_get(layer, 0), 1);
    ck_assert_uint_eq(json_array_size(json_array_get(layer, 0)), 2);
    ck_assert_uint_eq(json_array_size(head), 2);
    ck_assert_uint_eq(json_array_size(json_array_get(head, 1)), 2);
    ck_assert_double_eq(json_number_value(json_array_get(json_array_get(head, 1), 1)), 0.5);
    ck_assert_str_eq(json_string_value(json_array_get(json_object_get(json, "tokens"), 0)), "\"c");
    hl_text_free(&text);
    end(&m);
}

TEST(maps_are_of_all_heads_or_of_one)
{
    made m;
    make(&m, 0);
    hl_text text = { 0 };
    hl_heads_maps_json(&text, &m.run.source, &m.snapshot, &m.view, -1, false);
    json_t *json = answer_json(text.bytes);
    ck_assert_uint_eq(json_array_size(json_object_get(json, "heads")), HEADS_OF_ALL);
    ck_assert_int_eq(json_integer_value(json_object_get(json, "step")), 7);
    text.size = 0;
    m.snapshot.step = -1;
    hl_heads_maps_json(&text, &m.run.source, &m.snapshot, &m.view, 2, false);
    json = answer_json(text.bytes);
    const json_t *heads = json_object_get(json, "heads"), *one = json_array_get(heads, 0);
    ck_assert_uint_eq(json_array_size(heads), 1);
    ck_assert_int_eq(json_integer_value(json_object_get(one, "layer")), 1);
    ck_assert_int_eq(json_integer_value(json_object_get(one, "head")), 0);
    ck_assert(json_is_null(json_object_get(json, "step")));
    hl_text_free(&text);
    end(&m);
}

TEST(csv_quotes_what_a_reader_would_take_for_its_own)
{
    made m;
    make(&m, 0);
    hl_text text = { 0 };
    hl_heads_maps_csv(&text, &m.view, 1);
    ck_assert_msg(strstr(text.bytes, "\n0,1,2,1,\"\"\"c\",\"b,\",0.5\n") != NULL, "%s", text.bytes);
    ck_assert_ptr_null(strstr(text.bytes, "\n0,0,"));
    text.size = 0;
    hl_heads_maps_csv(&text, &m.view, -1);
    ck_assert_int_eq(answer_lines(text.bytes), 1 + HEADS_OF_ALL * T * T);
    hl_text_free(&text);
    end(&m);
}

SUITE("export")
