/* --json and --csv: what the other options ask for, and nothing else, on standard output or in a file. */
#include "tests/check_suite.h"
#include "tests/runs/answers.h"
#include "tests/runs/sweeps.h"
#include "tests/scratch.h"

#include <math.h>
#include <string.h>

/* Rows of as many fields as the header has, quotes only around whole fields. Returns how many rows follow it. */
static int csv_rows(const char *text)
{
    int fields = 1, expected = 0, rows = -1;
    for (const char *at = text; *at != '\0'; at++) {
        if (*at == '"') {
            at++;
            for (; *at != '"' || at[1] == '"'; at += *at == '"' ? 2 : 1) {
                ck_assert_msg(*at != '\0', "%s", text);
            }
            at++;
            ck_assert_msg(*at == ',' || *at == '\n', "%s", at);
        }
        if (*at == ',') {
            fields++;
        } else if (*at == '\n') {
            ck_assert_int_eq(fields, rows < 0 ? fields : expected);
            expected = fields;
            fields = 1;
            rows++;
        }
    }
    ck_assert_msg(*text != '\0' && text[strlen(text) - 1] == '\n', "%s", text);
    return rows;
}

enum { MOST_WORDS = 8 };

/* heads <word> RUN <further words> <option> [value]; ends with 0 and says nothing on standard error. */
static const char *heads_with(const char *folder, const char *const *words, const char *option, const char *value)
{
    const char *arguments[MOST_WORDS + 4] = { words[0], folder };
    int n = 2;
    for (; words[n - 1] != NULL; n++) {
        arguments[n] = words[n - 1];
    }
    arguments[n] = option;
    arguments[n + (option != NULL)] = value;
    run_result run = OK(run_heads(arguments));
    ck_assert_str_eq(run.err, "");
    return run_kept(run.out);
}

/* Every question, the member of its JSON that is a row of its CSV, and how many of these there are. */
static const struct {
    const char *words[MOST_WORDS], *rows;
    int n_json, n_csv; /* -1: any number */
} asked[] = {
    { { "table" }, "heads", 4, -1 },
    { { "table", "--step", "5" }, "heads", 4, -1 },
    { { "map", "L1H0" }, "heads", 1, 7 * 7 },
    { { "map", "L1H0", "--step", "0" }, "heads", 1, 7 * 7 },
    { { "map", "--example", "2" }, "heads", 4, 4 * 7 * 7 },
    { { "map", "--input", "a b c <sep> <mask>" }, "heads", 4, 4 * 5 * 5 },
    { { "map", "L0H1", "--input", "a b" }, "heads", 1, 2 * 2 },
    { { "importance" }, "heads", 4, 4 },
    { { "importance", "--keep", "L0H1,L1H*" }, "rows", 2, 2 },
    { { "importance", "--drop", "L0H1" }, "rows", 2, 2 },
    { { "compare", "the other" }, "heads", 4, 4 },
};

static void expect_table(const char *folder, const char *other, int i)
{
    const char *words[MOST_WORDS];
    memcpy(words, asked[i].words, sizeof words);
    if (strcmp(words[0], "compare") == 0) {
        words[1] = other;
    }
    const char *json = heads_with(folder, words, "--json", NULL), *csv = heads_with(folder, words, "--csv", "-");
    json_t *root = answer_json(json);
    ck_assert_int_eq((int)json_array_size(json_object_get(root, asked[i].rows)), asked[i].n_json);
    int rows = csv_rows(csv);
    ck_assert_msg(asked[i].n_csv < 0 ? rows > 0 : rows == asked[i].n_csv, "%d: %d rows: %s", i, rows, csv);

    /* In a file the same, and on standard output what a person reads. */
    const char *file = run_path("file"), *plain = heads_with(folder, words, NULL, NULL);
    ck_assert_str_ne(plain, "");
    ck_assert_str_eq(heads_with(folder, words, "--json", file), plain);
    ck_assert_str_eq(run_read(file), json);
    ck_assert_str_eq(heads_with(folder, words, "--csv", file), plain);
    ck_assert_str_eq(run_read(file), csv);
}

TEST(each_question_has_its_table)
{
    const char *folder = TINY_RUN("run", "train.seed=1"), *other = TINY_RUN("other", "train.seed=2");
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        expect_table(folder, other, (int)i);
    }
}

/* Its times differ from call to call. */
TEST(pruning_has_its_table)
{
    const char *folder = TINY_RUN("run", "train.seed=1");
    json_t *root = ANSWER("prune", folder, "--json", "-"), *rows = json_object_get(root, "rows");
    ck_assert_uint_eq(json_array_size(rows), 3);
    ck_assert(json_is_null(json_object_get(json_array_get(rows, 0), "removed")));
    ck_assert_int_eq(json_string_value(json_object_get(json_array_get(rows, 1), "removed"))[0], 'L');
    ck_assert_int_eq(csv_rows(HEADS("prune", folder, "--csv").out), 3);
    ck_assert_ptr_nonnull(strstr(HEADS("prune", folder, "--json", run_path("file")).out, "accuracy"));
}

static double weight(const json_t *head, size_t query, size_t key)
{
    return json_real_value(json_array_get(item_at(head, "weights", query), key));
}

TEST(a_map_holds_its_heads_weights_and_label)
{
    const char *folder = TINY_RUN("run", "train.seed=1");
    json_t *table = answer_json(HEADS(folder, "--json").out),
           *map = answer_json(HEADS("map", folder, "L1H1", "--json").out);
    json_t *head = item_at(map, "heads", 0);
    ck_assert_int_eq(json_integer_value(json_object_get(head, "layer")), 1);
    ck_assert_int_eq(json_integer_value(json_object_get(head, "head")), 1);
    const json_t *row = item_at(table, "heads", 3);
    ck_assert_str_eq(text_at(head, "label"), text_at(row, "label"));
    ck_assert_int_eq(json_integer_value(json_object_get(map, "step")), 24);
    ck_assert_uint_eq(json_array_size(json_object_get(map, "tokens")), 7);
    for (size_t query = 0; query < 7; query++) {
        double sum = 0;
        for (size_t key = 0; key < 7; key++) {
            sum += weight(head, query, key);
        }
        ck_assert_double_eq_tol(sum, 1, 1e-5);
    }
    const char *csv = HEADS("map", folder, "L1H1", "--csv").out;
    const char *first = scratch_format("\n1,1,0,0,0,0,%.9g\n", weight(head, 0, 0));
    ck_assert_msg(strstr(csv, first) != NULL, "no %s in %s", first, csv);
}

/* Each mask has an answer with a probability that the best of seven tokens can have, as JSON and in the drawing
 * alike. */
TEST(an_input_tells_the_models_answers)
{
    const char *folder = TINY_RUN("run", "train.seed=1");
    run_result run = HEADS("map", folder, "--input", "a b c <sep> <mask> <mask>", "--json");
    json_t *root = answer_json(run.out), *answers = json_object_get(root, "answers");
    ck_assert_uint_eq(json_array_size(answers), 2);
    ck_assert(json_is_null(json_object_get(item_at(root, "heads", 0), "label")));
    const char *drawn = run_kept(HEADS("map", folder, "L0H0", "--input", "a b c <sep> <mask> <mask>").out);
    ck_assert_int_eq(strncmp(drawn, "6 tokens: a b c <sep> <mask> <mask>\n\nposition  token", 51), 0);
    for (size_t i = 0; i < 2; i++) {
        json_t *answer = json_array_get(answers, i);
        double probability = json_real_value(json_object_get(answer, "probability"));
        ck_assert(probability > 1.0 / 7 && probability <= 1); /* the best of seven tokens */
        ck_assert_int_eq(json_integer_value(json_object_get(answer, "position")), 4 + (int)i);
        ck_assert_str_eq(text_at(answer, "token"), "<mask>");
        const char *line =
            scratch_format("\n%8d  %-16s%-16s%11.2f\n", 4 + (int)i, "<mask>", text_at(answer, "answer"), probability);
        ck_assert_msg(strstr(drawn, line) != NULL, "no %s in %s", line, drawn);
    }
    /* without a mask every position is answered */
    root = answer_json(HEADS("map", folder, "--input", "a b c", "--json").out);
    ck_assert_uint_eq(json_array_size(json_object_get(root, "answers")), 3);
}

TEST(a_step_alone_has_its_own_rows)
{
    const char *csv = HEADS(TINY_RUN("run", "train.seed=1"), "--step", "5", "--csv").out;
    ck_assert_int_eq(strncmp(csv, "step,layer,head,metric,value,baseline\n", 38), 0);
    for (const char *line = strchr(csv, '\n') + 1; *line != '\0'; line = strchr(line, '\n') + 1) {
        ck_assert_int_eq(strncmp(line, "5,", 2), 0);
    }
}

TEST(a_summary_for_programs_stands_alone)
{
    const char *config = run_tiny_config(), *file = run_path("summary.json");
    const char *json = run_kept(RUN(config, "--summary", "--json").out);
    json_t *root = answer_json(json);
    ck_assert_int_eq(json_integer_value(json_object_get(root, "tokens")), 7);
    ck_assert_uint_gt(json_array_size(json_object_get(root, "rows")), 20);
    run_result run = OK(RUN(config, "--summary", "--json", file));
    ck_assert_str_eq(run.out, "");
    ck_assert_str_eq(run_read(file), json);
    REFUSED(RUN(config, "--summary", "--json", "/nowhere/x"), 3, "runs.its_folder_cannot_be_written_to_2");
}

TEST(a_sweep_for_programs_stands_alone)
{
    const char *config = run_tiny_config(), *folder = run_path("sweep"), *file = run_path("sweep.json");
    run_result run = OK(ABLATE(config, "--heads", "1,2", "--seeds", "2", "--out", folder, "--json"));
    ck_assert_ptr_nonnull(strstr(run.err, "begins, "));
    ck_assert_ptr_nonnull(strstr(run.err, "everything is in "));
    const char *json = run_kept(run.out);
    json_t *root = answer_json(json), *rows = json_object_get(root, "rows"), *row = json_array_get(rows, 1);
    ck_assert_int_eq(json_integer_value(json_object_get(root, "seeds")), 2);
    ck_assert_uint_eq(json_array_size(rows), 2);
    ck_assert_str_eq(text_at(row, "name"), "base");
    ck_assert_str_eq(json_string_value(json_object_get(json_object_get(row, "values"), "heads")), "2");
    ck_assert(json_is_null(json_object_get(row, "p")));
    json_t *trainings = json_object_get(row, "trainings");
    ck_assert_uint_eq(json_array_size(trainings), 2);
    double sum = 0;
    for (size_t i = 0; i < 2; i++) {
        json_t *training = json_array_get(trainings, i);
        ck_assert_int_eq(json_integer_value(json_object_get(training, "seed")), (json_int_t)i + 1);
        ck_assert_str_eq(text_at(training, "status"), "done");
        ck_assert_int_eq(json_integer_value(json_object_get(training, "steps")), 24);
        sum += number_at(training, "validation_loss");
    }
    ck_assert_double_eq_tol(json_number_value(json_object_get(json_object_get(row, "validation_loss"), "mean")),
                            sum / 2, 1e-8 * sum);

    /* What is done is told again: in a file the same, and on standard output what a person reads. */
    const char *plain = run_kept(ABLATE(config, "--heads", "1,2", "--seeds", "2", "--out", folder).out);
    json = run_kept(ABLATE(config, "--heads", "1,2", "--seeds", "2", "--out", folder, "--json", "-").out);
    run = ABLATE(config, "--heads", "1,2", "--seeds", "2", "--out", folder, "--json", file, "--csv", run_path("csv"));
    ck_assert_str_eq(run.out, plain);
    ck_assert_str_eq(run_read(file), json);
    ck_assert_str_eq(run_read(run_path("csv")), sweep_csv(folder));
    run = ABLATE(config, "--heads", "1,2", "--seeds", "2", "--out", folder, "--csv", "-");
    ck_assert_str_eq(run.out, sweep_csv(folder));
    ck_assert_str_eq(run.err, plain);
}

TEST(a_sweep_writes_over_none_of_its_own_files)
{
    const char *config = run_tiny_config(), *folder = run_path("sweep");
    OK(ABLATE(config, "--heads", "1", "--seeds", "1", "--out", folder, "--jobs", "1"));
    const char *before = sweep_csv(folder);
    REFUSED(ABLATE(config, "--heads", "1", "--seeds", "1", "--out", folder, "--json", run_file(folder, "ablation.csv")),
            2, "runs.json_is_a_file_of_a");
    ck_assert_str_eq(sweep_csv(folder), before);
    run_result run = ABLATE(config, "--heads", "1", "--seeds", "1", "--out", run_path("other"), "--csv", "/nowhere/x");
    ck_assert_int_eq(run.code, 3);
    ck_assert_str_eq(run.err, "/nowhere/x: its folder cannot be written to: No such file or directory\n");
    ck_assert_str_eq(run_list(run_path("other")), "");
}

SUITE("tables for programs")
