/* How much the attention of two heads differs. */
#pragma once

#include "core/base/declarations.h"
#include "heads/pattern.h"

HL_BEGIN_DECLS

/* The Jensen-Shannon divergence between the rows of two heads, in nats; the mean over queries. With m = (a + b) / 2,
 *   js = sum_j (a_j ln(a_j / m_j) + b_j ln(b_j / m_j)) / 2 = H(m) - (H(a) + H(b)) / 2
 * It ranges from 0 (the same weights) to ln 2 (no key in common). The heads may belong to different layers or models.
 * Both patterns must be of the same examples, with the same number and lengths, and of at least one. */
double hl_divergence_of(const hl_patterns *a, const hl_patterns *b);

/* The same for callers that compare many heads and already know H(a) and H(b), which are means over queries:
 * hl_entropy_of().nats. */
double hl_divergence_given(const hl_patterns *a, const hl_patterns *b, double entropy_a, double entropy_b);

/* The same for callers that have summed H(m) over all queries themselves. */
double hl_divergence_end(double sum, int64_t queries, double entropy_a, double entropy_b);

HL_END_DECLS
