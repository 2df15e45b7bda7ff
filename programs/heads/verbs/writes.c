#include "heads/writes.h"

#include "core/base/memory.h"
#include "programs/heads/deliver.h"
#include "programs/heads/examples.h"
#include "programs/heads/verb.h"
#include "programs/heads/writes_table.h"
#include "show/bar_picture.h"
#include "study/model_examples.h"
#include "study/study.h"

#include <inttypes.h>
#include <math.h>

/* ---- measuring ---- */

static hl_status measure_null(const hl_opened_model *run, const hl_examples *examples, hl_writes *null)
{
    hl_model *random = hl_calloc(1, sizeof *random);
    HL_NEED(random != NULL, "random weights");
    hl_writes_options options = hl_opened_model_writes_options(run);
    hl_status status = hl_opened_model_draw_null(&run->source, random);
    HL_THEN(status, hl_writes_measure(random, examples, &options, null));
    hl_model_free(random);
    hl_free(random);
    return status;
}

static double size_of(const hl_writes *writes, int row)
{
    return writes->has_answers ? fabs(writes->writers[row].direct.mean) : writes->heads[row].norm.mean;
}

/* The largest direct contribution first, or without answers the largest norm. */
static void sort_rows(const hl_writes *writes, int *order, int n)
{
    for (int i = 0; i < n; i++) {
        int at = i;
        for (; at > 0 && size_of(writes, order[at - 1]) < size_of(writes, i); at--) {
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
}

/* All writers' bars, in the order of the table. */
static hl_status draw(const void *context, hl_picture_format format, hl_text *bytes)
{
    const hl_heads_writes *w = context;
    const hl_writes *own = w->own;
    hl_bar *bars = hl_calloc((size_t)w->n_rows, sizeof *bars);
    char(*names)[HL_WRITER_NAME] = hl_calloc((size_t)w->n_rows, sizeof *names);
    hl_text title = { 0 };
    bool complete = bars != NULL && names != NULL;
    for (int i = 0; i < w->n_rows && complete; i++) {
        const hl_writer *writer = &own->writers[w->order[i]];
        hl_writer_name(writer, names[i]);
        bars[i] = (hl_bar){ names[i], writer->direct.mean, writer->direct.error };
    }
    hl_text_print(&title, "%s: what each part adds to the right answer's logit (%.2f in all)", w->run->source.name,
                  own->logit.mean);
    hl_bar_picture picture = { .title = title.bytes, .bars = bars, .n_bars = w->n_rows };
    hl_status status = complete ? hl_text_status(&title) : hl_error_memory("the chart of what heads write");
    HL_THEN(status, hl_bar_picture_print(&picture, format, HL_HEADS_PNG_DPI, bytes));
    hl_text_free(&title);
    hl_free(names);
    hl_free(bars);
    return status;
}

static hl_status deliver(hl_heads_call *call, hl_heads_writes *w)
{
    if (!w->own->has_answers && (call->command.example >= 0 || hl_heads_command_draws(&call->command))) {
        return hl_error(HL_INVALID, "%s: %s without right answers there is no direct contribution to show",
                        w->run->source.path, call->command.example >= 0 ? "--example:" : "--png, --svg and --pdf:");
    }
    w->n_rows = w->own->has_answers ? w->own->n_writers : (int)w->own->n_heads;
    w->order = hl_calloc((size_t)w->n_rows, sizeof *w->order);
    HL_NEED(w->order != NULL, "what heads write");
    sort_rows(w->own, w->order, w->n_rows);
    hl_heads_answer answer = { .draw = draw, .of = w };
    if (call->command.example >= 0) {
        hl_heads_writes_example(w, call->command.example, call->command.wide, &answer);
    } else {
        hl_heads_writes_tables(w, call->command.wide, &answer);
    }
    hl_status status = hl_heads_deliver(&call->command, &answer, call->out);
    hl_free(w->order);
    return status;
}

static hl_status choose_example(hl_examples *examples, int64_t example)
{
    if (example >= examples->n_examples) {
        return hl_error(HL_INVALID, "command line: --example: %" PRId64 ": the examples are 0 .. %" PRId64, example,
                        examples->n_examples - 1);
    }
    *examples = hl_examples_slice(examples, example, 1);
    return hl_ok();
}

static hl_status measure(hl_heads_call *call)
{
    hl_opened_model *run = &call->model;
    const hl_snapshot *snapshot;
    HL_TRY(hl_opened_model_snapshot(run, call->command.step, &snapshot));
    HL_TRY(hl_heads_load_weights(run, snapshot->step, call->command.step >= 0));
    hl_writes_options options = hl_opened_model_writes_options(run);
    hl_writes own = { 0 }, null = { 0 };
    hl_examples examples = snapshot->examples;
    if (call->command.example >= 0) {
        HL_TRY(choose_example(&examples, call->command.example));
        options.keep_terms = true;
    }
    hl_status status = hl_writes_measure(&run->model, &examples, &options, &own);
    HL_THEN(status, call->command.example < 0 ? measure_null(run, &examples, &null) : hl_ok());
    if (status.code == HL_OK) {
        hl_heads_writes w = {
            .run = run, .examples = &examples, .step = run->weights_step, .own = &own, .null = &null
        };
        status = deliver(call, &w);
    }
    hl_writes_free(&own);
    hl_writes_free(&null);
    return status;
}

/* ---- the verb ---- */

static hl_status bytes_of(const hl_heads_need *need, const hl_model *model, size_t *bytes)
{
    hl_examples examples = hl_heads_examples_size(need->run);
    hl_writes_options its = hl_opened_model_writes_options(need->run);
    return hl_writes_bytes(model, &examples, &its, bytes);
}

/* Two models, the examples with their maps, and what is measured in, which no two models have at once. */
static hl_status memory(hl_heads_need *need)
{
    size_t measuring;
    HL_TRY(hl_heads_bytes(need, bytes_of, &measuring));
    size_t models = hl_size_sum(hl_heads_model_bytes(need), need->f.weights);
    need->bytes = hl_size_sum(measuring, hl_size_sum(models, need->f.snapshot));
    return hl_ok();
}

static hl_status run(hl_heads_call *call)
{
    HL_TRY(hl_heads_call_start(call, HL_DATA_READ, hl_heads_call_needs_examples));
    return measure(call);
}

const hl_heads_verb hl_heads_verb_writes = {
    .name = "writes",
    .does = "what each head adds to the answer",
    .example = "writes runs/copy_task",
    .help = hl_heads_help_writes,
    .options = "examples task file step example wide json csv md png svg pdf",
    .check = hl_heads_examples_check,
    .memory = memory,
    .run = run,
};
