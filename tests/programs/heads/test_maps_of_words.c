/* Maps of words instead of their pieces, as `heads --words` draws and writes them. */
#include "core/files/json.h"
#include "data/text/tokens_file.h"
#include "programs/heads/export.h"
#include "study/study.h"
#include "tests/check_suite.h"
#include "tests/messages.h"
#include "tests/runs/answers.h"
#include "tests/scratch.h"

#include <string.h>

enum { E = 3, H = 2, T = 6, W = 3 };

/* "[CLS] dog ##s bark . [SEP]", "[CLS] the dog bark [SEP]" and an example of special tokens alone. */
static int32_t tokens[E * T] = { 0, 2, 3, 4, 5, 1, 0, 6, 2, 4, 1, 1, 0, 1, 1, 1, 1, 1 };
static int32_t words[E * T] = { -1, 0, 0, 1, 2, -1, -1, 0, 1, 2, -1, -1, -1, -1, -1, -1, -1, -1 };
static int32_t lengths[E] = { 6, 5, 2 };
static hl_real weights[E * H * T * T];
static int32_t heads_of[1] = { H };

typedef struct made {
    hl_tokens *pieces;
    hl_vocabulary *vocabulary;
    hl_model_config config;
    hl_patterns layers[1];
    hl_snapshot snapshot;
    hl_opened_model run;
} made;

/* Head h gives (h + 1) tenths of a piece's weight to each of the next pieces, so far as there are any. */
static void make(made *m)
{
    static const char bert[] = "[CLS]\n[SEP]\ndog\n##s\nbark\n.\nthe\n[UNK]\n";
    const char *path = scratch_format("%s", scratch_path("vocab.txt"));
    scratch_write(path, bert, strlen(bert));
    *m = (made){ .config = { .n_layers = 1 } };
    memcpy(m->config.heads, heads_of, sizeof heads_of);
    CHECK_OK(hl_tokens_load_vocabulary(path, true, &m->pieces));
    CHECK_OK(hl_vocabulary_of_tokens(m->pieces, &m->vocabulary));
    for (int64_t i = 0; i < E * H * T * T; i++) {
        int64_t query = i / T % T, key = i % T;
        weights[i] = key > query ? (hl_real)(i / (T * T) % H + 1) / 10 : 0;
    }
    m->snapshot = (hl_snapshot){
        .examples = { .n_examples = E, .n_tokens = T, .tokens = tokens, .words = words, .lengths = lengths },
        .layers = m->layers,
        .config = &m->config,
    };
    m->layers[0] = hl_patterns_of(weights, &m->snapshot.examples, &m->config, 0, 0);
    m->run = (hl_opened_model){ .source.name = "run", .source.vocabulary = m->vocabulary, .source.shape = m->config };
}

static void find_words(made *m)
{
    hl_status status = hl_snapshot_find_words(&m->snapshot, hl_vocabulary_kinds(m->vocabulary), m->pieces, NULL, NULL);
    ck_assert_msg(status.code == HL_OK, "%s", status.text);
}

static void end(made *m)
{
    hl_word_forms_free(&m->snapshot.words);
    hl_vocabulary_free(m->vocabulary);
    hl_tokens_free(m->pieces);
    scratch_end();
}

TEST(a_view_of_words_joins_their_pieces)
{
    made m;
    make(&m);
    find_words(&m);
    hl_heads_view view;
    hl_heads_view_options options = { .labeled = true, .words = true };
    ck_assert_int_eq(hl_heads_view_make(&view, &m.run, &m.snapshot, options).code, HL_OK);
    ck_assert_int_eq(view.n, H);
    const hl_panel *panel = &view.panels[1];
    ck_assert(panel->n_keys == 3 && panel->stride == W);
    ck_assert_str_eq(panel->keys[0], "dogs");
    ck_assert_str_eq(panel->keys[1], "bark");
    ck_assert_str_eq(panel->keys[2], ".");
    const double expected[9] = { 0.1, 0.2, 0.2, 0, 0, 0.2, 0, 0, 0 }; /* from dog to ##s, and the mean over both */
    for (int i = 0; i < 9; i++) {
        ck_assert_double_eq_tol((double)panel->weights[i], expected[i], 1e-6);
    }
    hl_heads_view_free(&view);
    options.example = HL_VIEW_ANY; /* the scoring half is one example, "the dog bark" */
    CHECK_OK(hl_heads_view_make(&view, &m.run, &m.snapshot, options));
    ck_assert_int_eq(view.first_example, 1);
    ck_assert_str_eq(view.panels[0].queries[0], "the");
    hl_heads_view_free(&view);
    options.example = 2;
    message_check(hl_heads_view_make(&view, &m.run, &m.snapshot, options), HL_INVALID,
                  "heads.words_there_is_no_word_in");
    end(&m);
}

TEST(without_words_there_is_no_such_view)
{
    made m;
    make(&m);
    m.snapshot.examples.words = NULL;
    find_words(&m);
    hl_heads_view view;
    message_check(hl_heads_view_make(&view, &m.run, &m.snapshot, (hl_heads_view_options){ .words = true }), HL_INVALID,
                  "heads.words_the_tokens_of_run_are");
    ck_assert_int_eq(hl_heads_study_join_words(&(hl_heads_study){ 0 }, &m.snapshot).code, HL_INVALID);
    end(&m);
}

TEST(words_are_written_as_they_are_drawn)
{
    made m;
    make(&m);
    find_words(&m);
    hl_heads_view view;
    CHECK_OK(hl_heads_view_make(&view, &m.run, &m.snapshot, (hl_heads_view_options){ .words = true }));
    hl_text text = { 0 };
    hl_heads_print_bertviz(&text, &view, 1);
    ck_assert_ptr_nonnull(strstr(text.bytes, "\"tokens\": [\"the\",\"dog\",\"bark\"]"));
    text.size = 0;
    hl_heads_maps_json(&text, &m.run.source, &m.snapshot, &view, 1, false);
    ck_assert_ptr_nonnull(strstr(text.bytes, "\"tokens\": [\"dogs\", \"bark\", \".\"]"));
    text.size = 0;
    hl_heads_maps_csv(&text, &view, 1);
    ck_assert_ptr_nonnull(strstr(text.bytes, "\n0,1,0,1,dogs,bark,0.200"));
    hl_text_free(&text);

    const char *path = scratch_format("%s", scratch_path("words.npz"));
    CHECK_OK(hl_heads_write_npz(path, &view, false, NULL));
    const hl_npz *npz = answer_arrays(path);
    ck_assert(hl_shape_equal(hl_npz_find(npz, "layer_0")->shape, HL_SHAPE(E, H, W, W)));
    ck_assert(memcmp(hl_npz_find(npz, "layer_0")->data, view.join.weights, sizeof(float) * E * H * W * W) == 0);
    const int32_t *forms = hl_npz_find(npz, "tokens")->data, *first = hl_npz_find(npz, "word_first")->data,
                  *n = hl_npz_find(npz, "lengths")->data;
    ck_assert(n[0] == 3 && n[1] == 3 && n[2] == 0);
    ck_assert(first[0] == 1 && first[1] == 3 && first[2] == 4 && first[W] == 1);
    ck_assert(forms[1] == forms[W + 2] && forms[0] != forms[W + 1]); /* bark; dogs is not dog */
    hl_heads_view_free(&view);
    end(&m);
}

TEST(the_table_of_words_measures_joined_maps)
{
    made m;
    make(&m);
    find_words(&m);
    hl_heads_row rows[H] = { { .metrics = { .head = 0 } }, { .metrics = { .head = 1 } } };
    hl_heads_study study = { .rows = rows, .n = H };
    CHECK_OK(hl_heads_study_join_words(&study, &m.snapshot));
    ck_assert(study.of_words && rows[1].metrics.head == 1);
    ck_assert_int_eq(rows[0].distance.absolute.n, 3); /* the words of the odd-numbered example */
    ck_assert_double_eq_tol(rows[1].distance.absolute.value, (0.2 + 2 * 0.2 + 0.2) / 3, 1e-6);
    end(&m);
}

SUITE("maps of words")
