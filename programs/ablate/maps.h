/* The patterns of all heads of a run, as a picture. */
#ifndef HL_PROGRAMS_ABLATE_MAPS_H
#define HL_PROGRAMS_ABLATE_MAPS_H

#include "core/text.h"

/* Adds a PNG of the run's last snapshot, all heads side by side, under what they do, and to `dark` the same for a dark
 * screen. HL_BAD_FILE: a file that cannot be read or is damaged; HL_INVALID: no snapshot in the folder, saying what to
 * do, or a picture that is too large; HL_NO_MEMORY, HL_FAILED. */
hl_status hl_ablate_maps_png(const char *folder, hl_text *bytes, hl_text *dark);

#endif
