/* Lines for a person: no wider than the terminal that shows them. */
#include "programs/print_line.h"

#include "tests/check_suite.h"
#include "tests/runs/screen.h"

#include <stdlib.h>
#include <unistd.h>

static const char text[] = "  --out DIR   the run's folder, which is made where it is not there yet\n"
                           "go on with 'train a.ini --resume --out runs/again' when there is time\n";

/* What a terminal of that width is sent; stands until the next call. */
static const char *sent_to(int width, void (*print)(FILE *to))
{
    static char sent[4096];
    const char *path;
    int master = screen_terminal(width, 24, &path);
    FILE *to = fopen(path, "w");
    ck_assert_ptr_nonnull(to);
    print(to);
    fclose(to);
    size_t size = 0;
    for (ssize_t n; (n = read(master, sent + size, sizeof sent - 1 - size)) > 0;) { /* it may come in pieces */
        size += (size_t)n;
    }
    ck_assert_uint_gt(size, 0);
    sent[size] = '\0';
    close(master);
    return sent;
}

static void print_text(FILE *to)
{
    hl_print_wrapped(to, text, 30); /* a width that a terminal's own replaces */
}

static void print_message(FILE *to)
{
    hl_print_line(to, "%s: é no such file in any of the places", "a.ini");
}

TEST(a_terminal_gets_lines_of_its_width)
{
    ck_assert_str_eq(sent_to(45, print_text), "  --out DIR   the run's folder, which is made\n"
                                              "              where it is not there yet\n"
                                              "go on with\n"
                                              "'train a.ini --resume --out runs/again' when\n"
                                              "there is time\n");
    ck_assert_str_eq(sent_to(200, print_text), text);
    ck_assert_str_eq(sent_to(20, print_message), "a.ini: é no such\nfile in any of the\nplaces\n");
}

TEST(a_file_gets_lines_of_the_width_that_is_named)
{
    char *written;
    size_t size;
    FILE *to = open_memstream(&written, &size);
    ck_assert_ptr_nonnull(to);
    hl_print_wrapped(to,
                     "one two three four\n  --out DIR  the folder of the run\n\nso: run 'a b c d e f g h i j k' "
                     "now\nna\xc3\xafve na\xc3\xafve na\xc3\xafve x\n",
                     20);
    hl_print_wrapped(to, "one two three four five six\n", 0);
    fclose(to);
    ck_assert_str_eq(written, "one two three four\n"
                              "  --out DIR  the\n"
                              "          folder of\n"
                              "          the run\n"
                              "\n"
                              "so: run\n"
                              "'a b c d e f g h i j k'\n"
                              "now\n"
                              "na\xc3\xafve na\xc3\xafve na\xc3\xafve x\n"
                              "one two three four five six\n");
    free(written);
}

TEST(help_fits_a_narrow_terminal)
{
    static screen s;
    const char *arguments[] = { "--help", NULL };
    ck_assert_int_eq(screen_run(&s, 50, 24, arguments), 0);
    ck_assert_int_eq(screen_count(&s, "usage: ", NULL), 1);
    ck_assert_int_eq(s.n_wrapped, 0);
}

SUITE("print_line")
