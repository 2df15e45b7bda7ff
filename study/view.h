/* The maps of all heads with their names, ready to be drawn: those of one example, or the mean of several. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/text.h"
#include "heads/head_set.h"
#include "heads/label.h"
#include "heads/snapshot.h"
#include "heads/word_join.h"
#include "show/panel.h"
#include "study/model.h"

#include <stdint.h>

HL_BEGIN_DECLS

enum { HL_VIEW_ANY = -1 };

/* A head's title, or a position that is named by its number. */
typedef struct hl_heads_view_name {
    char text[sizeof(hl_head_name) + sizeof(hl_label_text)];
} hl_heads_view_name;

typedef struct hl_heads_view {
    const hl_opened_model *run;         /* not owned, like `maps` */
    const hl_snapshot *maps;            /* maps of tokens */
    int64_t row_lengths[HL_MAX_LAYERS]; /* the number of heads in each layer */
    hl_panel *panels;                   /* all heads, by layer and head; owned, like everything below */
    int64_t n, n_layers;
    const char **tokens; /* at the axes */
    hl_heads_view_name *names;
    hl_text caption;  /* run, step, example */
    hl_real *means;   /* NULL if one example is shown */
    hl_label *labels; /* of all heads; NULL if they have none */
    int64_t first_example, n_examples;
    bool norms;
    hl_word_join join;        /* empty if pieces are shown */
    hl_snapshot words;        /* the maps of words; nothing in it is owned */
    const hl_snapshot *shown; /* what the view shows: the given maps or the maps of words */
} hl_heads_view;

typedef struct hl_heads_view_options {
    int64_t example;
    bool labeled, words;
    bool norms; /* the maps are shares of norms, and the caption says so */
} hl_heads_view_options;

/* `example`: the number of an example in `maps`, or HL_VIEW_ANY. HL_VIEW_ANY shows the mean over the scoring examples
 * (hl_patterns_scoring) if all of them have the same length, and otherwise the longest example. In a mean, positions at
 * which the tokens differ are named by their numbers. `labeled`: titles show each head's label, with its score if it
 * has one. `words`: show words instead of their pieces (heads/word_join.h). HL_INVALID: there is no such example, its
 * words are not known, or it has no words. HL_NO_MEMORY. The maps and the run must outlive the view, which must not be
 * moved. On success free with hl_heads_view_free. */
hl_status hl_heads_view_make(hl_heads_view *view, const hl_opened_model *run, const hl_snapshot *maps,
                             hl_heads_view_options options);

/* The text of a token, or of a word if words are shown. */
const char *hl_heads_view_token(const hl_heads_view *view, int64_t example, int64_t position);

/* A zeroed or already freed view is allowed. */
void hl_heads_view_free(hl_heads_view *view);

HL_END_DECLS
