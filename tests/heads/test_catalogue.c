#include "heads/alignment.h"
#include "heads/catalogue.h"
#include "heads/distance.h"
#include "heads/metrics.h"
#include "heads/offset.h"
#include "tests/check_suite.h"
#include "tests/heads/made_up.h"
#include "tests/scratch.h"

enum { MOST_READINGS = 64 };

typedef struct readings {
    hl_reading at[MOST_READINGS];
    int n;
} readings;

static void keep(void *context, const hl_reading *reading)
{
    readings *all = context;
    ck_assert_int_lt(all->n, MOST_READINGS);
    all->at[all->n++] = *reading;
}

static readings measure(made_up *m, const int64_t *offsets, int64_t n)
{
    readings all = { .n = 0 };
    hl_patterns patterns = made_up_patterns(m);
    hl_catalogue_measure(&patterns, offsets, n, keep, &all);
    return all;
}

/* The next reading, or none where there was nothing to measure. */
static void expect_next(const readings *all, int *next, hl_metric metric, int64_t parameter, hl_score expected)
{
    if (expected.n == 0) {
        return;
    }
    ck_assert_int_lt(*next, all->n);
    const hl_reading *reading = &all->at[(*next)++];
    ck_assert_int_eq(reading->metric, metric);
    ck_assert_int_eq(reading->parameter, parameter);
    ck_assert_double_eq(reading->value, expected.value);
    ck_assert(isnan(expected.baseline) ? isnan(reading->baseline) : reading->baseline == expected.baseline);
}

/* The shares in the order of heads.csv. */
static const struct {
    const char *name;
    hl_metric metric;
    hl_score (*measure)(const hl_patterns *patterns);
} shares[] = {
#define ROW(constant, name, measure, meaning) { name, constant, measure },
    HL_METRIC_SHARES(ROW)
};

static bool is_share(hl_metric metric)
{
    return metric > HL_METRIC_DISTANCE_SIGNED && metric < HL_METRIC_RELATION;
}

TEST(every_share_bears_its_name)
{
    for (int k = 0; k < ROWS(shares); k++) {
        hl_text text = { 0 };
        ck_assert(is_share(shares[k].metric));
        hl_metric_print(&text, &(hl_reading){ .metric = shares[k].metric }, NULL);
        ck_assert_str_eq(text.bytes, shares[k].name);
        hl_text_free(&text);
    }
}

LOOP_TEST(every_metric_is_of_the_scoring_half_in_the_order_of_the_list, 0, 20)
{
    static const int64_t offsets[] = { -1, 0, 1, -7, -5, 3 };
    made_up m = made_up_random((uint64_t)_i, _i % 2 == 1);
    readings all = measure(&m, offsets, 6);
    hl_patterns patterns = made_up_patterns(&m), scoring = hl_patterns_scoring(&patterns);
    hl_head_metrics table = hl_head_measure(0, &patterns);
    hl_distance distance = hl_distance_of(&scoring);
    int next = 0;
    for (int o = 0; o < 6; o++) {
        expect_next(&all, &next, HL_METRIC_OFFSET, offsets[o], hl_offset_score(&scoring, offsets[o]));
    }
    expect_next(&all, &next, HL_METRIC_BEST, 0, table.offset);
    expect_next(&all, &next, HL_METRIC_BEST_OFFSET, 0, (hl_score){ (double)table.best_offset, NAN, table.offset.n });
    expect_next(&all, &next, HL_METRIC_ALIGNMENT, 0, table.alignment);
    expect_next(&all, &next, HL_METRIC_ALIGNMENT_HIT_RATE, 0,
                (hl_score){ table.hit_rate, table.alignment.baseline, table.alignment.n });
    expect_next(&all, &next, HL_METRIC_ENTROPY, 0,
                (hl_score){ table.entropy.nats, table.entropy.uniform, table.entropy.n });
    expect_next(&all, &next, HL_METRIC_ENTROPY_NORMALISED, 0,
                (hl_score){ table.entropy.normalised, 1, table.entropy.n_normalised });
    expect_next(&all, &next, HL_METRIC_CONFIDENCE, 0, table.confidence);
    expect_next(&all, &next, HL_METRIC_DISTANCE, 0, distance.absolute);
    expect_next(&all, &next, HL_METRIC_DISTANCE_SIGNED, 0, distance.directed);
    for (int k = 0; k < ROWS(shares); k++) {
        expect_next(&all, &next, shares[k].metric, 0, shares[k].measure(&scoring));
    }
    for (int64_t r = 0; r < MADE_UP_RELATIONS; r++) {
        expect_next(&all, &next, HL_METRIC_RELATION, r, hl_relation_score(hl_relation_of(&patterns, r)));
    }
    ck_assert_int_eq(next, all.n);
}

static int count(const readings *all, hl_metric metric)
{
    int n = 0;
    for (int i = 0; i < all->n; i++) {
        n += all->at[i].metric == metric;
    }
    return n;
}

/* The names of all readings but the shares, parted by spaces. */
static void expect_names(const readings *all, const char *const *relations, const char *expected)
{
    hl_text *text = scratch_text();
    for (int i = 0; i < all->n; i++) {
        if (!is_share(all->at[i].metric)) {
            hl_text_print(text, "%s", i > 0 ? " " : "");
            hl_metric_print(text, &all->at[i], relations);
        }
    }
    CHECK_OK(hl_text_status(text));
    ck_assert_str_eq(text->bytes, expected);
}

TEST(what_there_is_nothing_of_is_not_there)
{
    static const int64_t offsets[] = { -1, 0, 1, 5 };
    made_up m = made_up_empty(2, 5, true);
    made_up_spread_evenly(&m);
    readings all = measure(&m, offsets, 4);
    expect_names(&all, NULL,
                 "offset(-1) offset(0) best best.offset entropy entropy.normalised confidence "
                 "distance distance.signed");
    ck_assert(count(&all, HL_METRIC_SPECIAL) == 1 && count(&all, HL_METRIC_FIRST) == 1);
    ck_assert(count(&all, HL_METRIC_DUPLICATE) == 0 && count(&all, HL_METRIC_INDUCTION) == 0);
    m.n_tokens = 1;
    m.lengths[0] = m.lengths[1] = 1;
    made_up_spread_evenly(&m);
    all = measure(&m, offsets, 4);
    expect_names(&all, NULL, "offset(0) best best.offset entropy confidence distance distance.signed");
}

TEST(names_are_those_of_the_definitions)
{
    static const char *const relations[] = { "noun_det", "det_noun" };
    static const int64_t offsets[] = { -1, 0, 2 };
    made_up m = made_up_empty(1, 5, false);
    made_up_spell(&m, 0, "34343");
    made_up_spread_evenly(&m);
    *made_up_source(&m, 0, 1) = 0;
    *made_up_partner(&m, 0, 0, 1) = 0;
    *made_up_partner(&m, 0, 1, 0) = 1;
    readings all = measure(&m, offsets, 3);
    keep(&all, &(hl_reading){ .metric = HL_METRIC_JS, .layer = 1, .parameter = 12 });
    expect_names(&all, relations,
                 "offset(-1) offset(0) offset(2) best best.offset alignment alignment.hit_rate entropy "
                 "entropy.normalised confidence distance distance.signed relation(noun_det) relation(det_noun) "
                 "js(L1H12)");
    all.at[0] = (hl_reading){ .metric = HL_METRIC_RELATION, .parameter = 1 };
    all.n = 1;
    expect_names(&all, NULL, "relation(1)");
}

SUITE("catalogue")
