#include "train/bench_heads.h"

#include "train/bench_print.h"
#include "train/bench_process.h"

enum { WIDTH = 80 };

static void print_head(FILE *out, const char *what)
{
    fprintf(out, "%-32s%10s%10s%12s%12s\n", what, "ms", "GFLOP/s", "arena MiB", "peak MiB");
}

static void print_row(FILE *out, const char *label, const hl_bench_figures *f)
{
    fprintf(out, "%-32s%10.3f%10.1f%12.2f%12.1f\n", label, f->ms, f->gflops, f->arena_mib, f->peak_rss_mib);
    fflush(out);
}

static void print_ratio(FILE *out, const hl_bench_figures *a, const hl_bench_figures *b)
{
    fprintf(out, "%-32s%9.2fx%9.2fx%11.2fx%11.2fx\n", "  the second row against the first", b->ms / a->ms,
            b->gflops / a->gflops, b->arena_mib / a->arena_mib, b->peak_rss_mib / a->peak_rss_mib);
}

static hl_status compare_loop(const char *program, const hl_bench_job *job, FILE *out)
{
    hl_bench_job batched = *job, looped = *job;
    batched.what = HL_BENCH_HEADS;
    looped.what = HL_BENCH_LOOP;
    hl_bench_figures a, b;
    print_head(out, "one layer, forward and backward");
    HL_TRY(hl_bench_process_run(program, &batched, &a));
    print_row(out, "all heads at once", &a);
    HL_TRY(hl_bench_process_run(program, &looped, &b));
    print_row(out, "a loop over the heads", &b);
    print_ratio(out, &a, &b);
    hl_text text = { 0 };
    hl_text_paragraph(&text, WIDTH,
                      "Both compute the same numbers from the same weights. The loop slices q, k and v apart and runs "
                      "every head as ops of its own, whose intermediate tensors all go through memory; at once, a "
                      "head's scores stay in a core's cache and the heads are spread over the threads.");
    hl_text_print(&text, "\n");
    return hl_bench_print(out, &text);
}

static hl_status measure_with(const char *program, const hl_bench_job *job, const char *heads,
                              hl_bench_figures *figures)
{
    hl_bench_job one = *job;
    one.what = HL_BENCH_STEP;
    const char *const overrides[] = { heads, "model.kv_heads=0", "model.d_k=0", "model.d_v=0" };
    for (size_t i = 0; i < sizeof overrides / sizeof *overrides; i++) {
        HL_TRY(hl_bench_job_override(&one, overrides[i]));
    }
    return hl_bench_process_run(program, &one, figures);
}

static hl_status compare_counts(const char *program, const hl_bench_job *job, FILE *out)
{
    hl_bench_figures a, b;
    print_head(out, "a step of the whole encoder");
    HL_TRY(measure_with(program, job, "model.heads=1", &a));
    print_row(out, "1 head of width d_model", &a);
    HL_TRY(measure_with(program, job, "model.heads=8", &b));
    print_row(out, "8 heads of width d_model / 8", &b);
    print_ratio(out, &a, &b);
    hl_text text = { 0 };
    hl_text_paragraph(&text, WIDTH,
                      "Equal: d_model, the parameters, and the arithmetic of all products, %.4g GFLOP a step. What "
                      "differs: eight heads have eight times as many attention weights (B H T T), and with them "
                      "softmax, dropout and the memory they take; and their products are eight times narrower, "
                      "which a processor does at a lower rate.",
                      1e-9 * b.flops);
    return hl_bench_print(out, &text);
}

hl_status hl_bench_heads(const char *program, const hl_bench_job *job, FILE *out)
{
    hl_config config;
    HL_TRY(hl_bench_job_config(job, &config));
    fprintf(out, "%s: B=%lld examples, d_model %lld, %lld heads\n\n", job->config, (long long)config.train.batch_size,
            (long long)config.model.d_model, (long long)config.model.heads[0]);
    HL_TRY(compare_loop(program, job, out));
    return compare_counts(program, job, out);
}
