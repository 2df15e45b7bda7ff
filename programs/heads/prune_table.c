#include "programs/heads/pruning.h"

#include "core/base/memory.h"
#include "core/base/units.h"
#include "core/files/json_text.h"
#include "heads/head_set.h"
#include "programs/heads/deliver.h"
#include "show/curve_picture.h"
#include "show/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const double PNG_DPI = 300;

/* "L0H2"; "" for the first row. */
static hl_head_name removed_of(const hl_heads_pruning *pruning, const hl_heads_pruning_row *row)
{
    return row->removed >= 0 ? hl_head_name_at(&pruning->run->source.shape, row->removed) : (hl_head_name){ "" };
}

/* ---- the table ---- */

static void write_sentence(hl_text *text, const hl_heads_pruning *pruning)
{
    const double share = 0.99;
    double whole = pruning->rows[0].worth.accuracy;
    int64_t last = 0;
    while (last + 1 < pruning->n_rows && pruning->rows[last + 1].worth.accuracy >= share * whole) {
        last++;
    }
    hl_text_paragraph(text, HL_TABLE_WIDTH,
                      "Down to %" PRId64 " of %" PRId64 " heads the accuracy stays at or above %.0f%% of the whole "
                      "model's, %.2f%%.",
                      pruning->rows[last].heads, pruning->rows[0].heads, 100 * share, 100 * whole);
    hl_text left = { 0 };
    hl_head_set_print(&left, &pruning->run->source.shape, pruning->kept);
    hl_text_paragraph(text, HL_TABLE_WIDTH, "Left in the end: %s.", hl_text_part(text, &left));
    hl_text_free(&left);
}

static void write_table(hl_text *text, const hl_heads_pruning *pruning)
{
    const hl_opened_model *run = pruning->run;
    if (run->weights_step >= 0) {
        hl_text_paragraph(text, HL_TABLE_WIDTH, "%s, weights of step %" PRId64, run->source.path, run->weights_step);
    } else {
        hl_text_paragraph(text, HL_TABLE_WIDTH, "%s", run->source.path);
    }
    hl_text_paragraph(
        text, HL_TABLE_WIDTH,
        "Heads are removed one by one, each time the one %s, on %" PRId64
        " examples%s. Loss and accuracy: on the %s examples of %s; ms: a forward pass over %" PRId64
        " of them on one thread, the fastest of several. Every layer keeps one head.",
        pruning->by == HL_PRUNE_BY_LOSS ? "without which the loss grows least" : "with the least gradient importance",
        pruning->n_importance, pruning->once ? ", ranked once in the whole model" : ", measured again after each",
        HL_COUNT(pruning->n_validation), run->source.validation, pruning->batch);
    hl_text_print(text, "\n%5s  %-7s%11s%10s%14s%9s\n", "heads", "removed", "loss", "accuracy", "parameters", "ms");
    for (int64_t i = 0; i < pruning->n_rows; i++) {
        const hl_heads_pruning_row *row = &pruning->rows[i];
        hl_head_name removed = removed_of(pruning, row);
        char parameters[HL_UNITS_TEXT], loss[HL_UNITS_TEXT];
        hl_text_print(text, "%5" PRId64 "  %-7s%11s%9.2f%%%14s%9.2f\n", row->heads,
                      removed.text[0] != '\0' ? removed.text : "-", hl_units_number(row->worth.loss, 4, loss),
                      100 * row->worth.accuracy, hl_units_count(row->parameters, parameters), 1e3 * row->seconds);
    }
    hl_text_print(text, "\n");
    write_sentence(text, pruning);
}

/* ---- JSON; NULL stands for missing memory ---- */

static void write_json(hl_text *text, const hl_heads_pruning *pruning)
{
    json_t *rows = json_array();
    for (int64_t i = 0; i < pruning->n_rows; i++) {
        const hl_heads_pruning_row *row = &pruning->rows[i];
        hl_json_append(
            &rows, json_pack("{s:I, s:o, s:o, s:o, s:o, s:I, s:o}", "heads", (json_int_t)row->heads, "removed",
                             row->removed >= 0 ? json_string(removed_of(pruning, row).text) : json_null(), "loss",
                             hl_json_number(row->worth.loss), "perplexity", hl_json_number(exp(row->worth.loss)),
                             "accuracy", hl_json_number(row->worth.accuracy), "parameters", (json_int_t)row->parameters,
                             "milliseconds_per_batch", hl_json_number(1e3 * row->seconds)));
    }
    int64_t step = pruning->run->weights_step;
    hl_json_print_document(text,
                           json_pack("{s:o, s:I, s:o}", "weights_step", step >= 0 ? json_integer(step) : json_null(),
                                     "examples", (json_int_t)pruning->n_validation, "rows", rows));
}

/* ---- the chart ---- */

static hl_status draw(const void *context, hl_picture_format format, hl_text *bytes)
{
    enum { CURVES = 3, ROW_NAME = 64 };
    const hl_heads_pruning *pruning = context;
    int64_t n = pruning->n_rows;
    double *values = hl_calloc(CURVES * (size_t)n, sizeof *values);
    char(*names)[ROW_NAME] = hl_calloc((size_t)n, sizeof *names);
    const char **rows = hl_calloc((size_t)n, sizeof *rows);
    hl_text caption = { 0 };
    hl_text_print(&caption, "%s: heads taken out one by one, the least important first", pruning->run->source.name);
    hl_status status = hl_text_status(&caption);
    if (values == NULL || names == NULL || rows == NULL) {
        status = hl_error_memory("the chart of pruning");
    } else if (status.code == HL_OK) {
        for (int64_t i = 0; i < n; i++) {
            const hl_heads_pruning_row *row = &pruning->rows[i];
            values[i] = row->worth.loss;
            values[n + i] = row->worth.accuracy;
            values[2 * n + i] = 1e3 * row->seconds;
            snprintf(names[i], ROW_NAME, "%s%s  %" PRId64, row->removed >= 0 ? "- " : "all",
                     removed_of(pruning, row).text, row->heads);
            rows[i] = names[i];
        }
        const hl_curve curves[CURVES] = {
            { .name = "validation loss", .values = values },
            { .name = "validation accuracy", .values = values + n },
            { .name = "milliseconds a batch: forward, on one thread", .values = values + 2 * n },
        };
        hl_curve_picture picture = { .curves = curves,
                                     .n_curves = CURVES,
                                     .rows = rows,
                                     .n_rows = n,
                                     .axis = "the head that went, and how many are left",
                                     .caption = caption.bytes };
        status = hl_curve_picture_print(&picture, format, PNG_DPI, bytes);
    }
    hl_free(values);
    hl_free(names);
    hl_free(rows);
    hl_text_free(&caption);
    return status;
}

hl_status hl_heads_prune_show_curve(const hl_heads_pruning *pruning, const hl_heads_command *command, FILE *out)
{
    hl_heads_answer answer = { .draw = draw, .of = pruning };
    write_table(&answer.table, pruning);
    write_json(&answer.json, pruning);
    hl_text_print(&answer.csv, "heads,removed,loss,perplexity,accuracy,parameters,milliseconds_per_batch\n");
    for (int64_t i = 0; i < pruning->n_rows; i++) {
        const hl_heads_pruning_row *row = &pruning->rows[i];
        char perplexity[HL_UNITS_TEXT];
        hl_text_print(&answer.csv, "%" PRId64 ",%s,%.9g,%s,%.9g,%" PRId64 ",%.6g\n", row->heads,
                      removed_of(pruning, row).text, row->worth.loss, hl_units_field(exp(row->worth.loss), perplexity),
                      row->worth.accuracy, row->parameters, 1e3 * row->seconds);
    }
    return hl_heads_deliver(command, &answer, out);
}
