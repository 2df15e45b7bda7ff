/* The patterns of all heads of a run, as a picture. */
#ifndef HL_TRAIN_ABLATE_MAPS_H
#define HL_TRAIN_ABLATE_MAPS_H

#include "heads/text.h"

/* Adds a PNG of the run's last snapshot, all heads side by side, under what they do. HL_BAD_FILE saying what to do: no
 * snapshot in the folder, one that cannot be read; HL_INVALID, HL_NO_MEMORY, HL_FAILED. */
hl_status hl_ablate_maps_png(const char *folder, hl_text *bytes);

#endif
