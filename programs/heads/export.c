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

/* The metrics of one snapshot being turned into arrays. */
typedef struct metric_arrays {
    const hl_heads_csv *csv;
    const hl_model_config *config;
    const char *const *relations;
    const char *suffix; /* of the metrics' names */
    hl_npz_writer *npz;
    int64_t n;      /* heads */
    double *values; /* (n, 2) */
    double *js;     /* (n, n) */
} metric_arrays;

static bool same_metric(const hl_reading *a, const hl_reading *b)
{
    return a->metric == b->metric && a->parameter == b->parameter;
}

static bool seen_before(const hl_heads_csv *csv, size_t row)
{
    for (size_t i = 0; i < row; i++) {
        if (same_metric(&csv->rows[i].reading, &csv->rows[row].reading)) {
            return true;
        }
    }
    return false;
}

/* One metric of all heads: that of row `first`, where it comes first. */
static hl_status add_metric(const metric_arrays *arrays, size_t first)
{
    const hl_heads_csv *csv = arrays->csv;
    for (int64_t i = 0; i < 2 * arrays->n; i++) {
        arrays->values[i] = NAN;
    }
    for (size_t i = first; i < csv->n; i++) {
        const hl_heads_csv_row *row = &csv->rows[i];
        if (same_metric(&row->reading, &csv->rows[first].reading)) {
            double *value = arrays->values + 2 * (hl_heads_before(arrays->config, row->layer) + row->head);
            value[0] = row->reading.value;
            value[1] = row->reading.baseline;
        }
    }
    hl_text name = { 0 };
    hl_metric_print(&name, &csv->rows[first].reading, arrays->relations);
    hl_text_print(&name, "%s", arrays->suffix);
    hl_status status = hl_text_status(&name);
    if (status.code == HL_OK) {
        hl_npz_add(arrays->npz, name.bytes, HL_NPY_FLOAT64, HL_SHAPE(arrays->n, 2), arrays->values);
    }
    hl_text_free(&name);
    return status;
}

static void add_js(const metric_arrays *arrays)
{
    const hl_heads_csv *csv = arrays->csv;
    for (size_t i = 0; i < csv->n; i++) {
        const hl_heads_csv_row *row = &csv->rows[i];
        if (row->reading.metric == HL_METRIC_JS) {
            int64_t a = hl_heads_before(arrays->config, row->layer) + row->head;
            int64_t b = hl_heads_before(arrays->config, row->reading.layer) + row->reading.parameter;
            arrays->js[a * arrays->n + b] = arrays->js[b * arrays->n + a] = row->reading.value;
        }
    }
    hl_npz_add(arrays->npz, "js", HL_NPY_FLOAT64, HL_SHAPE(arrays->n, arrays->n), arrays->js);
}

static hl_status add_measured(metric_arrays *arrays)
{
    arrays->values = hl_calloc((size_t)(2 * arrays->n), sizeof *arrays->values);
    arrays->js = hl_calloc((size_t)(arrays->n * arrays->n), sizeof *arrays->js);
    hl_status status = arrays->values != NULL && arrays->js != NULL ? hl_ok() : hl_error_memory("metrics");
    for (size_t i = 0; i < arrays->csv->n && status.code == HL_OK; i++) {
        const hl_reading *reading = &arrays->csv->rows[i].reading;
        if (reading->metric != HL_METRIC_JS && hl_heads_csv_shows(arrays->csv, reading) &&
            !seen_before(arrays->csv, i)) {
            status = add_metric(arrays, i);
        }
    }
    if (status.code == HL_OK) {
        add_js(arrays);
    }
    hl_free(arrays->values);
    hl_free(arrays->js);
    return status;
}

static hl_status add_metrics(hl_npz_writer *npz, const hl_heads_view *view)
{
    const hl_snapshot *maps = view->maps;
    hl_heads_csv csv = { .threads = view->run->source.threads };
    hl_status status = hl_heads_csv_add(&csv, maps->step, maps->layers, maps->config->n_layers, maps->sums, NULL);
    metric_arrays arrays = { .csv = &csv,
                             .config = maps->config,
                             .relations = view->run->source.relations,
                             .suffix = view->norms ? ".norm" : "",
                             .npz = npz,
                             .n = hl_heads_count(maps->config) };
    HL_THEN(status, add_measured(&arrays));
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

hl_status hl_heads_print_bertviz(hl_text *text, const hl_heads_view *view, int64_t example)
{
    const hl_snapshot *maps = view->shown;
    const hl_examples *examples = &maps->examples;
    if (example < 0 || example >= examples->n_examples) {
        return hl_error(HL_INVALID, "command line: --example: %" PRId64 ": the examples are 0 .. %" PRId64, example,
                        examples->n_examples - 1);
    }
    hl_text_print(text, "{\"attention\": [");
    print_attention(text, maps, example);
    hl_text_print(text, "],\n\"tokens\": ");
    json_t *tokens = json_array();
    for (int64_t i = 0; i < examples->lengths[example]; i++) {
        hl_json_append(&tokens, hl_json_name(hl_heads_view_token(view, example, i)));
    }
    hl_json_print(text, tokens, JSON_COMPACT);
    hl_text_print(text, "}\n");
    return hl_ok();
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
