#include "programs/train/summary.h"

#include "core/json_text.h"
#include "core/text.h"
#include "core/units.h"
#include "programs/train/graph.h"
#include "programs/train/summary_table.h"
#include "train/footprint.h"
#include "train/setup.h"
#include "train/trainer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SIZE_TEXT = 48 };

/* All that the sections are written from. */
typedef struct summary {
    const hl_config *config;
    hl_model model;
    hl_graph graph;
    hl_footprint footprint;
    int64_t micro_batch, T; /* examples of one pass, and their tokens */
    hl_text text;
} summary;

/* The sizes that the shapes are made of */

static bool same_everywhere(const int32_t *values, int64_t n)
{
    for (int64_t l = 1; l < n; l++) {
        if (values[l] != values[0]) {
            return false;
        }
    }
    return true;
}

/* "H=4", or "H differing by layer". */
static const char *size_text(const char *letter, const int32_t *values, int64_t layers, char text[SIZE_TEXT])
{
    if (same_everywhere(values, layers)) {
        snprintf(text, SIZE_TEXT, "%s=%" PRId32, letter, values[0]);
    } else {
        snprintf(text, SIZE_TEXT, "%s differing by layer", letter);
    }
    return text;
}

static void write_sizes(summary *s)
{
    const hl_config_model *m = &s->config->model;
    char H[SIZE_TEXT], Hkv[SIZE_TEXT], Dk[SIZE_TEXT], Dv[SIZE_TEXT];
    bool shared = memcmp(m->heads, m->kv_heads, sizeof m->heads) != 0;
    hl_text_paragraph(&s->text, HL_SUMMARY_WIDTH,
                      "The data's way through a training step: B=%" PRId64 " examples%s of T=%" PRId64
                      " tokens, vocabulary V=%" PRId64 ", d_model D=%" PRId64 ", d_ff F=%" PRId64
                      ", heads %s, %s%s%swidths %s and %s.",
                      s->micro_batch, s->config->optimizer.accumulate > 1 ? " (a part of the batch)" : "", s->T,
                      s->model.config.vocabulary, m->d_model, m->d_ff, size_text("H", m->heads, m->layers, H),
                      shared ? "key/value heads " : "", shared ? size_text("Hkv", m->kv_heads, m->layers, Hkv) : "",
                      shared ? ", " : "", size_text("Dk", m->d_k, m->layers, Dk),
                      size_text("Dv", m->d_v, m->layers, Dv));
}

/* Parameters */

/* The module that the row counts for; all layers together are one. */
static const char *group_of(const hl_graph_row *row)
{
    return row->layer >= 0 ? "encoder.layers" : row->module;
}

static void write_parameters_of(summary *s, const char *module, const char *note)
{
    int64_t count = hl_graph_parameters(&s->graph, module), all = hl_parameters_count(&s->model.parameters);
    char number[HL_UNITS_TEXT];
    hl_text_print(&s->text, "  %-16s%20s%8.1f %%%s\n", module, hl_units_count(count, number),
                  100 * (double)count / (double)all, note);
}

static void write_parameters(summary *s)
{
    char all[HL_UNITS_TEXT];
    const char *before = "";
    hl_text_print(&s->text, "\nParameters\n");
    for (int i = 0; i < s->graph.n; i++) {
        const char *group = group_of(&s->graph.rows[i]);
        bool tied = strcmp(group, "output") == 0 && s->config->model.tie_embedding;
        bool counts = group[0] != '\0' && (tied || hl_graph_parameters(&s->graph, group) > 0);
        if (counts && strcmp(group, before) != 0) {
            write_parameters_of(s, group, tied ? "  (the embedding's matrix)" : "");
            before = group;
        }
    }
    hl_text_print(&s->text, "  %-16s%20s\n", "in all", hl_units_count(hl_parameters_count(&s->model.parameters), all));
}

/* Arithmetic */

static void write_flops(summary *s)
{
    static const struct {
        const char *name, *formula;
    } parts[HL_GRAPH_PARTS] = {
        [HL_GRAPH_PROJECTIONS] = { "projections", "6 N D (H Dk + Hkv Dk + Hkv Dv + H Dv)" },
        [HL_GRAPH_ATTENTION] = { "attention", "6 N T H (Dk + Dv)" },
        [HL_GRAPH_FEED_FORWARD] = { "feed-forward", "12 N D F" },
        [HL_GRAPH_OUTPUT] = { "output", "6 N D V" },
    };
    double all = s->footprint.flops, passes = 3 * (double)s->config->optimizer.accumulate;
    int64_t tokens = s->config->train.batch_size * s->T;
    char number[HL_UNITS_TEXT];
    hl_text_print(&s->text, "\n");
    hl_text_paragraph(&s->text, HL_SUMMARY_WIDTH,
                      "Floating-point operations of an update, N = %s tokens: its matrix products, a multiply-add "
                      "counting 2 and backward twice as much as forward. The first three formulas are "
                      "one layer's, the figures all layers'.",
                      hl_units_count(tokens, number));
    for (int part = 0; part < HL_GRAPH_PARTS; part++) {
        double flops = passes * hl_graph_flops(&s->graph, (hl_graph_part)part);
        hl_text_print(&s->text, "  %-14s%-38s%13s%8.1f %%\n", parts[part].name, parts[part].formula,
                      hl_units_flops(flops, number), 100 * flops / all);
    }
    hl_text_print(&s->text, "  %-52s%13s\n", "in all", hl_units_flops(all, number));
}

/* Memory and files */

static void write_bytes(summary *s, const char *what, size_t bytes)
{
    char number[HL_UNITS_TEXT];
    if (bytes > 0) {
        hl_text_print(&s->text, "  %-52s%13s\n", what, hl_units_bytes(bytes, number));
    }
}

static void write_memory(summary *s)
{
    const hl_footprint *f = &s->footprint;
    int threads = hl_setup_threads(s->config);
    hl_text_print(&s->text, "\nMemory of the run, with %d thread%s\n", threads, threads > 1 ? "s" : "");
    write_bytes(s, "weights", f->weights);
    write_bytes(s, "gradients", f->gradients);
    write_bytes(s, "the optimizer's moments", f->moments);
    write_bytes(s, "a step's activations, their gradients, scratch", f->step);
    write_bytes(s, "batches of training and validation", f->batches);
    write_bytes(s, "recorder: patterns and logits of a snapshot", f->recorder);
    write_bytes(s, "statistics of heads over the validation set", f->validation_sums);
    write_bytes(s, "table of positions", f->positions);
    write_bytes(s, "vocabulary", f->vocabulary);
    write_bytes(s, "the program and its libraries, about", f->libraries);
    write_bytes(s, "training", f->training);
    write_bytes(s, "metrics and maps of all snapshots, at most", f->readings);
    write_bytes(s, "the last snapshot and the effects of its heads", f->measures);
    write_bytes(s, "measuring heads at the end, weights with it", f->end);
    write_bytes(s, "in all (the larger of the two)", f->total);
}

/* `most` is "up to " where there may be fewer, else "". */
static void write_file(summary *s, const char *what, size_t bytes, const char *most, int64_t n)
{
    char name[64], number[HL_UNITS_TEXT];
    snprintf(name, sizeof name, "%s%" PRId64 " %s%s", most, n, what, n == 1 ? "" : "s, each");
    write_bytes(s, name, bytes);
    if (n > 1) {
        size_t all = bytes > SIZE_MAX / (size_t)n ? SIZE_MAX : bytes * (size_t)n;
        hl_text_print(&s->text, "  %-52s%13s\n", "  together", hl_units_bytes(all, number));
    }
}

static void write_files(summary *s)
{
    const hl_footprint *f = &s->footprint;
    hl_text_print(&s->text, "\nFiles of the run\n");
    write_file(s, "file of weights", f->model, "", 1);
    write_file(s, "checkpoint", f->checkpoint, "", f->n_checkpoints);
    if (f->snapshots.n > 0) {
        write_file(s, "snapshot", f->snapshots.each, f->snapshots.cadence.extra > 0 ? "up to " : "", f->snapshots.n);
        write_bytes(s, "  allowed by patterns.budget_mb", f->snapshots.allowed);
    }
}

/* The whole */

static hl_status prepare(summary *s)
{
    hl_model_config model = hl_setup_model(s->config);
    hl_task_spec task = hl_config_task_spec(s->config);
    s->micro_batch = hl_trainer_micro_batch(s->config);
    s->T = hl_task_max_tokens(&task);
    HL_TRY(hl_model_init(&s->model, &model));
    HL_TRY(hl_graph_read(&s->graph, &s->model, s->micro_batch, s->T));
    return hl_footprint_of(s->config, &s->model, &s->footprint);
}

static hl_status write_all(summary *s)
{
    HL_TRY(prepare(s));
    write_sizes(s);
    hl_text_print(&s->text, "\n");
    hl_summary_table(&s->text, &s->graph);
    write_parameters(s);
    write_flops(s);
    write_memory(s);
    write_files(s);
    return hl_text_status(&s->text);
}

hl_status hl_summary_text(const hl_config *config, char **text)
{
    summary s = { .config = config };
    hl_status status = write_all(&s);
    hl_graph_free(&s.graph);
    hl_model_free(&s.model);
    if (status.code != HL_OK) {
        hl_text_free(&s.text);
        return status;
    }
    *text = s.text.bytes; /* passes to the caller */
    return hl_ok();
}

/* As JSON; NULL stands for missing memory throughout. */

/* null where they do not fit. */
static json_t *bytes_value(size_t bytes)
{
    return bytes < INT64_MAX ? json_integer((json_int_t)bytes) : json_null();
}

static json_t *row_object(const hl_graph_row *row)
{
    json_t *shape = json_array();
    for (int d = 0; d < row->shape.n_dims; d++) {
        hl_json_append(&shape, json_integer(row->shape.size[d]));
    }
    return json_pack("{s:s, s:s, s:o, s:I, s:o}", "module", row->module, "what", row->what, "shape", shape,
                     "parameters", (json_int_t)row->parameters, "forward_flops", hl_json_number(row->flops));
}

static json_t *row_list(const hl_graph *graph)
{
    json_t *list = json_array();
    for (int i = 0; i < graph->n; i++) {
        hl_json_append(&list, row_object(&graph->rows[i]));
    }
    return list;
}

static json_t *memory_object(const hl_footprint *f)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "weights",
                     bytes_value(f->weights), "gradients", bytes_value(f->gradients), "moments",
                     bytes_value(f->moments), "step", bytes_value(f->step), "batches", bytes_value(f->batches),
                     "recorder", bytes_value(f->recorder), "statistics", bytes_value(f->validation_sums), "positions",
                     bytes_value(f->positions), "vocabulary", bytes_value(f->vocabulary), "libraries",
                     bytes_value(f->libraries), "training", bytes_value(f->training), "readings",
                     bytes_value(f->readings), "measures", bytes_value(f->measures), "end", bytes_value(f->end),
                     "total", bytes_value(f->total));
}

static json_t *files_object(const hl_footprint *f)
{
    return json_pack("{s:o, s:o, s:I, s:o, s:I}", "weights", bytes_value(f->model), "checkpoint",
                     bytes_value(f->checkpoint), "checkpoints", (json_int_t)f->n_checkpoints, "snapshot",
                     f->snapshots.n > 0 ? bytes_value(f->snapshots.each) : json_null(), "snapshots",
                     (json_int_t)f->snapshots.n);
}

hl_status hl_summary_json(const hl_config *config, hl_text *text)
{
    summary s = { .config = config };
    hl_status status = prepare(&s);
    if (status.code == HL_OK) {
        hl_json_print_document(
            text, json_pack("{s:I, s:I, s:I, s:o, s:o, s:o, s:o}", "examples", (json_int_t)s.micro_batch, "tokens",
                            (json_int_t)s.T, "parameters", (json_int_t)hl_parameters_count(&s.model.parameters),
                            "flops_per_step", hl_json_number(s.footprint.flops), "rows", row_list(&s.graph),
                            "memory_bytes", memory_object(&s.footprint), "file_bytes", files_object(&s.footprint)));
        status = hl_text_status(text);
    }
    hl_graph_free(&s.graph);
    hl_model_free(&s.model);
    return status;
}
