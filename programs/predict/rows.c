#include "programs/predict/rows.h"

#include "core/json_text.h"
#include "core/memory.h"
#include "data/text/conllu.h"
#include "data/text/table.h"
#include "programs/predict/lines.h"

/* The file, and what was read of it last. */
typedef struct source {
    hl_conllu *treebank; /* or NULL: it is a table */
    const hl_conllu_sentence *sentence;
    hl_span *forms; /* of its words; owned */
    hl_table *table;
    hl_table_row row;
    int64_t tokens, targets; /* its columns */
    const hl_lines *lines;
    bool begun;
} source;

/* The words of a sentence or a row, and what the model answers at those that it is asked about. */
typedef struct words {
    const hl_span *texts, *targets; /* asked about are those whose target has a text; NULL: all */
    int64_t n, line;                /* n is 0: no more */
    int64_t n_asked;
    const int32_t *which; /* (n_asked): the words */
    hl_choice *choices;   /* (n_asked, top) */
    hl_span *answers;     /* (n): "_" where there is none */
} words;

/* ---- reading ---- */

static hl_status open_source(const hl_predict_call *call, source *s)
{
    *s = (source){ .treebank = NULL };
    if (call->task.task == HL_TEXT_TAGS) {
        HL_TRY(hl_conllu_open(call->command.file, HL_CONLLU_TEXT, &s->treebank));
        s->lines = hl_conllu_lines(s->treebank);
        return hl_ok();
    }
    HL_TRY(hl_table_open(call->command.file, true, &s->table));
    s->lines = hl_table_lines(s->table);
    HL_TRY(hl_table_find(s->table, "tokens", &s->tokens));
    return hl_table_find(s->table, "targets", &s->targets);
}

static void close_source(source *s)
{
    hl_conllu_close(s->treebank);
    hl_table_close(s->table);
    hl_free(s->forms);
}

static hl_status next_sentence(source *s, words *w)
{
    HL_TRY(hl_conllu_next(s->treebank, &s->sentence));
    if (s->sentence == NULL) {
        return hl_ok();
    }
    int64_t n = s->sentence->n_words;
    hl_free(s->forms);
    s->forms = hl_calloc((size_t)n, sizeof *s->forms);
    HL_NEED(s->forms != NULL, "the words of a sentence");
    for (int64_t i = 0; i < n; i++) {
        s->forms[i] = s->sentence->words[i].columns[HL_CONLLU_FORM];
    }
    *w = (words){ .texts = s->forms, .n = n, .line = s->sentence->words[0].line };
    return hl_ok();
}

static hl_status next_row(source *s, words *w)
{
    hl_table_task task;
    HL_TRY(hl_table_next(s->table, &s->row));
    if (s->row.columns == NULL) {
        return hl_ok();
    }
    HL_TRY(hl_table_task_of(s->table, &s->row, s->tokens, s->targets, -1, &task));
    *w = (words){ .texts = task.tokens, .targets = task.targets, .n = task.n, .line = s->row.line };
    return hl_ok();
}

/* ---- writing back ---- */

/* What stands before the first sentence or row, and behind the last. */
static void put_begin(hl_predict_call *call, source *s)
{
    hl_text_print(&call->text, "%s", hl_lines_noticed(s->lines).mark ? "\xEF\xBB\xBF" : "");
    if (s->table != NULL) {
        hl_span header = hl_table_header(s->table);
        hl_text_add(&call->text, header.text, header.size);
        hl_text_add(&call->text, "\n", 1);
    }
    s->begun = true;
}

static void put_end(hl_predict_call *call, const source *s)
{
    hl_span rest = s->treebank != NULL ? hl_conllu_rest(s->treebank) : (hl_span){ "", 0 };
    hl_text_add(&call->text, rest.text, rest.size);
}

static void put_words(hl_predict_call *call, const source *s, const words *w)
{
    if (s->treebank != NULL) {
        hl_conllu_print(s->sentence, (hl_conllu_column)hl_conllu_column_find(call->task.column), w->answers,
                        &call->text);
        return;
    }
    for (int64_t c = 0; c < s->row.n_columns; c++) {
        hl_text_add(&call->text, "\t", c > 0);
        if (c != s->targets) {
            hl_text_add(&call->text, s->row.columns[c].text, s->row.columns[c].size);
        }
        for (int64_t i = 0; i < w->n && c == s->targets; i++) {
            hl_text_add(&call->text, " ", i > 0);
            hl_text_add(&call->text, w->answers[i].text, w->answers[i].size);
        }
    }
    hl_text_add(&call->text, "\n", 1);
}

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

static void put_json(hl_predict_call *call, const words *w)
{
    json_t *texts = json_array(), *labels = json_array(), *answers = answers_json(call, w), *object = json_object();
    for (int64_t i = 0; i < w->n; i++) {
        hl_json_append(&texts, json_stringn(w->texts[i].text, w->texts[i].size));
        hl_json_append(&labels, json_stringn(w->answers[i].text, w->answers[i].size));
    }
    int failed = json_object_set_new(object, "words", texts) | json_object_set_new(object, "labels", labels) |
                 json_object_set_new(object, "answers", answers);
    hl_predict_add_json(call, w->line, hl_json_checked(object, failed));
}

/* ---- answering ---- */

/* Asks about the words w->which; firsts (n). */
static hl_status ask(hl_predict_call *call, const source *s, words *w, int32_t *firsts)
{
    hl_predictor *p = &call->predictor;
    int64_t top = call->command.top;
    HL_TRY(hl_predictor_read_words(p, w->texts, w->n, firsts));
    hl_predict_tell_cut(call, s->lines, w->line);
    if (call->command.embed != NULL) {
        return hl_predict_embedding_add(&call->embedding, p);
    }
    for (int64_t i = 0; i < w->n_asked; i++) {
        firsts[i] = firsts[w->which[i]]; /* which[i] >= i */
    }
    HL_TRY(hl_predictor_best(p, firsts, w->n_asked, top, w->choices));
    for (int64_t i = 0; i < w->n; i++) {
        w->answers[i] = (hl_span){ "_", 1 };
    }
    for (int64_t i = 0; i < w->n_asked; i++) {
        hl_span *said = &w->answers[w->which[i]];
        if (w->choices[i * top].id >= 0) {
            said->text = hl_tokens_piece(call->targets, w->choices[i * top].id, &said->size);
        }
    }
    if (call->command.json) {
        put_json(call, w);
    } else {
        put_words(call, s, w);
    }
    return hl_ok();
}

static hl_status answer(hl_predict_call *call, const source *s, words *w)
{
    int32_t *which = hl_calloc((size_t)w->n, 2 * sizeof *which);
    w->choices = hl_calloc((size_t)w->n, (size_t)call->command.top * sizeof *w->choices);
    w->answers = hl_calloc((size_t)w->n, sizeof *w->answers);
    hl_status status;
    if (which == NULL || w->choices == NULL || w->answers == NULL) {
        status = hl_error_memory("the answers to a sentence");
    } else {
        w->which = which;
        for (int64_t i = 0; i < w->n; i++) {
            if (w->targets == NULL || w->targets[i].text != NULL) {
                which[w->n_asked++] = (int32_t)i;
            }
        }
        status = ask(call, s, w, which + w->n);
    }
    hl_free(which);
    hl_free(w->choices);
    hl_free(w->answers);
    return status;
}

static hl_status show_pieces(hl_predict_call *call, const words *w)
{
    hl_pieces *pieces = &call->predictor.text;
    pieces->n = 0;
    for (int64_t i = 0; i < w->n; i++) {
        HL_TRY(hl_tokens_encode_word(call->tokens, w->texts[i].text, w->texts[i].size, i == 0, pieces));
    }
    hl_predict_show_pieces(call, w->line, pieces->n);
    return hl_ok();
}

static hl_status answer_all(hl_predict_call *call, source *s)
{
    const hl_predict_command *command = &call->command;
    bool writes_back = !command->json && !command->tokens && command->embed == NULL, open = true;
    while (open) {
        words w = { .n = 0 };
        HL_TRY(s->treebank != NULL ? next_sentence(s, &w) : next_row(s, &w));
        if (writes_back && !s->begun) {
            put_begin(call, s);
        }
        if (w.n == 0 && writes_back) {
            put_end(call, s);
        }
        if (w.n == 0) {
            return hl_predict_put(call, &open);
        }
        hl_status status = command->tokens ? show_pieces(call, &w) : answer(call, s, &w);
        HL_TRY(status.code == HL_INVALID ? hl_lines_bad(s->lines, w.line, "%s", status.text) : status);
        HL_TRY(hl_predict_put_answer(call, s->lines, &open));
    }
    return hl_ok();
}

hl_status hl_predict_rows(hl_predict_call *call)
{
    source s;
    hl_status status = open_source(call, &s);
    HL_THEN(status, answer_all(call, &s));
    close_source(&s);
    return status;
}
