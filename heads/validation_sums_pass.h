/* Gathers validation sums (heads/validation_sums.h) while a model runs over many batches for another purpose, without
 * extra passes.
 *
 *     hl_validation_sums_pass_begin(&pass);
 *     for each batch:
 *         hl_validation_sums_pass_batch(&pass, &batch, threads);
 *         a tape with .observer = &pass.observer and the model's pass over the batch with pass.probes
 *     const hl_validation_sums *all = hl_validation_sums_pass_end(&pass);
 *
 * The probes copy every layer's weights as they are computed. An observer of the tape then sums them, so that all
 * layers use the memory of one. The pass has the same bits as one without an observer. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/batch.h"
#include "core/tape.h"
#include "heads/validation_sums.h"

#include <stddef.h>

HL_BEGIN_DECLS

typedef struct hl_validation_sums_pass {
    hl_tape_observer observer; /* for the tape of a batch */
    hl_head_probe probes[HL_MAX_LAYERS];
    hl_validation_sums sums;
    double *numbers;  /* owned: the memory block of all that `sums` points to */
    size_t count;     /* the number of `numbers`, and of those of a value (hl_validation_sums_pass_save) */
    hl_real *weights; /* owned: of the layer that ran last, in the order that hl_validation_sums_add requires */

    const hl_batch *batch; /* the current batch; not owned */
    int threads;
    int layer; /* the next layer */
} hl_validation_sums_pass;

/* The bytes of memory that the pass needs, for batches of up to `rows` rows and examples of up to T tokens; SIZE_MAX if
 * the value does not fit. */
size_t hl_validation_sums_pass_bytes(const hl_model_config *config, int64_t rows, int64_t n_tokens);

/* The bytes of one value (hl_validation_sums_pass_save); SIZE_MAX as above. */
size_t hl_validation_sums_pass_value_bytes(const hl_model_config *config, int64_t n_tokens);

/* `config` must outlive the pass, which must not be moved. HL_NO_MEMORY, also for impossible sizes; the pass is then
 * empty. On success free with hl_validation_sums_pass_free. */
hl_status hl_validation_sums_pass_init(hl_validation_sums_pass *pass, const hl_model_config *config, int64_t rows,
                                       int64_t n_tokens);

/* A zeroed or already freed struct is allowed. */
void hl_validation_sums_pass_free(hl_validation_sums_pass *pass);

/* Discards everything gathered so far. */
void hl_validation_sums_pass_begin(hl_validation_sums_pass *pass);

/* Announces that the model's next pass is over this batch, which has at most `rows` rows and must outlive the pass.
 * Allocates nothing. */
void hl_validation_sums_pass_batch(hl_validation_sums_pass *pass, const hl_batch *batch, int threads);

/* Sums as values that can be added; each has `count` numbers of 8 bytes. _save copies out what was gathered since the
 * beginning. _add adds one value to another. _load continues as if a value had been gathered. */
void hl_validation_sums_pass_save(const hl_validation_sums_pass *pass, double *value);
void hl_validation_sums_pass_add(const hl_validation_sums_pass *pass, double *to, const double *from);
void hl_validation_sums_pass_load(hl_validation_sums_pass *pass, const double *value);

/* The sums of all batches since the beginning; owned by the pass. */
const hl_validation_sums *hl_validation_sums_pass_end(hl_validation_sums_pass *pass);

HL_END_DECLS
