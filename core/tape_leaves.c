#include "core/private/tape_leaves.h"

#include "core/base/threads.h"
#include "core/private/op_parts.h"
#include "core/private/tape_pieces.h"

#include <assert.h>

/* Counts of numbers. A gradient of more than SMALL is summed in parts of about PART: a few parts, and the numbers from
 * which they are computed, fit into a second-level cache. Smaller gradients are cut at multiples of CHUNK. An op may
 * need larger parts so that no bit changes (matmul.h): BITS_NUMBERS and BITS_ROWS limit how large. */
enum { SMALL = 1 << 16, CHUNK = 1 << 12, PART = 3 << 16, BITS_NUMBERS = 2000000, BITS_ROWS = 288 };

/* How many sums are held at once while the tree of n leaves is summed: one for each level. */
static int levels_of(int n)
{
    int levels = 1;
    while (1 << (levels - 1) < n) {
        levels++;
    }
    return levels;
}

static int64_t count_of(const hl_node *node, int i)
{
    return hl_shape_count(node->in[i]->shape);
}

/* Whether the gradient of this parameter is summed in parts. */
static bool is_large(const hl_node *node, int i)
{
    return node->op->parts != NULL && count_of(node, i) > SMALL;
}

/* The numbers of all gradients of a node that are not summed in parts. */
static int64_t small_numbers(const hl_node *node)
{
    int64_t numbers = 0;
    for (int i = 0; i < node->n_inputs; i++) {
        numbers += hl_node_parameter(node, i) && !is_large(node, i) ? count_of(node, i) : 0;
    }
    return numbers;
}

static bool has_parameters(const hl_node *node)
{
    for (int i = 0; i < node->n_inputs; i++) {
        if (hl_node_parameter(node, i)) {
            return true;
        }
    }
    return false;
}

int64_t hl_tape_leaves_scratch(const hl_tape *tape, int threads, int n)
{
    int64_t most = 0, levels = levels_of(n);
    for (const hl_node *node = tape->last; node != NULL; node = node->previous) {
        int64_t parts = threads * levels * CHUNK;
        for (int i = 0; i < node->n_inputs; i++) {
            if (hl_node_parameter(node, i) && is_large(node, i)) {
                int64_t count = count_of(node, i), row = hl_shape_last(node->in[i]->shape),
                        largest = BITS_NUMBERS + BITS_ROWS * row, usual = threads * (PART + BITS_ROWS * row);
                largest = largest < count ? largest : count;
                usual = usual > largest ? usual : largest;
                parts = levels * usual > parts ? levels * usual : parts;
            }
        }
        int64_t numbers = n * small_numbers(node) + parts;
        most = numbers > most ? numbers : most;
    }
    return most;
}

/* Whether input i of this node is also a later input of it, or an input of an earlier node. */
static bool is_read_again(const hl_node *node, int i)
{
    for (const hl_node *other = node; other != NULL; other = other->previous) {
        for (int j = other == node ? i + 1 : 0; j < other->n_inputs; j++) {
            if (other->in[j] == node->in[i]) {
                return true;
            }
        }
    }
    return false;
}

bool hl_tape_leaves_share(const hl_tape *tape)
{
    for (const hl_node *node = tape->last; node != NULL; node = node->previous) {
        for (int i = 0; i < node->n_inputs; i++) {
            if (hl_node_parameter(node, i) && is_read_again(node, i)) {
                return true;
            }
        }
    }
    return false;
}

typedef struct walk {
    int threads, n;
    hl_tape_leaf *leaves;
    hl_real *scratch;
    int64_t room; /* numbers of scratch behind the small gradients */
} walk;

/* One parameter's gradient, summed over the leaves. */
typedef struct sum {
    const walk *walk;
    int input;
    int64_t rows, row;     /* the number of rows, and the numbers in a row: 1 for a small gradient */
    const hl_real *values; /* small: the gradient of leaf 0; NULL for a large one */
    int64_t stride;        /* small: from the gradient of one leaf to that of the next */
    int n_parts;           /* large: the number of parts in which it is computed, */
    int64_t step;          /* which are cut at multiples of this many rows */
    hl_real *buffers;      /* for each thread: memory for one part at each level of the tree */
    int64_t size;          /* the numbers in such a part */
    hl_real *to;
} sum;

static void add_numbers(int64_t n, const hl_real *a, const hl_real *b, hl_real *to)
{
#pragma omp simd
    for (int64_t i = 0; i < n; i++) {
        to[i] = a[i] + b[i];
    }
}

/* Returns the rows `begin` to `end` - 1, summed over leaves first .. first + size - 1. `size` is a power of two, and
 * the last of these leaves may not exist. If a leaf has its gradient in memory, that address is returned. Any other sum
 * is written to `at`; the memory for the levels below follows it. NULL if all these leaves are empty. */
static const hl_real *sum_of(const sum *s, int first, int size, int64_t begin, int64_t end, hl_real *at)
{
    const walk *w = s->walk;
    if (size == 1) {
        const hl_tape_leaf *leaf = &w->leaves[first];
        if (leaf->empty) {
            return NULL;
        }
        if (s->values != NULL) {
            return s->values + first * s->stride + begin;
        }
        leaf->node->op->parts->compute(&leaf->tape, leaf->node, s->input, begin, end, at);
        return at;
    }
    int middle = first + size / 2;
    const hl_real *left = sum_of(s, first, size / 2, begin, end, at);
    hl_real *behind = left == at ? at + s->size : at;
    const hl_real *right = middle < w->n ? sum_of(s, middle, size / 2, begin, end, behind) : NULL;
    if (left == NULL || right == NULL) {
        return left != NULL ? left : right;
    }
    add_numbers((end - begin) * s->row, left, right, at);
    return at;
}

/* Sums the rows `begin` to `end` - 1. */
static void sum_rows(const sum *s, int thread, int64_t begin, int64_t end)
{
    int levels = levels_of(s->walk->n);
    hl_real *to = s->to + begin * s->row;
    const hl_real *total = sum_of(s, 0, 1 << (levels - 1), begin, end, s->buffers + thread * levels * s->size);
    if (total != NULL) {
        add_numbers((end - begin) * s->row, to, total, to);
    }
}

static void sum_chunks(const void *context, hl_range range)
{
    for (int64_t i = range.begin; i < range.end; i += CHUNK) {
        sum_rows(context, range.thread, i, i + CHUNK < range.end ? i + CHUNK : range.end);
    }
}

static void sum_parts(const void *context, hl_range parts)
{
    const sum *s = context;
    for (int64_t part = parts.begin; part < parts.end; part++) {
        int64_t begin, end;
        hl_threads_cut(s->rows, s->step, (int)part, s->n_parts, &begin, &end);
        sum_rows(s, parts.thread, begin, end);
    }
}

/* Sums a gradient that each leaf has in memory. */
static void sum_small(sum *s)
{
    s->size = CHUNK;
    hl_threads_run(hl_threads_for(s->walk->threads, s->walk->n * s->rows), s->rows, HL_CACHE_LINE, sum_chunks, s);
}

/* Sums a large gradient, in as many parts as every leaf allows. */
static void sum_large(sum *s, const hl_node *node)
{
    const walk *w = s->walk;
    int64_t count = s->rows * s->row, longest = 0, wanted = (count + PART - 1) / PART;
    s->n_parts = (int)((wanted + w->threads - 1) / w->threads * w->threads);
    s->step = 1;
    for (int leaf = 0; leaf < w->n && node->op->parts->cut != NULL; leaf++) {
        if (!w->leaves[leaf].empty) {
            s->n_parts = node->op->parts->cut(w->leaves[leaf].node, s->n_parts, &s->step);
        }
    }
    for (int part = 0; part < s->n_parts; part++) {
        int64_t begin, end;
        hl_threads_cut(s->rows, s->step, part, s->n_parts, &begin, &end);
        longest = end - begin > longest ? end - begin : longest;
    }
    s->size = longest * s->row;
    assert(s->size > 0); /* a large parameter has rows */
    int64_t room = w->room / (levels_of(w->n) * s->size);
    hl_threads_run(room < w->threads ? (int)room : w->threads, s->n_parts, 1, sum_parts, s);
}

/* Sums the gradients of the node's parameters, once all leaves have passed the node. */
static void sum_parameters(const walk *w, const hl_node *node)
{
    int64_t stride = small_numbers(node);
    const hl_real *values = w->scratch;
    for (int i = 0; i < node->n_inputs; i++) {
        if (!hl_node_parameter(node, i)) {
            continue;
        }
        sum s = {
            .walk = w, .input = i, .stride = stride, .buffers = w->scratch + w->n * stride, .to = node->in[i]->grad
        };
        if (is_large(node, i)) {
            s.row = hl_shape_last(node->in[i]->shape);
            s.rows = hl_shape_rows(node->in[i]->shape);
            sum_large(&s, node);
        } else {
            s.row = 1;
            s.rows = count_of(node, i);
            s.values = values;
            values += s.rows;
            sum_small(&s);
        }
    }
}

/* Walks one leaf back to its next op with parameters, and past it; or past the first op. */
static void pass_ops(const walk *w, int index)
{
    hl_tape_leaf *leaf = &w->leaves[index];
    hl_tape *tape = &leaf->tape;
    hl_grad sums[HL_MAX_INPUTS] = { { 0 } };
    bool passed = false;
    while (!passed) {
        leaf->node = leaf->node == NULL ? tape->last : leaf->node->previous;
        passed = has_parameters(leaf->node);
        hl_real *at = w->scratch + index * small_numbers(leaf->node);
        for (int i = 0; i < leaf->node->n_inputs && passed; i++) {
            bool here = hl_node_parameter(leaf->node, i) && !is_large(leaf->node, i);
            sums[i].at = here ? at : NULL;
            at += here ? count_of(leaf->node, i) : 0;
        }
        if (!hl_tape_backward_node(tape, leaf->node, leaf->loss, sums)) {
            return;
        }
        passed |= leaf->node->previous == NULL;
    }
}

static void pass_leaves(const void *context, hl_range leaves)
{
    const walk *w = context;
    for (int64_t leaf = leaves.begin; leaf < leaves.end; leaf++) {
        if (!w->leaves[leaf].empty) {
            pass_ops(w, (int)leaf);
        }
    }
}

/* The first error of a leaf. */
static hl_status status_of(const walk *w)
{
    for (int leaf = 0; leaf < w->n; leaf++) {
        if (!w->leaves[leaf].empty) {
            HL_TRY(w->leaves[leaf].tape.error);
        }
    }
    return hl_ok();
}

hl_status hl_tape_leaves_backward(int threads, int n, hl_tape_leaf *leaves, hl_real *scratch)
{
    static const hl_real one = 1;
    walk w = { .threads = threads, .n = n, .leaves = leaves, .scratch = scratch };
    const hl_tape_leaf *some = NULL;
    for (int leaf = 0; leaf < n; leaf++) {
        if (!leaves[leaf].empty) {
            HL_TRY(hl_tape_backward_begin(&leaves[leaf].tape, leaves[leaf].loss, &one));
            leaves[leaf].node = NULL;
            some = &leaves[leaf];
        }
    }
    if (some == NULL) {
        return hl_ok();
    }
    int64_t numbers = hl_tape_leaves_scratch(&some->tape, threads, n);
    do {
        hl_threads_run(threads, n, 1, pass_leaves, &w);
        HL_TRY(status_of(&w));
        w.room = numbers - n * small_numbers(some->node);
        if (some->node->out->grad != NULL) {
            sum_parameters(&w, some->node);
        }
    } while (some->node->previous != NULL);
    return hl_ok();
}
