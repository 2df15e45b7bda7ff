#include "core/tape.h"

#include "core/private/op_parts.h"
#include "core/private/tape_memory.h"
#include "core/threads.h"

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
    if (options.plan != NULL && !options.dry) {
        tape->numbers = hl_arena_allocate(arena, options.plan->numbers);
        if (tape->numbers == NULL) {
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

static void hand_on_numbers(const void *context, hl_range range)
{
    const hl_op_call *call = context;
    const hl_real *dy = call->node->out->grad;
    hl_real *dx = call->din->at;
    bool add = call->din->add;
#pragma omp simd
    for (int64_t i = range.begin; i < range.end; i++) {
        hl_grad_put(&dx[i], dy[i], add);
    }
}

void hl_grad_hand_on(const hl_tape *tape, const hl_node *node, hl_grad dx)
{
    int64_t n = hl_shape_count(node->out->shape);
    if (dx.at != NULL && dx.at != node->out->grad) {
        hl_threads_run(hl_tape_threads(tape, n), n, HL_CACHE_LINE, hand_on_numbers,
                       &(hl_op_call){ .node = node, .din = &dx });
    }
}

static void *fail_full(hl_tape *tape, const char *what)
{
    HL_THEN(tape->error, hl_error_memory(what));
    return NULL;
}

/* Zeroed memory for a record; a dry tape has real records too. NULL with a sticky error when the arena is full. */
static void *allocate_record(hl_tape *tape, size_t bytes)
{
    void *record = hl_arena_allocate(tape->arena, bytes);
    if (record == NULL) {
        return fail_full(tape, "the arena of one step is full");
    }
    tape->records += hl_arena_round(bytes);
    return memset(record, 0, bytes);
}

bool hl_tape_bytes_of(hl_tape *tape, int64_t count, size_t size, size_t *bytes)
{
    if (count < 0 || __builtin_mul_overflow((size_t)count, size, bytes) || *bytes > SIZE_MAX / 4) {
        fail_full(tape, "a tensor too large for this machine's addresses");
        return false;
    }
    *bytes = hl_arena_round(*bytes);
    return true;
}

static void count_peak(hl_tape *tape)
{
    size_t bytes = tape->records + tape->held;
    tape->peak = bytes > tape->peak ? bytes : tape->peak;
}

/* The slot of the next piece. */
static void *take_slot(hl_tape *tape, size_t bytes)
{
    const hl_tape_plan *plan = tape->options.plan;
    int64_t k = tape->n_pieces++;
    if (k >= plan->n_slots || bytes > plan->slots[k].size) {
        HL_THEN(tape->error, hl_error(HL_INVALID, "a pass that is not the planned one, or larger"));
        return NULL;
    }
    return tape->numbers + plan->slots[k].begin;
}

/* Describes the next piece of a dry tape. */
static void *describe_piece(hl_tape *tape, size_t bytes, hl_tape_piece **piece)
{
    size_t records = tape->records;
    hl_tape_piece *made = allocate_record(tape, sizeof *made);
    tape->records = records; /* a real tape describes none */
    if (made == NULL || bytes > SIZE_MAX / 2 - tape->held) {
        return fail_full(tape, "a step too large for this machine's addresses");
    }
    *made = (hl_tape_piece){ .previous = tape->pieces, .birth = tape->n_pieces++, .end = INT64_MAX, .size = bytes };
    tape->pieces = made;
    tape->held += bytes;
    count_peak(tape);
    if (piece != NULL) {
        *piece = made;
    }
    return made;
}

void *hl_tape_piece_new(hl_tape *tape, size_t bytes, hl_tape_piece **piece)
{
    if (tape->options.dry) {
        return describe_piece(tape, bytes, piece);
    }
    if (tape->options.plan != NULL) {
        return take_slot(tape, bytes);
    }
    void *numbers = hl_arena_allocate(tape->arena, bytes);
    return numbers != NULL ? numbers : fail_full(tape, "the arena of one step is full");
}

void hl_tape_piece_end(hl_tape_piece *piece, int64_t end)
{
    if (piece != NULL && piece->end == INT64_MAX) {
        piece->end = end;
    }
}

void *hl_tape_allocate(hl_tape *tape, hl_node *node, int64_t count, size_t size)
{
    assert(node->n_pieces < HL_MAX_NODE_MEMORY);
    size_t bytes;
    hl_tape_piece **piece = &node->pieces[node->n_pieces];
    void *numbers = hl_tape_bytes_of(tape, count, size, &bytes) ? hl_tape_piece_new(tape, bytes, piece) : NULL;
    node->n_pieces += numbers != NULL && tape->options.dry;
    return numbers;
}

hl_real *hl_tape_keep(hl_tape *tape, int64_t count)
{
    const hl_tape_kept *kept = tape->options.kept;
    int64_t first = tape->n_kept;
    tape->n_kept += (count + HL_CACHE_LINE - 1) / HL_CACHE_LINE * HL_CACHE_LINE;
    return kept != NULL ? kept->numbers + first : NULL;
}

bool hl_tape_has_kept(const hl_tape *tape)
{
    return tape->options.kept != NULL && tape->options.kept->made;
}

size_t hl_tape_bytes(const hl_tape *tape)
{
    size_t now = tape->records + tape->held;
    return now > tape->peak ? now : tape->peak;
}

/* Runs the op's backward, or its forward where `din` is NULL, between the calls of the observer. */
static void compute(const hl_tape *tape, const hl_node *node, const hl_grad *din, hl_real *scratch)
{
    const hl_tape_observer *observer = tape->options.observer;
    if (observer != NULL && observer->begin != NULL) {
        observer->begin(observer->context, node, din != NULL);
    }
    if (din != NULL) {
        node->op->backward(tape, node, din, scratch);
    } else {
        node->op->forward(tape, node, scratch);
    }
    if (observer != NULL) {
        observer->end(observer->context, node, din != NULL);
    }
}

bool hl_tape_run(hl_tape *tape, hl_node *node, const hl_grad *din)
{
    size_t arena = tape->arena->used, held = tape->held, bytes = 0;
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
    if (tape->options.dry) {
        hl_tape_piece_end(piece, tape->n_pieces);
        tape->held = held;
    } else {
        compute(tape, node, din, scratch);
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
    hl_tensor *tensor = allocate_record(tape, sizeof *tensor);
    if (tensor != NULL) {
        tensor->shape = shape;
        tensor->data = (hl_real *)numbers; /* not written: ops write to their outputs alone */
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
    hl_tensor *rows = allocate_record(tape, sizeof *rows);
    if (rows == NULL) {
        return NULL;
    }
    *rows = *parameter;
    rows->whole = parameter;
    rows->grad_written = true;
    rows->shape.size[0] = n;
    int64_t skipped = first * (hl_shape_count(parameter->shape) / parameter->shape.size[0]);
    if (parameter->data != NULL) { /* else a dry tape over a model that was never allocated */
        rows->data += skipped;
    }
    if (parameter->grad != NULL) { /* else the parameters are frozen */
        rows->grad += skipped;
    }
    return rows;
}

static hl_node *new_node(hl_tape *tape, const hl_op *op, hl_tensor *const *inputs, int n_inputs, const void *attributes,
                         size_t attributes_size)
{
    hl_node *node = allocate_record(tape, sizeof *node);
    hl_tensor *out = node != NULL ? allocate_record(tape, sizeof *out) : NULL;
    void *copy = out != NULL && attributes != NULL ? allocate_record(tape, attributes_size) : NULL;
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

/* Refuses missing and empty inputs, and those of a model that was not allocated, so that no op has to. */
static bool check_inputs(hl_tape *tape, const hl_node *node)
{
    for (int i = 0; i < node->n_inputs; i++) {
        const hl_tensor *x = node->in[i];
        char text[HL_SHAPE_TEXT];
        if (x == NULL && i < node->op->min_inputs) {
            return hl_tape_fail(tape, node, "input %d is missing", i);
        }
        if (x != NULL &&
            (hl_shape_count(x->shape) < 1 || hl_shape_rows(x->shape) > INT_MAX || hl_shape_last(x->shape) > INT_MAX)) {
            return hl_tape_fail(tape, node, "input %d is empty or too large: %s", i, hl_shape_text(x->shape, text));
        }
        if (x != NULL && x->data == NULL && !tape->options.dry) {
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
    node->out->data = hl_tape_allocate(tape, node, hl_shape_count(node->out->shape), sizeof(hl_real));
    node->out->piece = node->n_pieces > 0 ? node->pieces[node->n_pieces - 1] : NULL;
    if (node->out->data == NULL || !hl_tape_run(tape, node, NULL)) {
        return NULL;
    }
    tape->last = node;
    tape->n_nodes++;
    return node->out;
}
