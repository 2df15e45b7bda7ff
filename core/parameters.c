#include "core/parameters.h"

#include "core/base/memory.h"
#include "core/base/threads.h"
#include "core/kernels/random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A cache line of floats, so that vector loops over one parameter start aligned. */
enum { ALIGN_NUMBERS = 16 };

void hl_parameters_fail(hl_parameters *parameters, hl_status error)
{
    HL_THEN(parameters->error, error);
}

/* Makes room for one more parameter in the list. False when out of memory. */
static bool grow(hl_parameters *parameters)
{
    if (parameters->n < parameters->capacity) {
        return true;
    }
    int capacity = parameters->capacity > 0 ? 2 * parameters->capacity : 32;
    hl_parameter *list = hl_realloc(parameters->list, (size_t)capacity, sizeof *list);
    if (list == NULL) {
        return false;
    }
    parameters->list = list;
    parameters->capacity = capacity;
    return true;
}

/* *count: the numbers of the parameter. */
static hl_status check_spec(const hl_parameters *parameters, const hl_parameter_spec *spec, int64_t *count)
{
    if (spec->name == NULL) {
        return hl_error(HL_INVALID, "a parameter has no name");
    }
    int64_t end;
    *count = hl_shape_count(spec->shape);
    if (*count < 1 || __builtin_add_overflow(parameters->count, *count, &end) ||
        __builtin_add_overflow(end, ALIGN_NUMBERS, &end)) {
        return hl_error(HL_INVALID, "parameter %s: impossible shape %s", spec->name, HL_SHAPE_SHOWN(spec->shape));
    }
    if ((unsigned)spec->init > HL_INIT_UNIFORM) {
        return hl_error(HL_INVALID, "parameter %s: unknown initialisation number %d", spec->name, (int)spec->init);
    }
    if (spec->n_matrices < 0 || (spec->n_matrices > 0 && hl_shape_rows(spec->shape) % spec->n_matrices != 0)) {
        return hl_error(HL_INVALID, "parameter %s: %s does not hold %lld matrices of equal height", spec->name,
                        HL_SHAPE_SHOWN(spec->shape), (long long)spec->n_matrices);
    }
    if (strlen(spec->name) > HL_PARAMETER_MAX_NAME) {
        return hl_error(HL_INVALID, "parameter %.60s...: a name of more than %d bytes", spec->name,
                        HL_PARAMETER_MAX_NAME);
    }
    return hl_parameters_find(parameters, spec->name) == NULL
               ? hl_ok()
               : hl_error(HL_INVALID, "parameter %s: registered twice", spec->name);
}

hl_tensor *hl_parameters_add(hl_parameters *parameters, hl_parameter_spec spec)
{
    if (parameters->values != NULL) {
        hl_parameters_fail(parameters, hl_error(HL_INVALID, "a parameter is registered after their allocation"));
    }
    int64_t count = 0;
    HL_THEN(parameters->error, check_spec(parameters, &spec, &count));
    if (parameters->error.code != HL_OK) {
        return NULL;
    }
    char *name = hl_strdup(spec.name);
    hl_tensor *tensor = hl_calloc(1, sizeof *tensor);
    if (name == NULL || tensor == NULL || !grow(parameters)) {
        hl_free(name);
        hl_free(tensor);
        hl_parameters_fail(parameters, hl_error_memory("the list of parameters"));
        return NULL;
    }
    *tensor = (hl_tensor){ .shape = spec.shape, .requires_grad = true, .grad_written = true, .is_parameter = true };
    parameters->list[parameters->n++] = (hl_parameter){
        .name = name,
        .tensor = tensor,
        .init = spec.init,
        .scale = spec.init == HL_INIT_XAVIER_UNIFORM && spec.scale == 0 ? 1 : spec.scale,
        .n_matrices = spec.n_matrices > 0 ? spec.n_matrices : 1,
        .decay = spec.decay,
        .offset = parameters->count,
        .count = count,
    };
    parameters->count += (count + ALIGN_NUMBERS - 1) / ALIGN_NUMBERS * ALIGN_NUMBERS;
    return tensor;
}

static hl_status add_alias(hl_parameters *parameters, const char *name, const hl_tensor *tensor)
{
    if (name == NULL) {
        return hl_error(HL_INVALID, "a parameter's second name is missing");
    }
    if (hl_parameters_find(parameters, name) != NULL) {
        return hl_error(HL_INVALID, "parameter %s: registered twice", name);
    }
    int parameter = 0;
    while (parameter < parameters->n && parameters->list[parameter].tensor != tensor) {
        parameter++;
    }
    if (parameter == parameters->n) {
        return hl_error(HL_INVALID, "parameter %s: a second name of no parameter", name);
    }
    hl_parameter_alias *aliases =
        hl_realloc(parameters->aliases, (size_t)parameters->n_aliases + 1, sizeof *parameters->aliases);
    HL_NEED(aliases != NULL, "the list of parameters");
    parameters->aliases = aliases;
    char *copy = hl_strdup(name);
    HL_NEED(copy != NULL, "the list of parameters");
    aliases[parameters->n_aliases++] = (hl_parameter_alias){ .name = copy, .parameter = parameter };
    return hl_ok();
}

void hl_parameters_alias(hl_parameters *parameters, const char *name, const hl_tensor *tensor)
{
    if (tensor != NULL) {
        HL_THEN(parameters->error, add_alias(parameters, name, tensor));
    }
}

hl_status hl_parameters_status(const hl_parameters *parameters)
{
    return parameters->error;
}

static hl_status allocate_block(const hl_parameters *parameters, const char *what, hl_real **block)
{
    *block = hl_calloc((size_t)parameters->count, sizeof **block);
    return *block != NULL ? hl_ok()
                          : hl_error(HL_NO_MEMORY, "out of memory: %s%lld parameters", what,
                                     (long long)hl_parameters_count(parameters));
}

hl_status hl_parameters_allocate_frozen(hl_parameters *parameters)
{
    if (parameters->error.code != HL_OK) {
        return parameters->error;
    }
    if (parameters->values != NULL) {
        return hl_error(HL_INVALID, "parameters are allocated twice");
    }
    HL_TRY(allocate_block(parameters, "", &parameters->values));
    for (int i = 0; i < parameters->n; i++) {
        hl_tensor *tensor = parameters->list[i].tensor;
        tensor->data = parameters->values + parameters->list[i].offset;
        tensor->requires_grad = false;
    }
    return hl_ok();
}

hl_status hl_parameters_allocate(hl_parameters *parameters)
{
    HL_TRY(hl_parameters_allocate_frozen(parameters));
    HL_TRY(allocate_block(parameters, "the gradients of ", &parameters->grads));
    for (int i = 0; i < parameters->n; i++) {
        parameters->list[i].tensor->requires_grad = true;
    }
    hl_parameters_grads_into(parameters, parameters->grads);
    return hl_ok();
}

hl_status hl_parameters_check_allocated(const hl_parameters *parameters)
{
    return parameters->values != NULL ? hl_ok() : hl_error(HL_INVALID, "the model's parameters are not allocated");
}

/* The work on one parameter. */
typedef struct initial_values {
    const hl_parameter *parameter;
    hl_random random;
    hl_real scale;
} initial_values;

static void draw(const void *context, hl_range range)
{
    const initial_values *of = context;
    hl_real *x = of->parameter->tensor->data;
    for (int64_t i = range.begin; i < range.end; i++) {
        switch (of->parameter->init) {
        case HL_INIT_ZERO:
            x[i] = 0;
            break;
        case HL_INIT_ONE:
            x[i] = 1;
            break;
        case HL_INIT_NORMAL:
            x[i] = of->scale * hl_random_normal(of->random, (uint64_t)i);
            break;
        case HL_INIT_XAVIER_UNIFORM:
        case HL_INIT_UNIFORM:
            x[i] = of->scale * (2 * hl_random_uniform(of->random, (uint64_t)i) - 1);
            break;
        }
    }
}

static void initialise(const hl_parameter *parameter, hl_random random, int threads)
{
    hl_real scale = parameter->scale;
    if (parameter->init == HL_INIT_XAVIER_UNIFORM) {
        /* the bound of Glorot and Bengio 2010 for each of the stacked matrices (height, columns), with its own fans */
        int64_t columns = hl_shape_last(parameter->tensor->shape);
        int64_t height = hl_shape_rows(parameter->tensor->shape) / parameter->n_matrices;
        scale *= (hl_real)sqrt(6.0 / (double)(height + columns));
    }
    enum { WORK = 16 }; /* work per number, in the unit of hl_threads_for */
    hl_threads_run(hl_threads_for(threads, WORK * parameter->count), parameter->count, HL_CACHE_LINE, draw,
                   &(initial_values){ parameter, random, scale });
}

void hl_parameters_initialise_on(hl_parameters *parameters, uint64_t seed, int threads)
{
    for (int i = 0; i < parameters->n; i++) {
        char use[HL_PARAMETER_MAX_NAME + 8];
        snprintf(use, sizeof use, "init %s", parameters->list[i].name);
        initialise(&parameters->list[i], (hl_random){ .seed = seed, .stream = hl_random_stream(use) }, threads);
    }
}

void hl_parameters_initialise(hl_parameters *parameters, uint64_t seed)
{
    hl_parameters_initialise_on(parameters, seed, 1);
}

void hl_parameters_zero_grad(hl_parameters *parameters)
{
    memset(parameters->grads, 0, (size_t)parameters->count * sizeof(hl_real));
}

void hl_parameters_grads_into(hl_parameters *parameters, hl_real *block)
{
    for (int i = 0; i < parameters->n; i++) {
        parameters->list[i].tensor->grad = block + parameters->list[i].offset;
    }
}

const hl_parameter *hl_parameters_find(const hl_parameters *parameters, const char *name)
{
    for (int i = 0; i < parameters->n; i++) {
        if (strcmp(parameters->list[i].name, name) == 0) {
            return &parameters->list[i];
        }
    }
    for (int i = 0; i < parameters->n_aliases; i++) {
        if (strcmp(parameters->aliases[i].name, name) == 0) {
            return &parameters->list[parameters->aliases[i].parameter];
        }
    }
    return NULL;
}

int64_t hl_parameters_count(const hl_parameters *parameters)
{
    int64_t count = 0;
    for (int i = 0; i < parameters->n; i++) {
        count += parameters->list[i].count;
    }
    return count;
}

void hl_parameters_free(hl_parameters *parameters)
{
    for (int i = 0; i < parameters->n; i++) {
        hl_free(parameters->list[i].name);
        hl_free(parameters->list[i].tensor);
    }
    for (int i = 0; i < parameters->n_aliases; i++) {
        hl_free(parameters->aliases[i].name);
    }
    hl_free(parameters->list);
    hl_free(parameters->aliases);
    hl_free(parameters->values);
    hl_free(parameters->grads);
    *parameters = (hl_parameters){ 0 };
}
