#include "core/base/memory.h"
#include "core/base/units.h"
#include "core/files/json_text.h"
#include "heads/head_set.h"
#include "programs/heads/deliver.h"
#include "programs/heads/export_model.h"
#include "programs/heads/pruning.h"
#include "programs/heads/verb.h"
#include "programs/shell_word.h"
#include "show/curve_picture.h"
#include "show/table.h"
#include "study/output.h"
#include "train/checkpoint.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* "L0H2"; "" for the first row. */
static hl_head_name removed_of(const hl_heads_pruning *pruning, const hl_heads_pruning_row *row)
{
    return row->removed >= 0 ? hl_head_name_at(&pruning->run->source.shape, row->removed) : (hl_head_name){ "" };
}

/* ---- the curve as a table ---- */

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

/* ---- as JSON ---- */

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

/* ---- as a chart, and all of it ---- */

static hl_status draw(const void *context, hl_picture_format format, hl_text *bytes)
{
    enum { CURVES = 3 };
    const hl_heads_pruning *pruning = context;
    int64_t n = pruning->n_rows;
    double *values = hl_calloc(CURVES * (size_t)n, sizeof *values);
    hl_curve_row *rows = hl_calloc((size_t)n, sizeof *rows);
    hl_text caption = { 0 };
    hl_text_print(&caption, "%s: heads taken out one by one, the least important first", pruning->run->source.name);
    hl_status status = hl_text_status(&caption);
    if (values == NULL || rows == NULL) {
        status = hl_error_memory("the chart of pruning");
    } else if (status.code == HL_OK) {
        for (int64_t i = 0; i < n; i++) {
            const hl_heads_pruning_row *row = &pruning->rows[i];
            values[i] = row->worth.loss;
            values[n + i] = row->worth.accuracy;
            values[2 * n + i] = 1e3 * row->seconds;
            snprintf(rows[i].name, sizeof rows[i].name, "%s%s  %" PRId64, row->removed >= 0 ? "- " : "all",
                     removed_of(pruning, row).text, row->heads);
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
        status = hl_curve_picture_print(&picture, format, HL_HEADS_PNG_DPI, bytes);
    }
    hl_free(values);
    hl_free(rows);
    hl_text_free(&caption);
    return status;
}

/* Prints the curve as a table to `out`, unless a file goes there: a heading, a row for every number of heads, and
 * sentences. Only the first line, which has the run's path, may be longer than HL_TABLE_WIDTH. Writes the requested
 * files: JSON {"weights_step" (null: not known), "examples", "rows": [the columns of CSV as
 * members; "removed" is null in the first]}; CSV
 * heads,removed,loss,perplexity,accuracy,parameters,milliseconds_per_batch, where `removed` is empty in the first row;
 * the chart (show/curve_picture.h). HL_BAD_FILE, HL_NO_MEMORY, HL_FAILED. */
static hl_status show_curve(const hl_heads_pruning *pruning, const hl_heads_command *command, FILE *out)
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

/* ---- the smaller model ---- */

/* The run's config with the shape of the model. */
static char *config_text(const hl_model_source *run, const hl_model_config *shape)
{
    hl_config config = run->config;
    size_t bytes = sizeof config.model.heads;
    memcpy(config.model.heads, shape->heads, bytes);
    memcpy(config.model.kv_heads, shape->kv_heads, bytes);
    memcpy(config.model.d_k, shape->d_k, bytes);
    memcpy(config.model.d_v, shape->d_v, bytes);
    return hl_config_result_text(&config);
}

static hl_status write_model(const hl_heads_pruning *pruning, const char *path)
{
    const hl_opened_model *run = pruning->run;
    hl_text names = { 0 };
    for (int64_t i = 0; i < hl_heads_count(&run->source.shape); i++) { /* "L0H1,L1H0,L1H3" */
        if (pruning->kept[i]) {
            hl_text_print(&names, "%s%s", names.size > 0 ? "," : "", hl_head_name_at(&run->source.shape, i).text);
        }
    }
    char *config = config_text(&run->source, &pruning->model.config);
    hl_status status = config != NULL ? hl_text_status(&names) : hl_error_memory(path);
    if (status.code == HL_OK) {
        int64_t step = run->weights_step >= 0 ? run->weights_step : 0;
        status = hl_checkpoint_write_pruned(path, &pruning->model.parameters, step, config, names.bytes);
    }
    hl_free(config);
    hl_text_free(&names);
    return status;
}

/* ---- how to go on ---- */

static void print_override(hl_text *text, const char *key, const int32_t *values, int n)
{
    hl_text_print(text, " model.%s=", key);
    for (int l = 0; l < n; l++) {
        hl_text_print(text, "%s%" PRId32, l > 0 ? "," : "", values[l]);
    }
}

static void print_command(hl_text *text, const hl_heads_pruning *pruning, const char *path)
{
    const hl_model_config *shape = &pruning->model.config;
    const char *run = pruning->run->source.path;
    size_t length = strlen(run);
    bool slash = length > 0 && run[length - 1] == '/';
    hl_text_print(text, "  ./train ");
    hl_shell_word(text, run, slash ? "config.ini" : "/config.ini");
    hl_text_print(text, " --from ");
    hl_shell_word(text, path, "");
    print_override(text, "heads", shape->heads, shape->n_layers);
    print_override(text, "kv_heads", shape->kv_heads, shape->n_layers);
    print_override(text, "d_k", shape->d_k, shape->n_layers);
    print_override(text, "d_v", shape->d_v, shape->n_layers);
    hl_text_print(text, " --out ");
    hl_text trimmed = { 0 };
    hl_text_print(&trimmed, "%.*s", (int)(length - slash), run);
    hl_shell_word(text, hl_text_part(text, &trimmed), "-pruned");
    hl_text_free(&trimmed);
    hl_text_print(text, "\n");
}

static hl_status tell(const hl_heads_pruning *pruning, const char *path, FILE *to)
{
    const hl_heads_pruning_row *first = &pruning->rows[0], *last = &pruning->rows[pruning->n_rows - 1];
    hl_text text = { 0 };
    hl_text_print(&text, "\n");
    hl_text_shown(&text, path);
    hl_text_print(&text,
                  ": %" PRId64 " of %" PRId64 " heads; a batch takes %.2f ms instead of %.2f. To fine-tune it:\n",
                  last->heads, first->heads, 1e3 * last->seconds, 1e3 * first->seconds);
    print_command(&text, pruning, path);
    return hl_output_put("-", &text, to);
}

/* ---- the verb ---- */

static hl_status check(const hl_heads_command *command)
{
    const char *writes = command->out != NULL ? "out" : command->export_to != NULL ? "export" : NULL;
    if (command->to > 0 && writes == NULL) {
        return hl_error(HL_INVALID, "command line: --to needs --out FILE or --export DIR");
    }
    if (command->to == 0 && writes != NULL) {
        return hl_error(HL_INVALID, "command line: --%s needs --to N, the number of heads to keep", writes);
    }
    return command->overwrite && command->export_to == NULL
               ? hl_error(HL_INVALID, "command line: --overwrite needs --export DIR")
               : hl_ok();
}

/* The pruned model stands beside the whole one. */
static hl_status memory(hl_heads_need *need)
{
    const hl_footprint *f = &need->f;
    size_t models = hl_size_sum(hl_heads_model_bytes(need), f->weights);
    need->bytes = hl_size_sum(models, hl_heads_larger(f->measures, hl_size_sum(f->snapshot, f->evaluation)));
    need->remedy = HL_HEADS_LESS_MEASURING;
    return hl_ok();
}

static hl_status check_target(const hl_model_source *run, int64_t target, const char *out)
{
    if (run->open != NULL && out != NULL) {
        return hl_error(HL_INVALID,
                        "command line: --out: %s is an open model, and a file of weights would have none of its "
                        "tokens: write the smaller one by --export DIR; train my.ini --from DIR trains it on",
                        run->path);
    }
    int64_t n = hl_heads_count(&run->shape), least = run->shape.n_layers;
    if (n == least) {
        return hl_error(HL_INVALID, "command line: --to: %s has one head in every layer, which it keeps", run->path);
    }
    if (target < least || target >= n) {
        return hl_error(HL_INVALID,
                        "command line: --to: %" PRId64 ": %s has %" PRId64 " heads in %" PRId64
                        " layers, and every layer keeps at least one: %" PRId64 " .. %" PRId64 " can be left",
                        target, run->path, n, least, least, n - 1);
    }
    return hl_ok();
}

static hl_status run(hl_heads_call *call)
{
    hl_opened_model *model = &call->model;
    const hl_heads_command *command = &call->command;
    HL_TRY(hl_heads_call_start(call, HL_DATA_READ, hl_heads_call_needs_loss));
    int64_t target = command->to > 0 ? command->to : model->source.shape.n_layers;
    if (command->to > 0) {
        HL_TRY(check_target(&model->source, target, command->out));
    }
    HL_TRY(command->export_to != NULL ? hl_heads_export_check(&model->source, command) : hl_ok());
    hl_heads_pruning pruning;
    hl_status status = hl_heads_pruning_make(&pruning, model, target, command->by, command->once);
    HL_THEN(status, show_curve(&pruning, command, call->out));
    FILE *to = hl_heads_command_fills_output(command) ? call->err : call->out;
    if (command->out != NULL) {
        HL_THEN(status, write_model(&pruning, command->out));
        HL_THEN(status, tell(&pruning, command->out, to));
    }
    if (command->export_to != NULL) {
        fputc('\n', to);
        HL_THEN(status, hl_heads_export_model(&model->source, &pruning.model, pruning.kept, command, to));
    }
    hl_heads_pruning_free(&pruning);
    return status;
}

const hl_heads_verb hl_heads_verb_prune = {
    .name = "prune",
    .does = "remove heads one by one, and write a smaller model",
    .example = "prune runs/copy_task",
    .help = hl_heads_help_prune,
    .options = "by once to out export overwrite json csv png svg pdf task file",
    .check = check,
    .memory = memory,
    .run = run,
};
