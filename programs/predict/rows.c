#include "programs/predict/answer_files.h"

#include "core/base/memory.h"
#include "core/files/json_text.h"
#include "data/text/conllu.h"
#include "data/text/table.h"

#include <inttypes.h>
#include <string.h>

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

/* The words of a sentence or a row. */
typedef struct words {
    const hl_span *texts, *targets; /* asked about are those whose target has a text; NULL: all */
    int64_t n, line;                /* line is 0: no more */
} words;

/* ---- reading ---- */

/* Whether the file is written back with the answers in it. */
static bool writes_back(const hl_predict_command *command)
{
    return !command->json && !command->tokens && command->embed == NULL;
}

/* An open model's labels may be anything. */
static hl_status check_labels(const hl_predict_call *call)
{
    for (int64_t i = 0, n = hl_tokens_size(call->targets); i < n; i++) {
        const char *label = hl_tokens_piece(call->targets, (int32_t)i, NULL);
        if (*label == '\0' || strpbrk(label, "\t\r\n") != NULL) {
            return hl_error(HL_INVALID,
                            "%s: its label %" PRId64 " is empty, or holds a tab or an end of line, which a treebank "
                            "cannot hold (--json can)",
                            call->command.run, i);
        }
    }
    return hl_ok();
}

static hl_status open_source(const hl_predict_call *call, source *s)
{
    *s = (source){ .treebank = NULL };
    if (call->task.task == HL_TEXT_TAGS) {
        HL_TRY(writes_back(&call->command) ? check_labels(call) : hl_ok());
        bool each = call->command.tokens || call->command.embed != NULL; /* one row for each line of text */
        hl_conllu_check check = each ? HL_CONLLU_LINES : HL_CONLLU_TEXT;
        HL_TRY(hl_conllu_open(call->command.file, check, &s->treebank));
        s->lines = hl_conllu_lines(s->treebank);
        return hl_ok();
    }
    HL_TRY(hl_table_open(call->command.file, true, &s->table));
    s->lines = hl_table_lines(s->table);
    HL_TRY(hl_table_find(s->table, "tokens", &s->tokens));
    return hl_table_find(s->table, "targets", &s->targets);
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
    *w = (words){ .texts = s->forms, .n = n, .line = n > 0 ? s->sentence->words[0].line : s->sentence->line };
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

/* What is answered at place i: "_" where the word was cut off. */
static const char *label_of(const hl_predict_answer *answer, int64_t i)
{
    int32_t id = answer->choices[i * answer->call->command.top].id;
    return id >= 0 ? hl_tokens_piece(answer->call->targets, id, NULL) : "_";
}

static void put_words(hl_predict_answer *answer)
{
    hl_text *text = &answer->call->text;
    const hl_text *kept = &answer->text;
    int64_t n = 0;
    for (size_t at = 0, size; at < kept->size; at += size + 1) {
        size = strlen(kept->bytes + at);
        hl_text_add(text, kept->bytes + at, size);
        if (at + size < kept->size) {
            const char *label = label_of(answer, n++);
            hl_text_add(text, label, strlen(label));
        }
    }
}

static void put_json(hl_predict_answer *answer)
{
    json_t *labels = json_array();
    for (int64_t i = 0, word = 0, n = (int64_t)json_array_size(json_object_get(answer->json, "words")); word < n;
         word++) {
        bool asked = i < answer->n && answer->at[i] == word;
        hl_json_append(&labels, hl_json_name(asked ? label_of(answer, i) : "_"));
        i += asked;
    }
    hl_json_set(&answer->json, "labels", labels);
    hl_json_set(&answer->json, "answers", hl_predict_places_json(answer, "word", "label"));
    hl_predict_add_json(answer->call, answer->line, json_incref(answer->json));
}

/* ---- answering ---- */

/* Keeps what is put out with the answers; answers (n): scratch. */
static void keep(const source *s, const words *w, hl_span *answers, hl_predict_answer *answer)
{
    if (answer->call->command.json) {
        json_t *texts = json_array();
        for (int64_t i = 0; i < w->n; i++) {
            hl_json_append(&texts, json_stringn(w->texts[i].text, w->texts[i].size));
        }
        answer->json = json_pack("{s:o}", "words", texts);
        return;
    }
    for (int64_t i = 0; i < w->n; i++) {
        answers[i] = (hl_span){ "_", 1 };
    }
    for (int64_t i = 0; i < answer->n; i++) {
        answers[answer->at[i]] = (hl_span){ "", 1 };
    }
    if (s->treebank != NULL) {
        hl_conllu_column column = (hl_conllu_column)hl_conllu_column_find(answer->call->task.column);
        hl_conllu_print(s->sentence, column, answers, &answer->text);
        return;
    }
    for (int64_t c = 0; c < s->row.n_columns; c++) {
        hl_text_add(&answer->text, "\t", c > 0);
        if (c != s->targets) {
            hl_text_add(&answer->text, s->row.columns[c].text, s->row.columns[c].size);
        }
        for (int64_t i = 0; i < w->n && c == s->targets; i++) {
            hl_text_add(&answer->text, " ", i > 0);
            hl_text_add(&answer->text, answers[i].text, answers[i].size);
        }
    }
    hl_text_print(&answer->text, "%s", s->row.end);
}

/* Asks about the words that have a target, or all; firsts, answers (n): scratch. */
static hl_status ask(hl_predict_call *call, const source *s, const words *w, int32_t *firsts, hl_span *answers)
{
    hl_predictor *p = &call->predictor;
    hl_predict_answer *answer;
    int64_t n = 0;
    HL_TRY(hl_predictor_read_words(p, w->texts, w->n, firsts));
    hl_predict_tell_cut(call, s->lines, w->line);
    if (call->command.embed != NULL) {
        return hl_predict_embedding_add(&call->embedding, p);
    }
    for (int64_t i = 0; i < w->n; i++) {
        n += w->targets == NULL || w->targets[i].text != NULL;
    }
    HL_TRY(hl_predict_answer_new(call, w->line, n, call->command.json ? put_json : put_words, &answer));
    n = 0;
    for (int64_t i = 0; i < w->n; i++) {
        if (w->targets == NULL || w->targets[i].text != NULL) {
            answer->at[n] = (int32_t)i;
            firsts[n++] = firsts[i]; /* n <= i */
        }
    }
    keep(s, w, answers, answer);
    return hl_predictor_best(p, firsts, n, call->command.top, answer->choices);
}

static hl_status answer(hl_predict_call *call, const source *s, const words *w)
{
    int32_t *firsts = hl_calloc((size_t)w->n, sizeof *firsts);
    hl_span *answers = hl_calloc((size_t)w->n, sizeof *answers);
    hl_status status = firsts != NULL && answers != NULL ? ask(call, s, w, firsts, answers)
                                                         : hl_error_memory("the answers to a sentence");
    hl_free(firsts);
    hl_free(answers);
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
    bool writes = writes_back(&call->command), open = true;
    while (open) {
        words w = { .n = 0 };
        HL_TRY(s->treebank != NULL ? next_sentence(s, &w) : next_row(s, &w));
        if (writes && !s->begun) {
            /* What stands before the first sentence or row. */
            hl_text_print(&call->text, "%s", hl_lines_noticed(s->lines).mark ? "\xEF\xBB\xBF" : "");
            if (s->table != NULL) {
                hl_span header = hl_table_header(s->table);
                hl_text_add(&call->text, header.text, header.size);
            }
            s->begun = true;
        }
        if (w.line == 0) {
            HL_TRY(hl_predict_put_rest(call, hl_ok()));
            if (writes) {
                hl_span rest = s->treebank != NULL ? hl_conllu_rest(s->treebank) : hl_table_rest(s->table);
                hl_text_add(&call->text, rest.text, rest.size);
            }
            return hl_predict_put(call, &open);
        }
        hl_status status = call->command.tokens ? show_pieces(call, &w) : answer(call, s, &w);
        HL_TRY(status.code == HL_INVALID ? hl_lines_bad(s->lines, w.line, "%s", status.text) : status);
        HL_TRY(hl_predict_put_answers(call, s->lines, &open));
    }
    return hl_ok();
}

hl_status hl_predict_rows(hl_predict_call *call)
{
    source s;
    hl_status status = open_source(call, &s);
    HL_THEN(status, answer_all(call, &s));
    status = hl_predict_put_rest(call, status);
    hl_conllu_close(s.treebank);
    hl_table_close(s.table);
    hl_free(s.forms);
    return status;
}
