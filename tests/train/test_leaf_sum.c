#include "tests/check_suite.h"
#include "tests/messages.h"
#include "tests/scratch.h"
#include "tests/train/thread_ranks.h"
#include "train/ranks/leaf_sum.h"

#include <stdio.h>
#include <string.h>

enum { LEAVES = 21, NUMBERS = 3 };

/* Numbers of very different sizes: every other order of their sum has other bits. */
static void leaf_value(int leaf, float value[NUMBERS])
{
    for (int i = 0; i < NUMBERS; i++) {
        uint32_t mixed = (uint32_t)(leaf * NUMBERS + i + 1) * 2654435761u;
        value[i] = (float)(mixed >> 8) / (float)(1 << (mixed % 23)) * ((mixed & 32) != 0 ? 1 : -1);
    }
}

static void add_numbers(const void *context, void *to, const void *from)
{
    ck_assert_str_eq(context, "the context");
    for (int i = 0; i < NUMBERS; i++) {
        ((float *)to)[i] += ((const float *)from)[i];
    }
}

/* The sum of leaves first .. first + size - 1 of `leaves`, where size is a power of two, by the definition. */
static void tree_sum(int leaves, int first, int size, float value[NUMBERS])
{
    if (size == 1) {
        leaf_value(first, value);
        return;
    }
    tree_sum(leaves, first, size / 2, value);
    if (first + size / 2 < leaves) {
        float right[NUMBERS];
        tree_sum(leaves, first + size / 2, size / 2, right);
        add_numbers("the context", value, right);
    }
}

/* Of n leaves at once, the last ones where n is no power of two. */
static void group_sum(int leaves, int first, int n, float value[NUMBERS])
{
    int size = 1;
    while (size < n) {
        size *= 2;
    }
    tree_sum(leaves, first, size, value);
}

typedef struct example {
    int leaves, at_once;
    float expected[NUMBERS];
    size_t sent[THREAD_RANKS_MOST];
    bool computed[LEAVES];
} example;

static void sum_leaves(hl_ranks *ranks, void *context)
{
    example *e = context;
    float total[NUMBERS];
    hl_leaf_sum sum;
    CHECK_OK(hl_leaf_sum_init(&sum, ranks, e->leaves, e->at_once, sizeof total, total));
    for (int repetition = 0; repetition < 2; repetition++) {
        hl_leaf_sum_begin(&sum, add_numbers, "the context");
        for (int leaf = sum.first, n; leaf < sum.last; leaf += n) {
            n = hl_leaf_sum_group(&sum);
            ck_assert(n <= e->leaves && (e->at_once > 1 || n == 1));
            group_sum(e->leaves, leaf, n, hl_leaf_sum_next(&sum));
            hl_leaf_sum_push(&sum, n);
            memset(&e->computed[leaf], true, (size_t)n);
        }
        hl_leaf_sum_finish(&sum);
        ck_assert_mem_eq(total, e->expected, sizeof total);
        memset(total, 0x55, sizeof total);
    }
    e->sent[hl_ranks_rank(ranks)] =
        hl_leaf_sum_sent(e->leaves, hl_ranks_count(ranks), hl_ranks_rank(ranks), sizeof total);
    hl_leaf_sum_free(&sum);
}

LOOP_TEST(any_number_of_ranks_gets_the_bits_of_the_tree, 0, 6)
{
    for (int leaves = 1; leaves <= LEAVES; leaves += leaves < 9 ? 1 : 4) {
        example e = { .leaves = leaves, .at_once = _i == 0 ? 1 : 1 << _i };
        int size = 1;
        while (size < leaves) {
            size *= 2;
        }
        tree_sum(leaves, 0, size, e.expected);
        sum_leaves(NULL, &e);
        ck_assert_uint_eq(e.sent[0], 0);
        for (int n = 2; n <= THREAD_RANKS_MOST && n <= leaves; n++) {
            memset(e.computed, 0, sizeof e.computed);
            thread_ranks_run(n, sum_leaves, &e);
            size_t sent = 0;
            for (int r = 0; r < n; r++) {
                sent += e.sent[r];
            }
            ck_assert_uint_eq(2 * sent, thread_ranks_sent()); /* it was summed twice */
            for (int leaf = 0; leaf < leaves; leaf++) {
                ck_assert(e.computed[leaf]);
            }
        }
    }
}

TEST(the_values_held_and_sent_are_those_of_the_tree)
{
    /* Alone: one sum of each size below, and the leaf at work. */
    ck_assert_int_eq(hl_leaf_sum_values(1, 1, 1, 0), 0);
    ck_assert_int_eq(hl_leaf_sum_values(2, 1, 1, 0), 1);
    ck_assert_int_eq(hl_leaf_sum_values(8, 1, 1, 0), 3);
    ck_assert_int_eq(hl_leaf_sum_values(5, 1, 1, 0), 2);
    /* A half each: rank 1 sends one sum, rank 0 has room for it. */
    ck_assert_int_eq(hl_leaf_sum_values(8, 1, 2, 1), 2);
    ck_assert_uint_eq(hl_leaf_sum_sent(8, 2, 0, 10), 0);
    ck_assert_uint_eq(hl_leaf_sum_sent(8, 2, 1, 10), 10);
    /* A leaf each: every rank but the first sends once, in three rounds. */
    for (int r = 1; r < 8; r++) {
        ck_assert_uint_eq(hl_leaf_sum_sent(8, 8, r, 10), 10);
    }
    /* 0-1, 2-4, 5-7 of eight: rank 1 has 2-3 and 4, rank 2 has 5 and 6-7; 5 goes to rank 1, which owns 4. */
    ck_assert_uint_eq(hl_leaf_sum_sent(8, 3, 1, 10), 20);
    ck_assert_uint_eq(hl_leaf_sum_sent(8, 3, 2, 10), 20);
    ck_assert_int_eq(hl_leaf_sum_first(8, 3, 1), 2);
    ck_assert_int_eq(hl_leaf_sum_first(8, 3, 2), 5);
    ck_assert_int_eq(hl_leaf_sum_first(8, 3, 3), 8);
}

typedef struct failing {
    int first_rank; /* that fails */
    int returned;
} failing;

static void fail_together(hl_ranks *ranks, void *context)
{
    const failing *f = context;
    hl_status status = hl_ranks_agree(ranks, hl_ok());
    CHECK_OK(status);
    hl_status own = ranks->rank >= f->first_rank ? hl_error(HL_BAD_FILE, "no file %d", ranks->rank) : hl_ok();
    status = hl_ranks_agree(ranks, own);
    const char *expected =
        scratch_format(f->first_rank > 0 ? "rank %d: no file %d" : "no file 0", f->first_rank, f->first_rank);
    ck_assert_int_eq(status.code, HL_BAD_FILE);
    ck_assert_str_eq(status.text, expected);
    ck_assert(ranks->parted);
    /* Now nobody waits for anybody. */
    ck_assert_int_eq(hl_ranks_agree(ranks, own).code, own.code);
    int64_t value = ranks->rank;
    hl_ranks_sum(ranks, &value, 1);
    ck_assert_int_eq(value, ranks->rank);
    hl_ranks_broadcast(ranks, &value, sizeof value);
    ck_assert_int_eq(value, ranks->rank);
}

TEST(all_ranks_fail_with_the_lowest_one_that_does)
{
    for (int first = 0; first < 3; first++) {
        thread_ranks_run(3, fail_together, &(failing){ .first_rank = first });
    }
    ck_assert_int_eq(hl_ranks_agree(NULL, hl_error(HL_INVALID, "alone")).code, HL_INVALID);
}

static void exchange(hl_ranks *ranks, void *context)
{
    (void)context;
    int64_t values[2] = { ranks->rank, 10 };
    hl_ranks_sum(ranks, values, 2);
    ck_assert_int_eq(values[0], 0 + 1 + 2);
    ck_assert_int_eq(values[1], 30);
    int64_t of = ranks->rank + 5;
    hl_ranks_broadcast(ranks, &of, sizeof of);
    ck_assert_int_eq(of, 5);
    ck_assert(hl_ranks_leads(ranks) == (ranks->rank == 0));
}

TEST(sums_and_broadcasts_reach_all_ranks)
{
    thread_ranks_run(3, exchange, NULL);
    int64_t value = 7;
    hl_ranks_sum(NULL, &value, 1);
    hl_ranks_broadcast(NULL, &value, sizeof value);
    ck_assert_int_eq(value, 7);
    ck_assert(hl_ranks_leads(NULL));
    ck_assert_int_eq(hl_ranks_count(NULL), 1);
}

/* Each rank has one number of its own, all others are 0; then rank 1 has none. */
static void join_shares(hl_ranks *ranks, void *context)
{
    (void)context;
    hl_share share = hl_ranks_share(ranks);
    ck_assert(share.index == ranks->rank && share.count == 3);
    double numbers[3] = { 0 };
    numbers[ranks->rank] = ranks->rank - 0.3;
    ck_assert_int_eq(share.join(share.context, hl_ok(), numbers, 3).code, HL_OK);
    for (int i = 0; i < 3; i++) {
        ck_assert(numbers[i] == i - 0.3);
    }
    hl_status own = ranks->rank == 1 ? hl_error(HL_BAD_FILE, "no number") : hl_ok();
    hl_status status = share.join(share.context, own, numbers, 3);
    ck_assert_int_eq(status.code, HL_BAD_FILE);
    ck_assert_str_eq(status.text, "rank 1: no number");
}

TEST(shares_are_joined_or_all_ranks_fail)
{
    thread_ranks_run(3, join_shares, NULL);
}

/* ---- what rank 0 of three does, where the others' part is made up ---- */

typedef struct made_up {
    char calls[8];      /* 'm'aximum, 's'um, 'b'roadcast */
    int64_t largest[2]; /* what a maximum returns */
} made_up;

static void note(made_up *m, char call)
{
    size_t n = strlen(m->calls);
    ck_assert_uint_lt(n, sizeof m->calls - 1);
    m->calls[n] = call;
}

static void made_up_broadcast(void *context, int from, void *data, size_t bytes)
{
    (void)from, (void)data, (void)bytes;
    note(context, 'b'); /* and nothing is received */
}

static void made_up_maximum(void *context, int64_t *values, int64_t count)
{
    made_up *m = context;
    note(m, 'm');
    memcpy(values, m->largest, (size_t)count * sizeof *values);
}

static void made_up_sum(void *context, int64_t *values, int64_t count)
{
    (void)values, (void)count;
    note(context, 's');
}

static hl_ranks made_up_ranks(made_up *m)
{
    return (hl_ranks){
        .n = 3, .context = m, .broadcast = made_up_broadcast, .maximum = made_up_maximum, .sum = made_up_sum
    };
}

/* The rules 1 and 2 of ranks.h. */
TEST(a_sum_ends_with_a_broadcast_and_is_used_after_an_agreement)
{
    made_up m = { .calls = "" };
    hl_ranks ranks = made_up_ranks(&m);
    int64_t value = 1;
    hl_ranks_sum(&ranks, &value, 1);
    ck_assert_str_eq(m.calls, "sb");
    m = (made_up){ .calls = "" };
    hl_share share = hl_ranks_share(&ranks);
    double number = 1;
    ck_assert_int_eq(share.join(share.context, hl_ok(), &number, 1).code, HL_OK);
    ck_assert_str_eq(m.calls, "msbm");
}

TEST(a_failure_that_is_never_received_is_a_failure)
{
    made_up m = { .largest = { 2, 0 } }; /* rank 3 - 2 has failed */
    hl_ranks ranks = made_up_ranks(&m);
    message_check(hl_ranks_agree(&ranks, hl_ok()), HL_FAILED, "train.rank_1_failed_and_was_lost");
    ck_assert(ranks.parted);
}

SUITE("leaf sum")
