#include "train/heads_subset.h"

#include "core/memory.h"
#include "heads/head_set.h"
#include "heads/table.h"
#include "train/heads_validation.h"
#include "train/units.h"

#include <inttypes.h>
#include <math.h>

enum { NAME = 10 };

static hl_status read_kept(const hl_opened_run *run, const hl_heads_command *command, bool *kept)
{
    bool drops = command->drop != NULL;
    hl_status status = hl_head_set_parse(&run->shape, drops ? command->drop : command->keep_only, kept);
    for (int64_t i = 0; i < hl_heads_count(&run->shape); i++) {
        kept[i] = kept[i] != drops;
    }
    return status.code == HL_INVALID
               ? hl_error(HL_INVALID, "command line: --%s: %s", drops ? "drop" : "keep-only", status.text)
               : status;
}

/* Which heads the second row is of. */
static hl_status write_heading(hl_text *text, const hl_opened_run *run, const bool *kept, int64_t n_examples)
{
    hl_text names = { 0 };
    hl_head_set_print(&names, &run->shape, kept);
    hl_status status = hl_text_status(&names);
    if (status.code == HL_OK && run->weights_step >= 0) {
        hl_text_paragraph(text, HL_TABLE_WIDTH,
                          "%s, weights of step %" PRId64 ", on the %" PRId64 " examples of the validation set.",
                          run->path, run->weights_step, n_examples);
    } else if (status.code == HL_OK) {
        hl_text_paragraph(text, HL_TABLE_WIDTH, "%s, on the %" PRId64 " examples of the validation set.", run->path,
                          n_examples);
    }
    if (status.code == HL_OK) {
        hl_text_paragraph(text, HL_TABLE_WIDTH, "Heads kept: %s.", names.bytes);
    }
    hl_text_free(&names);
    return status;
}

static void write_row(hl_text *text, int64_t n_heads, hl_subset_worth worth)
{
    char loss[HL_UNITS_TEXT], perplexity[HL_UNITS_TEXT];
    hl_text_print(text, "%*" PRId64 "%12s%12s%11.2f%%\n", NAME, n_heads, hl_units_number(worth.loss, 6, loss),
                  hl_units_number(exp(worth.loss), 4, perplexity), 100 * worth.accuracy);
}

static hl_status write_table(hl_text *text, const hl_opened_run *run, const hl_heads_validation *validation,
                             const bool *kept)
{
    hl_subset_worth whole, subset;
    HL_TRY(hl_heads_validate(validation, &run->model, NULL, &whole));
    HL_TRY(hl_heads_validate(validation, &run->model, kept, &subset));
    HL_TRY(write_heading(text, run, kept, validation->examples.n_examples));
    int64_t n = hl_heads_count(&run->shape);
    hl_text_print(text, "\n%*s%12s%12s%12s\n", NAME, "heads", "loss", "perplexity", "accuracy");
    write_row(text, n, whole);
    write_row(text, hl_head_set_size(kept, n), subset);
    return hl_text_status(text);
}

static hl_status validate(hl_text *text, hl_opened_run *run, const bool *kept)
{
    HL_TRY(hl_opened_run_load(run, -1));
    hl_heads_validation validation;
    HL_TRY(hl_heads_validation_make(&validation, run));
    hl_status status = write_table(text, run, &validation, kept);
    hl_heads_validation_free(&validation);
    return status;
}

hl_status hl_heads_subset_write(hl_text *text, hl_opened_run *run, const hl_heads_command *command)
{
    bool *kept = hl_calloc((size_t)hl_heads_count(&run->shape), sizeof *kept);
    if (kept == NULL) {
        return hl_error_memory("the heads that are kept");
    }
    hl_status status = read_kept(run, command, kept);
    if (status.code == HL_OK) {
        status = validate(text, run, kept);
    }
    hl_free(kept);
    return status;
}
