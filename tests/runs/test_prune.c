/* heads RUN --prune and what it writes, on runs of the tiny config (two layers of two heads) and one with more
 * heads. */
#include "core/files/safetensors.h"
#include "tests/check_suite.h"
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

static const char *train(const char *override)
{
    const char *folder = run_path("run");
    EXPECT_RUN(0, run_tiny_config(), override, "--quiet", "--out", folder);
    return folder;
}

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
    const char *folder = train("model.heads=4,2"), *csv = run_path("curve.csv");
    run_result run = HEADS(folder, "--prune", "--csv", csv);
    ck_assert_msg(run.code == 0, "%s", run.err);
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
        char line[32];
        snprintf(line, sizeof line, "\n    %d  %-7s", rows[i].heads, i > 0 ? rows[i].removed : "-");
        ck_assert_msg(strstr(run.out, line) != NULL, "no \"%s\" in %s", line, run.out);
    }
    for (const char *line = strchr(run.out, '\n') + 1; *line != '\0'; line = strchr(line, '\n') + 1) {
        ck_assert_msg(strcspn(line, "\n") <= 80, "%s", line);
    }
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
    const char *folder = train("model.heads=4,2");
    row rows[MOST_ROWS];
    int n = read_csv(HEADS(folder, "--prune", "--csv").out, rows);
    for (int i = 1; i < n; i++) {
        char names[64];
        gone_until(rows, i, names);
        run_result run = HEADS(folder, "--drop", names);
        const char *table = strstr(run.out, "accuracy\n");
        ck_assert_msg(table != NULL, "%s%s", run.out, run.err);
        double loss;
        ck_assert_int_eq(sscanf(table, "accuracy\n%*d%*f%*f%*f%%%*d%lf", &loss), 1);
        ck_assert_double_eq_tol(rows[i].loss, loss, 1e-5);
    }
}

/* The importance that --importance tells of each head of two layers, of `first` in layer 0. */
static void read_importance(const char *csv, const char *column, double *importance)
{
    int at = 0;
    for (const char *c = csv; strncmp(c, column, strlen(column)) != 0; c = strchr(c, ',') + 1) {
        at++;
    }
    for (const char *line = strchr(csv, '\n') + 1; *line != '\0'; line = strchr(line, '\n') + 1) {
        const char *field = line;
        for (int i = 0; i < at; i++) {
            field = strchr(field, ',') + 1;
        }
        *importance++ = atof(field);
    }
}

/* What goes first is the least of --importance, but the last head of a layer; once: in their very order. */
static void expect_order(const char *folder, const char *by, const char *column)
{
    double importance[6];
    read_importance(HEADS(folder, "--importance", "--csv").out, column, importance);
    row once[MOST_ROWS], again[MOST_ROWS];
    ck_assert_int_eq(read_csv(HEADS(folder, "--prune-once", "--prune-by", by, "--csv").out, once), 5);
    ck_assert_int_eq(read_csv(HEADS(folder, "--prune-by", by, "--csv").out, again), 5);
    int left[2] = { 4, 2 };
    for (int i = 1; i < 5; i++) {
        int least = -1;
        for (int h = 0; h < 6; h++) {
            bool may = left[h / 4] > 1 && !isnan(importance[h]);
            least = may && (least < 0 || importance[h] < importance[least]) ? h : least;
        }
        char name[16];
        snprintf(name, sizeof name, "L%dH%d", least / 4, least % 4);
        ck_assert_str_eq(once[i].removed, name);
        left[least / 4]--;
        importance[least] = NAN;
    }
    ck_assert_str_eq(again[1].removed, once[1].removed);
}

TEST(the_least_important_goes_first)
{
    const char *folder = train("model.heads=4,2");
    expect_order(folder, "loss", "zero");
    expect_order(folder, "gradient", "gradient");
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
    const char *folder = train(override), *file = run_path("pruned.safetensors"), *csv = run_path("curve.csv");
    char count[8];
    snprintf(count, sizeof count, "%d", n);
    run_result run = HEADS(folder, "--prune-to", count, "--out", file, "--csv", csv);
    ck_assert_msg(run.code == 0, "%s", run.err);
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
    ck_assert_int_eq(safetensors_file_open(file, &model).code, HL_OK);
    const char *line = strstr(hl_safetensors_metadata(model, "config"), "\nheads = ");
    ck_assert_ptr_nonnull(line);
    char shape[256];
    snprintf(shape, sizeof shape, "%.*s", (int)(strstr(line, "\nd_ff") - line), line);
    ck_assert_ptr_nonnull(strstr(shape, "\nkv_heads = "));
    ck_assert_ptr_nonnull(strstr(shape, "\nd_v = "));
    hl_safetensors_free(model);

    /* Before its first step it is what was left. */
    char tuned[256];
    snprintf(tuned, sizeof tuned, "%s-pruned", folder);
    const char *first = strstr(run_read(run_file(tuned, "metrics.csv")), "\n0,validation,");
    double loss, accuracy;
    ck_assert(first != NULL && sscanf(first, "\n0,validation,%lf,%lf", &loss, &accuracy) == 2);
    ck_assert_double_eq_tol(loss, rows[last].loss, 1e-8);
    ck_assert_double_eq(accuracy, rows[last].accuracy);
    ck_assert_msg(strstr(run_read(run_file(tuned, "config.ini")), shape) != NULL, "no%s in its config.ini", shape);
    ck_assert_int_eq(HEADS(tuned).code, 0);
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
    const char *folder = train("model.heads=4,2"), *path = run_path("pruned.safetensors");
    run_result run = HEADS(folder, "--prune-to", "3", "--out", path, "--csv");
    ck_assert_msg(run.code == 0, "%s", run.err);
    ck_assert_ptr_nonnull(strstr(run.err, "3 of 6 heads"));
    row rows[MOST_ROWS];
    read_csv(run.out, rows);
    hl_safetensors *file;
    ck_assert_int_eq(safetensors_file_open(path, &file).code, HL_OK);
    ck_assert(hl_safetensors_has_checksum(file));
    const char *names = hl_safetensors_metadata(file, "heads"), *config = hl_safetensors_metadata(file, "config");
    ck_assert_str_eq(hl_safetensors_metadata(file, "format"), "pt");
    ck_assert_str_eq(hl_safetensors_metadata(file, "step"), "24");
    int left[2] = { 0, 0 };
    for (int h = 0; h < 6; h++) {
        char name[8];
        snprintf(name, sizeof name, "L%dH%d", h / 4, h % 4);
        bool gone = strcmp(rows[1].removed, name) == 0 || strcmp(rows[2].removed, name) == 0 ||
                    strcmp(rows[3].removed, name) == 0;
        ck_assert_msg((strstr(names, name) == NULL) == gone, "%s in \"%s\"", name, names);
        left[h / 4] += !gone;
    }
    char line[64];
    snprintf(line, sizeof line, "\nheads = %d, %d\n", left[0], left[1]);
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
    const char *folder = train("model.heads=2"), *png = run_path("a.png"), *svg = run_path("a.svg"),
               *pdf = run_path("a.pdf");
    run_result run = HEADS(folder, "--prune", "--png", png, "--svg", svg, "--pdf", pdf);
    ck_assert_msg(run.code == 0, "%s", run.err);
    ck_assert_int_eq(strncmp(run_read(png), "\x89PNG", 4), 0);
    ck_assert_int_eq(strncmp(run_read(svg), "<?xml", 5), 0);
    ck_assert_int_eq(strncmp(run_read(pdf), "%PDF", 4), 0);
}

TEST(a_path_with_blanks_is_quoted_in_the_command)
{
    const char *folder = run_path("it's a run");
    EXPECT_RUN(0, run_tiny_config(), "train.steps=1", "--quiet", "--out", folder);
    run_result run = HEADS(folder, "--prune-to", "2", "--out", run_path("small.safetensors"));
    ck_assert_msg(run.code == 0, "%s", run.err);
    ck_assert_msg(strstr(run.out, "/it'\\''s a run/config.ini' --from ") != NULL, "%s", run.out);
    ck_assert_msg(strstr(run.out, "/it'\\''s a run-pruned'\n") != NULL, "%s", run.out);
}

TEST(a_folder_told_with_a_slash_is_tuned_beside_it)
{
    char folder[512];
    snprintf(folder, sizeof folder, "%s/", train("model.heads=2"));
    run_result run = HEADS(folder, "--prune-to", "2", "--out", run_path("pruned.safetensors"));
    ck_assert_msg(run.code == 0, "%s", run.err);
    ck_assert_msg(strstr(run.out, "/run-pruned\n") != NULL, "%s", run.out);
    ck_assert_msg(strstr(run.out, "/run/config.ini ") != NULL, "%s", run.out);
}

TEST(what_cannot_be_pruned_is_one_line)
{
    const char *folder = train("model.heads=2"), *file = run_path("x.safetensors");
    static const struct {
        const char *words[4], *part;
    } wrong[] = {
        { { "--prune-to", "1", "--out" }, "every layer keeps at least one: 2 .. 3 can be left" },
        { { "--prune-to", "4", "--out" }, "2 .. 3 can be left" },
        { { "--prune-to", "0", "--out" }, "--prune-to: \"0\" is no whole number" },
        { { "--prune-by", "luck", "--out" }, "--prune-by: \"luck\" is neither loss nor gradient" },
        { { "--prune", "--prune-once", "--out" }, "--out: only --prune-to N writes a model" },
        { { "--prune", "--step=1", "--csv" }, "--step does not go with --prune" },
        { { "--prune", "--drop=L0H0", "--csv" }, "--drop does not go with --prune" },
        { { "--prune-once", "--npz=x", "--csv" }, "--npz does not go with --prune" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        run_result run = HEADS(folder, wrong[i].words[0], wrong[i].words[1], wrong[i].words[2], file);
        ck_assert_int_eq(run.code, 2);
        ck_assert_str_eq(run.out, "");
        ck_assert_msg(strstr(run.err, wrong[i].part) != NULL, "no \"%s\" in %s", wrong[i].part, run.err);
        ck_assert(!scratch_exists(file));
    }
    run_result run = HEADS(folder, "--prune-to", "2");
    ck_assert_int_eq(run.code, 2);
    ck_assert_ptr_nonnull(strstr(run.err, "add --out FILE"));
    run = HEADS(folder, "--prune-to", "2", "--out", run_path("nowhere/x.safetensors"));
    ck_assert_int_eq(run.code, 3);
    ck_assert_str_eq(run.out, ""); /* told before the heads are measured */
    ck_assert_ptr_nonnull(strstr(run.err, "its folder cannot be written to: No such file or directory"));
    const char *one = run_path("one");
    EXPECT_RUN(0, run_tiny_config(), "model.heads=1", "train.steps=1", "--quiet", "--out", one);
    run = HEADS(one, "--prune-to", "2", "--out", file);
    ck_assert_int_eq(run.code, 2);
    ck_assert_ptr_nonnull(strstr(run.err, "one head in every layer"));
    run = HEADS(one, "--prune");
    ck_assert_int_eq(run.code, 0);
    ck_assert_ptr_nonnull(strstr(run.out, "Left in the end: L0H0, L1H0."));
}

SUITE("heads --prune", .seconds = 60)
