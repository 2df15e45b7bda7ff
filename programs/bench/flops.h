/* The arithmetic and the memory of an update by formula, with which `bench` compares its measurements. */
#pragma once

#include "train/config.h"

/* Floating-point operations in the matrix products of an update on B examples of T tokens. A multiply-add counts as 2,
 * and backward counts twice as much as forward:
 *   3 B T (sum over layers of (2 D (H Dk + Hkv Dk + Hkv Dv + H Dv) + 4 D F + 2 T H (Dk + Dv)) + 2 D V)
 * and, where embeddings are E wide, 2 E D for their projection; with a transform 2 D E and 2 E V in the place of 2 D V;
 * with a pooler 2 D D for each example.
 * With heads of D / H everywhere that is 3 B T (L (8 D^2 + 4 D F + 4 T D) + 2 D V). A causal mask saves nothing of
 * it. Through a window, a query multiplies its own keys instead of T. */
double hl_bench_flops(const hl_config *config, int64_t B, int64_t T);

/* The same with the batch and the longest example of the config. */
double hl_bench_config_flops(const hl_config *config);

/* Numbers that an update keeps from forward to backward, of one micro-batch, to the leading terms:
 *   B T (sum over layers of (8 D + F + H T) + 2 V)
 * the inputs of every layer's products and layer norms, its attention weights unless they are made again (H T), the
 * logits and their gradient. */
double hl_bench_config_activations(const hl_config *config);
