/* The program predict on runs of a few steps: labels of lines, tables, pieces, rows for NumPy, bad files, a pipe. */
#include "core/files/json.h"
#include "core/files/npy.h"
#include "tests/runs/predict_runs.h"
#include "tests/scratch.h"

#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const char table[] =
    "label\ttext\nnice\ta good day\nbad\ta bad day\nnice\tgood food\nbad\tbad food\n"
    "nice\ta good dog\nbad\ta bad dog\nnice\tgood it is\nbad\tbad it is\nnice\ta very good one\n"
    "bad\ta very bad one\n";

static const char *classes_run(void)
{
    return train_on("classes", scratch_file("table.tsv", table), "[tokens]\nsize = 60\n");
}

static const char *next_run(const char *more)
{
    static const char text[] = "one two one two two one\none two\ntwo one one two\none one two two one\none two one\n"
                               "two one one two\none two one two two one\none two\ntwo one one two\none two\n";
    return train_on("next", scratch_file("text.txt", text), more);
}

/* The header of NumPy's file and its numbers, of 16 columns. */
static const float *rows_of(const char *path, int64_t n)
{
    size_t size;
    char *content = scratch_read(path, &size);
    ck_assert_ptr_nonnull(content);
    size_t header = hl_npy_header_size(content);
    hl_npy_type type;
    hl_shape shape;
    ck_assert_ptr_null(hl_npy_header_read(content, header, &type, &shape));
    ck_assert(type == HL_NPY_FLOAT32 && shape.n_dims == 2 && shape.size[0] == n && shape.size[1] == 16);
    ck_assert_uint_eq(size, header + (size_t)n * 16 * sizeof(float));
    float *rows = malloc((size_t)n * 16 * sizeof *rows + 1);
    memcpy(rows, content + header, (size_t)n * 16 * sizeof *rows);
    free(content);
    return rows;
}

TEST(lines_get_labels)
{
    const char *run = classes_run(), *in = scratch_file("in.txt", "a good day\n\nbad food\n");
    const char *out = answers(PREDICT(run, in), "in.txt:2: is empty: it has no answer");
    char labels[2][8];
    double p[2];
    ck_assert_int_eq(sscanf(out, "%7s\t%lf\n\n%7s\t%lf\n", labels[0], &p[0], labels[1], &p[1]), 4);
    ck_assert(p[0] >= 0.5 && p[0] <= 1 && p[1] >= 0.5);
    double both[2];
    out = answers(PREDICT(run, in, "--top", "9"), "in.txt:2");
    ck_assert_int_eq(sscanf(out, "%*s\t%lf\t%*s\t%lf", &both[0], &both[1]), 2);
    ck_assert_double_eq_tol(both[0] + both[1], 1, 2e-4);
    json_t *object = json_in(answers(PREDICT(run, in, "--json"), "in.txt:2"), JSON_DISABLE_EOF_CHECK);
    ck_assert_str_eq(json_string_value(json_object_get(object, "label")), labels[0]);
    const char *scores = answers(PREDICT(run, "--score", run_path("table.tsv")), "");
    CHECK_HOLDS(scores, "lines               10\n", "macro F1");
    ck_assert_ptr_null(strstr(scores, "not in training"));
    scores =
        answers(PREDICT(run, "--score", scratch_file("new.tsv", "text\tlabel\ngood\tnew\nbad\tnew\nit\tnice\n")), "");
    CHECK_HOLDS(scores, "lines               3\n", "\nnot in training     2, and so answered wrong\n");
    REFUSED(PREDICT(run, "--score", in), 2, "runs.has_no_column_text_its_columns_2");
}

TEST(pairs_need_a_tab)
{
    static const char pairs[] =
        "a\tb\ty\nx\tx\tsame\nx\ty\tother\ny\ty\tsame\ny\tx\tother\nx x\ty y\tother\nx x\tx x\tsame\n"
        "x y\tx y\tsame\ny x\tx y\tother\ny y\ty y\tsame\nx y\ty y\tother\n";
    const char *run = train_on("classes", scratch_file("pairs.tsv", pairs),
                               "text_column = a,b\nlabel_column = y\n[tokens]\nsize = 40\n");
    const char *out = answers(PREDICT(run, scratch_file("in.tsv", "x y\ty\nx y\tx y\nx y\ty\n")), "");
    const char *second = strchr(out, '\n') + 1, *third = strchr(second, '\n') + 1;
    ck_assert(strncmp(out, second, (size_t)(second - out)) != 0); /* the second text tells them apart */
    ck_assert_mem_eq(out, third, strlen(third));
    FAILS(PREDICT(run, scratch_file("bad.tsv", "x\tx\nx x\n")), 3, "runs.has_no_tab_between_two_texts");
    FAILS(PREDICT(run, scratch_file("bad.tsv", "x\tx\nx\tx\tx\n")), 3, "runs.has_2_tabs_one_separates_the");
    const char *rows =
        answers(PREDICT(run, scratch_file("table.tsv", "b\tn\ta\ny\t1\tx y\nx y\t2\tx y\ny\t3\tx y\n")), "");
    ck_assert_str_eq(rows, out);
    ck_assert_str_eq(answers(PREDICT(run, run_path("table.tsv"), "--tokens"), ""), "x y\ty\nx y\tx y\nx y\ty\n");
    ck_assert_str_eq(answers(PREDICT(run, scratch_file("in.tsv", "x y\ty\n"), "--tokens", "--json"), ""),
                     "{\"format\":2,\"line\":1,\"pieces\":[\"x\",\"y\"],\"second\":[\"y\"]}\n");
    FAILS(PREDICT(run, scratch_file("bad.tsv", "a\tn\tb\nx\t1\ty\nx\ty\n")), 3, "runs.has_2_columns_not_3_as");
}

/* Without a header, too, and whatever is asked of it. */
TEST(a_table_of_texts_is_known_by_its_first_line)
{
    const char *run = classes_run(), *npy = run_path("rows.npy");
    const char *expected = answers(PREDICT(run, scratch_file("in.txt", "good food\nbad\n")), "");
    const char *named = scratch_file("named.tsv", "n\ttext\n1\tgood food\n2\tbad\n");
    ck_assert_str_eq(answers(PREDICT(run, named), ""), expected);
    ck_assert_str_eq(answers(PREDICT(run, named, "--tokens"), ""),
                     answers(PREDICT(run, run_path("in.txt"), "--tokens"), ""));
    answers(PREDICT(run, named, "--embed", npy), "mean of the rows of the last layer, not normalised");
    free((void *)rows_of(npy, 2));
    const char *alone =
        answers(PREDICT(run, scratch_file("in.txt", "text\ngood food\nbad\n")), ""); /* a text as any other */
    ck_assert_str_eq(strchr(alone, '\n') + 1, expected);
    REFUSED(PREDICT(run, scratch_file("bad.tsv", "n\tsaid\n1\tgood\n")), 3, "runs.has_1_tab_in_a_text");
    FAILS(PREDICT(run, scratch_file("bad.tsv", "good\n1\tgood\n")), 3, "runs.has_1_tab_in_a_text_2");

    scratch_remove(run);
    const char *numbered = scratch_format("%s", strchr(table, '\n') + 1);
    run = train_on("classes", scratch_file("numbered.tsv", numbered),
                   "text_column = 2\nlabel_column = 1\n[tokens]\nsize = 60\n");
    expected = answers(PREDICT(run, scratch_file("in.txt", "good food\nbad\n")), "");
    ck_assert_str_eq(answers(PREDICT(run, scratch_file("rows.tsv", "nice\tgood food\nbad\tbad\n")), ""), expected);
    FAILS(PREDICT(run, scratch_file("bad.tsv", "x\tgood\nbad\n")), 3, "runs.has_1_column_not_2_as");
}

TEST(tables_of_tokens_are_answered)
{
    static const char rows[] =
        "tokens\ttargets\tsources\na b ?\t_ _ a\t_ _ 0\nb a ?\t_ _ b\t_ _ 0\na a ?\t_ _ a\t_ _ 0\n"
        "b b ?\t_ _ b\t_ _ 0\na a b ?\t_ _ _ a\t_ _ _ 0\nb a a ?\t_ _ _ b\t_ _ _ 0\n"
        "a b b ?\t_ _ _ a\t_ _ _ 0\nb b a ?\t_ _ _ b\t_ _ _ 0\n";
    const char *run = train_on("file", scratch_file("rows.tsv", rows), "");
    const char *out = answers(PREDICT(run, scratch_file("in.tsv", "targets\ttokens\n_ _ a\ta b ?\nb _\tb a\n")), "");
    char said[2][16];
    ck_assert_int_eq(sscanf(out, "targets\ttokens\n_ _ %15s\ta b ?\n%15s _\tb a\n", said[0], said[1]), 2);
    const char *kept = "note\ttokens\ttargets\tsources\nfirst\ta b ?\t_ _ a\t_ _ 0\n\tb  a\tb _\tmore\n";
    char expected[128];
    snprintf(expected, sizeof expected,
             "note\ttokens\ttargets\tsources\nfirst\ta b ?\t_ _ %s\t_ _ 0\n\tb  a\t%s _\tmore\n", said[0], said[1]);
    ck_assert_str_eq(answers(PREDICT(run, scratch_file("kept.tsv", kept)), ""), expected);
    ck_assert_str_eq(answers(PREDICT(run, run_path("kept.tsv"), "--tokens"), ""), "a b ?\nb a\n");
    /* A mark, ends of two kinds, empty lines, no last end. */
    kept = "\xEF\xBB\xBFtokens\ttargets\r\na b ?\t_ _ a\r\nb  a\tb _\n\r\n\n\r\n";
    snprintf(expected, sizeof expected, "\xEF\xBB\xBFtokens\ttargets\r\na b ?\t_ _ %s\r\nb  a\t%s _\n\r\n\n\r\n",
             said[0], said[1]);
    ck_assert_str_eq(answers(PREDICT(run, scratch_file("kept.tsv", kept)), ""), expected);
    snprintf(expected, sizeof expected, "tokens\ttargets\na b ?\t_ _ %s\r\nb  a\t%s _", said[0], said[1]);
    ck_assert_str_eq(answers(PREDICT(run, scratch_file("kept.tsv", "tokens\ttargets\na b ?\t_ _ a\r\nb  a\tb _")), ""),
                     expected);
    json_t *object =
        json_in(answers(PREDICT(run, run_path("in.tsv"), "--json", "--top", "2"), ""), JSON_DISABLE_EOF_CHECK);
    json_t *at = json_array_get(json_object_get(object, "answers"), 0);
    ck_assert_int_eq(json_integer_value(json_object_get(at, "word")), 2);
    ck_assert_uint_eq(json_array_size(json_object_get(at, "answers")), 2);
    REFUSED(PREDICT(run, scratch_file("bad.tsv", "tokens\na\n")), 2, "runs.has_no_column_targets_its_columns");
    REFUSED(PREDICT(run, scratch_file("bad.tsv", "tokens\ttargets\na b\ta\n")), 3, "runs.has_2_tokens_but_1_target");
}

TEST(pieces_are_shown)
{
    const char *run = next_run("length = 8\n");
    const char *in = scratch_file("in.txt", "on e\\\n\nt\two?\n");
    ck_assert_str_eq(answers(PREDICT(run, in, "--tokens"), ""), "o n \\s e <unk>\n\nt <unk> w o <unk>\n");
    const char *json =
        answers(PREDICT(classes_run(), scratch_file("in.txt", "a b\xC3\xA9\n"), "--tokens", "--json"), "");
    ck_assert_str_eq(json, "{\"format\":2,\"line\":1,\"pieces\":[\"a\",\"[UNK]\"]}\n");
}

TEST(lines_become_rows)
{
    const char *run = next_run("length = 8\n"), *npy = run_path("rows.npy");
    ck_assert_str_eq(answers(PREDICT(run, scratch_file("in.txt", "one\n\none\ntwo\n"), "--embed", npy),
                             "mean of the rows of the last layer, not normalised"),
                     "");
    const float *rows = rows_of(npy, 4);
    for (int d = 0; d < 16; d++) {
        ck_assert(rows[16 + d] == 0 && rows[d] == rows[32 + d] && rows[d] != rows[48 + d] && isfinite(rows[d]));
    }
    free((void *)rows);
    answers(PREDICT(run, scratch_file("in.txt", ""), "--embed", npy),
            "mean of the rows of the last layer, not normalised");
    free((void *)rows_of(npy, 0));
    size_t before = strlen(run_list(scratch_path("")));
    REFUSED(PREDICT(run, scratch_file("in.txt", "one\ntwo \xff\n"), "--embed", npy), 3, "runs.is_not_utf_8_byte_0xff");
    ck_assert_uint_eq(strlen(run_list(scratch_path(""))), before); /* nothing is left over */
    free((void *)rows_of(npy, 0));
    REFUSED(PREDICT(run, run_path("in.txt"), "--embed", run_file(run, "model.safetensors")), 2,
            "runs.embed_is_a_file_of_a");
    REFUSED(PREDICT(run, run_path("in.txt"), "--embed", run_path("in.txt")), 2, "runs.embed_is_the_text_that_is");
}

TEST(bad_files_are_named)
{
    const char *run = next_run("length = 8\n"), *path = scratch_path("nul.txt");
    scratch_write(path, "one\nt\0wo\n", 9);
    FAILS(PREDICT(run, path, "--length", "1"), 3, "runs.holds_a_nul_byte_column_2");
    REFUSED(PREDICT(run, scratch_file("bad.txt", "\xC3\x28\n")), 3, "runs.is_not_utf_8_byte_0xc3");
    REFUSED(PREDICT(run, run_path("missing.txt")), 3, "runs.cannot_open_no_such_file_or_2");
    REFUSED(PREDICT(run_path("none")), 3, "heads.no_such_folder_give_a_run");
    REFUSED(PREDICT(run, "--top", "3"), 2, "runs.top_was_trained_for_the_task");
    ck_assert_str_eq(answers(PREDICT(run, scratch_file("empty.txt", ""), "--length", "1"), ""), "");
    const char *toy = TINY_RUN("toy");
    REFUSED(PREDICT(toy, path), 2, "runs.was_trained_for_the_task_copy");
}

/* What the message names as a remedy is one: behind the long line the next fault is found. */
TEST(a_run_scores_longer_lines_when_asked_to)
{
    enum { MIB = 1 << 20 };
    const char *run = next_run("length = 8\nline_mb = 1\n");
    char *text = malloc(MIB + 5);
    ck_assert_ptr_nonnull(text);
    memset(text, 'o', MIB + 1);
    memcpy(text + MIB + 1, "\n\xC3(", 4);
    const char *scored = scratch_file("long.txt", text);
    free(text);
    REFUSED_SAYING(PREDICT(run, "--score", scored), 3,
                   "long.txt:1: is longer than 1 MiB: break the line, or raise task.line_mb");
    REFUSED(PREDICT(run, "--score", scored, "task.line_mb=2"), 3, "runs.is_not_utf_8_byte_0xc3_2");
    REFUSED(PREDICT(run, "--score", scored, "task.line_mb=much"), 2, "runs.task_line_mb_much_is_not");
    REFUSED(PREDICT(run, "--score", scored, "task.column=XPOS"), 2, "runs.task_column_xpos_is_a_run");
}

/* Validation of a file of its own, in windows side by side, is what --score computes. */
TEST(scores_are_those_of_validation)
{
    const char *dev =
        scratch_file("dev.txt", "one two two one one two one one two\n"); /* 36 characters: 4 windows of 8 */
    const char *more = scratch_format("length = 8\nvalidation_file = %s\n", dev);
    const char *run = next_run(more);
    double loss, accuracy;
    run_last_row(run, "validation", &loss, &accuracy);
    const char *scored = scratch_file("scored.txt", "one two two one one two one one t");
    json_t *scores = json_in(answers(PREDICT(run, "--score", scored, "--json"), ""), 0);
    ck_assert_int_eq(json_integer_value(json_object_get(scores, "targets")), 32);
    ck_assert_int_eq(json_integer_value(json_object_get(scores, "examples")), 4);
    ck_assert_double_eq_tol(json_number_value(json_object_get(scores, "loss")), loss, 1e-5);
    ck_assert_double_eq_tol(json_number_value(json_object_get(scores, "accuracy")), accuracy, 1e-6);
    ck_assert_double_eq_tol(json_number_value(json_object_get(scores, "perplexity")), exp(loss), 1e-4);
}

/* What comes out of the pipe up to a newline, within ten seconds. */
static void expect_line(int pipe, const char *begin)
{
    char text[256] = "";
    for (size_t size = 0; strchr(text, '\n') == NULL; size++) {
        struct pollfd waited = { .fd = pipe, .events = POLLIN };
        ck_assert_msg(poll(&waited, 1, 10000) == 1, "no answer to \"%s\"; so far: %s", begin, text);
        ck_assert_uint_lt(size, sizeof text - 1);
        ck_assert_int_eq(read(pipe, text + size, 1), 1);
    }
    ck_assert_msg(strncmp(text, begin, strlen(begin)) == 0, "%s", text);
}

TEST(a_pipe_is_answered_line_by_line)
{
    const char *run = classes_run();
    int in[2], out[2];
    ck_assert(pipe(in) == 0 && pipe(out) == 0);
    pid_t process = fork();
    ck_assert_int_ge(process, 0);
    if (process == 0) {
        dup2(in[0], STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        close(in[1]);
        close(out[0]);
        execl(HL_PREDICT_PROGRAM, HL_PREDICT_PROGRAM, run, "--json", (char *)NULL);
        _exit(98);
    }
    close(in[0]);
    close(out[1]);
    ck_assert_int_eq(write(in[1], "one\n", 4), 4);
    expect_line(out[0], "{\"format\":2,\"line\":1,\"text\":\"one\",");
    ck_assert_int_eq(write(in[1], "two\non", 6), 6);
    expect_line(out[0], "{\"format\":2,\"line\":2,\"text\":\"two\",");
    close(in[1]); /* the last line has no end of its own */
    expect_line(out[0], "{\"format\":2,\"line\":3,\"text\":\"on\",");
    int status;
    ck_assert_int_eq(waitpid(process, &status, 0), process);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    close(out[0]);
}

static const char *piped; /* what standard input gives */

static void pipe_in(void)
{
    int both[2];
    ck_assert_int_eq(pipe(both), 0);
    ck_assert_int_eq(write(both[1], piped, strlen(piped)), (ssize_t)strlen(piped));
    close(both[1]);
    dup2(both[0], STDIN_FILENO);
}

/* Whether the texts are equal but for numbers, which may be 1e-4 apart. */
static void nearly_equal(const char *a, const char *b)
{
    while (*a != '\0' || *b != '\0') {
        char *a_end, *b_end;
        double x = strtod(a, &a_end), y = strtod(b, &b_end);
        bool numbers = a_end > a && b_end > b;
        ck_assert_msg(numbers ? fabs(x - y) <= 1.01e-4 : *a == *b, "%.60s, not %.60s", a, b);
        a = numbers ? a_end : a + 1;
        b = numbers ? b_end : b + 1;
    }
}

/* Many texts of a file share a pass of the model, those of a pipe do not: several passes' worth of lines, with empty
 * ones between. */
TEST(many_lines_are_answered_as_each_alone)
{
    static const char *const words[] = { "a good day\n", "bad food\n", "\n", "it is a very bad dog\n", "good\n" };
    const char *const classes = classes_run();
    const char *masked =
        train_on("masked", scratch_file("text.txt", "a b c d\nb c d a\nc d a b\nd a b c\na b c d\n"), "");
    char text[16384] = "", masks[16384] = "";
    for (int i = 0; i < 900; i++) {
        strcat(text, words[(i * i + i / 7) % 5]);
        strcat(masks, i % 3 == 0 ? "a [MASK] c\n" : i % 3 == 1 ? "b\n" : "[MASK] [MASK] d a\n");
    }
    strcat(text, "good"); /* without an end of line */
    const struct {
        const char *run, *text, *err;
        const char *option;
    } cases[] = { { classes, text, "in.txt:", NULL },
                  { classes, text, "in.txt:", "--json" },
                  { masked, masks, "300 in all", NULL },
                  { masked, masks, "300 in all", "--json" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *run = cases[i].run, *option = cases[i].option;
        const char *of_file = answers(PREDICT(run, scratch_file("in.txt", cases[i].text), option), cases[i].err);
        piped = cases[i].text;
        run_result alone = OK(run_with((run_options){ .arguments = (const char *const[]){ run, "-", option, NULL },
                                                      .program = hl_predict_program,
                                                      .before = pipe_in }));
        nearly_equal(of_file, alone.out);
        ck_assert_str_eq(answers(PREDICT(run, run_path("in.txt"), "--threads", "3", option), cases[i].err), of_file);
    }
    /* What stands before a bad line is answered. */
    const char *good = answers(PREDICT(classes, scratch_file("in.txt", "a good day\nbad food\n")), "");
    run_result bad = FAILS(PREDICT(classes, scratch_file("bad.txt", "a good day\nbad food\n\xff\n")), 3,
                           "runs.is_not_utf_8_byte_0xff_2");
    ck_assert_str_eq(bad.out, good);
}

/* What waits for an answer goes from one batch into the next. */
TEST(many_lines_are_scored_as_they_are_answered)
{
    static const char *const said[] = { "a good day", "bad food", "it is a very bad dog", "good", "a a a it bad" };
    enum { LINES = 900 };
    const char *run = classes_run();
    char text[32768] = "", rows[32768] = "text\tlabel\n";
    int right = 0;
    for (int i = 0; i < LINES; i++) {
        snprintf(text + strlen(text), 64, "%s\n", said[(i * i + i / 7) % 5]);
        snprintf(rows + strlen(rows), 64, "%s\t%s\n", said[(i * i + i / 7) % 5], i % 3 == 0 ? "nice" : "bad");
    }
    const char *at = answers(PREDICT(run, scratch_file("in.txt", text)), "in.txt:");
    for (int i = 0; i < LINES; i++, at = strchr(at, '\n') + 1) {
        right += strncmp(at, i % 3 == 0 ? "nice\t" : "bad\t", i % 3 == 0 ? 5 : 4) == 0;
    }
    ck_assert(right > 0 && right < LINES);
    json_t *scores = json_in(answers(PREDICT(run, "--score", scratch_file("rows.tsv", rows), "--json"), ""), 0);
    ck_assert_int_eq(json_integer_value(json_object_get(scores, "targets")), LINES);
    ck_assert_int_eq(json_integer_value(json_object_get(scores, "right")), right);
}

SUITE("predict_files")
