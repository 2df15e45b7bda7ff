/* A program started as a process of its own, which dies with this one. */
#pragma once

#include "core/base/status.h"

#include <stdbool.h>
#include <sys/types.h>

/* Starts arguments[0] with these arguments, the last followed by NULL, without standard input; what it says goes to the
 * descriptors `output` and `errors`. A signal from the terminal does not reach it: this process passes it on where it
 * wants to. A program that cannot be started says so on `output` and ends. HL_FAILED: no process. */
hl_status hl_child_start(const char *const *arguments, int output, int errors, pid_t *child);

/* Whether it has ended, which with `wait` is waited for; *end is 0 if all went well. */
bool hl_child_ended(pid_t child, bool wait, int *end);

/* Why an `end` that is not 0: the signal that killed it, or the line that it `said`, or where that is "" its exit code.
 * HL_INVALID .. HL_NO_MEMORY if that is its exit code, else HL_FAILED. */
hl_status hl_child_failure(int end, const char *said);
