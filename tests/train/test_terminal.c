/* What the terminal is, as the system and the environment tell it. */
#include "tests/check_suite.h"
#include "tests/runs/screen.h"
#include "tests/scratch.h"
#include "train/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const names[] = { "COLUMNS", "TERM", "COLORTERM", "NO_COLOR", "LC_ALL", "LC_CTYPE", "LANG" };

static void clear_environment(void)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        unsetenv(names[i]);
    }
}

/* The terminal that `to` is where these are the variables: "TERM=xterm", ..., NULL. */
static hl_terminal terminal_with(FILE *to, const char *const *variables)
{
    clear_environment();
    for (; *variables != NULL; variables++) {
        const char *name = scratch_format("%.*s", (int)strcspn(*variables, "="), *variables);
        ck_assert_int_eq(setenv(name, strchr(*variables, '=') + 1, 1), 0);
    }
    hl_terminal terminal = hl_terminal_of(to);
    clear_environment();
    return terminal;
}
#define TERMINAL(to, ...) terminal_with(to, (const char *const[]){ __VA_ARGS__, NULL })

static FILE *open_terminal(int width, int height, int *master)
{
    const char *path;
    *master = screen_terminal(width, height, &path);
    FILE *to = fopen(path, "w");
    ck_assert_ptr_nonnull(to);
    return to;
}

static FILE *open_file(void)
{
    FILE *to = fopen(scratch_path("file"), "w");
    ck_assert_ptr_nonnull(to);
    return to;
}

TEST(its_size_is_the_systems_or_that_of_columns)
{
    int master;
    FILE *to = open_terminal(123, 45, &master), *file = open_file();
    ck_assert_int_eq(TERMINAL(to, "COLUMNS=77").width, 123);
    ck_assert_int_eq(hl_terminal_height(to), 45);
    ck_assert_int_eq(TERMINAL(file, "COLUMNS=77").width, 77);
    ck_assert_int_eq(hl_terminal_height(file), 0);
    ck_assert_int_eq(TERMINAL(file, "TERM=xterm").width, 80);
    ck_assert_int_eq(TERMINAL(file, "COLUMNS=-5").width, 80);
    ck_assert_int_eq(TERMINAL(file, "COLUMNS=wide").width, 80);
    ck_assert_int_eq(TERMINAL(file, "COLUMNS=3").width, HL_TERMINAL_LEAST_WIDTH);
    ck_assert_int_eq(TERMINAL(file, "COLUMNS=100000").width, 1000);
    fclose(file);
    fclose(to);
    close(master);
}

TEST(colours_are_what_the_terminal_says)
{
    int master;
    FILE *to = open_terminal(80, 24, &master), *file = open_file();
    ck_assert_int_eq(TERMINAL(to, "TERM=xterm-256color").colours, HL_TERMINAL_256_COLOURS);
    ck_assert_int_eq(TERMINAL(to, "TERM=xterm-256color", "COLORTERM=truecolor").colours, HL_TERMINAL_24_BIT);
    ck_assert_int_eq(TERMINAL(to, "TERM=xterm", "COLORTERM=24bit").colours, HL_TERMINAL_24_BIT);
    ck_assert_int_eq(TERMINAL(to, "TERM=xterm-direct").colours, HL_TERMINAL_24_BIT);
    ck_assert_int_eq(TERMINAL(to, "TERM=xterm").colours, HL_TERMINAL_NO_COLOURS);
    ck_assert_int_eq(TERMINAL(to, "COLORTERM=truecolor").colours, HL_TERMINAL_NO_COLOURS); /* no TERM */
    ck_assert_int_eq(TERMINAL(to, "TERM=dumb", "COLORTERM=truecolor").colours, HL_TERMINAL_NO_COLOURS);
    ck_assert_int_eq(TERMINAL(to, "TERM=xterm-256color", "NO_COLOR=1").colours, HL_TERMINAL_NO_COLOURS);
    ck_assert_int_eq(TERMINAL(to, "TERM=xterm-256color", "NO_COLOR=").colours, HL_TERMINAL_256_COLOURS);
    ck_assert_int_eq(TERMINAL(file, "TERM=xterm-256color").colours, HL_TERMINAL_NO_COLOURS);
    fclose(file);
    fclose(to);
    close(master);
}

TEST(the_first_locale_that_is_set_tells_whether_it_has_unicode)
{
    FILE *file = open_file();
    ck_assert(!TERMINAL(file, "TERM=xterm").ascii);
    ck_assert(TERMINAL(file, "LANG=C").ascii);
    ck_assert(TERMINAL(file, "LC_CTYPE=de_DE.ISO-8859-1", "LANG=de_DE.UTF-8").ascii);
    ck_assert(!TERMINAL(file, "LC_ALL=de_DE.utf8", "LC_CTYPE=C").ascii);
    ck_assert(!TERMINAL(file, "LC_ALL=", "LANG=C.utf-8").ascii);
    ck_assert(!TERMINAL(file, "LC_ALL=C.UTF-8", "LANG=C").ascii);
    fclose(file);
}

SUITE("terminal")
