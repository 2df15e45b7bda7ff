/* Names from elsewhere, through every program and way in: none of them reaches a terminal or a page as it is. */
#include "tests/check_suite.h"
#include "tests/programs/bench/test_bench.h"
#include "tests/runs/sweeps.h"
#include "tests/scratch.h"

#include <stdio.h>
#include <string.h>

/* Colours, another title for the window, a control of eight bits, marks of direction, no UTF-8. */
static const char *const names[] = {
    "a\033[31mb",
    "a\033]0;b\007c",
    "a\xc2\x9b"
    "31mb",
    "a\xe2\x80\xae"
    "b",
    "a\xe2\x81\xa6\xd8\x9c"
    "b",
    "a\xff\x9b"
    "b",
    "a\002\nb",
    "a\x7f\rb",
};
enum { NAMES = sizeof names / sizeof *names };

/* The first byte of a text that is none of lines of UTF-8 without controls and marks of direction; NULL: there is
 * none. Other than core/base/shown_text.c on purpose. */
static const char *unsafe(const char *text)
{
    static const char *const marks[] = { "\xc2\x80", "\xc2\x9b", "\xe2\x80\xae", "\xe2\x81\xa6", "\xd8\x9c", "\xff" };
    for (const char *at = text; *at != '\0'; at++) {
        if (((unsigned char)*at < ' ' && *at != '\n') || *at == 0x7f) {
            return at;
        }
    }
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const char *found = strstr(text, marks[i]);
        if (found != NULL) {
            return found;
        }
    }
    return NULL;
}

static void expect_safe(const char *text, const char *of, int way)
{
    const char *wrong = unsafe(text);
    ck_assert_msg(wrong == NULL, "%s %d: byte %02x in %s", of, way, wrong != NULL ? (unsigned)(unsigned char)*wrong : 0,
                  text);
}

/* A message of one line that names the name. */
static void expect_told(int code, const char *out, const char *err, const char *of, int way)
{
    expect_safe(out, of, way);
    expect_safe(err, of, way);
    ck_assert_msg(code != 0 && *err != '\0', "%s %d: exit code %d", of, way, code);
    ck_assert_msg(strchr(err, '\n') == err + strlen(err) - 1, "%s %d: %s", of, way, err);
    ck_assert_msg(strstr(err, "a\\x") != NULL || strstr(err, "a\\u{") != NULL || strstr(err, "-\\x") != NULL,
                  "%s %d: %s", of, way, err);
}

static const char *joined(const char *before, const char *name, const char *after)
{
    const char *text = scratch_format("%s%s%s", before, name, after);
    return run_kept(text);
}

static run_result bench(const char *const *arguments)
{
    return run_with((run_options){ .arguments = arguments, .program = bench_nothing });
}

LOOP_TEST(arguments_are_spelled_out_in_messages, 0, NAMES)
{
    const char *name = names[_i], *config = run_tiny_config(), *folder = TINY_RUN("run", "train.steps=4");
    const char *option = joined("--", name, ""), *override = joined("model.", name, "=1");
    const char *value = joined("model.heads=\"", name, "\""), *section = joined(name, "", ".heads=1");
    const struct {
        const char *of;
        run_result (*run)(const char *const *arguments);
        const char *words[6];
    } ways[] = {
        { "train", run_train, { name } },
        { "train", run_train, { option } },
        { "train", run_train, { config, option } },
        { "train", run_train, { config, override } },
        { "train", run_train, { config, value } },
        { "train", run_train, { config, section } },
        { "train", run_train, { config, name, name } },
        { "train", run_train, { config, "--from", name } },
        { "train", run_train, { config, "--watch", name } },
        { "train", run_train, { config, "--out", run_file("/dev/null", name) } },
        { "heads", run_heads, { name } },
        { "heads", run_heads, { folder, option } },
        { "heads", run_heads, { "map", folder, name } },
        { "heads", run_heads, { "map", folder, "--input", name } },
        { "heads", run_heads, { folder, "--step", name } },
        { "heads", run_heads, { "compare", folder, name } },
        { "heads", run_heads, { "importance", folder, "--keep", name } },
        { "heads", run_heads, { "prune", folder, "--by", name } },
        { "heads", run_heads, { folder, "--head", name } },
        { "heads", run_heads, { folder, "--json", run_file("/dev/null", name) } },
        { "ablate", sweep_run, { name, "--heads", "1" } },
        { "ablate", sweep_run, { config, option } },
        { "ablate", sweep_run, { config, "--heads", name } },
        { "ablate", sweep_run, { config, "--vary", joined(name, "", "=1") } },
        { "ablate", sweep_run, { config, "--seeds", name } },
        { "ablate", sweep_run, { config, "--heads", "1", "--out", run_file("/dev/null", name) } },
        { "bench", bench, { joined(name, ".ini", "") } },
        { "bench", bench, { option } },
        { "bench", bench, { "--threads", name } },
        { "bench", bench, { "--measure", name } },
        { "bench", bench, { config, override } },
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        run_result run = ways[i].run(ways[i].words);
        expect_told(run.code, run.out, run.err, ways[i].of, (int)i);
    }
}

/* Those that a config may hold: it is UTF-8 without controls of seven bits. */
LOOP_TEST(keys_and_values_of_a_config_are_spelled_out, 0, 3)
{
    static const char *const lines[][2] = { { "[", "]\n" },
                                            { "[model]\n", " = 1\n" },
                                            { "[model]\nheads = ", "\n" },
                                            { "[model]\nnorm = ", "\n" },
                                            { "", " = 1\n" } };
    const char *name = names[2 + _i];
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        run_result run = RUN(run_config("odd.ini", joined(lines[i][0], name, lines[i][1])));
        expect_told(run.code, run.out, run.err, "config", (int)i);
    }
}

/* As JSON spells it, where it can. */
TEST(tensors_are_spelled_out)
{
    static const char *const odd[] = { "a\\u001b[31mb",
                                       "a\xc2\x9b"
                                       "31m",
                                       "a\xe2\x80\xae"
                                       "b",
                                       "a\\n\\u007f" };
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        char json[256], bytes[512];
        int n =
            snprintf(json, sizeof json, "{\"%s\":{\"dtype\":\"I99\",\"shape\":[1],\"data_offsets\":[0,4]}}", odd[i]);
        memset(bytes, 0, sizeof bytes);
        bytes[0] = (char)n;
        memcpy(bytes + 8, json, (size_t)n);
        const char *path = run_path("odd.safetensors");
        scratch_write(path, bytes, (size_t)n + 12);
        run_result run = RUN(run_tiny_config(), "--from", path, "--out", run_path("run"));
        expect_told(run.code, run.out, run.err, "tensor", (int)i);
    }
}

static void expect_none_in_page(const char *path)
{
    const char *page = run_read(path);
    for (int i = 0; i < NAMES; i++) {
        ck_assert_msg(strstr(page, names[i] + 1) == NULL, "%s holds name %d", path, i);
    }
}

/* A run and a sweep of a name that holds all of them: all that is printed, and the pages. */
TEST(a_run_of_any_name_is_shown)
{
    const char *name = "";
    for (int i = 0; i < NAMES; i++) {
        name = joined(name, names[i], "");
    }
    const char *folder = run_path(name), *other = run_path("other");
    const char *config = run_config(joined(name, ".ini", ""), run_read(run_tiny_config()));
    const char *const trains[][6] = {
        { config, "--check" },
        { config, "train.steps=4", "--out", folder },
        { config, "train.steps=4", "--out", folder, "--resume" },
        { config, "train.steps=4", "--out", other },
        { config, "train.steps=4", "--out", folder }, /* in the way */
    };
    for (size_t i = 0; i < sizeof trains / sizeof *trains; i++) {
        run_result run = run_train(trains[i]);
        ck_assert_int_eq(run.code, i + 1 < sizeof trains / sizeof *trains ? 0 : 2);
        expect_safe(run.out, "train", (int)i);
        expect_safe(run.err, "train", (int)i);
    }
    const char *svg = run_path("heads.svg");
    const char *const heads[][7] = {
        { folder },
        { "map", folder, "L0H0" },
        { "importance", folder, "--keep", "L0H0" },
        { "importance", folder },
        { "prune", folder, "--to", "2", "--out", run_path(joined(name, ".safetensors", "")) },
        { "compare", folder, other },
        { "compare", other, folder },
        { "map", folder, "--svg", svg },
        { "prune", folder, "--svg", "-" },
        { folder, "--step", "3" },
    };
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        run_result run = run_heads(heads[i]);
        ck_assert_msg(run.code == (i + 1 < sizeof heads / sizeof *heads ? 0 : 2), "heads %d: %s", (int)i, run.err);
        expect_safe(run.out, "heads", (int)i);
        expect_safe(run.err, "heads", (int)i);
    }
    expect_safe(run_read(svg), "svg", 0);
    expect_none_in_page(run_file(folder, "report.html"));
    expect_none_in_page(run_file(other, joined("against-", name, ".html")));

    const char *sweep = run_path(joined(name, "-sweep", ""));
    run_result run = OK(ABLATE(config, "--heads", "1", "--seeds", "1", "train.steps=4", "--out", sweep));
    expect_safe(run.out, "ablate", 0);
    expect_safe(run.err, "ablate", 0);
    expect_safe(run_read(run_file(sweep, "ablation.md")), "ablation.md", 0);
    expect_none_in_page(run_file(sweep, "ablation.html"));
    run_result bench = BENCH(config, "--seconds", "0.001");
    ck_assert_int_eq(bench.code, 0);
    expect_safe(bench.out, "bench", 0);
    expect_safe(bench.err, "bench", 0);
}

SUITE("shown names")
