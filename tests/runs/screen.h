/* A terminal in memory, as a test's program sees it, and what a person then reads on it. */
#pragma once

#include "tests/runs/runs.h"

enum { SCREEN_MOST_LINES = 2000, SCREEN_MOST_COLUMNS = 200 };

/* The characters that stand there, UTF-8 or not: a character's bytes are one cell. Lines that went off the top are
 * kept: the screen's `height` lines are the last ones from `top` on. */
typedef struct screen {
    int width, height;
    int top, row, column; /* row counts from the first line ever */
    bool wraps;
    int n_wrapped; /* characters that went on in the next line */
    int n_lost;    /* times that the cursor should have gone above the screen's top */
    int n_coloured;
    char cells[SCREEN_MOST_LINES][SCREEN_MOST_COLUMNS][5];
} screen;

/* A new terminal of that size, whose output goes out as it comes. Returns the end to read from, to be closed; *path,
 * the end to write to, stands until the next call. */
int screen_terminal(int width, int height, const char **path);

/* Runs a program, its output on a new terminal of that size, and returns its exit code. *text is all that the terminal
 * was sent, to be freed. One at a time. */
int screen_sent(int width, int height, run_options options, char **text);

/* Runs `train` with these arguments, its output on a new terminal of that size, and returns its exit code. *s is
 * what the terminal then shows, the file "sent" of the scratch folder all that it was sent. Fails the test where an
 * escape sequence comes that the screen does not know. One at a time. */
int screen_run(screen *s, int width, int height, const char *const *arguments);

/* Line `row` without trailing spaces; stands until the next call. */
const char *screen_line(const screen *s, int row);

/* How many lines begin with this, the first of them in *row where that is not NULL. */
int screen_count(const screen *s, const char *begin, int *row);
