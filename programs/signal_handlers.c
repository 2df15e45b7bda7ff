#include "programs/signal_handlers.h"

#include "train/signals.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* A handler finds its message only in a global variable. */
typedef struct answer {
    const char *text;
    size_t size;
    bool after_a_line; /* that a terminal shows, without its newline: the progress, and "^C" */
} answer;

static answer to_save, to_end; /* one for each handler: none changes while its handler may be called */
static const char *const *unfinished_files;

static answer answer_of(const char *text)
{
    return (answer){ .text = text, .size = strlen(text), .after_a_line = *text != '\0' && isatty(STDERR_FILENO) != 0 };
}

static void write_bytes(const char *text, size_t size)
{
    ssize_t written = write(STDERR_FILENO, text, size);
    (void)written; /* the run ends also where nobody reads this */
}

static void say(const answer *a)
{
    write_bytes("\n", a->after_a_line);
    write_bytes(a->text, a->size);
}

static void handle_to_save(int signal)
{
    if (!hl_signals_keep(signal)) {
        _exit(128 + signal);
    }
    int error = errno;
    say(&to_save);
    errno = error;
}

static void handle_to_end(int signal)
{
    say(&to_end);
    for (const char *const *path = unfinished_files; path != NULL && *path != NULL; path++) {
        unlink(*path);
    }
    _exit(128 + signal);
}

/* SA_NODEFER: a second signal ends the process also where the answer to the first cannot be written. */
static void install(void (*handler)(int signal))
{
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
    struct sigaction before, action = { .sa_handler = handler, .sa_flags = SA_RESTART | SA_NODEFER };
    for (int i = 0; i < 3; i++) {
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
            sigaction(signals[i], &action, NULL);
        }
    }
}

void hl_signal_handlers_install(const char *text)
{
    to_save = answer_of(text);
    install(handle_to_save);
}

void hl_signal_handlers_end_at_once(const char *text, const char *const *unfinished)
{
    to_end = answer_of(text);
    unfinished_files = unfinished;
    install(handle_to_end);
}
