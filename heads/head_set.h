/* Sets of a model's heads, and how people write them: L0H2 is head 2 of layer 0; L1H* means all heads of layer 1. A set
 * is an array with one bool for each head, by layer and head. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "layers/model.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* "L0H2"; for head -1, which means all heads of the layer, "L0H*". */
typedef struct hl_head_name {
    char text[40];
} hl_head_name;

hl_head_name hl_head_name_of(int layer, int64_t head);

/* Head `index` of the model, counted by layer and head. */
typedef struct hl_head_place {
    int layer;
    int64_t head;
} hl_head_place;

hl_head_place hl_head_at(const hl_model_config *config, int64_t index);

/* The name of head `index`. */
hl_head_name hl_head_name_at(const hl_model_config *config, int64_t index);

/* The number of heads in all layers together, which is the length of a set. */
int64_t hl_heads_count(const hl_model_config *config);

/* The number of heads in the layers below this one. */
int64_t hl_heads_before(const hl_model_config *config, int layer);

/* The largest d_v of any layer. */
int64_t hl_heads_widest(const hl_model_config *config);

/* The largest H * d_v of any layer: the width of all its heads' outputs. */
int64_t hl_heads_width(const hl_model_config *config);

/* The number of heads in the layer that has the most. */
int64_t hl_heads_most(const hl_model_config *config);

/* How many of n heads are in the set. */
int64_t hl_head_set_size(const bool *set, int64_t n);

/* Reads "L0H2,L1H*" into `set`. Names are separated by commas, with or without blanks; a head may be named twice.
 * HL_INVALID, quoting the first wrong name and listing the existing heads; the content of `set` is then undefined. */
hl_status hl_head_set_parse(const hl_model_config *config, const char *names, bool *set);

/* Reads one name; *head is -1 for all heads of the layer. HL_INVALID as above. */
hl_status hl_head_set_read(const hl_model_config *config, const char *name, int *layer, int64_t *head);

/* Writes the index, by layer and head, of the one head that is named. HL_INVALID as above. */
hl_status hl_head_set_find(const hl_model_config *config, const char *name, int64_t *index);

/* Adds "L0H2, L1H*" to the text. A star stands for a whole layer of several heads; the empty set is "none".
 * HL_NO_MEMORY is stored in the text. */
void hl_head_set_print(hl_text *text, const hl_model_config *config, const bool *set);

HL_END_DECLS
