/* Reads arrays of a snapshot's archive and checks them; for snapshot.c and validation_sums_file.c. */
#ifndef HL_HEADS_PRIVATE_SNAPSHOT_ARRAY_H
#define HL_HEADS_PRIVATE_SNAPSHOT_ARRAY_H

#include "core/base/status.h"
#include "core/files/npz.h"

/* At least as many bytes as an archive adds to an array's numbers. */
enum { HL_SNAPSHOT_FRAME = 320 };

/* HL_BAD_FILE "<path>: <array>: <what is wrong>". */
hl_status hl_snapshot_wrong(const char *path, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The array's numbers, the archive's, into *data; it must be there in this type and shape, else HL_BAD_FILE. */
hl_status hl_snapshot_array(const hl_npz *npz, const char *path, const char *name, hl_npy_type type, hl_shape shape,
                            void **data);

#endif
