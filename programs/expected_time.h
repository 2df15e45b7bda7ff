/* How long a training will take, told before its first step; one that would take years begins only with --yes. */
#pragma once

#include "core/base/status.h"
#include "train/config.h"

#include <stdbool.h>
#include <stdio.h>

/* `flops` of matrix products of an update on the longest examples (hl_footprint), on examples of the mean length. */
double hl_expected_flops(const hl_config *config, double flops);

/* The work of `steps` updates and of the validations among them in floating-point operations: `flops` of matrix
 * products an update (hl_footprint) where examples are the longest, here of the mean length, and an estimate for
 * what else a layer does, which counts where layers are small. */
double hl_expected_work(const hl_config *config, double flops, int64_t steps);

/* Prints "<what>: about 3 days at the 200.00 GFLOP/s of <whose>" to `out`, unless that is NULL. HL_INVALID, naming
 * the ways out, where it would take more than a year and `yes` is false. */
hl_status hl_expected_time_say(double seconds, double gflops, const char *whose, const char *what, bool yes, FILE *out);

/* The same from the work, by `speedup` times the rate of this process's matrix products on so many threads, which takes
 * some hundredths of a second to measure. `speedup` is 1, or by how much several processes are faster than one ("of
 * these processes"). Work of less than a minute or so is passed over in silence, and nothing measured. HL_INVALID as
 * above, HL_NO_MEMORY. */
hl_status hl_expected_time_tell(double work, int threads, double speedup, const char *what, bool yes, FILE *out);
