/* ablation.svg, .png and .html as bytes: the sweep's chart, and its page with the patterns of its runs. */
#ifndef HL_PROGRAMS_ABLATE_PAGE_H
#define HL_PROGRAMS_ABLATE_PAGE_H

#include "core/base/text_grid.h"
#include "programs/ablate/outputs.h"
#include "programs/ablate/summary.h"
#include "programs/ablate/sweep_chart.h"

/* Adds the chart in that format, or, `narrow`, for a narrow screen. HL_NO_MEMORY, HL_FAILED with cairo's words;
 * HL_INVALID: too many rows. */
hl_status hl_ablate_chart_print(const hl_ablate_outputs *outputs, const hl_ablate_summary *summary,
                                hl_picture_format format, bool narrow, hl_text *bytes);

/* Adds the page, with the chart as SVG twice. Each row opens the run of its first seed that is done; a run whose
 * patterns cannot be drawn says why. *unread: HL_OK, or HL_BAD_FILE with the reason where those of a run that is done
 * cannot be read. HL_BAD_FILE: a folder that cannot be looked into; HL_NO_MEMORY. */
hl_status hl_ablate_page(const hl_ablate_outputs *outputs, const hl_text_grid *grid, const hl_text *chart,
                         const hl_text *narrow_chart, hl_text *bytes, hl_status *unread);

#endif
