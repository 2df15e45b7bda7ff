/* report.html: everything about the heads of one run, or of two runs side by side, as one page that needs no other
 * files. It shows how the patterns form, what each head does and since when, and one head's computation step by
 * step. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "data/text/treebank.h"
#include "data/text/word_forms.h"
#include "data/vocabulary.h"
#include "heads/coreference.h"
#include "heads/coreference_cases.h"
#include "heads/effect.h"
#include "heads/head_pass.h"
#include "heads/heads_csv.h"
#include "heads/label.h"
#include "heads/match.h"
#include "heads/syntax.h"
#include "heads/syntax_cases.h"
#include "heads/syntax_label.h"
#include "heads/writes.h"
#include "show/report_maps.h"

HL_BEGIN_DECLS

/* The `format` in the page's data. It grows if a member changes its meaning. */
enum { HL_REPORT_FORMAT = 1 };

/* The most rows of heads.csv that a page holds completely; a browser reads so many in half a second. If there are more,
 * js is left out, and so are all offsets except -1, 0, 1 and that of the head's own label. */
enum { HL_REPORT_ROWS = 150000 };

/* The most bytes of numbers for the step-by-step panel. A run with more gets no such panel, to keep the page small, but
 * it still has maps of norms. */
enum { HL_REPORT_PASS_BYTES = 4 << 20 };

/* What heads find in a treebank. Nothing is owned. */
typedef struct hl_report_syntax {
    const char *name; /* of the treebank */
    const hl_treebank *treebank;
    const hl_syntax *found, *null; /* by the model; by random weights, or NULL */
    int64_t n_rows;
    const int64_t *rows;          /* (n_rows): relations; -1: all of them together */
    const hl_syntax_cases *cases; /* examples for the rows */
} hl_report_syntax;

/* What heads found in a treebank over training, by the rules of heads/syntax.h, held out. Nothing is owned. */
typedef struct hl_report_syntax_steps {
    int64_t n_steps, n_relations, n_heads; /* S, R, H: of all layers */
    const int64_t *steps;                  /* (S), ascending */
    const char *const *names;              /* (R) */
    const hl_syntax_rate *baselines;       /* (R): of the best fixed offset */
    const float *found;                    /* (S, R, H): the shares of heads, each in its better direction */
    const int32_t
        *births; /* (R, H): the index of the step from which a head earns the relation until the end; -1: none */
} hl_report_syntax_steps;

/* Which head finds earlier mentions of the same entity. Nothing is owned. */
typedef struct hl_report_coreference {
    const char *name;                    /* of the text's file */
    const hl_coreference_counts *found;  /* by the model */
    const hl_coreference_row *rows;      /* (HL_COREFERENCE_ROWS) */
    const hl_coreference_row *null_rows; /* of random weights, or NULL */
    const hl_coreference_cases *cases;
} hl_report_coreference;

/* What a report shows about a run. Nothing is owned. A field that is NULL is not shown. */
typedef struct hl_report_run {
    const char *name;                /* the page's heading */
    const char *about;               /* a text below the heading, after the facts from the config, or NULL */
    const char *last_stage;          /* the name of the last step, if the step before it is the null (random weights);
                                        NULL: the steps are those of a training */
    const char *config;              /* the content of config.ini, or its part about the model */
    const char *metrics_csv;         /* the content of metrics.csv, or NULL */
    const char *scores_csv;          /* the content of scores.csv (train/scores.h), or NULL */
    const char *confusion_csv;       /* the content of confusion.csv, or NULL */
    const hl_heads_csv *csv;         /* the rows of heads.csv, whose numbers the page shows; or NULL */
    const hl_report_maps *maps;      /* at least one snapshot */
    const hl_head_match *matches;    /* for each head, the most similar one in the other run; or NULL */
    const hl_vocabulary *vocabulary; /* or NULL: ids stand for tokens */
    const hl_vocabulary *targets;    /* the names of answers; or NULL: they are tokens */
    const hl_word_forms *words;      /* the words of the maps' examples, so that the page can show them; or NULL */
    const char *const *relations;    /* names of the maps' gold relations, or NULL */
    const hl_label *labels;          /* the labels of all heads at the last snapshot, by layer and head; or NULL */
    const double *nulls;             /* the scores of the labels at step 0, NAN if not known; or NULL */
    const hl_effects *effects;       /* or NULL */
    const hl_syntax_label *seconds;  /* the second label of each head, a relation of a treebank; or NULL */
    const hl_report_syntax *syntax;  /* what the heads find in a treebank, or NULL */
    const hl_report_coreference *coreference;   /* which find earlier mentions of an entity, or NULL; not with syntax */
    const hl_report_syntax_steps *syntax_steps; /* what they found at each step in the run's own treebank, or NULL */
    const hl_head_pass *pass;                   /* what the heads computed on the maps' first examples, or NULL */
    const hl_writes *writes;                    /* what all heads write at the last snapshot, or NULL */
} hl_report_run;

/* Adds the whole file to the text, piece by piece. With n_runs = 2, the page shows two runs side by side, each head
 * beside its match. The maps of both should show the same examples. Texts may hold any bytes, which are shown and never
 * interpreted. The same input gives the same bytes. HL_INVALID (n_runs is not 1 or 2, a run without a snapshot),
 * HL_NO_MEMORY. */
hl_status hl_report_write(const hl_report_run *runs, int n_runs, hl_text *text);

HL_END_DECLS
