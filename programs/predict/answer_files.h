/* How predict answers a file: line by line, in rows of words, or with the scores of all of it. */
#ifndef HL_PROGRAMS_PREDICT_ANSWER_FILES_H
#define HL_PROGRAMS_PREDICT_ANSWER_FILES_H

#include "programs/predict/call.h"

/* Reads the call's file line by line (programs/predict/texts.h) and prints for each what was asked for: its pieces, or
 * by the task its masks filled, its continuation, its label; with --embed adds its row. What the readers and the
 * predictor fail with. */
hl_status hl_predict_lines(hl_predict_call *call);

/* Adds the pieces that are the predictor's text to what is printed next, as that line's; those from n_first on are of
 * a pair's second text, and stand behind a tab. */
void hl_predict_show_pieces(hl_predict_call *call, int64_t line, size_t n_first);

/* Reads the call's file sentence by sentence, or row by row, and writes each back with the answers as soon as it is
 * read, or prints what was asked for instead: its pieces; with --embed adds its row. A word that was cut off has the
 * answer _. What the readers and the predictor fail with. */
hl_status hl_predict_rows(hl_predict_call *call);

/* Scores command.score and prints a table, or with --json an object. As hl_predict_score fails. */
hl_status hl_predict_show_scores(hl_predict_call *call);

#endif
