/* Maps for programs: what `heads` draws of --head, --example and --input, as JSON and CSV. */
#ifndef HL_PROGRAMS_HEADS_MAPS_JSON_H
#define HL_PROGRAMS_HEADS_MAPS_JSON_H

#include "study/view.h"

/* Adds {"step" (null: not known), "example" (null: a mean), "examples" (that the maps are the mean of), "tokens":
 * [...], "heads": [{"layer", "head", "label" (null for --input), "weights": queries of keys}], "answers"
 * (hl_heads_answers_json; for --input alone)} of the head `only`, or where it is below 0 of all. HL_NO_MEMORY is left
 * on the text. */
void hl_heads_maps_json(hl_text *text, const hl_opened_model *run, const hl_snapshot *maps, const hl_heads_view *view,
                        int64_t only, bool answers);

/* Adds the weights as rows layer,head,query,key,query_token,key_token,weight. HL_NO_MEMORY is left on the text. */
void hl_heads_maps_csv(hl_text *text, const hl_heads_view *view, int64_t only);

#endif
