#include "core/tape.h"

#include "core/base/threads.h"
#include "core/private/tape_pieces.h"

#include <assert.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void hl_tape_begin(hl_tape *tape, hl_arena *arena, hl_tape_options options)
{
    if (options.threads < 1) {
        options.threads = 1;
    }
    *tape = (hl_tape){ .options = options, .arena = arena };
    if (options.memory.plan != NULL && !options.memory.dry) {
        tape->memory.numbers = hl_arena_allocate(arena, options.memory.plan->numbers);
        if (tape->memory.numbers == NULL) {
            tape->error = hl_error_memory("the arena of one step is full");
        }
    }
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
    return hl_tape_fail(tape, node, "%s: %s against %s", what, HL_SHAPE_SHOWN(a), HL_SHAPE_SHOWN(b));
}

bool hl_tape_has_places(hl_tape *tape, const hl_node *node, int64_t n_rows)
{
    const hl_tape_options *o = &tape->options;
    return o->places == NULL || o->n_places == n_rows ||
           hl_tape_fail(tape, node, "dropout of %lld rows on a tape with places for %lld", (long long)n_rows,
                        (long long)o->n_places);
}

bool hl_infer_same_shape(hl_tape *tape, hl_node *node)
{
    (void)tape;
    node->out->shape = node->in[0]->shape;
    return true;
}

/* What the threads of hl_op_run share. */
typedef struct shared_call {
    const hl_op_call *call;
    hl_op_part *part;
} shared_call;

static void run_part(const void *context, hl_range range)
{
    const shared_call *shared = context;
    shared->part(shared->call, range);
}

void hl_op_run(const hl_op_call *call, int64_t work, int64_t n, int64_t step, hl_op_part *part)
{
    hl_threads_run(hl_threads_for(call->tape->options.threads, work), n, step, run_part,
                   &(shared_call){ .call = call, .part = part });
}

static void run_pass(const hl_op_call *call, const hl_op_pass *pass)
{
    hl_shape shape = call->node->out->shape;
    int64_t numbers = hl_shape_count(shape);
    if (pass->whole != NULL) {
        pass->whole(call);
    } else if (pass->step > 0) {
        hl_op_run(call, pass->each * numbers, numbers, pass->step, pass->part);
    } else {
        hl_op_run(call, pass->each * numbers, hl_shape_rows(shape), 1, pass->part);
    }
}

void hl_op_hand_on(const hl_op_call *call, int i)
{
    const hl_tensor *y = call->node->out;
    if (call->din[i].at != NULL && call->din[i].at != y->grad) {
        hl_grad_scale(call->tape->options.threads, hl_shape_count(y->shape), 1, y->grad, call->din[i]);
    }
}

/* Runs the op's backward, or its forward where `din` is NULL, between the calls of the observer. */
static void compute(const hl_tape *tape, const hl_node *node, const hl_grad *din)
{
    const hl_op_call call = { .tape = tape, .node = node, .din = din };
    const hl_tape_observer *observer = tape->options.observer;
    if (observer != NULL && observer->begin != NULL) {
        observer->begin(observer->context, node, din != NULL);
    }
    run_pass(&call, din != NULL ? &node->op->backward : &node->op->forward);
    if (observer != NULL && observer->end != NULL) {
        observer->end(observer->context, node, din != NULL);
    }
}

bool hl_tape_run(hl_tape *tape, hl_node *node, const hl_grad *din)
{
    size_t arena = tape->arena->used, held = tape->memory.held, bytes = 0;
    hl_real *scratch = NULL;
    hl_tape_piece *piece = NULL;
    if (node->op->scratch != NULL) {
        if (!hl_tape_bytes_of(tape, node->op->scratch(tape, node), sizeof(hl_real), &bytes)) {
            return false;
        }
        scratch = hl_tape_piece_new(tape, bytes, &piece);
        if (scratch == NULL) {
            return false;
        }
    }
    tape->flops += node->op->flops != NULL ? (din != NULL ? 2 : 1) * node->op->flops(node) : 0;
    node->scratch = scratch;
    if (tape->options.memory.dry) {
        hl_tape_piece_end(piece, tape->memory.n_pieces);
        tape->memory.held = held;
    } else {
        compute(tape, node, din);
        hl_arena_rewind(tape->arena, arena);
    }
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
    hl_tensor *tensor = hl_tape_record_new(tape, sizeof *tensor);
    if (tensor != NULL) {
        tensor->shape = shape;
        tensor->data = (hl_real *)numbers; /* not written: ops write only to their outputs */
        tensor->requires_grad = requires_grad;
    }
    return tensor;
}

hl_tensor *hl_tape_parameter_rows(hl_tape *tape, hl_tensor *parameter, int64_t first, int64_t n)
{
    if (parameter == NULL) {
        return NULL;
    }
    if (!parameter->is_parameter || parameter->shape.n_dims < 1 || first < 0 || n < 0 ||
        n > parameter->shape.size[0] - first) {
        HL_THEN(tape->error, hl_error(HL_INVALID, "rows of a parameter: they are not among its own, or it is none"));
        return NULL;
    }
    hl_tensor *rows = hl_tape_record_new(tape, sizeof *rows);
    if (rows == NULL) {
        return NULL;
    }
    *rows = *parameter;
    rows->whole = parameter;
    rows->grad_written = true;
    rows->shape.size[0] = n;
    int64_t skipped = first * (hl_shape_count(parameter->shape) / parameter->shape.size[0]);
    if (parameter->data != NULL) { /* otherwise this is a dry tape over a model that was never allocated */
        rows->data += skipped;
    }
    if (parameter->grad != NULL) { /* otherwise the parameters are frozen */
        rows->grad += skipped;
    }
    return rows;
}

static hl_node *new_node(hl_tape *tape, const hl_op *op, hl_tensor *const *inputs, int n_inputs, const void *attributes,
                         size_t attributes_size)
{
    hl_node *node = hl_tape_record_new(tape, sizeof *node);
    hl_tensor *out = node != NULL ? hl_tape_record_new(tape, sizeof *out) : NULL;
    void *copy = out != NULL && attributes != NULL ? hl_tape_record_new(tape, attributes_size) : NULL;
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

/* Refuses missing and empty inputs, and inputs of a model that was not allocated. So no op has to check this. */
static bool check_inputs(hl_tape *tape, const hl_node *node)
{
    for (int i = 0; i < node->n_inputs; i++) {
        const hl_tensor *x = node->in[i];
        if (x == NULL && i < node->op->min_inputs) {
            return hl_tape_fail(tape, node, "input %d is missing", i);
        }
        if (x != NULL &&
            (hl_shape_count(x->shape) < 1 || hl_shape_rows(x->shape) > INT_MAX || hl_shape_last(x->shape) > INT_MAX)) {
            return hl_tape_fail(tape, node, "input %d is empty or too large: %s", i, HL_SHAPE_SHOWN(x->shape));
        }
        if (x != NULL && x->data == NULL && !tape->options.memory.dry) {
            return hl_tape_fail(tape, node, "input %d has no numbers: it was not allocated", i);
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
    if (node == NULL || !check_inputs(tape, node)) {
        return NULL;
    }
    bool has_backward = op->backward.whole != NULL || op->backward.part != NULL;
    node->out->requires_grad = tape->options.gradients && has_backward && any_requires_grad(node);
    if (!op->infer(tape, node)) {
        return NULL;
    }
    node->out->data = hl_tape_allocate(tape, node, hl_shape_count(node->out->shape), sizeof(hl_real));
    node->out->piece = node->n_pieces > 0 ? node->pieces[node->n_pieces - 1] : NULL;
    if (node->out->data == NULL || !hl_tape_run(tape, node, NULL)) {
        return NULL;
    }
    tape->last = node;
    tape->n_nodes++;
    return node->out;
}
