/* heads prune and what it writes, on runs of the tiny config (two layers of two heads) and one with more
 * heads. */
#include "core/files/safetensors.h"
#include "tests/check_suite.h"
#include "tests/runs/answers.h"
#include "tests/runs/runs.h"
#include "tests/safetensors_file.h"
#include "tests/scratch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 16 };

typedef struct row {
    int heads;
    char removed[8];
    double loss, perplexity, accuracy, milliseconds;
    long parameters;
} row;

/* The rows of a CSV; their number. */
static int read_csv(const char *csv, row rows[MOST_ROWS])
{
    static const char heading[] = "heads,removed,loss,perplexity,accuracy,parameters,milliseconds_per_batch\n";
    ck_assert_msg(strncmp(csv, heading, strlen(heading)) == 0, "%s", csv);
    int n = 0;
    for (const char *at = strchr(csv, '\n') + 1; *at != '\0'; at = strchr(at, '\n') + 1) {
        ck_assert_int_lt(n, MOST_ROWS);
        row *r = &rows[n++];
        *r = (row){ 0 };
        const char *comma = strchr(at, ',') + 1;
        r->heads = atoi(at);
        snprintf(r->removed, sizeof r->removed, "%.*s", (int)strcspn(comma, ","), comma);
        ck_assert_int_eq(sscanf(strchr(comma, ','), ",%lf,%lf,%lf,%ld,%lf\n", &r->loss, &r->perplexity, &r->accuracy,
                                &r->parameters, &r->milliseconds),
                         5);
    }
    return n;
}

TEST(the_curve_begins_with_the_whole_model_and_ends_with_a_head_a_layer)
{
    const char *folder = TINY_RUN("run", "model.heads=4,2"), *csv = run_path("curve.csv");
    run_result run = OK(HEADS("prune", folder, "--csv", csv));
    ck_assert_str_eq(run.err, "");
    row rows[MOST_ROWS];
    ck_assert_int_eq(read_csv(run_read(csv), rows), 5);
    double loss, accuracy;
    run_last_row(folder, "validation", &loss, &accuracy);
    ck_assert_double_eq_tol(rows[0].loss, loss, 1e-8);
    ck_assert_double_eq(rows[0].accuracy, accuracy);
    ck_assert_str_eq(rows[0].removed, "");
    for (int i = 0; i < 5; i++) {
        ck_assert_int_eq(rows[i].heads, 6 - i);
        ck_assert_double_eq_tol(rows[i].perplexity, exp(rows[i].loss), 1e-7 * rows[i].perplexity);
        ck_assert_double_gt(rows[i].milliseconds, 0);
        ck_assert(i == 0 || rows[i].parameters < rows[i - 1].parameters);
        const char *line = scratch_format("\n    %d  %-7s", rows[i].heads, i > 0 ? rows[i].removed : "-");
        ck_assert_msg(strstr(run.out, line) != NULL, "no \"%s\" in %s", line, run.out);
    }
    answer_fits_below(run.out);
}

/* Names of the heads that are gone after row `last`, with commas. */
static void gone_until(const row *rows, int last, char names[64])
{
    names[0] = '\0';
    for (int i = 1; i <= last; i++) {
        strcat(names, i > 1 ? "," : "");
        strcat(names, rows[i].removed);
    }
}

TEST(every_row_is_worth_what_its_heads_are_masked)
{
    const char *folder = TINY_RUN("run", "model.heads=4,2");
    row rows[MOST_ROWS];
    int n = read_csv(HEADS("prune", folder, "--csv").out, rows);
    for (int i = 1; i < n; i++) {
        char names[64];
        gone_until(rows, i, names);
        run_result run = HEADS("importance", folder, "--drop", names);
        const char *table = strstr(run.out, "accuracy\n");
        ck_assert_msg(table != NULL, "%s%s", run.out, run.err);
        double loss;
        ck_assert_int_eq(sscanf(table, "accuracy\n%*d%*f%*f%*f%%%*d%lf", &loss), 1);
        ck_assert_double_eq_tol(rows[i].loss, loss, 1e-5);
    }
}

/* What goes first is the least of heads importance, but the last head of a layer; once: in their very order. */
static void expect_order(const char *folder, const char *by, const char *column)
{
    double importance[6];
    const json_t *heads = json_object_get(ANSWER("importance", folder, "--json"), "heads");
    for (size_t h = 0; h < 6; h++) {
        importance[h] = number_at(json_array_get(heads, h), column);
    }
    row once[MOST_ROWS], again[MOST_ROWS];
    ck_assert_int_eq(read_csv(HEADS("prune", folder, "--once", "--by", by, "--csv").out, once), 5);
    ck_assert_int_eq(read_csv(HEADS("prune", folder, "--by", by, "--csv").out, again), 5);
    int left[2] = { 4, 2 };
    for (int i = 1; i < 5; i++) {
        int least = -1;
        for (int h = 0; h < 6; h++) {
            bool may = left[h / 4] > 1 && !isnan(importance[h]);
            least = may && (least < 0 || importance[h] < importance[least]) ? h : least;
        }
        const char *name = scratch_format("L%dH%d", least / 4, least % 4);
        ck_assert_str_eq(once[i].removed, name);
        left[least / 4]--;
        importance[least] = NAN;
    }
    ck_assert_str_eq(again[1].removed, once[1].removed);
}

TEST(the_least_important_goes_first)
{
    const char *folder = TINY_RUN("run", "model.heads=4,2");
    expect_order(folder, "loss", "zero");
    expect_order(folder, "gradient", "importance");
}

/* ---- the smaller model ---- */

enum { MOST_WORDS = 24 };

/* The command line that the output ends in, as words that stand until the next call; the first is the program. */
static int read_command(const char *out, char *words[MOST_WORDS])
{
    const char *begin = strstr(out, "  ./train ");
    ck_assert_msg(begin != NULL, "no command in: %s", out);
    static char line[4096];
    snprintf(line, sizeof line, "%.*s", (int)strcspn(begin + 2, "\n"), begin + 2);
    int n = 0;
    for (char *word = strtok(line, " "); word != NULL; word = strtok(NULL, " ")) {
        ck_assert_int_lt(n, MOST_WORDS - 2);
        words[n++] = word;
    }
    words[n] = NULL;
    return n;
}

static void expect_fine_tuned(const char *override, int n)
{
    const char *folder = TINY_RUN("run", override), *file = run_path("pruned.safetensors"),
               *csv = run_path("curve.csv");
    const char *count = scratch_format("%d", n);
    run_result run = OK(HEADS("prune", folder, "--to", count, "--out", file, "--csv", csv));
    row rows[MOST_ROWS];
    int last = read_csv(run_read(csv), rows) - 1;
    ck_assert_int_eq(rows[last].heads, n);
    char *words[MOST_WORDS];
    int n_words = read_command(run.out, words);
    ck_assert_str_eq(words[0], "./train");
    words[n_words] = (char *)"--quiet";
    words[n_words + 1] = NULL;
    run = run_train((const char *const *)words + 1);
    ck_assert_msg(run.code == 0 && run.err[0] == '\0', "exit code %d: %s", run.code, run.err);

    /* The file's config is the run's. */
    hl_safetensors *model;
    CHECK_OK(safetensors_file_open(file, &model));
    const char *line = strstr(hl_safetensors_metadata(model, "config"), "\nheads = ");
    ck_assert_ptr_nonnull(line);
    const char *shape = scratch_format("%.*s", (int)(strstr(line, "\nd_ff") - line), line);
    ck_assert_ptr_nonnull(strstr(shape, "\nkv_heads = "));
    ck_assert_ptr_nonnull(strstr(shape, "\nd_v = "));
    hl_safetensors_free(model);

    /* Before its first step it is what was left. */
    const char *tuned = scratch_format("%s-pruned", folder);
    const char *first = strstr(run_read(run_file(tuned, "metrics.csv")), "\n0,validation,");
    double loss, accuracy;
    ck_assert(first != NULL && sscanf(first, "\n0,validation,%lf,%lf", &loss, &accuracy) == 2);
    ck_assert_double_eq_tol(loss, rows[last].loss, 1e-8);
    ck_assert_double_eq(accuracy, rows[last].accuracy);
    ck_assert_msg(strstr(run_read(run_file(tuned, "config.ini")), shape) != NULL, "no%s in its config.ini", shape);
    OK(HEADS(tuned));
}

TEST(the_command_told_fine_tunes_the_smaller_model)
{
    expect_fine_tuned("model.heads=4,2", 3);
}

TEST(heads_that_shared_keys_and_values_are_fine_tuned_too)
{
    expect_fine_tuned("model.kv_heads=1", 3);
}

TEST(the_file_says_which_heads_it_has)
{
    const char *folder = TINY_RUN("run", "model.heads=4,2"), *path = run_path("pruned.safetensors");
    run_result run = OK(HEADS("prune", folder, "--to", "3", "--out", path, "--csv"));
    ck_assert_ptr_nonnull(strstr(run.err, "3 of 6 heads"));
    row rows[MOST_ROWS];
    read_csv(run.out, rows);
    hl_safetensors *file;
    CHECK_OK(safetensors_file_open(path, &file));
    ck_assert(hl_safetensors_has_checksum(file));
    const char *names = hl_safetensors_metadata(file, "heads"), *config = hl_safetensors_metadata(file, "config");
    ck_assert_str_eq(hl_safetensors_metadata(file, "format"), "pt");
    ck_assert_str_eq(hl_safetensors_metadata(file, "step"), "24");
    int left[2] = { 0, 0 };
    for (int h = 0; h < 6; h++) {
        const char *name = scratch_format("L%dH%d", h / 4, h % 4);
        bool gone = strcmp(rows[1].removed, name) == 0 || strcmp(rows[2].removed, name) == 0 ||
                    strcmp(rows[3].removed, name) == 0;
        ck_assert_msg((strstr(names, name) == NULL) == gone, "%s in \"%s\"", name, names);
        left[h / 4] += !gone;
    }
    const char *line = scratch_format("\nheads = %d, %d\n", left[0], left[1]);
    ck_assert_msg(strstr(config, left[0] != left[1] ? line : "\nheads = ") != NULL, "no %s in %s", line, config);
    ck_assert_ptr_nonnull(strstr(config, "\nd_k = 4, 8\n"));
    int W_O = hl_safetensors_find(file, "encoder.layers.0.self_attn.out_proj.weight");
    int q = hl_safetensors_find(file, "encoder.layers.0.self_attn.q_proj_weight");
    ck_assert_int_ge(q, 0);
    ck_assert(hl_shape_equal(hl_safetensors_shape(file, q), HL_SHAPE(4 * left[0], 16)));
    ck_assert(hl_shape_equal(hl_safetensors_shape(file, W_O), HL_SHAPE(16, 4 * left[0])));
    ck_assert_int_lt(hl_safetensors_find(file, "encoder.layers.0.self_attn.in_proj_weight"), 0);
    hl_safetensors_free(file);
}

TEST(charts_are_written)
{
    const char *folder = TINY_RUN("run", "model.heads=2"), *png = run_path("a.png"), *svg = run_path("a.svg"),
               *pdf = run_path("a.pdf");
    OK(HEADS("prune", folder, "--png", png, "--svg", svg, "--pdf", pdf));
    ck_assert_int_eq(strncmp(run_read(png), "\x89PNG", 4), 0);
    ck_assert_int_eq(strncmp(run_read(svg), "<?xml", 5), 0);
    ck_assert_int_eq(strncmp(run_read(pdf), "%PDF", 4), 0);
}

TEST(a_path_with_blanks_is_quoted_in_the_command)
{
    const char *folder = TINY_RUN("it's a run", "train.steps=1");
    SAYS(HEADS("prune", folder, "--to", "2", "--out", run_path("small.safetensors")),
         "/it'\\''s a run/config.ini' --from ", "/it'\\''s a run-pruned'\n");
}

TEST(a_folder_told_with_a_slash_is_tuned_beside_it)
{
    const char *folder = scratch_format("%s/", TINY_RUN("run", "model.heads=2"));
    SAYS(HEADS("prune", folder, "--to", "2", "--out", run_path("pruned.safetensors")), "/run-pruned\n",
         "/run/config.ini ");
}

TEST(what_cannot_be_pruned_is_one_line)
{
    const char *folder = TINY_RUN("run", "model.heads=2"), *file = run_path("x.safetensors");
    static const struct {
        const char *words[4], *part;
    } wrong[] = {
        { { "--to", "1", "--out" }, "runs.to_1_has_4_heads" },
        { { "--to", "4", "--out" }, "runs.to_4_has_4_heads" },
        { { "--to", "0", "--out" }, "runs.to_0_is_no_whole" },
        { { "--by", "luck", "--out" }, "runs.by_luck_is_neither_loss" },
        { { "--once", "--drop=L0H0", "--csv" }, "runs.drop_is_for_the_verb_importance" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        run_result run = REFUSED(HEADS("prune", folder, wrong[i].words[0], wrong[i].words[1], wrong[i].words[2], file),
                                 2, wrong[i].part);
        ck_assert_str_eq(run.out, "");
        ck_assert(!scratch_exists(file));
    }
    /* told before the heads are measured */
    REFUSED_SAYING(HEADS("prune", folder, "--to", "2", "--out", run_path("nowhere/x.safetensors")), 3,
                   "its folder cannot be written to: No such file or directory");
    const char *one = TINY_RUN("one", "model.heads=1", "train.steps=1");
    REFUSED(HEADS("prune", one, "--to", "2", "--out", file), 2, "runs.to_has_one_head_in");
    SAYS(HEADS("prune", one), "Left in the end: L0H0, L1H0.");
}

SUITE("heads prune", .seconds = 60)
