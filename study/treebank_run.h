/* What an opened model is asked about a treebank, and the passes over it that answer (heads/treebank_pass.h). */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "data/text/treebank.h"
#include "heads/treebank_pass.h"
#include "study/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

typedef struct hl_syntax_question {
    const char *path;   /* the treebank */
    int64_t max_pieces; /* the most pieces of a sentence; 0: as many as the model reads */
    bool subtypes;
    bool punct_and_root; /* punct and root have rows, too */
    bool null;           /* measure random weights, too */
    bool trees;          /* make whole trees */
    bool faithful;       /* judge the heads that earn a relation */
    int64_t least_cases; /* the fewest cases in all sentences for which a relation has a row */

    /* Reports what is being done and how far it is; may be NULL. Its failure ends the study. */
    hl_status (*progress)(void *context, const char *what, int64_t done, int64_t total);
    void *context;
} hl_syntax_question;

/* Tells the question's progress, if it has one, how far that is which is being done. Fails as that does. */
hl_status hl_syntax_question_tell(const hl_syntax_question *question, const char *what, int64_t done, int64_t total);

/* How the model reads the question's treebank. HL_INVALID: the model reads no text. */
hl_status hl_syntax_question_spec(const hl_syntax_question *question, const hl_opened_model *model,
                                  hl_treebank_spec *out);

enum { HL_TREEBANK_RUN_ROWS = 2048 }; /* run at once: enough for full speed, little memory */

/* What one pass over the treebank is for. */
typedef struct hl_treebank_run {
    const char *what; /* told to the question's progress; NULL: the name of the weights */
    bool null; /* run a model of the same shape with the weights that an untrained run draws from the run's seed */
    void (*layer)(void *context, const hl_word_maps *maps, int threads); /* as in hl_treebank_taker */
    bool (*enough)(const void *context); /* whether the rest can be left out; NULL: never */
    void *context;
} hl_treebank_run;

/* Runs the opened model, which must have been loaded, in memory of its own. HL_NO_MEMORY, HL_NOT_FINITE, or the failure
 * of the question's progress. */
hl_status hl_treebank_run_pass(const hl_opened_model *opened, const hl_treebank *treebank,
                               const hl_syntax_question *question, const hl_treebank_run *run);

/* *bytes: what this needs without `null`; the model need not be loaded. *null: what it needs more with it. HL_INVALID,
 * HL_NO_MEMORY. */
hl_status hl_treebank_run_bytes(const hl_opened_model *opened, const hl_treebank *treebank, size_t *bytes,
                                size_t *null);

HL_END_DECLS
