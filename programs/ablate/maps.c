#include "programs/ablate/maps.h"

#include "show/picture.h"
#include "study/model.h"
#include "study/view.h"

/* Pixels per inch: sharp on a screen, and small enough for a page with many of them. */
static const double DPI = 144;

static hl_status draw(const hl_opened_model *run, const hl_snapshot *snapshot, hl_text *bytes, hl_text *dark)
{
    hl_heads_view view;
    HL_TRY(hl_heads_view_make(&view, run, snapshot, HL_VIEW_ANY, true));
    hl_picture picture = { view.panels, view.row_lengths, view.n_layers, view.caption.bytes, false };
    hl_status status = hl_picture_png(&picture, DPI, bytes);
    picture.dark = true;
    HL_THEN(status, hl_picture_png(&picture, DPI, dark));
    hl_heads_view_free(&view);
    return status;
}

static hl_status draw_last(hl_opened_model *run, hl_text *bytes, hl_text *dark)
{
    if (run->n_steps == 0) {
        return hl_error(HL_INVALID, "%s", hl_opened_model_check_steps(run).text);
    }
    const hl_snapshot *snapshot;
    HL_TRY(hl_opened_model_snapshot(run, -1, &snapshot));
    return draw(run, snapshot, bytes, dark);
}

hl_status hl_ablate_maps_png(const char *folder, hl_text *bytes, hl_text *dark)
{
    hl_opened_model run;
    hl_status status = hl_opened_model_open(&run, folder);
    HL_THEN(status, draw_last(&run, bytes, dark));
    hl_opened_model_close(&run);
    return status;
}
