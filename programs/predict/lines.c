#include "programs/predict/answer_files.h"

#include "core/base/memory.h"
#include "core/files/json_text.h"
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

/* White space in a piece would look like the space between two: pieces of chars and added tokens may have it. */
static void add_piece(hl_text *text, const char *piece, size_t size, bool escapes)
{
    escapes = escapes || strpbrk(piece, " \n\t\r") != NULL;
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
        if (n_first < pieces->n) {
            hl_json_set(&object, "second", lists[1]);
        }
        hl_predict_add_json(call, line, object);
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

static void print_masks(const hl_predict_answer *answer)
{
    hl_predict_call *call = answer->call;
    int64_t top = call->command.top;
    for (int64_t i = 0; i < answer->n; i++) {
        const hl_choice *choices = answer->choices + i * top;
        hl_text_print(&call->text, "  %" PRId64 ".", i + 1);
        for (int64_t k = 0; k < top && choices[k].id >= 0; k++) {
            hl_text_print(&call->text, "  ");
            hl_text_shown(&call->text, hl_tokens_piece(call->targets, choices[k].id, NULL));
            hl_text_print(&call->text, " %.3f", choices[k].probability);
        }
        hl_text_print(&call->text, "\n");
    }
}

static void put_masked(hl_predict_answer *answer)
{
    hl_predict_call *call = answer->call;
    hl_text filled = { 0 };
    hl_predict_fill(call->tokens, &answer->text, answer->choices, call->command.top, &filled);
    hl_text_fail(&call->text, hl_text_status(&filled));
    if (call->command.json) {
        hl_json_set(&answer->json, "filled", hl_json_name(filled.size > 0 ? filled.bytes : ""));
        hl_json_set(&answer->json, "masks", hl_predict_places_json(answer, "position", "piece"));
        hl_predict_add_json(call, answer->line, json_incref(answer->json));
    } else {
        hl_text_add(&call->text, filled.bytes, filled.size);
        hl_text_add(&call->text, "\n", 1);
        print_masks(answer);
    }
    hl_text_free(&filled);
}

static hl_status answer_masked(hl_predict_call *call, const hl_lines *lines, const hl_predict_line *line)
{
    hl_predictor *p = &call->predictor;
    hl_predict_answer *answer;
    HL_TRY(hl_predictor_read(p, line->texts[0], (hl_span){ NULL, 0 }, true));
    hl_predict_tell_cut(call, lines, line->number);
    int64_t n = hl_predict_masks(p, NULL);
    HL_TRY(hl_predict_answer_new(call, line->number, n, put_masked, &answer));
    hl_predict_masks(p, answer->at);
    hl_predict_blank(p, line->texts[0], answer->at, n, &answer->text);
    answer->json = call->command.json ? json_pack("{s:o}", "text", json_of(line->texts[0])) : NULL;
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
    return hl_predictor_best(p, answer->at, n, call->command.top, answer->choices);
}

/* ---- next ---- */

/* A terminal shows each piece as it comes. */
static hl_status say(void *context, const char *bytes, size_t size)
{
    hl_predict_call *call = context;
    bool open;
    hl_text_add(&call->text, bytes, size);
    return call->streams ? hl_predict_put(call, &open) : hl_text_status(&call->text);
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

/* The labels of at least half a probability. */
static json_t *labels_json(const hl_predict_answer *answer)
{
    json_t *labels = json_array();
    for (const hl_choice *choice = answer->choices; choice < answer->choices + answer->call->command.top; choice++) {
        if (choice->id >= 0 && choice->probability >= 0.5) {
            hl_json_append(&labels, hl_json_name(hl_tokens_piece(answer->call->targets, choice->id, NULL)));
        }
    }
    return labels;
}

static json_t *numbers_json(const hl_predict_answer *answer)
{
    json_t *numbers = json_array();
    for (int64_t k = 0; k < answer->call->command.top && answer->choices[k].id >= 0; k++) {
        hl_json_append(&numbers, hl_json_number(answer->choices[k].probability));
    }
    return numbers;
}

static void put_classes_json(hl_predict_answer *answer)
{
    const hl_predict_call *call = answer->call;
    hl_pretrained_problem problem = call->predictor.spec.problem;
    int32_t best = answer->choices[0].id;
    if (problem == HL_PROBLEM_NUMBERS) {
        hl_json_set(&answer->json, "numbers", numbers_json(answer));
    } else if (problem == HL_PROBLEM_LABELS) {
        hl_json_set(&answer->json, "labels", labels_json(answer));
    } else {
        hl_json_set(&answer->json, "label",
                    best >= 0 ? hl_json_name(hl_tokens_piece(call->targets, best, NULL)) : json_null());
    }
    if (problem != HL_PROBLEM_NUMBERS) {
        hl_json_set(&answer->json, "answers", hl_predict_best_json(answer, 0, "label"));
    }
    hl_predict_add_json(answer->call, answer->line, json_incref(answer->json));
}

static void put_classes(hl_predict_answer *answer)
{
    hl_predict_call *call = answer->call;
    bool numbers = call->predictor.spec.problem == HL_PROBLEM_NUMBERS, one = numbers && call->predictor.width == 1;
    for (int64_t k = 0; k < call->command.top && answer->choices[k].id >= 0; k++) {
        const hl_choice *choice = &answer->choices[k];
        if (call->likely && choice->probability < 0.5) {
            break;
        }
        hl_text_print(&call->text, "%s%s%s", k > 0 ? "\t" : "",
                      one ? "" : hl_tokens_piece(call->targets, choice->id, NULL), one ? "" : "\t");
        hl_text_print(&call->text, numbers ? "%.6g" : "%.4f", choice->probability);
    }
    hl_text_add(&call->text, "\n", 1);
}

static void take_classes(void *context, int64_t i, const hl_real *logits)
{
    (void)i;
    const hl_predict_answer *answer = context;
    const hl_predictor *p = &answer->call->predictor;
    int64_t n = hl_choices_best(logits, p->width, answer->call->command.top, answer->choices);
    for (int64_t k = 0; k < n && p->spec.problem != HL_PROBLEM_CHOICE; k++) {
        hl_choice *choice = &answer->choices[k];
        *choice = p->spec.problem == HL_PROBLEM_NUMBERS
                      ? (hl_choice){ (int32_t)k, (double)logits[k] }
                      : (hl_choice){ choice->id, hl_choices_sigmoid(logits[choice->id]) };
    }
}

static hl_status answer_classes(hl_predict_call *call, const hl_lines *lines, const hl_predict_line *line)
{
    hl_predictor *p = &call->predictor;
    hl_predict_answer *answer;
    HL_TRY(hl_predictor_read(p, line->texts[0], line->texts[1], false));
    hl_predict_tell_cut(call, lines, line->number);
    HL_TRY(hl_predict_answer_new(call, line->number, 1, call->command.json ? put_classes_json : put_classes, &answer));
    if (call->command.json) {
        answer->json = json_pack("{s:o}", "text", json_of(line->texts[0]));
        if (line->texts[1].text != NULL) {
            hl_json_set(&answer->json, "second", json_of(line->texts[1]));
        }
    }
    for (int64_t k = 0; k < call->command.top; k++) {
        answer->choices[k].id = -1;
    }
    if (p->text.n == 0) {
        hl_predict_tell_empty(call, lines, line->number, "is empty: it has no answer");
        return hl_ok();
    }
    return hl_predictor_classify(p, take_classes, answer);
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
        HL_TRY(hl_predict_put_answers(call, texts->lines, &open));
    }
    return hl_ok();
}

hl_status hl_predict_lines(hl_predict_call *call)
{
    hl_predict_texts texts;
    hl_status status = hl_predict_texts_open(call->command.file, &call->task, call->run.source.open != NULL, &texts);
    HL_THEN(status, answer_all(call, &texts));
    status = hl_predict_put_rest(call, status);
    hl_predict_texts_close(&texts);
    return status;
}
