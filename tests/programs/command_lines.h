/* Command lines as one types them, for the parsers of the programs, and what a program's help must be. */
#pragma once

#include "tests/scratch.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

enum { COMMAND_WORDS = 80 };

typedef struct command_line {
    int argc;
    char *argv[COMMAND_WORDS + 1];
} command_line;

/* The program's name and the words of the line, which blanks part. They stand to the end of the test. */
static inline command_line command_line_of(const char *program, const char *line)
{
    command_line command = { .argc = 1, .argv = { (char *)(size_t)program } };
    char *words = (char *)(size_t)scratch_format("%s", line);
    for (char *word = strtok(words, " "); word != NULL; word = strtok(NULL, " ")) {
        ck_assert_int_lt(command.argc, COMMAND_WORDS);
        command.argv[command.argc++] = word;
    }
    return command;
}

/* It fits a terminal and names these options, up to a NULL. */
static inline void command_usage_check(const char *usage, const char *const *options)
{
    int n_lines = 0;
    for (const char *line = usage; *line != '\0'; line += strcspn(line, "\n") + 1, n_lines++) {
        ck_assert_msg(strcspn(line, "\n") <= 80, "%.100s", line);
    }
    ck_assert_int_gt(n_lines, 10);
    for (; *options != NULL; options++) {
        ck_assert_msg(strstr(usage, *options) != NULL, "%s", *options);
    }
}
#define COMMAND_USAGE_CHECK(usage, ...) command_usage_check(usage, (const char *const[]){ __VA_ARGS__, NULL })
