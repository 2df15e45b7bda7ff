/* The Shapley value of each head, and the smallest set of heads that suffices.
 *
 * The Shapley value of head i of n is how much adding it lowers the loss, averaged over all orders of adding the heads
 * (Shapley 1953):
 *   phi_i = sum over the sets S without i of |S|! (n - |S| - 1)! / n! * (loss(S) - loss(S and i))
 * The values sum to loss(none) - loss(all). A set is a number: bit i stands for head i. */
#pragma once

#include "core/base/declarations.h"

#include <stdint.h>

HL_BEGIN_DECLS

/* Writes the values (n), computed from the losses (2^n) of all sets, 1 <= n <= 30. */
void hl_shapley_values(int n, const double *losses, double *values);

/* The set with the fewest heads whose accuracy is at least `share` of the accuracy of all heads. Among several, the set
 * with the lowest loss. losses and accuracies: (2^n). */
uint32_t hl_smallest_set(int n, const double *losses, const double *accuracies, double share);

HL_END_DECLS
