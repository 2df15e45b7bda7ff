#include "core/op.h"
#include "core/private/tape_pieces.h"

#include <string.h>

static hl_real *allocate_grad(hl_tape *tape, hl_tensor *x)
{
    size_t bytes;
    return hl_tape_bytes_of(tape, hl_shape_count(x->shape), sizeof(hl_real), &bytes)
               ? hl_tape_piece_new(tape, bytes, &x->grad_piece)
               : NULL;
}

bool hl_tape_reuses(const hl_tape *tape)
{
    const hl_tape_memory *memory = &tape->options.memory;
    return memory->dry ? memory->reuse : memory->plan != NULL && memory->plan->reuse;
}

/* Whether input i is the same tensor as a later one. */
static bool comes_again(const hl_node *node, int i)
{
    for (int j = i + 1; j < node->n_inputs; j++) {
        if (node->in[j] == node->in[i]) {
            return true;
        }
    }
    return false;
}

/* The input that the op names as computed in place; or NULL. */
static hl_tensor *named_in_place(const hl_node *node)
{
    return node->op->in_place > 0 ? node->in[node->op->in_place - 1] : NULL;
}

/* The input whose gradient may overwrite dy, which nothing reads after this node; or NULL. */
static hl_tensor *input_in_place(const hl_tape *tape, const hl_node *node)
{
    hl_tensor *x = named_in_place(node);
    int times = 0;
    for (int j = 0; j < node->n_inputs; j++) {
        times += node->in[j] == x;
    }
    bool may = hl_tape_reuses(tape) && x != NULL && x->requires_grad && x->grad == NULL && !x->grad_written &&
               hl_shape_equal(x->shape, node->out->shape) && times == 1;
    return may ? x : NULL;
}

/* If a parameter is read in rows, its whole gradient begins at zero. Backward reaches the rows one by one, may miss
 * some, and may reach the same rows twice. */
static void begin_whole(const hl_tape *tape, const hl_tensor *rows)
{
    hl_tensor *whole = rows->whole;
    if (whole != NULL && whole->requires_grad && !whole->grad_written && !tape->options.memory.dry) {
        memset(whole->grad, 0, (size_t)hl_shape_count(whole->shape) * sizeof(hl_real));
        whole->grad_written = true;
    }
}

/* Sets din, where backward writes the gradient of every input. A parameter has its own memory; for other tensors,
 * memory is allocated when the first gradient reaches them. */
static bool allocate_input_grads(hl_tape *tape, const hl_node *node, hl_grad din[HL_MAX_INPUTS])
{
    hl_tensor *in_place = input_in_place(tape, node);
    if (in_place != NULL) {
        in_place->grad = node->out->grad;
        in_place->grad_piece = node->out->grad_piece;
    }
    bool written[HL_MAX_INPUTS];
    for (int i = 0; i < node->n_inputs; i++) {
        written[i] = node->in[i] != NULL && node->in[i]->grad_written;
    }
    for (int i = 0; i < node->n_inputs; i++) {
        hl_tensor *x = node->in[i];
        din[i] = (hl_grad){ 0 };
        if (x == NULL || !x->requires_grad) {
            continue;
        }
        begin_whole(tape, x);
        bool dry_parameter = x->is_parameter && tape->options.memory.dry; /* nothing is written to it */
        if (x->grad == NULL && !dry_parameter) {
            x->grad = allocate_grad(tape, x);
            if (x->grad == NULL) {
                return false;
            }
        }
        if (!node->disjoint && !x->grad_written && comes_again(node, i)) { /* a sum within one node starts at zero */
            if (!tape->options.memory.dry) {
                memset(x->grad, 0, (size_t)hl_shape_count(x->shape) * sizeof(hl_real));
            }
            x->grad_written = !dry_parameter;
        }
        din[i] = (hl_grad){ .at = x->grad, .add = node->disjoint ? written[i] : x->grad_written };
        if (!x->grad_written) { /* only then: threads share a parameter, whose flag is set already */
            x->grad_written = !dry_parameter;
        }
    }
    return true;
}

/* Ends the pieces that nothing needs once the node's backward has run. `start` is the tensor from which backward began,
 * whose numbers stay. */
static void end_pieces(const hl_tape *tape, const hl_node *node, const hl_tensor *start)
{
    for (int i = 0; i < node->n_pieces; i++) {
        if (node->out != start || node->pieces[i] != node->out->piece) {
            hl_tape_piece_end(node->pieces[i], tape->memory.n_pieces);
        }
    }
    const hl_tensor *in_place = named_in_place(node);
    if (in_place == NULL || in_place->grad_piece != node->out->grad_piece) {
        hl_tape_piece_end(node->out->grad_piece, tape->memory.n_pieces);
    }
}

bool hl_node_parameter(const hl_node *node, int i)
{
    return node->in[i] != NULL && node->in[i]->is_parameter && node->in[i]->requires_grad;
}

bool hl_tape_backward_node(hl_tape *tape, hl_node *node, const hl_tensor *start, const hl_grad *sums)
{
    hl_grad din[HL_MAX_INPUTS];
    if (node->out->grad != NULL) {
        if (!allocate_input_grads(tape, node, din)) {
            return false;
        }
        for (int i = 0; i < node->n_inputs && sums != NULL; i++) {
            din[i] = hl_node_parameter(node, i) ? sums[i] : din[i];
        }
        if (!hl_tape_run(tape, node, din)) {
            return false;
        }
    }
    if (tape->options.memory.dry && tape->options.memory.reuse) {
        end_pieces(tape, node, start);
    }
    return true;
}

hl_status hl_tape_backward_begin(hl_tape *tape, hl_tensor *y, const hl_real *dy)
{
    if (tape->error.code != HL_OK) {
        return tape->error;
    }
    if (y == NULL || !y->requires_grad) {
        return hl_error(HL_INVALID,
                        "backward: the tensor it starts from was not made from anything that requires a gradient");
    }
    if (y->grad_written || y->is_parameter) {
        return hl_error(HL_INVALID, "backward: it starts from an output of an op, not from a parameter, and only once");
    }
    bool dry = tape->options.memory.dry;
    if (dy == NULL && !dry) {
        return hl_error(HL_INVALID, "backward: no gradient is given to start from");
    }
    y->grad = allocate_grad(tape, y);
    if (y->grad == NULL) {
        return tape->error;
    }
    y->grad_written = true;
    if (!dry) {
        memcpy(y->grad, dy, (size_t)hl_shape_count(y->shape) * sizeof(hl_real));
    }
    return hl_ok();
}

hl_status hl_tape_backward_from(hl_tape *tape, hl_tensor *y, const hl_real *dy)
{
    HL_TRY(hl_tape_backward_begin(tape, y, dy));
    for (hl_node *node = tape->last; node != NULL; node = node->previous) {
        if (!hl_tape_backward_node(tape, node, y, NULL)) {
            return tape->error;
        }
    }
    return hl_ok();
}

hl_status hl_tape_backward(hl_tape *tape, hl_tensor *loss)
{
    static const hl_real one = 1;
    if (tape->error.code == HL_OK && loss != NULL && hl_shape_count(loss->shape) != 1) {
        return hl_error(HL_INVALID, "backward: the loss is no scalar but %s", HL_SHAPE_SHOWN(loss->shape));
    }
    return hl_tape_backward_from(tape, loss, &one);
}
