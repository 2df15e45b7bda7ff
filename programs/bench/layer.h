/* One multi-head attention layer, forward and backward, in the two ways it can be written. */
#ifndef HL_PROGRAMS_BENCH_LAYER_H
#define HL_PROGRAMS_BENCH_LAYER_H

#include "programs/bench/figures.h"
#include "train/config.h"

/* Measures the attention of the config's first layer, without dropout, on a batch of random numbers of the config's
 * size: all heads at once, or, `looped`, primitive ops in a loop over the heads. HL_INVALID, HL_NO_MEMORY. */
hl_status hl_bench_layer(const hl_config *config, double seconds, bool looped, hl_bench_figures *figures);

#endif
