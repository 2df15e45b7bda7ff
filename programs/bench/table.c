#include "programs/bench/table.h"

#include <string.h>

enum { WIDTH = 80 };

void hl_bench_table_head(hl_text *text)
{
    hl_text_print(text, "%-12s%10s%7s%11s%8s%7s%7s%9s%9s\n", "workload", "ms/step", "spread", "tokens/s", "GFLOP/s",
                  "sgemm", "share", "peak MiB", "padding");
}

void hl_bench_table_row(hl_text *text, const hl_bench_figures *f)
{
    double spread = (f->ms_3_quarters - f->ms_quarter) / f->ms;
    hl_text_print(text, "%-12s%10.3f%6.1f%%%11.0f%8.1f%7.1f%6.1f%%%9.1f", f->name, f->ms, 100 * spread,
                  f->tokens_per_second, f->gflops, f->sgemm_gflops, 100 * f->gflops / f->sgemm_gflops, f->peak_rss_mib);
    if (f->padding_saved > 0) {
        hl_text_print(text, "%8.1f%%\n", 100 * f->padding_saved);
    } else {
        hl_text_print(text, "%9s\n", "-");
    }
    if (strcmp(f->precision, "bf16") == 0) {
        hl_text_print(text, "%-12s    in bf16; sgemm is the rate of products in float\n", "");
    }
    if (f->allocations_per_step > 0) {
        hl_text_print(text, "%-12s%10.3g allocations a step, where there should be none\n", "",
                      f->allocations_per_step);
    }
}

void hl_bench_table_legend(hl_text *text)
{
    hl_text_print(text, "\n");
    hl_text_paragraph(
        text, WIDTH,
        "A step is one update: batch, forward, backward, optimizer. ms/step is the median, spread how far apart "
        "the quartiles are. GFLOP/s counts the products' multiply-adds as 2 and backward twice as much as forward; "
        "sgemm is the rate of large products alone, just before or after, whichever was better, and share the part of "
        "it that the steps reach. padding is the share of a padded batch that is not computed; \"-\": all examples "
        "have "
        "one length. Unless a row says otherwise, no step allocates memory; counted is what Headlight allocates, not "
        "what libraries do on their own, as LIBXSMM for the code of products of a new length.");
}

void hl_bench_table_profile(hl_text *text, const hl_bench_figures *f)
{
    const hl_bench_profile *profile = &f->profile;
    double rest = hl_bench_profile_rest(profile);
    hl_text_print(text, "\n%s, op by op\n", f->name);
    hl_text_print(text, "%-18s%-10s%10s%12s%9s%10s\n", "op", "", "calls", "ms/step", "share", "rate");
    for (int i = 0; i < profile->n_rows; i++) {
        const hl_bench_row *row = &profile->rows[i];
        bool products = row->flops > 0;
        double rate = 1e-6 * (products ? row->flops : row->bytes) / row->ms;
        hl_text_print(text, "%-18s%-10s%10.1f%12.4f%8.1f%%%10.1f %s\n", row->op, row->backward ? "backward" : "forward",
                      row->calls, row->ms, 100 * row->ms / profile->ms, rate, products ? "GFLOP/s" : "GB/s");
    }
    hl_text_print(text, "%-38s%12.4f%8.1f%%\n", "outside the ops", rest, 100 * rest / profile->ms);
    hl_text_print(text, "%-38s%12.4f%8.1f%%\n", "a step, the mean", profile->ms, 100.0);
    hl_text_paragraph(text, WIDTH,
                      "Calls are those of a step. GB/s takes an op's inputs and output, backward their gradients "
                      "too, as read or written once: an estimate. Outside the ops: the batch, zeroed gradients, "
                      "the tape's records, clipping, the optimizer.");
}
