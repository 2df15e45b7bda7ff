/* report.html of a run (show/report.h): what it shows, gathered from the run's folder. */
#ifndef HL_STUDY_REPORT_H
#define HL_STUDY_REPORT_H

#include "core/base/declarations.h"
#include "core/base/text.h"
#include "show/report.h"
#include "study/history.h"
#include "study/study.h"
#include "study/syntax_study.h"

HL_BEGIN_DECLS

typedef struct hl_heads_report {
    hl_report_run shown; /* as hl_report_write takes it; its arrays are the following ones and those it was given */
    char *config;        /* owned, as are the next three, the pass and the writes */
    char *scores, *confusion;
    hl_text about;
    char last_stage[32];
    hl_head_pass pass;
    hl_writes writes;
    hl_report_syntax syntax;
} hl_heads_report;

/* Gathers what a report shows of the run: the history's figures and maps, the study's labels and effects (the study is
 * of the run's last snapshot), config and curves, and what the heads compute on the maps' first examples. Effects and
 * computation are left out where the run has no weights of the step that the patterns are of; for the computation other
 * weights than those loaded may be. The arguments must outlive it. HL_BAD_FILE (damaged weights, metrics.csv),
 * HL_NO_MEMORY; it is then empty. On success ended by hl_heads_report_free. */
hl_status hl_heads_report_gather(hl_heads_report *report, hl_opened_model *run, const hl_heads_history *history,
                                 const hl_heads_study *study);

/* A zeroed or already freed one is allowed. */
void hl_heads_report_free(hl_heads_report *report);

/* What a run's own report is made of; nothing is owned. */
typedef struct hl_heads_page {
    hl_opened_model *run;
    const hl_heads_history *history;
    const hl_heads_study *study;   /* of the last snapshot */
    const hl_syntax_study *syntax; /* with examples, and of the same weights; or NULL */
    const char *treebank;          /* its file */
} hl_heads_page;

/* A maker (study/output.h) of the report; `page`: a hl_heads_page. HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_heads_page_print(void *page, hl_text *text);

/* Writes it to report.html in a folder, mostly the run's, as a whole or not at all. HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_heads_page_write(hl_heads_page *page, const char *folder);

/* heads.csv and report.html of a run that has ended in the folder `path`, of which the first does not need the
 * second. `told` is called in between with the study of the heads that they are made of. Where the weights are
 * damaged or not finite, heads.csv is there without their effects, and report.html is not. HL_BAD_FILE,
 * HL_NOT_FINITE, HL_NO_MEMORY. */
typedef hl_status (*hl_heads_told)(void *context, const hl_opened_model *run, const hl_heads_study *study);
hl_status hl_heads_files_write(const char *path, hl_heads_told told, void *context);

HL_END_DECLS

#endif
