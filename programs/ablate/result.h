/* The results of a sweep's trainings, read from their folders and kept in ablation.csv.
 *
 * That has a row for every finished training. It also records which cells are done:
 *   cell,seed,<one column per varied key>,parameters,flops_per_step,steps,validation_loss,perplexity,accuracy,
 *   steps_to_target,seconds,status
 * cell: "base", or the values of the varied keys, such as "heads=8 d_k=4". Numbers are those of the last validation;
 * perplexity = exp(validation_loss). status: done or failed. An unknown field is empty, and so are the steps to a
 * target that was not reached. */
#pragma once

#include "programs/ablate/plan.h"

typedef enum hl_ablate_state {
    HL_ABLATE_WAITING, /* will begin or continue */
    HL_ABLATE_RUNNING,
    HL_ABLATE_ELSEWHERE, /* another call was training it when last seen */
    HL_ABLATE_DONE,
    HL_ABLATE_FAILED,
} hl_ablate_state;

typedef struct hl_ablate_result {
    hl_ablate_state state;
    int64_t steps; /* updates at the last validation, from which loss and accuracy are, too; -1: none */
    double loss, accuracy;
    int64_t steps_to_target; /* -1: not reached */
    double seconds;          /* NaN: not known */
} hl_ablate_result;

/* What a finished training is judged by, in the order of ablation.csv. */
typedef enum hl_ablate_measure {
    HL_ABLATE_LOSS,
    HL_ABLATE_PERPLEXITY, /* exp(loss) */
    HL_ABLATE_ACCURACY,
    HL_ABLATE_STEPS_TO_TARGET,
    HL_ABLATE_SECONDS,
    HL_ABLATE_MEASURES,
} hl_ablate_measure;

/* Their names in files. */
extern const char *const hl_ablate_measure_names[HL_ABLATE_MEASURES];

/* NaN: not known, not reached, or the training is not done. */
double hl_ablate_measured(const hl_ablate_result *result, hl_ablate_measure measure);

/* How many of the n results are in this state. */
int64_t hl_ablate_count(const hl_ablate_result *results, int64_t n, hl_ablate_state state);

/* Reads `steps`, `loss`, `accuracy` and `steps_to_target` (the first validated step with an accuracy of at least
 * `target`) from <folder>/metrics.csv of a finished training with these settings. The rest of *result stays; on
 * failure, all of it stays. HL_BAD_FILE: there is no such file; it has no validation; its last validation is neither at
 * train->steps nor the one that used up train->patience; its rows are not those of the checkpoint, if there is one; the
 * checkpoint is damaged; or, with "<path>:<line>: ...", a row is damaged or of an earlier step than the one before.
 * HL_NO_MEMORY. */
hl_status hl_ablate_result_read(const char *folder, const hl_config_train *train, double target,
                                hl_ablate_result *result);

/* The state of a running training: its last row in metrics.csv, of either split. */
typedef struct hl_ablate_glimpse {
    int64_t step; /* -1: no row yet */
    double loss, accuracy;
} hl_ablate_glimpse;

/* Never fails; what cannot be read stays unknown. Reads only the end of the file. */
hl_ablate_glimpse hl_ablate_glimpse_of(const char *folder);

/* Adds the content of ablation.csv. `results` holds the results of all cells. HL_NO_MEMORY. */
hl_status hl_ablate_csv_print(const hl_ablate_plan *plan, const hl_ablate_result *results, hl_text *text);

/* Reads into `results` which cells are done, with their seconds, and which have failed. Other cells that had ended wait
 * again. The rest of `results` stays. If there is no file, no cell has ended. HL_BAD_FILE, "<path>:<line>: ...", if
 * this is no ablation.csv of this plan; HL_NO_MEMORY. */
hl_status hl_ablate_csv_read(const char *path, const hl_ablate_plan *plan, hl_ablate_result *results);
