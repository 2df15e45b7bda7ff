#include "programs/predict/rows.h"

#include "core/json_text.h"
#include "core/memory.h"
#include "data/text/conllu.h"
#include "data/text/table.h"

#include <inttypes.h>
#include <string.h>

/* The words of a sentence or a row, and what the model answers at those that it is asked about. */
typedef struct words {
    const hl_span *texts;
    int64_t n, line;
    int64_t n_asked;
    const int32_t *which; /* (n_asked): the words */
    hl_choice *choices;   /* (n_asked, top) */
    hl_span *answers;     /* (n): "_" where there is none */
} words;

typedef hl_status put_words(hl_predict_call *call, const words *w, const void *context);

static json_t *answers_json(const hl_predict_call *call, const words *w)
{
    int64_t top = call->command.top;
    json_t *list = json_array();
    for (int64_t i = 0; i < w->n_asked; i++) {
        json_t *best = json_array();
        for (int64_t k = 0; k < top && w->choices[i * top + k].id >= 0; k++) {
            hl_json_append(&best, hl_predict_choice_json(call, "label", w->choices[i * top + k]));
        }
        hl_json_append(&list, best != NULL ? json_pack("{s:i, s:o}", "word", w->which[i], "answers", best) : NULL);
    }
    return list;
}

static hl_status put_json(hl_predict_call *call, const words *w)
{
    json_t *texts = json_array(), *labels = json_array(), *answers = answers_json(call, w), *object = json_object();
    for (int64_t i = 0; i < w->n; i++) {
        hl_json_append(&texts, json_stringn(w->texts[i].text, w->texts[i].size));
        hl_json_append(&labels, json_stringn(w->answers[i].text, w->answers[i].size));
    }
    int failed = json_object_set_new(object, "words", texts) | json_object_set_new(object, "labels", labels) |
                 json_object_set_new(object, "answers", answers);
    hl_predict_add_json(call, w->line, hl_json_checked(object, failed));
    return hl_text_status(&call->text);
}

/* Asks about the words `which`, whose texts the predictor has not read yet, and puts out what it says. */
static hl_status answer(hl_predict_call *call, const hl_lines *lines, words *w, int32_t *firsts, put_words *put,
                        const void *context)
{
    hl_predictor *p = &call->predictor;
    int64_t top = call->command.top;
    hl_status status = hl_predictor_read_words(p, w->texts, w->n, firsts);
    for (int64_t i = 0; i < w->n_asked && status.code == HL_OK; i++) {
        firsts[i] = firsts[w->which[i]]; /* which[i] >= i */
    }
    HL_THEN(status, hl_predictor_best(p, firsts, w->n_asked, top, w->choices));
    if (status.code != HL_OK) {
        return status.code == HL_INVALID ? hl_lines_bad(lines, w->line, "%s", status.text) : status;
    }
    hl_predict_tell_cut(call, lines, w->line);
    for (int64_t i = 0; i < w->n; i++) {
        w->answers[i] = (hl_span){ "_", 1 };
    }
    for (int64_t i = 0; i < w->n_asked; i++) {
        hl_span *said = &w->answers[w->which[i]];
        if (w->choices[i * top].id >= 0) {
            said->text = hl_tokens_piece(call->targets, w->choices[i * top].id, &said->size);
        }
    }
    bool open;
    int64_t done, total;
    HL_TRY(call->command.json ? put_json(call, w) : put(call, w, context));
    HL_TRY(hl_predict_put(call, &open));
    hl_lines_progress(lines, &done, &total);
    hl_predict_tell_progress(call, done, total);
    return hl_ok();
}

/* Memory for n words; asked[i] tells which are asked about, NULL: all are. */
static hl_status with_memory(hl_predict_call *call, const hl_lines *lines, const hl_span *texts, int64_t n,
                             const hl_span *asked, int64_t line, put_words *put, const void *context)
{
    words w = { .texts = texts, .n = n, .line = line };
    int32_t *which = hl_calloc((size_t)n, 2 * sizeof *which);
    w.choices = hl_calloc((size_t)n, (size_t)call->command.top * sizeof *w.choices);
    w.answers = hl_calloc((size_t)n, sizeof *w.answers);
    hl_status status;
    if (which == NULL || w.choices == NULL || w.answers == NULL) {
        status = hl_error_memory("the answers to a sentence");
    } else {
        w.which = which;
        for (int64_t i = 0; i < n; i++) {
            if (asked == NULL || asked[i].text != NULL) {
                which[w.n_asked++] = (int32_t)i;
            }
        }
        status = answer(call, lines, &w, which + n, put, context);
    }
    hl_free(which);
    hl_free(w.choices);
    hl_free(w.answers);
    return status;
}

/* ---- treebanks ---- */

static hl_status put_sentence(hl_predict_call *call, const words *w, const void *context)
{
    hl_conllu_print(context, (hl_conllu_column)hl_conllu_column_find(call->task.column), w->answers, &call->text);
    return hl_text_status(&call->text);
}

static hl_status tag_sentence(hl_predict_call *call, const hl_conllu *reader, const hl_conllu_sentence *sentence)
{
    hl_span *forms = hl_calloc((size_t)sentence->n_words, sizeof *forms);
    if (forms == NULL) {
        return hl_error_memory("the words of a sentence");
    }
    for (int64_t i = 0; i < sentence->n_words; i++) {
        forms[i] = sentence->words[i].columns[HL_CONLLU_FORM];
    }
    hl_status status = with_memory(call, hl_conllu_lines(reader), forms, sentence->n_words, NULL,
                                   sentence->words[0].line, put_sentence, sentence);
    hl_free(forms);
    return status;
}

static hl_status tag_all(hl_predict_call *call, hl_conllu *reader)
{
    bool mark = false, open = true;
    while (ferror(call->out) == 0) {
        const hl_conllu_sentence *sentence;
        HL_TRY(hl_conllu_next(reader, &sentence));
        if (!mark && hl_lines_noticed(hl_conllu_lines(reader)).mark && !call->command.json) {
            hl_text_add(&call->text, "\xEF\xBB\xBF", 3);
            mark = true;
        }
        if (sentence == NULL) {
            hl_span rest = hl_conllu_rest(reader);
            hl_text_add(&call->text, rest.text, call->command.json ? 0 : rest.size);
            return hl_predict_put(call, &open);
        }
        HL_TRY(tag_sentence(call, reader, sentence));
    }
    return hl_ok();
}

hl_status hl_predict_treebank(hl_predict_call *call)
{
    hl_conllu *reader;
    HL_TRY(hl_conllu_open(call->command.file, HL_CONLLU_TEXT, &reader));
    hl_status status = tag_all(call, reader);
    hl_conllu_close(reader);
    return status;
}

/* ---- tables ---- */

static void add_words(hl_text *text, const hl_span *list, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        hl_text_add(text, " ", i > 0);
        hl_text_add(text, list[i].text, list[i].size);
    }
}

static hl_status put_row(hl_predict_call *call, const words *w, const void *context)
{
    (void)context;
    add_words(&call->text, w->texts, w->n);
    hl_text_add(&call->text, "\t", 1);
    add_words(&call->text, w->answers, w->n);
    hl_text_add(&call->text, "\n", 1);
    return hl_text_status(&call->text);
}

static hl_status answer_rows(hl_predict_call *call, hl_table *table)
{
    int64_t tokens, targets;
    HL_TRY(hl_table_find(table, "tokens", &tokens));
    HL_TRY(hl_table_find(table, "targets", &targets));
    if (!call->command.json) {
        hl_text_print(&call->text, "tokens\ttargets\n");
    }
    while (ferror(call->out) == 0) {
        hl_table_row row;
        hl_table_task task;
        HL_TRY(hl_table_next(table, &row));
        if (row.columns == NULL) {
            return hl_ok();
        }
        HL_TRY(hl_table_task_of(table, &row, tokens, targets, -1, &task));
        HL_TRY(with_memory(call, hl_table_lines(table), task.tokens, task.n, task.targets, row.line, put_row, NULL));
    }
    return hl_ok();
}

hl_status hl_predict_table(hl_predict_call *call)
{
    hl_table *table;
    HL_TRY(hl_table_open(call->command.file, true, &table));
    hl_status status = answer_rows(call, table);
    hl_table_close(table);
    return status;
}
