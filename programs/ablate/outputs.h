/* The results of a sweep: its table on standard output, and ablation.* in its folder. */
#pragma once

#include "programs/ablate/sweep.h"

typedef struct hl_ablate_outputs {
    const hl_ablate_sweep *sweep;
    const char *config;     /* its path, for headings */
    const char *command;    /* as it was given, for headings */
    const char *json, *csv; /* where these go besides: a path; "-": standard output; NULL: nowhere */
} hl_ablate_outputs;

/* Prints the tables to the sweep's `out` and writes ablation.csv, births.csv, ablation.md, .svg, .png and .html. If
 * requested, it also writes the table with every training as JSON, and the content of ablation.csv; "-" means `out`.
 * HL_BAD_FILE: a file cannot be written, or the patterns of a finished run cannot be read, which the page then says;
 * HL_NO_MEMORY; HL_INVALID: more rows than a chart holds; HL_FAILED with cairo's words. */
hl_status hl_ablate_outputs_write(const hl_ablate_outputs *outputs, FILE *out);
