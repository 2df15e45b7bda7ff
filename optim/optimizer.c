#include "optim/optimizer.h"

#include "core/base/memory.h"
#include "core/base/threads.h"
#include "optim/private/update.h"

#include <math.h>
#include <stddef.h>

/* Threads work on whole pieces of this many numbers, cut at the same places for any number of threads: compilers round
 * differently in vectors and in the remainder of a loop, and so the same numbers are in the remainder each time. */
enum { PIECE = 2048 };

static hl_status check_moment_options(const hl_optimizer_options *options)
{
    if (!(options->beta1 >= 0 && options->beta1 < 1)) {
        return hl_error(HL_INVALID, "beta1 must be at least 0 and below 1, not %g", options->beta1);
    }
    if (!(options->beta2 >= 0 && options->beta2 < 1)) {
        return hl_error(HL_INVALID, "beta2 must be at least 0 and below 1, not %g", options->beta2);
    }
    /* With 0, a number whose gradient was always 0 would become 0 / 0. */
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
static void update_piece(const hl_optimizer *optimizer, const hl_update_constants *update, int64_t begin, int64_t end)
{
    const hl_parameters *parameters = optimizer->parameters;
    hl_update_range *range = optimizer->options.name == HL_SGD ? hl_sgd_range : hl_adam_range;
    for (int i = first_parameter_past(parameters, begin); i < parameters->n; i++) {
        const hl_parameter *parameter = &parameters->list[i];
        if (parameter->offset >= end) {
            break;
        }
        if (parameter->tensor->requires_grad) {
            int64_t stop = parameter->offset + parameter->count;
            range(optimizer, update, parameter->decay, parameter->offset > begin ? parameter->offset : begin,
                  stop < end ? stop : end);
        }
    }
}

typedef struct step_work {
    const hl_optimizer *optimizer;
    hl_update_constants update;
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
        .update = optimizer->options.name == HL_SGD ? hl_sgd_constants(optimizer, learning_rate)
                                                    : hl_adam_constants(optimizer, learning_rate),
    };
    int64_t count = optimizer->parameters->count;
    hl_threads_run(hl_threads_for(threads, count), count, PIECE, update_pieces, &work);
}
