/* A run's heads over all its snapshots, read in one pass: the metrics of all heads for heads.csv (heads/heads_csv.h),
 * and the maps for the report. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/text.h"
#include "heads/heads_csv.h"
#include "show/report_maps.h"
#include "study/model.h"
#include "study/study.h"

HL_BEGIN_DECLS

typedef struct hl_heads_history {
    hl_opened_model *run;        /* not owned, like the next one */
    const hl_heads_study *study; /* of one snapshot */
    hl_heads_csv csv;            /* the rows of heads.csv; owned, like the maps */
    hl_report_maps maps;         /* as a report holds them */
    int64_t printed;             /* the only step that hl_heads_history_print prints; below 0 (the default): all */
} hl_heads_history;

/* Reads the run's snapshots, one after the other. The run and the study must outlive the history. heads.csv shows the
 * study's effects (hl_heads_study_effects) as importance and loss_without at its step; without effects it has no such
 * rows. The last rows are the second labels of its heads, such as relation(nsubj): the held-out share beside that of
 * the best fixed offset. HL_BAD_FILE (also if there are no snapshots), HL_NO_MEMORY; the history is then empty. On
 * success free with hl_heads_history_free. */
hl_status hl_heads_history_make(hl_opened_model *run, const hl_heads_study *study, hl_heads_history *history);

/* A zeroed or already freed history is allowed. */
void hl_heads_history_free(hl_heads_history *history);

/* Makes the content of heads.csv (a maker, study/output.h). `history` is a const hl_heads_history. */
hl_status hl_heads_history_print(void *history, hl_text *text);

/* Writes heads.csv into a folder, usually the run's: the whole file or nothing. HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_heads_history_write(hl_heads_history *history, const char *folder);

HL_END_DECLS
