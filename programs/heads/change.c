#include "programs/heads/against.h"

#include "core/base/memory.h"
#include "core/files/json_text.h"
#include "heads/divergence.h"
#include "heads/head_set.h"
#include "heads/match.h"
#include "programs/heads/deliver.h"
#include "programs/results.h"
#include "show/table.h"
#include "study/model_examples.h"
#include "study/study.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* One of the two models. */
typedef struct side {
    hl_opened_model *run;
    const hl_snapshot *maps; /* on the first one's examples */
    hl_model_heads heads;
    hl_heads_study study; /* of these maps, without effects */
    hl_head_match *matches;
} side;

/* A head of the first model and one of the second. */
typedef struct row {
    int64_t head, other;
    double js;
} row;

typedef struct comparison {
    side sides[2];
    bool same_shape;
    int64_t n_examples; /* that score */
    hl_snapshot second;
    row *rows; /* as many as the first has heads */
} comparison;

/* ---- measuring ---- */

static hl_status measure_side(side *s, hl_opened_model *run, const hl_snapshot *maps)
{
    *s = (side){ .run = run, .maps = maps, .heads = { maps->layers, run->source.shape.n_layers } };
    HL_TRY(hl_heads_study_patterns(&s->study, maps, run->source.threads));
    s->matches = hl_calloc((size_t)s->study.n, sizeof *s->matches);
    HL_NEED(s->matches != NULL, "what heads do");
    return hl_ok();
}

static int by_change(const void *a, const void *b)
{
    const row *one = a, *other = b;
    if (one->js != other->js) {
        return one->js < other->js ? 1 : -1;
    }
    return one->head < other->head ? -1 : 1;
}

static hl_status make_rows(comparison *c)
{
    side *first = &c->sides[0], *second = &c->sides[1];
    const hl_model_config *a = &first->run->source.shape, *b = &second->run->source.shape;
    c->same_shape = a->n_layers == b->n_layers && memcmp(a->heads, b->heads, sizeof a->heads) == 0;
    HL_TRY(hl_heads_match(first->heads, second->heads, first->matches, second->matches));
    c->rows = hl_calloc((size_t)first->study.n, sizeof *c->rows);
    HL_NEED(c->rows != NULL, "what heads do");
    for (int64_t i = 0; i < first->study.n; i++) {
        c->rows[i] = (row){ i, first->matches[i].head, first->matches[i].js };
        if (c->same_shape) {
            hl_patterns one = hl_model_heads_at(first->heads, i), other = hl_model_heads_at(second->heads, i);
            hl_patterns scoring = hl_patterns_scoring(&one), others = hl_patterns_scoring(&other);
            c->rows[i] = (row){ i, i, hl_divergence_of(&scoring, &others) };
        }
    }
    qsort(c->rows, (size_t)first->study.n, sizeof *c->rows, by_change);
    return hl_ok();
}

/* ---- for a person ---- */

static void print_model(hl_text *text, const side *s)
{
    hl_text_shown(text, s->run->source.path);
    if (s->run->source.open == NULL && s->maps->step >= 0) {
        hl_text_print(text, ", step %" PRId64, s->maps->step);
    }
}

/* Each layer's mean, in their order. */
static void write_layers(hl_text *text, const comparison *c)
{
    hl_text line = { 0 };
    for (int l = 0; l < c->sides[0].heads.n_layers; l++) {
        double sum = 0;
        for (int64_t i = 0; i < c->sides[0].study.n; i++) {
            sum += c->sides[0].study.rows[c->rows[i].head].metrics.layer == l ? c->rows[i].js : 0;
        }
        hl_text_print(&line, "%s%.3f", l > 0 ? ", " : "", sum / (double)c->sides[0].heads.layers[l].n_heads);
    }
    hl_text_paragraph(text, HL_TABLE_WIDTH, "Mean js by layer, from the first on: %s.", hl_text_part(text, &line));
    hl_text_free(&line);
}

/* Heads of less js would stand there with 0.000, in an order that is noise. */
static const double unchanged = 0.0005;

/* How many rows the table has; where the models differ in shape all, as these say which head is which. */
static int64_t changed(const comparison *c)
{
    int64_t n = c->sides[0].study.n;
    while (c->same_shape && n > 0 && c->rows[n - 1].js < unchanged) {
        n--;
    }
    return n;
}

static void write_table(hl_text *text, const comparison *c)
{
    const side *first = &c->sides[0], *second = &c->sides[1];
    hl_text models[2] = { { 0 }, { 0 } };
    print_model(&models[0], first);
    print_model(&models[1], second);
    hl_text_paragraph(text, HL_TABLE_WIDTH,
                      "%s (%" PRId64 " heads) against %s (%" PRId64 " heads), on the %" PRId64
                      " scoring example%s of the first.",
                      hl_text_part(text, &models[0]), first->study.n, hl_text_part(text, &models[1]), second->study.n,
                      c->n_examples, c->n_examples == 1 ? "" : "s");
    hl_text_free(&models[0]);
    hl_text_free(&models[1]);
    int64_t shown = changed(c);
    hl_text_print(text, "\n");
    if (shown > 0) {
        hl_text_print(text, "%-6s%-8s%7s  %-14s%-14s%8s%8s%6s%8s\n", "head", c->same_shape ? "closest" : "other", "js",
                      "label", "other's", "entropy", "other's", "dist", "other's");
    }
    for (int64_t i = 0; i < shown; i++) {
        const row *r = &c->rows[i];
        const hl_heads_row *one = &first->study.rows[r->head], *other = &second->study.rows[r->other];
        hl_text_print(text, "%-6s%-8s%7.3f  %-14.13s%-14.13s%8.2f%8.2f%6.1f%8.1f\n",
                      hl_head_name_at(&first->run->source.shape, r->head).text,
                      hl_head_name_at(&second->run->source.shape, first->matches[r->head].head).text, r->js,
                      hl_label_text_of(one->label, first->run->source.relations).text,
                      hl_label_text_of(other->label, second->run->source.relations).text,
                      one->metrics.entropy.normalised, other->metrics.entropy.normalised, one->distance.absolute.value,
                      other->distance.absolute.value);
    }
    hl_text_print(text, shown > 0 ? "\n" : "");
    if (shown < first->study.n) {
        hl_text_paragraph(text, HL_TABLE_WIDTH,
                          "%" PRId64 " head%s left out, whose js is below %g: the same attention in both.",
                          first->study.n - shown, first->study.n - shown == 1 ? " is" : "s are", unchanged);
    }
    write_layers(text, c);
    hl_text_paragraph(text, HL_TABLE_WIDTH,
                      "%s; js: how far apart the attention of the two is (Jensen-Shannon divergence, mean over "
                      "queries), the largest first: 0 the same, 0.693 no key in common; entropy: from 0 (one key) to 1 "
                      "(spread evenly); dist: how many tokens away it looks.",
                      c->same_shape
                          ? "Each head beside the one in its place in the second model; closest: the one there "
                            "whose attention is most nearly the same"
                          : "other: the head of the second model whose attention is most nearly the same");
}

/* ---- for programs ---- */

enum { SIDES = 2 };

static void row_of(const void *context, int64_t index, hl_row *to)
{
    const comparison *c = context;
    const row *r = &c->rows[index];
    static const char *const names[SIDES][7] = { { "layer", "head", "label", "score", "entropy", "confidence",
                                                   "distance" },
                                                 { "against_layer", "against_head", "against_label", "against_score",
                                                   "against_entropy", "against_confidence", "against_distance" } };
    for (int s = 0; s < SIDES; s++) {
        const side *of = &c->sides[s];
        const hl_heads_row *its = &of->study.rows[s == 0 ? r->head : r->other];
        hl_row_integer(to, NULL, names[s][0], its->metrics.layer);
        hl_row_integer(to, NULL, names[s][1], its->metrics.head);
        hl_row_text(to, NULL, names[s][2], "%s", hl_label_text_of(its->label, of->run->source.relations).text);
        hl_row_number(to, NULL, names[s][3], 0, its->label.score.value);
        hl_row_number(to, NULL, names[s][4], 0, its->metrics.entropy.normalised);
        hl_row_number(to, NULL, names[s][5], 0, its->metrics.confidence.value);
        hl_row_number(to, NULL, names[s][6], 0, its->distance.absolute.value);
    }
    hl_head_match closest = c->sides[0].matches[r->head];
    hl_head_place near = hl_head_at(&c->sides[1].run->source.shape, closest.head);
    hl_row_number(to, NULL, "js", 0, r->js);
    hl_row_integer(to, NULL, "closest_layer", near.layer);
    hl_row_integer(to, NULL, "closest_head", near.head);
    hl_row_number(to, NULL, "closest_js", 0, closest.js);
}

static json_t *step_json(const side *s)
{
    return s->run->source.open == NULL && s->maps->step >= 0 ? json_integer(s->maps->step) : json_null();
}

/* ---- all of it ---- */

static hl_status deliver(const comparison *c, const hl_heads_call *call)
{
    const hl_results rows = { row_of, c, c->sides[0].study.n };
    hl_heads_answer answer = { 0 };
    write_table(&answer.table, c);
    hl_json_print_document(&answer.json,
                           json_pack("{s:o, s:o, s:b, s:I, s:o}", "step", step_json(&c->sides[0]), "step_against",
                                     step_json(&c->sides[1]), "same_shape", (int)c->same_shape, "examples",
                                     (json_int_t)c->n_examples, "heads", hl_results_json(rows)));
    hl_results_csv(&answer.csv, rows);
    return hl_heads_deliver(&call->command, &answer, call->out);
}

static hl_status compare(comparison *c, hl_heads_call *call, hl_opened_model *second)
{
    const hl_snapshot *maps;
    HL_TRY(hl_heads_against_check(&call->model, second));
    HL_TRY(hl_opened_model_snapshot(&call->model, -1, &maps));
    HL_TRY(hl_heads_against_check_length(&call->model.source, &maps->examples, &second->source));
    HL_TRY(measure_side(&c->sides[0], &call->model, maps));
    c->n_examples = hl_patterns_scoring(&maps->layers[0]).n_examples;
    HL_TRY(hl_opened_model_load(second, -1));
    HL_TRY(hl_model_maps_run(second, &maps->examples, &c->second));
    HL_TRY(hl_snapshot_find_words(&c->second, hl_vocabulary_kinds(second->source.vocabulary),
                                  hl_text_data_tokens(hl_dataset_text(second->source.dataset)), NULL, maps));
    HL_TRY(measure_side(&c->sides[1], second, &c->second));
    HL_TRY(make_rows(c));
    return deliver(c, call);
}

hl_status hl_heads_change_show(hl_heads_call *call, hl_opened_model *second)
{
    comparison *c = hl_calloc(1, sizeof *c); /* too large for the stack */
    HL_NEED(c != NULL, "a comparison");
    hl_status status = compare(c, call, second);
    for (int i = 0; i < SIDES; i++) {
        hl_heads_study_free(&c->sides[i].study);
        hl_free(c->sides[i].matches);
    }
    hl_free(c->rows);
    hl_snapshot_free(&c->second);
    hl_free(c);
    return status;
}
