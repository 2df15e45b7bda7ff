/* Finds the name for "did you mean ...?". */
#ifndef HL_CORE_BASE_NEAREST_H
#define HL_CORE_BASE_NEAREST_H

#include "core/base/declarations.h"

HL_BEGIN_DECLS

/* The index of the one of `n` names that the user most likely meant by `wrong`, or -1 where none is similar: the name
 * with the fewest letters inserted, dropped, replaced or swapped with a neighbour (case does not count), the first of
 * equals. A name is similar where these are at most a third of its letters (or one letter), or where one contains the
 * other and the contained one has at least four letters ("num_heads" for "heads", "warmup" for "warmup_steps"). */
int hl_nearest_name(const char *wrong, const char *const *names, int n);

HL_END_DECLS

#endif
