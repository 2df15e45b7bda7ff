#include "core/base/shown_text.h"
#include "core/files/json_text.h"
#include "show/private/report_json.h"

json_t *hl_report_shown_text(const char *bytes, bool lines)
{
    hl_text shown = { 0 };
    hl_shown next;
    for (const char *rest; (rest = hl_shown_next(bytes, false, &next)) != NULL; bytes = rest) {
        hl_text_print(&shown, "%s", lines && *bytes == '\n' ? "\n" : next.bytes);
    }
    return hl_json_take(&shown);
}
