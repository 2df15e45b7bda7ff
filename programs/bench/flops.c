#include "programs/bench/flops.h"

#include "train/setup.h"
#include "train/trainer.h"

/* F, or 0 without feed-forward networks. */
static double inner_width(const hl_model_config *m)
{
    return m->feed_forward != HL_FEED_FORWARD_NONE ? (double)m->d_ff : 0;
}

/* How many matrices of D F numbers a feed-forward network has. */
static double inner_matrices(const hl_model_config *m)
{
    return m->feed_forward == HL_FEED_FORWARD_GATED ? 3 : 2;
}

double hl_bench_flops(const hl_config *config, int64_t B, int64_t T)
{
    const hl_model_config *m = &config->model;
    double D = (double)m->d_model, F = inner_width(m), E = m->embedding_size > 0 ? (double)m->embedding_size : D;
    bool transforms = m->head == HL_HEAD_TRANSFORM;
    double a_token = 2 * (transforms ? E : D) * (double)config->sizes.targets;
    a_token += (E != D ? 2 * E * D : 0) + (transforms ? 2 * D * E : 0);
    for (int64_t l = 0; l < m->n_layers; l++) {
        const hl_mask mask = { .causal = m->causal, .window = hl_model_config_window(m, (int)l) };
        double H = (double)m->heads[l], Hkv = (double)m->kv_heads[l], widths = (double)(m->d_k[l] + m->d_v[l]);
        a_token += 2 * D * (H + Hkv) * widths + 2 * inner_matrices(m) * D * F;
        a_token += 2 * (double)hl_mask_keys(&mask, T) * H * widths;
    }
    double an_example = m->pooler != HL_POOLER_NONE ? 2 * D * D : 0;
    return 3 * (double)B * ((double)T * a_token + an_example);
}

double hl_bench_config_flops(const hl_config *config)
{
    return hl_bench_flops(config, config->train.batch_size, config->sizes.longest);
}

double hl_bench_config_activations(const hl_config *config)
{
    const hl_model_config *m = &config->model;
    double T = (double)config->sizes.longest, a_token = 2 * (double)config->sizes.targets;
    bool keeps = !hl_setup_model(config).recompute;
    for (int64_t l = 0; l < m->n_layers; l++) {
        a_token += 8 * (double)m->d_model + inner_width(m) + (keeps ? (double)m->heads[l] * T : 0);
    }
    return (double)hl_trainer_micro_batch(config) * T * a_token;
}
