/* What the heads of a run found in its treebank at each step: syntax.csv (train/syntax_csv.h), read together with the
 * run's own sentences. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "data/text/treebank.h"
#include "heads/syntax.h"
#include "heads/syntax_label.h"
#include "show/report.h"
#include "study/model_source.h"
#include "train/syntax_csv.h"

HL_BEGIN_DECLS

typedef struct hl_syntax_history {
    hl_report_syntax_steps
        shown;            /* relations with at least HL_SYNTAX_LEAST_CASES cases; no steps if there is no syntax.csv */
    hl_followed followed; /* owned, like the arrays of `shown` */
    hl_syntax counts;     /* at the last step */
    hl_syntax_label
        *labels; /* (heads): the relation that names each head at the requested step; owned; NULL: the file has no
                    rows for this step */
} hl_syntax_history;

/* Reads the existing rows and names the heads at `step`. The history of a run without patterns.treebank is empty.
 * HL_BAD_FILE as hl_setup_treebank and hl_syntax_csv_read, HL_NO_MEMORY; the history is then empty. On success free
 * with hl_syntax_history_free. */
hl_status hl_syntax_history_read(hl_syntax_history *history, hl_model_source *run, int64_t step);

/* A zeroed or already freed one is allowed. */
void hl_syntax_history_free(hl_syntax_history *history);

HL_END_DECLS
