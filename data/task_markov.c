#include "data/predictors.h"
#include "data/private/task_parts.h"

#include <stddef.h>

/* Every example is a Markov chain of its own (Edelman et al. 2024, arXiv:2402.11004). Each row of its transition matrix
 * is drawn from Dirichlet(1, ..., 1), and its first symbol from its stationary distribution. At every position the
 * answer is the next symbol. So the model has to learn the chain while it reads: how often each symbol occurs, or
 * better, how often it follows the last one, which takes an induction head. data/predictors.h has both rules. */

/* Probabilities are integers out of WHOLE, so that examples are the same on all machines. */
enum { WHOLE = 1 << 30, SHORTEST = 2 };

/* bounds[a][b]: the probability that a symbol up to b follows a. */
typedef struct chain {
    int64_t n_symbols;
    int32_t bounds[HL_CHAIN_SYMBOLS][HL_CHAIN_SYMBOLS];
} chain;

static hl_status check(const hl_task_spec *spec)
{
    HL_TRY(hl_task_check_range("symbols", spec->symbols, 2, HL_CHAIN_SYMBOLS));
    return hl_task_check_lengths(spec, SHORTEST);
}

/* The gaps between S - 1 sorted uniform numbers are distributed as Dirichlet(1, ..., 1). */
static void draw_chain(hl_draw *draw, chain *c)
{
    for (int64_t a = 0; a < c->n_symbols; a++) {
        int32_t *bounds = c->bounds[a];
        for (int64_t n = 0; n < c->n_symbols - 1; n++) {
            int32_t number = hl_draw_below(draw, WHOLE);
            int64_t at = n;
            for (; at > 0 && bounds[at - 1] > number; at--) {
                bounds[at] = bounds[at - 1];
            }
            bounds[at] = number;
        }
        bounds[c->n_symbols - 1] = WHOLE;
    }
}

static double probability(const chain *c, int64_t a, int64_t b)
{
    return c->bounds[a][b] - (b > 0 ? c->bounds[a][b - 1] : 0);
}

/* The stationary distribution, up to a factor, by elimination without subtractions (Grassmann, Taksar and Heyman
 * 1985). */
static void find_stationary(const chain *c, double *share)
{
    double P[HL_CHAIN_SYMBOLS][HL_CHAIN_SYMBOLS];
    int64_t S = c->n_symbols;
    for (int64_t i = 0; i < S * S; i++) {
        P[i / S][i % S] = probability(c, i / S, i % S);
    }
    for (int64_t k = S - 1; k > 0; k--) {
        double leaves = 0;
        for (int64_t j = 0; j < k; j++) {
            leaves += P[k][j];
        }
        for (int64_t i = 0; i < k; i++) {
            P[i][k] /= leaves > 0 ? leaves : 1;
            for (int64_t j = 0; j < k; j++) {
                P[i][j] += P[i][k] * P[k][j];
            }
        }
    }
    share[0] = 1;
    for (int64_t k = 1; k < S; k++) {
        share[k] = 0;
        for (int64_t i = 0; i < k; i++) {
            share[k] += share[i] * P[i][k];
        }
    }
}

static int32_t draw_first(const chain *c, hl_draw *draw)
{
    double share[HL_CHAIN_SYMBOLS], whole = 0;
    find_stationary(c, share);
    for (int64_t a = 0; a < c->n_symbols; a++) {
        whole += share[a];
    }
    double left = whole * hl_draw_below(draw, WHOLE) / WHOLE;
    int32_t symbol = 0;
    while (symbol < c->n_symbols - 1 && left >= share[symbol]) {
        left -= share[symbol++];
    }
    return symbol;
}

static int32_t draw_next(const chain *c, int32_t last, hl_draw *draw)
{
    int32_t number = hl_draw_below(draw, WHOLE), symbol = 0;
    while (number >= c->bounds[last][symbol]) {
        symbol++;
    }
    return symbol;
}

static void make(const hl_task_spec *spec, int64_t n, hl_draw *draw, hl_example example)
{
    chain c = { .n_symbols = spec->symbols };
    draw_chain(draw, &c);
    int32_t symbol = draw_first(&c, draw);
    for (int64_t i = 0; i < n; i++) {
        example.tokens[i] = HL_SPECIAL_TOKENS + symbol;
        symbol = draw_next(&c, symbol, draw);
        example.targets[i] = HL_SPECIAL_TOKENS + symbol;
    }
}

const hl_task hl_task_markov = {
    .name = "markov",
    .summary = "predict the next symbol of a Markov chain, which is another one in each example",
    .keys = { "length", "min_length", "symbols" },
    .is_chain = true,
    .check = check,
    .make = make,
};
