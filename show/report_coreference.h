/* Which head finds earlier mentions of the same entity, as the report shows it. */
#pragma once

#include "core/base/declarations.h"
#include "heads/coreference.h"
#include "heads/coreference_cases.h"

HL_BEGIN_DECLS

/* Nothing is owned. */
typedef struct hl_report_coreference {
    const char *name;                    /* of the text's file */
    const hl_coreference_counts *found;  /* by the model */
    const hl_coreference_row *rows;      /* (HL_COREFERENCE_ROWS) */
    const hl_coreference_row *null_rows; /* of random weights, or NULL */
    const hl_coreference_cases *cases;
} hl_report_coreference;

HL_END_DECLS
