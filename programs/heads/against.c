#include "programs/heads/against.h"

#include "core/base/memory.h"
#include "core/base/units.h"
#include "core/files/folders.h"
#include "core/files/json_text.h"
#include "heads/divergence.h"
#include "heads/head_set.h"
#include "programs/heads/deliver.h"
#include "programs/heads/memory.h"
#include "programs/print_line.h"
#include "programs/results.h"
#include "show/table.h"
#include "study/model_examples.h"
#include "study/output.h"
#include "study/report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* One of the two runs. */
typedef struct side {
    hl_opened_model *run;
    const hl_snapshot *last;      /* the run's, as is `untrained` */
    hl_heads_study study;         /* of `last` */
    const hl_snapshot *untrained; /* of step 0; NULL if it is not used */
    hl_heads_history history;
    hl_model_heads heads; /* on the first run's examples */
    hl_head_match *matches;
    hl_heads_report report;
} side;

typedef struct comparison {
    side sides[2];
    bool same_examples;
    bool has_untrained;   /* both have a snapshot of step 0 on the same examples */
    hl_snapshot on_first; /* the second run on the first one's examples, where its own are others */
} comparison;

/* ---- what cannot be compared ---- */

static hl_status check_tokens(const hl_model_source *a, const hl_model_source *b)
{
    const hl_vocabulary *one = a->vocabulary, *other = b->vocabulary;
    int64_t n = hl_vocabulary_size(one), m = hl_vocabulary_size(other);
    if (n != m) {
        return hl_error(HL_INVALID,
                        "%s and %s cannot be compared: their vocabularies have %" PRId64 " and %" PRId64
                        " tokens; compare runs of the same task with the same symbols, or an open model with a run "
                        "that began with it",
                        a->path, b->path, n, m);
    }
    for (int32_t id = 0; id < n; id++) {
        const char *token = hl_vocabulary_token(one, id), *its = hl_vocabulary_token(other, id);
        if (strcmp(token, its) != 0) {
            return hl_error(HL_INVALID,
                            "%s and %s cannot be compared: token %d is \"%s\" for one and \"%s\" for the other; "
                            "compare models with the same tokens, as runs of the same task",
                            a->path, b->path, id, token, its);
        }
    }
    int64_t stated = hl_dataset_sizes(a->dataset)->relations, its = hl_dataset_sizes(b->dataset)->relations;
    return stated == its ? hl_ok()
                         : hl_error(HL_INVALID,
                                    "%s and %s cannot be compared: their tasks state %" PRId64 " and %" PRId64
                                    " relations; compare runs of the same task",
                                    a->path, b->path, stated, its);
}

hl_status hl_heads_against_check(const hl_opened_model *first, const hl_opened_model *second)
{
    hl_heads_need need;
    HL_TRY(check_tokens(&first->source, &second->source));
    HL_TRY(hl_heads_memory_of_two(first, second, &need));
    return hl_heads_need_check(&need, hl_memory_at_hand_now());
}

hl_status hl_heads_against_check_length(const hl_model_source *first, const hl_examples *examples,
                                        const hl_model_source *second)
{
    int64_t T = examples->n_tokens, most = second->shape.max_length;
    if (T > most) {
        return hl_error(HL_INVALID,
                        "%s cannot be run on the examples of %s: they have up to %" PRId64
                        " tokens, and its model takes at most %" PRId64 " (max_length); try them the other way round",
                        second->path, first->path, T, most);
    }
    bool has;
    HL_TRY(hl_model_source_has_weights(second, &has));
    if (!has) {
        return hl_error(HL_INVALID,
                        "%s cannot be run on the examples of %s: it has no weights (checkpoint.safetensors); try them "
                        "the other way round",
                        second->path, first->path);
    }
    return hl_ok();
}

/* ---- both on the same examples ---- */

static hl_status read_side(side *s, hl_opened_model *run)
{
    s->run = run;
    HL_TRY(hl_opened_model_snapshot(run, -1, &s->last));
    HL_TRY(hl_heads_study_make(&s->study, run, s->last, false));
    HL_TRY(s->study.no_syntax);
    HL_TRY(hl_heads_history_make(run, &s->study, &s->history));
    s->heads = (hl_model_heads){ s->last->layers, run->source.shape.n_layers };
    s->matches = hl_calloc((size_t)s->study.n, sizeof *s->matches);
    HL_NEED(s->matches != NULL, "the heads' matches");
    return hl_ok();
}

static bool are_same(const hl_examples *a, const hl_examples *b)
{
    size_t n = (size_t)a->n_examples;
    return a->n_examples == b->n_examples && a->n_tokens == b->n_tokens &&
           memcmp(a->lengths, b->lengths, n * sizeof *a->lengths) == 0 &&
           memcmp(a->tokens, b->tokens, n * (size_t)a->n_tokens * sizeof *a->tokens) == 0;
}

/* The step of the second run's maps; where its weights were run for them, the step of the weights, if they tell it. */
static int64_t second_step(const comparison *c)
{
    const side *second = &c->sides[1];
    bool ran = !c->same_examples && second->run->weights_step >= 0;
    return ran ? second->run->weights_step : second->study.step;
}

/* Replaces the second run's snapshot by the maps of its weights on the first run's examples. */
static hl_status run_on_first(comparison *c)
{
    side *first = &c->sides[0], *second = &c->sides[1];
    HL_TRY(hl_heads_against_check_length(&first->run->source, &first->last->examples, &second->run->source));
    HL_TRY(hl_model_maps_run(second->run, &first->last->examples, &c->on_first));
    second->heads.layers = c->on_first.layers;
    hl_report_maps_free(&second->history.maps);
    second->history.maps = (hl_report_maps){ .n_snapshots = 1 };
    return hl_report_maps_add(&second->history.maps, second_step(c), second->heads.layers, second->heads.n_layers,
                              &c->on_first.answers);
}

static hl_status match(comparison *c)
{
    side *first = &c->sides[0], *second = &c->sides[1];
    c->same_examples = are_same(&first->last->examples, &second->last->examples);
    if (!c->same_examples) {
        HL_TRY(run_on_first(c));
    }
    return hl_heads_match(first->heads, second->heads, first->matches, second->matches);
}

/* ---- before the first step ---- */

/* Untrained heads are close to each other already; js is judged against their distance. */
static hl_status read_untrained(comparison *c)
{
    side *first = &c->sides[0], *second = &c->sides[1];
    if (!c->same_examples || first->run->steps[0] != 0 || second->run->steps[0] != 0) {
        return hl_ok();
    }
    HL_TRY(hl_opened_model_snapshot(first->run, 0, &first->untrained));
    HL_TRY(hl_opened_model_snapshot(second->run, 0, &second->untrained));
    c->has_untrained = are_same(&first->untrained->examples, &second->untrained->examples);
    return hl_ok();
}

static hl_patterns untrained_head(const side *s, int64_t place)
{
    const hl_head_metrics *head = &s->study.rows[place].metrics;
    hl_patterns all = hl_snapshot_patterns(s->untrained, head->layer, head->head);
    return hl_patterns_scoring(&all);
}

/* Of head i of the first run and its match; NAN: not known. */
static double untrained_js(const comparison *c, int64_t i)
{
    const side *first = &c->sides[0], *second = &c->sides[1];
    if (!c->has_untrained) {
        return NAN;
    }
    hl_patterns one = untrained_head(first, i), other = untrained_head(second, first->matches[i].head);
    return hl_divergence_of(&one, &other);
}

/* ---- the table ---- */

static void write_head(hl_text *text, const side *s, int64_t place, int width)
{
    hl_text_print(text, "%-*s%-22.21s", width, hl_head_name_at(&s->run->source.shape, place).text,
                  hl_label_text_of(s->study.labels[place], s->run->source.relations).text);
}

static void write_rows(const comparison *c, hl_text *text)
{
    hl_text_print(text, "\n%-7s%-22s%-9s%-22s%7s%11s\n", "head", "label", "closest", "label", "js", "untrained");
    for (int64_t i = 0; i < c->sides[0].study.n; i++) {
        hl_head_match found = c->sides[0].matches[i];
        char untrained[HL_UNITS_TEXT];
        write_head(text, &c->sides[0], i, 7);
        write_head(text, &c->sides[1], found.head, 9);
        hl_text_print(text, "%7.3f%11s\n", found.js, hl_units_number(untrained_js(c, i), 3, untrained));
    }
}

static void write_table(const comparison *c, hl_text *text)
{
    const side *first = &c->sides[0], *second = &c->sides[1];
    hl_text_paragraph(text, HL_TABLE_WIDTH,
                      "%s (%" PRId64 " heads, step %" PRId64 ") against %s (%" PRId64 " heads, step %" PRId64
                      "), both on the examples of the first.",
                      first->run->source.path, first->study.n, first->study.step, second->run->source.path,
                      second->study.n, second_step(c));
    write_rows(c, text);
    hl_text_print(text, "\n");
    hl_text_paragraph(
        text, HL_TABLE_WIDTH,
        "closest: the head of the second run whose attention is most nearly the same; js: how far apart "
        "the two are (Jensen-Shannon divergence, mean over queries): 0 the same, 0.693 no key in common; untrained: "
        "how far apart the same two were at step 0%s.",
        c->has_untrained ? "" : ", not known, as the runs have no snapshots of it on the same examples");
}

/* ---- for programs ---- */

static void row_of(const void *context, int64_t index, hl_row *row)
{
    static const struct {
        const char *layer, *head, *label;
    } keys[] = { { "layer", "head", "label" }, { "closest_layer", "closest_head", "closest_label" } };
    const comparison *c = context;
    hl_head_match found = c->sides[0].matches[index];
    const int64_t heads[] = { index, found.head };
    for (int i = 0; i < 2; i++) {
        const hl_heads_row *its = &c->sides[i].study.rows[heads[i]];
        hl_label_text label = hl_label_text_of(its->label, c->sides[i].run->source.relations);
        hl_row_integer(row, NULL, keys[i].layer, its->metrics.layer);
        hl_row_integer(row, NULL, keys[i].head, its->metrics.head);
        hl_row_text(row, NULL, keys[i].label, "%s", label.text);
    }
    hl_row_number(row, NULL, "js", 0, found.js);
    hl_row_number(row, NULL, "untrained", 0, untrained_js(c, index));
}

static void answer_of(hl_heads_answer *answer, const comparison *c)
{
    const hl_results rows = { row_of, c, c->sides[0].study.n };
    write_table(c, &answer->table);
    hl_json_print_document(&answer->json,
                           json_pack("{s:I, s:I, s:o}", "step", (json_int_t)c->sides[0].study.step, "step_against",
                                     (json_int_t)second_step(c), "heads", hl_results_json(rows)));
    hl_results_csv(&answer->csv, rows);
}

/* ---- the page ---- */

static hl_status make_page(comparison *c, hl_text *page)
{
    hl_report_run shown[2];
    for (int i = 0; i < 2; i++) {
        side *s = &c->sides[i];
        HL_TRY(hl_heads_report_gather(&s->report, &(hl_heads_page){ .history = &s->history }));
        shown[i] = s->report.shown;
        shown[i].matches = s->matches;
    }
    if (strcmp(shown[0].name, shown[1].name) == 0) {
        shown[0].name = c->sides[0].run->source.path;
        shown[1].name = c->sides[1].run->source.path;
    }
    return hl_report_write(shown, 2, page);
}

/* Into the first run's folder, unless the command names another place. */
static hl_status write_page(const comparison *c, const hl_heads_call *call, hl_text *page)
{
    const char *report = call->command.files.report, *folder = call->model.source.path;
    if (report == NULL && !hl_heads_call_can_write(call, "name another place for the page with --report FILE")) {
        return hl_ok();
    }
    char *path =
        report != NULL ? hl_strdup(report) : hl_path_join(folder, "against-%s.html", c->sides[1].run->source.name);
    HL_NEED(path != NULL, folder);
    hl_status status = hl_output_put(path, page, call->out);
    if (status.code == HL_OK && !hl_heads_command_fills_output(&call->command)) {
        fputc('\n', call->out);
        hl_print_line(call->out, "Both side by side, for the browser: %s", path);
    }
    hl_free(path);
    return status;
}

/* ---- all of it ---- */

static hl_status compare(comparison *c, hl_heads_call *call, hl_opened_model *second)
{
    HL_TRY(hl_heads_against_check(&call->model, second));
    HL_TRY(read_side(&c->sides[0], &call->model));
    HL_TRY(read_side(&c->sides[1], second));
    HL_TRY(match(c));
    HL_TRY(read_untrained(c));
    hl_heads_answer answer = { 0 };
    hl_text page = { 0 };
    answer_of(&answer, c); /* before the page, which reads other snapshots in the place of those of step 0 */
    hl_status status = make_page(c, &page);
    HL_THEN(status, hl_heads_deliver(&call->command, &answer, call->out));
    HL_THEN(status, write_page(c, call, &page));
    hl_heads_answer_free(&answer);
    hl_text_free(&page);
    return status;
}

hl_status hl_heads_against_show(hl_heads_call *call, hl_opened_model *second)
{
    comparison *c = hl_calloc(1, sizeof *c); /* too large for the stack */
    HL_NEED(c != NULL, "a comparison");
    hl_status status = compare(c, call, second);
    for (int i = 0; i < 2; i++) {
        side *s = &c->sides[i];
        hl_heads_report_free(&s->report);
        hl_heads_history_free(&s->history);
        hl_heads_study_free(&s->study);
        hl_free(s->matches);
    }
    hl_snapshot_free(&c->on_first);
    hl_free(c);
    return status;
}
