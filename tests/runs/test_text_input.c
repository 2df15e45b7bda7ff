/* Files of a user's that are not as they should be: one line names file and place, or what was dropped is told once. */
#include "tests/check_suite.h"
#include "tests/runs/text_tasks.h"
#include "tests/sanitized.h"
#include "tests/scratch.h"

#include <stdlib.h>

/* A first line or sentence that is good, where the second is not. */
#define WORD "1\ta\t_\tN\t_\t_\t0\t_\t_\t_\n"
#define CLASSES "text_column = 1\nlabel_column = 2\n"

static const struct {
    const char *task, *keys, *text; /* '\a' stands for a zero byte */
    int code;
    const char *told; /* after the file's path */
} bad[] = {
    { "masked", "", "a b\nc\ad\n", 3, ":2: holds a NUL byte (column 2)\n" },
    { "next", "length = 8\n", "a b\nc\ad\n", 3, ":2: holds a NUL byte (column 2)\n" },
    { "masked", "", "a\n\xff\n", 3, ":2:1: is not UTF-8 (byte 0xff)\n" },
    { "masked", "", "", 2, ": tokens: no text to learn from\n" },
    { "masked", "", "\n\r\n\n", 2, ": tokens: no text to learn from\n" },
    { "next", "length = 8\n", "", 2, ": tokens: no text to learn from\n" },
    { "next", "length = 8\n[tokens]\nkind = bytes\n", "a text of thirty bytes, no more", 3,
      ": its validation part has 3 pieces, too few for a window of 8\n" },
    { "classes", CLASSES, "", 3, ": holds no row\n" },
    { "classes", CLASSES, "a\tx\nb\ty\tz\n", 3, ":2: has 3 columns, not 2 as line 1\n" },
    { "classes", CLASSES, "a\nb\n", 3, ":1: has 1 column; there is no column 2\n" },
    { "classes", CLASSES, "a\tx\nb\t\n", 3, ":2: the label is empty\n" },
    { "classes", "text_column = word\nlabel_column = 2\n", "a\tx\n", 2,
      ": has no column word; its columns are a, x\n" },
    { "classes", "text_column = 1,1\nlabel_column = 2\n", "a\tx\nb\ty\n", 2,
      "task.text_column = 1,1: names one column twice; a pair is of two columns\n" },
    { "classes", "text_column = word,2\nlabel_column = word\n", "word\tb\nx\ty\n", 2,
      "task.label_column = word: is the column of a text, too (task.text_column = word,2)\n" },
    { "tags", "", "", 3, ": holds no sentence\n" },
    { "tags", "", WORD "\n1\ta\t_\tN\t_\t_\t0\t_\t_\n", 3,
      ":3: has 9 columns, not the 10 of CoNLL-U, which tabs separate\n" },
    { "tags", "", WORD "3\tb\t_\tN\t_\t_\t0\t_\t_\t_\n", 3, ":2: ID 3 is out of order: 2, 2-... or 1.1 comes here\n" },
    { "tags", "", WORD "# text\n", 3, ":2: a comment stands after words; is an empty line missing before it?\n" },
    { "tags", "column = POS\n", WORD, 2, "task.column = POS: must be a column of CoNLL-U, as UPOS\n" },
    { "file", "", "", 3, ": holds no row\n" },
    { "file", "", "tokens\ttargets\n", 3, ": holds no row\n" },
    { "file", "", "tokens\ttarget\na\tb\n", 2, ": has no column targets; its columns are tokens, target\n" },
    { "file", "", "tokens\ttargets\na b\ta\n", 3, ":2: has 2 tokens, but 1 target\n" },
    { "file", "", "tokens\ttargets\na\t_\n", 3, ":2: has no target: every one is _\n" },
    { "file", "", "tokens\ttargets\tsources\na b\ta b\t0 2\n", 3, ":2: source 2 is no position from 0 to 1, nor _\n" },
};

static const char *config_of(const char *task, const char *keys, const char *file)
{
    const char *config = scratch_format("[task]\nname = %s\nfile = %s\n%s", task, file, keys);
    return run_config("bad.ini", config);
}

/* A look, and a run, which leaves nothing. */
LOOP_TEST(a_bad_file_is_named_with_the_place, 0, sizeof bad / sizeof *bad)
{
    const char *file = run_path("bad.txt"), *out = run_path("new/run");
    char text[256];
    size_t size = strlen(bad[_i].text);
    memcpy(text, bad[_i].text, size);
    for (size_t i = 0; i < size; i++) {
        text[i] = text[i] == '\a' ? '\0' : text[i];
    }
    scratch_write(file, text, size);
    const char *config = config_of(bad[_i].task, bad[_i].keys, file);
    run_result runs[2];
    for (int i = 0; i < 2; i++) {
        runs[i] = i == 0 ? RUN(config, "--check") : RUN(config, "--out", out);
        const char *told = strstr(runs[i].err, bad[_i].told);
        bool named = strncmp(bad[_i].told, ":", 1) != 0 || (told != NULL && told - runs[i].err >= (long)strlen(file) &&
                                                            memcmp(told - strlen(file), file, strlen(file)) == 0);
        ck_assert_msg(runs[i].code == bad[_i].code && told != NULL && named, "exit code %d, not %d; no \"%s\" in: %s",
                      runs[i].code, bad[_i].code, bad[_i].told, runs[i].err);
        ck_assert_msg(strchr(runs[i].err, '\n') == strrchr(runs[i].err, '\n'), "more than a line: %s", runs[i].err);
    }
    ck_assert(!scratch_exists(run_path("new")));
}

TEST(a_line_of_100_megabytes_is_refused_in_little_memory)
{
    enum { MEGABYTE = 1 << 20 };
    const char *file = run_path("long.txt"), *config = config_of("masked", "", file);
    FILE *to = fopen(file, "w");
    char *words = malloc(MEGABYTE);
    memset(words, 'a', MEGABYTE);
    fputs("first\n", to);
    for (int i = 0; i < 100; i++) {
        ck_assert_uint_eq(fwrite(words, 1, MEGABYTE, to), MEGABYTE);
    }
    fclose(to);
    free(words);
    run_result run = REFUSED(RUN_BUILT(config, "--check"), 3, "runs.is_longer_than_1048576_bytes");
    ck_assert(SANITIZED || run.mib < 80);
}

static int times(const char *text, const char *line)
{
    int n = 0;
    for (const char *at = strstr(text, line); at != NULL; at = strstr(at + 1, line)) {
        n++;
    }
    return n;
}

/* The notice stands once in what a run says, and not again where it takes up what was made. */
static void told_once(const char *config, const char *notice)
{
    const char *folder = run_path("run");
    run_result run = OK(RUN(config, "--out", folder));
    ck_assert_msg(times(run.out, notice) == 1, "%d times \"%s\" in: %s", times(run.out, notice), notice, run.out);
    run = OK(RUN(config, "--overwrite", "--out", folder));
    ck_assert_int_eq(times(run.out, notice), 0);
    scratch_remove(folder);
}

TEST(what_is_dropped_of_a_file_is_told_once)
{
    const char *file = run_path("crlf.txt");
    text_used = 0;
    text_say("\xef\xbb\xbf");
    for (int i = 0; i < 40; i++) {
        text_say_one(0, i);
        text_used -= i < 30;
        text_say(i < 30 ? "\r\n" : "");
    }
    run_config("crlf.txt", text_made);
    const char *config = text_config_of(0, file);
    told_once(config, ": 30 lines ended with a carriage return, which is dropped\n");
    told_once(config, ": the byte order mark at its start is dropped\n");
}

TEST(a_label_that_training_does_not_have_is_told_once)
{
    const char *file = text_file_of(3, "classes.tsv", 40), *config = text_config_of(3, file);
    const char *other = run_config("other.tsv", "first\tsecond\tlabel\na1 b1\tc1\tnew\na2 b2\tc2\tsame\n");
    const char *key = scratch_format("task.validation_file=%s", other);
    const char *folder = run_path("run");
    run_result run = OK(RUN(config, key, "--out", folder));
    ck_assert_int_eq(times(run.out, "validation: 1 target that training does not have counts as answered wrong\n"), 1);
}

/* HEAD is no part of what tags learn: a treebank whose trees are not right, or not there, will do. */
TEST(tags_do_not_ask_for_trees)
{
    const char *file = text_file_of(TEXT_TAGS, "tags.conllu", 40);
    char *text = strdup(run_read(file));
    for (char *head = text; (head = strstr(head, "\t_\t_\t0\t")) != NULL;) {
        head[5] = '1';
    }
    run_config("tags.conllu", text);
    free(text);
    EXPECT_RUN(0, text_config_of(TEXT_TAGS, file), "--check");
}

SUITE("text input")
