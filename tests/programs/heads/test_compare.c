/* What a comparison of two models says, in each of its forms; with an open model, the divergence of two heads is
 * computed anew from their weights. */
#include "tests/check_suite.h"
#include "tests/pretrained/tiny.h"
#include "tests/runs/answers.h"
#include "tests/runs/runs.h"
#include "tests/scratch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { D = 12, WIDTH = 4, HEADS_OF_TINY = 6, HEADS_OF_RUN = 4 };

static const char *lines(void)
{
    return scratch_file("lines.txt", "the cat sat on the mat.\nwho barked?\nthe dog, who saw it!\nit sat\n"
                                     "a cat saw the dog\nresting dogs bark\nthe mat saw it\nwho sat on it?\n");
}

/* A copy of bert_masked in which head 1 of layer 0 has no queries but their bias. */
static const char *without_queries(void)
{
    const char *copy = run_kept(tiny_changed("bert_masked", NULL, NULL, NULL));
    const char *path = run_file(copy, "model.safetensors");
    size_t size;
    char *bytes = scratch_read(path, &size);
    uint64_t header;
    memcpy(&header, bytes, sizeof header);
    const char *at = strstr(bytes + 8, "bert.encoder.layer.0.attention.self.query.weight");
    at = strstr(at, "\"data_offsets\":[");
    ck_assert_ptr_nonnull(at);
    char *matrix = bytes + 8 + header + strtoull(at + strlen("\"data_offsets\":["), NULL, 10);
    memset(matrix + sizeof(float) * WIDTH * D, 0, sizeof(float) * WIDTH * D);
    scratch_write(path, bytes, size);
    free(bytes);
    return copy;
}

/* The weights of a layer, (E, H, T, T), as the program writes them. */
static const float *weights_of(const hl_npz *npz, int layer, hl_shape *shape)
{
    const char *name = scratch_format("layer_%d", layer);
    const hl_npz_array *array = hl_npz_find(npz, name);
    ck_assert_ptr_nonnull(array);
    *shape = array->shape;
    return array->data;
}

/* The mean over all queries of the examples 1, 3, 5, ... of the divergence of two rows. */
static double divergence(const hl_npz *one, const hl_npz *other, int layer, int64_t head)
{
    hl_shape shape;
    const float *a = weights_of(one, layer, &shape), *b = weights_of(other, layer, &shape);
    const int32_t *lengths = hl_npz_find(one, "lengths")->data;
    int64_t T = shape.size[3], n = 0;
    double sum = 0;
    for (int64_t e = 1; e < shape.size[0]; e += 2) {
        for (int64_t q = 0; q < lengths[e]; q++, n++) {
            for (int64_t k = 0; k < lengths[e]; k++) {
                size_t at = (size_t)(((e * shape.size[1] + head) * T + q) * T + k);
                double x = (double)a[at], y = (double)b[at], m = (x + y) / 2;
                sum += (x > 0 ? x * log(x / m) / 2 : 0) + (y > 0 ? y * log(y / m) / 2 : 0);
            }
        }
    }
    return sum / (double)n;
}

static const hl_npz *read_weights(const char *folder, const char *file, const char *path)
{
    OK(HEADS("map", folder, "--examples", file, "--npz", path));
    return answer_arrays(path);
}

TEST(each_head_is_compared_with_that_in_its_place)
{
    const char *file = lines(), *folder = run_kept(tiny_folder("bert_masked")), *copy = without_queries();
    const hl_npz *one = read_weights(folder, file, run_path("a.npz")),
                 *other = read_weights(copy, file, run_path("b.npz"));
    json_t *json = ANSWER("compare", folder, copy, "--examples", file, "--json");
    ck_assert(json_is_true(json_object_get(json, "same_shape")) && json_is_null(json_object_get(json, "step")));
    ck_assert_int_eq((int)json_integer_value(json_object_get(json, "examples")), 4);
    const json_t *heads = json_object_get(json, "heads");
    ck_assert_uint_eq(json_array_size(heads), HEADS_OF_TINY);
    double before = INFINITY;
    for (size_t i = 0; i < HEADS_OF_TINY; i++) {
        int layer, head, its_layer, its_head;
        double js, closest;
        ck_assert_int_eq(json_unpack(json_array_get(heads, i), "{s:i, s:i, s:i, s:i, s:F, s:F}", "layer", &layer,
                                     "head", &head, "against_layer", &its_layer, "against_head", &its_head, "js", &js,
                                     "closest_js", &closest),
                         0);
        ck_assert(layer == its_layer && head == its_head && js <= before && closest <= js);
        ck_assert_double_le(fabs(js - divergence(one, other, layer, head)), 1e-6);
        ck_assert_int_eq(js > 1e-3, layer > 0 || head == 1); /* layer 0 reads the same in both */
        before = js;
    }
    SAYS(HEADS("compare", folder, copy, "--examples", file, "--csv"),
         "layer,head,label,score,entropy,confidence,distance,against_layer,");
    SAYS(HEADS("compare", folder, copy, "--examples", file), "\nL0H1  L0H1  ");
}

/* What the training did is judged on what the run recorded. */
LOOP_TEST(a_run_is_compared_with_what_it_began_with, 0, 2)
{
    const char *folder = run_kept(tiny_folder("bert_masked")), *out = run_path("run");
    const char *config =
        scratch_format("[task]\nname = masked\nfile = %s\nvalidation_file = %s\n[optimizer]\nlearning_rate = %s\n"
                       "[train]\nsteps = 5\nbatch_size = 4\nthreads = 1\n[patterns]\nexamples = 4\n",
                       lines(), lines(), _i == 0 ? "1e-12" : "0.05");
    EXPECT_RUN(0, run_config("x.ini", config), "--from", folder, "--out", out, "--quiet");
    run_result run = SAYS(HEADS("compare", out, folder), "step 5");
    ck_assert_int_eq(strstr(run.out, "Mean js by layer, from the first on: 0.000, 0.000.") != NULL, _i == 0);
    run = HEADS("compare", out, folder, "--csv", "-");
    ck_assert_msg(run.code == 0 && strncmp(run.out, "layer,head,", 11) == 0, "%s%s", run.out, run.err);
}

TEST(what_cannot_be_compared_is_refused_with_the_way_out)
{
    const char *bert = run_kept(tiny_folder("bert_masked")), *out = run_path("run");
    const char *sentences = run_kept(lines());
    REFUSED(HEADS("compare", bert, bert), 2, "heads.is_an_open_model_without_examples");
    REFUSED(HEADS("compare", bert, run_kept(tiny_folder("roberta_masked")), "--examples", sentences), 2,
            "heads.and_cannot_be_compared_their_vocabularies_2");
    REFUSED(HEADS("compare", bert, bert, "--examples", sentences, "--report", run_path("a.html")), 2,
            "heads.report_a_page_of_two_models");
    REFUSED(HEADS("compare", bert, run_path("none"), "--examples", sentences), 3, "heads.no_such_folder_give_a_run");
    EXPECT_RUN(0, run_tiny_config(), "--quiet", "--out", out);
    REFUSED(HEADS("compare", out, bert), 2, "heads.and_cannot_be_compared_their_vocabularies_3");
}

TEST(want_of_memory_loses_nothing)
{
    const char *folder = run_kept(tiny_folder("bert_masked"));
    WITHOUT_MEMORY(0, 37, "compare", folder, folder, "--examples", lines());
}

/* ---- two runs ---- */

TEST(table_json_and_csv_say_the_same)
{
    const char *one = TINY_RUN("one", "model.heads=2", "train.steps=6"),
               *other = TINY_RUN("other", "model.heads=4", "train.steps=6");
    json_t *json = ANSWER("compare", one, other, "--json");
    const char *table = run_kept(OK(HEADS("compare", one, other)).out);
    const char *row = run_kept(OK(HEADS("compare", one, other, "--csv")).out);
    const json_t *heads = json_object_get(json, "heads");
    ck_assert_uint_eq(json_array_size(heads), HEADS_OF_RUN);
    for (size_t i = 0; i < HEADS_OF_RUN; i++) {
        const char *label, *its;
        int layer, head, closest_layer, closest_head;
        double js, untrained;
        ck_assert_int_eq(json_unpack(json_array_get(heads, i), "{s:i, s:i, s:s, s:i, s:i, s:s, s:F, s:F}", "layer",
                                     &layer, "head", &head, "label", &label, "closest_layer", &closest_layer,
                                     "closest_head", &closest_head, "closest_label", &its, "js", &js, "untrained",
                                     &untrained),
                         0);
        char line[64];
        row = strchr(row, '\n') + 1;
        const char *expected = scratch_format("%d,%d,%s,%d,%d,%s,%.9g,%.9g\n", layer, head, label, closest_layer,
                                              closest_head, its, js, untrained);
        ck_assert_msg(strncmp(row, expected, strlen(expected)) == 0, "not \"%s\": %s", expected, row);
        snprintf(line, sizeof line, "\nL%dH%d ", layer, head);
        const char *told = strstr(table, line);
        snprintf(line, sizeof line, "%7.3f%11.3f\n", js, untrained);
        ck_assert_msg(told != NULL && strncmp(strchr(told + 1, '\n') - strlen(line) + 1, line, strlen(line)) == 0, "%s",
                      table);
    }
}

SUITE("two models compared", .seconds = 60)
