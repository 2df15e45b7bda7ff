#include "train/signals.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

/* A handler has nowhere else to leave its message. */
static volatile sig_atomic_t received;

static void handle(int signal)
{
    if (received != 0) {
        _exit(128 + signal);
    }
    received = signal;
}

static void install(int signal)
{
    struct sigaction before, action = { .sa_handler = handle, .sa_flags = SA_RESTART };
    if (sigaction(signal, NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
        sigaction(signal, &action, NULL);
    }
}

void hl_signals_install(void)
{
    install(SIGINT);
    install(SIGTERM);
    install(SIGHUP);
}

int hl_signals_received(void)
{
    return received;
}
