#include "programs/heads/export.h"

#include "core/base/memory.h"
#include "core/files/json_text.h"
#include "core/files/npz.h"
#include "heads/head_set.h"
#include "heads/heads_csv.h"
#include "programs/heads/answers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* ---- NumPy ---- */

/* "<name>_<number>": an array of one layer or state. */
static void add_numbered(hl_npz_writer *npz, const char *name, int number, hl_shape shape, const hl_real *data)
{
    char numbered[32];
    snprintf(numbered, sizeof numbered, "%s_%d", name, number);
    hl_npz_add(npz, numbered, sizeof(hl_real) == sizeof(float) ? HL_NPY_FLOAT32 : HL_NPY_FLOAT64, shape, data);
}

static void add_maps(hl_npz_writer *npz, const hl_heads_view *view)
{
    const hl_snapshot *maps = view->shown;
    const hl_examples *examples = &maps->examples;
    int64_t E = examples->n_examples, T = examples->n_tokens, format = HL_EXPORT_FORMAT;
    hl_npz_add(npz, "format", HL_NPY_INT64, (hl_shape){ .n_dims = 0 }, &format);
    for (int l = 0; l < maps->config->n_layers; l++) {
        add_numbered(npz, "layer", l, HL_SHAPE(E, maps->config->heads[l], T, T), maps->layers[l].weights);
    }
    hl_npz_add(npz, "tokens", HL_NPY_INT32, HL_SHAPE(E, T), examples->tokens);
    if (view->join.first != NULL) {
        hl_npz_add(npz, "word_first", HL_NPY_INT32, HL_SHAPE(E, T), view->join.first);
    }
    hl_npz_add(npz, "lengths", HL_NPY_INT32, HL_SHAPE(E), examples->lengths);
    hl_npz_add(npz, "step", HL_NPY_INT64, (hl_shape){ .n_dims = 0 }, &maps->step);
}

static bool same_metric(const hl_reading *a, const hl_reading *b)
{
    return a->metric == b->metric && a->parameter == b->parameter;
}

/* The row at which this row's metric begins. */
static size_t first_of(const hl_heads_csv *csv, size_t row)
{
    size_t first = 0;
    while (!same_metric(&csv->rows[first].reading, &csv->rows[row].reading)) {
        first++;
    }
    return first;
}

/* Adds the metric that begins at row `first`, of all heads. `values` (n, 2) is room for it. */
static hl_status add_metric(hl_npz_writer *npz, const hl_heads_view *view, const hl_heads_csv *csv, size_t first,
                            double *values)
{
    int64_t n = hl_heads_count(view->maps->config);
    for (int64_t i = 0; i < 2 * n; i++) {
        values[i] = NAN;
    }
    for (size_t i = first; i < csv->n; i++) {
        const hl_heads_csv_row *row = &csv->rows[i];
        if (same_metric(&row->reading, &csv->rows[first].reading)) {
            double *value = values + 2 * (hl_heads_before(view->maps->config, row->layer) + row->head);
            value[0] = row->reading.value;
            value[1] = row->reading.baseline;
        }
    }
    hl_text name = { 0 };
    hl_metric_print(&name, &csv->rows[first].reading, view->run->source.relations);
    hl_text_print(&name, "%s", view->norms ? ".norm" : "");
    hl_status status = hl_text_status(&name);
    if (status.code == HL_OK) {
        hl_npz_add(npz, name.bytes, HL_NPY_FLOAT64, HL_SHAPE(n, 2), values);
    }
    hl_text_free(&name);
    return status;
}

/* Every metric of the rows, and js at last. */
static hl_status add_rows(hl_npz_writer *npz, const hl_heads_view *view, const hl_heads_csv *csv)
{
    const hl_model_config *config = view->maps->config;
    int64_t n = hl_heads_count(config);
    double *js = hl_calloc((size_t)(n * (n + 2)), sizeof *js); /* and the values of a metric */
    HL_NEED(js != NULL, "metrics");
    hl_status status = hl_ok();
    for (size_t i = 0; i < csv->n && status.code == HL_OK; i++) {
        const hl_heads_csv_row *row = &csv->rows[i];
        if (row->reading.metric == HL_METRIC_JS) {
            int64_t a = hl_heads_before(config, row->layer) + row->head;
            int64_t b = hl_heads_before(config, row->reading.layer) + row->reading.parameter;
            js[a * n + b] = js[b * n + a] = row->reading.value;
        } else if (hl_heads_csv_shows(csv, &row->reading) && first_of(csv, i) == i) {
            status = add_metric(npz, view, csv, i, js + n * n);
        }
    }
    if (status.code == HL_OK) {
        hl_npz_add(npz, "js", HL_NPY_FLOAT64, HL_SHAPE(n, n), js);
    }
    hl_free(js);
    return status;
}

static hl_status add_metrics(hl_npz_writer *npz, const hl_heads_view *view)
{
    const hl_snapshot *maps = view->maps;
    hl_heads_csv csv = { .threads = view->run->source.threads };
    hl_status status = hl_heads_csv_add(&csv, maps->step, maps->layers, maps->config->n_layers, maps->sums, NULL);
    HL_THEN(status, add_rows(npz, view, &csv));
    hl_heads_csv_free(&csv);
    return status;
}

/* hidden_0, hidden_1, ...; where they hold what heads write z_0, write_0, z_1, ... */
static void add_hidden(hl_npz_writer *npz, const hl_hidden_states *hidden, const hl_model_config *config)
{
    int64_t T = hidden->n_rows, D = hidden->d_model;
    for (int i = 0; i < hidden->n_states; i++) {
        add_numbered(npz, "hidden", i, HL_SHAPE(1, T, D), hidden->rows + i * T * D);
    }
    for (int l = 0; l < config->n_layers && hidden->heads != NULL; l++) {
        add_numbered(npz, "z", l, HL_SHAPE(1, config->heads[l], T, config->d_v[l]), hidden->heads[l].z);
        add_numbered(npz, "write", l, HL_SHAPE(1, config->heads[l], T, D), hidden->heads[l].writes);
    }
}

hl_status hl_heads_write_npz(const char *path, const hl_heads_view *view, bool metrics, const hl_hidden_states *hidden)
{
    hl_npz_writer *npz = hl_npz_create(path);
    HL_NEED(npz != NULL, path);
    add_maps(npz, view);
    if (hidden != NULL) {
        add_hidden(npz, hidden, view->maps->config);
    }
    hl_status status = metrics ? add_metrics(npz, view) : hl_ok();
    if (status.code != HL_OK) {
        hl_npz_fail(npz, status);
    }
    return hl_npz_close(npz, HL_VOLATILE);
}

/* ---- BertViz ---- */

static void print_attention(hl_text *text, const hl_snapshot *maps, int64_t example)
{
    int64_t T = maps->examples.n_tokens, n = maps->examples.lengths[example];
    for (int l = 0; l < maps->config->n_layers; l++) {
        int64_t H = maps->config->heads[l];
        hl_text_print(text, l > 0 ? ",\n[[" : "[[");
        for (int64_t h = 0; h < H; h++) {
            hl_text_print(text, "%s", h > 0 ? ",\n" : "");
            hl_json_rows(text, maps->layers[l].weights + (example * H + h) * T * T, n, n, T);
        }
        hl_text_print(text, "]]");
    }
}

void hl_heads_print_bertviz(hl_text *text, const hl_heads_view *view, int64_t example)
{
    const hl_snapshot *maps = view->shown;
    const hl_examples *examples = &maps->examples;
    hl_text_print(text, "{\"attention\": [");
    print_attention(text, maps, example);
    hl_text_print(text, "],\n\"tokens\": ");
    json_t *tokens = json_array();
    for (int64_t i = 0; i < examples->lengths[example]; i++) {
        hl_json_append(&tokens, hl_json_name(hl_heads_view_token(view, example, i)));
    }
    hl_json_print(text, tokens, JSON_COMPACT);
    hl_text_print(text, "}\n");
}

/* ---- JSON ---- */

static void print_head(hl_text *text, const hl_heads_view *view, int64_t index, const char *const *relations)
{
    const hl_panel *panel = &view->panels[index];
    json_t *label =
        view->labels != NULL ? json_string(hl_label_text_of(view->labels[index], relations).text) : json_null();
    hl_head_place at = hl_head_at(view->maps->config, index);
    hl_text_print(text, "    {\"layer\": %d, \"head\": %" PRId64 ", \"label\": ", at.layer, at.head);
    hl_json_add(text, label, JSON_COMPACT);
    hl_text_print(text, ", \"weights\": ");
    hl_json_rows(text, panel->weights, panel->n_queries, panel->n_keys, panel->stride);
    hl_text_print(text, "}");
}

static void print_number(hl_text *text, const char *name, bool known, int64_t number)
{
    hl_text_print(text, "  \"%s\": ", name);
    hl_json_add(text, known ? json_integer(number) : json_null(), 0);
    hl_text_print(text, ",\n");
}

void hl_heads_maps_json(hl_text *text, const hl_model_source *run, const hl_snapshot *maps, const hl_heads_view *view,
                        int64_t only, bool answers)
{
    json_t *tokens = json_array();
    for (int64_t i = 0; i < view->panels[0].n_keys; i++) {
        hl_json_append(&tokens, hl_json_name(view->tokens[i]));
    }
    hl_text_print(text, "{\n");
    print_number(text, "format", true, HL_JSON_FORMAT);
    print_number(text, "step", maps->step >= 0, maps->step);
    print_number(text, "example", view->means == NULL, view->first_example);
    print_number(text, "examples", true, view->n_examples);
    hl_text_print(text, "  \"tokens\": ");
    hl_json_add(text, tokens, 0);
    hl_text_print(text, ",\n  \"heads\": [");
    const char *before = "\n";
    for (int64_t i = 0; i < view->n; i++) {
        if (only < 0 || i == only) {
            hl_text_print(text, "%s", before);
            print_head(text, view, i, run->relations);
            before = ",\n";
        }
    }
    hl_text_print(text, "\n  ]");
    if (answers) {
        hl_text_print(text, ",\n  \"answers\": ");
        hl_json_add(text, hl_heads_answers_json(run, maps), 0);
    }
    hl_text_print(text, "\n}\n");
}

/* ---- CSV ---- */

static void write_weights(hl_text *text, const hl_panel *panel, hl_head_place at)
{
    for (int64_t i = 0; i < panel->n_queries; i++) {
        for (int64_t j = 0; j < panel->n_keys; j++) {
            hl_text_print(text, "%d,%" PRId64 ",%" PRId64 ",%" PRId64 ",", at.layer, at.head, i, j);
            hl_csv_field(text, panel->queries[i]);
            hl_text_print(text, ",");
            hl_csv_field(text, panel->keys[j]);
            hl_text_print(text, ",%.9g\n", (double)panel->weights[i * panel->stride + j]);
        }
    }
}

void hl_heads_maps_csv(hl_text *text, const hl_heads_view *view, int64_t only)
{
    hl_text_print(text, "layer,head,query,key,query_token,key_token,weight\n");
    for (int64_t i = 0; i < view->n; i++) {
        if (only < 0 || i == only) {
            write_weights(text, &view->panels[i], hl_head_at(view->maps->config, i));
        }
    }
}
