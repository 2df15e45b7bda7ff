/* What ops share that compute y = f(x) number by number, with dx = dy * f'(x). f and f' are inline functions, which
 * become part of the loops here, so that these become vector code. */
#ifndef HL_CORE_OPS_PRIVATE_OF_NUMBERS_H
#define HL_CORE_OPS_PRIVATE_OF_NUMBERS_H

#include "core/base/threads.h"
#include "core/op.h"

typedef hl_real hl_number_function(hl_real x);

/* y[i] = f(x[i]) in the range; what hl_op_forward_numbers runs. */
__attribute__((always_inline)) static inline void hl_op_put_values(const hl_node *node, hl_range range,
                                                                   hl_number_function *f)
{
    const hl_real *x = node->in[0]->data;
    hl_real *y = node->out->data;
#pragma omp simd
    for (int64_t i = range.begin; i < range.end; i++) {
        y[i] = f(x[i]);
    }
}

__attribute__((always_inline)) static inline void hl_op_set_slopes(hl_range range, const hl_real *x, const hl_real *dy,
                                                                   hl_real *dx, hl_number_function *slope)
{
#pragma omp simd
    for (int64_t i = range.begin; i < range.end; i++) {
        dx[i] = dy[i] * slope(x[i]);
    }
}

__attribute__((always_inline)) static inline void hl_op_add_slopes(hl_range range, const hl_real *x, const hl_real *dy,
                                                                   hl_real *dx, hl_number_function *slope)
{
#pragma omp simd
    for (int64_t i = range.begin; i < range.end; i++) {
        dx[i] += dy[i] * slope(x[i]);
    }
}

/* dx[i] (+)= dy[i] * slope(x[i]) in the range; what hl_op_backward_numbers runs. Two loops: compilers do not make them
 * of one with so long a body. */
__attribute__((always_inline)) static inline void hl_op_put_slopes(const hl_op_call *call, hl_range range,
                                                                   hl_number_function *slope)
{
    const hl_real *x = call->node->in[0]->data, *dy = call->node->out->grad;
    if (call->din[0].add) {
        hl_op_add_slopes(range, x, dy, call->din[0].at, slope);
    } else {
        hl_op_set_slopes(range, x, dy, call->din[0].at, slope);
    }
}

/* Runs `values` on ranges of the node's numbers: the context is the node. */
static inline void hl_op_forward_numbers(const hl_tape *tape, const hl_node *node,
                                         void (*values)(const void *context, hl_range range))
{
    int64_t n = hl_shape_count(node->out->shape);
    hl_threads_run(hl_tape_threads(tape, n), n, HL_CACHE_LINE, values, node);
}

/* The same for backward: the context is a hl_op_call. */
static inline void hl_op_backward_numbers(const hl_tape *tape, const hl_node *node, const hl_grad *din,
                                          void (*slopes)(const void *context, hl_range range))
{
    int64_t n = hl_shape_count(node->out->shape);
    hl_threads_run(hl_tape_threads(tape, n), n, HL_CACHE_LINE, slopes,
                   &(hl_op_call){ .tape = tape, .node = node, .din = din });
}

/* Defines hl_op_<name> and hl_<name>, which applies it: y = value(x), dx = dy * slope(x). */
#define HL_OP_OF_NUMBERS(name_, value, slope)                                                            \
    static void put_values(const void *context, hl_range range)                                          \
    {                                                                                                    \
        hl_op_put_values(context, range, value);                                                         \
    }                                                                                                    \
    static void forward(const hl_tape *tape, const hl_node *node, hl_real *scratch)                      \
    {                                                                                                    \
        (void)scratch;                                                                                   \
        hl_op_forward_numbers(tape, node, put_values);                                                   \
    }                                                                                                    \
    static void put_slopes(const void *context, hl_range range)                                          \
    {                                                                                                    \
        hl_op_put_slopes(context, range, slope);                                                         \
    }                                                                                                    \
    static void backward(const hl_tape *tape, const hl_node *node, const hl_grad *din, hl_real *scratch) \
    {                                                                                                    \
        (void)scratch;                                                                                   \
        hl_op_backward_numbers(tape, node, din, put_slopes);                                             \
    }                                                                                                    \
    const hl_op hl_op_##name_ = {                                                                        \
        .name = #name_,                                                                                  \
        .min_inputs = 1,                                                                                 \
        .in_place = HL_IN_PLACE(0),                                                                      \
        .infer = hl_infer_same_shape,                                                                    \
        .forward = forward,                                                                              \
        .backward = backward,                                                                            \
    };                                                                                                   \
    hl_tensor *hl_##name_(hl_tape *tape, hl_tensor *x)                                                   \
    {                                                                                                    \
        return hl_tape_apply(tape, &hl_op_##name_, &x, 1, NULL, 0);                                      \
    }

#endif
