/* How what the heads of a run find in its treebank grew: syntax.csv (train/syntax_csv.h), read with the run's own
 * sentences. */
#ifndef HL_STUDY_SYNTAX_HISTORY_H
#define HL_STUDY_SYNTAX_HISTORY_H

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "data/text/treebank.h"
#include "heads/syntax.h"
#include "heads/syntax_label.h"
#include "show/report.h"
#include "study/model_source.h"

HL_BEGIN_DECLS

typedef struct hl_syntax_history {
    hl_report_syntax_steps
        shown;             /* of the relations that have HL_SYNTAX_LEAST_CASES; no steps: the run has no syntax.csv */
    hl_treebank *treebank; /* owned, as are the arrays of `shown` */
    hl_syntax counts;      /* of the last step */
    hl_syntax_label
        *labels; /* (heads): by which relation each is named at the step that was asked for; owned; NULL: the
                                file has no rows of it */
} hl_syntax_history;

/* Reads the rows that are there, and names the heads at `step`; of a run without patterns.treebank it is empty.
 * HL_BAD_FILE as hl_setup_treebank and hl_syntax_csv_read, HL_NO_MEMORY; it is then empty. On success ended by
 * hl_syntax_history_free. */
hl_status hl_syntax_history_read(hl_syntax_history *history, hl_model_source *run, int64_t step);

/* A zeroed or already freed one is allowed. */
void hl_syntax_history_free(hl_syntax_history *history);

HL_END_DECLS

#endif
