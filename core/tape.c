#include "core/tape.h"

#include "core/op.h"
#include "core/threads.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void hl_tape_begin(hl_tape *tape, hl_arena *arena, hl_tape_options options)
{
    if (options.threads < 1) {
        options.threads = 1;
    }
    *tape = (hl_tape){ .options = options, .arena = arena };
}

hl_status hl_tape_status(const hl_tape *tape)
{
    return tape->error;
}

const char *hl_tape_scope(hl_tape *tape, const char *scope)
{
    const char *before = tape->scope;
    tape->scope = scope;
    return before;
}

int hl_tape_threads(const hl_tape *tape, int64_t work)
{
    return hl_threads_for(tape->options.threads, work);
}

bool hl_tape_fail(hl_tape *tape, const hl_node *node, const char *format, ...)
{
    if (tape->error.code != HL_OK) {
        return false;
    }
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *scope = node->scope;
    tape->error = hl_error(HL_INVALID, "%s%s%s: %s", node->op->name, scope != NULL ? " in " : "",
                           scope != NULL ? scope : "", text);
    return false;
}

bool hl_tape_fail_shapes(hl_tape *tape, const hl_node *node, const char *what, hl_shape a, hl_shape b)
{
    char a_text[HL_SHAPE_TEXT], b_text[HL_SHAPE_TEXT];
    return hl_tape_fail(tape, node, "%s: %s against %s", what, hl_shape_text(a, a_text), hl_shape_text(b, b_text));
}

/* Records are real even on a dry tape. */
static void *take_record(hl_tape *tape, size_t bytes)
{
    void *record = hl_arena_take(tape->arena, bytes);
    if (record == NULL) {
        if (tape->error.code == HL_OK) {
            tape->error = hl_error_memory("the arena of one step is full");
        }
        return NULL;
    }
    return memset(record, 0, bytes);
}

void *hl_tape_take(hl_tape *tape, int64_t count, size_t size)
{
    size_t bytes;
    if (count < 0 || __builtin_mul_overflow((size_t)count, size, &bytes) || bytes > SIZE_MAX / 4) {
        if (tape->error.code == HL_OK) {
            tape->error = hl_error_memory("a tensor too large for this machine's addresses");
        }
        return NULL;
    }
    if (tape->options.dry) {
        size_t rounded = hl_arena_round(bytes);
        tape->numbers = rounded > SIZE_MAX - tape->numbers ? SIZE_MAX : tape->numbers + rounded;
        if (tape->numbers > tape->numbers_peak) {
            tape->numbers_peak = tape->numbers;
        }
        return tape->arena->block;
    }
    void *numbers = hl_arena_take(tape->arena, bytes);
    if (numbers == NULL && tape->error.code == HL_OK) {
        tape->error = hl_error_memory("the arena of one step is full");
    }
    return numbers;
}

size_t hl_tape_bytes(const hl_tape *tape)
{
    size_t records = tape->arena->used;
    return tape->numbers_peak > SIZE_MAX - records ? SIZE_MAX : records + tape->numbers_peak;
}

/* What has been taken so far; given back by release. */
typedef struct mark {
    size_t arena, numbers;
} mark;

static mark mark_now(const hl_tape *tape)
{
    return (mark){ tape->arena->used, tape->numbers };
}

static void release(hl_tape *tape, mark since)
{
    hl_arena_rewind(tape->arena, since.arena);
    tape->numbers = since.numbers;
}

/* Runs forward or backward with its scratch memory; on a dry tape only takes and gives back the memory. */
static bool take_scratch(hl_tape *tape, const hl_node *node, hl_real **scratch)
{
    *scratch = NULL;
    if (node->op->scratch == NULL) {
        return true;
    }
    *scratch = hl_tape_take(tape, node->op->scratch(tape, node), sizeof(hl_real));
    return *scratch != NULL;
}

static bool run_forward(hl_tape *tape, const hl_node *node)
{
    mark before = mark_now(tape);
    hl_real *scratch;
    if (!take_scratch(tape, node, &scratch)) {
        return false;
    }
    if (!tape->options.dry) {
        node->op->forward(tape, node, scratch);
    } else if (node->op->flops != NULL) {
        tape->flops += node->op->flops(node);
    }
    release(tape, before);
    return true;
}

static bool any_requires_grad(const hl_node *node)
{
    for (int i = 0; i < node->n_inputs; i++) {
        if (node->in[i] != NULL && node->in[i]->requires_grad) {
            return true;
        }
    }
    return false;
}

hl_tensor *hl_tape_tensor(hl_tape *tape, hl_shape shape, const hl_real *numbers, bool requires_grad)
{
    hl_tensor *tensor = take_record(tape, sizeof *tensor);
    if (tensor != NULL) {
        tensor->shape = shape;
        tensor->data = (hl_real *)numbers; /* never written: only outputs of ops are */
        tensor->requires_grad = requires_grad;
    }
    return tensor;
}

hl_tensor *hl_tape_parameter_rows(hl_tape *tape, const hl_tensor *parameter, int64_t first, int64_t n)
{
    hl_tensor *rows = parameter != NULL ? take_record(tape, sizeof *rows) : NULL;
    if (rows == NULL) {
        return NULL;
    }
    assert(parameter->grad_written && first >= 0 && first + n <= parameter->shape.size[0]);
    *rows = *parameter;
    rows->shape.size[0] = n;
    int64_t skipped = first * (hl_shape_count(parameter->shape) / parameter->shape.size[0]);
    if (parameter->data != NULL) { /* else a dry tape over a model that was never allocated */
        rows->data += skipped;
        rows->grad += skipped;
    }
    return rows;
}

static hl_node *new_node(hl_tape *tape, const hl_op *op, hl_tensor *const *inputs, int n_inputs, const void *attributes,
                         size_t attributes_size)
{
    hl_node *node = take_record(tape, sizeof *node);
    hl_tensor *out = node != NULL ? take_record(tape, sizeof *out) : NULL;
    void *copy = out != NULL && attributes != NULL ? take_record(tape, attributes_size) : NULL;
    if (out == NULL || (attributes != NULL && copy == NULL)) {
        return NULL;
    }
    if (copy != NULL) {
        memcpy(copy, attributes, attributes_size);
    }
    *node = (hl_node){
        .op = op, .previous = tape->last, .scope = tape->scope, .out = out, .n_inputs = n_inputs, .attributes = copy
    };
    memcpy(node->in, inputs, (size_t)n_inputs * sizeof *inputs);
    return node;
}

/* No op has to think of inputs without numbers. */
static bool check_inputs(hl_tape *tape, const hl_node *node)
{
    for (int i = 0; i < node->n_inputs; i++) {
        const hl_tensor *x = node->in[i];
        char text[HL_SHAPE_TEXT];
        if (x == NULL && i < node->op->min_inputs) {
            return hl_tape_fail(tape, node, "input %d is missing", i);
        }
        if (x != NULL && hl_shape_count(x->shape) < 1) {
            return hl_tape_fail(tape, node, "input %d is empty or too large: %s", i, hl_shape_text(x->shape, text));
        }
    }
    return true;
}

hl_tensor *hl_tape_apply(hl_tape *tape, const hl_op *op, hl_tensor *const *inputs, int n_inputs, const void *attributes,
                         size_t attributes_size)
{
    assert(n_inputs <= HL_MAX_INPUTS);
    if (tape->error.code != HL_OK) {
        return NULL;
    }
    hl_node *node = new_node(tape, op, inputs, n_inputs, attributes, attributes_size);
    if (node == NULL) {
        return NULL;
    }
    if (!check_inputs(tape, node)) {
        return NULL;
    }
    node->out->requires_grad = tape->options.gradients && op->backward != NULL && any_requires_grad(node);
    if (!op->infer(tape, node)) {
        return NULL;
    }
    node->out->data = hl_tape_take(tape, hl_shape_count(node->out->shape), sizeof(hl_real));
    if (node->out->data == NULL || !run_forward(tape, node)) {
        return NULL;
    }
    tape->last = node;
    tape->n_nodes++;
    return node->out;
}

/* The place for the gradient of every input: a parameter has one of its own, others take theirs when the first gradient
 * reaches them. */
static bool take_input_grads(hl_tape *tape, const hl_node *node, hl_grad din[HL_MAX_INPUTS])
{
    for (int i = 0; i < node->n_inputs; i++) {
        hl_tensor *x = node->in[i];
        din[i] = (hl_grad){ 0 };
        if (x == NULL || !x->requires_grad) {
            continue;
        }
        int64_t count = hl_shape_count(x->shape);
        if (x->grad == NULL && !x->grad_written) { /* written without memory: a parameter on a dry tape */
            x->grad = hl_tape_take(tape, count, sizeof(hl_real));
            if (x->grad == NULL) {
                return false;
            }
        }
        for (int j = i + 1; j < node->n_inputs && !x->grad_written; j++) {
            if (node->in[j] == x) { /* a sum within one node: begin it at zero */
                if (!tape->options.dry) {
                    memset(x->grad, 0, (size_t)count * sizeof(hl_real));
                }
                x->grad_written = true;
            }
        }
        din[i] = (hl_grad){ .at = x->grad, .add = x->grad_written };
        x->grad_written = true;
    }
    return true;
}

static bool run_backward(hl_tape *tape, const hl_node *node)
{
    hl_grad din[HL_MAX_INPUTS];
    if (!take_input_grads(tape, node, din)) {
        return false;
    }
    mark before = mark_now(tape);
    hl_real *scratch;
    if (!take_scratch(tape, node, &scratch)) {
        return false;
    }
    if (!tape->options.dry) {
        node->op->backward(tape, node, din, scratch);
    } else if (node->op->flops != NULL) {
        tape->flops += 2 * node->op->flops(node);
    }
    release(tape, before);
    return true;
}

hl_status hl_tape_backward_from(hl_tape *tape, hl_tensor *y, const hl_real *dy)
{
    if (tape->error.code != HL_OK) {
        return tape->error;
    }
    if (y == NULL || !y->requires_grad) {
        return hl_error(HL_INVALID,
                        "backward: the tensor it starts from was not made from anything that requires a gradient");
    }
    if (y->grad_written) {
        return hl_error(HL_INVALID, "backward: it starts from an output of an op, not from a parameter, and only once");
    }
    int64_t count = hl_shape_count(y->shape);
    y->grad = hl_tape_take(tape, count, sizeof(hl_real));
    if (y->grad == NULL) {
        return tape->error;
    }
    y->grad_written = true;
    if (!tape->options.dry) {
        memcpy(y->grad, dy, (size_t)count * sizeof(hl_real));
    }
    for (const hl_node *node = tape->last; node != NULL; node = node->previous) {
        if (node->out->grad != NULL && !run_backward(tape, node)) {
            return tape->error;
        }
    }
    return hl_ok();
}

hl_status hl_tape_backward(hl_tape *tape, hl_tensor *loss)
{
    static const hl_real one = 1;
    if (tape->error.code == HL_OK && loss != NULL && hl_shape_count(loss->shape) != 1) {
        char text[HL_SHAPE_TEXT];
        return hl_error(HL_INVALID, "backward: the loss is no scalar but %s", hl_shape_text(loss->shape, text));
    }
    return hl_tape_backward_from(tape, loss, &one);
}

static bool all_finite(const hl_tensor *x)
{
    int64_t count = hl_shape_count(x->shape);
    for (int64_t i = 0; i < count; i++) {
        if (!isfinite(x->data[i])) {
            return false;
        }
    }
    return true;
}

bool hl_tape_find_not_finite(const hl_tape *tape, char *text, size_t size)
{
    const hl_node *first = NULL;
    for (const hl_node *node = tape->options.dry ? NULL : tape->last; node != NULL; node = node->previous) {
        if (!all_finite(node->out)) {
            first = node;
        }
    }
    if (first == NULL) {
        return false;
    }
    snprintf(text, size, "%s%s%s", first->op->name, first->scope != NULL ? " in " : "",
             first->scope != NULL ? first->scope : "");
    return true;
}
