/* malloc and its kin themselves fail in turn, for whoever calls them: jansson, minizip, cairo, fontconfig, OpenBLAS,
 * LIBXSMM, libgomp and glibc allocate beside the library's own table. Some of the calls as the test train_malloc, all
 * as train_long_malloc. */
#define _GNU_SOURCE /* dladdr, RLIMIT_AS, MAP_ANONYMOUS */
#include "core/kernels/small_matmul.h"
#include "programs/heads/program.h"
#include "tests/check_suite.h"
#include "tests/runs/fault_cases.h"
#include "tests/scratch.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define HAS_OWN_MALLOC 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_OWN_MALLOC 0
#endif
#endif
#ifndef HAS_OWN_MALLOC
#define HAS_OWN_MALLOC 1
#endif

/* The figure that a test draws, if it does. */
static struct {
    const char *run;
    const char *format;
    const char *end;   /* of such a figure's bytes */
    const char *whole; /* the figure of an undisturbed call */
    const char *first; /* one drawn for what it leaves in memory */
} made;

/* fontconfig makes ten thousand allocations at the first text, when it reads all fonts and settings. */
static void draw_a_first_time(void)
{
    char *arguments[] = { (char *)(size_t) "heads",    (char *)(size_t) "map",     (char *)(size_t)made.run,
                          (char *)(size_t)made.format, (char *)(size_t)made.first, NULL };
    hl_heads_program(5, arguments, stdout, stderr);
}

/* ---- malloc ---- */

static atomic_bool armed;
static atomic_int calls;
static int failing_call;
static faults_kind failing_kind;
static char *failing_library;

static void begin(int n, faults_kind kind, char library[64])
{
    void *frames[1];
    backtrace(frames, 1); /* which allocates the first time */
    if (made.run != NULL) {
        draw_a_first_time();
    }
    failing_library = library;
    failing_call = n;
    failing_kind = kind;
    calls = 0;
    armed = true;
}

static int end(void)
{
    armed = false;
    return calls;
}

#if HAS_OWN_MALLOC
/* glibc's own, by the names under which it leaves them to those who define the others. */
extern void *__libc_malloc(size_t bytes);               /* NOLINT(bugprone-reserved-identifier) */
extern void *__libc_calloc(size_t count, size_t size);  /* NOLINT(bugprone-reserved-identifier) */
extern void *__libc_realloc(void *block, size_t bytes); /* NOLINT(bugprone-reserved-identifier) */
extern void *__libc_memalign(size_t to, size_t bytes);  /* NOLINT(bugprone-reserved-identifier) */

/* Notes which library called; glibc is passed over, since it calls for others in strdup and the like. */
static void note_caller(void)
{
    enum { FRAMES = 16 };
    void *frames[FRAMES];
    int n = backtrace(frames, FRAMES);
    Dl_info self, caller;
    for (int i = 0; i < n && dladdr((void *)(size_t)note_caller, &self) != 0; i++) {
        if (dladdr(frames[i], &caller) != 0 && caller.dli_fbase != self.dli_fbase) {
            const char *slash = strrchr(caller.dli_fname, '/'), *name = slash != NULL ? slash + 1 : caller.dli_fname;
            if (strncmp(name, "libc.", 5) != 0) {
                snprintf(failing_library, 64, "%s", name);
                return;
            }
        }
    }
}

static bool fails(void)
{
    if (!armed) {
        return false;
    }
    int call = ++calls;
    bool due = call == failing_call || (failing_kind == FAULTS_FOR_EVER && call > failing_call);
    if (call == failing_call) {
        armed = false; /* for what this itself allocates */
        note_caller();
        armed = true;
    }
    if (due) {
        errno = ENOMEM;
    }
    return due;
}

void *malloc(size_t bytes)
{
    return fails() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *block, size_t bytes)
{
    return fails() ? NULL : __libc_realloc(block, bytes);
}

void *memalign(size_t to, size_t bytes);
void *memalign(size_t to, size_t bytes)
{
    return fails() ? NULL : __libc_memalign(to, bytes);
}

void *aligned_alloc(size_t to, size_t bytes)
{
    return memalign(to, bytes);
}

int posix_memalign(void **block, size_t to, size_t bytes)
{
    void *found = memalign(to, bytes);
    if (found != NULL) {
        *block = found;
    }
    return found != NULL ? 0 : ENOMEM;
}
#endif

/* ---- training ---- */

enum { TRAIN_STRIDE = 211, FIGURE_STRIDE = 61, TIMEOUT_SECONDS = 300, LONG_TIMEOUT_SECONDS = 10800 };

/* In the environment of train_long_malloc: 1. */
static const char stride_variable[] = "HEADLIGHT_MALLOC_STRIDE";

static int stride_of(int usual)
{
    const char *text = getenv(stride_variable);
    int stride = text != NULL ? atoi(text) : usual;
    ck_assert_int_gt(stride, 0);
    return stride;
}

static bool skips(void)
{
    if (!HAS_OWN_MALLOC) {
        printf("malloc is not made to fail: skipped, a sanitizer has its own\n");
    }
    return !HAS_OWN_MALLOC;
}

LOOP_TEST(a_run_outlives_a_failing_malloc, 0, 2)
{
    if (skips()) {
        return;
    }
    fault_cases_run(stride_of(TRAIN_STRIDE), _i == 1, FAULTY_MALLOC);
}

/* ---- figures ---- */

/* cairo's PDF leaves out a step of the drawing that it had no memory for, and reports nothing: that there is room is
 * made sure before (show/drawing.c), which also refuses what has no end. */
static bool may_differ(void)
{
    return strcmp(made.format, "--pdf") == 0;
}

/* Whether the figure has an end. */
static bool is_whole(const char *path)
{
    size_t size, length = strlen(made.end);
    char *bytes = scratch_read(path, &size);
    bool whole = bytes != NULL && size > length && memcmp(bytes + size - length, made.end, length) == 0;
    free(bytes);
    return whole;
}

static bool draw(faulty_fault fault)
{
    const char *path = run_path("figure");
    scratch_remove(path);
    remove(path);
    faulty_result result =
        faulty_run(fault, (run_options){ .arguments = (const char *[]){ "map", made.run, made.format, path, NULL },
                                         .program = hl_heads_program });
    size_t size;
    char *bytes = scratch_read(made.whole, &size);
    ck_assert_msg(result.by_library || scratch_exists(path) == (result.run.code == 0), "%s", result.failing);
    ck_assert_msg(!scratch_exists(path) || is_whole(path), "%s: part of a figure", result.failing);
    if (result.run.code == 0 && !result.by_library) {
        ck_assert_msg(may_differ() || scratch_holds(path, bytes, size), "%s: another figure", result.failing);
    }
    free(bytes);
    return result.reached;
}

LOOP_TEST(a_figure_is_whole_or_none_where_malloc_fails, 0, 3)
{
    static const char *const formats[] = { "--png", "--svg", "--pdf" };
    static const char *const ends[] = { "IEND\xae\x42\x60\x82", "</svg>\n", "%%EOF\n" };
    if (skips()) {
        return;
    }
    made.run = run_path("run");
    made.whole = run_path("whole");
    made.first = run_path("first");
    made.format = formats[_i];
    made.end = ends[_i];
    EXPECT_RUN(0, run_tiny_config(), "--out", made.run, "--quiet");
    ck_assert_int_eq(HEADS("map", made.run, made.format, made.whole).code, 0);
    faulty_runs(formats[_i], FAULTY_MALLOC, stride_of(FIGURE_STRIDE), draw);
}

/* ---- little memory ---- */

static size_t allowed; /* bytes of address space beside those that the process has */

/* The stack counts too, and grows as it is used: nothing can be said where it may not. */
static void use_stack(void)
{
    volatile char stack[1 << 20];
    for (size_t i = 0; i < sizeof stack; i += 512) {
        stack[i] = 1;
    }
}

static void allow_little(void)
{
    use_stack();
    unsigned long pages = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    bool known = statm != NULL && fscanf(statm, "%lu", &pages) == 1;
    if (statm != NULL) {
        fclose(statm);
    }
    rlim_t limit = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + allowed;
    if (!known || setrlimit(RLIMIT_AS, &(struct rlimit){ limit, limit }) != 0) {
        _exit(97);
    }
}

static run_result run_in_little(const char *const *arguments)
{
    run_result run = run_with((run_options){ .arguments = arguments, .before = allow_little });
    ck_assert_msg(run.code == 0 || run.code == 5, "%zu bytes: exit code %d: %s", allowed, run.code, run.err);
    ck_assert_msg(run.code == 0 || strncmp(run.err, "out of memory: ", 15) == 0 ||
                      strstr(run.err, ": the run needs about ") != NULL,
                  "%s", run.err);
    ck_assert_uint_lt(allowed, (size_t)1 << 30);
    return run;
}

TEST(a_run_ends_well_or_is_refused_in_little_memory)
{
    if (skips()) {
        return;
    }
    const char *config = run_tiny_config(), *straight = run_path("straight"), *folder = run_path("run");
    EXPECT_RUN(0, config, "--out", straight);
    int refused = 0, ended = 0;
    for (allowed = 0; ended < 3; allowed += (size_t)1 << 19) {
        scratch_remove(folder);
        const char *arguments[] = { config, "--out", folder, "--quiet", NULL };
        bool well = run_in_little(arguments).code == 0;
        refused += !well;
        ended += well;
        if (!well) {
            EXPECT_RUN(0, config, "--resume", "--out", folder);
        }
        run_assert_same(straight, folder);
    }
    ck_assert_int_gt(refused, 0);
}

enum { SHAPES = 24, ROWS = 8 };

/* The products of SHAPES shapes, which this process has not computed before. */
static void multiply(hl_real (*C)[SHAPES * ROWS])
{
    hl_real A[ROWS * SHAPES], B[SHAPES * SHAPES];
    for (int i = 0; i < SHAPES * SHAPES; i++) {
        A[i % (ROWS * SHAPES)] = (hl_real)1 / (hl_real)(i + 3);
        B[i] = (hl_real)i / 7;
    }
    for (int i = 0; i < SHAPES; i++) {
        hl_small_matmul_run(
            (hl_small_matmul){
                .M = ROWS, .N = SHAPES, .K = i + 1, .a_stride = SHAPES, .b_stride = SHAPES, .c_stride = SHAPES },
            A, B, C[i]);
    }
}

static void multiply_in_a_child(void (*before)(void), hl_real (*C)[SHAPES * ROWS])
{
    int how = 0;
    pid_t child = fork();
    if (child == 0) {
        before();
        multiply(C);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &how, 0), child);
    ck_assert_msg(WIFEXITED(how) && WEXITSTATUS(how) == 0, "%zu bytes: signal %d, exit code %d", allowed,
                  WIFSIGNALED(how) ? WTERMSIG(how) : 0, WEXITSTATUS(how));
}

/* LIBXSMM is refused a mapping for the code of its first product or of a later one. */
TEST(products_are_the_same_where_no_memory_is_left_for_their_code)
{
    if (skips()) {
        return;
    }
    enum { STEP = 4096, RANGE = 2 * SHAPES * 8192 };
    size_t bytes = sizeof(hl_real[SHAPES][SHAPES * ROWS]);
    hl_real(*C)[SHAPES * ROWS] = mmap(NULL, 2 * bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(C, MAP_FAILED);
    CHECK_OK(hl_small_matmul_prepare());
    multiply_in_a_child(use_stack, C);
    for (allowed = 0; allowed < RANGE; allowed += STEP) {
        memset(C + SHAPES, 0, bytes);
        multiply_in_a_child(allow_little, C + SHAPES);
        ck_assert_mem_eq(C, C + SHAPES, bytes);
    }
    munmap(C, 2 * bytes);
}

static void add_tests(TCase *tc)
{
    static const faulty_malloc own = { begin, end };
    faulty_malloc_is(&own);
    tcase_set_timeout(tc, getenv(stride_variable) != NULL ? LONG_TIMEOUT_SECONDS : TIMEOUT_SECONDS);
}
SUITE("malloc", add_tests)
