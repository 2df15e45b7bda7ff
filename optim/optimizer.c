#include "optim/optimizer.h"

#include "core/base/memory.h"
#include "core/base/threads.h"

#include <stddef.h>
#include <tgmath.h>

/* Threads work on whole pieces of this many numbers, cut at the same boundaries for any number of threads. Compilers
 * round differently in vectors and in the remainder of a loop, so the same numbers must be in the remainder each
 * time. */
enum { PIECE = 2048 };

static hl_status check_moment_options(const hl_optimizer_options *options)
{
    if (!(options->beta1 >= 0 && options->beta1 < 1)) {
        return hl_error(HL_INVALID, "beta1 must be at least 0 and below 1, not %g", options->beta1);
    }
    if (!(options->beta2 >= 0 && options->beta2 < 1)) {
        return hl_error(HL_INVALID, "beta2 must be at least 0 and below 1, not %g", options->beta2);
    }
    /* With 0, a number whose gradient has always been 0 would become 0 / 0. */
    if (!((hl_real)options->epsilon > 0 && isfinite((hl_real)options->epsilon))) {
        return hl_error(HL_INVALID, "epsilon must be above 0 and finite in " HL_REAL_NAME ", not %g", options->epsilon);
    }
    return hl_ok();
}

static hl_status check_options(const hl_optimizer_options *options)
{
    if (options->name != HL_ADAM && options->name != HL_ADAMW && options->name != HL_SGD) {
        return hl_error(HL_INVALID, "unknown optimizer number %d", (int)options->name);
    }
    if (!(options->weight_decay >= 0 && isfinite((hl_real)options->weight_decay))) {
        return hl_error(HL_INVALID, "weight_decay must be at least 0 and finite, not %g", options->weight_decay);
    }
    return options->name == HL_SGD ? hl_ok() : check_moment_options(options);
}

hl_status hl_optimizer_init(hl_optimizer *optimizer, hl_parameters *parameters, hl_optimizer_options options)
{
    *optimizer = (hl_optimizer){ 0 };
    HL_TRY(check_options(&options));
    if (parameters->values == NULL || parameters->grads == NULL) {
        return hl_error(HL_INVALID, "an optimizer needs its parameters allocated");
    }
    hl_optimizer made = { .options = options, .parameters = parameters };
    if (options.name != HL_SGD) {
        made.m = hl_calloc((size_t)parameters->count, sizeof *made.m);
        made.v = hl_calloc((size_t)parameters->count, sizeof *made.v);
        if (made.m == NULL || made.v == NULL) {
            hl_optimizer_free(&made);
            return hl_error_memory("the optimizer's moments");
        }
    }
    *optimizer = made;
    return hl_ok();
}

void hl_optimizer_free(hl_optimizer *optimizer)
{
    hl_free(optimizer->m);
    hl_free(optimizer->v);
    *optimizer = (hl_optimizer){ 0 };
}

/* ---- the rules ---- */

/* One step's constants, computed in double and rounded once. */
typedef struct update_constants {
    hl_real rate;       /* factor of the direction */
    hl_real l2;         /* the gradient of a decaying weight gets l2 times the weight added */
    hl_real shrink;     /* a weight that decays apart from its gradient loses shrink times itself; in float, 1 - shrink
                           would be off by up to 3% for a shrink of 1e-6 */
    hl_real beta1;      /* of the first moments; 1 - beta1 is stored too, because in float 1 - 0.999f is off by 1e-5 */
    hl_real beta1_rest; /* 1 - beta1 */
    hl_real beta2;
    hl_real beta2_rest;
    hl_real root_scale; /* 1 / sqrt(1 - beta2^t) */
    hl_real epsilon;
} update_constants;

static update_constants adam_constants(const hl_optimizer *optimizer, double learning_rate)
{
    const hl_optimizer_options *options = &optimizer->options;
    double t = (double)optimizer->step;
    bool decoupled = options->name == HL_ADAMW;
    return (update_constants){
        .rate = (hl_real)(learning_rate / (1 - pow(options->beta1, t))),
        .l2 = (hl_real)(decoupled ? 0 : options->weight_decay),
        .shrink = (hl_real)(decoupled ? learning_rate * options->weight_decay : 0),
        .beta1 = (hl_real)options->beta1,
        .beta1_rest = (hl_real)(1 - options->beta1),
        .beta2 = (hl_real)options->beta2,
        .beta2_rest = (hl_real)(1 - options->beta2),
        .root_scale = (hl_real)(1 / sqrt(1 - pow(options->beta2, t))),
        .epsilon = (hl_real)options->epsilon,
    };
}

/* keep * old + rest * x with rest = 1 - keep. That form would round twice, and its two constants, rounded separately,
 * do not add up to 1: for a beta2 of 0.999, squares would be 1e-5 too large. Moving from the nearer of the two numbers
 * loses nothing. */
static inline hl_real moved(hl_real old, hl_real x, hl_real keep, hl_real rest)
{
    return rest < keep ? old + rest * (x - old) : x + keep * (old - x);
}

/* One loop for Adam and AdamW: the decay that does not apply has the constant 0. The loop waits for memory, so the
 * additional arithmetic costs no time. */
static void adam_range(const hl_optimizer *optimizer, const update_constants *update, bool decay, int64_t begin,
                       int64_t end)
{
    hl_real *restrict values = optimizer->parameters->values;
    const hl_real *restrict grads = optimizer->parameters->grads;
    hl_real *restrict m = optimizer->m;
    hl_real *restrict v = optimizer->v;
    const update_constants u = *update;
    const hl_real l2 = decay ? u.l2 : 0;
    const hl_real shrink = decay ? u.shrink : 0;
    for (int64_t i = begin; i < end; i++) {
        hl_real g = grads[i] + l2 * values[i];
        m[i] = moved(m[i], g, u.beta1, u.beta1_rest);
        v[i] = moved(v[i], g * g, u.beta2, u.beta2_rest);
        hl_real direction = m[i] / (sqrt(v[i]) * u.root_scale + u.epsilon);
        values[i] -= shrink * values[i] + u.rate * direction;
    }
}

static void sgd_range(const hl_optimizer *optimizer, const update_constants *update, bool decay, int64_t begin,
                      int64_t end)
{
    hl_real *restrict values = optimizer->parameters->values;
    const hl_real *restrict grads = optimizer->parameters->grads;
    const hl_real rate = update->rate;
    const hl_real l2 = decay ? update->l2 : 0;
    for (int64_t i = begin; i < end; i++) {
        values[i] -= rate * (grads[i] + l2 * values[i]);
    }
}

/* ---- a step ---- */

/* The index of the first parameter that ends after `position`; n if there is none. The blocks hold the parameters in
 * the order of the list. */
static int first_parameter_past(const hl_parameters *parameters, int64_t position)
{
    int low = 0, high = parameters->n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        const hl_parameter *parameter = &parameters->list[middle];
        if (parameter->offset + parameter->count > position) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/* Updates the numbers begin ... end - 1 except gaps and frozen parameters. */
static void update_piece(const hl_optimizer *optimizer, const update_constants *update, int64_t begin, int64_t end)
{
    const hl_parameters *parameters = optimizer->parameters;
    bool sgd = optimizer->options.name == HL_SGD;
    for (int i = first_parameter_past(parameters, begin); i < parameters->n; i++) {
        const hl_parameter *parameter = &parameters->list[i];
        if (parameter->offset >= end) {
            break;
        }
        if (parameter->tensor->requires_grad) {
            int64_t stop = parameter->offset + parameter->count;
            int64_t from = parameter->offset > begin ? parameter->offset : begin, to = stop < end ? stop : end;
            (sgd ? sgd_range : adam_range)(optimizer, update, parameter->decay, from, to);
        }
    }
}

typedef struct step_work {
    const hl_optimizer *optimizer;
    update_constants update;
} step_work;

static void update_pieces(const void *context, hl_range range)
{
    const step_work *work = context;
    for (int64_t begin = range.begin; begin < range.end; begin += PIECE) {
        update_piece(work->optimizer, &work->update, begin, range.end - begin < PIECE ? range.end : begin + PIECE);
    }
}

void hl_optimizer_step(hl_optimizer *optimizer, int threads, double learning_rate)
{
    if (optimizer->parameters == NULL) {
        return;
    }
    optimizer->step++;
    step_work work = {
        .optimizer = optimizer,
        .update =
            optimizer->options.name == HL_SGD
                ? (update_constants){ .rate = (hl_real)learning_rate, .l2 = (hl_real)optimizer->options.weight_decay }
                : adam_constants(optimizer, learning_rate),
    };
    int64_t count = optimizer->parameters->count;
    hl_threads_run(hl_threads_for(threads, count), count, PIECE, update_pieces, &work);
}
