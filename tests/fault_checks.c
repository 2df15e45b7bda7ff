#include "tests/fault_checks.h"

#include "core/files/json.h"
#include "tests/faults.h"
#include "tests/scratch.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 100000 /* calls; no check needs as many */ };

typedef struct content {
    char *bytes;
    size_t size;
} content;

static content saved(fault_checks_save *save, const char *path, int version)
{
    hl_status status = save(path, version);
    ck_assert_msg(status.code == HL_OK, "%s", status.text);
    content c;
    c.bytes = scratch_read(path, &c.size);
    ck_assert_ptr_nonnull(c.bytes);
    return c;
}

static void nothing_is_left(void)
{
    ck_assert_int_eq(faults_open_files(), 0);
    ck_assert_int_eq(faults_live_blocks(), 0);
}

/* Saves with the n-th file call failing; whether there were as many. *harmless counts failures without an error. */
static bool save_with_file_fault(fault_checks_save *save, const char *path, const content *old, const content *new,
                                 int n, faults_kind kind, int *harmless)
{
    char temporary[1024];
    snprintf(temporary, sizeof temporary, "%s.tmp", path);
    scratch_write(path, old->bytes, old->size);
    faults_in_files(n, kind, ENOSPC);
    hl_status status = save(path, 1);
    bool reached = faults_file_calls() >= n;
    if (status.code == HL_OK) {
        *harmless += reached;
        ck_assert(scratch_holds(path, new->bytes, new->size));
        ck_assert(!scratch_exists(temporary));
    } else {
        ck_assert_msg(status.code == HL_BAD_FILE && strstr(status.text, path) != NULL, "call %d: %s", n, status.text);
        const content *stands = faults_renamed() ? new : old;
        ck_assert_msg(scratch_holds(path, stands->bytes, stands->size), "call %d damaged the file", n);
        ck_assert_msg(faults_unlink_failed() || !scratch_exists(temporary), "call %d left the temporary file", n);
    }
    nothing_is_left();
    return reached;
}

static bool save_with_memory_fault(fault_checks_save *save, const char *path, const content *old, int n,
                                   faults_kind kind)
{
    char temporary[1024];
    snprintf(temporary, sizeof temporary, "%s.tmp", path);
    scratch_write(path, old->bytes, old->size);
    faults_in_memory(n, kind);
    hl_status status = save(path, 1);
    bool reached = faults_allocations() >= n;
    if (reached) {
        ck_assert_msg(status.code == HL_NO_MEMORY, "allocation %d: %s", n, status.text);
        ck_assert(scratch_holds(path, old->bytes, old->size));
    } else {
        ck_assert_msg(status.code == HL_OK, "%s", status.text);
    }
    ck_assert(!scratch_exists(temporary));
    nothing_is_left();
    return reached;
}

void fault_checks_saving(fault_checks_save *save, int harmless)
{
    hl_json_use_allocator();
    faults_begin();
    const char *path = scratch_path("saved");
    content old = saved(save, path, 0);
    content new = saved(save, path, 1);
    ck_assert(old.size != new.size || memcmp(old.bytes, new.bytes, old.size) != 0);
    for (faults_kind kind = FAULTS_ONCE; kind <= FAULTS_FOR_EVER; kind++) {
        int n_harmless = 0;
        int n = 1;
        while (n < MOST && save_with_file_fault(save, path, &old, &new, n, kind, &n_harmless)) {
            n++;
        }
        ck_assert_int_gt(n, 5); /* it must create, write, flush, close and rename */
        ck_assert_int_lt(n, MOST);
        ck_assert_int_le(n_harmless, harmless);
        faults_in_files(0, kind, 0);
        n = 1;
        while (n < MOST && save_with_memory_fault(save, path, &old, n, kind)) {
            n++;
        }
        ck_assert_int_gt(n, 1);
        ck_assert_int_lt(n, MOST);
        faults_in_memory(0, kind);
    }
    free(old.bytes);
    free(new.bytes);
    faults_end();
}

void fault_checks_loading(fault_checks_save *save, fault_checks_load *load, int closings)
{
    hl_json_use_allocator();
    faults_begin();
    const char *path = scratch_path("loaded");
    content file = saved(save, path, 0);
    for (faults_kind kind = FAULTS_ONCE; kind <= FAULTS_FOR_EVER; kind++) {
        int n_harmless = 0;
        bool reached = true;
        int n = 0;
        while (reached && n < MOST) {
            faults_in_files(++n, kind, EIO);
            hl_status status = load(path);
            reached = faults_file_calls() >= n;
            n_harmless += reached && status.code == HL_OK;
            ck_assert_msg(status.code == HL_OK ||
                              (reached && status.code == HL_BAD_FILE && strstr(status.text, path) != NULL),
                          "call %d: %s", n, status.text);
            nothing_is_left();
        }
        ck_assert_int_gt(n, 4); /* open, size, read, close */
        ck_assert_int_le(n_harmless, closings);
        faults_in_files(0, kind, 0);
        for (n = 0, reached = true; reached && n < MOST;) {
            faults_in_memory(++n, kind);
            hl_status status = load(path);
            reached = faults_allocations() >= n;
            ck_assert_msg(status.code == (reached ? HL_NO_MEMORY : HL_OK), "allocation %d: %s", n, status.text);
            nothing_is_left();
        }
        ck_assert_int_gt(n, 1);
        faults_in_memory(0, kind);
    }
    ck_assert(scratch_holds(path, file.bytes, file.size));
    free(file.bytes);
    faults_end();
}

static struct {
    int n, live_before;
    bool reached;
} turn;

bool fault_checks_next(int *n, faults_kind kind)
{
    if (*n == 0) {
        turn.live_before = faults_live_blocks();
        turn.reached = true;
    }
    ck_assert_int_eq(faults_live_blocks(), turn.live_before);
    ck_assert_int_lt(*n, MOST);
    if (turn.reached) {
        turn.n = ++*n;
        faults_in_memory(turn.n, kind);
        return true;
    }
    ck_assert_int_gt(*n, 1);
    return false;
}

void fault_checks_turn(hl_status status)
{
    turn.reached = faults_allocations() >= turn.n;
    ck_assert_msg(status.code == (turn.reached ? HL_NO_MEMORY : HL_OK), "allocation %d: %s", turn.n, status.text);
    faults_in_memory(0, FAULTS_ONCE);
}

void fault_checks_allocations(hl_status (*call)(void *context), void (*release)(void *context), void *context)
{
    for (int n = 0; fault_checks_next(&n, FAULTS_ONCE);) {
        hl_status status = call(context);
        fault_checks_turn(status);
        if (status.code == HL_OK) {
            release(context);
        }
    }
}
