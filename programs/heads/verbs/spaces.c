#include "heads/spaces.h"

#include "core/base/memory.h"
#include "core/files/json_text.h"
#include "heads/head_set.h"
#include "programs/heads/deliver.h"
#include "programs/heads/verb.h"
#include "programs/results.h"
#include "show/table.h"
#include "study/model_examples.h"
#include "study/study.h"

#include <math.h>

/* Pairs of heads, and the same pairs at step 0 in the same order: empty for an open model. */
typedef struct table {
    const hl_opened_model *run;
    hl_space_pairs pairs, untrained;
} table;

static const char *const names[HL_SPACES] = { "Q", "K", "V", "O" };

static double untrained_overlap(const table *t, int64_t i)
{
    return t->untrained.n > 0 ? t->untrained.list[i].overlap : NAN;
}

/* ---- for a person: a row for each layer and matrix ---- */

/* The pairs from index `first` on that have the same layer and matrix. */
static int64_t group_end(const table *t, int64_t first)
{
    const hl_space_pair *list = t->pairs.list;
    int64_t end = first;
    while (end < t->pairs.n && list[end].layer == list[first].layer && list[end].space == list[first].space) {
        end++;
    }
    return end;
}

static int64_t count_groups(const table *t)
{
    int64_t n = 0;
    for (int64_t i = 0; i < t->pairs.n; i = group_end(t, i)) {
        n++;
    }
    return n;
}

static void shown_row(const void *context, int64_t index, hl_row *row)
{
    const table *t = context;
    int64_t first = 0;
    for (int64_t i = 0; i < index; i++) {
        first = group_end(t, first);
    }
    int64_t end = group_end(t, first), most = first;
    double mean = 0, untrained = 0;
    for (int64_t i = first; i < end; i++) {
        mean += t->pairs.list[i].overlap / (double)(end - first);
        untrained += untrained_overlap(t, i) / (double)(end - first);
        most = t->pairs.list[i].overlap > t->pairs.list[most].overlap ? i : most;
    }
    const hl_space_pair *pair = &t->pairs.list[most];
    hl_row_text(row, "space", NULL, "L%d W_%s", pair->layer, names[pair->space]);
    hl_row_number(row, "overlap", NULL, 3, mean);
    hl_row_number(row, "step 0", NULL, 3, untrained);
    hl_row_number(row, "random", NULL, 3, pair->random_mean);
    hl_row_text(row, "closest pair", NULL, "%s %s", hl_head_name_of(pair->layer, pair->head).text,
                hl_head_name_of(pair->layer, pair->other).text);
    hl_row_number(row, "angle", NULL, 1, pair->angle);
}

static void print_table(hl_text *text, const table *t)
{
    if (t->pairs.n == 0) {
        hl_text_paragraph(text, HL_TABLE_WIDTH, "%s has one head in each layer, so there are no pairs to compare.",
                          t->run->source.path);
        return;
    }
    hl_text_paragraph(text, HL_TABLE_WIDTH, "%s: how much the spaces of heads in the same layer overlap.",
                      t->run->source.path);
    hl_results_print_apart(text, (hl_results){ shown_row, t, count_groups(t) }, HL_TABLE_WIDTH, 1);
    hl_text_paragraph(
        text, HL_TABLE_WIDTH,
        "A head reads the residual stream by W_Q, W_K and W_V, and writes to it by W_O. overlap: the mean "
        "squared cosine of the principal angles between two heads' spaces, on average over all pairs (1: "
        "one space contains the other; 0: they are orthogonal). step 0: of the same pairs before "
        "training. random: of random spaces of the same sizes. closest pair: the two heads that overlap "
        "most, with their smallest angle in degrees.");
}

/* ---- for programs: a row for each pair ---- */

static void row_of(const void *context, int64_t index, hl_row *row)
{
    const table *t = context;
    const hl_space_pair *pair = &t->pairs.list[index];
    hl_row_integer(row, NULL, "layer", pair->layer);
    hl_row_text(row, NULL, "matrix", "%s", names[pair->space]);
    hl_row_integer(row, NULL, "head", (double)pair->head);
    hl_row_integer(row, NULL, "other", (double)pair->other);
    hl_row_number(row, NULL, "overlap", 0, pair->overlap);
    hl_row_number(row, NULL, "smallest_angle", 0, pair->angle);
    hl_row_number(row, NULL, "step_0", 0, untrained_overlap(t, index));
    hl_row_number(row, NULL, "random_mean", 0, pair->random_mean);
    hl_row_number(row, NULL, "random_95", 0, pair->random_95);
}

static hl_status deliver(const table *t, const hl_heads_command *command, FILE *out)
{
    hl_results rows = { row_of, t, t->pairs.n };
    hl_heads_answer answer = { 0 };
    print_table(&answer.table, t);
    hl_json_print_document(
        &answer.json, json_pack("{s:I, s:o}", "draws", (json_int_t)HL_SPACES_DRAWS, "rows", hl_results_json(rows)));
    if (t->pairs.n > 0) {
        hl_results_csv(&answer.csv, rows);
        hl_results_markdown(&answer.markdown, (hl_results){ shown_row, t, count_groups(t) });
    }
    return hl_heads_deliver(command, &answer, out);
}

/* ---- the verb ---- */

static hl_status memory(hl_heads_need *need)
{
    size_t pairs = hl_space_pairs_bytes(&need->run->source.shape);
    need->bytes = hl_size_sum(hl_size_product(2, hl_size_sum(pairs, need->f.weights)),
                              hl_footprint_sum(&need->f, HL_STANDS_MODEL));
    need->remedy = "a run with fewer or narrower heads needs less";
    return hl_ok();
}

static hl_status measure_untrained(const hl_opened_model *run, hl_space_pairs *pairs)
{
    if (run->source.open != NULL) {
        return hl_ok();
    }
    hl_model random = { 0 };
    hl_status status = hl_opened_model_draw_null(&run->source, &random);
    HL_THEN(status, hl_space_pairs_make(pairs, &random, 1));
    hl_model_free(&random);
    return status;
}

static hl_status run(hl_heads_call *call)
{
    HL_TRY(hl_heads_call_start(call, HL_DATA_TOKENS, NULL));
    int64_t step = call->command.step;
    HL_TRY(hl_heads_load_weights(&call->model, step, step >= 0));
    table t = { .run = &call->model };
    hl_status status = hl_space_pairs_make(&t.pairs, &call->model.model, 1);
    HL_THEN(status, measure_untrained(&call->model, &t.untrained));
    HL_THEN(status, deliver(&t, &call->command, call->out));
    hl_space_pairs_free(&t.pairs);
    hl_space_pairs_free(&t.untrained);
    return status;
}

const hl_heads_verb hl_heads_verb_spaces = {
    .name = "spaces",
    .does = "how much the subspaces of heads overlap",
    .example = "spaces runs/copy_task",
    .help = hl_heads_help_spaces,
    .options = "step json csv md",
    .memory = memory,
    .run = run,
};
