/* ablation.svg, .png and .html as bytes: the sweep's chart, and its page with the patterns of its runs. */
#ifndef HL_PROGRAMS_ABLATE_PAGE_H
#define HL_PROGRAMS_ABLATE_PAGE_H

#include "core/base/text_grid.h"
#include "programs/ablate/outputs.h"
#include "programs/ablate/summary.h"
#include "programs/ablate/sweep_chart.h"

/* Adds the chart in this format. `narrow`: for a narrow screen. HL_NO_MEMORY, HL_FAILED with cairo's words; HL_INVALID:
 * too many rows. */
hl_status hl_ablate_chart_print(const hl_ablate_outputs *outputs, const hl_ablate_summary *summary,
                                hl_picture_format format, bool narrow, hl_text *bytes);

/* Adds the page, with the chart as SVG for wide and narrow screens. Each row opens the run of its first finished seed.
 * If the patterns of a run cannot be drawn, the page says why. *unread: HL_BAD_FILE with the reason if the patterns of
 * a finished run cannot be read; else HL_OK. HL_BAD_FILE: a folder that cannot be read; HL_NO_MEMORY. */
hl_status hl_ablate_page(const hl_ablate_outputs *outputs, const hl_text_grid *grid, const hl_text *chart,
                         const hl_text *narrow_chart, hl_text *bytes, hl_status *unread);

#endif
