#include "data/text/conllu.h"

#include "core/base/memory.h"
#include "data/text/private/conllu_text.h"
#include "data/text/private/grow.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

static const char *const column_names[HL_CONLLU_COLUMNS] = { "ID",    "FORM", "LEMMA",  "UPOS", "XPOS",
                                                             "FEATS", "HEAD", "DEPREL", "DEPS", "MISC" };

struct hl_conllu {
    hl_lines *lines;
    hl_conllu_check check;
    bool may_be_text, is_text; /* is_text: known once the first line has been returned */
    hl_text raw, document;
    hl_conllu_word *words;
    size_t capacity;
    int64_t range_end, range_line; /* for the last range n-m: m and its line */
    int64_t n_empty;               /* empty nodes since the last word */
    hl_conllu_sentence sentence;
    bool any; /* sentences so far */
};

int hl_conllu_column_find(const char *name)
{
    int column = 0;
    while (column < HL_CONLLU_COLUMNS && strcasecmp(name, column_names[column]) != 0) {
        column++;
    }
    return column < HL_CONLLU_COLUMNS ? column : -1;
}

hl_status hl_conllu_open(const char *path, hl_conllu_check check, hl_conllu **out)
{
    *out = NULL;
    hl_conllu *reader = hl_calloc(1, sizeof *reader);
    HL_NEED(reader != NULL, path);
    reader->check = check;
    reader->may_be_text = check == HL_CONLLU_TEXT || check == HL_CONLLU_LINES;
    hl_status status = hl_lines_open(path, HL_LINE_BYTES, &reader->lines);
    if (status.code != HL_OK) {
        hl_free(reader);
        return status;
    }
    *out = reader;
    return status;
}

/* For a slice in a message: at most this many bytes are shown. */
#define SHOWN(slice) ((slice).size < 40 ? (int)(slice).size : 40), (slice).text

/* Reads up to the line that decides whether the file is a treebank or a text: the first one that is neither empty nor
 * begins with #. In a treebank it has tabs. A file without such a line is a text. */
static hl_status look_ahead(hl_conllu *reader)
{
    hl_line line;
    int64_t size = 0;
    bool told = false;
    hl_lines_keep(reader->lines);
    while (!told) {
        HL_TRY(hl_lines_next(reader->lines, &line));
        if (line.text == NULL) {
            break;
        }
        if (size + (int64_t)line.size > HL_CONLLU_BYTES) {
            return hl_lines_bad(reader->lines, line.number, "before it stand %d bytes of comments, and no word",
                                HL_CONLLU_BYTES);
        }
        size += (int64_t)(line.size + strlen(hl_line_end(&line)));
        told = line.size > 0 && line.text[0] != '#';
    }
    reader->may_be_text = false; /* decided now */
    reader->is_text = !told || memchr(line.text, '\t', line.size) == NULL;
    hl_lines_rewind(reader->lines);
    return hl_ok();
}

/* Reads the next line. In a text it must have no tab. */
static hl_status next_input(hl_conllu *reader, hl_line *line)
{
    HL_TRY(reader->may_be_text ? look_ahead(reader) : hl_ok());
    HL_TRY(hl_lines_next(reader->lines, line));
    bool tab = reader->is_text && line->size > 0 && memchr(line->text, '\t', line->size) != NULL;
    return !tab ? hl_ok()
                : hl_lines_bad(reader->lines, line->number,
                               "has a tab, but the file is read as plain text, because its first line has none");
}

/* Reads lines into `raw` up to the empty line that ends a sentence, or the file's end. *words: whether any is a
 * word. */
static hl_status collect(hl_conllu *reader, bool *words)
{
    hl_line line;
    reader->raw.size = 0;
    *words = false;
    for (bool ended = false; !ended;) {
        HL_TRY(next_input(reader, &line));
        if (line.text == NULL) {
            break;
        }
        if (reader->raw.size == 0) {
            reader->sentence.line = line.number;
        }
        if (reader->raw.size + line.size > HL_CONLLU_BYTES) {
            return hl_lines_bad(reader->lines, line.number,
                                "the sentence is longer than %d bytes; are empty lines missing?", HL_CONLLU_BYTES);
        }
        if (reader->is_text) {
            *words = hl_conllu_add_text(&reader->raw, &line) || reader->check == HL_CONLLU_LINES;
            if (*words) {
                break;
            }
            line.size = 0; /* only white space */
        }
        hl_text_add(&reader->raw, line.text, line.size);
        hl_text_print(&reader->raw, "%s", hl_line_end(&line));
        ended = *words && line.size == 0;
        *words = *words || (line.size > 0 && line.text[0] != '#');
    }
    return hl_text_status(&reader->raw);
}

/* Takes the next line, without its end, from *rest; false if there is none. */
static bool next_line(hl_span *rest, hl_span *line)
{
    const char *newline = rest->size > 0 ? memchr(rest->text, '\n', rest->size) : NULL;
    size_t size = newline != NULL ? (size_t)(newline - rest->text) : rest->size;
    size_t used = newline != NULL ? size + 1 : size;
    *line = (hl_span){ rest->text, newline != NULL && size > 0 && newline[-1] == '\r' ? size - 1 : size };
    *rest = (hl_span){ rest->text + used, rest->size - used };
    return used > 0;
}

static hl_span trimmed(hl_span slice)
{
    while (slice.size > 0 && slice.text[0] == ' ') {
        slice = (hl_span){ slice.text + 1, slice.size - 1 };
    }
    while (slice.size > 0 && slice.text[slice.size - 1] == ' ') {
        slice.size--;
    }
    return slice;
}

/* Whether the comment is "# key = value", or "# key" with an empty value. */
static bool comment_has(hl_span comment, const char *key, hl_span *value)
{
    hl_span body = trimmed((hl_span){ comment.text + 1, comment.size - 1 });
    size_t size = strlen(key);
    if (body.size < size || memcmp(body.text, key, size) != 0) {
        return false;
    }
    *value = trimmed((hl_span){ body.text + size, body.size - size });
    if (value->size > 0 && value->text[0] == '=') {
        *value = trimmed((hl_span){ value->text + 1, value->size - 1 });
        return true;
    }
    return value->size == 0;
}

static hl_status take_comment(hl_conllu *reader, hl_span comment, int64_t line)
{
    hl_span id;
    if (reader->sentence.n_words > 0 || reader->n_empty > 0 || reader->range_end > 0) {
        return hl_lines_bad(reader->lines, line, "a comment stands after words; is an empty line missing before it?");
    }
    if (comment_has(comment, "newdoc id", &id) || comment_has(comment, "newdoc", &id)) {
        reader->sentence.begins_document = true;
        reader->document.size = 0;
        hl_text_add(&reader->document, id.text, id.size);
    }
    return hl_text_status(&reader->document);
}

static hl_status split(const hl_conllu *reader, hl_span row, int64_t line, hl_span columns[HL_CONLLU_COLUMNS])
{
    int64_t n = hl_line_columns(row, columns, HL_CONLLU_COLUMNS);
    if (n != HL_CONLLU_COLUMNS) {
        return hl_lines_bad(reader->lines, line, "has %" PRId64 " column%s, not the 10 of CoNLL-U, which tabs separate",
                            n, n == 1 ? "" : "s");
    }
    for (int c = 0; c < HL_CONLLU_COLUMNS; c++) {
        HL_TRY(columns[c].size > 0
                   ? hl_ok()
                   : hl_lines_bad(reader->lines, line, "column %s is empty; _ stands for nothing", column_names[c]));
    }
    return hl_ok();
}

/* Reads the digits at *at, without a leading zero, and moves *at past them; -1 if there are none, or too many. */
static int64_t read_number(const char **at, const char *end)
{
    enum { MOST_DIGITS = 9 };
    const char *begin = *at;
    int64_t number = 0;
    for (; *at < end && **at >= '0' && **at <= '9' && *at - begin < MOST_DIGITS; ++*at) {
        number = 10 * number + (**at - '0');
    }
    return *at == begin || (*begin == '0' && *at - begin > 1) ? -1 : number;
}

/* Checks that the ID comes next. *is_word: it is neither a range nor an empty node. */
static bool take_id(hl_conllu *reader, hl_span id, int64_t line, bool *is_word)
{
    const char *at = id.text, *end = id.text + id.size;
    int64_t last = reader->sentence.n_words, first = read_number(&at, end), second = -1;
    char mark = at < end ? *at++ : '\0';
    *is_word = mark == '\0' && first > 0;
    if (*is_word) {
        reader->n_empty = 0;
        return first == last + 1;
    }
    second = read_number(&at, end);
    if (at != end || first < 0 || second < 1) {
        return false;
    }
    if (mark == '-') {
        bool good = first == last + 1 && second >= first && first > reader->range_end;
        reader->range_end = second;
        reader->range_line = line;
        return good;
    }
    return mark == '.' && first == last && second == ++reader->n_empty;
}

static hl_status take_row(hl_conllu *reader, hl_span row, int64_t line)
{
    hl_conllu_sentence *s = &reader->sentence;
    HL_NEED(HL_GROW(reader->words, reader->capacity, (size_t)s->n_words + 1), "a sentence");
    hl_conllu_word *word = &reader->words[s->n_words];
    *word = (hl_conllu_word){ .head = -1, .line = line };
    HL_TRY(split(reader, row, line, word->columns));
    hl_span id = word->columns[HL_CONLLU_ID];
    bool is_word;
    int64_t n = s->n_words, empty = reader->n_empty + 1;
    if (!take_id(reader, id, line, &is_word)) {
        return hl_lines_bad(reader->lines, line,
                            "ID %.*s is out of order: %" PRId64 ", %" PRId64 "-... or %" PRId64 ".%" PRId64
                            " comes here",
                            SHOWN(id), n + 1, n + 1, n, empty);
    }
    s->n_words += is_word;
    return hl_ok();
}

static hl_status check_heads(hl_conllu *reader)
{
    const hl_conllu_word *root = NULL;
    int64_t n = reader->sentence.n_words;
    for (int64_t i = 0; i < n; i++) {
        hl_conllu_word *word = &reader->words[i];
        hl_span head = word->columns[HL_CONLLU_HEAD];
        const char *at = head.text, *end = head.text + head.size;
        word->head = read_number(&at, end);
        if (at != end || word->head < 0 || word->head > n) {
            return hl_lines_bad(reader->lines, word->line,
                                "HEAD %.*s is not an integer from 0 to %" PRId64 ", the words of its sentence",
                                SHOWN(head), n);
        }
        if (word->head == 0 && root != NULL && reader->check == HL_CONLLU_TREE) {
            return hl_lines_bad(reader->lines, word->line,
                                "HEAD 0 makes this a second root; the first is in line %" PRId64, root->line);
        }
        root = root == NULL && word->head == 0 ? word : root;
    }
    if (root == NULL) {
        return hl_lines_bad(reader->lines, reader->words[0].line, "the sentence has no root (HEAD 0)");
    }
    for (int64_t i = 1; i <= n; i++) {
        int64_t id = i;
        for (; id != 0 && reader->words[id - 1].walk == 0; id = reader->words[id - 1].head) {
            reader->words[id - 1].walk = i;
        }
        if (id != 0 && reader->words[id - 1].walk == i) {
            return hl_lines_bad(reader->lines, reader->words[id - 1].line, "its heads lead back to it: a circle");
        }
    }
    return hl_ok();
}

static hl_status parse(hl_conllu *reader)
{
    hl_conllu_sentence *s = &reader->sentence;
    hl_span rest = s->raw = (hl_span){ reader->raw.bytes, reader->raw.size }, row;
    s->n_words = reader->range_end = reader->n_empty = 0;
    s->begins_document = false;
    for (int64_t line = s->line; next_line(&rest, &row); line++) {
        if (row.size > 0) {
            HL_TRY(row.text[0] == '#' ? take_comment(reader, row, line) : take_row(reader, row, line));
        }
    }
    if (s->n_words == 0 && !reader->is_text) {
        return hl_lines_bad(reader->lines, s->line, "the sentence has no words");
    }
    if (reader->range_end > s->n_words) {
        return hl_lines_bad(reader->lines, reader->range_line,
                            "the range ends after the sentence's last word, %" PRId64, s->n_words);
    }
    s->words = reader->words;
    s->document = (hl_span){ reader->document.bytes, reader->document.size };
    bool tree = reader->check == HL_CONLLU_TREE || reader->check == HL_CONLLU_ROOTS;
    return tree ? check_heads(reader) : hl_ok();
}

hl_status hl_conllu_next(hl_conllu *reader, const hl_conllu_sentence **sentence)
{
    bool words;
    *sentence = NULL;
    HL_TRY(collect(reader, &words));
    if (!words) {
        return reader->any ? hl_ok() : hl_error(HL_BAD_FILE, "%s: holds no sentence", hl_lines_name(reader->lines));
    }
    HL_TRY(parse(reader));
    reader->any = true;
    *sentence = &reader->sentence;
    return hl_ok();
}

hl_span hl_conllu_rest(const hl_conllu *reader)
{
    return (hl_span){ reader->raw.bytes, reader->raw.size };
}

const hl_lines *hl_conllu_lines(const hl_conllu *reader)
{
    return reader->lines;
}

hl_span hl_conllu_comment(const hl_conllu_sentence *sentence, const char *key)
{
    hl_span rest = sentence->raw, row, value;
    while (next_line(&rest, &row)) {
        if (row.size > 0 && row.text[0] == '#' && comment_has(row, key, &value)) {
            return value;
        }
    }
    return (hl_span){ NULL, 0 };
}

hl_span hl_conllu_label(hl_span label)
{
    const char *colon = label.size > 0 ? memchr(label.text, ':', label.size) : NULL;
    return colon != NULL ? (hl_span){ label.text, (size_t)(colon - label.text) } : label;
}

bool hl_conllu_next_item(hl_span *list, hl_span *item)
{
    if (list->size == 0) {
        return false;
    }
    const char *bar = memchr(list->text, '|', list->size);
    size_t own = bar != NULL ? (size_t)(bar - list->text) : list->size, used = own + (bar != NULL);
    *item = (hl_span){ list->text, own };
    *list = (hl_span){ list->text + used, list->size - used };
    return true;
}

void hl_conllu_print(const hl_conllu_sentence *sentence, hl_conllu_column column, const hl_span *values, hl_text *text)
{
    const char *at = sentence->raw.text, *end = at + sentence->raw.size;
    for (int64_t i = 0; i < sentence->n_words && values != NULL; i++) {
        hl_span old = sentence->words[i].columns[column], new = values[i];
        bool fits = new.size > 0;
        for (size_t b = 0; b < new.size; b++) {
            fits = fits && new.text[b] != '\t' && new.text[b] != '\n' && new.text[b] != '\r';
        }
        if (!fits) {
            hl_text_fail(text, hl_error(HL_INVALID,
                                        "line %" PRId64 ": a value of column %s is empty, or holds a tab or an "
                                        "end of line",
                                        sentence->words[i].line, column_names[column]));
            return;
        }
        hl_text_add(text, at, (size_t)(old.text - at));
        hl_text_add(text, new.text, new.size);
        at = old.text + old.size;
    }
    hl_text_add(text, at, (size_t)(end - at));
}

void hl_conllu_close(hl_conllu *reader)
{
    if (reader != NULL) {
        hl_lines_close(reader->lines);
        hl_text_free(&reader->raw);
        hl_text_free(&reader->document);
        hl_free(reader->words);
        hl_free(reader);
    }
}
