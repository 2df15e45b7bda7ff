/* Runs on a user's files keep what runs on toy tasks keep: the same bits, however they are stopped and resumed. */
#include "core/files/files.h"
#include "heads/shares.h"
#include "programs/heads/input.h"
#include "tests/check_suite.h"
#include "tests/runs/kills.h"
#include "tests/runs/text_tasks.h"
#include "tests/scratch.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- the same bits ---- */

static void same_data(const char *folder, const char *other)
{
    static const char *const files[] = { "tokens.json", "vocab.txt", "heads.csv" };
    run_assert_same(folder, other);
    ck_assert_str_eq(run_list(folder), run_list(other));
    for (int i = 0; i < 3; i++) {
        run_assert_same_file(folder, other, files[i]);
    }
}

LOOP_TEST(every_task_trains_to_the_same_bits_at_any_number_of_threads, 0, TEXT_TASKS)
{
    const char *config = text_config(_i), *straight = run_path("straight");
    EXPECT_RUN(0, config, "--out", straight);
    ck_assert_str_eq(run_checkpoint_step(straight), "12");
    static const char *const threads[] = { "train.threads=2", "train.threads=3", "train.threads=4" };
    for (int i = 0; i < 3; i++) {
        const char *folder = run_path(threads[i]);
        EXPECT_RUN(0, config, threads[i], "--quiet", "--out", folder);
        same_data(straight, folder);
    }
    const char *silent = run_path("silent");
    EXPECT_RUN(0, config, "patterns.examples=0", "--quiet", "--out", silent);
    run_assert_same_results(straight, silent);
    SAYS(HEADS(straight), "L1H1");
    OK(HEADS("importance", straight, "--keep", "L0H0"));
}

/* The special of the heads on an input of that token alone. */
static void not_special(const char *folder, const char *token)
{
    hl_opened_model run;
    hl_heads_input input;
    hl_status status = hl_opened_model_open(&run, folder);
    HL_THEN(status, hl_opened_model_load(&run, -1));
    HL_THEN(status, hl_heads_input_run(&run, token, &input));
    CHECK_OK(status);
    hl_score special = hl_special_of(&input.maps.layers[0]);
    ck_assert(special.value == 0 && special.baseline == 0 && special.n > 0);
    hl_heads_input_free(&input);
    hl_opened_model_close(&run);
}

/* Of a file of tokens and targets no words are known; heads.csv is made of snapshots that were read back, TensorBoard
 * is told while it trains. No id of such a file is special but those that its tokens say, whatever it is. */
TEST(what_is_special_in_a_file_of_tokens_its_tokens_say)
{
    const char *config = text_config(4), *folder = run_path("run");
    EXPECT_RUN(0, config, "--quiet", "--out", folder);
    const char *vocabulary = run_read(run_file(folder, "vocab.txt")), *line = vocabulary;
    for (int id = 0; id < 2; id++) {
        line = strchr(line, '\n') + 1;
    }
    ck_assert_msg(*line != '<' && *line != '[', "id 2 is special here: %s", vocabulary);
    run_result heads = OK(HEADS(folder, "--csv", "-"));
    int rows = 0;
    for (const char *row = heads.out; (row = strstr(row, ",special,")) != NULL; row++) {
        ck_assert_msg(strncmp(row, ",special,0,0\n", 13) == 0, "%.40s", row);
        rows++;
    }
    ck_assert_int_gt(rows, 0);
    const char *token = scratch_format("%.*s", (int)strcspn(line, "\n"), line);
    not_special(folder, token);
}

#define AS_BERTS                                                                                               \
    "optimizer.schedule=constant", "model.pooler=tanh", "model.dropout_output=0.2", "model.embedding_norm=on", \
        "model.token_types=3", "--quiet", "--out"

/* With a pooler, before which dropout is drawn by the places of the rows that answer. */
TEST(a_classifier_as_berts_has_the_same_bits_on_threads_and_resumed)
{
    const char *config = text_config(3), *straight = run_path("straight"), *resumed = run_path("resumed");
    static const char *const dropped = "model.dropout_pooler=0.1";
    EXPECT_RUN(0, config, dropped, AS_BERTS, straight);
    EXPECT_RUN(0, config, dropped, "train.threads=3", AS_BERTS, run_path("threads"));
    run_assert_same(straight, run_path("threads"));
    EXPECT_RUN(0, config, dropped, "train.steps=4", AS_BERTS, resumed);
    EXPECT_RUN(0, config, dropped, "--resume", AS_BERTS, resumed);
    run_assert_same_file(straight, resumed, "checkpoint.safetensors");
    EXPECT_RUN(0, config, AS_BERTS, run_path("undropped"));
    ck_assert_str_ne(run_metrics(straight), run_metrics(run_path("undropped")));
}

/* At moments by chance: while data are made, before the first checkpoint, between two, at the end. */
LOOP_TEST(killed_again_and_again_a_text_run_ends_as_if_nothing_had_been, 0, TEXT_TASKS)
{
    const char *config = text_config(_i), *straight = run_path("straight"), *folder = run_path("killed");
    const char *arguments[] = { config, "train.keep_checkpoints=2", "--quiet", "--resume", "--out", straight, NULL };
    OK(run_train(arguments));
    arguments[5] = folder;
    ck_assert_int_ge(kills_until_done((unsigned)_i + 1, arguments), 6);
    same_data(straight, folder);
}

/* ---- another content ---- */

LOOP_TEST(a_run_goes_on_without_its_file_or_with_it_elsewhere_but_not_with_another, 0, TEXT_TASKS)
{
    const char *config = text_config(_i), *straight = run_path("straight"), *folder = run_path("run");
    const char *file = run_path(text_tasks[_i].file), *moved = run_path("moved"), *other = run_path("other");
    static const char *const constant = "optimizer.schedule=constant";
    EXPECT_RUN(0, config, constant, "--quiet", "--out", straight);
    EXPECT_RUN(0, config, constant, "train.steps=4", "--quiet", "--out", folder);
    ck_assert_int_eq(rename(file, moved), 0);
    EXPECT_RUN(0, config, constant, "train.steps=8", "--quiet", "--resume", "--out", folder);
    char key[1024], changed[1024];
    snprintf(key, sizeof key, "task.file=%s", moved);
    EXPECT_RUN(0, config, constant, "train.steps=8", key, "--quiet", "--resume", "--out", folder);
    text_file_of(_i, "other", 41);
    snprintf(key, sizeof key, "task.file=%s", other);
    snprintf(changed, sizeof changed, "%s has changed since: put back the file as it was, or begin a new run", other);
    REFUSED_SAYING(RUN(config, constant, key, "--resume", "--out", folder), 3, changed);
    ck_assert_str_eq(run_checkpoint_step(folder), "8");
    scratch_remove(run_file(folder, "data"));
    REFUSED_SAYING(RUN(config, constant, key, "--resume", "--out", folder), 3,
                   "other: its content is not what the run was");
    snprintf(changed, sizeof changed, "%s: cannot open: No such file or directory; the run's own cache is gone", file);
    REFUSED_SAYING(RUN(config, constant, "--resume", "--out", folder), 3, changed);
    ck_assert(!scratch_exists(run_file(folder, "data")));
    ck_assert_int_eq(rename(moved, file), 0);
    EXPECT_RUN(0, config, constant, "--quiet", "--resume", "--out", folder); /* the caches are made anew */
    run_assert_same_results(straight, folder);
}

/* ---- caches that are damaged, or of other tokens ---- */

static void flip(const char *path, size_t at)
{
    size_t size;
    char *bytes = scratch_read(path, &size);
    ck_assert(bytes != NULL && at < size);
    bytes[at] ^= 4;
    scratch_write(path, bytes, size);
    free(bytes);
}

LOOP_TEST(a_damaged_block_is_named_with_the_remedy, 0, TEXT_TASKS)
{
    static const char *const caches[] = { "train.cache", "validation.cache" };
    const char *config = text_config(_i), *folder = run_path("run");
    EXPECT_RUN(0, config, "--quiet", "--out", folder);
    for (int i = 0; i < 2; i++) {
        const char *cache = run_file(text_caches(folder), caches[i]);
        flip(cache, 20);
        const char *words = scratch_format("%s: block 0 is damaged; remove the file, and it is made again", cache);
        REFUSED_SAYING(
            RUN(config, "train.steps=14", "optimizer.schedule=constant", "--quiet", "--overwrite", "--out", folder), 3,
            words);
        ck_assert_int_eq(unlink(cache), 0);
        EXPECT_RUN(0, config, "--quiet", "--overwrite", "--out", folder);
    }
}

TEST(a_cache_of_other_tokens_is_made_anew_for_a_new_run_and_refused_for_an_old_one)
{
    const char *config = text_config(0), *folder = run_path("run"), *other = run_path("other");
    EXPECT_RUN(0, config, "--quiet", "--out", folder);
    EXPECT_RUN(0, config, "tokens.size=12", "--quiet", "--out", other);
    size_t size;
    char *tokens = scratch_read(run_file(other, "tokens.json"), &size);
    scratch_write(run_file(text_caches(folder), "tokens.json"), tokens, size);
    free(tokens);
    REFUSED(RUN(config, "train.steps=14", "--resume", "--out", folder), 3, "runs.was_made_with_other_tokens_17");
    SAYS(RUN(config, "--overwrite", "--out", folder), "training: made anew: ");
}

/* ---- while the file is read ---- */

static hl_file_calls system_calls;
static const char *read_file;
static int read_fd = -1, reads_left;
static void (*at_read)(void);

static int watching_open(const char *path, int flags, mode_t mode)
{
    int fd = system_calls.open(path, flags, mode);
    read_fd = strcmp(path, read_file) == 0 ? fd : fd == read_fd ? -1 : read_fd;
    return fd;
}

static ssize_t watching_read(int fd, void *buffer, size_t count)
{
    if (fd == read_fd && reads_left > 0 && --reads_left == 0) {
        at_read();
    }
    return system_calls.read(fd, buffer, count);
}

static void watch_reads(void)
{
    hl_file_calls calls = system_calls = *hl_file_calls_get();
    calls.open = watching_open;
    calls.read = watching_read;
    hl_file_calls_set(&calls);
}

/* A run in which this happens at the n-th read of the file. */
static run_result disturbed(const char *file, int n, void (*what)(void), const char *config, const char *folder)
{
    const char *arguments[] = { config, "--quiet", "--out", folder, NULL };
    read_file = file;
    reads_left = n;
    at_read = what;
    return run_with((run_options){ .arguments = arguments, .before = watch_reads });
}

static void shrink(void)
{
    ck_assert_int_eq(truncate(read_file, 300), 0);
}

static void grow(void)
{
    FILE *file = fopen(read_file, "a");
    fprintf(file, "more\n");
    fclose(file);
}

static void empty(void)
{
    ck_assert_int_eq(truncate(read_file, 0), 0);
}

/* While tokens are learned, or while a cache is made. */
LOOP_TEST(a_file_that_changes_while_it_is_read_is_named, 0, TEXT_TASKS)
{
    static void (*const changes[])(void) = { shrink, grow, empty };
    const char *file = text_file_of(_i, text_tasks[_i].file, 40), *config = text_config_of(_i, file);
    for (int i = 0; i < 9; i++) {
        const char *folder = run_path("new/run");
        text_file_of(_i, text_tasks[_i].file, 40);
        run_result run = disturbed(file, 1 + i / 3, changes[i % 3], config, folder);
        REFUSED_SAYING(run, 3, file);
        ck_assert_msg(!scratch_exists(run_path("new")), "%s: left %s", run.err, run_list(folder));
    }
}

static void interrupt(void)
{
    raise(SIGINT);
}

LOOP_TEST(interrupted_while_data_are_made_the_same_command_goes_on, 0, TEXT_TASKS)
{
    const char *config = text_config(_i), *straight = run_path("straight");
    const char *file = run_path(text_tasks[_i].file);
    EXPECT_RUN(0, config, "--quiet", "--out", straight);
    for (int n = 1; n <= 3; n++) {
        const char *folder = run_path("run");
        run_result run = disturbed(file, n, interrupt, config, folder);
        ck_assert_msg(run.code == 128 + SIGINT, "read %d: exit code %d: %s", n, run.code, run.err);
        ck_assert_ptr_nonnull(strstr(run.err, "while the data were made; the same command continues"));
        ck_assert_ptr_null(strstr(run_list(text_caches(folder)), ".tmp"));
        EXPECT_RUN(0, config, "--quiet", "--out", folder);
        same_data(straight, folder);
        scratch_remove(folder);
    }
}

SUITE("text bits")
