/* The signal that asks a run to end. A program's handlers store it, and long work checks for it. */
#pragma once

#include "core/base/declarations.h"

#include <stdbool.h>

HL_BEGIN_DECLS

/* Stores the signal for hl_signals_received. False if one was stored before. For handlers: async-signal-safe. */
bool hl_signals_keep(int signal);

/* The first stored signal, or 0. */
int hl_signals_received(void);

HL_END_DECLS
