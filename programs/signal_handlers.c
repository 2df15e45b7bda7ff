#include "programs/signal_handlers.h"

#include "train/signals.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* A handler has nowhere else to find its message. */
static struct {
    const char *text;
    size_t size;
    bool after_a_line; /* that a terminal shows, without its newline: the progress, and "^C" */
} answer;

static void say(const char *text, size_t size)
{
    ssize_t written = write(STDERR_FILENO, text, size);
    (void)written; /* where nobody listens, the run ends all the same */
}

static void handle(int signal)
{
    if (!hl_signals_keep(signal)) {
        _exit(128 + signal);
    }
    int error = errno;
    say("\n", answer.after_a_line);
    say(answer.text, answer.size);
    errno = error;
}

/* SA_NODEFER: a second signal ends the process also where the answer to the first cannot be written. */
static void install(int signal)
{
    struct sigaction before, action = { .sa_handler = handle, .sa_flags = SA_RESTART | SA_NODEFER };
    if (sigaction(signal, NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
        sigaction(signal, &action, NULL);
    }
}

void hl_signal_handlers_install(const char *text)
{
    answer.text = text;
    answer.size = strlen(text);
    answer.after_a_line = isatty(STDERR_FILENO) != 0;
    install(SIGINT);
    install(SIGTERM);
    install(SIGHUP);
}
