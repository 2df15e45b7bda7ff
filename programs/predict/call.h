/* One call of the program predict, and what all of its answers share: putting them out, notices, progress. */
#ifndef HL_PROGRAMS_PREDICT_CALL_H
#define HL_PROGRAMS_PREDICT_CALL_H

#include "core/text.h"
#include "data/text/lines.h"
#include "data/text/text_data.h"
#include "programs/predict/command.h"
#include "programs/predict/embed.h"
#include "study/model.h"
#include "study/predictor.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Notices are told when there is the first reason for one, and counted. */
typedef enum hl_predict_notice {
    HL_PREDICT_CUT,   /* a text is longer than the model takes */
    HL_PREDICT_EMPTY, /* nothing is asked in a line */
    HL_PREDICT_NOTICES
} hl_predict_notice;

typedef struct hl_predict_call {
    hl_predict_command command;
    FILE *out, *err;
    hl_opened_model run;
    hl_text_spec task;        /* what the run was trained on */
    const hl_tokens *tokens;  /* the run's, as the next */
    const hl_tokens *targets; /* what target ids name: labels of tags and classes, else the tokens */
    hl_predictor predictor;
    hl_predict_embedding embedding; /* with --embed */
    hl_text text;                   /* what is printed next */
    bool streams;                   /* whether it goes to a terminal, where each piece is shown as it comes */
    int64_t notices[HL_PREDICT_NOTICES];
    double started, drawn; /* of the progress, seconds of hl_clock_seconds */
    bool draws, drawing;   /* whether it is shown; whether it stands there */
} hl_predict_call;

/* Prints the text, all of it at once, and empties it. The text's failure; *open: whether anybody still reads it. */
hl_status hl_predict_put(hl_predict_call *call, bool *open);

/* The same after the answer to a line, a sentence or a row, and shows how far the file is read. */
hl_status hl_predict_put_answer(hl_predict_call *call, const hl_lines *lines, bool *open);

/* Adds an object with `format` and `line` as first members, and these, as a line of the text; NULL: no memory. */
void hl_predict_add_json(hl_predict_call *call, int64_t line, json_t *members);

/* {"piece"|"label": ..., "id": ..., "probability": ...} of a target id; null of none. NULL: no memory. */
json_t *hl_predict_choice_json(const hl_predict_call *call, const char *name, hl_choice choice);

/* Where the predictor's text was cut. */
void hl_predict_tell_cut(hl_predict_call *call, const hl_lines *lines, int64_t line);
void hl_predict_tell_empty(hl_predict_call *call, const hl_lines *lines, int64_t line, const char *what);

/* How far the file is read, on a terminal that shows nothing else; renewed ten times a second at most. */
void hl_predict_tell_progress(hl_predict_call *call, int64_t done, int64_t total);

/* Clears the progress, and tells how many notices there were. */
void hl_predict_tell_end(hl_predict_call *call);

#endif
