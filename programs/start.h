/* What every program does before anything else. */
#pragma once

/* Ensures that descriptors 0 to 2 are no files of ours, that neither a pipe without a reader nor a file that may not
 * grow ends the program, that OpenMP and OpenBLAS start no threads of their own, that jansson uses our allocator, that
 * waiting threads soon stop spinning, and that the font and the library of a wheel are used (programs/start.c). It
 * may start the program once more, with GOMP_SPINCOUNT set, unless the user has chosen how to wait; top, ps and pgrep
 * still show the program's name as it was called. `own` is its plain name, as "train" (hl_called_as). Cannot fail:
 * what cannot be had is done without. */
void hl_start(const char *own, char **argv);
