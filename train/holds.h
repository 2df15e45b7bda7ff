/* Heads that are held off or frozen while a model trains: train.off and train.frozen.
 *
 * A list such as "L0H1@0-500, L1H*@200-" names heads, each with the steps in which it is held. A head is held at step
 * s, that is in validations and snapshots after s updates and in the update that follows, if first <= s < end. Without
 * an end, it is held until the run ends; without steps, from the beginning to the end.
 *   off      the head's output z is zero, forward and backward
 *   frozen   the head's gradients are zero before clipping, and the update leaves its weights, biases and moments as
 *            they are. Keys and values that several heads share are frozen only if all of these heads are */
#pragma once

#include "core/base/declarations.h"
#include "layers/model.h"
#include "train/config.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

enum { HL_MOST_HOLDS = 64 };

typedef struct hl_hold {
    int layer;
    int64_t head;       /* -1: all heads of the layer */
    int64_t first, end; /* steps; end INT64_MAX: until the run ends */
} hl_hold;

typedef struct hl_holds {
    hl_hold list[HL_MOST_HOLDS];
    int n;
} hl_holds;

/* Reads a list; "" is the empty one. HL_INVALID, quoting what is wrong; *holds is then undefined. */
hl_status hl_holds_parse(const hl_model_config *model, const char *text, hl_holds *holds);

/* The list that a config's train.off or train.frozen is, `text`, after the config has been checked. */
hl_holds hl_holds_of(const hl_config *config, hl_config_string_at text);

/* Whether a head is held at that step. */
bool hl_holds_at(const hl_holds *holds, int layer, int64_t head, int64_t step);

/* Sets the columns of W_O to zero for the heads that train.off holds at that step. A model that is only evaluated then
 * computes what the run computed at that step. */
void hl_holds_mute(const hl_config *config, int64_t step, const hl_model *model);

HL_END_DECLS
