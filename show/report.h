/* report.html: everything about the heads of a run, or of two side by side, as one page without other files:
 * the patterns as they form, what each head does and since when, and one head's computation step by step. */
#ifndef HL_SHOW_REPORT_H
#define HL_SHOW_REPORT_H

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "data/text/word_forms.h"
#include "data/vocabulary.h"
#include "heads/effect.h"
#include "heads/head_pass.h"
#include "heads/heads_csv.h"
#include "heads/label.h"
#include "heads/match.h"
#include "heads/syntax_label.h"
#include "heads/writes.h"
#include "show/report_maps.h"
#include "show/report_syntax.h"

HL_BEGIN_DECLS

/* What `format` says in the page's data; counts on where a member changes its meaning. */
enum { HL_REPORT_FORMAT = 1 };

/* The most rows of heads.csv that a page holds whole. Of more, js and the offsets but -1, 0, 1 and that of the head's
 * own label are left out: a browser reads so many in half a second. */
enum { HL_REPORT_ROWS = 150000 };

/* The most bytes of numbers for the step-by-step panel. A run with more gets no such panel, to keep the page small, but
 * it still has maps of norms. */
enum { HL_REPORT_PASS_BYTES = 4 << 20 };

/* What a report shows of a run. Nothing is owned; a field that is NULL is not shown. */
typedef struct hl_report_run {
    const char *name;                /* as the page's heading has it */
    const char *about;               /* what stands below it beside the config's facts, or NULL */
    const char *last_stage;          /* what the last step is called where the one before is the null, of random
                                        weights; NULL: steps are those of a training */
    const char *config;              /* the content of config.ini, or its part about the model */
    const char *metrics_csv;         /* the content of metrics.csv, or NULL */
    const char *scores_csv;          /* the content of scores.csv (train/scores.h), or NULL */
    const char *confusion_csv;       /* the content of confusion.csv, or NULL */
    const hl_heads_csv *csv;         /* what heads.csv is made of, whose figures the page shows as they are; or NULL */
    const hl_report_maps *maps;      /* at least one snapshot */
    const hl_head_match *matches;    /* the heads of the other run that do the same, by layer and head; or NULL */
    const hl_vocabulary *vocabulary; /* or NULL: ids stand for tokens */
    const hl_vocabulary *targets;    /* the names of answers; or NULL: they are tokens */
    const hl_word_forms *words;      /* of the maps' examples, or NULL; with them the page can show words */
    const char *const *relations;    /* names of the maps' gold relations, or NULL */
    const hl_label *labels;          /* of all heads at the last snapshot, by layer and head; or NULL */
    const double *nulls;             /* what the labels' scores are at step 0, NAN where not known; or NULL */
    const hl_effects *effects;       /* or NULL */
    const hl_syntax_label *seconds;  /* by which relation of a treebank each is named, its second label; or NULL */
    const hl_report_syntax *syntax;  /* what they find in a treebank, or NULL */
    const hl_report_syntax_steps *syntax_steps; /* and found at each step in that of the run, or NULL */
    const hl_head_pass *pass;                   /* what the heads computed on the maps' first examples, or NULL */
    const hl_writes *writes;                    /* what all heads write at the last snapshot, or NULL */
} hl_report_run;

/* Adds the whole file to the text, piece by piece. With n_runs = 2 the page shows them side by side, each head beside
 * its match; the maps of both should be of the same examples. Texts may hold any bytes; they are shown, never
 * interpreted. The same input gives the same bytes. HL_INVALID (n_runs is not 1 or 2, a run without a snapshot),
 * HL_NO_MEMORY. */
hl_status hl_report_write(const hl_report_run *runs, int n_runs, hl_text *text);

HL_END_DECLS

#endif
