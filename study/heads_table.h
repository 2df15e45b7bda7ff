/* The table of a run's heads. `heads` prints it, and so does `train` at its end. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/text.h"
#include "study/study.h"

HL_BEGIN_DECLS

typedef struct hl_heads_table_options {
    const char *program;          /* how the user calls `heads` */
    const char *const *relations; /* the names of the task's relations; NULL: it has none */
    bool wide;                    /* add a second table with the less important columns */
} hl_heads_table_options;

/* Adds a heading, a row per head, an explanation of the columns, and sentences about the heads that do what their label
 * says and about the best heads. A row has the label and the second label, the label's score and baseline (for
 * sentences also its null), the loss without the head, and whether it is faithful. `run` names the run; everything else
 * is ASCII. No line is longer than HL_TABLE_WIDTH if the names of heads have at most five letters; longer labels are
 * cut. HL_NO_MEMORY is left on the text. */
void hl_heads_table_print(hl_text *text, const char *run, const hl_heads_study *study, hl_heads_table_options options);

/* Adds a paragraph for each head that is faithful by itself, and for each group of heads that is faithful together: the
 * first six of each. If there is none, the text says why. It also says if the effects were measured with other weights
 * than those that made the patterns. `relations` as in hl_label_text_of. HL_NO_MEMORY is left on the text. */
void hl_heads_sentences_print(hl_text *text, const hl_heads_study *study, const char *const *relations);

/* "0.282 (0.050)": how much the loss grows without the head, and its standard error. "-" if `effect` is NULL. */
typedef struct hl_loss_text {
    char text[64];
} hl_loss_text;
hl_loss_text hl_heads_loss_text(const hl_head_effect *effect);

HL_END_DECLS
