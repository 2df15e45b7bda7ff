#include "programs/train/summary.h"

#include "core/base/memory.h"
#include "core/base/units.h"
#include "core/files/json_text.h"
#include "train/footprint.h"
#include "train/ranks/leaf_sum.h"
#include "train/setup.h"
#include "train/trainer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SIZE_TEXT = 48, MOST_SHARED = 40 };

/* What each of n processes takes, at most. */
typedef struct taken {
    int n, leaves;
    size_t memory, sent; /* sent in a step, the broadcast of the sum left out */
} taken;

/* All that the sections are written from. */
typedef struct summary {
    const hl_config *config;
    hl_model model;
    hl_graph graph;
    hl_footprint footprint;
    int64_t micro_batch, T; /* examples of one pass, and their tokens */
    taken by[MOST_SHARED];
    int n_shared;
    hl_text *text;
} summary;

/* The sizes that the shapes are made of */

/* "H=4", or "H differing by layer". */
static const char *size_text(const char *letter, const int32_t *values, int64_t layers, char text[SIZE_TEXT])
{
    bool same = true;
    for (int64_t l = 1; l < layers; l++) {
        same = same && values[l] == values[0];
    }
    if (same) {
        snprintf(text, SIZE_TEXT, "%s=%" PRId32, letter, values[0]);
    } else {
        snprintf(text, SIZE_TEXT, "%s differing by layer", letter);
    }
    return text;
}

static void write_sizes(summary *s)
{
    const hl_model_config *m = &s->config->model;
    char H[SIZE_TEXT], Hkv[SIZE_TEXT], Dk[SIZE_TEXT], Dv[SIZE_TEXT];
    bool shared = memcmp(m->heads, m->kv_heads, sizeof m->heads) != 0;
    int64_t E = s->model.config.embedding_size;
    char width[SIZE_TEXT] = "";
    if (E != m->d_model) {
        snprintf(width, sizeof width, ", embedding_size E=%" PRId64, E);
    }
    char inner[SIZE_TEXT] = "";
    if (m->feed_forward != HL_FEED_FORWARD_NONE) {
        snprintf(inner, sizeof inner, ", d_ff F=%" PRId64, m->d_ff);
    }
    hl_text_paragraph(s->text, HL_SUMMARY_WIDTH,
                      "The data's way through a training step: B=%" PRId64 " examples%s of T=%" PRId64
                      " tokens, vocabulary V=%" PRId64 ", d_model D=%" PRId64 "%s%s, heads %s, %s%s%swidths %s and %s.",
                      s->micro_batch, s->micro_batch < s->config->train.batch_size ? " (a part of the batch)" : "",
                      s->T, s->model.config.vocabulary, m->d_model, width, inner,
                      size_text("H", m->heads, m->n_layers, H), shared ? "key/value heads " : "",
                      shared ? size_text("Hkv", m->kv_heads, m->n_layers, Hkv) : "", shared ? ", " : "",
                      size_text("Dk", m->d_k, m->n_layers, Dk), size_text("Dv", m->d_v, m->n_layers, Dv));
}

/* Parameters */

static void write_parameters(summary *s)
{
    int64_t all = hl_parameters_count(&s->model.parameters);
    char number[HL_UNITS_TEXT];
    const char *before = "";
    hl_text_print(s->text, "\nParameters\n");
    for (int i = 0; i < s->graph.n; i++) {
        const hl_graph_row *row = &s->graph.rows[i];
        const char *group = row->layer >= 0 ? "encoder.layers" : row->module; /* all layers together are one */
        int64_t count = hl_graph_parameters(&s->graph, group);
        bool tied = strcmp(group, "output") == 0 && s->config->model.tie_embedding;
        if (group[0] != '\0' && (tied || count > 0) && strcmp(group, before) != 0) {
            hl_text_print(s->text, "  %s%*s%8.1f %%%s\n", group, 36 - (int)strlen(group), hl_units_count(count, number),
                          100 * (double)count / (double)all, tied ? "  (the embedding's matrix)" : "");
            before = group;
        }
    }
    hl_text_print(s->text, "  %-16s%20s\n", "in all", hl_units_count(all, number));
}

/* Arithmetic */

static void write_flops(summary *s)
{
    bool is_gated = s->config->model.feed_forward == HL_FEED_FORWARD_GATED;
    bool is_text = hl_config_is_text(s->config, NULL), transforms = s->config->model.head == HL_HEAD_TRANSFORM;
    const struct {
        const char *name, *formula;
    } parts[HL_GRAPH_PARTS] = {
        [HL_GRAPH_PROJECTIONS] = { "projections", "6 N D (H Dk + Hkv Dk + Hkv Dv + H Dv)" },
        [HL_GRAPH_ATTENTION] = { "attention", "6 N T H (Dk + Dv)" },
        [HL_GRAPH_FEED_FORWARD] = { "feed-forward", is_gated ? "18 N D F" : "12 N D F" },
        [HL_GRAPH_EMBEDDING] = { "embedding", "6 N E D" },
        [HL_GRAPH_POOLER] = { "pooler", "6 M D D" },
        [HL_GRAPH_TRANSFORM] = { "transform", is_text ? "6 M D E" : "6 N D E" },
        [HL_GRAPH_OUTPUT] = { "output", transforms ? (is_text ? "6 M E C" : "6 N E V")
                                        : is_text  ? "6 M D C"
                                                   : "6 N D V" },
    };
    double all = s->footprint.flops, passes = 3 * (double)s->config->train.batch_size / (double)s->micro_batch;
    int64_t tokens = s->config->train.batch_size * s->T;
    char number[HL_UNITS_TEXT];
    hl_text_print(s->text, "\n");
    hl_text_paragraph(s->text, HL_SUMMARY_WIDTH,
                      "Floating-point operations of an update, N = %s tokens: its matrix products, a multiply-add "
                      "counting 2 and backward twice as much as forward. The first %s formulas are "
                      "one layer's, the figures all layers'.",
                      hl_units_count(tokens, number),
                      s->config->model.feed_forward == HL_FEED_FORWARD_NONE ? "two" : "three");
    if (is_text) {
        hl_text_paragraph(s->text, HL_SUMMARY_WIDTH, "M = %s targets at most, of C = %" PRId64 ".",
                          hl_units_count(s->config->train.batch_size * s->config->sizes.answers, number),
                          s->model.config.targets);
    }
    const hl_mask mask = { .causal = s->config->model.causal, .window = s->config->model.window };
    bool near = false; /* whether a window hides keys */
    for (int l = 0; l < s->model.config.n_layers; l++) {
        near = near || (hl_model_config_window(&s->model.config, l) > 0 && hl_mask_keys(&mask, s->T) < s->T);
    }
    if (near) {
        hl_text_print(s->text, "In layers with a window, a query has %" PRId64 " keys instead of T.\n",
                      hl_mask_keys(&mask, s->T));
    }
    for (int part = 0; part < HL_GRAPH_PARTS; part++) {
        double flops = passes * hl_graph_flops(&s->graph, (hl_graph_part)part);
        if (flops > 0) {
            hl_text_print(s->text, "  %-14s%-38s%13s%8.1f %%\n", parts[part].name, parts[part].formula,
                          hl_units_flops(flops, number), 100 * flops / all);
        }
    }
    hl_text_print(s->text, "  %-52s%13s\n", "in all", hl_units_flops(all, number));
    if (s->model.config.bf16) {
        hl_text_print(s->text, "All but attention's multiply in bf16, with sums in float.\n");
    }
}

/* Memory and files */

static void write_bytes(summary *s, const char *what, size_t bytes)
{
    char number[HL_UNITS_TEXT];
    if (bytes > 0) {
        hl_text_print(s->text, "  %-52s%13s\n", what, hl_units_bytes(bytes, number));
    }
}

/* What several processes would take; nothing where the batch has one leaf. */

/* Few enough to be shown: all numbers of processes up to 8, then each twice the one before, and as many as there are
 * leaves. */
static int next_processes(int n, int leaves)
{
    return n < 8 ? n + 1 : 2 * n < leaves || n == leaves ? 2 * n : leaves;
}

static hl_status add_shared(summary *s, int n)
{
    int leaves = (int)s->config->train.leaves;
    hl_footprint footprint;
    HL_TRY(hl_footprint_of(s->config, HL_FOR_TRAINING, n, -1, &footprint));
    taken found = { .n = n, .memory = footprint.total };
    for (int rank = 0; rank < n; rank++) {
        int own = hl_leaf_sum_first(leaves, n, rank + 1) - hl_leaf_sum_first(leaves, n, rank);
        size_t sent = hl_leaf_sum_sent(leaves, n, rank, footprint.weights);
        found.leaves = own > found.leaves ? own : found.leaves;
        found.sent = sent > found.sent ? sent : found.sent;
    }
    s->by[s->n_shared++] = found;
    return hl_ok();
}

static void write_processes(summary *s)
{
    int leaves = (int)s->config->train.leaves;
    char takes[HL_UNITS_TEXT], sent[HL_UNITS_TEXT];
    if (leaves == 1) {
        return;
    }
    hl_text_print(s->text, "\n");
    hl_text_paragraph(
        s->text, HL_SUMMARY_WIDTH,
        "Several processes (mpirun -n N) share the %d leaves of a batch. What one of them takes and sends "
        "in a step, at most; all receive the gradients' sum, %s:",
        leaves, hl_units_bytes(s->footprint.weights, sent));
    hl_text_print(s->text, "  processes   leaves of one   memory of one   sent by one\n");
    for (const taken *one = s->by; one < s->by + s->n_shared; one++) {
        hl_text_print(s->text, "  %9d%16d%16s%14s\n", one->n, one->leaves, hl_units_bytes(one->memory, takes),
                      hl_units_bytes(one->sent, sent));
    }
}

/* `most` is "up to " where there may be fewer, else "". */
static void write_file(summary *s, const char *what, size_t bytes, const char *most, int64_t n)
{
    char name[64], number[HL_UNITS_TEXT];
    snprintf(name, sizeof name, "%s%" PRId64 " %s%s", most, n, what, n == 1 ? "" : "s, each");
    write_bytes(s, name, bytes);
    if (n > 1) {
        size_t all = bytes > SIZE_MAX / (size_t)n ? SIZE_MAX : bytes * (size_t)n;
        hl_text_print(s->text, "  %-52s%13s\n", "  together", hl_units_bytes(all, number));
    }
}

/* The whole */

static hl_status prepare(summary *s)
{
    hl_model_config model = hl_setup_model(s->config);
    s->micro_batch = hl_trainer_micro_batch(s->config);
    s->T = s->config->sizes.longest;
    HL_TRY(hl_model_init(&s->model, &model));
    const hl_batch largest = hl_trainer_largest(s->config);
    HL_TRY(hl_graph_read(&s->graph, &s->model, &largest));
    HL_TRY(hl_footprint_of_config(s->config, &s->footprint));
    int leaves = (int)s->config->train.leaves;
    for (int n = 2; n <= leaves && s->n_shared < MOST_SHARED; n = next_processes(n, leaves)) {
        HL_TRY(add_shared(s, n));
    }
    return hl_ok();
}

static void write_all(summary *s)
{
    write_sizes(s);
    hl_text_print(s->text, "\n");
    hl_summary_table(s->text, &s->graph);
    write_parameters(s);
    write_flops(s);
    int threads = hl_setup_threads(s->config);
    hl_text_print(s->text, "\nMemory of the run, with %d thread%s\n", threads, threads > 1 ? "s" : "");
    for (int i = 0; i < HL_FOOTPRINT_PARTS; i++) {
        size_t bytes = hl_footprint_part_bytes(&s->footprint, i);
        bool repeats = hl_footprint_parts[i].place == offsetof(hl_footprint, most) && bytes == s->footprint.total;
        write_bytes(s, hl_footprint_parts[i].words, repeats ? 0 : bytes);
    }
    write_processes(s);
    const hl_footprint *f = &s->footprint;
    hl_text_print(s->text, "\nFiles of the run\n");
    write_file(s, "file of weights", f->model, "", 1);
    write_file(s, "checkpoint", f->checkpoint, "", f->n_checkpoints);
    if (f->snapshots.n > 0) {
        write_file(s, "snapshot", f->snapshots.each, f->snapshots.cadence.extra > 0 ? "up to " : "", f->snapshots.n);
        write_bytes(s, "  allowed by patterns.budget_mb", f->snapshots.allowed);
    }
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

static json_t *processes_array(const summary *s)
{
    json_t *all = json_array();
    for (const taken *one = s->by; one < s->by + s->n_shared; one++) {
        hl_json_append(&all, json_pack("{s:i, s:i, s:o, s:o}", "processes", one->n, "leaves", one->leaves,
                                       "memory_bytes", bytes_value(one->memory), "sent_bytes", bytes_value(one->sent)));
    }
    return all;
}

static json_t *files_object(const hl_footprint *f)
{
    return json_pack("{s:o, s:o, s:I, s:o, s:I}", "weights", bytes_value(f->model), "checkpoint",
                     bytes_value(f->checkpoint), "checkpoints", (json_int_t)f->n_checkpoints, "snapshot",
                     f->snapshots.n > 0 ? bytes_value(f->snapshots.each) : json_null(), "snapshots",
                     (json_int_t)f->snapshots.n);
}

static void write_json(summary *s)
{
    json_t *rows = json_array(), *bytes = json_object();
    for (int i = 0; i < s->graph.n; i++) {
        hl_json_append(&rows, row_object(&s->graph.rows[i]));
    }
    for (int i = 0; i < HL_FOOTPRINT_PARTS; i++) {
        hl_json_set(&bytes, hl_footprint_parts[i].key, bytes_value(hl_footprint_part_bytes(&s->footprint, i)));
    }
    hl_json_print_document(s->text,
                           json_pack("{s:I, s:I, s:I, s:s, s:o, s:o, s:o, s:o, s:o}", "examples",
                                     (json_int_t)s->micro_batch, "tokens", (json_int_t)s->T, "parameters",
                                     (json_int_t)hl_parameters_count(&s->model.parameters), "precision",
                                     s->model.config.bf16 ? "bf16" : "float", "flops_per_step",
                                     hl_json_number(s->footprint.flops), "rows", rows, "memory_bytes", bytes,
                                     "processes", processes_array(s), "file_bytes", files_object(&s->footprint)));
}

hl_status hl_summary_write(const hl_config *config, bool json, hl_text *text)
{
    summary s = { .config = config, .text = text };
    hl_status status = prepare(&s);
    if (status.code == HL_OK) {
        if (json) {
            write_json(&s);
        } else {
            write_all(&s);
        }
        status = hl_text_status(text);
    }
    hl_graph_free(&s.graph);
    hl_model_free(&s.model);
    return status;
}
