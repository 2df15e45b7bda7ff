/* A report's data as JSON, as the page reads it (heads/report/data.js). */
#ifndef HL_HEADS_REPORT_JSON_H
#define HL_HEADS_REPORT_JSON_H

#include "core/declarations.h"
#include "core/status.h"
#include "heads/report.h"

#include <jansson.h>

HL_BEGIN_DECLS

/* Everything about one run. HL_NO_MEMORY; on success *json is owned by the caller: json_decref. */
hl_status hl_report_json(const hl_report_run *run, json_t **json);

HL_END_DECLS

#endif
