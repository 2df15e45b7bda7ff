/* A report's data as JSON, as the page reads it (show/report/data.js). */
#pragma once

#include "core/base/text.h"
#include "core/files/json.h"
#include "show/report.h"

/* Adds everything about one run to the text. `<` is escaped, so that no text of the data can end the page's script
 * element or begin another. Each section is made, added and freed before the next. HL_NO_MEMORY is left on the text. */
void hl_report_json(hl_text *text, const hl_report_run *run);

/* Adds a value without any `<` and releases it; NULL stands for missing memory, which is left on the text. */
void hl_report_json_value(hl_text *text, json_t *value);

/* A text of any bytes as it is shown; `lines`: whether newlines stay. NULL: out of memory, here and below. */
json_t *hl_report_shown_text(const char *bytes, bool lines);

/* Packed bytes, which are freed, and packed numbers (show/private/packed.h). */
json_t *hl_report_packed_text(char *packed);
json_t *hl_report_floats(const float *numbers, int64_t count);

/* What the heads compute: the members of hl_head_pass, with the arrays that the pass has. */
json_t *hl_report_pass_object(const hl_head_pass *pass);

/* What heads find in a treebank: {"treebank", "sentences", "left_out", "relations": [{"name", "earned", "published",
 * "held_out", "null", "null_held_out", "heads": [[direction, held-out hits, whether it earns the relation], ...],
 * "right": [...], "wrong": [...]}, ...]}. */
json_t *hl_report_syntax_object(const hl_report_syntax *syntax);

/* Which heads find earlier mentions of the same entity: as above, but with "mentions": true, and "documents" and
 * "windows" for "sentences". */
json_t *hl_report_coreference_object(const hl_report_coreference *coreference);

/* A head's second label with its held-out figures and whether the head is faithful to it, or JSON's null. */
json_t *hl_report_syntax_label(const hl_syntax_label *second);

/* Adds {"words": [{"group", "name", "meaning"}, ...], "misses": [[...], ...]}, without any `<`: heads/words.h, and of
 * each run why each head is mixed, "" where it is not. HL_NO_MEMORY is left on the text. */
void hl_report_words(hl_text *text, const hl_report_run *runs, int n_runs);

/* Whether heads.csv has more rows than HL_REPORT_ROWS: the page then holds those alone that it draws at once. `csv` may
 * be NULL: none. */
bool hl_report_has_many_rows(const hl_heads_csv *csv);

/* Adds heads.csv as hl_heads_csv_print; of many rows without js, and of offsets but -1, 0 and 1 those alone that a
 * head's label names. HL_NO_MEMORY is left on the text. */
void hl_report_rows_print(hl_text *text, const hl_report_run *run);
