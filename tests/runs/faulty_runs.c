#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "tests/runs/faulty_runs.h"

#include "core/files/json.h"

#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

/* What the process of a run reports, in a page that it shares with the test. */
typedef struct account {
    faulty_fault fault;
    char config[FAULTS_PATH]; /* the program's first argument */
    int calls, live_blocks, open_files, leaks;
    bool unlink_failed;
    faults_failure failures[FAULTS_KEPT];
    int n_failures;
    char library[64]; /* whose malloc failed */
} account;

static account *shared;
static const faulty_malloc *system_malloc;

void faulty_malloc_is(const faulty_malloc *calls)
{
    system_malloc = calls;
}

/* ---- in the process of the run ---- */

/* Writes fail with a full disk, other calls with an error of the device. */
static int error_of(faults_call call)
{
    return call == FAULTS_WRITE || call == FAULTS_SHORT_WRITE || call == FAULTS_ANY_CALL ? ENOSPC : EIO;
}

/* A library without memory may run on for ever, which so much of the processors' time tells, or wait for ever: a run on
 * a loaded machine is given all the time that it needs. */
enum { RUNS_ON_SECONDS = 10, WAITS_SECONDS = 120 };

static void end_what_hangs(void)
{
    setitimer(ITIMER_PROF, &(struct itimerval){ .it_value.tv_sec = RUNS_ON_SECONDS }, NULL);
    signal(SIGALRM, SIG_DFL); /* Check's handler would end the test */
    alarm(WAITS_SECONDS);
}

static void begin(void)
{
    const faulty_fault *f = &shared->fault;
    hl_json_use_allocator();
    faults_begin();
    if (f->where == FAULTY_FILES) {
        faults_of_call(f->call);
        faults_in_files(f->n, f->kind, error_of(f->call));
    } else if (f->where == FAULTY_MEMORY) {
        faults_in_memory(f->n, f->kind);
    } else {
        end_what_hangs();
        system_malloc->begin(f->n, f->kind, shared->library);
    }
}

static int count_calls(void)
{
    switch (shared->fault.where) {
    case FAULTY_FILES:
        return faults_file_calls();
    case FAULTY_MEMORY:
        return faults_allocations();
    default:
        return system_malloc->count();
    }
}

/* Of the leak checker, where this is built with one. */
extern int __lsan_do_recoverable_leak_check(void) __attribute__((weak)); /* NOLINT(bugprone-reserved-identifier) */

static void give_account(void)
{
    shared->calls = count_calls();
    shared->live_blocks = faults_live_blocks();
    shared->open_files = faults_open_files();
    shared->unlink_failed = faults_unlink_failed();
    const faults_failure *failures;
    shared->n_failures = faults_failures(&failures);
    memcpy(shared->failures, failures, sizeof shared->failures);
    shared->leaks = __lsan_do_recoverable_leak_check != NULL ? __lsan_do_recoverable_leak_check() : 0;
}

/* ---- what must hold ---- */

/* Without it, all is as it should be:
 * - closing what was only read, a folder, a lock, or metrics.csv, whose rows were flushed before the last checkpoint;
 * - removing a temporary file that a killed run may have left, or a checkpoint that is to be kept anew: usually there
 *   is none, and where there is one the call that follows fails;
 * - keeping the best weights that a checkpoint knows, where a file system may have no hard links: nothing is kept;
 * - how many CPUs and how much memory a container or the machine has: then there is no limit;
 * - reading what a training of a sweep has left: it is begun again, and finds itself finished. */
static bool is_harmless(const faults_failure *failure)
{
    faults_call call = failure->call;
    const char *path = failure->path;
    size_t length = strlen(path);
    bool temporary = length > 4 && strcmp(path + length - 4, ".tmp") == 0;
    bool kernel = strncmp(path, "/sys/fs/cgroup/", 15) == 0 || strncmp(path, "/proc/", 6) == 0;
    bool reads = call == FAULTS_OPEN || call == FAULTS_READ || call == FAULTS_PREAD || call == FAULTS_LSEEK ||
                 call == FAULTS_FSTAT || call == FAULTS_ACCESS;
    bool of_cell = strstr(path, ",seed=") != NULL && strstr(path, "/patterns/") == NULL;
    return kernel || (reads && of_cell) || (call == FAULTS_CLOSE && !temporary) || call == FAULTS_CLOSEDIR ||
           (call == FAULTS_LINK && strstr(path, "/model-before.") != NULL) ||
           (call == FAULTS_UNLINK && (temporary || strstr(path, "/checkpoint-") != NULL));
}

/* Whether the text names the file: itself, what it becomes, or for a folder something in it. */
static bool names(const char *text, const char *path)
{
    size_t length = strlen(path);
    char name[1024];
    bool temporary = length > 4 && strcmp(path + length - 4, ".tmp") == 0;
    snprintf(name, sizeof name, "%.*s", (int)(temporary ? length - 4 : length), path);
    return strstr(text, name) != NULL;
}

/* The first failed call that may have ended the run: one that is not harmless, or the only one; NULL: none failed. */
static const faults_failure *culprit(void)
{
    for (int i = 0; i < shared->n_failures; i++) {
        if (!is_harmless(&shared->failures[i])) {
            return &shared->failures[i];
        }
    }
    return shared->n_failures > 0 ? &shared->failures[0] : NULL;
}

static bool names_one(const char *text)
{
    for (int i = 0; i < shared->n_failures; i++) {
        if (names(text, shared->failures[i].path)) {
            return true;
        }
    }
    return false;
}

static void check_one_line(const run_result *run, const char *failing)
{
    const char *newline = strchr(run->err, '\n');
    ck_assert_msg(newline != NULL && newline[1] == '\0', "%s: not one line: %s", failing, run->err);
}

static void check_failure(const run_result *run, const char *failing)
{
    check_one_line(run, failing);
    if (shared->fault.where != FAULTY_FILES) {
        ck_assert_msg(run->code == 5, "%s: exit code %d: %s", failing, run->code, run->err);
        ck_assert_msg(strstr(run->err, "out of memory") != NULL, "%s: %s", failing, run->err);
        return;
    }
    if (run->code == 1 && strstr(run->out, "  failed: ") != NULL) { /* a sweep, of one of its trainings */
        ck_assert_msg(names_one(run->out), "%s: does not name it: %s", failing, run->out);
        return;
    }
    int code = strcmp(culprit()->path, shared->config) == 0 ? 2 : 3; /* a config that cannot be read is wrong usage */
    ck_assert_msg(run->code == code, "%s: exit code %d: %s", failing, run->code, run->err);
    ck_assert_msg(names_one(run->err), "%s: does not name it: %s", failing, run->err);
}

static const char *what_fails(const faulty_fault *f)
{
    return f->where == FAULTY_FILES ? faults_call_name(f->call) : f->where == FAULTY_MEMORY ? "allocation" : "malloc";
}

static const char *describe(const faulty_fault *f)
{
    char text[16384];
    snprintf(text, sizeof text, "%s %d%s", what_fails(f), f->n, f->kind == FAULTS_FOR_EVER ? " and all after it" : "");
    if (shared->library[0] != '\0') {
        size_t n = strlen(text);
        snprintf(text + n, sizeof text - n, " of %s", shared->library);
    }
    for (int i = 0; i < shared->n_failures; i++) {
        size_t n = strlen(text);
        snprintf(text + n, sizeof text - n, ", %s %s", faults_call_name(shared->failures[i].call),
                 shared->failures[i].path);
    }
    return run_kept(text);
}

/* Where malloc fails in their hands:
 * - fontconfig, and expat and FreeType for it, crash, run on for ever, or draw with the settings that they did read.
 *   That there is room for them is made sure before the first text is drawn (show/drawing.c).
 * - minizip crashes when it opens a member of an archive that is written. Likewise (core/files/npz_write.c).
 * - libgomp ends the process with a line of its own and exit code 1. Between two steps, it has allocated already. */
static struct {
    const char *library;
    int faults, ended; /* in its hands; and those where the program did not come to its own end */
} left_to[] = {
    { .library = "libfontconfig." }, { .library = "libexpat." }, { .library = "libfreetype." },
    { .library = "libminizip." },    { .library = "libgomp." },
};
enum { LEFT_TO = sizeof left_to / sizeof *left_to };

static bool count_left_to_library(void)
{
    for (int i = 0; i < LEFT_TO && shared->fault.where == FAULTY_MALLOC; i++) {
        if (strncmp(shared->library, left_to[i].library, strlen(left_to[i].library)) == 0) {
            left_to[i].faults++;
            left_to[i].ended += shared->calls < 0;
            return true;
        }
    }
    return false;
}

/* A run that came to its own end tells why it failed as ever, but minizip does not tell want of memory from a file that
 * is no archive. */
static void check_end_of_left(const run_result *run, const char *failing)
{
    if (shared->calls >= 0 && run->code != 0) {
        check_one_line(run, failing);
        ck_assert_msg(run->code == 5 || run->code == 3, "%s: exit code %d: %s", failing, run->code, run->err);
    }
}

static void print_left(void)
{
    for (int i = 0; i < LEFT_TO; i++) {
        if (left_to[i].faults > 0) {
            printf("  left to %.*s: %d, which ended %d runs\n", (int)strlen(left_to[i].library) - 1, left_to[i].library,
                   left_to[i].faults, left_to[i].ended);
        }
        left_to[i].faults = left_to[i].ended = 0;
    }
}

faulty_result faulty_run(faulty_fault fault, run_options options)
{
    if (shared == NULL) {
        shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        ck_assert(shared != MAP_FAILED);
    }
    *shared = (account){ .fault = fault, .calls = -1 };
    snprintf(shared->config, sizeof shared->config, "%s", options.arguments[0]);
    options.before = begin;
    options.after = give_account;
    run_result run = run_with(options);
    const char *failing = describe(&fault);
    if (count_left_to_library()) {
        check_end_of_left(&run, failing);
        return (faulty_result){ run, true, true, true, failing };
    }
    ck_assert_msg(shared->calls >= 0, "%s: crashed, or ran on: %d: %s", failing, run.code, run.err);
    ck_assert_msg(shared->live_blocks == 0, "%s: %d blocks lost", failing, shared->live_blocks);
    ck_assert_msg(shared->open_files == 0, "%s: %d files left open", failing, shared->open_files);
    ck_assert_msg(shared->leaks == 0, "%s: leaks: %s", failing, run.err);
    bool reached = shared->calls >= fault.n;
    bool may_succeed =
        !reached || fault.where == FAULTY_MALLOC || (fault.where == FAULTY_FILES && is_harmless(culprit()));
    if (run.code != 0 || !may_succeed) {
        check_failure(&run, failing);
    } else {
        ck_assert_msg(*run.err == '\0', "%s: %s", failing, run.err);
    }
    ck_assert_msg(reached || run.code == 0, "%s: exit code %d: %s", failing, run.code, run.err);
    return (faulty_result){ run, reached, shared->unlink_failed, false, failing };
}

void faulty_assert_no_temporary(const char *folder, const faulty_result *result)
{
    const char *const lists[] = { run_list(folder), run_list(run_file(folder, "patterns")) };
    for (int i = 0; i < 2 && !result->unlink_failed; i++) {
        ck_assert_msg(strstr(lists[i], ".tmp ") == NULL, "%s: left %s", result->failing, lists[i]);
    }
}

/* ---- one after the other ---- */

/* The number of faults that were reached. */
static int run_all(faulty_fault fault, int stride, bool (*attempt)(faulty_fault fault))
{
    enum { CLOSELY = 2, MOST = 1000000 };
    int n = 0;
    for (fault.n = 1; attempt(fault); fault.n += fault.n < CLOSELY ? 1 : stride) {
        n++;
        ck_assert_int_lt(fault.n, MOST);
    }
    return n;
}

/* The same, once failing once and once failing for ever. */
static int run_both(faulty_fault fault, int stride, bool (*attempt)(faulty_fault fault))
{
    int n = 0;
    for (fault.kind = FAULTS_ONCE; fault.kind <= FAULTS_FOR_EVER; fault.kind++) {
        n += run_all(fault, stride, attempt);
    }
    return n;
}

void faulty_runs(const char *what, faulty_where where, int stride, bool (*attempt)(faulty_fault fault))
{
    int sum = where != FAULTY_FILES ? run_both((faulty_fault){ .where = where }, stride, attempt) : 0;
    printf("%s, failures:", what);
    for (faults_call call = FAULTS_ANY_CALL; call < FAULTS_CALLS && where == FAULTY_FILES; call++) {
        int n = run_both((faulty_fault){ .call = call }, stride, attempt);
        printf(" %s %d,", faults_call_name(call), n);
        sum += n;
    }
    ck_assert_int_gt(sum, 0);
    printf(" %s %d\n", where == FAULTY_FILES ? "together" : "allocations", sum);
    print_left();
}
