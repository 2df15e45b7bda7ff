/* Reads arrays from a snapshot's archive and checks them; for snapshot.c and validation_sums_file.c. */
#pragma once

#include "core/base/status.h"
#include "core/files/npz.h"

/* An upper bound on the bytes that an archive adds to an array's numbers. */
enum { HL_SNAPSHOT_FRAME = 320 };

/* HL_BAD_FILE "<path>: <array>: <what is wrong>". */
hl_status hl_snapshot_wrong(const char *path, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Sets *data to the array's numbers, which belong to the archive. HL_BAD_FILE if the array is missing or has another
 * type or shape. */
hl_status hl_snapshot_array(const hl_npz *npz, const char *path, const char *name, hl_npy_type type, hl_shape shape,
                            void **data);
