/* The maps of all heads, chosen and named, ready to be drawn: one example's, or the mean of several. */
#ifndef HL_STUDY_VIEW_H
#define HL_STUDY_VIEW_H

#include "core/base/declarations.h"
#include "core/base/text.h"
#include "heads/label.h"
#include "heads/snapshot.h"
#include "heads/word_join.h"
#include "show/panel.h"
#include "study/model.h"

#include <stdint.h>

HL_BEGIN_DECLS

enum { HL_VIEW_ANY = -1 };

typedef struct hl_heads_view {
    const hl_opened_model *run; /* not owned, as `maps` */
    const hl_snapshot *maps;    /* of tokens */
    hl_panel *panels;           /* of all heads, by layer and head; owned, as is all below */
    int64_t *row_lengths;       /* heads of each layer */
    int64_t n, n_layers;
    const char **tokens; /* at the axes */
    hl_text caption;     /* run, step, example */
    hl_text texts;       /* titles and positions, each ended by a zero byte */
    size_t *titles;      /* where each head's title begins in `texts` */
    hl_real *means;      /* NULL where one example is shown */
    hl_label *labels;    /* of all heads; NULL where they have none */
    int64_t first_example, n_examples;
    bool norms;
    hl_word_join join;        /* empty where pieces are shown */
    hl_snapshot words;        /* those maps, of which nothing is owned */
    const hl_snapshot *shown; /* what the view shows: the maps that were given, or the joined ones */
} hl_heads_view;

typedef struct hl_heads_view_options {
    int64_t example;
    bool labeled, words;
    bool norms; /* the maps are shares of norms, and the caption says so */
} hl_heads_view_options;

/* `example`: its number in `maps`; or HL_VIEW_ANY: the mean over the scoring examples (hl_patterns_scoring) where all
 * of them have one length (a position where they differ is named by its number instead of a token), else the longest
 * example. `labeled`: whether titles tell each head's label, with the score where it is for it. `words`: whether words
 * are shown, not their pieces (heads/word_join.h). HL_INVALID: there is no such example, or no words are known, or
 * there are none in it. HL_NO_MEMORY. The maps and the run must outlive the view, which must not be moved. On success
 * ended by hl_heads_view_free. */
hl_status hl_heads_view_make(hl_heads_view *view, const hl_opened_model *run, const hl_snapshot *maps,
                             hl_heads_view_options options);

/* The text of a token of the maps that are shown, or of a word. */
const char *hl_heads_view_token(const hl_heads_view *view, int64_t example, int64_t position);

/* A zeroed or already freed view is allowed. */
void hl_heads_view_free(hl_heads_view *view);

HL_END_DECLS

#endif
