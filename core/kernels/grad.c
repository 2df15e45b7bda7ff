#include "core/kernels/grad.h"

#include "core/base/threads.h"

typedef struct scaling {
    hl_real factor;
    const hl_real *x;
    hl_grad dx;
} scaling;

static void scale_numbers(const void *context, hl_range range)
{
    const scaling s = *(const scaling *)context;
#pragma omp simd
    for (int64_t i = range.begin; i < range.end; i++) {
        hl_grad_put(&s.dx.at[i], s.factor * s.x[i], s.dx.add);
    }
}

void hl_grad_scale(int threads, int64_t n, hl_real factor, const hl_real *x, hl_grad dx)
{
    hl_threads_run(hl_threads_for(threads, n), n, HL_CACHE_LINE, scale_numbers, &(scaling){ factor, x, dx });
}
