/* `heads profile`: how heads look, layer by layer, in the numbers of heads.csv. */
#include "tests/pretrained/tiny.h"
#include "tests/scratch.h"
#include "tests/study/told.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static const char *const names[] = { "entropy", "distance", "special", "first", "punctuation" };

/* The value and the baseline of a metric in a row of heads.csv, "<step>,<layer>,<head>,<metric>,...". */
static bool row_of(const char *csv, int step, int layer, int head, const char *metric, double *value, double *baseline)
{
    const char *begin = scratch_format("\n%d,%d,%d,%s,", step, layer, head, metric);
    const char *row = strstr(csv, begin);
    return row != NULL && sscanf(row + strlen(begin), "%lf,%lf", value, baseline) == 2;
}

/* Every head's figures are those of heads.csv, a layer's the mean of its heads'. */
static void check(const json_t *all, const char *csv, int step, int measured)
{
    const json_t *heads = json_object_get(all, "heads"), *layers = json_object_get(all, "layers");
    for (size_t l = 0; l < json_array_size(layers); l++) {
        const json_t *layer = json_array_get(layers, l);
        double sums[5] = { 0 };
        int n = 0, found = 0;
        for (size_t i = 0; i < json_array_size(heads); i++) {
            const json_t *head = json_array_get(heads, i);
            if (json_integer_value(json_object_get(head, "layer")) != (json_int_t)l) {
                continue;
            }
            for (int m = 0; m < 5; m++) {
                double value, baseline;
                const char *name = scratch_format("%s_baseline", names[m]);
                if (!row_of(csv, step, (int)l, (int)number_at(head, "head"), names[m], &value, &baseline)) {
                    ck_assert(json_is_null(json_object_get(head, names[m])));
                    continue;
                }
                ck_assert_double_eq_tol(number_at(head, names[m]), value, 1e-8);
                ck_assert_double_eq_tol(number_at(head, name), baseline, 1e-8 * (1 + baseline));
                sums[m] += value;
                found++;
            }
            n++;
        }
        ck_assert_int_eq(n, (int)number_at(layer, "heads"));
        ck_assert_int_eq(found, n * measured);
        for (int m = 0; m < measured; m++) {
            ck_assert_double_eq_tol(number_at(layer, names[m]), sums[m] / n, 1e-7);
        }
    }
}

TEST(figures_are_those_of_heads_csv_and_layers_have_their_means)
{
    const char *folder = run_kept(tiny_folder("bert_masked")), *run = run_path("run");
    const char *text =
        run_config("text.txt", "The cat, it sat on the mat.\nthe dog saw it\nit sat\nthe mat, the cat\n");
    run_result result = OK(HEADS(folder, "--examples", text, "--csv", "-", "--step", "1"));
    const char *csv = run_kept(result.out);
    json_t *all = told(HEADS("profile", folder, "--examples", text, "--json"));
    ck_assert(json_is_null(json_object_get(all, "step")));
    check(all, csv, 1, 5);
    EXPECT_RUN(0, run_tiny_config(), "--quiet", "--out", run);
    result = HEADS(run, "--csv", "-", "--step", "24");
    csv = run_kept(result.out);
    all = told(HEADS("profile", run, "--json"));
    ck_assert_int_eq((int)number_at(all, "step"), 24);
    check(all, csv, 24, 4); /* a toy task has no punctuation */
}

TEST(tables_strips_figures_and_refusals)
{
    const char *folder = run_kept(tiny_folder("bert_masked")), *svg = run_path("profile.svg"), *run = run_path("run");
    const char *text =
        run_config("text.txt", "The cat, it sat on the mat.\nthe dog saw it\nit sat\nthe mat, the cat\n");
    run_result result = OK(HEADS("profile", folder, "--examples", text, "--svg", svg));
    ck_assert_ptr_nonnull(strstr(result.out, "text.txt")); /* on which examples */
    ck_assert_ptr_nonnull(strstr(result.out, "layer  entropy  distance  special  first  punct\n"));
    ck_assert_ptr_nonnull(strstr(result.out, "\nfirst: share on the first token; from 0 to "));
    for (const char *line = strchr(result.out, '\n') + 1; *line != '\0'; line = strchr(line, '\n') + 1) {
        ck_assert_msg(strcspn(line, "\n") <= 80, "%s", line);
    }
    ck_assert_int_eq(strncmp(run_read(svg), "<?xml", 5), 0);
    result = HEADS("profile", folder, "--examples", run_config("two.txt", "it sat\nthe cat sat\n"));
    ck_assert_msg(strstr(result.out, "scores.\n") != NULL && strstr(result.out, "examples") == NULL, "%s", result.out);
    result = HEADS("profile", folder, "--examples", text, "--md", "-");
    ck_assert_int_eq(strncmp(result.out, "| layer | entropy | distance |", 30), 0);
    result = HEADS("profile", folder, "--examples", text, "--csv", "-");
    ck_assert_int_eq(strncmp(result.out, "layer,head,entropy,entropy_baseline,distance,", 45), 0);
    ck_assert_int_ne(access("reports", F_OK), 0); /* nothing else is written */
    REFUSED(HEADS("profile", folder), 2, "study.is_an_open_model_without_examples");
    REFUSED(HEADS("grammar", folder, text, "--profile"), 2, "study.profile_is_for_the_verb_profile");
    REFUSED(HEADS("profile", folder, "--examples", text, "--out", run), 2, "study.out_unknown_option");
    EXPECT_RUN(0, run_tiny_config(), "--quiet", "--out", run, "patterns.examples=0");
    REFUSED(HEADS("profile", run), 3, "study.no_patterns_were_recorded_patterns_examples");
}

SUITE("profile")
