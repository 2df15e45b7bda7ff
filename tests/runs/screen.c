#define _GNU_SOURCE /* posix_openpt, winsize */
#include "tests/runs/screen.h"

#include "tests/scratch.h"

#include <check.h>
#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

/* ---- what a terminal does with what it is sent ---- */

static void clear(screen *s, int row, int column)
{
    for (; column < s->width; column++) {
        strcpy(s->cells[row][column], " ");
    }
}

static void next_line(screen *s)
{
    s->row++;
    ck_assert_int_lt(s->row, SCREEN_MOST_LINES);
    if (s->row == s->top + s->height) {
        s->top++;
        clear(s, s->row, 0);
    }
}

/* A character of `size` bytes. */
static void put(screen *s, const char *bytes, int size)
{
    if (s->column == s->width && s->wraps) {
        s->n_wrapped++;
        s->column = 0;
        next_line(s);
    }
    s->column -= s->column == s->width;
    memcpy(s->cells[s->row][s->column], bytes, (size_t)size);
    s->cells[s->row][s->column][size] = '\0';
    s->column++;
}

/* The cursor's character is cleared too where it stands past the last column, as in xterm. */
static void clear_line(screen *s)
{
    clear(s, s->row, s->column < s->width ? s->column : s->width - 1);
}

static void clear_below(screen *s)
{
    clear_line(s);
    for (int row = s->row + 1; row < s->top + s->height; row++) {
        clear(s, row, 0);
    }
}

static void go_up(screen *s, int lines)
{
    s->n_lost += s->row - lines < s->top;
    s->row = s->row - lines < s->top ? s->top : s->row - lines;
}

/* What follows "\033[", up to and with the letter that ends it. Returns its size. */
static int obey(screen *s, const char *sequence)
{
    int size = (int)strspn(sequence, "?;0123456789");
    switch (sequence[size]) {
    case 'A':
        go_up(s, atoi(sequence));
        break;
    case 'J':
        clear_below(s);
        break;
    case 'K':
        clear_line(s);
        break;
    case 'm':
        s->n_coloured++;
        break;
    case 'h':
    case 'l':
        ck_assert_int_eq(strncmp(sequence, "?7", 2), 0);
        s->wraps = sequence[size] == 'h';
        break;
    default:
        ck_abort_msg("unknown sequence: %.*s", size + 1, sequence);
    }
    return size + 1;
}

/* One character or sequence. Returns its size. */
static int receive_one(screen *s, const char *bytes)
{
    int size = 1;
    if (strncmp(bytes, "\033[", 2) == 0) {
        return 2 + obey(s, bytes + 2);
    }
    if (*bytes == '\r') {
        s->column = 0;
    } else if (*bytes == '\n') {
        s->column = 0;
        next_line(s);
    } else {
        ck_assert_msg(!iscntrl((unsigned char)*bytes), "control character %d", *bytes);
        for (; (bytes[size] & 0xc0) == 0x80; size++) {
        }
        put(s, bytes, size);
    }
    return size;
}

/* ---- the program on it ---- */

static const char *terminal_path;

static void use_terminal(void)
{
    ck_assert_ptr_nonnull(freopen(terminal_path, "w", stdout));
}

int screen_terminal(int width, int height, const char **path)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    ck_assert(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    struct termios settings;
    ck_assert_int_eq(tcgetattr(master, &settings), 0);
    settings.c_oflag &= ~(tcflag_t)OPOST; /* no \r added to \n */
    ck_assert_int_eq(tcsetattr(master, TCSANOW, &settings), 0);
    struct winsize size = { .ws_col = (unsigned short)width, .ws_row = (unsigned short)height };
    ck_assert_int_eq(ioctl(master, TIOCSWINSZ, &size), 0);
    *path = ptsname(master);
    return master;
}

/* All that comes, in new memory. */
static char *read_all(int master)
{
    size_t n = 0, capacity = 1 << 20;
    char *text = malloc(capacity);
    ck_assert_ptr_nonnull(text);
    ssize_t now;
    while ((now = read(master, text + n, capacity - 1 - n)) > 0) { /* in pieces, and then an error */
        n += (size_t)now;
        ck_assert_uint_lt(n, capacity - 1);
    }
    text[n] = '\0';
    return text;
}

int screen_sent(int width, int height, run_options options, char **text)
{
    int master = screen_terminal(width, height, &terminal_path), keep = open(terminal_path, O_RDWR | O_NOCTTY);
    options.before = use_terminal;
    pid_t process = run_start(options);
    close(keep);
    *text = read_all(master);
    int code = run_wait(process).code;
    close(master);
    return code;
}

int screen_run(screen *s, int width, int height, const char *const *arguments)
{
    ck_assert(width <= SCREEN_MOST_COLUMNS && height < SCREEN_MOST_LINES);
    *s = (screen){ .width = width, .height = height, .wraps = true };
    for (int row = 0; row < height; row++) {
        clear(s, row, 0);
    }
    char *text;
    int code = screen_sent(width, height, (run_options){ .arguments = arguments }, &text);
    for (const char *at = text; *at != '\0';) {
        at += receive_one(s, at);
    }
    scratch_write(run_path("sent"), text, strlen(text));
    free(text);
    return code;
}

/* ---- what a person reads ---- */

const char *screen_line(const screen *s, int row)
{
    static char line[SCREEN_MOST_COLUMNS * 4 + 1];
    size_t used = 0, end = 0;
    for (int column = 0; column < s->width; column++) {
        const char *cell = s->cells[row][column];
        memcpy(line + used, cell, strlen(cell));
        used += strlen(cell);
        end = strcmp(cell, " ") != 0 ? used : end;
    }
    line[end] = '\0';
    return line;
}

int screen_count(const screen *s, const char *begin, int *row)
{
    int n = 0;
    for (int i = 0; i < s->top + s->height; i++) {
        if (strncmp(screen_line(s, i), begin, strlen(begin)) == 0) {
            if (row != NULL && n == 0) {
                *row = i;
            }
            n++;
        }
    }
    return n;
}
