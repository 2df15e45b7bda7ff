#define _GNU_SOURCE /* wait4, vasprintf */
#include "tests/runs/runs.h"

#include "core/base/threads.h"
#include "programs/heads/program.h"
#include "programs/train/program.h"
#include "tests/check_suite.h"
#include "tests/messages.h"
#include "tests/safetensors_file.h"
#include "tests/scratch.h"
#include "train/checkpoint.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_ARGUMENTS = 32, MAX_NAMES = 256 };

const char *run_kept(const char *text)
{
    return scratch_format("%s", text);
}

/* ---- paths and files ---- */

const char *run_path(const char *name)
{
    return run_kept(scratch_path(name));
}

const char *run_file(const char *folder, const char *name)
{
    return scratch_format("%s/%s", folder, name);
}

const char *run_read(const char *path)
{
    size_t size;
    char *content = scratch_read(path, &size);
    return content != NULL ? scratch_own(content, free) : "";
}

const char *run_config(const char *name, const char *content)
{
    return scratch_file(name, content);
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

static const char *out_path, *err_path, *command;

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
    command = "";
    for (; options.arguments[argc - 1] != NULL; argc++) {
        ck_assert_int_lt(argc, MAX_ARGUMENTS - 1);
        argv[argc] = (char *)(size_t)options.arguments[argc - 1];
        command = scratch_format("%s %s", command, argv[argc]);
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
        .command = command,
        .mib = (double)usage.ru_maxrss / 1024,
    };
}

void run_pause(int milliseconds)
{
    nanosleep(&(struct timespec){ .tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000L }, NULL);
}

run_result run_with(run_options options)
{
    return run_wait(run_start(options));
}

run_result run_train(const char *const *arguments)
{
    return run_with((run_options){ .arguments = arguments });
}

run_result run_heads(const char *const *arguments)
{
    return run_with((run_options){ .arguments = arguments, .program = hl_heads_program });
}

run_result run_built(const char *const *arguments)
{
    return run_with((run_options){ .arguments = arguments, .built = true });
}

/* Whether it ended with this code, and said these parts. */
static run_result expect(const char *where, run_result run, int code, const char *said, const char *const *parts)
{
    const char *call = scratch_format("%s:%s", where, run.command);
    ck_assert_msg(run.code == code, "%s: exit code %d, not %d: %.1000s%.1000s", call, run.code, code, run.out, run.err);
    for (; parts != NULL && *parts != NULL; parts++) {
        ck_assert_msg(strstr(said, *parts) != NULL, "%s: no \"%s\" in: %.2000s", call, *parts, said);
    }
    return run;
}

run_result run_expect(const char *file, int line, run_result run, int code, const char *const *parts)
{
    return expect(scratch_format("%s:%d", file, line), run, code, run.err, parts);
}

run_result run_tells(const char *file, int line, run_result run, int code, const char *const *parts)
{
    return expect(scratch_format("%s:%d", file, line), run, code, run.out, parts);
}

run_result run_fails(const char *file, int line, run_result run, int code, const char *const *message)
{
    run_expect(file, line, run, code, NULL);
    size_t size = strlen(run.err);
    ck_assert_msg(size > 0 && run.err[size - 1] == '\n', "%s:%d: no end of line: %s", file, line, run.err);
    message_check_text_words(file, line, scratch_format("%.*s", (int)size - 1, run.err), message);
    return run;
}

run_result run_refused_saying(const char *file, int line, run_result run, int code, const char *const *parts)
{
    ck_assert_msg(*run.out == '\0', "%s:%d: refused, and yet it said: %.2000s", file, line, run.out);
    run_expect(file, line, run, code, parts);
    bool one_line = strchr(run.err, '\n') == run.err + strlen(run.err) - 1;
    ck_assert_msg(one_line, "%s:%d: no line: %.2000s", file, line, run.err);
    return run;
}

run_result run_refused(const char *file, int line, run_result run, int code, const char *const *message)
{
    ck_assert_msg(*run.out == '\0', "%s:%d: refused, and yet it said: %.2000s", file, line, run.out);
    return run_fails(file, line, run, code, message);
}

/* ---- runs that tests share ---- */

/* A folder that is another for another text (FNV-1a). */
static const char *shared_folder(const char *text)
{
    uint64_t hash = 14695981039346656037U;
    for (; *text != '\0'; text++) {
        hash = (hash ^ (unsigned char)*text) * 1099511628211U;
    }
    return run_kept(scratch_shared_path(scratch_format("%016" PRIx64, hash)));
}

const char *run_shared(const char *key, run_options options)
{
    const char *arguments[MAX_ARGUMENTS];
    int n = 0;
    for (; options.arguments[n] != NULL; n++) {
        ck_assert_int_lt(n, MAX_ARGUMENTS - 3);
        arguments[n] = options.arguments[n];
        key = n > 0 ? scratch_format("%s\n%s", key, arguments[n]) : key;
    }
    const char *shared = shared_folder(key), *folder = run_file(shared, "run"), *done = run_file(shared, "done");
    if (!scratch_exists(done)) {
        scratch_remove(shared); /* a test that was killed left it half made */
        ck_assert_int_eq(mkdir(shared, 0777), 0);
        arguments[n] = "--out";
        arguments[n + 1] = folder;
        arguments[n + 2] = NULL;
        options.arguments = arguments;
        OK(run_with(options));
        scratch_write(done, "", 0);
    }
    return folder;
}

const char *run_tiny(const char *const *name_and_overrides)
{
    const char *arguments[MAX_ARGUMENTS] = { run_tiny_config(), "--quiet" };
    for (int i = 1; name_and_overrides[i] != NULL; i++) {
        ck_assert_int_lt(i, MAX_ARGUMENTS - 2);
        arguments[i + 1] = name_and_overrides[i];
    }
    const char *folder = run_path(name_and_overrides[0]);
    scratch_copy(run_shared(run_read(arguments[0]), (run_options){ .arguments = arguments }), folder);
    return folder;
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
    return scratch_own(text, free);
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
    CHECK_OK(hl_checkpoint_read_step(path, &step));
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
    return scratch_own(list, free);
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
        const char *name = scratch_format("%.*s", (int)strcspn(at, " "), at);
        run_assert_same_file(patterns, others, name);
    }
}

const char *run_checkpoint_step_of(const char *path)
{
    static char step[32];
    hl_safetensors *file;
    CHECK_OK(safetensors_file_open(path, &file));
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
