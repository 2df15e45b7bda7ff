#include "data/text/table.h"

#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/examples.h"
#include "data/text/private/grow.h"

#include <inttypes.h>
#include <string.h>

struct hl_table {
    hl_lines *lines;
    bool header;
    hl_text names;      /* the header's line, including its end */
    hl_text rest;       /* the empty lines that were skipped */
    hl_span *name;      /* the header's columns */
    int64_t n_columns;  /* in every row; 0: not known yet */
    int64_t first_line; /* the line that has this number of columns */
    int64_t most_asked; /* the largest column asked for, plus one */
    hl_span *columns;   /* n_columns */
    struct word_list {
        hl_span *at;
        size_t n, capacity;
    } tokens, targets, source_words; /* of a row that is a toy task */
    int32_t *sources;
    size_t sources_capacity;
    bool any; /* rows so far */
};

static hl_status allocate_columns(hl_table *table, hl_span row, int64_t line, hl_span **columns)
{
    table->first_line = line;
    table->n_columns = hl_line_columns(row, NULL, 0);
    *columns = hl_calloc((size_t)table->n_columns, sizeof **columns);
    return *columns != NULL ? hl_ok() : hl_error_memory("the columns of a table");
}

static hl_status read_header(hl_table *table)
{
    hl_line line;
    HL_TRY(hl_lines_next(table->lines, &line));
    if (line.text == NULL) {
        return hl_error(HL_BAD_FILE, "%s: holds no row", hl_lines_name(table->lines));
    }
    hl_text_add(&table->names, line.text, line.size);
    hl_text_print(&table->names, "%s", hl_line_end(&line));
    HL_TRY(hl_text_status(&table->names));
    hl_span row = { line.size > 0 ? table->names.bytes : "", line.size };
    HL_TRY(allocate_columns(table, row, line.number, &table->name));
    hl_line_columns(row, table->name, table->n_columns);
    HL_TRY(allocate_columns(table, row, line.number, &table->columns));
    return hl_ok();
}

hl_status hl_table_open(const char *path, bool header, hl_table **out)
{
    *out = NULL;
    hl_table *table = hl_calloc(1, sizeof *table);
    HL_NEED(table != NULL, path);
    table->header = header;
    hl_status status = hl_lines_open(path, HL_LINE_BYTES, &table->lines);
    if (status.code == HL_OK && header) {
        status = read_header(table);
    }
    if (status.code != HL_OK) {
        hl_table_close(table);
        return status;
    }
    *out = table;
    return status;
}

static bool is_named(hl_span column, const char *name)
{
    return column.size == strlen(name) && memcmp(column.text, name, column.size) == 0;
}

/* The number of a column, from 1 on; 0 if the text is not a number. */
static int64_t number_of(const char *name)
{
    enum { MOST_DIGITS = 6 };
    size_t digits = strspn(name, "0123456789");
    int64_t number = 0;
    for (size_t i = 0; i < digits && digits <= MOST_DIGITS; i++) {
        number = 10 * number + (name[i] - '0');
    }
    return name[digits] == '\0' && digits <= MOST_DIGITS ? number : 0;
}

hl_status hl_table_find(hl_table *table, const char *name, int64_t *column)
{
    int64_t number = number_of(name), found = 0;
    *column = -1;
    for (int64_t c = 0; c < table->n_columns && table->header; c++) {
        if (is_named(table->name[c], name)) {
            *column = c;
            found++;
        }
    }
    if (found > 1) {
        return hl_error(HL_INVALID, "%s: has %" PRId64 " columns named %s; give the number, from 1",
                        hl_lines_name(table->lines), found, name);
    }
    if (found == 0 && number == 0 && !table->header) {
        return hl_error(HL_INVALID, "%s: is read without a header: its columns are numbers from 1, not %s",
                        hl_lines_name(table->lines), name);
    }
    if (found == 0) {
        *column = number - 1;
    }
    if (table->header && (*column < 0 || *column >= table->n_columns)) {
        hl_text names = { 0 };
        for (int64_t c = 0; c < table->n_columns; c++) {
            hl_text_print(&names, "%s%.*s", c > 0 ? ", " : "", (int)table->name[c].size, table->name[c].text);
        }
        HL_TRY(hl_text_status(&names));
        hl_status status = hl_error(HL_INVALID, "%s: has no column %s; its columns are %s", hl_lines_name(table->lines),
                                    name, names.bytes);
        hl_text_free(&names);
        return status;
    }
    table->most_asked = *column >= table->most_asked ? *column + 1 : table->most_asked;
    return hl_ok();
}

hl_span hl_table_header(const hl_table *table)
{
    return (hl_span){ table->names.bytes, table->names.size };
}

hl_span hl_table_rest(const hl_table *table)
{
    return (hl_span){ table->rest.bytes, table->rest.size };
}

/* Reads the next line. Empty lines at the end of a table with several columns, as editors leave them, are skipped. If a
 * row follows them, the first of them is returned instead, and it has too few columns. */
static hl_status next_line(hl_table *table, hl_line *line)
{
    int64_t empty = 0;
    HL_TRY(hl_lines_next(table->lines, line));
    while (table->n_columns > 1 && line->text != NULL && line->size == 0) {
        empty = empty > 0 ? empty : line->number;
        hl_text_print(&table->rest, "%s", hl_line_end(line));
        HL_TRY(hl_lines_next(table->lines, line));
    }
    if (empty > 0 && line->text != NULL) {
        *line = (hl_line){ .text = "", .number = empty };
    }
    return hl_text_status(&table->rest);
}

hl_status hl_table_next(hl_table *table, hl_table_row *row)
{
    hl_line line;
    *row = (hl_table_row){ .columns = NULL };
    HL_TRY(next_line(table, &line));
    if (line.text == NULL) {
        return table->any ? hl_ok() : hl_error(HL_BAD_FILE, "%s: holds no row", hl_lines_name(table->lines));
    }
    hl_span whole = { line.text, line.size };
    if (table->columns == NULL) {
        HL_TRY(allocate_columns(table, whole, line.number, &table->columns));
    }
    int64_t n = hl_line_columns(whole, table->columns, table->n_columns);
    if (n != table->n_columns) {
        return hl_lines_bad(table->lines, line.number, "has %" PRId64 " column%s, not %" PRId64 " as line %" PRId64, n,
                            n == 1 ? "" : "s", table->n_columns, table->first_line);
    }
    if (n < table->most_asked) {
        return hl_lines_bad(table->lines, line.number, "has %" PRId64 " column%s; there is no column %" PRId64, n,
                            n == 1 ? "" : "s", table->most_asked);
    }
    table->any = true;
    *row = (hl_table_row){ .columns = table->columns, .n_columns = n, .line = line.number, .end = hl_line_end(&line) };
    return hl_ok();
}

bool hl_table_word(hl_span *rest, hl_span *word)
{
    while (rest->size > 0 && rest->text[0] == ' ') {
        *rest = (hl_span){ rest->text + 1, rest->size - 1 };
    }
    const char *space = rest->size > 0 ? memchr(rest->text, ' ', rest->size) : NULL;
    *word = (hl_span){ rest->text, space != NULL ? (size_t)(space - rest->text) : rest->size };
    *rest = (hl_span){ rest->text + word->size, rest->size - word->size };
    return word->size > 0;
}

static hl_status split_words(hl_span column, struct word_list *words)
{
    words->n = 0;
    for (hl_span word; hl_table_word(&column, &word);) {
        HL_NEED(HL_GROW(words->at, words->capacity, words->n + 1), "a row of tokens");
        words->at[words->n++] = word;
    }
    return hl_ok();
}

/* Checks that there are as many words as tokens. */
static hl_status check_count(const hl_table *table, int64_t line, const struct word_list *words, const char *what)
{
    size_t n = table->tokens.n;
    return words->n == n ? hl_ok()
                         : hl_lines_bad(table->lines, line, "has %zu token%s, but %zu %s%s", n, n == 1 ? "" : "s",
                                        words->n, what, words->n == 1 ? "" : "s");
}

static bool is_nothing(hl_span word)
{
    return word.size == 1 && word.text[0] == '_';
}

/* Reads the position 0 .. n - 1 in the word, or HL_IGNORE for "_"; false if it is neither. */
static bool read_source(hl_span word, int64_t n, int32_t *source)
{
    int64_t number = 0;
    for (size_t i = 0; i < word.size && number < n && !is_nothing(word); i++) {
        number = word.text[i] >= '0' && word.text[i] <= '9' ? 10 * number + (word.text[i] - '0') : n;
    }
    *source = is_nothing(word) ? HL_IGNORE : (int32_t)number;
    return number < n;
}

hl_status hl_table_task_of(hl_table *table, const hl_table_row *row, int64_t tokens, int64_t targets, int64_t sources,
                           hl_table_task *task)
{
    HL_TRY(split_words(row->columns[tokens], &table->tokens));
    HL_TRY(split_words(row->columns[targets], &table->targets));
    size_t n = table->tokens.n, n_scored = 0;
    if (n == 0) {
        return hl_lines_bad(table->lines, row->line, "has no token");
    }
    HL_TRY(check_count(table, row->line, &table->targets, "target"));
    HL_NEED(HL_GROW(table->sources, table->sources_capacity, n), "a row of tokens");
    for (size_t i = 0; i < n; i++) {
        hl_span *target = &table->targets.at[i];
        target->text = is_nothing(*target) ? NULL : target->text;
        n_scored += target->text != NULL;
        table->sources[i] = HL_IGNORE;
    }
    if (n_scored == 0) {
        return hl_lines_bad(table->lines, row->line, "has no target: every one is _");
    }
    if (sources >= 0) {
        HL_TRY(split_words(row->columns[sources], &table->source_words));
        HL_TRY(check_count(table, row->line, &table->source_words, "source"));
        for (size_t i = 0; i < n; i++) {
            hl_span word = table->source_words.at[i];
            if (!read_source(word, (int64_t)n, &table->sources[i])) {
                return hl_lines_bad(table->lines, row->line, "source %.*s is no position from 0 to %zu, nor _",
                                    word.size < 40 ? (int)word.size : 40, word.text, n - 1);
            }
        }
    }
    *task = (hl_table_task){
        .tokens = table->tokens.at, .targets = table->targets.at, .sources = table->sources, .n = (int64_t)n
    };
    return hl_ok();
}

const hl_lines *hl_table_lines(const hl_table *table)
{
    return table->lines;
}

void hl_table_close(hl_table *table)
{
    if (table != NULL) {
        hl_lines_close(table->lines);
        hl_text_free(&table->names);
        hl_text_free(&table->rest);
        hl_free(table->name);
        hl_free(table->columns);
        hl_free(table->tokens.at);
        hl_free(table->targets.at);
        hl_free(table->source_words.at);
        hl_free(table->sources);
        hl_free(table);
    }
}
