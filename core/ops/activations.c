#include "core/ops/activations.h"

#include "core/base/threads.h"
#include "core/kernels/private/exp.h"
#include "core/op.h"

typedef hl_real number_value(hl_real x);
typedef hl_real number_gradient(hl_real x, hl_real dy);

/* y[i] = value(x[i]) in the range. */
__attribute__((always_inline)) static inline void put_values(const hl_op_call *call, hl_range range,
                                                             number_value *value)
{
    const hl_real *x = call->node->in[0]->data;
    hl_real *y = call->node->out->data;
#pragma omp simd
    for (int64_t i = range.begin; i < range.end; i++) {
        y[i] = value(x[i]);
    }
}

/* dx[i] = (or +=) gradient(x[i], dy[i]) in the range. There are two loops, because compilers do not split one with such
 * a long body. */
__attribute__((always_inline)) static inline void set_gradients(hl_range range, const hl_real *x, const hl_real *dy,
                                                                hl_real *dx, number_gradient *gradient)
{
#pragma omp simd
    for (int64_t i = range.begin; i < range.end; i++) {
        dx[i] = gradient(x[i], dy[i]);
    }
}

__attribute__((always_inline)) static inline void add_gradients(hl_range range, const hl_real *x, const hl_real *dy,
                                                                hl_real *dx, number_gradient *gradient)
{
#pragma omp simd
    for (int64_t i = range.begin; i < range.end; i++) {
        dx[i] += gradient(x[i], dy[i]);
    }
}

__attribute__((always_inline)) static inline void put_gradients(const hl_op_call *call, hl_range range,
                                                                number_gradient *gradient)
{
    const hl_real *x = call->node->in[0]->data, *dy = call->node->out->grad;
    if (call->din[0].add) {
        add_gradients(range, x, dy, call->din[0].at, gradient);
    } else {
        set_gradients(range, x, dy, call->din[0].at, gradient);
    }
}

/* Defines hl_op_<name> and hl_<name>, which applies it: y = <name>_value(x), dx = <name>_gradient(x, dy). Both are
 * inline functions. They become part of the loops above, which the compiler can then turn into vector code. */
#define OP_OF_NUMBERS(name_)                                                         \
    static void name_##_values(const hl_op_call *call, hl_range range)               \
    {                                                                                \
        put_values(call, range, name_##_value);                                      \
    }                                                                                \
    static void name_##_gradients(const hl_op_call *call, hl_range range)            \
    {                                                                                \
        put_gradients(call, range, name_##_gradient);                                \
    }                                                                                \
    const hl_op hl_op_##name_ = {                                                    \
        .name = #name_,                                                              \
        .min_inputs = 1,                                                             \
        .in_place = HL_IN_PLACE(0),                                                  \
        .infer = hl_infer_same_shape,                                                \
        .forward = { .part = name_##_values, .each = 1, .step = HL_CACHE_LINE },     \
        .backward = { .part = name_##_gradients, .each = 1, .step = HL_CACHE_LINE }, \
    };                                                                               \
    hl_tensor *hl_##name_(hl_tape *tape, hl_tensor *x)                               \
    {                                                                                \
        return hl_tape_apply(tape, &hl_op_##name_, &x, 1, NULL, 0);                  \
    }

/* ---- ReLU ---- */

/* y = max(x, 0) */
static inline hl_real relu_value(hl_real x)
{
    return x < 0 ? 0 : x; /* NaN stays NaN */
}

/* dx = dy where x > 0, else 0 */
static inline hl_real relu_gradient(hl_real x, hl_real dy)
{
    return x > 0 ? dy : 0;
}

OP_OF_NUMBERS(relu)

/* ---- GELU ---- */

static const hl_real inverse_sqrt_2pi = (hl_real)0.39894228040143267794;

/* y = x * Phi(x) */
static inline hl_real gelu_value(hl_real x)
{
    return x * hl_normal_cdf(x, hl_exp((hl_real)-0.5 * x * x));
}

/* dx = dy * (Phi(x) + x * phi(x)) */
static inline hl_real gelu_gradient(hl_real x, hl_real dy)
{
    hl_real bell = hl_exp((hl_real)-0.5 * x * x);
    return dy * (hl_normal_cdf(x, bell) + x * (inverse_sqrt_2pi * bell));
}

OP_OF_NUMBERS(gelu)

/* ---- GELU by tanh ---- */

static const hl_real twice_root = (hl_real)1.59576912160573071176; /* 2 sqrt(2 / pi) */
static const hl_real cubic = (hl_real)0.044715;

/* x if s(2u) is neither 0 nor 1 in double, otherwise an x near it, so that its powers stay finite. NaN stays NaN. */
static inline hl_real within(hl_real x)
{
    const hl_real most = 25;
    return x > most ? most : x < -most ? -most : x;
}

static inline hl_real gate(hl_real x)
{
    return hl_sigmoid(twice_root * (x + cubic * (x * x * x)));
}

/* y = x s(2u) */
static inline hl_real gelu_tanh_value(hl_real x)
{
    return x * gate(within(x));
}

/* dx = dy * (s + x s (1 - s) 2 du/dx) */
static inline hl_real gelu_tanh_gradient(hl_real x, hl_real dy)
{
    hl_real near = within(x), s = gate(near);
    return dy * (s + near * (s * (1 - s)) * (twice_root * (1 + 3 * cubic * (near * near))));
}

OP_OF_NUMBERS(gelu_tanh)

/* ---- quick GELU ---- */

static const hl_real steepness = (hl_real)1.702;

/* y = x s(1.702 x) */
static inline hl_real quick_gelu_value(hl_real x)
{
    return x * hl_sigmoid(steepness * x);
}

/* dx = dy * (s + 1.702 x s (1 - s)). The order of the factors matters: s (1 - s) = 0 must meet x, not an infinite 1.702
 * x. */
static inline hl_real quick_gelu_gradient(hl_real x, hl_real dy)
{
    hl_real s = hl_sigmoid(steepness * x);
    return dy * (s + steepness * (x * (s * (1 - s))));
}

OP_OF_NUMBERS(quick_gelu)

/* ---- SiLU ---- */

/* y = x s(x) */
static inline hl_real silu_value(hl_real x)
{
    return x * hl_sigmoid(x);
}

/* dx = dy * (s + x s (1 - s)) */
static inline hl_real silu_gradient(hl_real x, hl_real dy)
{
    hl_real s = hl_sigmoid(x);
    return dy * (s + x * (s * (1 - s)));
}

OP_OF_NUMBERS(silu)

/* ---- tanh ---- */

#ifdef HL_DOUBLE
static inline double tanh_value(double x)
{
    return tanh(x);
}
#else
/* tanh(x), within 3 units in the last place. Near 0 it is Lambert's continued fraction, cut after x^2 / 9, with an
 * error of less than a billionth there. Elsewhere it is 1 - 2 / (1 + e^2|x|), which is 1 from 10 on. */
static inline float tanh_value(float x)
{
    float size = fabsf(x), z = x * x;
    float near = x * (945 + z * (105 + z)) / (945 + z * (420 + z * 15));
    float far = 1 - 2 / (1 + hl_exp(2 * (size > 10 ? 10 : size)));
    return size < 0.625f ? near : x < 0 ? -far : far;
}
#endif

/* dx = dy / cosh(x)^2 = dy * 4 e / (1 + e)^2 with e = e^-2|x|, which has no cancellation. */
static inline hl_real tanh_gradient(hl_real x, hl_real dy)
{
    hl_real e = hl_exp(-2 * (x < 0 ? -x : x));
    return dy * (4 * e / ((1 + e) * (1 + e)));
}

OP_OF_NUMBERS(tanh)
