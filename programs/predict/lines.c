#include "programs/predict/lines.h"

#include "core/json_text.h"
#include "core/memory.h"
#include "programs/predict/texts.h"
#include "study/predict_text.h"

#include <inttypes.h>
#include <string.h>

/* A JSON string of the bytes, which are UTF-8. */
static json_t *json_of(hl_span text)
{
    return json_stringn(text.text, text.size);
}

/* ---- pieces ---- */

/* White space in a piece would look like the space between two: chars alone have such pieces. */
static void add_piece(hl_text *text, const char *piece, size_t size, bool escapes)
{
    static const char from[] = " \n\t\r\\", *const to[] = { "\\s", "\\n", "\\t", "\\r", "\\\\" };
    for (size_t i = 0; i < size; i++) {
        const char *found = escapes ? strchr(from, piece[i]) : NULL;
        if (found != NULL && *found != '\0') {
            hl_text_add(text, to[found - from], 2);
        } else {
            hl_text_add(text, piece + i, 1);
        }
    }
}

void hl_predict_show_pieces(hl_predict_call *call, int64_t line, size_t n_first)
{
    bool escapes = hl_tokens_get_kind(call->tokens) == HL_TOKENS_CHARS;
    const hl_pieces *pieces = &call->predictor.text;
    json_t *lists[2] = { json_array(), n_first < pieces->n ? json_array() : NULL };
    for (size_t i = 0; i < pieces->n; i++) {
        size_t size;
        const char *piece = hl_tokens_piece(call->tokens, pieces->at[i].id, &size);
        if (call->command.json) {
            hl_json_append(&lists[i >= n_first], hl_json_name(piece));
        } else {
            hl_text_add(&call->text, i == n_first ? "\t" : " ", i > 0);
            add_piece(&call->text, piece, size, escapes);
        }
    }
    if (call->command.json) {
        json_t *object = json_pack("{s:o}", "pieces", lists[0]);
        int failed = n_first < pieces->n && json_object_set_new(object, "second", lists[1]) != 0;
        hl_predict_add_json(call, line, hl_json_checked(object, failed));
    } else {
        json_decref(lists[0]);
        json_decref(lists[1]);
        hl_text_add(&call->text, "\n", 1);
    }
}

static hl_status show_pieces(hl_predict_call *call, const hl_predict_line *line)
{
    hl_pieces *pieces = &call->predictor.text;
    size_t n_first = 0;
    pieces->n = 0;
    for (int64_t i = 0; i < line->n_texts; i++) {
        n_first = pieces->n;
        HL_TRY(hl_tokens_encode(call->tokens, line->texts[i].text, line->texts[i].size, true, pieces));
    }
    hl_predict_show_pieces(call, line->number, line->n_texts == 2 ? n_first : pieces->n);
    return hl_ok();
}

/* ---- masked ---- */

static void print_masks(hl_predict_call *call, int64_t n, const hl_choice *choices)
{
    int64_t top = call->command.top;
    for (int64_t i = 0; i < n; i++) {
        hl_text_print(&call->text, "  %" PRId64 ".", i + 1);
        for (int64_t k = 0; k < top && choices[i * top + k].id >= 0; k++) {
            hl_text_print(&call->text, "  ");
            hl_text_shown(&call->text, hl_tokens_piece(call->targets, choices[i * top + k].id, NULL));
            hl_text_print(&call->text, " %.3f", choices[i * top + k].probability);
        }
        hl_text_print(&call->text, "\n");
    }
}

static json_t *masks_json(const hl_predict_call *call, const int32_t *asked, int64_t n, const hl_choice *choices)
{
    int64_t top = call->command.top;
    json_t *masks = json_array();
    for (int64_t i = 0; i < n; i++) {
        json_t *answers = json_array();
        for (int64_t k = 0; k < top && choices[i * top + k].id >= 0; k++) {
            hl_json_append(&answers, hl_predict_choice_json(call, "piece", choices[i * top + k]));
        }
        hl_json_append(&masks,
                       answers != NULL ? json_pack("{s:i, s:o}", "position", asked[i], "answers", answers) : NULL);
    }
    return masks;
}

static hl_status fill_masks(hl_predict_call *call, const hl_predict_line *line, int32_t *asked, int64_t n,
                            hl_choice *choices)
{
    hl_text filled = { 0 };
    HL_TRY(hl_predictor_best(&call->predictor, asked, n, call->command.top, choices));
    hl_predict_fill(&call->predictor, line->texts[0], asked, n, choices, call->command.top, &filled);
    if (hl_text_status(&filled).code == HL_OK && call->command.json) {
        json_t *masks = masks_json(call, asked, n, choices);
        hl_predict_add_json(call, line->number,
                            masks != NULL ? json_pack("{s:o, s:o, s:o}", "text", json_of(line->texts[0]), "filled",
                                                      hl_json_name(filled.size > 0 ? filled.bytes : ""), "masks", masks)
                                          : NULL);
    } else if (hl_text_status(&filled).code == HL_OK) {
        hl_text_add(&call->text, filled.bytes, filled.size);
        hl_text_add(&call->text, "\n", 1);
        print_masks(call, n, choices);
    }
    hl_status status = hl_text_status(&filled);
    hl_text_free(&filled);
    return status;
}

static hl_status answer_masked(hl_predict_call *call, const hl_lines *lines, const hl_predict_line *line)
{
    hl_predictor *p = &call->predictor;
    HL_TRY(hl_predictor_read(p, line->texts[0], (hl_span){ NULL, 0 }, true));
    hl_predict_tell_cut(call, lines, line->number);
    int32_t *asked = hl_calloc(p->text.n + 1, sizeof *asked);
    int64_t n = asked != NULL ? hl_predict_masks(p, asked) : 0;
    hl_choice *choices = hl_calloc((size_t)n + 1, (size_t)call->command.top * sizeof *choices);
    hl_status status = asked != NULL && choices != NULL ? fill_masks(call, line, asked, n, choices)
                                                        : hl_error_memory("the masks of a line");
    if (n == 0) {
        char what[64];
        int32_t mask = hl_tokens_role(call->tokens, HL_ROLE_MASK);
        bool was_cut = false;
        for (int64_t i = (int64_t)p->text.n; i < p->uncut; i++) {
            was_cut = was_cut || p->text.at[i].id == mask;
        }
        snprintf(what, sizeof what, was_cut ? "every %s was cut off" : "has no %s to fill",
                 hl_tokens_piece(call->tokens, mask, NULL));
        hl_predict_tell_empty(call, lines, line->number, what);
    }
    hl_free(asked);
    hl_free(choices);
    return status;
}

/* ---- next ---- */

/* A terminal is shown what comes at once, and no control characters but ends of lines and tabs. */
static hl_status say(void *context, const char *bytes, size_t size)
{
    hl_predict_call *call = context;
    unsigned char first = (unsigned char)bytes[0], second = size > 1 ? (unsigned char)bytes[1] : 0xff;
    bool control = first < ' ' || first == 0x7f || (first == 0xc2 && second < 0xa0), open;
    if (!call->streams) {
        hl_text_add(&call->text, bytes, size);
        return hl_text_status(&call->text);
    }
    if (control && first != '\n' && first != '\t') {
        char character[3] = { (char)first, size > 1 ? (char)second : '\0' };
        hl_text_shown(&call->text, character);
    } else {
        hl_text_add(&call->text, bytes, size);
    }
    return hl_predict_put(call, &open);
}

static hl_status keep(void *text, const char *bytes, size_t size)
{
    hl_text_add(text, bytes, size);
    return hl_text_status(text);
}

static hl_status answer_next(hl_predict_call *call, const hl_lines *lines, const hl_predict_line *line)
{
    const hl_predict_command *command = &call->command;
    hl_continuation how = { .length = command->length,
                            .temperature = command->temperature,
                            .top_k = command->top_k,
                            .seed = (uint64_t)command->seed };
    hl_text said = { 0 };
    hl_span text = line->texts[0];
    int64_t made;
    bool open;
    if (!command->json) {
        hl_text_add(&call->text, text.text, text.size);
        HL_TRY(call->streams ? hl_predict_put(call, &open) : hl_ok());
    }
    hl_status status = hl_predict_continue(&call->predictor, text, line->number, &how, command->json ? keep : say,
                                           command->json ? (void *)&said : call, &made);
    if (status.code == HL_INVALID && call->predictor.text.n == 0) {
        hl_predict_tell_empty(call, lines, line->number, status.text);
        status = hl_ok();
    }
    hl_predict_tell_cut(call, lines, line->number);
    if (status.code == HL_OK && command->json) {
        hl_predict_add_json(call, line->number,
                            json_pack("{s:o, s:o, s:I}", "text", json_of(text), "continuation",
                                      json_stringn(said.size > 0 ? said.bytes : "", said.size), "pieces",
                                      (json_int_t)made));
    } else if (status.code == HL_OK) {
        hl_text_add(&call->text, "\n", 1);
    }
    hl_text_free(&said);
    return status;
}

/* ---- classes ---- */

static json_t *classes_json(const hl_predict_call *call, const hl_span texts[2], const hl_choice *choices, int64_t n)
{
    json_t *answers = json_array(), *object = json_pack("{s:o}", "text", json_of(texts[0]));
    int failed = texts[1].text != NULL && json_object_set_new(object, "second", json_of(texts[1])) != 0;
    for (int64_t k = 0; k < n; k++) {
        hl_json_append(&answers, hl_predict_choice_json(call, "label", choices[k]));
    }
    failed |= json_object_set_new(
        object, "label", n > 0 ? hl_json_name(hl_tokens_piece(call->targets, choices[0].id, NULL)) : json_null());
    failed |= json_object_set_new(object, "answers", answers);
    return hl_json_checked(object, failed);
}

static hl_status classify(hl_predict_call *call, const hl_lines *lines, const hl_predict_line *line, hl_real *logits,
                          hl_choice *choices)
{
    hl_predictor *p = &call->predictor;
    int64_t n = 0;
    HL_TRY(hl_predictor_read(p, line->texts[0], line->texts[1], false));
    hl_predict_tell_cut(call, lines, line->number);
    if (p->text.n > 0) {
        HL_TRY(hl_predictor_classify(p, logits));
        n = hl_choices_best(logits, p->width, call->command.top, choices);
    } else {
        hl_predict_tell_empty(call, lines, line->number, "is empty: it has no label");
    }
    if (call->command.json) {
        hl_predict_add_json(call, line->number, classes_json(call, line->texts, choices, n));
        return hl_ok();
    }
    for (int64_t k = 0; k < n; k++) {
        hl_text_print(&call->text, "%s%s\t%.4f", k > 0 ? "\t" : "", hl_tokens_piece(call->targets, choices[k].id, NULL),
                      choices[k].probability);
    }
    hl_text_add(&call->text, "\n", 1);
    return hl_ok();
}

static hl_status answer_classes(hl_predict_call *call, const hl_lines *lines, const hl_predict_line *line)
{
    hl_real *logits = hl_calloc((size_t)call->predictor.width, sizeof *logits);
    hl_choice *choices = hl_calloc((size_t)call->command.top, sizeof *choices);
    hl_status status = logits != NULL && choices != NULL ? classify(call, lines, line, logits, choices)
                                                         : hl_error_memory("a line's classes");
    hl_free(logits);
    hl_free(choices);
    return status;
}

/* ---- all lines ---- */

static hl_status embed(hl_predict_call *call, const hl_lines *lines, const hl_predict_line *line)
{
    HL_TRY(hl_predictor_read(&call->predictor, line->texts[0], line->texts[1], false));
    hl_predict_tell_cut(call, lines, line->number);
    return hl_predict_embedding_add(&call->embedding, &call->predictor);
}

static hl_status answer(hl_predict_call *call, const hl_lines *lines, const hl_predict_line *line)
{
    hl_status status = call->command.tokens                ? show_pieces(call, line)
                       : call->command.embed != NULL       ? embed(call, lines, line)
                       : call->task.task == HL_TEXT_MASKED ? answer_masked(call, lines, line)
                       : call->task.task == HL_TEXT_NEXT   ? answer_next(call, lines, line)
                                                           : answer_classes(call, lines, line);
    return status.code == HL_INVALID ? hl_lines_bad(lines, line->number, "%s", status.text) : status;
}

static hl_status answer_all(hl_predict_call *call, hl_predict_texts *texts)
{
    bool open = true;
    while (open) {
        hl_predict_line line;
        HL_TRY(hl_predict_texts_next(texts, &line));
        if (line.texts[0].text == NULL) {
            return hl_ok();
        }
        HL_TRY(answer(call, texts->lines, &line));
        HL_TRY(hl_predict_put_answer(call, texts->lines, &open));
    }
    return hl_ok();
}

hl_status hl_predict_lines(hl_predict_call *call)
{
    hl_predict_texts texts;
    hl_status status = hl_predict_texts_open(call->command.file, &call->task, call->run.open != NULL, &texts);
    HL_THEN(status, answer_all(call, &texts));
    hl_predict_texts_close(&texts);
    return status;
}
