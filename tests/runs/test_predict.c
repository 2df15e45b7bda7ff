/* The program predict on runs of a few steps on small files: masks, continued texts, tags. */
#include "core/files/json.h"
#include "tests/runs/predict_runs.h"
#include "tests/runs/screen.h"
#include "tests/scratch.h"

#include <stdlib.h>

static const char lines[] = "the cat sat on the mat\nthe dog sat on the log\na cat saw a dog\nthe dog saw the cat\n"
                            "a mat is on the log\nthe log is a log\na dog is a dog\nthe cat is on a mat\n";

static const char *masked_run(void)
{
    return train_on("masked", scratch_file("lines.txt", lines), "[tokens]\nsize = 60\n");
}

static const char *next_run(void)
{
    return train_on("next", scratch_file("lines.txt", lines), "length = 16\n");
}

#define WORD(id, form, tag) id "\t" form "\t_\t" tag "\t_\t_\t_\t_\t_\t_"
#define ROW(id, form, tag) WORD(id, form, tag) "\n"
#define CRLF(id, form, tag) WORD(id, form, tag) "\r\n"

/* With a byte order mark, a range, an empty node, ends of lines of two kinds, and no last one. */
/* clang-format off */
static const char treebank[] =
    "\xEF\xBB\xBF# first = 1\n" ROW("1", "the", "DET") ROW("2", "cat", "NOUN") ROW("3", "sleeps", "VERB") "\n"
    CRLF("1", "a", "DET") CRLF("2-3", "dogs'", "_") CRLF("2", "dog", "NOUN") CRLF("3", "'s", "PART")
    CRLF("3.1", "there", "X") "\r\n\n# more\n" ROW("1", "it", "PRON") ROW("2", "barks", "VERB") "\n"
    ROW("1", "cats", "NOUN") ROW("2", "sleep", "VERB") "\n" ROW("1", "the", "DET") ROW("2", "dog", "NOUN") "\n"
    ROW("1", "it", "PRON") ROW("2", "sleeps", "VERB") "\n# the end";
/* clang-format on */

static const char *tags_run(void)
{
    return train_on("tags", scratch_file("train.conllu", treebank), "[tokens]\nsize = 60\n");
}

/* ---- masked ---- */

TEST(masks_are_filled)
{
    const char *run = masked_run();
    const char *out =
        answers(PREDICT(run, scratch_file("in.txt", "the [MASK] sat\n[MASK] cat [MASK]\n"), "--top", "3"), "");
    ck_assert_ptr_null(strstr(out, "[MASK]"));
    int masks = 0;
    double total = 0;
    for (const char *at = out; (at = strstr(at, "\n  ")) != NULL; at++, masks++) {
        double p[3];
        char words[3][32];
        ck_assert_int_eq(
            sscanf(at, "\n  %*d.  %31s %lf  %31s %lf  %31s %lf\n", words[0], &p[0], words[1], &p[1], words[2], &p[2]),
            6);
        ck_assert(p[0] >= p[1] && p[1] >= p[2] && p[2] >= 0);
        total += p[0] + p[1] + p[2];
    }
    ck_assert_int_eq(masks, 3);
    ck_assert(total > 0 && total <= 3);
    out = answers(PREDICT(run, run_path("in.txt"), "--json", "--top", "2"), "");
    json_in(out, JSON_DISABLE_EOF_CHECK);
    json_t *second = json_in(strchr(out, '\n') + 1, 0);
    ck_assert_int_eq(json_integer_value(json_object_get(second, "line")), 2);
    ck_assert_int_eq(json_integer_value(json_object_get(second, "format")), 2);
    ck_assert_str_eq(json_string_value(json_object_get(second, "text")), "[MASK] cat [MASK]");
    json_t *found = json_object_get(second, "masks");
    ck_assert_uint_eq(json_array_size(found), 2);
    ck_assert_int_eq(json_integer_value(json_object_get(json_array_get(found, 1), "position")), 2);
    json_t *best = json_object_get(json_array_get(found, 1), "answers");
    ck_assert_uint_eq(json_array_size(best), 2);
    ck_assert_ptr_nonnull(json_string_value(json_object_get(json_array_get(best, 0), "piece")));
    ck_assert(json_real_value(json_object_get(json_array_get(best, 0), "probability")) > 0);
    out = answers(PREDICT(run, scratch_file("in.txt", "a cat\n\nthe dog\n")),
                  "in.txt:1: has no [MASK] to fill\n3 in all had");
    ck_assert_str_eq(out, "a cat\n\nthe dog\n");
    answers(PREDICT(run, scratch_file("in.txt", "a cat a cat a cat a cat a cat a cat [MASK]\n")),
            "in.txt:1: every [MASK] was cut off");
}

TEST(long_lines_are_cut_or_read_in_windows)
{
    const char *run = masked_run();
    char text[1024] = "";
    for (int i = 0; i < 60; i++) {
        strcat(text, i == 59 ? "[MASK]\n" : "cat ");
    }
    const char *in = scratch_file("long.txt", text);
    const char *out = answers(PREDICT(run, in), "long.txt:1: has 60 pieces, and the model takes ");
    ck_assert_ptr_nonnull(strstr(out, "[MASK]"));
    out = answers(PREDICT(run, in, "--stride", "2"), "");
    ck_assert_ptr_null(strstr(out, "[MASK]"));
    REFUSED(PREDICT(run, in, "--stride", "1000"), 2, "runs.windows_cannot_begin_1000_pieces_apart");
}

/* ---- next ---- */

/* What line i of JSON says as "continuation"; stands to the end of the test. */
static const char *continuation(const char *json, int i)
{
    for (; i > 0; i--) {
        json = strchr(json, '\n') + 1;
    }
    json_t *object = json_in(json, JSON_DISABLE_EOF_CHECK);
    const char *said = json_string_value(json_object_get(object, "continuation"));
    ck_assert_int_eq(json_integer_value(json_object_get(object, "pieces")), 20);
    said = run_kept(said != NULL ? said : "none");
    return said;
}

TEST(texts_are_continued)
{
    static const char end[] = "in.txt:3: has 32 pieces, and the model takes 16: it sees the last ones alone";
    const char *run = next_run(), *in = scratch_file("in.txt", "the c\nthe c\na dog is a dog, the cat is a cat\n");
    const char *out = answers(PREDICT(run, in, "--length", "20"), end);
    const char *json = answers(PREDICT(run, in, "--length", "20", "--json"), end);
    const char *all = scratch_format("the c%s\nthe c%s\na dog is a dog, the cat is a cat%s\n", continuation(json, 0),
                                     continuation(json, 1), continuation(json, 2));
    ck_assert_str_eq(out, all);
    ck_assert_str_ne(continuation(json, 0), continuation(json, 1)); /* drawn for each line anew */
    ck_assert_str_eq(answers(PREDICT(run, in, "--length", "20", "--threads", "3"), end), out);
    ck_assert_str_ne(answers(PREDICT(run, in, "--length", "20", "--seed", "2"), end), out);
    json = answers(PREDICT(run, in, "--length", "20", "--temperature", "0", "--json"), end);
    ck_assert_str_eq(continuation(json, 0), continuation(json, 1));
    ck_assert_str_eq(answers(PREDICT(run, in, "--length", "20", "--top-k", "1", "--seed", "5", "--json"), end), json);
}

/* ---- on a terminal ---- */

/* What a terminal is sent. */
static const char *sent(const char *const *arguments)
{
    char *text;
    ck_assert_int_eq(
        screen_sent(100, 24, (run_options){ .arguments = arguments, .program = hl_predict_program }, &text), 0);
    const char *kept = run_kept(text);
    free(text);
    return kept;
}
#define SENT(...) sent((const char *const[]){ __VA_ARGS__, NULL })

/* A title of the window, a column of 8-bit commands, DEL and a carriage return; then text that stays as it is. */
#define COMMANDS "a\033]0;X\007\302\2332J\177\rb"
#define SPELLED "a\\x1b]0;X\\x07\\u{9b}2J\\x7f\\x0db"
#define HARMLESS " caf\303\251 e\314\201\tc"

TEST(a_terminal_does_not_obey_the_input)
{
    const char *run = masked_run(), *in = scratch_file("in.txt", "[MASK]" COMMANDS HARMLESS "\n");
    ck_assert_ptr_nonnull(strstr(SENT(run, in), SPELLED HARMLESS));
    const char *json = SENT(run, in, "--json");
    ck_assert_ptr_nonnull(strstr(json, "\\u001B]0;X\\u0007\\u009B2J\\u007F\\rb"));
    ck_assert_ptr_nonnull(strstr(answers(PREDICT(run, in), ": cut"), COMMANDS HARMLESS)); /* a pipe gets the bytes */
    run = next_run();
    ck_assert_ptr_nonnull(strstr(SENT(run, in), SPELLED HARMLESS));
    ck_assert_ptr_nonnull(strstr(answers(PREDICT(run, in), "the last ones"), COMMANDS HARMLESS));
    run = tags_run();
    in = scratch_file("in.conllu", "# " COMMANDS HARMLESS "\n" CRLF("1", "the", "_") "\r\n");
    const char *out = SENT(run, in);
    ck_assert_ptr_nonnull(strstr(out, SPELLED HARMLESS "\n1\tthe\t"));
    ck_assert_ptr_nonnull(strstr(out, "\t_\r\n\r\n")); /* ends of lines stay */
    ck_assert_ptr_nonnull(strstr(answers(PREDICT(run, in), ""), COMMANDS HARMLESS));
}

/* ---- tags ---- */

/* The fourth column of every word in place of another. */
static char *without_tags(const char *text)
{
    char *all = calloc(1, strlen(text) + 1), *to = all;
    for (const char *at = text; *at != '\0';) {
        size_t size = strcspn(at, "\n") + (at[strcspn(at, "\n")] == '\n');
        const char *tab = memchr(at, '\t', size), *from = tab;
        bool word = tab != NULL && strcspn(at, ".-") > (size_t)(tab - at);
        for (int i = 0; i < 2 && word; i++) {
            from = strchr(from + 1, '\t');
        }
        size_t before = word ? (size_t)(from + 1 - at) : size;
        memcpy(to, at, before);
        to += before;
        const char *rest = word ? strchr(from + 1, '\t') : at + size;
        memcpy(to, rest, (size_t)(at + size - rest));
        to += at + size - rest;
        at += size;
    }
    return all;
}

TEST(a_treebank_is_written_back_byte_for_byte)
{
    const char *run = tags_run(), *in = run_path("train.conllu");
    const char *out = answers(PREDICT(run, in), "");
    char *expected = without_tags(treebank), *found = without_tags(out);
    ck_assert_str_eq(found, expected);
    free(expected);
    free(found);
    ck_assert_str_eq(answers(PREDICT(run, in, "--threads", "2"), ""), out);
    out = answers(PREDICT(run, scratch_file("plain.txt", "the cat  sleeps\n\nit barks"), "--json"), "");
    json_t *object = json_in(out, JSON_DISABLE_EOF_CHECK);
    ck_assert_uint_eq(json_array_size(json_object_get(object, "labels")), 3);
    ck_assert_str_eq(json_string_value(json_array_get(json_object_get(object, "words"), 2)), "sleeps");
    out = answers(PREDICT(run, run_path("plain.txt")), "");
    CHECK_HOLDS(out, "1\tthe\t_\t", "2\tbarks\t_\t");
    out = answers(PREDICT(run, scratch_file("plain.txt", "# the cat\n#1 sleeps\n")), "");
    CHECK_HOLDS(out, "1\t#\t_\t", "1\t#1\t_\t");
    FAILS(PREDICT(run, scratch_file("mixed.txt", "the cat\n1\tcat\n")), 3, "runs.has_a_tab_and_the_file");
}

TEST(each_line_of_text_has_its_pieces_and_its_row_in_tags_too)
{
    const char *run = tags_run(), *npy = run_path("rows.npy");
    const char *in = scratch_file("in.txt", "\nthe cat\n\n \xc2\xa0\ncats sleep\r\n\r\n  ");
    ck_assert_str_eq(answers(PREDICT(run, in, "--tokens"), ""), "\nthe cat\n\n\ncat ##s sleep\n\n\n");
    const char *json = answers(PREDICT(run, in, "--tokens", "--json"), "");
    CHECK_HOLDS(json, "\"line\":4,\"pieces\":[]}\n", "\"line\":7,\"pieces\":[]}\n");
    answers(PREDICT(run, in, "--embed", npy), "mean of the rows of the last layer, not normalised");
    size_t size;
    char *rows = scratch_read(npy, &size);
    enum { BEFORE_HEADER = 10 }; /* bytes of an npy file */
    ck_assert_ptr_nonnull(strstr(rows + BEFORE_HEADER, "'shape': (7, "));
    free(rows);
    ck_assert_str_eq(answers(PREDICT(run, scratch_file("in.txt", " \n\n"), "--tokens"), ""), "\n\n");
}

/* Its sentences, not its lines. */
TEST(pieces_and_rows_of_a_treebank_are_those_of_its_sentences)
{
    const char *run = tags_run(), *in = run_path("train.conllu"), *npy = run_path("rows.npy");
    const char *plain =
        scratch_file("plain.txt", "the cat sleeps\na dog 's\nit barks\ncats sleep\nthe dog\nit sleeps\n");
    const char *pieces = answers(PREDICT(run, in, "--tokens"), "");
    ck_assert_ptr_nonnull(strstr(pieces, "the "));
    ck_assert_str_eq(pieces, answers(PREDICT(run, plain, "--tokens"), ""));
    ck_assert_str_eq(answers(PREDICT(run, in, "--embed", npy), "mean of the rows of the last layer, not normalised"),
                     "");
    size_t of_treebank, of_text;
    char *rows = scratch_read(npy, &of_treebank);
    answers(PREDICT(run, plain, "--embed", npy), "mean of the rows of the last layer, not normalised");
    char *same = scratch_read(npy, &of_text);
    ck_assert_uint_eq(of_treebank, of_text);
    ck_assert_mem_eq(rows, same, of_text);
    free(rows);
    free(same);
}

/* What --score says is what counting the answers says. */
TEST(scores_of_tags_agree_with_the_answers)
{
    const char *run = tags_run(), *in = run_path("train.conllu"), *out = answers(PREDICT(run, in), "");
    int words = 0, right = 0;
    for (const char *a = treebank, *b = out; *a != '\0';) {
        size_t size = strcspn(a, "\n") + 1, other = strcspn(b, "\n") + 1;
        char tags[2][16], id[8];
        if (*a >= '0' && *a <= '9' && sscanf(a, "%7s\t%*s\t%*s\t%15s", id, tags[0]) == 2 && strpbrk(id, ".-") == NULL) {
            ck_assert_int_eq(sscanf(b, "%*s\t%*s\t%*s\t%15s", tags[1]), 1);
            words++;
            right += strcmp(tags[0], tags[1]) == 0;
        }
        a += strlen(a) < size ? strlen(a) : size;
        b += strlen(b) < other ? strlen(b) : other;
    }
    ck_assert_int_eq(words, 14);
    json_t *scores = json_in(answers(PREDICT(run, "--score", in, "--json"), ""), 0);
    ck_assert_int_eq(json_integer_value(json_object_get(scores, "targets")), words);
    ck_assert_int_eq(json_integer_value(json_object_get(scores, "right")), right);
    ck_assert_double_eq_tol(json_number_value(json_object_get(scores, "accuracy")), (double)right / words, 1e-6);
    json_t *classes = json_object_get(scores, "classes");
    int64_t cases = 0, all_right = 0;
    for (size_t i = 0; i < json_array_size(classes); i++) {
        cases += json_integer_value(json_object_get(json_array_get(classes, i), "cases"));
        all_right += json_integer_value(json_object_get(json_array_get(classes, i), "right"));
    }
    ck_assert(cases <= words && all_right == right);
    const char *table = answers(PREDICT(run, "--score", in), "");
    CHECK_HOLDS(table, "words               14\naccuracy", "NOUN\n");
}

SUITE("predict")
