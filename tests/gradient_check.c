#include "tests/gradient_check.h"

#include "core/base/memory.h"
#include "core/base/threads.h"
#include "core/kernels/random.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* One graph built on one tape: what every pass of a check needs. */
typedef struct pass {
    hl_tape tape;
    hl_tensor *inputs[GRADIENT_CHECK_MAX_INPUTS];
    hl_tensor *y;
} pass;

/* A check under way. */
typedef struct work {
    const gradient_check *check;
    hl_arena arena;
    hl_real *weights; /* of y's numbers */
    gradient_report report;
} work;

/* The fixed weight of output number i, in [-1, 1). */
static hl_real weight(int64_t i)
{
    return 2 * hl_random_uniform((hl_random){ .seed = 20170612, .stream = 1 }, (uint64_t)i) - 1;
}

static void give_up(work *w, const char *what, const char *detail)
{
    w->report.passed = false;
    snprintf(w->report.text, sizeof w->report.text, "%s%s", what, detail);
}

static void build(const work *w, hl_arena *arena, bool gradients, bool dry, pass *p)
{
    const gradient_check *check = w->check;
    hl_tape_options options = check->options;
    options.gradients = gradients;
    options.memory.dry = dry;
    hl_tape_begin(&p->tape, arena, options);
    for (int i = 0; i < check->n_inputs; i++) {
        const gradient_input *input = &check->inputs[i];
        p->inputs[i] = hl_tape_tensor(&p->tape, input->shape, input->values, !input->frozen);
    }
    p->y = check->build(&p->tape, p->inputs, check->context);
}

/* Sizes the arena and the weights by a dry pass. */
static bool prepare(work *w)
{
    hl_arena records;
    if (hl_arena_init(&records, (size_t)8 << 20).code != HL_OK) {
        give_up(w, "out of memory", "");
        return false;
    }
    pass p;
    build(w, &records, true, true, &p);
    hl_status status = hl_tape_backward_from(&p.tape, p.y, NULL);
    int64_t n = status.code == HL_OK ? hl_shape_count(p.y->shape) : 0;
    size_t bytes = hl_tape_bytes(&p.tape);
    hl_arena_free(&records);
    if (status.code != HL_OK) {
        give_up(w, "the graph does not build: ", status.text);
        return false;
    }
    w->weights = hl_calloc((size_t)n, sizeof *w->weights);
    if (w->weights == NULL || hl_arena_init(&w->arena, bytes).code != HL_OK) {
        give_up(w, "out of memory", "");
        return false;
    }
    memset(w->arena.block, 0xff, w->arena.capacity); /* NaN: what an op does not write shows */
    for (int64_t i = 0; i < n; i++) {
        w->weights[i] = weight(i);
    }
    return true;
}

/* sum(weights * y) */
static double scalar(work *w)
{
    pass p;
    hl_arena_rewind(&w->arena, 0);
    build(w, &w->arena, false, false, &p);
    double sum = 0;
    for (int64_t i = 0; p.y != NULL && i < hl_shape_count(p.y->shape); i++) {
        sum += (double)w->weights[i] * (double)p.y->data[i];
    }
    return p.y != NULL ? sum : (double)NAN;
}

static double scalar_at(work *w, hl_real *x, double value)
{
    hl_real before = *x;
    *x = (hl_real)value;
    double f = scalar(w);
    *x = before;
    return f;
}

static double numeric_derivative(work *w, hl_real *x)
{
    const double h = GRADIENT_CHECK_STEP, at = (double)*x;
    double near = scalar_at(w, x, at + h) - scalar_at(w, x, at - h);
    double far = scalar_at(w, x, at + 2 * h) - scalar_at(w, x, at - 2 * h);
    return (8 * near - far) / (12 * h);
}

static void compare(work *w, const char *name, int64_t i, double analytic, double numeric)
{
    double error = fabs(analytic - numeric), tolerance = 1e-9 + 1e-6 * fabs(numeric);
    bool good = error <= tolerance;
    double size = error / tolerance;
    bool worst = isnan(size) || size >= w->report.worst; /* nothing is larger than a NaN */
    w->report.n_checked++;
    w->report.passed = w->report.passed && good;
    if (worst && !isnan(w->report.worst)) {
        w->report.worst = size;
        snprintf(w->report.text, sizeof w->report.text,
                 "d%s[%lld]: analytic %.12g, numeric %.12g, error %.3g, allowed %.3g", name, (long long)i, analytic,
                 numeric, error, tolerance);
    }
}

/* Compares one tensor's gradient; `analytic` NULL stands for a gradient of zero that nothing reached. */
static void check_tensor(work *w, const char *name, int64_t count, hl_real *values, const hl_real *analytic)
{
    int64_t at_most = w->check->at_most, n = at_most > 0 && at_most < count ? at_most : count;
    for (int64_t k = 0; k < n; k++) {
        int64_t i = n == count ? k : k * count / n + count / n / 2;
        compare(w, name, i, analytic != NULL ? (double)analytic[i] : 0, numeric_derivative(w, &values[i]));
    }
}

/* The gradients of all inputs, copied out of the arena, which the numeric passes use again. */
static bool analytic_gradients(work *w, hl_real *copies[GRADIENT_CHECK_MAX_INPUTS])
{
    pass p;
    if (w->check->parameters != NULL) {
        hl_parameters_zero_grad(w->check->parameters);
    }
    hl_arena_rewind(&w->arena, 0);
    build(w, &w->arena, true, false, &p);
    hl_status status = hl_tape_backward_from(&p.tape, p.y, w->weights);
    if (status.code != HL_OK) {
        give_up(w, "backward: ", status.text);
        return false;
    }
    for (int i = 0; i < w->check->n_inputs; i++) {
        if (w->check->inputs[i].frozen && p.inputs[i]->grad != NULL) {
            give_up(w, "a gradient reached the frozen ", w->check->inputs[i].name);
            return false;
        }
        if (p.inputs[i]->grad != NULL) {
            int64_t count = hl_shape_count(p.inputs[i]->shape);
            copies[i] = hl_calloc((size_t)count, sizeof(hl_real));
            if (copies[i] == NULL) {
                give_up(w, "out of memory", "");
                return false;
            }
            memcpy(copies[i], p.inputs[i]->grad, (size_t)count * sizeof(hl_real));
        }
    }
    return true;
}

static void check_parameters(work *w)
{
    hl_parameters *parameters = w->check->parameters;
    for (int i = 0; parameters != NULL && i < parameters->n; i++) {
        const hl_parameter *parameter = &parameters->list[i];
        const hl_tensor *tensor = parameter->tensor;
        if (tensor->requires_grad) {
            check_tensor(w, parameter->name, parameter->count, tensor->data, tensor->grad);
            continue;
        }
        for (int64_t k = 0; k < parameter->count; k++) {
            if (tensor->grad[k] != 0) {
                give_up(w, "a gradient reached the frozen ", parameter->name);
                return;
            }
        }
    }
}

static void check_all(work *w)
{
    hl_real *analytic[GRADIENT_CHECK_MAX_INPUTS] = { NULL };
    if (analytic_gradients(w, analytic)) {
        for (int i = 0; i < w->check->n_inputs; i++) {
            const gradient_input *input = &w->check->inputs[i];
            if (!input->frozen) {
                check_tensor(w, input->name, hl_shape_count(input->shape), input->values, analytic[i]);
            }
        }
        check_parameters(w);
    }
    for (int i = 0; i < w->check->n_inputs; i++) {
        hl_free(analytic[i]);
    }
}

gradient_report gradient_check_run(const gradient_check *check)
{
    _Static_assert(sizeof(hl_real) == sizeof(double), "differences of floats say nothing about gradients");
    ck_assert_int_le(check->n_inputs, GRADIENT_CHECK_MAX_INPUTS);
    hl_threads_setup();
    work w = { .check = check, .report = { .passed = true } };
    if (prepare(&w)) {
        check_all(&w);
    }
    if (w.report.passed && w.report.n_checked == 0) {
        give_up(&w, "there is nothing to check", "");
    }
    hl_arena_free(&w.arena);
    hl_free(w.weights);
    return w.report;
}

void gradient_check_assert(const char *name, const gradient_check *check)
{
    gradient_report report = gradient_check_run(check);
    ck_assert_msg(report.passed, "%s: %s", name, report.text);
}
