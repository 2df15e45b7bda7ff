/* Finds the name to suggest in "did you mean ...?". */
#pragma once

#include "core/base/declarations.h"

HL_BEGIN_DECLS

/* Returns the index of the name, among `n`, that the user most likely meant by `wrong`, or -1 if none is similar. The
 * nearest name needs the fewest edits: letters inserted, dropped, replaced or swapped with a neighbour. Case does not
 * count, and among equals the first name wins. A name is similar if it needs at most one edit, or edits for at most a
 * third of its letters. It is also similar if one name contains the other and the contained one has at least four
 * letters ("num_heads" for "heads", "warmup" for "warmup_steps"). */
int hl_nearest_name(const char *wrong, const char *const *names, int n);

HL_END_DECLS
