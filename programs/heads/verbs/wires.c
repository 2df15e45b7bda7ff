#include "core/base/memory.h"
#include "core/files/json_text.h"
#include "heads/composition.h"
#include "heads/head_set.h"
#include "programs/heads/deliver.h"
#include "programs/heads/verb.h"
#include "programs/results.h"
#include "show/table.h"
#include "study/study.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct table {
    const hl_opened_model *run;
    hl_wires wires;
    int64_t n_chance; /* wires that are stronger than 95% of random ones */
} table;

static const char *const kinds[] = { "Q", "K", "V" };

static int strongest_first(const void *a, const void *b)
{
    double x = ((const hl_wire *)a)->beyond, y = ((const hl_wire *)b)->beyond;
    return (x < y) - (x > y);
}

/* ---- the answer ---- */

static void row_of(const void *context, int64_t index, hl_row *row)
{
    const hl_wire *wire = &((const table *)context)->wires.list[index];
    hl_row_text(row, "writer", NULL, "%s", hl_head_name_of(wire->from_layer, wire->from_head).text);
    hl_row_text(row, "reader", NULL, "%s", hl_head_name_of(wire->to_layer, wire->to_head).text);
    hl_row_integer(row, NULL, "from_layer", wire->from_layer);
    hl_row_integer(row, NULL, "from_head", (double)wire->from_head);
    hl_row_integer(row, NULL, "to_layer", wire->to_layer);
    hl_row_integer(row, NULL, "to_head", (double)wire->to_head);
    hl_row_text(row, "by", "by", "%s", kinds[wire->kind]);
    hl_row_number(row, "composition", "composition", 3, wire->score);
    hl_row_number(row, "beyond chance", "beyond", 3, wire->beyond);
    hl_row_number(row, "95% of chance", "chance_95", 3, wire->quantile);
}

static void print_table(hl_text *text, const table *t)
{
    enum { SHOWN = 20 };
    int64_t n = t->wires.n < SHOWN ? t->wires.n : SHOWN;
    if (n == 0) {
        hl_text_paragraph(text, HL_TABLE_WIDTH, "%s has one layer, so no head reads what another one wrote.",
                          t->run->source.path);
        return;
    }
    hl_text_paragraph(text, HL_TABLE_WIDTH,
                      "%s: the %" PRId64 " strongest of %" PRId64 " wires. %" PRId64
                      " wires are stronger than 95%% of random ones; chance alone would give about %" PRId64 ".",
                      t->run->source.path, n, t->wires.n, t->n_chance, (t->wires.n + 10) / 20);
    hl_results_print_apart(text, (hl_results){ row_of, t, n }, HL_TABLE_WIDTH, 1);
    hl_text_paragraph(
        text, HL_TABLE_WIDTH,
        "A wire says how much of what the writer adds to the residual stream the reader can use: for its "
        "queries (Q), keys (K) or values (V). composition: the norm of the product of both heads' matrices, "
        "divided by the norms of the factors. beyond chance: less its mean for 200 pairs of random matrices "
        "of the same shapes. 95%% of chance: 95 of 100 random pairs are below this.");
}

static hl_status deliver(const table *t, const hl_heads_command *command, FILE *out)
{
    hl_results rows = { row_of, t, t->wires.n };
    hl_heads_answer answer = { 0 };
    print_table(&answer.table, t);
    hl_json_print_document(&answer.json, json_pack("{s:I, s:o}", "draws", (json_int_t)HL_COMPOSITION_DRAWS, "wires",
                                                   hl_results_json(rows)));
    if (t->wires.n > 0) {
        hl_results_csv(&answer.csv, rows);
        hl_results_markdown(&answer.markdown, rows);
    }
    return hl_heads_deliver(command, &answer, out);
}

/* ---- the verb ---- */

/* The heads' matrices and their products in double, and the wires. */
static hl_status memory(hl_heads_need *need)
{
    const hl_model_config *c = &need->run->source.shape;
    size_t n = (size_t)hl_heads_count(c), numbers = 0, widest = 0;
    for (int l = 0; l < c->n_layers; l++) {
        size_t d_k = (size_t)c->d_k[l], d_v = (size_t)c->d_v[l], D = (size_t)c->d_model;
        numbers += 2 * (size_t)c->heads[l] * (d_k * (D + d_k) + d_v * (D + d_v));
        widest = hl_heads_larger(widest, hl_heads_larger(d_k, d_v));
    }
    size_t wires = hl_size_product(n * n, HL_COMPOSITIONS * sizeof(hl_wire));
    need->bytes = hl_size_sum(hl_size_product(numbers + n * widest * widest, sizeof(double)),
                              hl_size_sum(wires, hl_heads_model_bytes(need)));
    need->remedy = "a run with fewer or narrower heads needs less";
    return hl_ok();
}

static hl_status run(hl_heads_call *call)
{
    HL_TRY(hl_heads_call_start(call, HL_DATA_TOKENS, NULL));
    int64_t step = call->command.step;
    HL_TRY(hl_heads_load_weights(&call->model, step, step >= 0));
    table t = { .run = &call->model };
    HL_TRY(hl_wires_make(&t.wires, &call->model.model, 1, call->model.source.threads));
    for (int64_t i = 0; i < t.wires.n; i++) {
        t.n_chance += t.wires.list[i].beyond > t.wires.list[i].quantile;
    }
    qsort(t.wires.list, (size_t)t.wires.n, sizeof *t.wires.list, strongest_first);
    hl_status status = deliver(&t, &call->command, call->out);
    hl_wires_free(&t.wires);
    return status;
}

const hl_heads_verb hl_heads_verb_wires = {
    .name = "wires",
    .does = "which head reads what which earlier head wrote",
    .example = "wires runs/copy_task",
    .help = hl_heads_help_wires,
    .options = "step json csv md",
    .memory = memory,
    .run = run,
};
