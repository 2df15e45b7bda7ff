/* Answers to files of words: treebanks, and tables of toy tasks. */
#ifndef HL_PROGRAMS_PREDICT_ROWS_H
#define HL_PROGRAMS_PREDICT_ROWS_H

#include "programs/predict/call.h"

/* Reads the call's file sentence by sentence, or row by row, and writes each back with the answers as soon as it is
 * read, or prints what was asked for instead: its pieces; with --embed adds its row. A word that was cut off has the
 * answer _. What the readers and the predictor fail with. */
hl_status hl_predict_rows(hl_predict_call *call);

#endif
