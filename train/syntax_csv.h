/* syntax.csv: how often each head finds each relation of the treebank patterns.treebank, counted at every snapshot.
 *   step,relation,layer,head,direction,half,hits,cases
 * For each snapshot a row for every relation, in the order in which they first come in the treebank, every head, the
 * lowest layer's first, d>h and h>d, and both halves of the sentences (heads/syntax.h): 0: sentences 0, 2, 4 ..., 1:
 * the others. No number in it is a matter of time or of threads: a run that goes on drops the rows of steps after its
 * checkpoint, and writes the same again. */
#ifndef HL_TRAIN_SYNTAX_CSV_H
#define HL_TRAIN_SYNTAX_CSV_H

#include "core/arena.h"
#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "data/text/treebank.h"
#include "heads/syntax.h"
#include "heads/treebank_pass.h"
#include "layers/model.h"

#include <stdint.h>

HL_BEGIN_DECLS

enum { HL_SYNTAX_CSV_SENTENCES = 500 }; /* the first of the treebank that can be used */

typedef struct hl_syntax_csv {
    const hl_treebank *treebank; /* not owned, as the model is not */
    const hl_model_config *shape;
    hl_treebank_pass pass; /* its plan says how much arena hl_syntax_csv_append needs */
    hl_syntax counts;
    hl_text text; /* the rows of a snapshot */
    char *path;
    int fd; /* -1 when closed */
} hl_syntax_csv;

/* Takes all memory but the arena's and that of the rows. The model is run on up to `rows` rows at once. HL_INVALID,
 * HL_NO_MEMORY as hl_treebank_pass_init. To be ended by hl_syntax_csv_free, whatever this returns; must not be moved.
 */
hl_status hl_syntax_csv_init(hl_syntax_csv *csv, const hl_model *model, const hl_treebank *treebank, int64_t rows,
                             int threads);

/* The bytes that the treebank and hl_syntax_csv_init take, at most. */
size_t hl_syntax_csv_bytes(const hl_treebank *treebank, const hl_model_config *shape, int64_t rows);

/* Drops the rows of steps after `step`, and a last line that a killed run did not end; where there is no file this does
 * nothing. HL_BAD_FILE: also where it does not begin with the header, or a line with no step; HL_NO_MEMORY. */
hl_status hl_syntax_csv_drop_after(const char *path, int64_t step);

/* Opens the file for appending, with the header alone where it is missing or empty. HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_syntax_csv_open(hl_syntax_csv *csv, const char *path);

/* Runs the model, which changes nothing of it, and appends the rows of the step. The arena is left as it was.
 * HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_syntax_csv_append(hl_syntax_csv *csv, int64_t step, hl_arena *arena);

/* Waits until what was appended is on disk. HL_BAD_FILE. */
hl_status hl_syntax_csv_sync(hl_syntax_csv *csv);

/* A zeroed or already freed one is allowed. */
void hl_syntax_csv_free(hl_syntax_csv *csv);

/* Sets the hits of `counts`, whose cases and offsets are those of the treebank (hl_syntax_add_treebank), to those of
 * each step in the file and gives them to `take`, whose failure ends the reading. The rows of a last step that are not
 * all there, since the run is at work, are not given. HL_BAD_FILE, "<path>:<line>: ...": a line is no such row of this
 * treebank and model; HL_NO_MEMORY. */
hl_status hl_syntax_csv_read(const char *path, const hl_treebank *treebank, const hl_model_config *shape,
                             hl_syntax *counts, hl_status (*take)(void *context, int64_t step), void *context);

HL_END_DECLS

#endif
