#include "programs/train/graph.h"

#include "core/base/memory.h"
#include "core/op.h"
#include "core/ops/attention.h"
#include "core/ops/embedding.h"
#include "core/ops/linear.h"

#include <stdio.h>
#include <string.h>

/* The most rows that one op has: attention. */
enum { MAX_ROWS_PER_OP = 6 };

/* Parameters */

/* Before backward only parameters have a gradient that is written. */
static bool is_parameter(const hl_tensor *x)
{
    return x != NULL && x->is_parameter;
}

static bool used_before(const hl_node *node, const hl_tensor *x)
{
    for (const hl_node *earlier = node->previous; earlier != NULL; earlier = earlier->previous) {
        for (int i = 0; i < earlier->n_inputs; i++) {
            if (earlier->in[i] == x) {
                return true;
            }
        }
    }
    return false;
}

static int64_t count_parameters(const hl_node *node)
{
    int64_t count = 0;
    for (int i = 0; i < node->n_inputs; i++) {
        if (is_parameter(node->in[i]) && !used_before(node, node->in[i])) {
            count += hl_shape_count(node->in[i]->shape);
        }
    }
    return count;
}

/* One row for an op */

static const char *linear_text(const hl_tape *tape, const hl_model *model, const hl_node *node)
{
    static const struct {
        const char *end, *text;
    } matrices[] = {
        { ".in_proj_weight", "linear W_Q, W_K, W_V" },
        { ".q_proj_weight", "linear W_Q" },
        { ".k_proj_weight", "linear W_K" },
        { ".v_proj_weight", "linear W_V" },
        { ".out_proj.weight", "linear W_O" },
    };
    if (node->out == tape->last->in[0]) { /* the loss is made from it */
        return used_before(node, node->in[1]) ? "logits (tied matrix)" : "logits";
    }
    const char *name = "";
    for (int i = 0; i < model->parameters.n; i++) {
        name = model->parameters.list[i].tensor == node->in[1] ? model->parameters.list[i].name : name;
    }
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++) {
        size_t end = strlen(matrices[i].end);
        if (length >= end && strcmp(name + length - end, matrices[i].end) == 0) {
            return matrices[i].text;
        }
    }
    return "linear";
}

static const char *op_text(const hl_tape *tape, const hl_model *model, const hl_node *node)
{
    static const struct {
        const char *op, *text;
    } texts[] = {
        { "add", "sum" },
        { "layer_norm", "layer norm" },
        { "rms_norm", "RMS norm" },
        { "rotate", "rotary positions" },
        { "gather_rows", "rows with a target" },
    };
    const char *op = node->op->name;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (strcmp(op, texts[i].op) == 0) {
            return texts[i].text;
        }
    }
    return strcmp(op, "linear") == 0 ? linear_text(tape, model, node)
           : node == tape->last      ? "loss (cross-entropy)"
                                     : op;
}

static hl_graph_part part_of(const hl_node *node, int layer, const char *module)
{
    if (node->op->flops == NULL) {
        return HL_GRAPH_NONE;
    }
    if (hl_attention_args_of(node) != NULL) {
        return HL_GRAPH_ATTENTION;
    }
    if (layer < 0) {
        return strcmp(module, "embedding_projection") == 0 ? HL_GRAPH_EMBEDDING
               : strcmp(module, "pooler.dense") == 0       ? HL_GRAPH_POOLER
               : strcmp(module, "head.dense") == 0         ? HL_GRAPH_TRANSFORM
                                                           : HL_GRAPH_OUTPUT;
    }
    return strstr(module, ".self_attn") != NULL ? HL_GRAPH_PROJECTIONS : HL_GRAPH_FEED_FORWARD;
}

/* All rows */

static void add_row(hl_graph *graph, hl_graph_row row, const char *what)
{
    snprintf(row.what, sizeof row.what, "%s", what);
    graph->rows[graph->n++] = row;
}

static void add_attention(hl_graph *graph, hl_graph_row row, const hl_attention_args *args)
{
    int64_t B = args->queries.n, Tq = args->queries.longest, Tk = args->keys.longest;
    int64_t H = args->n_heads, Hkv = args->n_kv_heads;
    hl_graph_row view = { .layer = row.layer, .module = row.module, .part = HL_GRAPH_NONE };
    const struct {
        hl_shape shape;
        const char *text;
    } views[] = {
        { HL_SHAPE(B, H, Tq, args->d_k), "q (B, H, T, Dk)" },
        { HL_SHAPE(B, Hkv, Tk, args->d_k), Hkv == H ? "k (B, H, T, Dk)" : "k (B, Hkv, T, Dk)" },
        { HL_SHAPE(B, Hkv, Tk, args->d_v), Hkv == H ? "v (B, H, T, Dv)" : "v (B, Hkv, T, Dv)" },
        { HL_SHAPE(B, H, Tq, hl_mask_keys(&args->mask, Tk)),
          args->mask.window > 0 ? "weights (B, H, T, window)" : "weights (B, H, T, T)" },
        { HL_SHAPE(B, H, Tq, args->d_v), "z (B, H, T, Dv)" },
    };
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        view.shape = views[i].shape;
        add_row(graph, view, views[i].text);
    }
    add_row(graph, row, "heads side by side");
}

/* The ops that ran in one pass with a linear map. */
static void add_after_linear(hl_graph *graph, hl_graph_row row, const hl_linear_args *args)
{
    hl_graph_row after = { .layer = row.layer, .module = row.module, .shape = row.shape, .part = HL_GRAPH_NONE };
    if (args->relu) {
        add_row(graph, after, "relu");
    }
    if (args->dropout > 0) {
        add_row(graph, after, "dropout");
    }
    if (args->residual != NULL) {
        add_row(graph, after, "residual sum");
    }
}

/* The rows of tokens' vectors, of their scaling and of the positions and types added, which are one op. */
static void add_embedding(hl_graph *graph, hl_graph_row row, const hl_model *model, const hl_embedding_args *args)
{
    hl_graph_row after = { .layer = row.layer, .module = row.module, .shape = row.shape, .part = HL_GRAPH_NONE };
    row.parameters = hl_shape_count(args->W->shape);
    add_row(graph, row, "embedding");
    if (args->scale != 1) {
        add_row(graph, after, "scale");
    }
    if (args->P != NULL) {
        after.module = model->positions.name.text;
        const hl_tensor *learned = model->positions.weight; /* of which P may be some rows */
        after.parameters = learned != NULL ? hl_shape_count(learned->shape) : 0;
        add_row(graph, after, "sum");
    }
    if (args->S != NULL) {
        after.module = "token_types";
        after.parameters = hl_shape_count(args->S->shape);
        add_row(graph, after, "sum");
    }
}

static void add_node(hl_graph *graph, const hl_tape *tape, const hl_model *model, const hl_node *node)
{
    const char *module = node->scope != NULL ? node->scope : "";
    int layer; /* the N of "encoder.layers.N" and all in it; else -1 */
    layer = sscanf(module, "encoder.layers.%d", &layer) == 1 ? layer : -1;
    hl_graph_row row = {
        .layer = layer,
        .module = module,
        .shape = node->out->shape,
        .parameters = count_parameters(node),
        .part = part_of(node, layer, module),
        .flops = node->op->flops != NULL ? node->op->flops(node) : 0,
    };
    const hl_attention_args *attention = hl_attention_args_of(node);
    if (attention != NULL) {
        add_attention(graph, row, attention);
        return;
    }
    if (hl_embedding_args_of(node) != NULL) {
        add_embedding(graph, row, model, hl_embedding_args_of(node));
        return;
    }
    add_row(graph, row, op_text(tape, model, node));
    if (hl_linear_args_of(node) != NULL) {
        add_after_linear(graph, row, hl_linear_args_of(node));
    }
}

/* One row for the tokens, then those of the ops; the tape is linked backwards. */
static hl_status add_rows(hl_graph *graph, const hl_tape *tape, const hl_model *model, int64_t B, int64_t T)
{
    size_t n = (size_t)tape->n_nodes;
    const hl_node **nodes = hl_calloc(n, sizeof *nodes);
    graph->rows = hl_calloc(1 + n * MAX_ROWS_PER_OP, sizeof *graph->rows);
    if (nodes == NULL || graph->rows == NULL) {
        hl_free(nodes);
        return hl_error_memory("the table of modules");
    }
    size_t i = n;
    for (const hl_node *node = tape->last; node != NULL; node = node->previous) {
        nodes[--i] = node;
    }
    add_row(graph, (hl_graph_row){ .layer = -1, .module = "", .shape = HL_SHAPE(B, T), .part = HL_GRAPH_NONE },
            "tokens (B, T)");
    for (i = 0; i < n; i++) {
        add_node(graph, tape, model, nodes[i]);
    }
    hl_free(nodes);
    return hl_ok();
}

hl_status hl_graph_read(hl_graph *graph, const hl_model *model, const hl_batch *largest)
{
    *graph = (hl_graph){ 0 };
    hl_arena arena;
    HL_TRY(hl_arena_init(&arena, hl_model_record_bytes(model)));
    hl_tape tape;
    hl_tape_begin(&tape, &arena, (hl_tape_options){ .training = true, .gradients = true, .memory = { .dry = true } });
    hl_model_loss(&tape, model, largest, (hl_cross_entropy_args){ 0 }, NULL);
    hl_status status = hl_tape_status(&tape);
    HL_THEN(status, add_rows(graph, &tape, model, largest->n_examples, largest->longest));
    hl_arena_free(&arena);
    if (status.code != HL_OK) {
        hl_graph_free(graph);
    }
    return status;
}

int64_t hl_graph_parameters(const hl_graph *graph, const char *module)
{
    int64_t count = 0;
    size_t length = strlen(module);
    for (int i = 0; i < graph->n; i++) {
        const char *name = graph->rows[i].module; /* "encoder.layers.0" belongs to "encoder.layers", all to "" */
        bool belongs =
            strncmp(name, module, length) == 0 && (length == 0 || name[length] == '\0' || name[length] == '.');
        count += belongs ? graph->rows[i].parameters : 0;
    }
    return count;
}

double hl_graph_flops(const hl_graph *graph, hl_graph_part part)
{
    double flops = 0;
    for (int i = 0; i < graph->n; i++) {
        flops += graph->rows[i].part == part ? graph->rows[i].flops : 0;
    }
    return flops;
}

void hl_graph_free(hl_graph *graph)
{
    hl_free(graph->rows);
    *graph = (hl_graph){ 0 };
}
