/* What a sweep leaves when it ends: its table on standard output, and ablation.* in its folder. */
#ifndef HL_PROGRAMS_ABLATE_OUTPUTS_H
#define HL_PROGRAMS_ABLATE_OUTPUTS_H

#include "programs/ablate/folder.h"
#include "programs/ablate/result.h"

#include <stdio.h>

typedef struct hl_ablate_outputs {
    const hl_ablate_plan *plan;
    hl_ablate_folder *folder;        /* open, and left */
    const hl_ablate_result *results; /* of all cells */
    const char *config;              /* its path, for headings */
    const char *command;             /* as it was given, likewise */
    double target;
    const char *json, *csv; /* where these go besides: a path; "-": standard output; NULL: nowhere */
} hl_ablate_outputs;

/* Prints the table to `tables` and writes ablation.csv, .md, .svg, .png and .html; the table as JSON, with every
 * training, and the content of ablation.csv go where they are asked for, to `out` where that is "-". HL_BAD_FILE: a
 * file cannot be written, or the patterns of a run that is done cannot be read, of which the page then says so in their
 * place; HL_NO_MEMORY; HL_INVALID: more rows than a chart holds; HL_FAILED with cairo's words. */
hl_status hl_ablate_outputs_write(const hl_ablate_outputs *outputs, FILE *tables, FILE *out);

#endif
