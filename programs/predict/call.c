#include "programs/predict/call.h"

#include "core/base/clock.h"
#include "core/base/memory.h"
#include "core/base/shown_text.h"
#include "core/base/units.h"
#include "core/files/json_text.h"
#include "core/files/npy.h"
#include "programs/print_line.h"

#include <inttypes.h>

/* Whether the character that begins here could command a terminal; ends of lines and tabs are harmless. */
static bool is_control(const char *at)
{
    unsigned char first = (unsigned char)at[0], second = (unsigned char)at[1];
    bool ends_line = first == '\n' || (first == '\r' && second == '\n');
    return (first < ' ' && first != '\t' && !ends_line) || first == 0x7f || (first == 0xc2 && second < 0xa0);
}

/* Control characters are spelled out: as \x1b, or in JSON, whose strings then still mean the same, as \u001B. */
static void write_shown(const char *text, bool json, FILE *out)
{
    hl_shown shown;
    for (const char *at = text, *next; (next = hl_shown_next(at, false, &shown)) != NULL; at = next) {
        if (!is_control(at)) {
            fwrite(at, 1, (size_t)(next - at), out);
        } else if (json) {
            fprintf(out, "\\u%04X", (unsigned char)(next - at == 2 ? at[1] : at[0])); /* C2 80 .. C2 9f are U+0080 .. */
        } else {
            fputs(shown.bytes, out);
        }
    }
}

hl_status hl_predict_put(hl_predict_call *call, bool *open)
{
    HL_TRY(hl_text_status(&call->text));
    if (call->text.size > 0 && call->terminal) {
        write_shown(call->text.bytes, call->command.json, call->out);
    } else if (call->text.size > 0) {
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

json_t *hl_predict_best_json(const hl_predict_answer *answer, int64_t i, const char *name)
{
    const hl_predict_call *call = answer->call;
    const hl_choice *choices = answer->choices + i * call->command.top;
    json_t *best = json_array();
    for (int64_t k = 0; k < call->command.top && choices[k].id >= 0; k++) {
        hl_json_append(&best, json_pack("{s:o, s:i, s:o}", name,
                                        hl_json_name(hl_tokens_piece(call->targets, choices[k].id, NULL)), "id",
                                        choices[k].id, "probability", hl_json_number(choices[k].probability)));
    }
    return best;
}

json_t *hl_predict_places_json(const hl_predict_answer *answer, const char *place, const char *name)
{
    json_t *places = json_array();
    for (int64_t i = 0; i < answer->n; i++) {
        json_t *best = hl_predict_best_json(answer, i, name);
        hl_json_append(&places, best != NULL ? json_pack("{s:i, s:o}", place, answer->at[i], "answers", best) : NULL);
    }
    return places;
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

/* ---- answers ---- */

/* So many bytes of answers wait at most. */
static const size_t MOST_HELD = 4 << 20;

hl_status hl_predict_answer_new(hl_predict_call *call, int64_t line, int64_t n, void (*put)(hl_predict_answer *answer),
                                hl_predict_answer **out)
{
    size_t top = (size_t)call->command.top;
    hl_predict_answer *answer = *out = hl_calloc(1, sizeof *answer);
    HL_NEED(answer != NULL, "an answer");
    *answer = (hl_predict_answer){ .call = call, .put = put, .line = line, .n = n, .question = INT64_MAX };
    *(call->last != NULL ? &call->last->next : &call->waiting) = answer;
    call->last = answer;
    call->held += sizeof *answer + (size_t)n * (sizeof *answer->at + top * sizeof *answer->choices);
    answer->at = hl_calloc((size_t)n + 1, sizeof *answer->at);
    answer->choices = hl_calloc((size_t)n + 1, top * sizeof *answer->choices);
    HL_NEED(answer->at != NULL && answer->choices != NULL, "an answer");
    return hl_ok();
}

static void free_first(hl_predict_call *call)
{
    hl_predict_answer *answer = call->waiting;
    call->waiting = answer->next;
    call->last = answer->next != NULL ? call->last : NULL;
    hl_text_free(&answer->text);
    json_decref(answer->json);
    hl_free(answer->at);
    hl_free(answer->choices);
    hl_free(answer);
}

/* Prints what is complete. */
static hl_status put_complete(hl_predict_call *call, bool *open)
{
    while (call->waiting != NULL && call->waiting->question <= call->predictor.answered) {
        hl_text_fail(&call->text, hl_text_status(&call->waiting->text));
        call->waiting->put(call->waiting);
        free_first(call);
    }
    return hl_predict_put(call, open);
}

hl_status hl_predict_put_answers(hl_predict_call *call, const hl_lines *lines, bool *open)
{
    int64_t done, total;
    if (call->last != NULL && call->last->question == INT64_MAX) {
        call->last->question = call->predictor.asked;
        call->held += call->last->text.size;
    }
    bool prints = call->command.embed == NULL;
    if ((prints && hl_lines_may_wait(lines)) || call->held > MOST_HELD) {
        HL_TRY(hl_predictor_finish(&call->predictor));
    }
    HL_TRY(put_complete(call, open));
    call->held = call->waiting != NULL ? call->held : 0;
    hl_lines_progress(lines, &done, &total);
    hl_predict_tell_progress(call, done, total);
    return hl_ok();
}

hl_status hl_predict_put_rest(hl_predict_call *call, hl_status so_far)
{
    bool open;
    hl_status status = hl_predictor_finish(&call->predictor);
    HL_THEN(status, put_complete(call, &open));
    while (call->waiting != NULL) {
        free_first(call);
    }
    return so_far.code != HL_OK ? so_far : status;
}

/* ---- vectors ---- */

/* The header's size does not depend on the number of lines, which the end tells. */
static void write_header(hl_predict_embedding *e)
{
    char header[HL_NPY_MAX_WRITTEN];
    size_t size = hl_npy_header_write(HL_NPY_FLOAT32, HL_SHAPE(e->lines, e->width), header);
    hl_file_write(&e->file, header, size);
}

hl_status hl_predict_embedding_begin(hl_predict_embedding *e, const char *path, const hl_predictor *p)
{
    *e = (hl_predict_embedding){ .file = { .fd = -1 }, .width = p->width };
    HL_TRY(hl_file_create(&e->file, path));
    write_header(e);
    return e->file.error;
}

static void write_row(void *context, int64_t i, const hl_real *row)
{
    (void)i;
    hl_predict_embedding *e = context;
    hl_file_write(&e->file, row, (size_t)e->width * sizeof *row);
    e->lines++;
}

hl_status hl_predict_embedding_add(hl_predict_embedding *e, hl_predictor *p)
{
    HL_TRY(hl_predictor_vector(p, write_row, e));
    return e->file.error;
}

hl_status hl_predict_embedding_end(hl_predict_embedding *e, hl_status so_far)
{
    if (so_far.code != HL_OK) {
        hl_file_abandon(&e->file);
        return so_far;
    }
    hl_file_seek(&e->file, 0, SEEK_SET);
    write_header(e);
    return hl_file_commit(&e->file, HL_VOLATILE);
}
