/* What heads find in a treebank, as the report shows it. */
#pragma once

#include "core/base/declarations.h"
#include "data/text/treebank.h"
#include "heads/syntax.h"
#include "heads/syntax_cases.h"

#include <stdint.h>

HL_BEGIN_DECLS

/* Nothing is owned. */
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

HL_END_DECLS
