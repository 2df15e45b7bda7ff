#include "data/text/private/text_records.h"

#include "core/base/memory.h"
#include "core/base/private/utf8.h"
#include "core/base/text.h"
#include "data/text/conllu.h"
#include "data/text/private/grow.h"
#include "data/text/split.h"
#include "data/text/table.h"
#include "data/text/unicode/private/unicode.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { CHUNK = 1 << 20, TELL_EVERY = 1 << 12 /* records */ };

struct hl_text_records {
    const hl_text_spec *spec;
    hl_split split; /* of all records, if validation is a separate file */
    const char *what;
    hl_lines *lines; /* one of these three */
    hl_conllu *conllu;
    hl_table *table;
    int64_t columns[3]; /* in the table: text, second text or -1, label; or tokens, targets, sources or -1 */
    hl_span *words;     /* forms, then labels */
    size_t capacity;
    hl_span texts[2], label;
    int64_t number, told;
    int64_t last_line, in_line; /* for running text: the last line read, and its bytes so far */
    hl_text chunk;              /* running text that was not returned yet, from `given` on */
    size_t given;
    int64_t line, offset; /* of the chunk: its first line, and its offset in the text */
    int64_t border;       /* the byte at which validation begins */
    bool newline;         /* follows the chunk */
    bool at_end;
};

const hl_lines *hl_text_records_lines(const hl_text_records *records)
{
    return records->conllu != NULL  ? hl_conllu_lines(records->conllu)
           : records->table != NULL ? hl_table_lines(records->table)
                                    : records->lines;
}

static hl_status tell(const hl_text_records *records, const char *what)
{
    if (records->spec->progress == NULL) {
        return hl_ok();
    }
    int64_t done, total;
    hl_lines_progress(hl_text_records_lines(records), &done, &total);
    return records->spec->progress(records->spec->context, what, done, total);
}

static bool is_number(const char *name, size_t size)
{
    return strspn(name, "0123456789") >= size;
}

/* Checks that the two texts are different columns, and that the label is neither of them. */
static hl_status check_differ(const hl_text_records *records)
{
    const hl_text_spec *spec = records->spec;
    const int64_t *columns = records->columns;
    if (columns[0] == columns[1]) {
        return hl_error(HL_INVALID, "task.text_column = %s: names one column twice; a pair is of two columns",
                        spec->text_column);
    }
    return columns[2] != columns[0] && columns[2] != columns[1]
               ? hl_ok()
               : hl_error(HL_INVALID, "task.label_column = %s: is the column of a text, too (task.text_column = %s)",
                          spec->label_column, spec->text_column);
}

/* Finds the columns of a table of classes. */
static hl_status open_classes(hl_text_records *records, const char *path)
{
    const hl_text_spec *spec = records->spec;
    size_t first = strcspn(spec->text_column, ",");
    const char *second = spec->text_column[first] == ',' ? spec->text_column + first + 1 : NULL;
    bool header = !is_number(spec->text_column, first) || (second != NULL && !is_number(second, strlen(second))) ||
                  !is_number(spec->label_column, strlen(spec->label_column));
    char *name = hl_strdup(spec->text_column);
    HL_NEED(name != NULL, path);
    name[first] = '\0';
    hl_status status = hl_table_open(path, header, &records->table);
    HL_THEN(status, hl_table_find(records->table, name, &records->columns[0]));
    if (second != NULL) {
        HL_THEN(status, hl_table_find(records->table, second, &records->columns[1]));
    }
    HL_THEN(status, hl_table_find(records->table, spec->label_column, &records->columns[2]));
    HL_THEN(status, check_differ(records));
    hl_free(name);
    return status;
}

/* Finds the columns of a toy task in a file. If there is a third column, it must hold the sources. */
static hl_status open_task(hl_text_records *records, const char *path)
{
    HL_TRY(hl_table_open(path, true, &records->table));
    HL_TRY(hl_table_find(records->table, "tokens", &records->columns[0]));
    HL_TRY(hl_table_find(records->table, "targets", &records->columns[1]));
    hl_status third = hl_table_find(records->table, "3", &records->columns[2]);
    if (third.code == HL_INVALID) {
        records->columns[2] = -1;
        return hl_ok();
    }
    HL_TRY(third);
    return hl_table_find(records->table, "sources", &records->columns[2]);
}

/* Lines of running text are read in parts, because they may be longer than HL_LINE_BYTES. */
static hl_status open_running(hl_text_records *records, const char *path)
{
    HL_TRY(hl_lines_open(path, HL_LINE_BYTES, &records->lines));
    hl_lines_in_parts(records->lines);
    records->in_line = records->last_line = 0;
    return hl_ok();
}

/* The next line of running text, or the next part of a long one. */
static hl_status next_part(hl_text_records *records, hl_line *line)
{
    enum { MIB = 1 << 20 };
    int64_t most = records->spec->line_mb > 0 ? records->spec->line_mb : HL_TEXT_LINE_MB;
    HL_TRY(hl_lines_next(records->lines, line));
    records->in_line = (int64_t)line->size + (line->number == records->last_line ? records->in_line : 0);
    records->last_line = line->number;
    return records->in_line <= most * MIB
               ? hl_ok()
               : hl_lines_bad(records->lines, line->number,
                              "is longer than %" PRId64 " MiB: break the line, or raise task.line_mb", most);
}

/* Reads all of the running text once; *size is its number of bytes. */
static hl_status measure(hl_text_records *records, const char *path, int64_t *size)
{
    hl_line line;
    *size = 0;
    HL_TRY(open_running(records, path));
    hl_status status = next_part(records, &line);
    while (status.code == HL_OK && line.text != NULL) {
        *size += (int64_t)line.size + line.newline;
        if (line.number % TELL_EVERY == 0) {
            HL_THEN(status, tell(records, "measuring the text"));
        }
        HL_THEN(status, next_part(records, &line));
    }
    hl_lines_close(records->lines);
    records->lines = NULL;
    return status;
}

hl_status hl_text_records_check(const hl_text_spec *spec, const char *path)
{
    hl_text_records records = { .spec = spec };
    int64_t size;
    bool reads = hl_text_spec_is_running(spec) && strcmp(path, "-") != 0; /* standard input is read only once */
    return reads ? measure(&records, path, &size) : hl_ok();
}

static hl_status open_source(hl_text_records *records, const char *path)
{
    const hl_text_spec *spec = records->spec;
    switch (spec->task) {
    case HL_TEXT_TAGS:
        return hl_conllu_open(path, HL_CONLLU_WORDS, &records->conllu);
    case HL_TEXT_CLASSES:
        return open_classes(records, path);
    case HL_TEXT_FILE:
        return open_task(records, path);
    default:
        if (!hl_text_spec_is_running(spec)) {
            return hl_lines_open(path, HL_LINE_BYTES, &records->lines);
        }
        /* The byte at which validation begins, before moving to the next whole character. */
        if (spec->validation_file == NULL) {
            int64_t size;
            HL_TRY(measure(records, path, &size));
            records->border = size - (int64_t)floor(records->spec->validation_share * (double)size);
        }
        return open_running(records, path);
    }
}

hl_status hl_text_records_open(const hl_text_spec *spec, hl_split split, const char *what, hl_text_records **out)
{
    *out = NULL;
    hl_text_records *records = hl_calloc(1, sizeof *records);
    HL_NEED(records != NULL, what);
    records->spec = spec;
    records->split = split;
    records->what = what;
    records->columns[1] = -1;
    records->border = INT64_MAX;
    hl_status status = open_source(
        records, split == HL_VALIDATION && spec->validation_file != NULL ? spec->validation_file : spec->file);
    if (status.code != HL_OK) {
        hl_text_records_close(records);
        return status;
    }
    *out = records;
    return status;
}

static bool ends_in_white(const hl_text *chunk)
{
    size_t at = chunk->size - 1;
    uint32_t code;
    while (at > 0 && ((unsigned char)chunk->bytes[at] & 0xC0) == 0x80) {
        at--;
    }
    return hl_utf8_decode(chunk->bytes + at, chunk->size - at, &code) > 0 && hl_byte_level_kind(code) == HL_KIND_WHITE;
}

/* Adds lines to the chunk until it can be returned: it ends with something other than white space, or at the text's
 * end. */
static hl_status fill(hl_text_records *records)
{
    hl_text *chunk = &records->chunk;
    records->offset += (int64_t)chunk->size;
    chunk->size = records->given = 0;
    while (!records->at_end && (chunk->size == 0 || (ends_in_white(chunk) && chunk->size < CHUNK))) {
        hl_line line;
        HL_TRY(next_part(records, &line));
        records->line = chunk->size == 0 ? line.number - records->newline : records->line;
        hl_text_add(chunk, "\n", records->newline ? 1 : 0);
        records->at_end = line.text == NULL;
        records->newline = !records->at_end && line.newline;
        if (!records->at_end) {
            hl_text_add(chunk, line.text, line.size);
        }
        HL_TRY(hl_text_status(chunk));
    }
    return hl_ok();
}

static hl_status next_chunk(hl_text_records *records, hl_text_record *record)
{
    hl_text *chunk = &records->chunk;
    if (records->given == chunk->size) {
        HL_TRY(fill(records));
    }
    size_t end = chunk->size;
    int64_t border = records->border - records->offset; /* in the chunk */
    if ((int64_t)records->given < border && border < (int64_t)end) {
        end = (size_t)border;
        while (end < chunk->size && ((unsigned char)chunk->bytes[end] & 0xC0) == 0x80) {
            end++;
        }
    }
    if (records->given == end) {
        return hl_ok();
    }
    records->texts[0] = (hl_span){ chunk->bytes + records->given, end - records->given };
    *record = (hl_text_record){ .texts = records->texts,
                                .n_texts = 1,
                                .goes_on = records->offset + (int64_t)records->given > 0,
                                .validation = (int64_t)records->given >= border,
                                .line = records->line };
    records->given = end;
    return hl_ok();
}

static hl_status next_line(hl_text_records *records, hl_text_record *record)
{
    hl_line line;
    HL_TRY(hl_lines_next(records->lines, &line));
    records->texts[0] = (hl_span){ line.text, line.size };
    *record = (hl_text_record){ .texts = records->texts, .n_texts = line.text != NULL, .line = line.number };
    return hl_ok();
}

static hl_status next_sentence(hl_text_records *records, hl_text_record *record)
{
    const hl_conllu_sentence *sentence;
    HL_TRY(hl_conllu_next(records->conllu, &sentence));
    if (sentence == NULL) {
        return hl_ok();
    }
    int64_t n = sentence->n_words;
    HL_NEED(HL_GROW(records->words, records->capacity, 2 * (size_t)n), "the words of a sentence");
    int column = hl_conllu_column_find(records->spec->column);
    for (int64_t i = 0; i < n; i++) {
        records->words[i] = sentence->words[i].columns[HL_CONLLU_FORM];
        records->words[n + i] = sentence->words[i].columns[column];
    }
    *record = (hl_text_record){ .texts = records->words,
                                .n_texts = n,
                                .labels = records->words + n,
                                .n_labels = n,
                                .line = sentence->words[0].line };
    return hl_ok();
}

static hl_status next_row(hl_text_records *records, hl_text_record *record)
{
    hl_table_row row;
    const int64_t *columns = records->columns;
    HL_TRY(hl_table_next(records->table, &row));
    record->line = row.line;
    if (row.columns == NULL) {
        return hl_ok();
    }
    if (records->spec->task == HL_TEXT_FILE) {
        hl_table_task task;
        HL_TRY(hl_table_task_of(records->table, &row, columns[0], columns[1], columns[2], &task));
        record->texts = task.tokens;
        record->labels = task.targets;
        record->sources = columns[2] >= 0 ? task.sources : NULL;
        record->n_texts = record->n_labels = task.n;
        return hl_ok();
    }
    records->texts[0] = row.columns[columns[0]];
    record->n_texts = 1;
    if (columns[1] >= 0) {
        records->texts[record->n_texts++] = row.columns[columns[1]];
    }
    records->label = row.columns[columns[2]];
    if (records->label.size == 0) {
        return hl_lines_bad(hl_table_lines(records->table), row.line, "the label is empty");
    }
    record->texts = records->texts;
    record->labels = &records->label;
    record->n_labels = 1;
    return hl_ok();
}

hl_status hl_text_records_next(hl_text_records *records, hl_text_record *record)
{
    const hl_text_spec *spec = records->spec;
    *record = (hl_text_record){ .n_texts = 0 };
    bool running = hl_text_spec_is_running(spec);
    HL_TRY(running                   ? next_chunk(records, record)
           : records->lines != NULL  ? next_line(records, record)
           : records->conllu != NULL ? next_sentence(records, record)
                                     : next_row(records, record));
    if (++records->told % TELL_EVERY == 0) {
        HL_TRY(tell(records, records->what));
    }
    if (spec->validation_file != NULL) {
        record->validation = records->split == HL_VALIDATION;
    } else if (!running) {
        uint64_t hash = HL_CONTENT_NOTHING;
        for (int64_t i = 0; i < record->n_texts; i++) {
            hash = hl_content_add(hash, record->texts[i].text, record->texts[i].size);
        }
        record->validation = hl_content_is_validation(hash, spec->validation_share);
    }
    record->number = running ? 0 : ++records->number;
    return hl_ok();
}

void hl_text_records_close(hl_text_records *records)
{
    if (records != NULL) {
        hl_lines_close(records->lines);
        hl_conllu_close(records->conllu);
        hl_table_close(records->table);
        hl_free(records->words);
        hl_text_free(&records->chunk);
        hl_free(records);
    }
}
