/* What --score prints. */
#ifndef HL_PROGRAMS_PREDICT_SCORE_H
#define HL_PROGRAMS_PREDICT_SCORE_H

#include "programs/predict/call.h"

/* Scores command.score and prints a table, or with --json an object. As hl_predict_score fails. */
hl_status hl_predict_show_scores(hl_predict_call *call);

#endif
