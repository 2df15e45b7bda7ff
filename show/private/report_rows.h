/* The rows of heads.csv that a report's page holds: all, or of very many those that it draws at once. */
#ifndef HL_SHOW_PRIVATE_REPORT_ROWS_H
#define HL_SHOW_PRIVATE_REPORT_ROWS_H

#include "core/base/text.h"
#include "show/report.h"

#include <stdbool.h>

/* Whether heads.csv has more rows than HL_REPORT_ROWS. `csv` may be NULL: none. */
bool hl_report_has_many_rows(const hl_heads_csv *csv);

/* Adds heads.csv as hl_heads_csv_print; of many rows without js, and of offsets but -1, 0 and 1 those alone that a
 * head's label names. HL_NO_MEMORY is left on the text. */
void hl_report_rows_print(hl_text *text, const hl_report_run *run);

#endif
