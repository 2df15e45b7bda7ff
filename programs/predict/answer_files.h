/* How `predict` answers a file: line by line, in rows of words, or with scores for the whole file. */
#pragma once

#include "programs/predict/call.h"

/* Reads the call's file line by line (programs/predict/texts.h). For each line, it prints what was requested: its
 * pieces, or, depending on the task, the filled masks, the continuation or the label. With --embed it adds the line's
 * row. Fails as the readers and the predictor. */
hl_status hl_predict_lines(hl_predict_call *call);

/* Adds the pieces of the predictor's text to the next output, as those of line `line`. The pieces from n_first on
 * belong to a pair's second text and follow a tab. */
void hl_predict_show_pieces(hl_predict_call *call, int64_t line, size_t n_first);

/* Reads the call's file sentence by sentence, or row by row, and writes each back with the answers, or prints its
 * pieces if they were requested. With --embed it adds a row. A word that was cut off has the answer _. Fails as the
 * readers and the predictor. */
hl_status hl_predict_rows(hl_predict_call *call);

/* Scores command.score and prints a table, or with --json an object. Fails as hl_predict_score. */
hl_status hl_predict_show_scores(hl_predict_call *call);
