/* Attention rollout (Abnar and Zuidema 2020, "Quantifying attention flow in transformers"): where the information in
 * each position of a layer's output comes from, through this layer and all layers below it.
 *   W_l = the mean over the layer's heads of A (or of shares of norms, heads/norm_shares.h)
 *   A_l = (W_l + I), with rows scaled to sum 1;   R_0 = A_0,  R_l = A_l R_(l-1) */
#pragma once

#include "core/base/declarations.h"
#include "core/base/real.h"
#include "heads/snapshot.h"

#include <stdint.h>

HL_BEGIN_DECLS

/* mean (L, n, n): W_l for example `example` of a snapshot; n is the example's length. */
void hl_rollout_means(const hl_snapshot *snapshot, int64_t example, hl_real *mean);

/* rollout (L, n, n): R_l from W_l (L, n, n), computed in double precision. `row` (n): scratch. */
void hl_rollout(int n_layers, int64_t n, const hl_real *mean, double *row, hl_real *rollout);

HL_END_DECLS
