#include "train/signals.h"

#include <signal.h>

/* A handler has nowhere else to leave its message. */
static volatile sig_atomic_t received;

bool hl_signals_keep(int signal)
{
    bool first = received == 0;
    received = first ? signal : received;
    return first;
}

int hl_signals_received(void)
{
    return received;
}
