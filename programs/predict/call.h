/* One call of the program `predict`, and what all answers share: printing, notices, progress. */
#pragma once

#include "core/base/text.h"
#include "core/files/files.h"
#include "data/text/lines.h"
#include "data/text/text_data.h"
#include "programs/predict/command.h"
#include "study/model.h"
#include "study/predictor.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The vectors of lines as a NumPy file: (lines, D), float. Each row is written at once, so none is kept. */
typedef struct hl_predict_embedding {
    hl_file file;
    int64_t lines, width;
} hl_predict_embedding;

/* A notice is printed when it first occurs, and counted. */
typedef enum hl_predict_notice {
    HL_PREDICT_CUT,   /* a text is longer than the model can read */
    HL_PREDICT_EMPTY, /* nothing is asked in a line */
    HL_PREDICT_NOTICES
} hl_predict_notice;

/* What is printed for a line, a sentence or a row once the model has answered. */
typedef struct hl_predict_answer {
    struct hl_predict_answer *next;
    struct hl_predict_call *call;
    void (*put)(struct hl_predict_answer *answer); /* adds it to the next output */
    int64_t question; /* it is complete when the predictor has answered so many questions */
    int64_t line;     /* its number */
    hl_text text;     /* the input, which is printed again, with a zero byte instead of each answer; no line has one */
    json_t *json;     /* with --json: the members that are known before the answers */
    int64_t n;        /* the number of positions that are asked about */
    int32_t *at;      /* (n): masks, words */
    hl_choice *choices; /* (n, top) */
} hl_predict_answer;

typedef struct hl_predict_call {
    hl_predict_command command;
    FILE *out, *err;
    hl_opened_model run;
    hl_text_spec task;        /* what the run was trained on */
    const hl_tokens *tokens;  /* owned by the run, like the next one */
    const hl_tokens *targets; /* the names of target ids: labels for tags and classes, else the tokens */
    hl_predictor predictor;
    bool likely;                       /* several labels at once: show those with a probability of at least 0.5 */
    hl_predict_embedding embedding;    /* with --embed */
    hl_predict_answer *waiting, *last; /* answers that wait for the model, in order */
    size_t held;                       /* the bytes that they take */
    hl_text text;                      /* the next output */
    bool terminal;                     /* the output goes to a terminal */
    bool streams;                      /* show each piece as soon as it is made */
    int64_t notices[HL_PREDICT_NOTICES];
    double started, drawn; /* times of the progress, in seconds of hl_clock_seconds */
    bool draws, drawing;   /* whether it is shown at all, and whether it is on the screen now */
} hl_predict_call;

/* Prints the text at once and empties it. On a terminal, control characters are spelled out. *open: whether anybody
 * still reads the output. Fails as the text. */
hl_status hl_predict_put(hl_predict_call *call, bool *open);

/* Makes an answer about n positions, after those that wait. Then ask the predictor for its choices, and call
 * hl_predict_put_answers. It is freed after it is printed. HL_NO_MEMORY. */
hl_status hl_predict_answer_new(hl_predict_call *call, int64_t line, int64_t n, void (*put)(hl_predict_answer *answer),
                                hl_predict_answer **out);

/* A list of the best answers at position i that have an id: {"piece"|"label": ..., "id": ..., "probability": ...}; and
 * for all positions: {"position"|"word": ..., "answers": ...}. NULL: no memory. */
json_t *hl_predict_best_json(const hl_predict_answer *answer, int64_t i, const char *name);
json_t *hl_predict_places_json(const hl_predict_answer *answer, const char *place, const char *name);

/* Call it after a line, a sentence or a row was read and asked about. It prints the answers that are complete, and
 * shows how far the file is read. If the next line may not have arrived yet, or if many answers wait, the model answers
 * all of them first. Fails as the predictor and the text. */
hl_status hl_predict_put_answers(hl_predict_call *call, const hl_lines *lines, bool *open);

/* Answers, prints and frees everything that waits, also after a failure `so_far`. Returns the first failure. */
hl_status hl_predict_put_rest(hl_predict_call *call, hl_status so_far);

/* Adds an object as a line of the text: `format`, `line`, then these members. NULL stands for missing memory. */
void hl_predict_add_json(hl_predict_call *call, int64_t line, json_t *members);

/* Reports that the predictor's text was cut, if it was; or that nothing is asked in a line. */
void hl_predict_tell_cut(hl_predict_call *call, const hl_lines *lines, int64_t line);
void hl_predict_tell_empty(hl_predict_call *call, const hl_lines *lines, int64_t line, const char *what);

/* Shows how far the file is read, on a terminal that shows nothing else; at most ten times a second. */
void hl_predict_tell_progress(hl_predict_call *call, int64_t done, int64_t total);

/* Clears the progress, and prints how many notices there were. */
void hl_predict_tell_end(hl_predict_call *call);

/* HL_BAD_FILE, HL_NO_MEMORY. Must be ended on failure too. */
hl_status hl_predict_embedding_begin(hl_predict_embedding *embedding, const char *path, const hl_predictor *predictor);

/* Asks for the vector of the text that the predictor has read; it becomes the next row. Fails as
 * hl_predictor_vector. */
hl_status hl_predict_embedding_add(hl_predict_embedding *embedding, hl_predictor *predictor);

/* Puts the file into place, or after a failure `so_far` removes what was written. Returns the first failure. */
hl_status hl_predict_embedding_end(hl_predict_embedding *embedding, hl_status so_far);
