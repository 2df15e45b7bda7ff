#include "programs/expected_time.h"

#include "core/base/units.h"
#include "programs/print_line.h"
#include "programs/timing.h"

#include <math.h>

/* In floating-point operations: the other work of a layer (a tenth of a millisecond at 200 GFLOP/s), and the work that
 * even a slow machine does so soon that no time is told. */
static const double layer_work = 2e7, little_work = 1e13;
static const double seconds_of_a_year = 365.0 * 24 * 3600;

double hl_expected_flops(const hl_config *config, double flops)
{
    const hl_data_sizes *sizes = &config->sizes;
    return sizes->mean > 0 ? flops * sizes->mean / (double)sizes->longest : flops;
}

double hl_expected_work(const hl_config *config, double flops, int64_t steps)
{
    if (steps <= 0) {
        return 0;
    }
    double update = hl_expected_flops(config, flops) + layer_work * (double)config->model.n_layers;
    int64_t every = config->train.eval_every;
    double validations = 2 + (every > 0 ? floor((double)steps / (double)every) : 0);
    double batches = (double)config->train.eval_examples / (double)config->train.batch_size;
    return update * ((double)steps + validations * batches / 3); /* forward alone is a third of an update */
}

hl_status hl_expected_time_say(double seconds, double gflops, const char *whose, const char *what, bool yes, FILE *out)
{
    char time[HL_UNITS_TEXT], rate[HL_UNITS_TEXT];
    hl_units_roughly(seconds, time);
    hl_units_flops(1e9 * gflops, rate);
    if (seconds > seconds_of_a_year && !yes) {
        return hl_error(HL_INVALID, "%s: about %s at the %s/s of %s; ask for less, or begin all the same with --yes",
                        what, time, rate, whose);
    }
    if (out != NULL) {
        hl_print_line(out, "%s: about %s at the %s/s of %s", what, time, rate, whose);
        fflush(out);
    }
    return hl_ok();
}

hl_status hl_expected_time_tell(double work, int threads, double speedup, const char *what, bool yes, FILE *out)
{
    if (work < little_work || (yes && out == NULL)) {
        return hl_ok();
    }
    double gflops;
    HL_TRY(hl_bench_sgemm_glance(threads, &gflops));
    gflops *= speedup;
    return hl_expected_time_say(work / (1e9 * gflops), gflops, speedup == 1 ? "this machine" : "these processes", what,
                                yes, out);
}
