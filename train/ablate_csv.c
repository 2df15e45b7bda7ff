#include "train/ablate_csv.h"

#include "core/files.h"
#include "core/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 28 };

/* ---- writing ---- */

static void write_header(const hl_ablate_plan *plan, hl_text *text)
{
    hl_text_print(text, "cell,seed");
    for (int k = 0; k < plan->n_keys; k++) {
        hl_text_print(text, ",%s", hl_ablate_key_label(plan->keys[k]));
    }
    hl_text_print(text, ",parameters,flops_per_step,steps,validation_loss,perplexity,accuracy,steps_to_target,seconds,"
                        "status\n");
}

static void write_row(const hl_ablate_plan *plan, int64_t cell, const hl_ablate_result *result, hl_text *text)
{
    const hl_ablate_variant *variant = hl_ablate_plan_variant(plan, cell);
    bool done = result->state == HL_ABLATE_DONE;
    hl_text_print(text, "%s,%" PRId64, variant->name, hl_ablate_plan_seed(plan, cell));
    for (int k = 0; k < plan->n_keys; k++) {
        char value[HL_ABLATE_VALUE_TEXT];
        hl_ablate_key_value(plan->keys[k], &variant->config, value);
        hl_text_print(text, ",%s", value);
    }
    hl_text_print(text, ",%" PRId64 ",%.0f,", variant->parameters, variant->flops);
    if (done) {
        hl_text_print(text, "%" PRId64 ",%.9g,%.9g,%.9g,", result->steps, result->loss, exp(result->loss),
                      result->accuracy);
    } else {
        hl_text_print(text, ",,,,");
    }
    if (done && result->steps_to_target >= 0) {
        hl_text_print(text, "%" PRId64, result->steps_to_target);
    }
    hl_text_print(text, ",");
    if (done && isfinite(result->seconds)) {
        hl_text_print(text, "%.3f", result->seconds);
    }
    hl_text_print(text, ",%s\n", done ? "done" : "failed");
}

hl_status hl_ablate_csv_write(const hl_ablate_plan *plan, const hl_ablate_result *results, hl_text *text)
{
    write_header(plan, text);
    for (int64_t i = 0; i < hl_ablate_plan_cells(plan); i++) {
        if (results[i].state == HL_ABLATE_DONE || results[i].state == HL_ABLATE_FAILED) {
            write_row(plan, i, &results[i], text);
        }
    }
    return hl_text_status(text);
}

/* ---- reading ---- */

/* Whether the line begins with "<name>,<seed>,". */
static bool is_of(const char *line, const hl_ablate_plan *plan, int64_t cell)
{
    const char *name = hl_ablate_plan_variant(plan, cell)->name;
    size_t length = strlen(name);
    if (strncmp(line, name, length) != 0 || line[length] != ',') {
        return false;
    }
    char *end;
    long long seed = strtoll(line + length + 1, &end, 10);
    return seed == hl_ablate_plan_seed(plan, cell) && *end == ',';
}

/* Takes the last two fields of a row: "12.345,done". */
static bool take_row(const char *line, size_t length, const hl_ablate_plan *plan, hl_ablate_result *results)
{
    for (int64_t i = 0; i < hl_ablate_plan_cells(plan); i++) {
        if (!is_of(line, plan, i)) {
            continue;
        }
        const char *status = line + length, *seconds;
        while (status[-1] != ',') {
            status--;
        }
        for (seconds = status - 1; seconds[-1] != ',';) {
            seconds--;
        }
        if (strncmp(status, "done", 4) == 0) {
            char *end;
            double value = strtod(seconds, &end);
            results[i].state = HL_ABLATE_DONE;
            results[i].seconds = end == status - 1 && end > seconds ? value : NAN;
        }
        return true;
    }
    return false;
}

static hl_status read_text(const char *path, const char *text, const hl_ablate_plan *plan, hl_ablate_result *results)
{
    hl_text header = { 0 };
    write_header(plan, &header);
    hl_status status = hl_text_status(&header);
    if (status.code == HL_OK && strncmp(text, header.bytes, header.size) != 0) {
        status = hl_error(HL_BAD_FILE,
                          "%s:1: not the header of this sweep's ablation.csv; remove the file: it will be "
                          "written anew from the runs' folders, but for their seconds",
                          path);
    }
    const char *line = text + header.size;
    for (int64_t number = 2; status.code == HL_OK && *line != '\0'; number++) {
        size_t length = strcspn(line, "\n");
        if (line[length] == '\0' || !take_row(line, length, plan, results)) {
            status = hl_error(HL_BAD_FILE,
                              "%s:%" PRId64 ": not a row of this sweep; remove the file: it will be "
                              "written anew from the runs' folders, but for their seconds",
                              path, number);
        }
        line += length + (line[length] == '\n');
    }
    hl_text_free(&header);
    return status;
}

hl_status hl_ablate_csv_read(const char *path, const hl_ablate_plan *plan, hl_ablate_result *results)
{
    if (access(path, F_OK) != 0 && errno == ENOENT) {
        return hl_ok();
    }
    char *text;
    size_t size;
    HL_TRY(hl_file_read(path, MOST_BYTES, &text, &size));
    hl_status status = read_text(path, text, plan, results);
    hl_free(text);
    return status;
}
