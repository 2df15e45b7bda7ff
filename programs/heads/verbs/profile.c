#include "core/base/memory.h"
#include "core/files/json_text.h"
#include "heads/distance.h"
#include "heads/entropy.h"
#include "heads/head_set.h"
#include "heads/shares.h"
#include "programs/heads/deliver.h"
#include "programs/heads/examples.h"
#include "programs/heads/verb.h"
#include "programs/results.h"
#include "show/curve_picture.h"
#include "show/table.h"
#include "study/model_examples.h"
#include "study/study.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- measuring ---- */

static hl_score entropy_of(const hl_patterns *patterns)
{
    hl_entropy entropy = hl_entropy_of(patterns);
    return (hl_score){ entropy.nats, entropy.uniform, entropy.n };
}

static hl_score distance_of(const hl_patterns *patterns)
{
    return hl_distance_of(patterns).absolute;
}

/* The last two are of shares of norms (heads/norm_shares.h), which --norms asks for. */
enum { MEASURES = 7, OF_WEIGHTS = 5 };
static const struct {
    const char *name, *title, *what;
    hl_score (*of)(const hl_patterns *patterns);
} measures[MEASURES] = {
    { "entropy", "entropy", "entropy: how widely heads look, in nats", entropy_of },
    { "distance", "distance", "distance: how far, in tokens", distance_of },
    { "special", "special", "special: share on separators and masks", hl_special_of },
    { "first", "first", "first: share on the first token", hl_first_of },
    { "punctuation", "punct", "punctuation: share on words without a letter or digit", hl_punctuation_of },
    { "special.norm", "special.norm", "special.norm: the same by norms", hl_special_of },
    { "first.norm", "first.norm", "first.norm: the same by norms", hl_first_of },
};

/* A head, or the mean of a layer's or of all heads; NAN if there is nothing to measure. */
typedef struct figures {
    int layer;
    int64_t head; /* of a mean: how many */
    double values[MEASURES], baselines[MEASURES];
} figures;

typedef struct profile {
    const hl_opened_model *run;
    const hl_snapshot *snapshot;
    int64_t n, n_examples;
    int n_layers, n_measures;
    figures *heads, *layers; /* (n), (n_layers + 1): the last one of all; in one block, owned */
} profile;

static void add(figures *sum, const figures *head)
{
    sum->head++;
    for (int m = 0; m < MEASURES; m++) {
        sum->values[m] += head->values[m];
        sum->baselines[m] += head->baselines[m];
    }
}

/* The measures from .. to - 1 of every head. */
static void measure_heads(profile *p, int from, int to)
{
    for (int64_t i = 0; i < p->n; i++) {
        figures *head = &p->heads[i];
        hl_head_place at = hl_head_at(&p->run->source.shape, i);
        hl_patterns all = hl_snapshot_patterns(p->snapshot, at.layer, at.head), scoring = hl_patterns_scoring(&all);
        head->layer = at.layer;
        head->head = at.head;
        for (int m = from; m < to; m++) {
            hl_score score = measures[m].of(&scoring);
            head->values[m] = score.n > 0 ? score.value : NAN;
            head->baselines[m] = score.n > 0 ? score.baseline : NAN;
        }
    }
}

static hl_status measure(profile *p, hl_opened_model *run, const hl_heads_command *command)
{
    *p = (profile){ .run = run,
                    .n = hl_heads_count(&run->source.shape),
                    .n_layers = run->source.shape.n_layers,
                    .n_measures = command->norms ? MEASURES : OF_WEIGHTS };
    HL_TRY(hl_opened_model_snapshot(run, command->step, &p->snapshot));
    p->heads = hl_calloc((size_t)(p->n + p->n_layers + 1), sizeof *p->heads);
    HL_NEED(p->heads != NULL, "what heads do");
    p->layers = p->heads + p->n;
    p->n_examples = hl_patterns_scoring(&p->snapshot->layers[0]).n_examples;
    measure_heads(p, 0, OF_WEIGHTS);
    if (command->norms) {
        HL_TRY(hl_heads_load_weights(run, p->snapshot->step, command->step >= 0));
        HL_TRY(hl_model_maps_to_norms(run, p->snapshot));
        measure_heads(p, OF_WEIGHTS, MEASURES);
    }
    /* The means of each layer, and of all heads. */
    for (int64_t i = 0; i < p->n; i++) {
        add(&p->layers[p->heads[i].layer], &p->heads[i]);
        add(&p->layers[p->n_layers], &p->heads[i]);
    }
    for (int l = 0; l <= p->n_layers; l++) {
        p->layers[l].layer = l;
        for (int m = 0; m < MEASURES; m++) {
            p->layers[l].values[m] /= (double)p->layers[l].head;
            p->layers[l].baselines[m] /= (double)p->layers[l].head;
        }
    }
    return hl_ok();
}

static bool is_measured(const profile *p, int measure)
{
    return isfinite(p->layers[p->n_layers].values[measure]);
}

/* ---- for a person ---- */

/* Of a layer; then of all heads, and of attention spread evenly. */
static void shown_row_of(const void *context, int64_t index, hl_row *row)
{
    const profile *p = context;
    bool even = index > p->n_layers;
    const figures *of = &p->layers[even ? p->n_layers : index];
    if (index < p->n_layers) {
        hl_row_text(row, "layer", NULL, "L%" PRId64, index);
    } else {
        hl_row_text(row, "layer", NULL, "%s", even ? "even" : "all");
    }
    for (int m = 0; m < p->n_measures; m++) {
        hl_row_number(row, measures[m].title, NULL, m < 2 ? 2 : 3, even ? of->baselines[m] : of->values[m]);
    }
}

static hl_results shown_results(const profile *p)
{
    return (hl_results){ shown_row_of, p, p->n_layers + 2 };
}

/* A line for each layer: o for a head, a digit for several in one place, | for the mean between them. */
static void print_strips(hl_text *text, const profile *p, int m)
{
    enum { PLACES = 64 };
    double most = 0;
    for (int64_t i = 0; i < p->n; i++) {
        most = fmax(most, p->heads[i].values[m]);
    }
    double scale = most > 0 ? (PLACES - 1) / most : 0;
    hl_text_print(text, "\n%s; from 0 to %.3g\n", measures[m].what, most);
    for (int l = 0; l < p->n_layers; l++) {
        char strip[PLACES + 1];
        memset(strip, ' ', PLACES);
        strip[PLACES] = '\0';
        strip[lround(scale * p->layers[l].values[m])] = '|';
        for (int64_t i = 0; i < p->n; i++) {
            char *at = &strip[lround(scale * p->heads[i].values[m])];
            if (p->heads[i].layer == l) {
                *at = *at == 'o' ? '2' : *at >= '2' && *at <= '8' ? (char)(*at + 1) : *at == '9' ? '9' : 'o';
            }
        }
        for (int end = PLACES; strip[end - 1] == ' '; end--) {
            strip[end - 1] = '\0';
        }
        hl_text_print(text, "L%-3d %s\n", l, strip);
    }
}

/* "minilm: how 72 heads look, on the 16 examples of mine.txt that score" */
static void print_about(hl_text *text, const profile *p, const char *model)
{
    const char *file = p->run->file != NULL ? p->run->file : "", *slash = strrchr(file, '/');
    hl_text_print(text, "%s: how %" PRId64 " heads look, on the %" PRId64 " example%s%s%s that score%s", model, p->n,
                  p->n_examples, p->n_examples == 1 ? "" : "s", *file != '\0' ? " of " : "",
                  slash != NULL ? slash + 1 : file, p->n_examples == 1 ? "s" : "");
}

/* ---- for programs ---- */

static void add_cells(hl_row *row, const profile *p, const figures *of, const char *head)
{
    hl_row_integer(row, NULL, "layer", of->layer);
    hl_row_integer(row, NULL, head, of->head);
    for (int m = 0; m < p->n_measures; m++) {
        char baseline[40];
        snprintf(baseline, sizeof baseline, "%s_baseline", measures[m].name);
        hl_row_number(row, NULL, measures[m].name, 0, of->values[m]);
        hl_row_number(row, NULL, baseline, 0, of->baselines[m]);
    }
}

static void row_of_head(const void *context, int64_t head, hl_row *row)
{
    const profile *p = context;
    add_cells(row, p, &p->heads[head], "head");
}

static void row_of_layer(const void *context, int64_t layer, hl_row *row)
{
    const profile *p = context;
    add_cells(row, p, &p->layers[layer], "heads");
}

/* ---- the figure: a chart for each measure, layers across, a dot for each head ---- */

static hl_status draw(const void *context, hl_picture_format format, hl_text *bytes)
{
    const profile *p = context;
    hl_curve curves[MEASURES];
    int n_curves = 0;
    size_t n = (size_t)p->n, L = (size_t)p->n_layers;
    double *means = hl_calloc(MEASURES * L, sizeof *means);
    hl_curve_dot *dots = hl_calloc(MEASURES * n, sizeof *dots);
    hl_curve_row *rows = hl_calloc(L, sizeof *rows);
    bool complete = means != NULL && dots != NULL && rows != NULL;
    for (int m = 0; m < p->n_measures && complete; m++) {
        if (!is_measured(p, m)) {
            continue;
        }
        for (size_t l = 0; l < L; l++) {
            means[(size_t)m * L + l] = p->layers[l].values[m];
        }
        for (size_t i = 0; i < n; i++) {
            dots[(size_t)m * n + i] = (hl_curve_dot){ p->heads[i].layer, p->heads[i].values[m] };
        }
        curves[n_curves++] = (hl_curve){
            .name = measures[m].what, .values = means + (size_t)m * L, .dots = dots + (size_t)m * n, .n_dots = p->n
        };
    }
    for (size_t l = 0; l < L && complete; l++) {
        snprintf(rows[l].name, sizeof rows[l].name, "%d", (int)l);
    }
    hl_text caption = { 0 };
    print_about(&caption, p, p->run->source.name);
    hl_curve_picture picture = { .curves = curves,
                                 .n_curves = n_curves,
                                 .rows = rows,
                                 .n_rows = p->n_layers,
                                 .axis = "layer; a dot: a head, the line: their mean",
                                 .caption = caption.bytes };
    hl_status status = complete ? hl_text_status(&caption) : hl_error_memory("the chart of heads");
    HL_THEN(status, hl_curve_picture_print(&picture, format, HL_HEADS_PNG_DPI, bytes));
    hl_text_free(&caption);
    hl_free(means);
    hl_free(dots);
    hl_free(rows);
    return status;
}

static hl_status deliver(const profile *p, const hl_heads_command *command, FILE *out)
{
    hl_heads_answer answer = { .draw = draw, .of = p };
    hl_text *text = &answer.table;
    hl_text about = { 0 };
    print_about(&about, p, p->run->source.path);
    hl_text_paragraph(text, HL_TABLE_WIDTH, "%s.", hl_text_part(text, &about));
    hl_text_free(&about);
    hl_text_print(text, "\n");
    hl_results_print(text, shown_results(p), HL_TABLE_WIDTH, 1);
    for (int m = 0; m < p->n_measures; m++) {
        if (is_measured(p, m)) {
            print_strips(text, p, m);
        }
    }
    hl_text_print(text, "\n");
    hl_text_paragraph(text, HL_TABLE_WIDTH,
                      "The table has means of a layer's heads; even: of attention spread evenly. Below, o: a head, a "
                      "digit: so many of them, |: the layer's mean.");
    bool has_step = p->run->source.open == NULL && p->snapshot->step >= 0;
    hl_json_print_document(&answer.json, json_pack("{s:o, s:I, s:o, s:o}", "step",
                                                   has_step ? json_integer(p->snapshot->step) : json_null(), "examples",
                                                   (json_int_t)p->n_examples, "layers",
                                                   hl_results_json((hl_results){ row_of_layer, p, p->n_layers }),
                                                   "heads", hl_results_json((hl_results){ row_of_head, p, p->n })));
    hl_results_csv(&answer.csv, (hl_results){ row_of_head, p, p->n });
    hl_results_markdown(&answer.markdown, shown_results(p));
    return hl_heads_deliver(command, &answer, out);
}

/* ---- the verb ---- */

/* A run's examples are a snapshot, which is recorded where no file has it. */
static hl_status memory(hl_heads_need *need)
{
    const hl_footprint *f = &need->f;
    bool of_run = need->run->file == NULL && need->run->source.open == NULL;
    size_t norms = 0;
    if (need->command->norms) {
        HL_TRY(hl_heads_bytes(need, hl_heads_norms_bytes, &norms));
        norms = hl_size_sum(norms, of_run ? hl_footprint_sum(f, HL_STANDS_MODEL) : 0);
    }
    size_t study =
        of_run ? hl_size_sum(f->kernels, hl_size_sum(f->vocabulary, f->snapshot)) : hl_heads_study_bytes(need);
    need->bytes = hl_size_sum(study, norms);
    return hl_ok();
}

static hl_status run(hl_heads_call *call)
{
    HL_TRY(hl_heads_call_start(call, HL_DATA_READ, hl_heads_call_needs_examples));
    profile p;
    hl_status status = measure(&p, &call->model, &call->command);
    HL_THEN(status, deliver(&p, &call->command, call->out));
    hl_free(p.heads);
    return status;
}

const hl_heads_verb hl_heads_verb_profile = {
    .name = "profile",
    .does = "how heads look, layer by layer",
    .example = "profile runs/copy_task",
    .help = hl_heads_help_profile,
    .options = "examples task file step norms json csv md png svg pdf",
    .check = hl_heads_examples_check,
    .memory = memory,
    .run = run,
};
