#include "programs/heads/subset.h"

#include "core/base/memory.h"
#include "core/base/units.h"
#include "core/files/json_text.h"
#include "heads/head_set.h"
#include "programs/heads/deliver.h"
#include "programs/results.h"
#include "show/table.h"
#include "study/validation.h"

#include <inttypes.h>
#include <math.h>

enum { NAME = 10 };

static hl_status read_kept(const hl_model_source *run, const hl_heads_command *command, bool *kept)
{
    bool drops = command->drop != NULL;
    hl_status status = hl_head_set_parse(&run->shape, drops ? command->drop : command->keep, kept);
    for (int64_t i = 0; i < hl_heads_count(&run->shape); i++) {
        kept[i] = kept[i] != drops;
    }
    return status.code == HL_INVALID
               ? hl_error(HL_INVALID, "command line: --%s: %s", drops ? "drop" : "keep", status.text)
               : status;
}

/* What is shown, and of which heads. */
typedef struct subset {
    const hl_opened_model *run;
    const bool *kept;
    int64_t n_examples;
    struct {
        int64_t heads;
        hl_subset_worth worth;
    } rows[2]; /* of all heads, of those kept */
} subset;

/* ---- for a person ---- */

/* Which heads the second row is of. */
static void write_heading(hl_text *text, const subset *s)
{
    const hl_opened_model *run = s->run;
    hl_text names = { 0 };
    hl_head_set_print(&names, &run->source.shape, s->kept);
    char step[48] = "";
    if (run->weights_step >= 0) {
        snprintf(step, sizeof step, ", weights of step %" PRId64, run->weights_step);
    }
    hl_text_paragraph(text, HL_TABLE_WIDTH, "%s%s, on the %s example%s of %s.", run->source.path, step,
                      HL_COUNT(s->n_examples), s->n_examples == 1 ? "" : "s", run->source.validation);
    hl_text_paragraph(text, HL_TABLE_WIDTH, "Heads kept: %s.", hl_text_part(text, &names));
    hl_text_free(&names);
}

/* ---- for programs ---- */

static void row_of(const void *context, int64_t index, hl_row *row)
{
    const subset *s = context;
    hl_subset_worth worth = s->rows[index].worth;
    hl_row_integer(row, NULL, "heads", s->rows[index].heads);
    hl_row_number(row, NULL, "loss", 0, worth.loss);
    hl_row_number(row, NULL, "perplexity", 0, exp(worth.loss));
    hl_row_number(row, NULL, "accuracy", 0, worth.accuracy);
}

static void write_json(hl_text *text, const subset *s)
{
    json_t *names = json_array();
    for (int64_t i = 0; i < hl_heads_count(&s->run->source.shape); i++) {
        if (s->kept[i]) {
            hl_json_append(&names, json_string(hl_head_name_at(&s->run->source.shape, i).text));
        }
    }
    int64_t step = s->run->weights_step;
    json_t *root =
        json_pack("{s:o, s:I, s:o, s:o}", "weights_step", step >= 0 ? json_integer(step) : json_null(), "examples",
                  (json_int_t)s->n_examples, "kept", names, "rows", hl_results_json((hl_results){ row_of, s, 2 }));
    hl_json_print_document(text, root);
}

/* ---- all of it ---- */

static hl_status validate(hl_opened_model *run, const bool *kept, const hl_heads_command *command, FILE *out)
{
    HL_TRY(hl_opened_model_load(run, -1));
    hl_heads_validation validation;
    HL_TRY(hl_heads_validation_make(&validation, &run->source));
    int64_t n = hl_heads_count(&run->source.shape);
    subset s = { .run = run, .kept = kept, .n_examples = validation.n_examples };
    s.rows[0].heads = n;
    s.rows[1].heads = hl_head_set_size(kept, n);
    hl_status status = hl_heads_validate(&validation, &run->model, NULL, &s.rows[0].worth);
    HL_THEN(status, hl_heads_validate(&validation, &run->model, kept, &s.rows[1].worth));
    hl_heads_validation_free(&validation);
    HL_TRY(status);
    hl_heads_answer answer = { 0 };
    write_heading(&answer.table, &s);
    hl_text_print(&answer.table, "\n%*s%12s%12s%12s\n", NAME, "heads", "loss", "perplexity", "accuracy");
    for (int i = 0; i < 2; i++) {
        hl_subset_worth worth = s.rows[i].worth;
        char loss[HL_UNITS_TEXT], perplexity[HL_UNITS_TEXT];
        hl_text_print(&answer.table, "%*" PRId64 "%12s%12s%11.2f%%\n", NAME, s.rows[i].heads,
                      hl_units_number(worth.loss, 6, loss), hl_units_number(exp(worth.loss), 4, perplexity),
                      100 * worth.accuracy);
    }
    write_json(&answer.json, &s);
    hl_results_csv(&answer.csv, (hl_results){ row_of, &s, 2 });
    return hl_heads_deliver(command, &answer, out);
}

hl_status hl_heads_subset_show(hl_opened_model *run, const hl_heads_command *command, FILE *out)
{
    bool *kept = hl_calloc((size_t)hl_heads_count(&run->source.shape), sizeof *kept);
    HL_NEED(kept != NULL, "the heads that are kept");
    hl_status status = read_kept(&run->source, command, kept);
    HL_THEN(status, validate(run, kept, command, out));
    hl_free(kept);
    return status;
}
