/* ablation.csv: a row for every training that has ended, and the memory of what is done:
 *   cell,seed,<one column per varied key>,parameters,flops_per_step,steps,validation_loss,perplexity,accuracy,
 *   steps_to_target,seconds,status
 * cell: "base", or the varied keys' values as in "heads=8 d_k=4"; figures are those of the last validation, perplexity
 * = exp(validation_loss); status: done or failed. A field that is not known, or steps to a target that was not reached,
 * is empty. */
#ifndef HL_PROGRAMS_ABLATE_CSV_H
#define HL_PROGRAMS_ABLATE_CSV_H

#include "programs/ablate/plan.h"
#include "programs/ablate/result.h"

/* Adds the file's content; `results` are those of all cells. HL_NO_MEMORY. */
hl_status hl_ablate_csv_print(const hl_ablate_plan *plan, const hl_ablate_result *results, hl_text *text);

/* Reads which cells are done, with their seconds, and which have failed into `results`; others that had ended wait
 * again. The rest stays. No file: no cell has ended. HL_BAD_FILE "<path>:<line>: ...": not an ablation.csv of this
 * plan. HL_NO_MEMORY. */
hl_status hl_ablate_csv_read(const char *path, const hl_ablate_plan *plan, hl_ablate_result *results);

#endif
