/* A run's heads over all its snapshots, read in one pass: the metrics of all heads, which heads.csv holds
 * (heads/heads_csv.h), and the maps that the report shows. */
#ifndef HL_STUDY_HISTORY_H
#define HL_STUDY_HISTORY_H

#include "core/base/declarations.h"
#include "core/base/text.h"
#include "heads/heads_csv.h"
#include "show/report_maps.h"
#include "study/model.h"
#include "study/study.h"

HL_BEGIN_DECLS

typedef struct hl_heads_history {
    const hl_model_source *run;     /* not owned */
    hl_heads_csv csv;               /* the rows of heads.csv; owned, as are the maps */
    hl_report_maps maps;            /* as a report holds them */
    const hl_syntax_label *seconds; /* the second labels of the study and its step; not owned */
    int64_t seconds_step;
    int64_t printed; /* the only step that hl_heads_history_print prints; below 0, as it is made: all */
} hl_heads_history;

/* Goes through the run's snapshots, one after the other; the run and the study must outlive the history. `study`: of
 * one of them, whose effects (hl_heads_study_effects) heads.csv shows as importance and loss_without of its step;
 * without effects there are no such rows. After all others stand the second labels of its heads, as relation(nsubj),
 * held out, beside the best fixed offset. HL_BAD_FILE (no snapshots, too), HL_NO_MEMORY; the history is then empty. On
 * success ended by hl_heads_history_free. */
hl_status hl_heads_history_make(hl_opened_model *run, const hl_heads_study *study, hl_heads_history *history);

/* A zeroed or already freed history is allowed. */
void hl_heads_history_free(hl_heads_history *history);

/* A maker (study/output.h) of the content of heads.csv; `history`: a const hl_heads_history. */
hl_status hl_heads_history_print(void *history, hl_text *text);

/* Writes heads.csv into a folder, mostly the run's, as a whole or not at all. HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_heads_history_write(hl_heads_history *history, const char *folder);

HL_END_DECLS

#endif
