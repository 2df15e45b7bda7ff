/* ablation.csv: a row for every finished training. It also records which cells are done:
 *   cell,seed,<one column per varied key>,parameters,flops_per_step,steps,validation_loss,perplexity,accuracy,
 *   steps_to_target,seconds,status
 * cell: "base", or the values of the varied keys, such as "heads=8 d_k=4". Numbers are those of the last validation;
 * perplexity = exp(validation_loss). status: done or failed. An unknown field is empty, and so are the steps to a
 * target that was not reached. */
#pragma once

#include "programs/ablate/plan.h"
#include "programs/ablate/result.h"

/* Adds the file's content. `results` holds the results of all cells. HL_NO_MEMORY. */
hl_status hl_ablate_csv_print(const hl_ablate_plan *plan, const hl_ablate_result *results, hl_text *text);

/* Reads into `results` which cells are done, with their seconds, and which have failed. Other cells that had ended wait
 * again. The rest of `results` stays. If there is no file, no cell has ended. HL_BAD_FILE, "<path>:<line>: ...", if
 * this is no ablation.csv of this plan; HL_NO_MEMORY. */
hl_status hl_ablate_csv_read(const char *path, const hl_ablate_plan *plan, hl_ablate_result *results);
