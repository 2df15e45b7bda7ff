/* What Python's wheel brings along, because a system may lack it: the font of pictures, and the library compiled for
 * later CPUs. Both lie beside the program:
 *
 *   bin/headlight-train
 *   lib/glibc-hwcaps/x86-64-v3/libheadlight.so.1      and x86-64-v4 (cmake/portable.cmake)
 *   share/headlight/fonts/DejaVuSans.ttf
 *
 * Other installations have no such font, and a current glibc picks the library; then these functions do nothing. */
#ifndef HL_PROGRAMS_BUNDLED_H
#define HL_PROGRAMS_BUNDLED_H

#include <stdbool.h>

/* Pictures are drawn with the font beside the program, so they look the same on every system. */
void hl_use_bundled_font(void);

/* A glibc older than 2.33 always loads the library for any CPU. This function then puts the folder of the best library
 * for this CPU in front of LD_LIBRARY_PATH. Returns whether it did so; the program must then be started again. */
bool hl_choose_bundled_library(void);

#endif
