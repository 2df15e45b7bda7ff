#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/files/folders.h"
#include "core/kernels/small_matmul.h"
#include "programs/bench/json.h"
#include "programs/bench/machine.h"
#include "programs/bench/runs.h"
#include "programs/bench/table.h"
#include "programs/beside.h"
#include "tests/check_suite.h"
#include "tests/messages.h"
#include "tests/programs/bench/test_bench.h"
#include "tests/runs/answers.h"
#include "tests/sanitized.h"
#include "tests/scratch.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void check_workload(const json_t *object, const char *name, double flops)
{
    ck_assert_str_eq(text_at(object, "name"), name);
    double ms = number_at(object, "ms_median"), steps = number_at(object, "steps");
    ck_assert(ms > 0 && ms < 5000 && steps >= 5);
    ck_assert(number_at(object, "ms_quarter") <= ms && ms <= number_at(object, "ms_three_quarters"));
    ck_assert_double_eq_tol(number_at(object, "tokens_per_second") * ms, 8 * 7 * 1e3, 1);
    ck_assert_double_eq_tol(number_at(object, "gflops") * ms * 1e6, flops, 1e-4 * flops);
    ck_assert_double_eq(number_at(object, "flops_per_step"), flops);
    ck_assert_double_eq(number_at(object, "allocations_per_step"), 0);
    ck_assert_double_eq(number_at(object, "length"), 7);
    ck_assert_double_eq(number_at(object, "batch"), 8);
    ck_assert_double_eq(number_at(object, "dropout"), 0.1);
    ck_assert_str_eq(text_at(object, "precision"), "float");
    ck_assert_double_gt(number_at(object, "arena_mib"), 0.01);
    ck_assert_double_gt(number_at(object, "peak_rss_mib"), number_at(object, "arena_mib"));
    double sgemm = number_at(object, "sgemm_gflops");
    ck_assert_double_gt(sgemm, 0.1);
    ck_assert_double_eq_tol(number_at(object, "share_of_sgemm"), number_at(object, "gflops") / sgemm, 1e-6);
}

/* What a figure can be traced by. */
static void check_software(const json_t *root)
{
    hl_bench_software software = hl_bench_machine_software();
    const json_t *versions = json_object_get(root, "versions");
    ck_assert_str_eq(text_at(root, "core"), software.core);
    ck_assert_str_eq(text_at(versions, "headlight"), software.headlight);
    ck_assert_str_eq(text_at(versions, "compiler"), software.compiler);
    ck_assert_str_eq(text_at(versions, "openblas"), software.openblas);
    ck_assert_int_eq(strncmp(software.openblas, "OpenBLAS ", 9), 0);
    const json_t *libxsmm = json_object_get(versions, "libxsmm");
    if (hl_small_matmul_generates()) {
        ck_assert_str_eq(json_string_value(libxsmm), software.libxsmm);
        ck_assert_int_gt(atoi(software.libxsmm), 0);
    } else {
        ck_assert(json_is_null(libxsmm));
    }
}

/* Sizes: N = 8 * 7 tokens, two layers of 2 heads of 8, d_ff 24, V 8. */
static const double tiny_flops = 3.0 * (56 * 2 * (8 * 256 + 4 * 16 * 24 + 4 * 7 * 16) + 24 * 2 * 16 * 8);

TEST(the_report_has_what_is_promised)
{
    const char *a = run_config("one.ini", BENCH_TINY), *b = run_config("two.ini", BENCH_TINY);
    const char *json = run_path("report.json");
    run_result result =
        OK(BENCH(a, b, "model.heads=1", "--seconds", "0.05", "--threads", "1", "--profile", "--json", json));
    json_t *root = answer_json(run_read(json)), *list = json_object_get(root, "workloads");
    ck_assert_double_eq(number_at(root, "threads"), 1);
    check_software(root);
    ck_assert_uint_eq(json_array_size(list), 2);
    check_workload(json_array_get(list, 0), "one", tiny_flops);
    check_workload(json_array_get(list, 1), "two", tiny_flops);
    ck_assert_double_ge(number_at(root, "sgemm_gflops"), number_at(json_array_get(list, 0), "sgemm_gflops"));
    ck_assert_double_ge(number_at(root, "sgemm_gflops"), number_at(json_array_get(list, 1), "sgemm_gflops"));
    ck_assert_ptr_nonnull(json_object_get(json_array_get(list, 0), "profile"));
    SAYS(result, "\none ", "\ntwo ", "\none, op by op\n", "\nattention         backward", "; 1 thread\n",
         hl_small_matmul_generates() ? "\nLIBXSMM " : "\nwithout LIBXSMM\n", "counted is what Headlight allocates");
    answer_fits(result.out);
}

TEST(json_to_standard_output_stands_there_alone)
{
    run_result result = OK(BENCH(run_config("x.ini", BENCH_TINY), "--seconds", "0.01", "--json", "-"));
    json_t *root = answer_json(result.out);
    const json_t *workload = json_array_get(json_object_get(root, "workloads"), 0);
    check_workload(workload, "x", tiny_flops);
    ck_assert_ptr_null(json_object_get(workload, "profile"));
    ck_assert_ptr_nonnull(strstr(result.err, "\nx "));
}

/* The share of padding that a workload saves, by --json. */
static double padding_saved(const char *config, const char *override)
{
    run_result result = OK(BENCH_NOTHING("--measure", "step", config, override, "--seconds", "0.05"));
    return number_at(answer_json(result.out), "padding_saved");
}

TEST(padding_is_told_where_lengths_differ)
{
    char text[4096];
    size_t used = 0;
    for (int s = 0; s < 80; s++) {
        for (int w = 0; w < 1 + s * 7 % 9; w++) {
            used += (size_t)snprintf(text + used, sizeof text - used, "w%d ", (s + w) % 13);
        }
        used += (size_t)snprintf(text + used, sizeof text - used, "\n");
    }
    scratch_write(scratch_path("x.txt"), text, used);
    const char *masked = run_config("masked.ini", "[task]\nname = masked\nfile = x.txt\n[tokens]\nkind = words\n"
                                                  "[model]\nlayers = 1\nd_model = 8\nheads = 2\nd_ff = 8\n"
                                                  "[train]\nbatch_size = 4\n[patterns]\nexamples = 0\n");
    const char *copy = run_config("copy.ini", BENCH_TINY);
    double plain = padding_saved(masked, "train.length_window=0");
    double sorted = padding_saved(masked, "train.length_window=64");
    ck_assert(0 < sorted && sorted < plain && plain < 1);
    ck_assert_double_eq(padding_saved(copy, "train.steps=5"), 0);
    ck_assert_double_gt(padding_saved(copy, "task.min_length=1"), 0);
    run_result result = OK(BENCH(masked, copy, "--seconds", "0.01"));
    const char *first = strstr(result.out, "\nmasked "), *second = strstr(result.out, "\ncopy ");
    ck_assert(first != NULL && second != NULL);
    ck_assert_int_eq(second[-1], '%');
    ck_assert_int_eq(strchr(second + 1, '\n')[-1], '-');
}

/* The measuring process itself, with its allocations counted. */
TEST(measuring_writes_one_line)
{
    const char *config = run_config("x.ini", BENCH_TINY);
    static const char *const whats[] = { "step", "heads", "loop" };
    double flops[3], arena[3];
    for (int i = 0; i < 3; i++) {
        run_result result = OK(BENCH_NOTHING("--measure", whats[i], config, "--seconds", "0.01"));
        ck_assert_str_eq(result.err, "");
        json_t *root = answer_json(result.out);
        flops[i] = number_at(root, "flops_per_step");
        ck_assert_double_gt(number_at(root, "ms_median"), 0);
        ck_assert_double_eq(number_at(root, "allocations_per_step"), 0);
        arena[i] = number_at(root, "arena_mib");
        ck_assert_double_gt(arena[i], 0);
    }
    ck_assert_double_eq(flops[0], tiny_flops);
    ck_assert_double_eq(flops[1], 3.0 * 56 * (8 * 256 + 4 * 7 * 16));
    ck_assert_double_eq(flops[2], flops[1]);
    ck_assert_double_gt(arena[2], arena[1]); /* a loop's tensors are more */
}

/* ---- what goes wrong ---- */

TEST(a_wrong_config_is_named_before_anything_is_measured)
{
    const char *good = run_config("good.ini", BENCH_TINY),
               *bad = run_config("bad.ini", "[model]\nhedas = 2\nlayers = 0\n");
    run_result result = BENCH_NOTHING(good, bad);
    const char *expected = scratch_format("%s:2: model.hedas: unknown key", bad);
    ck_assert_int_eq(result.code, 2);
    ck_assert_str_eq(result.out, "");
    ck_assert_int_eq(strncmp(result.err, expected, strlen(expected)), 0);
    ck_assert_ptr_nonnull(strstr(result.err, "bad.ini:3: model.layers: ")); /* every problem has its line */
    result = BENCH_NOTHING(good, "model.layers=0");
    ck_assert_int_eq(result.code, 2);
    ck_assert_int_eq(strncmp(result.err, "command line: model.layers: ", 28), 0);
}

/* Whoever runs the tests may have set some of them. */
static void clear_what_is_warned_of(void)
{
    static const char *const variables[] = { "OPENBLAS_CORETYPE", "LIBXSMM_TARGET", "OMP_THREAD_LIMIT",
                                             "OMP_WAIT_POLICY" };
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        unsetenv(variables[i]);
    }
}

/* More memory than there are addresses. */
TEST(a_run_that_fails_ends_bench_with_its_code_and_no_report)
{
    const char *config = run_config("huge.ini", BENCH_TINY);
    const char *json = run_path("report.json");
    clear_what_is_warned_of();
    run_result result = BENCH(config, "model.d_model=65536", "model.layers=256", "task.length=10000",
                              "train.batch_size=4096", "--seconds", "0.01", "--json", json);
    const char *start = scratch_format("%s: out of memory: ", config);
    FAILS_SAYING(result, 5, start);
    const char *said = strstr(result.err, start);
    ck_assert(SANITIZED || said == result.err); /* AddressSanitizer warns of the size in a line before */
    ck_assert_uint_eq(strcspn(said, "\n"), strlen(said) - 1);
    ck_assert(!scratch_exists(json));
    ck_assert(!scratch_exists(scratch_path("report.json.tmp")));
}

TEST(a_report_that_cannot_be_written_is_known_at_once)
{
    const char *config = run_config("x.ini", BENCH_TINY);
    REFUSED_SAYING(BENCH_NOTHING(config, "--json", "/nowhere/report.json"), 3, "/nowhere/report.json");
    REFUSED_SAYING(BENCH_NOTHING(config, "--json", "/dev/null"), 3,
                   "/dev/null: is not a regular file and is not replaced\n");
    REFUSED(BENCH_NOTHING(config, "--json", config), 2, "bench.json_is_the_config_which_would");
    ck_assert_str_eq(run_read(config), BENCH_TINY);
}

/* The warnings of a run on two threads where the variable, and no other that matters, has this value. */
static void expect_warning(const char *variable, const char *value, const char *warning)
{
    clear_what_is_warned_of();
    setenv(variable, value, 1);
    hl_text *text = scratch_text();
    hl_text_print(text, "%s", "");
    hl_bench_machine_warnings(text, 2);
    CHECK_OK(hl_text_status(text));
    ck_assert_str_eq(text->bytes, warning);
}

TEST(what_slows_the_run_is_warned_of)
{
    expect_warning("OPENBLAS_CORETYPE", "Haswell",
                   "warning: OPENBLAS_CORETYPE=Haswell forces OpenBLAS's kernels, perhaps slow ones; clear it "
                   "(env -u OPENBLAS_CORETYPE ...)\n");
    expect_warning("LIBXSMM_TARGET", "snb",
                   hl_small_matmul_generates() ? "warning: LIBXSMM_TARGET=snb forces LIBXSMM's kernels, perhaps slow "
                                                 "ones; clear it (env -u LIBXSMM_TARGET ...)\n"
                                               : "");
    expect_warning("OMP_THREAD_LIMIT", "1",
                   "warning: OMP_THREAD_LIMIT=1 lets fewer threads work than were asked for; clear it "
                   "(env -u OMP_THREAD_LIMIT ...)\n");
    expect_warning("OMP_WAIT_POLICY", "PASSIVE",
                   "warning: OMP_WAIT_POLICY=PASSIVE has threads sleep wherever one waits for another, which slows "
                   "steps; clear it (env -u OMP_WAIT_POLICY ...)\n");
    expect_warning("OMP_WAIT_POLICY", "active",
                   "warning: OMP_WAIT_POLICY=active has waiting threads keep their cores, which slows steps where "
                   "others want these; clear it (env -u OMP_WAIT_POLICY ...)\n");
}

TEST(what_slows_nothing_is_not_warned_of)
{
    expect_warning("OMP_THREAD_LIMIT", "2", "");
    expect_warning("OMP_THREAD_LIMIT", "many", "");
    expect_warning("OMP_WAIT_POLICY", "other", ""); /* which OpenMP does not understand */
    expect_warning("OMP_NUM_THREADS", "1", "");     /* which is not asked */
}

TEST(warnings_go_to_standard_error)
{
    const char *config = run_config("x.ini", BENCH_TINY);
    setenv("OMP_THREAD_LIMIT", "1", 1);
    static const char *const modes[] = { "--scaling", "--heads", "--profile" };
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        run_result result = BENCH_NOTHING(config, modes[i], "--threads", "2");
        ck_assert_msg(strstr(result.err, "warning: OMP_THREAD_LIMIT=1 ") != NULL, "%s: %s", modes[i], result.err);
        ck_assert_ptr_null(strstr(result.out, "warning"));
        result = BENCH_NOTHING(config, modes[i], "--threads", "1");
        ck_assert_ptr_null(strstr(result.err, "OMP_THREAD_LIMIT"));
    }
}

TEST(allocations_are_counted)
{
    hl_bench_allocations_count();
    int64_t before = hl_bench_allocations();
    void *block = hl_realloc(hl_malloc(100), 300, 1);
    ck_assert_ptr_nonnull(block);
    ck_assert_int_eq(hl_bench_allocations() - before, 2);
    hl_free(block);
    ck_assert_int_eq(hl_bench_allocations() - before, 2);
}

TEST(allocations_in_a_step_are_shown)
{
    hl_text *text = scratch_text();
    hl_bench_figures workload = { .name = "x", .ms = 1, .sgemm_gflops = 2, .gflops = 1 };
    hl_bench_table_row(text, &workload);
    ck_assert_ptr_null(strstr(text->bytes, "allocations"));
    workload.allocations_per_step = 2;
    hl_bench_table_row(text, &workload);
    ck_assert_ptr_nonnull(strstr(text->bytes, " 2 allocations a step"));
}

/* ---- the shipped configs ---- */

TEST(shipped_configs_lie_beside_the_program)
{
    char *path;
    for (int i = 0; i < HL_BENCH_SHIPPED; i++) {
        hl_status status = hl_shipped_config(HL_BENCH_PROGRAM, hl_bench_shipped[i], &path);
        CHECK_OK(status);
        ck_assert(scratch_exists(path));
        hl_free(path);
    }
    const char *lonely = run_config("lonely", "");
    hl_status status = hl_shipped_config(lonely, "bench/copy.ini", &path);
    ck_assert_int_eq(status.code, HL_BAD_FILE);
    ck_assert_ptr_null(path);
    CHECK_HOLDS(status.text, "copy.ini is neither in ", "; name a config of your own");
    ck_assert_int_eq(hl_shipped_config("/nowhere/bench", "bench/copy.ini", &path).code, HL_BAD_FILE);
}

TEST(a_workload_has_a_name)
{
    char *path;
    for (int i = 0; i < HL_BENCH_SHIPPED; i++) {
        const char *name = scratch_format("%.*s", (int)strcspn(hl_bench_shipped[i] + 6, "."), hl_bench_shipped[i] + 6);
        CHECK_OK(hl_bench_find_config(HL_BENCH_PROGRAM, name, &path));
        ck_assert_msg(strstr(path, hl_bench_shipped[i]) != NULL, "%s: %s", name, path);
        hl_free(path);
    }
    message_check(hl_bench_find_config(HL_BENCH_PROGRAM, "tin", &path), HL_INVALID, "bench.tin_no_such_config_and_no");
    CHECK_OK(hl_bench_find_config(HL_BENCH_PROGRAM, "tin.ini", &path));
    ck_assert_str_eq(path, "tin.ini");
    hl_free(path);
    SAYS(BENCH("tiny", "t1024", "--seconds", "0.01", "--threads", "1", "task.length=5"), "\nt1024 ");
    OK(BENCH("--heads", "tiny", "--seconds", "0.001", "--threads", "1"));
    ck_assert_int_eq(chdir(scratch_path("")), 0); /* a file of that name is meant where there is one, but no folder */
    CHECK_OK(hl_folder_make("long"));
    CHECK_OK(hl_bench_find_config(HL_BENCH_PROGRAM, "long", &path));
    ck_assert_msg(strstr(path, "bench/long.ini") != NULL, "%s", path);
    hl_free(path);
    scratch_write("tiny", BENCH_TINY, strlen(BENCH_TINY));
    CHECK_OK(hl_bench_find_config(HL_BENCH_PROGRAM, "tiny", &path));
    ck_assert_str_eq(path, "tiny");
    hl_free(path);
}

/* ---- the studies ---- */

/* But for a size that does not fit, which has the reason. */
TEST(scaling_has_three_rows_of_each_size)
{
    const char *config = run_config("x.ini", BENCH_TINY);
    run_result result =
        OK(BENCH(config, "task.length=4", "model.heads=1", "--scaling", "--seconds", "0.005", "--threads", "1"));
    static const char *const rows[] = {
        "task.length=2 ",    "task.length=4 ",      "task.length=8 ",      "model.d_model=8 ",
        "model.d_model=16 ", "model.d_model=32",    "model.heads=0 ",      "model.heads=1 ",
        "model.heads=2 ",    "train.batch_size=4 ", "train.batch_size=8 ", "train.batch_size=16 ",
    };
    static const char left_out[] = "model.heads=0             left out: command line: model.heads: 0 is outside";
    const char *at = result.out;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double ms;
        at = strstr(at, rows[i]);
        ck_assert_msg(at != NULL, "%s: not in %s", rows[i], result.out);
        bool fits = strncmp(at, left_out, sizeof left_out - 1) != 0;
        ck_assert_int_eq(fits, strcmp(rows[i], "model.heads=0 ") != 0);
        ck_assert_msg(!fits || (sscanf(at, "%*s %lf", &ms) == 1 && ms > 0), "%s", at);
    }
    double theory, memory;
    ck_assert_int_eq(sscanf(at, "%*s %*f %*f %lf %*f %*f %lf", &theory, &memory), 2);
    ck_assert_double_eq(theory, 2);
    ck_assert_double_eq(memory, 2);
}

TEST(heads_are_compared_in_two_ways)
{
    const char *config = run_config("x.ini", BENCH_TINY);
    run_result result = OK(BENCH(config, "--heads", "--seconds", "0.01", "--threads", "1"));
    static const char *const rows[] = { "all heads at once  ", "a loop over the heads  ", "1 head of width d_model  ",
                                        "8 heads of width d_model / 8  " };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double ms, rate;
        const char *row = strstr(result.out, rows[i]);
        ck_assert_ptr_nonnull(row);
        ck_assert_int_eq(sscanf(row + strlen(rows[i]), "%lf %lf", &ms, &rate), 2);
        ck_assert(ms > 0 && rate > 0);
    }
}

TEST(one_head_is_compared_with_as_many_as_asked_for)
{
    const char *config = run_config("x.ini", BENCH_TINY);
    run_result result =
        SAYS(BENCH(config, "--heads", "model.heads=4", "model.d_model=12", "--seconds", "0.001", "--threads", "1"),
             "d_model 12, 4 heads\n");
    double ratio, memory;
    const char *row = strstr(result.out, "4 heads of width d_model / 4  ");
    ck_assert_ptr_nonnull(row);
    const char *ratios = strstr(row, "  the second row against the first");
    ck_assert(ratios != NULL &&
              sscanf(ratios, "  the second row against the first %lfx %*fx %lfx", &ratio, &memory) == 2);
    ck_assert_double_gt(memory, 1); /* weights of four heads */
    ck_assert_ptr_nonnull(strstr(result.out, "4 heads have 4 times as many"));
}

/* Nothing is measured, nor even begun. */
TEST(heads_that_cannot_be_compared_are_refused_at_once)
{
    const char *config = run_config("x.ini", BENCH_TINY);
    const char *d_model =
        scratch_format("%s: --heads compares one head with 8, and d_model 12 is no multiple of that; give another "
                       "number, as in model.heads=4\n",
                       config);
    static const char number[] = "command line: model.heads: --heads compares one head with this number: give one "
                                 "number for all layers, 2 or more\n";
    const struct {
        const char *override, *text;
    } wrong[] = {
        { "model.d_model=12", d_model },
        { "model.heads=1", number },
        { "model.heads=2,4", number },
        { "model.d_k=4", "command line: model.d_k: --heads compares heads of width d_model / heads; leave it out, or "
                         "give it in the config for the first comparison alone\n" },
        { "model.kv_heads=1", "command line: model.kv_heads: --heads compares heads of width d_model / heads; leave it "
                              "out, or give it in the config for the first comparison alone\n" },
        { "model.layers=0", "command line: model.layers: 0 is outside 1 .. 256\n" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        run_result result = REFUSED_SAYING(BENCH_NOTHING(config, "--heads", wrong[i].override), 2, wrong[i].text);
        ck_assert_str_eq(result.err, wrong[i].text);
    }
    REFUSED_SAYING(BENCH_NOTHING(config, "--scaling", "model.heads=2", "model.heads=4"), 2,
                   "command line: model.heads: given twice\n");
}

SUITE("bench runs", .seconds = 60)
