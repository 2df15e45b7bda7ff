/* Figures as tables for a terminal of 80 columns. */
#pragma once

#include "core/base/text.h"
#include "programs/bench/json.h"

/* The columns' names, and what they mean. */
void hl_bench_table_head(hl_text *text);
void hl_bench_table_legend(hl_text *text);

/* A workload's row. */
void hl_bench_table_row(hl_text *text, const hl_bench_figures *f);

/* A workload's profile: a row for each op and direction, the slowest first, one for the time outside the ops, and their
 * sum. */
void hl_bench_table_profile(hl_text *text, const hl_bench_figures *f);
