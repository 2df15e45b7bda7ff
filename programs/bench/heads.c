#include "programs/bench/runs.h"

#include "programs/bench/machine.h"
#include "programs/print_line.h"
#include "train/setup.h"

#include <inttypes.h>

enum { WIDTH = 80, HEADS = 8, LABEL_TEXT = 64, OVERRIDE_TEXT = 64 };

/* All that is measured; every config is checked before the first measurement. */
typedef struct plan {
    hl_config config;
    hl_bench_job batched, looped; /* the config's first layer */
    hl_bench_job one, many;       /* the whole encoder with 1 and with `count` heads */
    int64_t count;
    char many_heads[OVERRIDE_TEXT]; /* an override of `many` */
} plan;

static void print_row(FILE *out, const char *label, const hl_bench_figures *f)
{
    fprintf(out, "%-32s%10.3f%10.1f%12.2f%12.1f\n", label, f->ms, f->gflops, f->arena_mib, f->peak_rss_mib);
    fflush(out);
}

/* Measures both and prints a row for each and their ratios. `b` gets the figures of the second. */
static hl_status compare(const char *program, const char *what, const hl_bench_job *one, const char *label,
                         const hl_bench_job *other, const char *other_label, FILE *out, hl_bench_figures *b)
{
    hl_bench_figures a;
    fprintf(out, "%-32s%10s%10s%12s%12s\n", what, "ms", "GFLOP/s", "arena MiB", "peak MiB");
    HL_TRY(hl_bench_process_run(program, one, &a));
    print_row(out, label, &a);
    HL_TRY(hl_bench_process_run(program, other, b));
    print_row(out, other_label, b);
    fprintf(out, "%-32s%9.2fx%9.2fx%11.2fx%11.2fx\n", "  the second row against the first", b->ms / a.ms,
            b->gflops / a.gflops, b->arena_mib / a.arena_mib, b->peak_rss_mib / a.peak_rss_mib);
    return hl_ok();
}

/* Replaces the config's heads by those of the override `heads`, of width d_model / heads. */
static hl_status set_heads(hl_bench_job *job, const char *heads, hl_config *config)
{
    const char *const overrides[] = { heads, "model.kv_heads=0", "model.d_k=0", "model.d_v=0" };
    job->what = HL_BENCH_STEP;
    for (size_t i = 0; i < sizeof overrides / sizeof *overrides; i++) {
        hl_named_config_set(&job->config, overrides[i]);
    }
    return hl_bench_job_config(job, NULL, config);
}

/* How many heads are compared with one: as many as the user asks for, or eight. */
static hl_status choose_count(const hl_bench_job *job, const hl_config *config, int64_t *count)
{
    const hl_model_config *m = &config->model;
    bool given = hl_named_config_sets(&job->config, "model.heads"), same = true;
    for (int64_t l = 1; l < m->n_layers; l++) {
        same = same && m->heads[l] == m->heads[0];
    }
    *count = given ? m->heads[0] : HEADS;
    if (given && (!same || *count < 2)) {
        return hl_error(HL_INVALID, "command line: model.heads: --heads compares one head with this number: give one "
                                    "number for all layers, 2 or more");
    }
    if (m->d_model % *count != 0) {
        return hl_error(HL_INVALID,
                        "%s: --heads compares one head with %" PRId64 ", and d_model %" PRId64 " is no multiple of "
                        "that; give another number, as in model.heads=4",
                        job->config.path, *count, m->d_model);
    }
    return hl_ok();
}

static hl_status make_plan(const hl_bench_job *job, FILE *err, plan *p)
{
    hl_config config;
    p->batched = p->looped = p->one = p->many = *job;
    p->batched.what = HL_BENCH_HEADS;
    p->looped.what = HL_BENCH_LOOP;
    HL_TRY(hl_bench_job_config(job, err, &p->config));
    /* Overrides of keys that the second comparison sets are refused: they would have no effect. */
    static const char *const keys[] = { "model.kv_heads", "model.d_k", "model.d_v" };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (hl_named_config_sets(&job->config, keys[i])) {
            return hl_error(HL_INVALID,
                            "command line: %s: --heads compares heads of width d_model / heads; leave it out, or give "
                            "it in the config for the first comparison alone",
                            keys[i]);
        }
    }
    HL_TRY(choose_count(job, &p->config, &p->count));
    snprintf(p->many_heads, sizeof p->many_heads, "model.heads=%" PRId64, p->count);
    HL_TRY(set_heads(&p->one, "model.heads=1", &config));
    return set_heads(&p->many, p->many_heads, &config);
}

static hl_status compare_counts(const char *program, const plan *p, FILE *out)
{
    hl_bench_figures many;
    char label[LABEL_TEXT];
    int count = (int)p->count;
    snprintf(label, sizeof label, "%d heads of width d_model / %d", count, count);
    HL_TRY(compare(program, "a step of the whole encoder", &p->one, "1 head of width d_model", &p->many, label, out,
                   &many));
    hl_text text = { 0 };
    hl_text_paragraph(&text, WIDTH,
                      "Equal: d_model, the parameters, and the arithmetic of all products, %.4g GFLOP a step. What "
                      "differs: %d heads have %d times as many attention weights (B H T T), and with them softmax, "
                      "dropout and the memory they take; and their products are %d times narrower, which a processor "
                      "does at a lower rate.",
                      1e-9 * many.flops, count, count, count);
    return hl_print_text(out, &text);
}

hl_status hl_bench_heads(const char *program, const hl_bench_job *job, FILE *out, FILE *err)
{
    plan p;
    HL_TRY(make_plan(job, err, &p));
    HL_TRY(hl_bench_machine_announce(hl_setup_threads(&p.config), out, err));
    hl_print_line(out, "%s: B=%lld examples, d_model %lld, %lld heads%s", job->config.path,
                  (long long)p.config.train.batch_size, (long long)p.config.model.d_model,
                  (long long)p.config.model.heads[0], p.config.train.precision == HL_PRECISION_BF16 ? ", in bf16" : "");
    fputc('\n', out);
    hl_bench_figures loop;
    HL_TRY(compare(program, "one layer, forward and backward", &p.batched, "all heads at once", &p.looped,
                   "a loop over the heads", out, &loop));
    hl_text text = { 0 };
    hl_text_paragraph(&text, WIDTH,
                      "Both compute the same numbers from the same weights. The loop slices q, k and v apart and runs "
                      "every head as ops of its own, whose intermediate tensors all go through memory; at once, a "
                      "head's scores stay in a core's cache and the heads are spread over the threads.");
    hl_text_print(&text, "\n");
    HL_TRY(hl_print_text(out, &text));
    return compare_counts(program, &p, out);
}
