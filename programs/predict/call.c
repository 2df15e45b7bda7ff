#include "programs/predict/call.h"

#include "core/clock.h"
#include "core/json_text.h"
#include "core/units.h"
#include "programs/print_line.h"

#include <inttypes.h>

hl_status hl_predict_put(hl_predict_call *call, bool *open)
{
    HL_TRY(hl_text_status(&call->text));
    if (call->text.size > 0) {
        fwrite(call->text.bytes, 1, call->text.size, call->out);
    }
    fflush(call->out); /* hl_standard_output_end reports failures */
    *open = ferror(call->out) == 0;
    call->text.size = 0;
    return hl_ok();
}

void hl_predict_add_json(hl_predict_call *call, int64_t line, json_t *members)
{
    json_t *object = json_pack("{s:i, s:I}", "format", HL_JSON_FORMAT, "line", (json_int_t)line);
    int failed = object == NULL || members == NULL || json_object_update(object, members) != 0;
    json_decref(members);
    hl_json_print(&call->text, hl_json_checked(object, failed), JSON_COMPACT);
}

json_t *hl_predict_choice_json(const hl_predict_call *call, const char *name, hl_choice choice)
{
    return choice.id < 0
               ? json_null()
               : json_pack("{s:o, s:i, s:o}", name, hl_json_name(hl_tokens_piece(call->targets, choice.id, NULL)), "id",
                           choice.id, "probability", hl_json_number(choice.probability));
}

/* ---- notices ---- */

static void clear_progress(hl_predict_call *call)
{
    if (call->drawing) {
        fputs("\r\033[K", call->err);
        call->drawing = false;
    }
}

void hl_predict_tell_cut(hl_predict_call *call, const hl_lines *lines, int64_t line)
{
    const hl_predictor *p = &call->predictor;
    if (p->uncut > (int64_t)p->text.n && call->notices[HL_PREDICT_CUT]++ == 0) {
        bool next = call->task.task == HL_TEXT_NEXT, pair = p->n_first < p->text.n;
        clear_progress(call);
        hl_print_line(call->err, "%s:%" PRId64 ": has %" PRId64 " pieces, and the model takes %" PRId64 ": %s%s",
                      hl_lines_name(lines), line, p->uncut, hl_predictor_room(p, pair),
                      next ? "it sees the last ones alone" : "cut",
                      next || pair ? "" : " (--stride N reads all of it, in windows)");
    }
}

void hl_predict_tell_empty(hl_predict_call *call, const hl_lines *lines, int64_t line, const char *what)
{
    if (call->notices[HL_PREDICT_EMPTY]++ == 0) {
        clear_progress(call);
        hl_print_line(call->err, "%s:%" PRId64 ": %s", hl_lines_name(lines), line, what);
    }
}

void hl_predict_tell_end(hl_predict_call *call)
{
    static const char *const said[HL_PREDICT_NOTICES] = { "were longer than the model takes", "had nothing to answer" };
    clear_progress(call);
    for (int i = 0; i < HL_PREDICT_NOTICES; i++) {
        if (call->notices[i] > 1) {
            hl_print_line(call->err, "%" PRId64 " in all %s", call->notices[i], said[i]);
        }
    }
}

/* ---- progress ---- */

void hl_predict_tell_progress(hl_predict_call *call, int64_t done, int64_t total)
{
    const double first = 1, every = 0.1; /* seconds */
    double now = hl_clock_seconds();
    if (!call->draws || total <= 0 || done <= 0 || now - call->started < first || now - call->drawn < every) {
        return;
    }
    char left[HL_UNITS_TEXT];
    hl_units_duration((now - call->started) * (double)(total - done) / (double)done, left);
    fprintf(call->err, "\r%3d%% read, %s left\033[K", (int)(100 * done / total), left);
    fflush(call->err);
    call->drawn = now;
    call->drawing = true;
}

hl_status hl_predict_put_answer(hl_predict_call *call, const hl_lines *lines, bool *open)
{
    int64_t done, total;
    HL_TRY(hl_predict_put(call, open));
    hl_lines_progress(lines, &done, &total);
    hl_predict_tell_progress(call, done, total);
    return hl_ok();
}
