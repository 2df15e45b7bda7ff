#include "programs/bench/profile.h"

#include "core/base/clock.h"
#include "core/op.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static hl_bench_row *row_of(hl_bench_profile *profile, const char *op, bool backward)
{
    for (int i = 0; i < profile->n_rows; i++) {
        if (profile->rows[i].backward == backward && strcmp(profile->rows[i].op, op) == 0) {
            return &profile->rows[i];
        }
    }
    assert(profile->n_rows < HL_BENCH_MAX_ROWS); /* the library has far fewer ops */
    hl_bench_row *row = &profile->rows[profile->n_rows++];
    *row = (hl_bench_row){ .backward = backward };
    snprintf(row->op, sizeof row->op, "%s", op);
    return row;
}

static bool stands_before(const hl_node *node, int i)
{
    for (int j = 0; j < i; j++) {
        if (node->in[j] == node->in[i]) {
            return true;
        }
    }
    return false;
}

static double bytes_of(const hl_node *node, bool backward)
{
    int64_t count = hl_shape_count(node->out->shape);
    for (int i = 0; i < node->n_inputs; i++) {
        const hl_tensor *x = node->in[i];
        if (x != NULL && !stands_before(node, i)) {
            count += hl_shape_count(x->shape) * (backward && x->requires_grad ? 2 : 1);
        }
    }
    return (double)count * (double)sizeof(hl_real);
}

static void begin_op(void *context, const hl_node *node, bool backward)
{
    (void)node, (void)backward;
    hl_bench_profiler *profiler = context;
    profiler->begin = hl_clock_seconds();
}

static void end_op(void *context, const hl_node *node, bool backward)
{
    hl_bench_profiler *profiler = context;
    double seconds = hl_clock_seconds() - profiler->begin;
    hl_bench_row *row = row_of(&profiler->sums, node->op->name, backward);
    row->calls++;
    row->ms += seconds;
    row->flops += node->op->flops != NULL ? node->op->flops(node) * (backward ? 2 : 1) : 0;
    row->bytes += bytes_of(node, backward);
}

hl_tape_observer hl_bench_profiler_observer(hl_bench_profiler *profiler)
{
    return (hl_tape_observer){ .begin = begin_op, .end = end_op, .context = profiler };
}

static int compare_rows(const void *a, const void *b)
{
    double x = ((const hl_bench_row *)a)->ms, y = ((const hl_bench_row *)b)->ms;
    return (x < y) - (x > y);
}

hl_bench_profile hl_bench_profiler_result(const hl_bench_profiler *profiler, int64_t steps, double seconds)
{
    hl_bench_profile profile = profiler->sums;
    double n = (double)steps;
    profile.ms = 1e3 * seconds / n;
    for (int i = 0; i < profile.n_rows; i++) {
        hl_bench_row *row = &profile.rows[i];
        row->calls /= n;
        row->ms *= 1e3 / n;
        row->flops /= n;
        row->bytes /= n;
    }
    qsort(profile.rows, (size_t)profile.n_rows, sizeof *profile.rows, compare_rows);
    return profile;
}

double hl_bench_profile_rest(const hl_bench_profile *profile)
{
    double rest = profile->ms;
    for (int i = 0; i < profile->n_rows; i++) {
        rest -= profile->rows[i].ms;
    }
    return rest;
}
