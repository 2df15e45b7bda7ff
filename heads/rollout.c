#include "heads/rollout.h"

#include <string.h>

void hl_rollout_means(const hl_snapshot *snapshot, int64_t example, hl_real *mean)
{
    int64_t T = snapshot->examples.n_tokens, n = snapshot->examples.lengths[example];
    memset(mean, 0, (size_t)(snapshot->config->n_layers * n * n) * sizeof *mean);
    for (int l = 0; l < snapshot->config->n_layers; l++, mean += n * n) {
        int64_t H = snapshot->config->heads[l];
        const hl_real *maps = snapshot->layers[l].weights + example * H * T * T;
        for (int64_t h = 0; h < H; h++) {
            for (int64_t i = 0; i < n * n; i++) {
                mean[i] += maps[h * T * T + i / n * T + i % n] / (hl_real)H;
            }
        }
    }
}

/* out = the row of (W + I) / sum, times below; NULL stands for the identity. */
static void roll_row(int64_t n, int64_t i, const hl_real *mean, const hl_real *below, double *sum, hl_real *out)
{
    double total = 1;
    for (int64_t j = 0; j < n; j++) {
        total += (double)mean[i * n + j];
        sum[j] = 0;
    }
    for (int64_t k = 0; k < n; k++) {
        double share = ((double)mean[i * n + k] + (k == i)) / total;
        if (below == NULL) {
            sum[k] = share;
        }
        for (int64_t j = 0; below != NULL && j < n; j++) {
            sum[j] += share * (double)below[k * n + j];
        }
    }
    for (int64_t j = 0; j < n; j++) {
        out[i * n + j] = (hl_real)sum[j];
    }
}

void hl_rollout(int n_layers, int64_t n, const hl_real *mean, double *row, hl_real *rollout)
{
    for (int l = 0; l < n_layers; l++) {
        for (int64_t i = 0; i < n; i++) {
            roll_row(n, i, mean + l * n * n, l > 0 ? rollout + (l - 1) * n * n : NULL, row, rollout + l * n * n);
        }
    }
}
