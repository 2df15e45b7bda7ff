/* report.html of a run (show/report.h): gathers what it shows from the run's folder. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/text.h"
#include "show/report.h"
#include "study/coreference_study.h"
#include "study/history.h"
#include "study/study.h"
#include "study/syntax_study.h"

HL_BEGIN_DECLS

typedef struct hl_heads_report {
    hl_report_run shown; /* the argument of hl_report_write; its arrays are the following ones and those of others */
    char *config;        /* owned, like the next three, the pass and the writes */
    char *scores, *confusion;
    hl_text about;
    char last_stage[32];
    hl_head_pass pass;
    hl_writes writes;
    hl_report_syntax syntax;
    hl_report_coreference coreference;
} hl_heads_report;

/* What the report of one run is made of. Nothing is owned. */
typedef struct hl_heads_page {
    const hl_heads_history *history;         /* its study is of the last snapshot */
    const hl_syntax_study *syntax;           /* a study with cases, of the same weights; or NULL */
    const hl_coreference_study *coreference; /* the same; not both */
    const char *treebank;                    /* the file of either */
} hl_heads_page;

/* Gathers what a report shows: the history's metrics and maps, the labels and effects of its study, config and curves,
 * what the heads compute on the maps' examples, and what they write; and what the page's other studies found. The
 * computing and writing is left out if the run has no weights of the step of the last maps; for it, other weights may
 * be loaded. What the page names must outlive the report. HL_BAD_FILE (damaged weights, metrics.csv), HL_NOT_FINITE,
 * HL_NO_MEMORY; it is then empty. On success free with hl_heads_report_free. */
hl_status hl_heads_report_gather(hl_heads_report *report, const hl_heads_page *page);

/* A zeroed or already freed one is allowed. */
void hl_heads_report_free(hl_heads_report *report);

/* Makes the report (a maker, study/output.h). `page` is a hl_heads_page. HL_BAD_FILE, HL_NOT_FINITE, HL_NO_MEMORY. */
hl_status hl_heads_page_print(void *page, hl_text *text);

/* Writes it to report.html in a folder, usually the run's: the whole file or nothing. HL_BAD_FILE, HL_NOT_FINITE,
 * HL_NO_MEMORY. */
hl_status hl_heads_page_write(hl_heads_page *page, const char *folder);

/* Writes heads.csv and report.html of a finished run in the folder `path`. Before that, `told` is called with the study
 * of the heads. If the weights are damaged or not finite, heads.csv is written without effects, and report.html is not
 * written. HL_BAD_FILE, HL_NOT_FINITE, HL_NO_MEMORY. */
typedef hl_status (*hl_heads_told)(void *context, const hl_opened_model *run, const hl_heads_study *study);
hl_status hl_heads_files_write(const char *path, hl_heads_told told, void *context);

HL_END_DECLS
