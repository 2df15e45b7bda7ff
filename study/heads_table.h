/* The table of a run's heads that `heads` prints, and `train` at its end. */
#ifndef HL_STUDY_HEADS_TABLE_H
#define HL_STUDY_HEADS_TABLE_H

#include "core/base/declarations.h"
#include "core/base/text.h"
#include "study/study.h"

HL_BEGIN_DECLS

typedef struct hl_heads_table_options {
    const char *program;          /* how the user calls `heads` */
    const char *const *relations; /* the names of the task's; NULL: it has none */
    bool wide;                    /* with the columns that a newcomer does without, in a table below */
} hl_heads_table_options;

/* Adds a heading, one row a head (its label and second label, the label's score beside its baseline and on sentences
 * its null, the loss without the head, whether it is faithful), what the columns mean, and sentences on the heads
 * that do what their label says and on the best ones. ASCII but for `run`, which names the run; no line longer than
 * HL_TABLE_WIDTH as long as heads are named in five letters (longer labels are cut). HL_NO_MEMORY, also left on the
 * text. */
hl_status hl_heads_table_print(hl_text *text, const char *run, const hl_heads_study *study,
                               hl_heads_table_options options);

/* "0.282 (0.050)": how much the loss grows without the head, and the standard error; "-" of NULL. */
typedef struct hl_loss_text {
    char text[64];
} hl_loss_text;
hl_loss_text hl_heads_loss_text(const hl_head_effect *effect);

HL_END_DECLS

#endif
