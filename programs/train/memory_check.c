#include "programs/train/memory_check.h"

#include "core/units.h"
#include "train/footprint.h"

hl_status hl_memory_check(const hl_config *config, hl_memory_at_hand at_hand, const char *path)
{
    hl_footprint footprint;
    HL_TRY(hl_footprint_of_config(config, &footprint));
    if (footprint.total <= at_hand.bytes) {
        return hl_ok();
    }
    char needed[HL_UNITS_TEXT], there[HL_UNITS_TEXT];
    return hl_error(HL_NO_MEMORY,
                    "%s: the run needs about %s of memory (--summary tells what for), and %s are free%s; "
                    "optimizer.accumulate computes a batch in parts that need less",
                    path, hl_units_bytes(footprint.total, needed), hl_units_bytes(at_hand.bytes, there),
                    at_hand.container ? " in this container" : "");
}
