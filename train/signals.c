#include "train/signals.h"

#include <signal.h>

/* A handler can leave its message only in a global variable. */
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
