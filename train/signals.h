/* The signal that asks a run to end: a program's handlers keep it, long work asks for it. */
#ifndef HL_TRAIN_SIGNALS_H
#define HL_TRAIN_SIGNALS_H

#include "core/base/declarations.h"

#include <stdbool.h>

HL_BEGIN_DECLS

/* Keeps the signal for hl_signals_received. False where one was kept before. For handlers: async-signal-safe. */
bool hl_signals_keep(int signal);

/* The first signal that was kept, or 0. */
int hl_signals_received(void);

HL_END_DECLS

#endif
