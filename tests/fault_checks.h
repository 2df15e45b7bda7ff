/* What must hold for whatever reads or writes a file when a file call or an allocation fails: each check makes the
 * first call fail, then the second, and so on, once and from there on for ever. */
#pragma once

#include "tests/faults.h"

#include "core/base/status.h"

/* Writes a file durably; other bytes, and not fewer calls, for version 1 than for version 0. */
typedef hl_status fault_checks_save(const char *path, int version);

/* Reads the file, checks what was read, and frees it. */
typedef hl_status fault_checks_load(const char *path);

/* With every file call failing in turn: HL_BAD_FILE naming the path, the old file whole (after the rename: the new
 * one), no temporary file unless removing it failed too, no file left open, no memory lost. At most `harmless` calls
 * may fail without an error, and then the new file stands. The same for every allocation: HL_NO_MEMORY, the old file
 * whole. */
void fault_checks_saving(fault_checks_save *save, int harmless);

/* Between faults_begin and faults_end: the call succeeds, and `release` frees what it made; with each of its
 * allocations failing in turn it returns HL_NO_MEMORY and leaves nothing. */
void fault_checks_allocations(hl_status (*call)(void *context), void (*release)(void *context), void *context);

/* The same as a loop, whose n-th turn has its n-th allocation fail, and those after it where the kind says so, until a
 * turn has fewer. A turn leaves as many blocks as stood before the loop; when it has told its status, allocations
 * succeed again.
 *
 *     for (int n = 0; fault_checks_next(&n, FAULTS_ONCE);) {
 *         fault_checks_turn(make(&thing));
 *         free_made(&thing);
 *     } */
bool fault_checks_next(int *n, faults_kind kind);

/* What the turn's call returned is HL_NO_MEMORY, or HL_OK in the last turn. */
void fault_checks_turn(hl_status status);

/* As fault_checks_saving says, for reading the file of version 0 that `save` writes. Only closing may fail without an
 * error, `closings` times. */
void fault_checks_loading(fault_checks_save *save, fault_checks_load *load, int closings);
