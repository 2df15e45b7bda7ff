/* Reads the texts of a file that is answered line by line. */
#pragma once

#include "core/base/status.h"
#include "data/text/lines.h"
#include "data/text/text_data.h"

#include <stdbool.h>
#include <stdint.h>

/* One text, or two for a run on pairs. After the last line, texts[0].text is NULL. It stands until the next line is
 * read. */
typedef struct hl_predict_line {
    hl_span texts[2];
    int64_t n_texts;
    int64_t number; /* in the file, from 1 */
} hl_predict_line;

/* Each line is a text, or for a task of pairs two texts separated by a tab. For `classes`, the file may be a table: its
 * first line then names the columns of the texts, like the training file, or, if these columns are numbers, it has more
 * columns than a line has texts. For the classifier of an open model, each line is a text, or with a tab a pair; there
 * are no names of columns. Owned by the caller, who frees it with hl_predict_texts_close. */
typedef struct hl_predict_texts {
    hl_lines *lines;
    const hl_text_spec *task;
    int64_t n_texts;
    bool begun, is_table, is_open; /* is_open: an open model's */
    int64_t n_columns;             /* of every line */
    int64_t columns[2];            /* of the texts */
} hl_predict_texts;

/* Opens the file, "-" or a path. HL_BAD_FILE, HL_NO_MEMORY as hl_lines_open. To be closed whatever this returns. */
hl_status hl_predict_texts_open(const char *path, const hl_text_spec *task, bool is_open, hl_predict_texts *texts);
void hl_predict_texts_close(hl_predict_texts *texts);

/* The next line. Fails as hl_lines_next, and with HL_BAD_FILE:
 *     <path>:<line>: has no tab, but the run reads pairs: two texts with a tab between them
 *     <path>:<line>: has 2 tabs; one separates the two texts (line 1 of a table names a,b)
 *     <path>:<line>: has 3 columns, not 2 as line 1 */
hl_status hl_predict_texts_next(hl_predict_texts *texts, hl_predict_line *line);
