/* The words that a report's page explains, as JSON (show/report/words.js). */
#ifndef HL_SHOW_PRIVATE_REPORT_WORDS_H
#define HL_SHOW_PRIVATE_REPORT_WORDS_H

#include "core/declarations.h"
#include "core/text.h"
#include "show/report.h"

HL_BEGIN_DECLS

/* Adds {"words": [{"group", "name", "meaning"}, ...], "misses": [[...], ...]}, without any `<`: heads/words.h, and of
 * each run why each head is mixed, "" where it is not. HL_NO_MEMORY is left on the text. */
void hl_report_words(hl_text *text, const hl_report_run *runs, int n_runs);

HL_END_DECLS

#endif
