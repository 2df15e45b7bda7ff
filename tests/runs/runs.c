#define _DEFAULT_SOURCE /* wait4 */
#include "tests/runs/runs.h"

#include "core/base/threads.h"
#include "programs/heads/program.h"
#include "programs/train/program.h"
#include "tests/safetensors_file.h"
#include "tests/scratch.h"
#include "train/checkpoint.h"

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_ARGUMENTS = 32, MAX_NAMES = 256 };

/* Texts stand to the end of the test: all of them hang on one chain, which a leak checker finds. */
typedef struct kept_text {
    struct kept_text *next;
    char *text;
} kept_text;

static const char *keep(char *text)
{
    static kept_text *all;
    kept_text *kept = malloc(sizeof *kept);
    ck_assert(kept != NULL && text != NULL);
    *kept = (kept_text){ .next = all, .text = text };
    all = kept;
    return text;
}

const char *run_kept(const char *text)
{
    return keep(strdup(text));
}

/* ---- paths and files ---- */

const char *run_path(const char *name)
{
    return keep(strdup(scratch_path(name)));
}

const char *run_file(const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    ck_assert_ptr_nonnull(path);
    snprintf(path, size, "%s/%s", folder, name);
    return keep(path);
}

const char *run_read(const char *path)
{
    size_t size;
    char *content = scratch_read(path, &size);
    return content != NULL ? keep(content) : "";
}

const char *run_config(const char *name, const char *content)
{
    const char *path = run_path(name);
    scratch_write(path, content, strlen(content));
    return path;
}

const char *run_tiny_config(void)
{
    return run_config("tiny.ini", "[task]\nname = copy\nlength = 3\nsymbols = 4\n"
                                  "[model]\nlayers = 2\nd_model = 16\nheads = 2\nd_ff = 32\ndropout = 0.1\n"
                                  "[optimizer]\nlearning_rate = 0.01\nwarmup_steps = 5\nlabel_smoothing = 0.1\n"
                                  "[train]\nsteps = 24\nbatch_size = 8\neval_examples = 10\nlog_every = 2\n"
                                  "eval_every = 4\ncheckpoint_every = 6\nthreads = 1\n"
                                  "[patterns]\nexamples = 4\n");
}

const char *run_shipped_config(const char *name)
{
    return run_file(HL_CONFIGS, name);
}

/* ---- processes ---- */

static const char *out_path, *err_path;

static void redirect(const char *path, int fd)
{
    if (freopen(path, "w", fd == STDOUT_FILENO ? stdout : stderr) == NULL) {
        _exit(99);
    }
}

/* Writes what was counted, where this is built to measure coverage. */
extern void __gcov_dump(void) __attribute__((weak)); /* NOLINT(bugprone-reserved-identifier) */

static _Noreturn void execute(run_options options, int argc, char **argv)
{
    signal(SIGINT, SIG_DFL); /* Check's handlers would end the test */
    signal(SIGTERM, SIG_DFL);
    redirect(out_path, STDOUT_FILENO);
    redirect(err_path, STDERR_FILENO);
    if (options.folder != NULL && chdir(options.folder) != 0) {
        _exit(97);
    }
    if (options.before != NULL) {
        options.before();
    }
    if (options.built) {
        for (int fd = 0; options.no_streams && fd <= STDERR_FILENO; fd++) {
            close(fd);
        }
        execv(argv[0], argv);
        _exit(98);
    }
    hl_threads_setup();
    int code = (options.program != NULL ? options.program : hl_train_program)(argc, argv, stdout, stderr);
    fflush(NULL);
    if (options.after != NULL) {
        options.after();
    }
    if (__gcov_dump != NULL) {
        __gcov_dump(); /* which _exit would not do */
    }
    _exit(code);
}

pid_t run_start(run_options options)
{
    const char *name = options.built_program != NULL ? options.built_program : HL_TRAIN_PROGRAM;
    char *argv[MAX_ARGUMENTS] = { (char *)(size_t)name };
    int argc = 1;
    for (; options.arguments[argc - 1] != NULL; argc++) {
        ck_assert_int_lt(argc, MAX_ARGUMENTS - 1);
        argv[argc] = (char *)(size_t)options.arguments[argc - 1];
    }
    out_path = run_path("out.txt");
    err_path = run_path("err.txt");
    fflush(NULL);
    pid_t process = fork();
    ck_assert_int_ge(process, 0);
    if (process == 0) {
        execute(options, argc, argv);
    }
    return process;
}

run_result run_wait(pid_t process)
{
    int status;
    struct rusage usage;
    while (wait4(process, &status, 0, &usage) != process) {
        ck_assert_int_eq(errno, EINTR);
    }
    return (run_result){
        .code = WIFEXITED(status) ? WEXITSTATUS(status) : RUN_KILLED + WTERMSIG(status),
        .out = run_read(out_path),
        .err = run_read(err_path),
        .mib = (double)usage.ru_maxrss / 1024,
    };
}

void run_pause(int milliseconds)
{
    nanosleep(&(struct timespec){ .tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000L }, NULL);
}

run_result run_train(const char *const *arguments)
{
    return run_wait(run_start((run_options){ .arguments = arguments }));
}

run_result run_heads(const char *const *arguments)
{
    return run_wait(run_start((run_options){ .arguments = arguments, .program = hl_heads_program }));
}

run_result run_built(const char *const *arguments)
{
    return run_wait(run_start((run_options){ .arguments = arguments, .built = true }));
}

/* ---- what a run leaves ---- */

const char *run_metrics(const char *folder)
{
    enum { SPEED = 7 }; /* the field */
    char *text = strdup(run_read(run_file(folder, "metrics.csv"))), *to = text;
    ck_assert_ptr_nonnull(text);
    for (char *line = text; *line != '\0';) {
        char *end = line + strcspn(line, "\n"), *speed = line;
        for (int field = 1; field < SPEED && speed < end; field++) {
            speed += strcspn(speed, ",\n");
            speed += *speed == ',';
        }
        char *after = speed + strcspn(speed, ",\n"), *next = end + (*end == '\n');
        after += *after == ',';
        memmove(to, line, (size_t)(speed - line));
        to += speed - line;
        memmove(to, after, (size_t)(end - after));
        to += end - after;
        *to++ = '\n';
        line = next;
    }
    *to = '\0';
    return keep(text);
}

void run_last_row(const char *folder, const char *split, double *loss, double *accuracy)
{
    bool found = false;
    for (const char *line = run_read(run_file(folder, "metrics.csv")); line != NULL; line = strchr(line, '\n')) {
        char its_split[32];
        double row_loss, row_accuracy;
        line += *line == '\n';
        if (sscanf(line, "%*d,%31[^,],%lf,%lf", its_split, &row_loss, &row_accuracy) == 3 &&
            strcmp(its_split, split) == 0) {
            *loss = row_loss;
            *accuracy = row_accuracy;
            found = true;
        }
    }
    ck_assert_msg(found, "%s has no row of %s", folder, split);
}

int64_t run_weights_step(const char *path)
{
    int64_t step;
    hl_status status = hl_checkpoint_read_step(path, &step);
    ck_assert_msg(status.code == HL_OK, "%s", status.text);
    return step;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

const char *run_list(const char *folder)
{
    char *names[MAX_NAMES];
    int n = 0;
    size_t size = 1;
    DIR *directory = opendir(folder);
    for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            ck_assert_int_lt(n, MAX_NAMES);
            names[n++] = strdup(entry->d_name);
            size += strlen(entry->d_name) + 1;
        }
    }
    if (directory != NULL) {
        closedir(directory);
    }
    qsort(names, (size_t)n, sizeof *names, compare_names);
    char *list = calloc(size, 1);
    ck_assert_ptr_nonnull(list);
    for (int i = 0; i < n; i++) {
        strcat(strcat(list, names[i]), " ");
        free(names[i]);
    }
    return keep(list);
}

void run_assert_same_file(const char *folder, const char *other, const char *name)
{
    size_t size;
    char *bytes = scratch_read(run_file(folder, name), &size);
    ck_assert_msg(bytes != NULL, "%s is missing in %s", name, folder);
    ck_assert_msg(scratch_holds(run_file(other, name), bytes, size), "%s differs in %s and %s", name, folder, other);
    free(bytes);
}

void run_assert_same_results(const char *folder, const char *other)
{
    run_assert_same_file(folder, other, "model.safetensors");
    run_assert_same_file(folder, other, "checkpoint.safetensors");
    run_assert_same_file(folder, other, "vocab.txt");
    bool same = strcmp(run_metrics(folder), run_metrics(other)) == 0; /* too long to be quoted */
    ck_assert_msg(same, "metrics.csv differs in %s and %s", folder, other);
}

void run_assert_same(const char *folder, const char *other)
{
    run_assert_same_results(folder, other);
    const char *patterns = run_file(folder, "patterns"), *others = run_file(other, "patterns");
    const char *list = run_list(patterns);
    ck_assert_str_ne(list, "");
    ck_assert_str_eq(list, run_list(others));
    for (const char *at = list; *at != '\0'; at += strcspn(at, " ") + 1) {
        char name[256];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, " "), at);
        run_assert_same_file(patterns, others, name);
    }
}

const char *run_checkpoint_step_of(const char *path)
{
    static char step[32];
    hl_safetensors *file;
    hl_status status = safetensors_file_open(path, &file);
    ck_assert_msg(status.code == HL_OK, "%s", status.text);
    snprintf(step, sizeof step, "%s", hl_safetensors_metadata(file, "step"));
    hl_safetensors_free(file);
    return step;
}

const char *run_checkpoint_step(const char *folder)
{
    return run_checkpoint_step_of(run_file(folder, "checkpoint.safetensors"));
}

int run_count_snapshots(const char *folder)
{
    int n = 0;
    for (const char *at = run_list(run_file(folder, "patterns")); (at = strstr(at, ".npz ")) != NULL; at++) {
        n++;
    }
    return n;
}
