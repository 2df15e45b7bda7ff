/* Maps and metrics of heads for other programs. */
#pragma once

#include "core/base/text.h"
#include "heads/snapshot.h"
#include "study/hidden_states.h"
#include "study/model_source.h"
#include "study/view.h"

#include <stdbool.h>
#include <stdint.h>

/* The `format` in the archive. It grows if an array changes its meaning. */
enum { HL_EXPORT_FORMAT = 1 };

/* Writes a NumPy archive: format int64; layer_0, layer_1, ... (E, H, T, T), zero past the lengths; tokens (E, T) and
 * lengths (E) int32; step int64. With `metrics`, it also has js (heads, heads) and one float64 array (heads, 2) for
 * each metric, named as in heads.csv: value and baseline of every head, by layer and head, NaN if there is none. In a
 * view of words, the maps are joined, tokens are the words' forms (equal numbers for equal forms), lengths count words,
 * and `word_first` (E, T) int32 is the first token of each word; the metrics are the same. `hidden`: the hidden states
 * of the view's only example, or NULL. They become hidden_0, hidden_1, ... (1, T, D), for tokens, never joined; if they
 * hold what heads write, also z_0, ... (1, H, T, Dv) and write_0, ... (1, H, T, D). In a view of norms, the maps are
 * shares of norms, and the names of metrics end in ".norm". The file is written completely or not at all. HL_BAD_FILE,
 * HL_NO_MEMORY. */
hl_status hl_heads_write_npz(const char *path, const hl_heads_view *view, bool metrics, const hl_hidden_states *hidden);

/* Adds one example to the text as JSON in the form that BertViz reads: {"attention": a list of layers, each
 * (1, H, n, n), "tokens": n texts}, without padding. `example` must be one of view->shown. HL_NO_MEMORY is left on the
 * text. */
void hl_heads_print_bertviz(hl_text *text, const hl_heads_view *view, int64_t example);

/* Adds {"step" (null: not known), "example" (null: a mean), "examples" (that the maps are the mean of), "tokens":
 * [...], "heads": [{"layer", "head", "label" (null for --input), "weights": queries of keys}], "answers"
 * (hl_heads_answers_json; only for --input)} for the head `only`, or if it is below 0 for all heads. HL_NO_MEMORY is
 * left on the text. */
void hl_heads_maps_json(hl_text *text, const hl_model_source *run, const hl_snapshot *maps, const hl_heads_view *view,
                        int64_t only, bool answers);

/* Adds the weights as rows layer,head,query,key,query_token,key_token,weight. HL_NO_MEMORY is left on the text. */
void hl_heads_maps_csv(hl_text *text, const hl_heads_view *view, int64_t only);
