#include "data/predictors.h"

#include <string.h>

void hl_chain_begin(hl_chain *chain, int n_symbols)
{
    memset(chain, 0, sizeof *chain);
    chain->n_symbols = n_symbols;
    chain->last = -1;
}

void hl_chain_read(hl_chain *chain, int symbol)
{
    if (chain->last >= 0) {
        chain->after[chain->last][symbol]++;
    }
    chain->seen[symbol]++;
    chain->n++;
    chain->last = symbol;
}

/* Laplace's rule: (counts[b] + 1) / (their sum + S). */
static void predict_from(const int32_t *counts, int n_symbols, double *p)
{
    int64_t sum = n_symbols;
    for (int b = 0; b < n_symbols; b++) {
        sum += counts[b];
    }
    for (int b = 0; b < n_symbols; b++) {
        p[b] = (double)(counts[b] + 1) / (double)sum;
    }
}

void hl_chain_predict(const hl_chain *chain, int predictor, double *p)
{
    static const int32_t none[HL_CHAIN_SYMBOLS] = { 0 };
    const int32_t *counts = predictor == HL_PREDICT_UNIFORM   ? none
                            : predictor == HL_PREDICT_UNIGRAM ? chain->seen
                                                              : chain->after[chain->last];
    predict_from(counts, chain->n_symbols, p);
}
