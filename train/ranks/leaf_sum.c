#include "train/ranks/leaf_sum.h"

#include "core/base/memory.h"

int hl_leaf_sum_first(int leaves, int n, int rank)
{
    return (int)((int64_t)leaves * rank / n);
}

/* The rank that owns the leaf. */
static int owner_of(const hl_leaf_sum *sum, int leaf)
{
    int n = hl_ranks_count(sum->ranks), rank = 0;
    while (hl_leaf_sum_first(sum->leaves, n, rank + 1) <= leaf) {
        rank++;
    }
    return rank;
}

static int first_of(hl_leaf_node node)
{
    return node.j << node.k;
}

/* One past the last leaf of the node. */
static int end_of(const hl_leaf_sum *sum, hl_leaf_node node)
{
    int64_t end = (int64_t)(node.j + 1) << node.k;
    return end < sum->leaves ? (int)end : sum->leaves;
}

static hl_leaf_node child_of(hl_leaf_node node, int right)
{
    return (hl_leaf_node){ node.k - 1, 2 * node.j + right };
}

/* The memory of the i-th value. */
static void *value_of(const hl_leaf_sum *sum, int i)
{
    return i == 0 ? sum->total : sum->memory + (size_t)(i - 1) * sum->bytes;
}

int hl_leaf_sum_group(const hl_leaf_sum *sum)
{
    hl_leaf_node node = { 0, sum->next };
    for (;;) {
        hl_leaf_node parent = { node.k + 1, node.j / 2 };
        if (1 << node.k >= sum->at_once || first_of(parent) != sum->next || end_of(sum, parent) > sum->last) {
            return end_of(sum, node) - sum->next;
        }
        node = parent;
    }
}

/* The node of the next n leaves. */
static hl_leaf_node node_of(const hl_leaf_sum *sum, int n)
{
    hl_leaf_node node = { 0, sum->next };
    while (1 << node.k < n) {
        node = (hl_leaf_node){ node.k + 1, node.j / 2 };
    }
    return node;
}

/* Adds the next n leaves as nodes. While the last nodes are complete, makes their parents: from two siblings, or from a
 * left child without a sibling. Returns the largest number of values at any time. */
static int take_leaves(hl_leaf_sum *sum, int n)
{
    sum->nodes[sum->n++] = node_of(sum, n);
    sum->next += n;
    int most = sum->n;
    for (;;) {
        hl_leaf_node last = sum->nodes[sum->n - 1];
        bool right = last.j % 2 == 1, to_end = end_of(sum, last) == sum->leaves;
        if (first_of(last) == 0 && to_end) {
            return most; /* the root */
        }
        if (right && sum->n > 1 && sum->nodes[sum->n - 2].k == last.k) {
            sum->n--;
            if (sum->add != NULL) {
                sum->add(sum->context, value_of(sum, sum->n - 1), value_of(sum, sum->n));
            }
        } else if (right || !to_end) {
            return most;
        }
        sum->nodes[sum->n - 1] = (hl_leaf_node){ last.k + 1, last.j / 2 };
    }
}

static hl_leaf_sum sum_on(int leaves, int at_once, int n, int rank)
{
    int first = hl_leaf_sum_first(leaves, n, rank);
    return (hl_leaf_sum){ .leaves = leaves,
                          .at_once = at_once,
                          .first = first,
                          .last = hl_leaf_sum_first(leaves, n, rank + 1),
                          .next = first };
}

int hl_leaf_sum_largest(int leaves, int n, int rank)
{
    hl_leaf_sum sum = sum_on(leaves, leaves, n, rank);
    int largest = 0;
    for (int group; sum.next < sum.last; sum.next += group) {
        group = hl_leaf_sum_group(&sum);
        largest = group > largest ? group : largest;
    }
    return largest;
}

int hl_leaf_sum_values(int leaves, int at_once, int n, int rank)
{
    hl_leaf_sum sum = sum_on(leaves, at_once, n, rank);
    int most = 0;
    while (sum.next < sum.last) {
        int held = take_leaves(&sum, hl_leaf_sum_group(&sum));
        most = held > most ? held : most;
    }
    int received = n > 1; /* from another rank */
    return (sum.n + received > most ? sum.n + received : most) - 1;
}

hl_status hl_leaf_sum_init(hl_leaf_sum *sum, hl_ranks *ranks, int leaves, int at_once, size_t bytes, void *total)
{
    int n = hl_ranks_count(ranks), rank = hl_ranks_rank(ranks);
    *sum = sum_on(leaves, at_once, n, rank);
    sum->ranks = ranks;
    sum->bytes = bytes;
    sum->total = total;
    int others = hl_leaf_sum_values(leaves, at_once, n, rank), all = others + (total == NULL);
    if (all > 0) {
        sum->memory = hl_calloc((size_t)all, bytes);
        HL_NEED(sum->memory != NULL, "the sums over the leaves of a batch");
    }
    if (total == NULL) {
        sum->total = sum->memory + (size_t)others * bytes;
    }
    return hl_ok();
}

void hl_leaf_sum_free(hl_leaf_sum *sum)
{
    hl_free(sum->memory);
    *sum = (hl_leaf_sum){ 0 };
}

void hl_leaf_sum_begin(hl_leaf_sum *sum, hl_leaf_sum_add *add, const void *context)
{
    sum->add = add;
    sum->context = context;
    sum->n = 0;
    sum->next = sum->first;
}

void *hl_leaf_sum_next(const hl_leaf_sum *sum)
{
    return value_of(sum, sum->n);
}

void hl_leaf_sum_push(hl_leaf_sum *sum, int n)
{
    take_leaves(sum, n);
}

typedef struct walk {
    hl_leaf_sum *sum;
    int taken; /* number of this rank's own nodes so far, which come in order */
    int sent;  /* number of values sent to other ranks */
} walk;

/* Returns the value of a node on the rank that owns its first leaf, NULL on others; without `add` it only counts. All
 * ranks go through the same nodes in the same order, except nodes that concern only others. So no two ranks wait for
 * each other. */
static void *reduce(walk *w, hl_leaf_node node)
{
    hl_leaf_sum *sum = w->sum;
    int begin = first_of(node), end = end_of(sum, node), me = hl_ranks_rank(sum->ranks);
    if (end <= sum->first || begin >= sum->last) {
        return NULL;
    }
    if (sum->first <= begin && end <= sum->last) {
        return sum->add != NULL ? value_of(sum, w->taken++) : NULL;
    }
    hl_leaf_node right = child_of(node, 1);
    void *value = reduce(w, child_of(node, 0));
    if (first_of(right) >= sum->leaves) {
        return value;
    }
    void *other = reduce(w, right);
    int to = owner_of(sum, begin), from = owner_of(sum, first_of(right));
    w->sent += from == me && to != me;
    if (sum->add == NULL) {
        return value;
    }
    if (from == me && to != me) {
        sum->ranks->send(sum->ranks->context, to, other, sum->bytes);
    } else if (to == me) {
        if (from != me) {
            other = value_of(sum, sum->n);
            sum->ranks->receive(sum->ranks->context, from, other, sum->bytes);
        }
        sum->add(sum->context, value, other);
    }
    return value;
}

static hl_leaf_node root_of(const hl_leaf_sum *sum)
{
    hl_leaf_node root = { 0, 0 };
    while (end_of(sum, root) < sum->leaves) {
        root.k++;
    }
    return root;
}

void hl_leaf_sum_finish(hl_leaf_sum *sum)
{
    reduce(&(walk){ .sum = sum }, root_of(sum));
    hl_ranks_broadcast(sum->ranks, sum->total, sum->bytes);
}

size_t hl_leaf_sum_sent(int leaves, int n, int rank, size_t bytes)
{
    hl_ranks ranks = { .rank = rank, .n = n };
    hl_leaf_sum sum = sum_on(leaves, 1, n, rank);
    sum.ranks = &ranks;
    walk w = { .sum = &sum };
    reduce(&w, root_of(&sum));
    return (size_t)w.sent * bytes;
}
