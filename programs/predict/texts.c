#include "programs/predict/texts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

hl_status hl_predict_texts_open(const char *path, const hl_text_spec *task, bool is_open, hl_predict_texts *texts)
{
    *texts = (hl_predict_texts){ .task = task, .is_open = is_open, .n_texts = hl_text_spec_is_pair(task) ? 2 : 1 };
    return hl_lines_open(path, HL_LINE_BYTES, &texts->lines);
}

void hl_predict_texts_close(hl_predict_texts *texts)
{
    hl_lines_close(texts->lines);
    texts->lines = NULL;
}

/* Takes the part up to the mark off *rest, whose text is NULL after the last. */
static hl_span take(hl_span *rest, char mark)
{
    const char *found = rest->size > 0 ? memchr(rest->text, mark, rest->size) : NULL;
    hl_span part = { rest->text, found != NULL ? (size_t)(found - rest->text) : rest->size };
    *rest = found != NULL ? (hl_span){ found + 1, rest->size - part.size - 1 } : (hl_span){ NULL, 0 };
    return part;
}

static bool is_number(hl_span name)
{
    return strspn(name.text, "0123456789") >= name.size;
}

/* The column of that name, or number, in the line; -1 where there is none. */
static int64_t find(hl_span line, hl_span name, int64_t n_columns)
{
    int64_t number = is_number(name) ? strtoll(name.text, NULL, 10) - 1 : -1;
    for (int64_t c = 0; line.text != NULL; c++) {
        hl_span column = take(&line, '\t');
        if (column.size == name.size && memcmp(column.text, name.text, name.size) == 0) {
            return c;
        }
    }
    return number < n_columns ? number : -1;
}

/* What the first line says of the file; *header: whether it names columns. */
static void begin(hl_predict_texts *texts, hl_span line, bool *header)
{
    hl_span names = { texts->task->text_column, strlen(texts->task->text_column) };
    hl_span label = { texts->task->label_column, strlen(texts->task->label_column) };
    int64_t n = texts->n_columns = hl_line_columns(line, NULL, 0);
    bool numbers = true, found = true;
    for (int64_t i = 0; i < texts->n_texts; i++) {
        hl_span name = take(&names, ',');
        texts->columns[i] = find(line, name, n);
        numbers = numbers && is_number(name);
        found = found && texts->columns[i] >= 0;
    }
    bool names_label = numbers && !is_number(label) && find(line, label, n) >= 0;
    *header = found && n > 1 && (!numbers || names_label);
    texts->is_table = *header || (found && numbers && is_number(label) && n > texts->n_texts);
    if (!texts->is_table) {
        texts->n_columns = texts->n_texts;
        texts->columns[0] = 0;
        texts->columns[1] = 1;
    }
    texts->begun = true;
}

static hl_status check_columns(const hl_predict_texts *texts, int64_t line, int64_t n)
{
    if (n == texts->n_columns) {
        return hl_ok();
    }
    if (texts->is_table) {
        return hl_lines_bad(texts->lines, line, "has %" PRId64 " column%s, not %" PRId64 " as line 1", n,
                            n == 1 ? "" : "s", texts->n_columns);
    }
    if (n == 1) {
        return hl_lines_bad(texts->lines, line,
                            "has no tab, but the run reads pairs: two texts with a tab between them");
    }
    return hl_lines_bad(
        texts->lines, line, "has %" PRId64 " tab%s; %s (line 1 of a table names %s)", n - 1, n == 2 ? "" : "s",
        texts->n_texts == 2 ? "one separates the two texts" : "in a text there is none", texts->task->text_column);
}

hl_status hl_predict_texts_next(hl_predict_texts *texts, hl_predict_line *line)
{
    hl_line read;
    bool header = false;
    *line = (hl_predict_line){ .n_texts = texts->n_texts };
    HL_TRY(hl_lines_next(texts->lines, &read));
    hl_span whole = { read.text, read.size };
    if (texts->is_open && texts->task->task == HL_TEXT_CLASSES && read.text != NULL) {
        texts->n_columns = texts->n_texts = hl_line_columns(whole, NULL, 0) > 1 ? 2 : 1;
        texts->columns[1] = 1;
        line->n_texts = texts->n_texts;
        texts->begun = true;
    }
    if (texts->task->task == HL_TEXT_CLASSES && read.text != NULL && !texts->begun) {
        begin(texts, whole, &header);
        HL_TRY(header ? hl_lines_next(texts->lines, &read) : hl_ok());
        whole = (hl_span){ read.text, read.size };
    }
    line->number = read.number;
    line->texts[0] = whole;
    if (texts->task->task != HL_TEXT_CLASSES || read.text == NULL) {
        return hl_ok();
    }
    HL_TRY(check_columns(texts, read.number, hl_line_columns(whole, NULL, 0)));
    for (int64_t c = 0; c < texts->n_columns; c++) {
        hl_span column = take(&whole, '\t');
        for (int64_t i = 0; i < texts->n_texts; i++) {
            line->texts[i] = c == texts->columns[i] ? column : line->texts[i];
        }
    }
    return hl_ok();
}
