#include "programs/train/summary.h"

#include "core/base/units.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Neighbouring rows: one layer, or modules outside of the layers. */
typedef struct block {
    int first, end; /* rows first .. end - 1 */
    int layer;      /* or -1 */
} block;

static block block_at(const hl_graph *graph, int first)
{
    block b = { .first = first, .end = first, .layer = graph->rows[first].layer };
    while (b.end < graph->n && graph->rows[b.end].layer == b.layer) {
        b.end++;
    }
    return b;
}

static int64_t block_parameters(const hl_graph *graph, block b)
{
    int64_t count = 0;
    for (int i = b.first; i < b.end; i++) {
        count += graph->rows[i].parameters;
    }
    return count;
}

/* A module's name within its layer: "self_attn.out_proj", "" for the layer's own ops. */
static const char *local_name(const hl_graph_row *row)
{
    if (row->layer < 0) {
        return row->module;
    }
    const char *number = row->module + sizeof "encoder.layers." - 1, *dot = strchr(number, '.');
    return dot != NULL ? dot + 1 : "";
}

static bool layers_equal(const hl_graph *graph, block a, block b)
{
    bool equal = a.layer >= 0 && b.layer >= 0 && a.end - a.first == b.end - b.first;
    for (int i = 0; equal && i < a.end - a.first; i++) {
        const hl_graph_row *x = &graph->rows[a.first + i], *y = &graph->rows[b.first + i];
        equal = strcmp(local_name(x), local_name(y)) == 0 && strcmp(x->what, y->what) == 0 &&
                hl_shape_equal(x->shape, y->shape) && x->parameters == y->parameters;
    }
    return equal;
}

/* The last of the blocks from `first` on that are equal layers. */
static block last_equal(const hl_graph *graph, block first)
{
    block last = first;
    while (last.end < graph->n) {
        block next = block_at(graph, last.end);
        if (!layers_equal(graph, first, next)) {
            break;
        }
        last = next;
    }
    return last;
}

/* The first column's text: within a layer the last part of the name, indented by its depth; "" in all but the first row
 * of a module. */
static void module_text(const hl_graph *graph, int row, char text[HL_NAME_TEXT])
{
    const char *name = local_name(&graph->rows[row]);
    bool repeated = row > 0 && strcmp(graph->rows[row].module, graph->rows[row - 1].module) == 0;
    text[0] = '\0';
    if (repeated || name[0] == '\0') {
        return;
    }
    int indent = 0;
    if (graph->rows[row].layer >= 0) {
        indent = 2;
        for (const char *dot; (dot = strchr(name, '.')) != NULL; name = dot + 1) {
            indent += 2;
        }
    }
    snprintf(text, HL_NAME_TEXT, "%*s%s", indent, "", name);
}

typedef struct widths {
    int module, what, shape, parameters;
} widths;

static void widen(int *width, const char *text)
{
    int length = (int)strlen(text);
    *width = length > *width ? length : *width;
}

static widths measure(const hl_graph *graph)
{
    widths w = { 0 };
    widen(&w.module, "module");
    widen(&w.shape, "shape");
    widen(&w.parameters, "parameters");
    for (int i = 0; i < graph->n; i++) {
        char module[HL_NAME_TEXT], shape[HL_SHAPE_TEXT];
        module_text(graph, i, module);
        widen(&w.module, module);
        widen(&w.what, graph->rows[i].what);
        widen(&w.shape, hl_shape_text(graph->rows[i].shape, shape));
    }
    for (int i = 0; i < graph->n; i = block_at(graph, i).end) {
        char count[HL_UNITS_TEXT];
        widen(&w.parameters, hl_units_count(block_parameters(graph, block_at(graph, i)), count));
    }
    return w;
}

void hl_summary_table(hl_text *text, const hl_graph *graph)
{
    widths w = measure(graph);
    hl_text_print(text, "%-*s  %-*s  %-*s  %*s\n", w.module, "module", w.what, "what", w.shape, "shape", w.parameters,
                  "parameters");
    for (int i = 0; i < graph->n;) {
        block first = block_at(graph, i), last = last_equal(graph, first);
        char module[HL_NAME_TEXT], shape[HL_SHAPE_TEXT], count[HL_UNITS_TEXT];
        if (first.layer >= 0) {
            snprintf(module, sizeof module,
                     first.layer < last.layer ? "encoder.layers.%d .. %d, each" : "encoder.layers.%d", first.layer,
                     last.layer);
            hl_text_print(text, "%-*s  %*s\n", w.module + w.what + w.shape + 4, module, w.parameters,
                          hl_units_count(block_parameters(graph, first), count));
        }
        for (int row = first.first; row < first.end; row++) {
            const hl_graph_row *r = &graph->rows[row];
            module_text(graph, row, module);
            hl_shape_text(r->shape, shape);
            if (r->parameters == 0) {
                hl_text_print(text, "%-*s  %-*s  %s\n", w.module, module, w.what, r->what, shape);
            } else {
                hl_text_print(text, "%-*s  %-*s  %-*s  %*s\n", w.module, module, w.what, r->what, w.shape, shape,
                              w.parameters, hl_units_count(r->parameters, count));
            }
        }
        i = last.end;
    }
}
