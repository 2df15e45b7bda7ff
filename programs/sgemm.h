/* The rate of the machine's matrix products: the limit that training steps are compared with. */
#pragma once

#include "core/base/status.h"

/* The 10^9 floating-point operations a second of the fastest of a few large products on that many threads (each
 * timed for a share of `seconds`, its median counts), into *gflops. HL_NO_MEMORY. */
hl_status hl_bench_sgemm(int threads, double seconds, double *gflops);

/* The same at a glance, in some hundredths of a second: of a smaller product, and the better ones of its times count,
 * since others may want the cores, too. HL_NO_MEMORY. */
hl_status hl_bench_sgemm_glance(int threads, double *gflops);
