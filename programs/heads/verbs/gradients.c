#include "core/base/memory.h"
#include "core/files/json_text.h"
#include "heads/head_set.h"
#include "heads/relation_gradients.h"
#include "programs/heads/deliver.h"
#include "programs/heads/verb.h"
#include "programs/results.h"
#include "show/table.h"
#include "study/study.h"

typedef struct table {
    const hl_opened_model *run;
    int64_t step, n_examples;
    hl_relation_gradients found;
} table;

/* ---- pairs of relations, r < other, that both have enough answers ---- */

static bool next_pair(const hl_relation_gradients *g, int64_t *r, int64_t *other)
{
    for (int64_t pair = *r * g->n_relations + *other + 1; pair < g->n_relations * g->n_relations; pair++) {
        *r = pair / g->n_relations;
        *other = pair % g->n_relations;
        if (*r < *other && hl_relation_gradients_has(g, *r) && hl_relation_gradients_has(g, *other)) {
            return true;
        }
    }
    return false;
}

static int64_t count_pairs(const hl_relation_gradients *g)
{
    int64_t n = 0;
    for (int64_t r = 0, other = 0; next_pair(g, &r, &other);) {
        n++;
    }
    return n;
}

/* ---- for a person: a row for each head, and one for all ---- */

typedef struct summary {
    double mean, lowest, negative; /* `negative`: the share of pairs */
    int64_t r, other;              /* the lowest pair */
} summary;

static summary summary_of(const hl_relation_gradients *g, int64_t head)
{
    double n = (double)count_pairs(g);
    summary s = { .lowest = 2 };
    for (int64_t r = 0, other = 0; next_pair(g, &r, &other);) {
        double cosine = hl_relation_gradients_cosine(g, head, r, other);
        s.mean += cosine / n;
        s.negative += (cosine < 0) / n;
        if (cosine < s.lowest) {
            s.lowest = cosine;
            s.r = r;
            s.other = other;
        }
    }
    return s;
}

static void shown_row(const void *context, int64_t index, hl_row *row)
{
    const table *t = context;
    const char *const *relations = t->run->source.relations;
    summary s = summary_of(&t->found, index);
    hl_row_text(row, "head", NULL, "%s", hl_head_name_at(&t->run->model.config, index).text);
    hl_row_number(row, "mean cosine", NULL, 3, s.mean);
    hl_row_share(row, "below 0", NULL, s.negative);
    hl_row_number(row, "lowest", NULL, 3, s.lowest);
    hl_row_text(row, "of", NULL, "%s, %s", relations[s.r], relations[s.other]);
}

/* ---- for programs: a row for each head and pair ---- */

static void row_of(const void *context, int64_t index, hl_row *row)
{
    const table *t = context;
    const hl_relation_gradients *g = &t->found;
    const char *const *relations = t->run->source.relations;
    int64_t pairs = count_pairs(g), head = index / pairs, r = 0, other = 0;
    for (int64_t i = 0; i <= index % pairs; i++) {
        next_pair(g, &r, &other);
    }
    hl_head_place at = hl_head_at(&t->run->model.config, head);
    hl_row_integer(row, NULL, "layer", at.layer);
    hl_row_integer(row, NULL, "head", (double)at.head);
    hl_row_text(row, NULL, "relation", "%s", relations[r]);
    hl_row_text(row, NULL, "other", "%s", relations[other]);
    hl_row_number(row, NULL, "cosine", 0, hl_relation_gradients_cosine(g, head, r, other));
    hl_row_number(row, NULL, "norm", 0, hl_relation_gradients_norm(g, head, r));
    hl_row_number(row, NULL, "other_norm", 0, hl_relation_gradients_norm(g, head, other));
}

static hl_status deliver(const table *t, const hl_heads_command *command, FILE *out)
{
    hl_results rows = { row_of, t, t->found.n_heads * count_pairs(&t->found) };
    hl_heads_answer answer = { 0 };
    const hl_relation_gradients *g = &t->found;
    double mean = 0;
    for (int64_t h = 0; h < g->n_heads; h++) {
        mean += summary_of(g, h).mean / (double)g->n_heads;
    }
    hl_text_paragraph(&answer.table, HL_TABLE_WIDTH,
                      "%s, step %lld: whether the answers of different relations pull a head the same way.",
                      t->run->source.path, (long long)t->step);
    hl_results_print_apart(&answer.table, (hl_results){ shown_row, t, g->n_heads }, HL_TABLE_WIDTH, 1);
    hl_text_paragraph(
        &answer.table, HL_TABLE_WIDTH,
        "The mean over all heads is %.3f. Each relation has its own loss, and each head a gradient of this "
        "loss by its weights. cosine: of two relations' gradients; below 0, a step that helps one relation "
        "hurts the other. Relations with fewer than %d answers are left out.",
        mean, HL_GRADIENTS_LEAST);
    hl_json_print_document(&answer.json, json_pack("{s:I, s:I, s:o}", "step", (json_int_t)t->step, "examples",
                                                   (json_int_t)t->n_examples, "rows", hl_results_json(rows)));
    hl_results_csv(&answer.csv, rows);
    hl_results_markdown(&answer.markdown, (hl_results){ shown_row, t, t->found.n_heads });
    return hl_heads_deliver(command, &answer, out);
}

/* ---- the verb ---- */

/* A model with gradients, a step on all examples, and the gradients of each relation in double. */
static hl_status memory(hl_heads_need *need)
{
    const hl_footprint *f = &need->f;
    const char *const *names = need->run->source.relations;
    size_t relations = 0;
    while (names != NULL && names[relations] != NULL) {
        relations++;
    }
    size_t gradients = hl_size_product(2 * relations + 2, f->weights);
    need->bytes = hl_size_sum(hl_size_sum(gradients, f->step), hl_footprint_sum(f, HL_STANDS_MODEL));
    return hl_ok();
}

static hl_status measure(hl_heads_call *call)
{
    hl_opened_model *run = &call->model;
    const hl_snapshot *snapshot;
    HL_TRY(hl_opened_model_snapshot(run, call->command.step, &snapshot));
    HL_TRY(hl_heads_load_weights(run, snapshot->step, call->command.step >= 0));
    if (snapshot->examples.n_relations == 0) {
        return hl_error(HL_INVALID,
                        "%s: its task states no relations between tokens; those of agreement and attachment do",
                        run->source.path);
    }
    table t = { .run = run, .step = run->weights_step, .n_examples = snapshot->examples.n_examples };
    HL_TRY(hl_relation_gradients_make(&t.found, &run->model, &snapshot->examples, run->source.threads));
    hl_status status = count_pairs(&t.found) > 0
                           ? deliver(&t, &call->command, call->out)
                           : hl_error(HL_INVALID,
                                      "%s: there are not two relations with %d answers each; record more "
                                      "patterns.examples",
                                      run->source.path, HL_GRADIENTS_LEAST);
    hl_relation_gradients_free(&t.found);
    return status;
}

static hl_status run(hl_heads_call *call)
{
    HL_TRY(hl_heads_call_open(call, HL_DATA_READ));
    if (call->model.source.open != NULL) {
        return hl_error(HL_INVALID, "%s: is an open model, and no task states relations between its tokens",
                        call->command.model);
    }
    HL_TRY(hl_heads_call_read(call));
    HL_TRY(hl_heads_call_begin(call));
    return measure(call);
}

const hl_heads_verb hl_heads_verb_gradients = {
    .name = "gradients",
    .does = "whether relations pull heads in different directions",
    .example = "gradients runs/agreement",
    .help = hl_heads_help_gradients,
    .options = "step json csv md",
    .memory = memory,
    .run = run,
};
