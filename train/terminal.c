#define _DEFAULT_SOURCE /* winsize */
#include "train/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { USUAL_WIDTH = 80, MOST_WIDTH = 1000 };

/* "" if it is not set. */
static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value != NULL ? value : "";
}

/* Zeros if it is unknown. */
static struct winsize size_of(int fd)
{
    struct winsize size = { 0 };
    return isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 ? size : (struct winsize){ 0 };
}

bool hl_terminal_renews(FILE *to)
{
    const char *terminal = variable("TERM");
    return isatty(fileno(to)) && *terminal != '\0' && strcmp(terminal, "dumb") != 0;
}

static hl_terminal_colours colours_of(FILE *to)
{
    const char *terminal = variable("TERM"), *colours = variable("COLORTERM");
    if (!hl_terminal_renews(to) || *variable("NO_COLOR") != '\0') {
        return HL_TERMINAL_NO_COLOURS;
    }
    if (strcmp(colours, "truecolor") == 0 || strcmp(colours, "24bit") == 0 || strstr(terminal, "direct") != NULL) {
        return HL_TERMINAL_24_BIT;
    }
    return strstr(terminal, "256") != NULL ? HL_TERMINAL_256_COLOURS : HL_TERMINAL_NO_COLOURS;
}

/* The first variable that is set counts, as in setlocale. If none is set, Unicode is assumed, as most terminals have
 * it. */
static bool lacks_unicode(void)
{
    static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
    for (int i = 0; i < 3; i++) {
        const char *value = variable(names[i]);
        if (*value != '\0') {
            return strstr(value, "UTF-8") == NULL && strstr(value, "utf8") == NULL && strstr(value, "utf-8") == NULL;
        }
    }
    return false;
}

int hl_terminal_height(FILE *to)
{
    return size_of(fileno(to)).ws_row;
}

hl_terminal hl_terminal_of(FILE *to)
{
    int told = size_of(fileno(to)).ws_col, width = told > 0 ? told : atoi(variable("COLUMNS"));
    width = width <= 0 ? USUAL_WIDTH : width < MOST_WIDTH ? width : MOST_WIDTH;
    return (hl_terminal){ .width = width > HL_TERMINAL_LEAST_WIDTH ? width : HL_TERMINAL_LEAST_WIDTH,
                          .colours = colours_of(to),
                          .ascii = lacks_unicode() };
}
