/* Answers to files that are written back with them: treebanks and tables of toy tasks. */
#ifndef HL_PROGRAMS_PREDICT_ROWS_H
#define HL_PROGRAMS_PREDICT_ROWS_H

#include "programs/predict/call.h"

/* Reads the call's file sentence by sentence, or row by row, and prints each with the answers as soon as it is read. A
 * word that was cut off has the answer _. What the readers and the predictor fail with. */
hl_status hl_predict_treebank(hl_predict_call *call);
hl_status hl_predict_table(hl_predict_call *call);

#endif
