#include "core/base/shown_text.h"
#include "core/files/json.h"
#include "show/report.h"
#include "tests/check_suite.h"
#include "tests/fault_checks.h"
#include "tests/faults.h"
#include "tests/heads/example.h"
#include "tests/heads/made_up_run.h"
#include "tests/show/unpacked.h"
#include "tests/show/written.h"

#include <stdlib.h>

/* A run with all that a report can have, but for what the heads computed. */
typedef struct report_example {
    made_up_run run;
    hl_report_maps maps;
    hl_vocabulary *vocabulary;
    hl_label labels[MADE_UP_RUN_LAYERS * 8];
    hl_head_effect effect[MADE_UP_RUN_LAYERS * 8];
    hl_group_effect group;
    hl_effects effects;
    hl_report_run report;
} report_example;

static const char tokens[] = "<pad>\n<sep>\n<mask>\n</script><b>\n&amp;\n\"'\n<!--\n\xc3\xa4\n&#60;\n"
                             "]]>\xe2\x80\x8b\xe2\x80\xae\xef\xbf\xbe</style>\n";

static hl_heads_csv_row readings[] = { { 0, 0, 0, { HL_METRIC_ENTROPY, 0, 0, 1, 2 } } };
static const hl_heads_csv csv = { .rows = readings, .n = 1 };

static void make_example(report_example *made, int n_layers, int64_t H, int64_t E, int64_t T, int64_t n_snapshots)
{
    memset(made, 0, sizeof *made);
    made->run = made_up_run_make(n_layers, H, E, T, n_snapshots);
    made->maps.n_snapshots = n_snapshots;
    expect_ok(made_up_run_add(&made->run, &made->maps, 0));
    expect_ok(hl_vocabulary_of_lines(tokens, sizeof tokens - 1, &made->vocabulary));
    for (int64_t i = 0; i < n_layers * H; i++) {
        made->labels[i] = (hl_label){ .kind = HL_LABEL_OFFSET, .parameter = -(i % H + 1), .score = { 0.75, 0.125, 4 } };
        made->effect[i] = (hl_head_effect){ 0.5, 0.25, 0.0625, NAN, HL_FAITHFUL_UNKNOWN };
    }
    made->effect[0].faithful = HL_FAITHFUL_NO;
    made->effect[0].kept = 0.5;
    made->labels[1] = made->labels[0];
    made->group = (hl_group_effect){ 0, made->labels[0], 2, { 1, 0.5, 0.25, 0.875, HL_FAITHFUL_YES } };
    made->effects = (hl_effects){
        .loss = 0.1, .heads = made->effect, .n_heads = n_layers * H, .groups = &made->group, .n_groups = 1
    };
    made->report = (hl_report_run){ .name = "</title><script>alert(1)</script>",
                                    .config = "[task]\nname = \xff</script>\n",
                                    .metrics_csv = "step,split,loss\n0,train,1\n",
                                    .csv = &csv,
                                    .maps = &made->maps,
                                    .vocabulary = made->vocabulary,
                                    .labels = made->labels,
                                    .effects = &made->effects };
}

static void free_example(report_example *made)
{
    made_up_run_free(&made->run);
    hl_report_maps_free(&made->maps);
    hl_vocabulary_free(made->vocabulary);
}

static report_example x;
static hl_text page;
static json_t *data;

static void end(void)
{
    json_decref(data);
    data = NULL;
    hl_text_free(&page);
    free_example(&x);
    memset(&x, 0, sizeof x);
}

static json_t *at(json_t *json, const char *key, size_t index)
{
    json_t *value = json_array_get(json_object_get(json, key), index);
    ck_assert_msg(value != NULL, "no %s %zu", key, index);
    return value;
}

/* Writes a page of these runs, in the place of the one before; the first run in the data inside of it. */
static json_t *write_page(const hl_report_run *runs, int n)
{
    static const char begin_mark[] = "<script type=\"application/json\" id=\"data\">";
    json_decref(data);
    data = NULL;
    hl_text_free(&page);
    expect_ok(hl_report_write(runs, n, &page));
    const char *begin = strstr(page.bytes, begin_mark);
    ck_assert_ptr_nonnull(begin);
    begin += sizeof begin_mark - 1;
    const char *stop = strstr(begin, "</script>");
    ck_assert_ptr_nonnull(stop);
    expect_ok(hl_json_parse("data", begin, (size_t)(stop - begin), &data));
    return at(data, "runs", 0);
}

/* Stands until the next call. */
static const char *shown_token(int32_t id)
{
    static char shown[128];
    hl_shown_text(shown, sizeof shown, hl_vocabulary_token(x.vocabulary, id));
    return shown;
}

/* Nothing that the data says stands outside of the data, and no text of it can end that. */
TEST(texts_stay_texts)
{
    make_example(&x, 2, 3, 4, 9, 2);
    json_t *run = write_page(&x.report, 1);
    ck_assert_uint_eq(strlen(page.bytes), page.size);
    ck_assert_int_eq(strncmp(page.bytes, "<!doctype html>\n", 16), 0);
    ck_assert_ptr_nonnull(strstr(page.bytes, "default-src 'none'"));
    ck_assert_int_eq(count_of(page.bytes, "</script>"), 3);
    ck_assert_int_eq(count_of(page.bytes, "alert(1)</script>"), 0);
    ck_assert_int_eq(
        count_of(page.bytes, "@DATA@") + count_of(page.bytes, "@STYLE@") + count_of(page.bytes, "@SCRIPT@"), 0);
    ck_assert_int_eq(count_of(page.bytes, "://"), 1); /* the name of SVG's elements, which nothing is fetched from */
    ck_assert_str_eq(json_string_value(json_object_get(run, "name")), x.report.name);
    ck_assert_str_eq(json_string_value(json_object_get(run, "config")), "[task]\nname = \\xff</script>\n");
    json_t *second = at(run, "examples", 1);
    ck_assert_uint_eq(json_array_size(json_object_get(second, "tokens")), (size_t)x.run.lengths[1]);
    for (int64_t i = 0; i < x.run.lengths[1]; i++) {
        ck_assert_str_eq(json_string_value(at(second, "tokens", (size_t)i)),
                         shown_token(x.run.tokens[x.run.n_tokens + i]));
    }
}

TEST(heads_have_their_figures)
{
    make_example(&x, 2, 3, 4, 9, 2);
    json_t *run = write_page(&x.report, 1), *head = at(run, "heads", 4);
    ck_assert_uint_eq(json_array_size(json_object_get(run, "heads")), 6);
    ck_assert_int_eq(json_integer_value(json_object_get(head, "layer")), 1);
    ck_assert_int_eq(json_integer_value(json_object_get(head, "head")), 1);
    ck_assert_str_eq(json_string_value(json_object_get(head, "label")), "offset(-2)");
    ck_assert_double_eq(json_real_value(json_object_get(head, "score")), 0.75);
    ck_assert_double_eq(json_real_value(json_object_get(head, "loss_without")), 0.25);
    ck_assert(json_is_null(json_object_get(head, "kept")) && json_is_null(json_object_get(head, "faithful")));
    ck_assert_ptr_null(json_object_get(head, "group"));
    json_t *first = at(run, "heads", 0), *group = json_object_get(first, "group");
    ck_assert(json_is_false(json_object_get(first, "faithful")) && json_is_true(json_object_get(group, "faithful")));
    ck_assert_int_eq(json_integer_value(json_object_get(group, "heads")), 2);
    char text[200] = "";
    unpacked(json_string_value(json_object_get(run, "readings")), text, sizeof text - 1);
    ck_assert_str_eq(text, "step,layer,head,metric,value,baseline\n0,0,0,entropy,1,2\n");
    ck_assert_str_eq(json_string_value(json_object_get(at(run, "snapshots", 1), "levels")), x.maps.kept[1].levels);
    ck_assert_int_eq(json_integer_value(json_object_get(at(run, "snapshots", 1), "step")), 10);
}

TEST(targets_and_predictions_are_ids_with_their_words)
{
    enum { E = 3, T = 8 };
    make_example(&x, 1, 2, E, T, 2);
    json_t *run = write_page(&x.report, 1), *words = json_object_get(run, "words");
    int32_t predictions[E * T];
    const char *packed = json_string_value(json_object_get(at(run, "snapshots", 1), "predictions"));
    ck_assert_uint_eq(unpacked(packed, predictions, sizeof predictions), sizeof predictions);
    ck_assert_mem_eq(predictions, x.maps.kept[1].predictions, sizeof predictions);
    for (int64_t e = 0; e < E; e++) {
        json_t *shown = at(run, "examples", (size_t)e);
        ck_assert_uint_eq(json_array_size(json_object_get(shown, "targets")), (size_t)x.run.lengths[e]);
        for (int64_t i = 0; i < x.run.lengths[e]; i++) {
            int32_t id = x.run.targets[e * T + i];
            ck_assert_int_eq(json_integer_value(at(shown, "targets", (size_t)i)), id);
            char key[16];
            snprintf(key, sizeof key, "%d", (int)id);
            const char *word = json_string_value(json_object_get(words, key));
            if (id == HL_IGNORE) {
                ck_assert_ptr_null(word);
            } else {
                ck_assert_str_eq(word, shown_token(id));
            }
        }
    }
}

TEST(what_is_not_known_is_left_out)
{
    make_example(&x, 1, 2, 2, 5, 1);
    hl_report_run bare[] = { { .name = "a", .config = "", .maps = &x.maps }, x.report };
    json_t *run = write_page(bare, 2);
    ck_assert_uint_eq(json_array_size(json_object_get(data, "runs")), 2);
    ck_assert_uint_eq(json_object_size(at(run, "heads", 1)), 2);
    ck_assert_ptr_null(json_object_get(run, "readings"));
    ck_assert_str_eq(json_string_value(at(at(run, "examples", 0), "tokens", 2)), "5"); /* its id */
    hl_text_free(&page);
    ck_assert_int_eq(hl_report_write(bare, 3, &page).code, HL_INVALID);
    ck_assert_int_eq(hl_report_write(bare, 0, &page).code, HL_INVALID);
    hl_report_maps empty = { .n_snapshots = 1 };
    bare[1].maps = &empty;
    ck_assert_int_eq(hl_report_write(bare, 2, &page).code, HL_INVALID);
    ck_assert_ptr_null(page.bytes);
}

/* So many rows of js that the page leaves them out, after one of entropy and offsets of head 2, whose label is
 * offset(-3). */
TEST(of_very_many_rows_js_and_most_offsets_are_left_out)
{
    static hl_heads_csv_row rows[HL_REPORT_ROWS + 4];
    static bool all_best[15];
    memset(all_best, 1, sizeof all_best);
    rows[0] = readings[0];
    for (int k = -3; k <= -1; k++) {
        rows[4 + k] = (hl_heads_csv_row){
            0, 0, 2, { .metric = HL_METRIC_OFFSET, .parameter = k, .value = 0.5, .baseline = 0.25 }
        };
    }
    for (size_t i = 4; i < ROWS(rows); i++) {
        rows[i] = (hl_heads_csv_row){ 0, 0, 0, { HL_METRIC_JS, 0, 1, 0.5, 0.25 } };
    }
    hl_heads_csv many = { .rows = rows, .n = HL_REPORT_ROWS, .n_tokens = 8, .best = all_best };
    make_example(&x, 1, 3, 2, 6, 2);
    x.report.csv = &many;
    char text[512] = "";
    static char whole[32 * HL_REPORT_ROWS];
    for (int more = 0; more <= 4; more += 4) {
        many.n = HL_REPORT_ROWS + (size_t)more;
        const json_t *run = write_page(&x.report, 1), *left_out = json_object_get(run, "left_out");
        const char *packed = json_string_value(json_object_get(run, "readings"));
        if (more == 0) {
            ck_assert_ptr_null(left_out);
            unpacked(packed, whole, sizeof whole - 1);
            ck_assert_ptr_nonnull(strstr(whole, "\n0,0,0,js(L0H1),0.5,0.25\n"));
        } else {
            ck_assert(json_is_true(json_object_get(left_out, "rows")));
            unpacked(packed, text, sizeof text - 1);
            ck_assert_str_eq(text, "step,layer,head,metric,value,baseline\n0,0,0,entropy,1,2\n"
                                   "0,0,2,offset(-3),0.5,0.25\n0,0,2,offset(-1),0.5,0.25\n");
        }
    }
}

TEST(maps_that_are_left_out_are_told)
{
    make_example(&x, 1, 2, 3, 6, 2);
    for (int few = 0; few < 2; few++) {
        hl_report_maps_free(&x.maps);
        x.maps = (hl_report_maps){ .n_snapshots = 2, .max_levels = few ? 80 : 0 };
        expect_ok(made_up_run_add(&x.run, &x.maps, 0));
        const json_t *left = json_object_get(write_page(&x.report, 1), "left_out");
        ck_assert_int_eq(left != NULL, few);
        ck_assert_int_eq(json_integer_value(json_object_get(left, "snapshots")), few ? 2 : 0);
        ck_assert_int_eq(json_integer_value(json_object_get(left, "examples")), few ? 3 : 0);
        ck_assert(!json_is_true(json_object_get(left, "rows")));
    }
}

TEST(heads_of_two_runs_have_their_matches)
{
    report_example y;
    make_example(&x, 1, 2, 2, 6, 1);
    make_example(&y, 2, 3, 2, 6, 1);
    const hl_head_match of_x[] = { { 5, 0.25 }, { 3, 0.5 } };
    x.report.matches = of_x;
    hl_report_run both[] = { x.report, y.report };
    json_t *match = json_object_get(at(write_page(both, 2), "heads", 1), "match");
    ck_assert_int_eq(json_integer_value(json_object_get(match, "head")), 3);
    ck_assert_double_eq(json_real_value(json_object_get(match, "js")), 0.5);
    ck_assert_ptr_null(json_object_get(at(at(data, "runs", 1), "heads", 1), "match"));
    free_example(&y);
}

TEST(the_same_run_gives_the_same_bytes)
{
    make_example(&x, 2, 3, 4, 9, 3);
    hl_text *first = scratch_text(), *second = scratch_text();
    expect_ok(hl_report_write(&x.report, 1, first));
    hl_report_maps again = { .n_snapshots = 3 };
    expect_ok(made_up_run_add(&x.run, &again, 0));
    x.report.maps = &again;
    expect_ok(hl_report_write(&x.report, 1, second));
    ck_assert_uint_eq(first->size, second->size);
    ck_assert_mem_eq(first->bytes, second->bytes, first->size);
    hl_report_maps_free(&again);
}

/* Noisy maps, which deflate badly. */
TEST(a_large_run_stays_under_16_megabytes)
{
    make_example(&x, 3, 8, 4, 64, 40);
    x.report.name = "large";
    ck_assert_int_eq(x.maps.n_kept, 40);
    ck_assert_int_eq(x.maps.examples.n_examples, 4);
    write_page(&x.report, 1);
    ck_assert_uint_gt(page.size, 1 << 20);
    ck_assert_uint_lt(page.size, 16000000);
    hl_text_free(&page);
}

TEST(want_of_memory_is_reported)
{
    faults_begin();
    hl_json_use_allocator();
    make_example(&x, 1, 2, 1, 3, 1);
    int n = 0;
    while (fault_checks_next(&n, FAULTS_ONCE)) {
        fault_checks_turn(hl_report_write(&x.report, 1, &page));
        hl_text_free(&page);
    }
    ck_assert_int_gt(n, 40);
    faults_end();
}

SUITE("the report", .after = end)
