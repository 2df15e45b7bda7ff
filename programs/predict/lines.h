/* Answers to lines of text. */
#ifndef HL_PROGRAMS_PREDICT_LINES_H
#define HL_PROGRAMS_PREDICT_LINES_H

#include "programs/predict/call.h"

/* Reads the call's file line by line (programs/predict/texts.h) and prints for each what was asked for: its pieces, or
 * by the task its masks filled, its continuation, its label; with --embed adds its row. What the readers and the
 * predictor fail with. */
hl_status hl_predict_lines(hl_predict_call *call);

/* Adds the pieces that are the predictor's text to what is printed next, as that line's; those from n_first on are of
 * a pair's second text, and stand behind a tab. */
void hl_predict_show_pieces(hl_predict_call *call, int64_t line, size_t n_first);

#endif
