#include "study/view.h"

#include "core/base/memory.h"
#include "heads/mean_map.h"
#include "study/model_examples.h"
#include "study/study.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- which examples ---- */

/* The examples that are shown: one, or those of hl_patterns_shown. */
typedef struct chosen {
    int64_t first, gap, n; /* rows first + e * (1 + gap), n of them */
    int64_t length;        /* of each */
} chosen;

static hl_status choose(const hl_snapshot *maps, int64_t example, chosen *out)
{
    const hl_examples *all = &maps->examples;
    if (example >= all->n_examples) {
        return hl_error(HL_INVALID, "command line: --example: %" PRId64 ": the examples are 0 .. %" PRId64, example,
                        all->n_examples - 1);
    }
    hl_patterns patterns = hl_snapshot_patterns(maps, 0, 0), shown = hl_patterns_shown(&patterns);
    bool one = example >= 0;
    *out = one ? (chosen){ .first = example, .n = 1 }
               : (chosen){ .first = shown.first, .gap = shown.gap, .n = shown.n_examples };
    out->length = all->lengths[out->first];
    return out->length > 0
               ? hl_ok()
               : hl_error(HL_INVALID, "command line: --words: there is no word in example %" PRId64, out->first);
}

/* ---- names ---- */

const char *hl_heads_view_token(const hl_heads_view *view, int64_t example, int64_t position)
{
    int64_t place = example * view->shown->examples.n_tokens + position;
    return view->join.first != NULL
               ? hl_word_forms_text(&view->maps->words, example, view->join.first[place])
               : hl_vocabulary_token(view->run->source.vocabulary, view->shown->examples.tokens[place]);
}

static bool same_token(const hl_heads_view *view, const chosen *c, int64_t position)
{
    const char *first = hl_heads_view_token(view, c->first, position);
    for (int64_t e = 1; e < c->n; e++) {
        if (strcmp(hl_heads_view_token(view, c->first + e * (1 + c->gap), position), first) != 0) {
            return false;
        }
    }
    return true;
}

/* Names every position by its token, or where the examples differ in that, by its number. */
static void name_positions(hl_heads_view *view, const chosen *c, hl_heads_view_name *numbers)
{
    for (int64_t i = 0; i < c->length; i++) {
        snprintf(numbers[i].text, sizeof numbers[i].text, "%" PRId64, i);
        view->tokens[i] = same_token(view, c, i) ? hl_heads_view_token(view, c->first, i) : numbers[i].text;
    }
}

/* ---- maps ---- */

static hl_status allocate(hl_heads_view *view, const chosen *c, bool labeled)
{
    size_t length = (size_t)c->length, n = (size_t)hl_heads_count(view->maps->config);
    view->panels = hl_calloc(n, sizeof *view->panels);
    view->names = hl_calloc(n + length, sizeof *view->names);
    view->tokens = hl_calloc(length, sizeof *view->tokens);
    view->means = c->n > 1 ? hl_calloc(hl_size_product(length * length, n), sizeof *view->means) : NULL;
    view->labels = labeled ? hl_heads_labels(view->maps) : NULL;
    bool complete = view->panels != NULL && view->names != NULL && view->tokens != NULL &&
                    (c->n == 1 || view->means != NULL) && (!labeled || view->labels != NULL);
    return complete ? hl_ok() : hl_error_memory("maps of heads");
}

static void make_panel(hl_heads_view *view, const chosen *c, int64_t index)
{
    const hl_model_config *config = view->maps->config;
    hl_head_place at = hl_head_at(config, index);
    hl_heads_view_name *title = &view->names[index];
    int used = snprintf(title->text, sizeof title->text, "%s", hl_head_name_of(at.layer, at.head).text);
    if (view->labels != NULL) {
        hl_label_text label = hl_label_title_of(view->labels[index], view->run->source.relations);
        snprintf(title->text + used, sizeof title->text - (size_t)used, " %s", label.text);
    }
    hl_patterns patterns = hl_snapshot_patterns(view->shown, at.layer, at.head);
    patterns.first = c->first;
    patterns.gap = c->gap;
    patterns.n_examples = c->n;
    hl_real *mean = view->means != NULL ? view->means + index * c->length * c->length : NULL;
    if (mean != NULL) {
        hl_patterns_mean(&patterns, mean);
    }
    view->panels[index] = (hl_panel){ .title = title->text,
                                      .weights = mean != NULL ? mean : hl_patterns_at(&patterns, 0).weights,
                                      .n_queries = c->length,
                                      .n_keys = c->length,
                                      .stride = mean != NULL ? c->length : view->shown->examples.n_tokens,
                                      .queries = view->tokens,
                                      .keys = view->tokens };
}

static hl_status join_words(hl_heads_view *view)
{
    const hl_snapshot *maps = view->maps;
    if (maps->words.places == NULL) {
        return hl_error(HL_INVALID, "command line: --words: the tokens of %s are no pieces of words",
                        view->run->source.name);
    }
    HL_TRY(hl_word_join_make(&view->join, maps->layers, maps->config->n_layers));
    view->words = (hl_snapshot){
        .step = maps->step, .examples = view->join.examples, .layers = view->join.layers, .config = maps->config
    };
    view->shown = &view->words;
    return hl_ok();
}

static hl_status make_view(hl_heads_view *view, hl_heads_view_options options)
{
    chosen c = { 0 };
    HL_TRY(options.words ? join_words(view) : hl_ok());
    HL_TRY(choose(view->shown, options.example, &c));
    view->first_example = c.first;
    view->n_examples = c.n;
    view->norms = options.norms;
    HL_TRY(allocate(view, &c, options.labeled));
    view->n = hl_heads_count(view->maps->config);
    name_positions(view, &c, view->names + view->n);
    for (int64_t i = 0; i < view->n; i++) {
        make_panel(view, &c, i);
    }
    const hl_opened_model *run = view->run;
    int64_t step = view->shown->step;
    hl_text_print(&view->caption, "%s", run->source.name);
    if (hl_opened_model_is_null(run, step)) {
        hl_text_print(&view->caption, ", random weights");
    } else if (run->source.open == NULL && step >= 0) { /* weights that another program wrote name none */
        hl_text_print(&view->caption, ", step %" PRId64, step);
    }
    if (view->means != NULL) {
        hl_text_print(&view->caption, ", mean of %" PRId64 " examples", c.n);
    } else if (view->shown->examples.n_examples > 1) {
        hl_text_print(&view->caption, ", example %" PRId64, c.first);
    }
    hl_text_print(&view->caption, "%s", view->norms ? ", by norms" : "");
    return hl_text_status(&view->caption);
}

hl_status hl_heads_view_make(hl_heads_view *view, const hl_opened_model *run, const hl_snapshot *maps,
                             hl_heads_view_options options)
{
    *view = (hl_heads_view){ .run = run, .maps = maps, .n_layers = maps->config->n_layers, .shown = maps };
    for (int64_t l = 0; l < view->n_layers; l++) {
        view->row_lengths[l] = maps->config->heads[l];
    }
    hl_status status = make_view(view, options);
    if (status.code != HL_OK) {
        hl_heads_view_free(view);
    }
    return status;
}

void hl_heads_view_free(hl_heads_view *view)
{
    hl_free(view->panels);
    hl_free(view->names);
    hl_free(view->tokens);
    hl_free(view->means);
    hl_free(view->labels);
    hl_text_free(&view->caption);
    hl_word_join_free(&view->join);
    *view = (hl_heads_view){ 0 };
}
