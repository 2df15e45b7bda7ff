/* At which steps of a run the patterns are recorded: step 0 and the last one always, and between them every n-th step,
 * or 1, 2, 5, 10, 20, 50, 100, ..., because heads form early. */
#ifndef HL_HEADS_CADENCE_H
#define HL_HEADS_CADENCE_H

#include "core/declarations.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

typedef struct hl_cadence {
    int64_t every; /* at least 1, in steps; HL_CADENCE_LOG: the 1, 2, 5 series */
} hl_cadence;

enum { HL_CADENCE_LOG = 0 };

/* Whether `step`, 0 .. last, of a run of `last` steps is recorded. */
bool hl_cadence_records(hl_cadence cadence, int64_t step, int64_t last);

/* How many snapshots a run of `last` steps takes, last >= 0. */
int64_t hl_cadence_count(hl_cadence cadence, int64_t last);

HL_END_DECLS

#endif
