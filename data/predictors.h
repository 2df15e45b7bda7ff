/* How likely each next symbol of a Markov chain is, as three predictors see it that read the same chain from the left
 * (Edelman et al. 2024, "The Evolution of Statistical Induction Heads", arXiv:2402.11004). S is the number of symbols:
 *   uniform   1 / S
 *   unigram   (n_b + 1) / (n + S): how often b was among the n symbols so far
 *   bigram    (n_ab + 1) / (n_a + S): how often b came after a, the last symbol. Bayes' rule for a chain whose rows are
 *             drawn from Dirichlet(1, ..., 1) */
#pragma once

#include "core/base/declarations.h"

#include <stdint.h>

HL_BEGIN_DECLS

enum { HL_PREDICT_UNIFORM, HL_PREDICT_UNIGRAM, HL_PREDICT_BIGRAM, HL_PREDICTORS };
enum { HL_CHAIN_SYMBOLS = 16 /* the most symbols of a chain */ };

/* What has been read of a chain. */
typedef struct hl_chain {
    int n_symbols;                                     /* S */
    int last;                                          /* the last symbol; -1: nothing has been read */
    int32_t n;                                         /* symbols so far */
    int32_t seen[HL_CHAIN_SYMBOLS];                    /* of each symbol: n_b */
    int32_t after[HL_CHAIN_SYMBOLS][HL_CHAIN_SYMBOLS]; /* of each pair: n_ab */
} hl_chain;

/* A chain of which nothing has been read. */
void hl_chain_begin(hl_chain *chain, int n_symbols);

/* Reads the next symbol, 0 .. S - 1. */
void hl_chain_read(hl_chain *chain, int symbol);

/* p (S): the probability of each symbol to be the next one; something must have been read. */
void hl_chain_predict(const hl_chain *chain, int predictor, double *p);

HL_END_DECLS
