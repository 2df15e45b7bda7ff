/* syntax.csv: how often each head finds each relation in the treebank patterns.treebank, counted at every snapshot.
 *   step,relation,layer,head,direction,half,hits,cases
 * Each snapshot has a row for every relation (in the order of the treebank's, then coreference), every head (from the
 * lowest layer up), d>h and h>d, and both halves of the sentences (heads/syntax.h): half 0 is sentences 0, 2, 4 ...,
 * and half 1 the others. No number depends on time or threads. A resumed run drops the rows of steps after its
 * checkpoint and writes the same rows again. A file from before there were further relations has only the treebank's
 * own (n_own of them); it is read as it is, and continued so. */
#pragma once

#include "core/arena.h"
#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "data/text/coreference.h"
#include "data/text/treebank.h"
#include "heads/coreference.h"
#include "heads/syntax.h"
#include "heads/treebank_pass.h"
#include "layers/model.h"

#include <stdint.h>

HL_BEGIN_DECLS

enum { HL_SYNTAX_CSV_SENTENCES = 500 }; /* the first usable ones in the treebank */

/* What is followed over training: the sentences of a treebank, and, if mentions of entities are annotated, its text in
 * windows. Both are owned; zeroed, there is nothing to follow. */
typedef struct hl_followed {
    hl_treebank *treebank;
    hl_coreference_text mentions; /* without windows: none */
    hl_status no_mentions;        /* HL_BAD_FILE if there are mentions that cannot be read */
} hl_followed;

void hl_followed_free(hl_followed *followed);

/* Begins counts with all cases and baselines: the relations of the treebank, and after them those of mentions
 * (hl_coreference_put). `mentions`: counts for them, empty if there are none; it must be freed, too. HL_INVALID,
 * HL_NO_MEMORY; both are then empty. */
hl_status hl_followed_counts(const hl_followed *followed, int64_t n_heads, hl_syntax *counts,
                             hl_coreference_counts *mentions);

/* The relation's name: the treebank's, or "coreference", "coreference:pronoun", "coreference:name" or
 * "coreference:other". */
const char *hl_followed_name(const hl_followed *followed, int64_t relation);

typedef struct hl_syntax_csv {
    const hl_followed *followed; /* not owned; nor is the model */
    const hl_model_config *shape;
    hl_treebank_pass pass, windows; /* over the sentences, and over the windows of mentions */
    hl_syntax counts;
    hl_coreference_counts mentions;
    hl_text text;     /* the rows of a snapshot */
    const char *path; /* not owned */
    int fd;           /* -1 when closed */
} hl_syntax_csv;

/* Allocates all memory except the arena's and that of the rows. The model runs on up to `rows` rows at once.
 * HL_INVALID, HL_NO_MEMORY as hl_treebank_pass_init. Free it with hl_syntax_csv_free, also on failure. Must not be
 * moved. */
hl_status hl_syntax_csv_init(hl_syntax_csv *csv, const hl_model *model, const hl_followed *followed, int64_t rows,
                             int threads);

/* The most bytes that what is followed and hl_syntax_csv_init need. */
size_t hl_syntax_csv_bytes(const hl_followed *followed, const hl_model_config *shape, int64_t rows);

/* The arena memory that hl_syntax_csv_append needs. */
size_t hl_syntax_csv_arena(const hl_syntax_csv *csv);

/* Drops the rows of steps after `step`, and a last line that a killed run left unfinished. Does nothing if there is no
 * file. HL_BAD_FILE, also if the file does not begin with the header, or a line has no step; HL_NO_MEMORY. */
hl_status hl_syntax_csv_drop_after(const char *path, int64_t step);

/* Opens the file for appending; a missing or empty file is begun with the header. The path must outlive `csv`.
 * HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_syntax_csv_open(hl_syntax_csv *csv, const char *path);

/* Runs the model without changing it, and appends the rows of the step. The arena is left as it was. HL_BAD_FILE,
 * HL_NO_MEMORY. */
hl_status hl_syntax_csv_append(hl_syntax_csv *csv, int64_t step, hl_arena *arena);

/* Waits until the appended rows are on disk. HL_BAD_FILE. */
hl_status hl_syntax_csv_sync(hl_syntax_csv *csv);

/* Zeroed or already freed memory is allowed. */
void hl_syntax_csv_free(hl_syntax_csv *csv);

/* If the file has only the treebank's own relations, sets n_relations of `counts` to their number. The other numbers of
 * `counts` must be those of hl_followed_counts. HL_BAD_FILE (it cannot be read), HL_NO_MEMORY. */
hl_status hl_syntax_csv_find_relations(const char *path, hl_syntax *counts);

/* For each step in the file, sets the hits in `counts` and calls `take`, whose failure ends the reading. The cases and
 * offsets of `counts` must be those of hl_followed_counts, and its relations those of the file. A last step with
 * missing rows, because the run is still working, is skipped. HL_BAD_FILE, "<path>:<line>: ...": a line is not a row
 * for this treebank and model; HL_NO_MEMORY. */
hl_status hl_syntax_csv_read(const char *path, const hl_followed *followed, const hl_model_config *shape,
                             hl_syntax *counts, hl_status (*take)(void *context, int64_t step), void *context);

HL_END_DECLS
