/* One call of the program predict, and what all of its answers share: putting them out, notices, progress. */
#ifndef HL_PROGRAMS_PREDICT_CALL_H
#define HL_PROGRAMS_PREDICT_CALL_H

#include "core/base/text.h"
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

/* What is printed for a line, a sentence or a row once the model has answered. */
typedef struct hl_predict_answer {
    struct hl_predict_answer *next;
    struct hl_predict_call *call;
    void (*put)(const struct hl_predict_answer *answer); /* adds it to what is printed next */
    int64_t question; /* of the predictor: it is complete when so many have been answered */
    int64_t line;     /* its number */
    hl_text text; /* what was read and is printed again, with a zero byte wherever an answer goes; no line has one */
    json_t *json; /* with --json: what is known of the object before the answers */
    int64_t n;    /* places that are asked about */
    int32_t *at;  /* (n): masks, words */
    hl_choice *choices; /* (n, top) */
} hl_predict_answer;

typedef struct hl_predict_call {
    hl_predict_command command;
    FILE *out, *err;
    hl_opened_model run;
    hl_text_spec task;        /* what the run was trained on */
    const hl_tokens *tokens;  /* the run's, as the next */
    const hl_tokens *targets; /* what target ids name: labels of tags and classes, else the tokens */
    hl_predictor predictor;
    bool likely;                    /* of several labels at once those of at least half are shown, and not the best */
    hl_predict_embedding embedding; /* with --embed */
    hl_predict_answer *waiting, *last; /* answers that wait for the model, in order */
    size_t held;                       /* the bytes that they take */
    hl_text text;                      /* what is printed next */
    bool terminal;                     /* whether it goes to a terminal */
    bool streams;                      /* whether each piece is shown as it comes */
    int64_t notices[HL_PREDICT_NOTICES];
    double started, drawn; /* of the progress, seconds of hl_clock_seconds */
    bool draws, drawing;   /* whether it is shown; whether it stands there */
} hl_predict_call;

/* Prints the text, all of it at once, and empties it; on a terminal control characters are spelled out. The text's
 * failure; *open: whether anybody still reads it. */
hl_status hl_predict_put(hl_predict_call *call, bool *open);

/* An answer about n places, behind those that wait; HL_NO_MEMORY. What goes to its choices is to be asked of the
 * predictor, and then hl_predict_put_answers to be called. Freed when it was printed. */
hl_status hl_predict_answer_new(hl_predict_call *call, int64_t line, int64_t n,
                                void (*put)(const hl_predict_answer *answer), hl_predict_answer **out);

/* A list of the best answers at place i, the first whose ids are there: {"piece"|"label": ..., "id": ...,
 * "probability": ...}; and of all places: {"position"|"word": ..., "answers": ...}. NULL: no memory. */
json_t *hl_predict_best_json(const hl_predict_answer *answer, int64_t i, const char *name);
json_t *hl_predict_places_json(const hl_predict_answer *answer, const char *place, const char *name);

/* To be called after a line, a sentence or a row was read and asked about: prints the answers that are there by now,
 * and shows how far the file is read. Where the next line may not be there yet, and where many wait, the model answers
 * all first. Fails as the predictor and the text. */
hl_status hl_predict_put_answers(hl_predict_call *call, const hl_lines *lines, bool *open);

/* Answers and prints all that waits, also where reading on has failed, and frees it. The first failure. */
hl_status hl_predict_put_rest(hl_predict_call *call, hl_status so_far);

/* Adds an object with `format` and `line` as first members, and these, as a line of the text; NULL: no memory. */
void hl_predict_add_json(hl_predict_call *call, int64_t line, json_t *members);

/* Where the predictor's text was cut. */
void hl_predict_tell_cut(hl_predict_call *call, const hl_lines *lines, int64_t line);
void hl_predict_tell_empty(hl_predict_call *call, const hl_lines *lines, int64_t line, const char *what);

/* How far the file is read, on a terminal that shows nothing else; renewed ten times a second at most. */
void hl_predict_tell_progress(hl_predict_call *call, int64_t done, int64_t total);

/* Clears the progress, and tells how many notices there were. */
void hl_predict_tell_end(hl_predict_call *call);

#endif
