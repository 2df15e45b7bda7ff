#include "study/view.h"

#include "core/base/memory.h"
#include "heads/head_set.h"
#include "heads/mean_map.h"
#include "study/model_examples.h"
#include "study/study.h"

#include <inttypes.h>
#include <string.h>

/* ---- which examples ---- */

/* The examples that are shown: one, or those of hl_patterns_shown. */
typedef struct chosen {
    const hl_snapshot *maps;
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
    *out = (chosen){
        .maps = maps, .first = one ? example : shown.first, .gap = one ? 0 : shown.gap, .n = one ? 1 : shown.n_examples
    };
    out->length = all->lengths[out->first];
    return out->length > 0
               ? hl_ok()
               : hl_error(HL_INVALID, "command line: --words: there is no word in example %" PRId64, out->first);
}

/* ---- texts: offsets into one growing block become pointers when it grows no more ---- */

static void end_text(hl_text *texts)
{
    hl_text_add(texts, "", 1);
}

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

static void add_title(hl_heads_view *view, const hl_label *label, int layer, int64_t head, const char *const *relations)
{
    hl_text *texts = &view->texts;
    size_t begin = texts->size;
    hl_text_print(texts, "%s", hl_head_name_of(layer, head).text);
    if (label != NULL) {
        hl_text_print(texts, " %s", hl_label_title_of(*label, relations).text);
    }
    end_text(texts);
    view->titles[view->n++] = begin;
}

static hl_status add_titles(hl_heads_view *view, const chosen *c, bool labeled, const char *const *relations)
{
    view->labels = labeled ? hl_heads_labels(view->maps) : NULL;
    if (labeled && view->labels == NULL) {
        return hl_error_memory("the labels of heads");
    }
    for (int l = 0; l < c->maps->config->n_layers; l++) {
        view->row_lengths[l] = c->maps->config->heads[l];
        for (int64_t h = 0; h < c->maps->config->heads[l]; h++) {
            add_title(view, labeled ? &view->labels[view->n] : NULL, l, h, relations);
        }
    }
    return hl_text_status(&view->texts);
}

/* Names every position by its token, or where the examples differ in that, by its number. */
static hl_status add_tokens(hl_heads_view *view, const chosen *c)
{
    size_t *begins = hl_calloc((size_t)c->length, sizeof *begins);
    HL_NEED(begins != NULL, "the tokens of a map");
    for (int64_t i = 0; i < c->length; i++) {
        begins[i] = view->texts.size;
        if (same_token(view, c, i)) {
            hl_text_print(&view->texts, "%s", hl_heads_view_token(view, c->first, i));
        } else {
            hl_text_print(&view->texts, "%" PRId64, i);
        }
        end_text(&view->texts);
    }
    hl_status status = hl_text_status(&view->texts);
    for (int64_t i = 0; i < c->length && status.code == HL_OK; i++) {
        view->tokens[i] = view->texts.bytes + begins[i];
    }
    hl_free(begins);
    return status;
}

/* ---- maps ---- */

static hl_status allocate(hl_heads_view *view, const chosen *c)
{
    const hl_model_config *config = c->maps->config;
    int64_t n = hl_heads_count(config);
    view->n_layers = config->n_layers;
    view->panels = hl_calloc((size_t)n, sizeof *view->panels);
    view->titles = hl_calloc((size_t)n, sizeof *view->titles);
    view->row_lengths = hl_calloc((size_t)config->n_layers, sizeof *view->row_lengths);
    view->tokens = hl_calloc((size_t)c->length, sizeof *view->tokens);
    size_t count = hl_size_product((size_t)(c->length * c->length), (size_t)n);
    view->means = c->n > 1 ? hl_calloc(count, sizeof *view->means) : NULL;
    bool complete = view->panels != NULL && view->titles != NULL && view->row_lengths != NULL && view->tokens != NULL &&
                    (c->n == 1 || view->means != NULL);
    return complete ? hl_ok() : hl_error_memory("maps of heads");
}

static void make_panels(hl_heads_view *view, const chosen *c)
{
    hl_panel *panel = view->panels;
    int64_t n = c->length, T = c->maps->examples.n_tokens;
    for (int l = 0; l < c->maps->config->n_layers; l++) {
        for (int64_t h = 0; h < c->maps->config->heads[l]; h++, panel++) {
            int64_t i = panel - view->panels;
            hl_patterns patterns = hl_snapshot_patterns(c->maps, l, h);
            patterns.first = c->first;
            patterns.gap = c->gap;
            patterns.n_examples = c->n;
            *panel = (hl_panel){ .title = view->texts.bytes + view->titles[i],
                                 .weights = hl_patterns_at(&patterns, 0).weights,
                                 .n_queries = n,
                                 .n_keys = n,
                                 .stride = T,
                                 .queries = view->tokens,
                                 .keys = view->tokens };
            if (view->means != NULL) {
                hl_patterns_mean(&patterns, view->means + i * n * n);
                panel->weights = view->means + i * n * n;
                panel->stride = n;
            }
        }
    }
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
    HL_TRY(allocate(view, &c));
    HL_TRY(add_titles(view, &c, options.labeled, view->run->source.relations));
    HL_TRY(add_tokens(view, &c));
    const hl_opened_model *run = view->run;
    hl_text_print(&view->caption, "%s", run->source.name);
    if (hl_opened_model_is_null(run, c.maps->step)) {
        hl_text_print(&view->caption, ", random weights");
    } else if (run->source.open == NULL && c.maps->step >= 0) { /* weights that another program wrote name none */
        hl_text_print(&view->caption, ", step %" PRId64, c.maps->step);
    }
    if (view->means != NULL) {
        hl_text_print(&view->caption, ", mean of %" PRId64 " examples", c.n);
    } else if (c.maps->examples.n_examples > 1) {
        hl_text_print(&view->caption, ", example %" PRId64, c.first);
    }
    hl_text_print(&view->caption, "%s", view->norms ? ", by norms" : "");
    HL_TRY(hl_text_status(&view->caption));
    make_panels(view, &c);
    return hl_ok();
}

hl_status hl_heads_view_make(hl_heads_view *view, const hl_opened_model *run, const hl_snapshot *maps,
                             hl_heads_view_options options)
{
    *view = (hl_heads_view){ .run = run, .maps = maps, .shown = maps };
    hl_status status = make_view(view, options);
    if (status.code != HL_OK) {
        hl_heads_view_free(view);
    }
    return status;
}

void hl_heads_view_free(hl_heads_view *view)
{
    hl_free(view->panels);
    hl_free(view->titles);
    hl_free(view->row_lengths);
    hl_free(view->tokens);
    hl_free(view->means);
    hl_free(view->labels);
    hl_text_free(&view->caption);
    hl_text_free(&view->texts);
    hl_word_join_free(&view->join);
    *view = (hl_heads_view){ 0 };
}
