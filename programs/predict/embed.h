/* The vectors of lines as a NumPy file. */
#pragma once

#include "core/files/files.h"
#include "study/predictor.h"

/* (lines, D), float. Each row is written at once, so none is kept. */
typedef struct hl_predict_embedding {
    hl_file file;
    int64_t lines, width;
} hl_predict_embedding;

/* HL_BAD_FILE, HL_NO_MEMORY. Must be ended on failure too. */
hl_status hl_predict_embedding_begin(hl_predict_embedding *embedding, const char *path, const hl_predictor *predictor);

/* Asks for the vector of the text that the predictor has read; it becomes the next row. Fails as
 * hl_predictor_vector. */
hl_status hl_predict_embedding_add(hl_predict_embedding *embedding, hl_predictor *predictor);

/* Puts the file into place, or after a failure `so_far` removes what was written. Returns the first failure. */
hl_status hl_predict_embedding_end(hl_predict_embedding *embedding, hl_status so_far);
