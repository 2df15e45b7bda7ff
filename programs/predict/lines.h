/* Answers to lines of text. */
#ifndef HL_PROGRAMS_PREDICT_LINES_H
#define HL_PROGRAMS_PREDICT_LINES_H

#include "programs/predict/call.h"

/* Reads the call's file line by line and prints for each what was asked for: its pieces, or by the task its masks
 * filled, its continuation, its label. With --embed writes that file. What the readers and the predictor fail with. */
hl_status hl_predict_lines(hl_predict_call *call);

#endif
