/* The caches of text data: records become numbers. */
#include "core/base/memory.h"
#include "core/examples.h"
#include "core/files/folders.h"
#include "data/text/private/grow.h"
#include "data/text/private/text_data_parts.h"
#include "data/text/private/text_records.h"
#include "data/text/private/tokens_parts.h"
#include "data/text/split.h"
#include "data/text/tokens_file.h"

#include <inttypes.h>
#include <string.h>

/* What is needed to make a cache. */
typedef struct work {
    const hl_text_spec *spec;
    const char *name; /* of the cache */
    hl_text_data *data;
    hl_split split;
    hl_text_records *records;
    hl_pieces pieces;
    int32_t *numbers[HL_TEXT_COLUMNS]; /* of an example */
    size_t capacity[HL_TEXT_COLUMNS];
    int64_t lengths[HL_TEXT_COLUMNS];
    bool starved; /* a number had no room */
    bool any;
} work;

static hl_status bad(const work *w, const hl_text_record *record, const char *what)
{
    return hl_lines_bad(hl_text_records_lines(w->records), record->line, "%s", what);
}

/* Adds a number to the column. */
static void put(work *w, int column, int64_t number)
{
    size_t n = (size_t)w->lengths[column];
    if (HL_GROW(w->numbers[column], w->capacity[column], n + 1)) {
        w->numbers[column][n] = (int32_t)number;
        w->lengths[column]++;
    } else {
        w->starved = true;
    }
}

static void put_target(work *w, int64_t row, int64_t id)
{
    put(w, HL_TEXT_ROWS, row);
    put(w, HL_TEXT_IDS, id);
}

/* Adds a target with the label's id; -1 if it is unknown, which only validation may have. */
static hl_status put_label(work *w, const hl_text_record *record, int64_t row, hl_span label)
{
    const hl_tokens *targets = w->data->labels != NULL ? w->data->labels : w->data->tokens;
    int32_t id = hl_tokens_find(targets, label.text, label.size);
    if (id < 0 && w->split == HL_TRAIN && w->data->labels != NULL) {
        return hl_lines_bad(hl_text_records_lines(w->records), record->line,
                            "the label %.*s is not in %s/labels.json (training): remove that file, and it is made anew",
                            (int)(label.size < 64 ? label.size : 64), label.text, w->spec->folder);
    }
    w->data->notices[w->split].unseen += id < 0;
    put_target(w, row, id);
    return hl_ok();
}

static hl_status encode(work *w, const hl_text_record *record, hl_span text)
{
    bool specials = w->data->running || (w->data->written && w->spec->task == HL_TEXT_MASKED);
    hl_status status = record->goes_on
                           ? hl_tokens_encode_more(w->data->tokens, text.text, text.size, specials, &w->pieces)
                           : hl_tokens_encode(w->data->tokens, text.text, text.size, specials, &w->pieces);
    return status.code == HL_INVALID ? bad(w, record, status.text) : status;
}

/* Encodes one text or two, and cuts the longer one at its end until both fit. *n_first: pieces of the first. */
static hl_status encode_texts(work *w, const hl_text_record *record, size_t *n_first)
{
    const hl_tokens *tokens = w->data->tokens;
    HL_TRY(encode(w, record, record->texts[0]));
    *n_first = w->pieces.n;
    if (record->n_texts > 1) {
        HL_TRY(encode(w, record, record->texts[1]));
    }
    size_t second = w->pieces.n - *n_first, first = *n_first;
    size_t around = !hl_text_data_wraps(w->data) ? 0 : (size_t)(second > 0 ? tokens->pair.n - 2 : tokens->single.n - 1);
    size_t room = (size_t)w->spec->max_length > around ? (size_t)w->spec->max_length - around : 1;
    while (first + second > room) {
        *(second > first ? &second : &first) -= 1;
    }
    w->data->notices[w->split].cut += first + second < w->pieces.n;
    if (second > 0) {
        memmove(w->pieces.at + first, w->pieces.at + *n_first, second * sizeof *w->pieces.at);
    }
    *n_first = first;
    w->pieces.n = first + second;
    return hl_ok();
}

/* Encodes a sentence word by word, with a target for each word that fits. If the first word does not fit, it is cut. */
static hl_status encode_words(work *w, const hl_text_record *record)
{
    const hl_template *around = &w->data->tokens->single;
    int32_t before = 0, n_around = hl_text_data_wraps(w->data) ? around->n - 1 : 0;
    while (n_around > 0 && before < around->n && around->at[before].id != HL_TEXT_A) {
        before++;
    }
    int64_t n = record->n_texts, max = w->spec->max_length - n_around;
    size_t room = max > 1 ? (size_t)max : 1;
    bool cut = false;
    for (int64_t i = 0; i < n && !cut; i++) {
        size_t first = w->pieces.n;
        hl_span word = record->texts[i];
        hl_status status = hl_tokens_encode_word(w->data->tokens, word.text, word.size, i == 0, &w->pieces);
        HL_TRY(status.code == HL_INVALID ? bad(w, record, status.text) : status);
        cut = w->pieces.n > room;
        if (cut) {
            w->data->notices[w->split].cut++;
            w->pieces.n = i == 0 ? room : first;
        }
        HL_TRY(!cut || i == 0 ? put_label(w, record, before + (int64_t)first, record->labels[i]) : hl_ok());
    }
    return hl_ok();
}

/* Puts the tokens' own special tokens around the pieces, and writes everything as columns. */
static hl_status wrap(work *w, size_t n_first, bool pair)
{
    HL_TRY(hl_text_data_wraps(w->data) ? hl_tokens_wrap(w->data->tokens, n_first, &w->pieces) : hl_ok());
    for (size_t i = 0; i < w->pieces.n; i++) {
        put(w, HL_TEXT_TOKENS, w->pieces.at[i].id);
        if (pair) {
            put(w, HL_TEXT_TYPES, w->pieces.at[i].type);
        }
    }
    return hl_ok();
}

/* Sets the targets in a line that somebody wrote: each next piece; or its masks, whose answers are unknown, unless the
 * model answers labels. */
static void ask(work *w)
{
    const int32_t *tokens = w->numbers[HL_TEXT_TOKENS];
    int32_t mask = hl_tokens_role(w->data->tokens, HL_ROLE_MASK);
    bool next = w->data->task == HL_TEXT_NEXT;
    w->lengths[HL_TEXT_ROWS] = w->lengths[HL_TEXT_IDS] = 0;
    for (int64_t i = 0, n = w->lengths[HL_TEXT_TOKENS]; i < n; i++) {
        if (next ? i + 1 < n : tokens[i] == mask && w->data->labels == NULL) {
            put_target(w, i, next ? tokens[i + 1] : -1);
        }
    }
}

/* Reads a row of a toy task: tokens and targets are words of one vocabulary. */
static hl_status find_words(work *w, const hl_text_record *record)
{
    int32_t unknown = hl_tokens_role(w->data->tokens, HL_ROLE_UNK);
    if (record->n_texts > w->spec->max_length) {
        return hl_lines_bad(hl_text_records_lines(w->records), record->line,
                            "has %" PRId64 " tokens, more than max_length = %" PRId64, record->n_texts,
                            w->spec->max_length);
    }
    for (int64_t i = 0; i < record->n_texts; i++) {
        int32_t id = hl_tokens_find(w->data->tokens, record->texts[i].text, record->texts[i].size);
        put(w, HL_TEXT_TOKENS, id >= 0 ? id : unknown);
        HL_TRY(record->labels[i].text != NULL ? put_label(w, record, i, record->labels[i]) : hl_ok());
        if (record->sources != NULL) {
            put(w, HL_TEXT_SOURCES, record->sources[i]);
        }
        if (id < 0 && unknown < 0) {
            return bad(w, record, "a token is not in the vocabulary, which has no unknown token");
        }
    }
    return hl_ok();
}

static hl_status make_columns(work *w, const hl_text_record *record)
{
    bool asks = w->data->written && w->spec->task == HL_TEXT_MASKED;
    size_t n_first = 0;
    if (w->spec->task == HL_TEXT_FILE) {
        HL_TRY(find_words(w, record));
    } else if (w->spec->task == HL_TEXT_TAGS) {
        HL_TRY(encode_words(w, record));
        HL_TRY(wrap(w, w->pieces.n, false));
        asks = w->data->task != HL_TEXT_TAGS;
    } else {
        HL_TRY(encode_texts(w, record, &n_first));
        if (w->pieces.n == 0) {
            return hl_ok();
        }
        HL_TRY(w->spec->task == HL_TEXT_CLASSES ? put_label(w, record, 0, record->labels[0]) : hl_ok());
        HL_TRY(wrap(w, n_first, record->n_texts > 1));
    }
    if (asks) {
        ask(w);
    }
    return hl_ok();
}

/* Whether the example has a possible target: in masked, a piece that is not special, or a mask that somebody wrote. */
static bool is_useful(const work *w)
{
    const int32_t *tokens = w->numbers[HL_TEXT_TOKENS];
    bool masked = w->spec->task == HL_TEXT_MASKED;
    bool useful = masked ? w->data->written && w->lengths[HL_TEXT_IDS] > 0 : w->lengths[HL_TEXT_TOKENS] > 0;
    for (int64_t i = 0; i < w->lengths[HL_TEXT_TOKENS] && !useful; i++) {
        useful = !hl_tokens_is_special(w->data->tokens, tokens[i]);
    }
    return useful;
}

static void count_unknown(work *w)
{
    int32_t unknown = hl_tokens_role(w->data->tokens, HL_ROLE_UNK);
    for (int64_t i = 0; i < w->lengths[HL_TEXT_TOKENS]; i++) {
        w->data->notices[w->split].unknown += unknown >= 0 && w->numbers[HL_TEXT_TOKENS][i] == unknown;
    }
}

static hl_status add_example(work *w, const hl_text_record *record, hl_corpus_writer *writer)
{
    HL_TRY(make_columns(w, record));
    put(w, HL_TEXT_PLACE, record->line);
    put(w, HL_TEXT_PLACE, record->number);
    HL_NEED(!w->starved, "an example of a text");
    if (!is_useful(w)) {
        w->data->notices[w->split].empty++;
        return hl_ok();
    }
    if (record->line > INT32_MAX) {
        return bad(w, record, "is beyond the 2147483647 lines that a file of sentences may have");
    }
    count_unknown(w);
    w->any = true;
    return hl_corpus_add(writer, (const int32_t *const *)w->numbers, w->lengths);
}

static hl_status add_running(work *w, const hl_text_record *record, hl_corpus_writer *writer)
{
    HL_TRY(encode(w, record, record->texts[0]));
    for (size_t i = 0; i < w->pieces.n; i++) {
        put(w, HL_TEXT_TOKENS, w->pieces.at[i].id);
    }
    HL_NEED(!w->starved, "an example of a text");
    count_unknown(w);
    w->any = w->any || w->pieces.n > 0;
    return hl_corpus_add_numbers(writer, w->numbers[HL_TEXT_TOKENS], (int64_t)w->pieces.n);
}

static hl_status add_all(work *w, hl_corpus_writer *writer)
{
    for (;;) {
        hl_text_record record;
        HL_TRY(hl_text_records_next(w->records, &record));
        if (record.n_texts == 0) {
            return hl_ok();
        }
        if (record.validation == (w->split == HL_VALIDATION)) {
            w->pieces.n = 0;
            memset(w->lengths, 0, sizeof w->lengths);
            HL_TRY(w->data->running ? add_running(w, &record, writer) : add_example(w, &record, writer));
        }
    }
}

static const char *source_of(const work *w)
{
    return w->split == HL_VALIDATION && w->spec->validation_file != NULL ? w->spec->validation_file : w->spec->file;
}

static hl_status make(void *context, hl_corpus_writer *writer)
{
    work *w = context;
    hl_text_notices *notices = &w->data->notices[w->split];
    HL_TRY(hl_text_records_open(w->spec, w->split, w->name, &w->records));
    HL_TRY(add_all(w, writer));
    hl_lines_notices dropped = hl_lines_noticed(hl_text_records_lines(w->records));
    notices->crlf = dropped.crlf;
    notices->mark = dropped.mark;
    const char *why = w->spec->validation_file != NULL ? ": no line in it has a token" /* perhaps of patterns.file */
                      : w->split == HL_TRAIN
                          ? " for training: lower task.validation_share"
                          : " for validation: raise task.validation_share, or name a task.validation_file";
    return w->any ? hl_ok() : hl_error(HL_BAD_FILE, "%s: holds no example%s", source_of(w), why);
}

static hl_status tell(void *context, int64_t done, int64_t total)
{
    const hl_text_spec *spec = ((const work *)context)->spec;
    const char *what = total > 0 ? "comparing the file" : "another program makes it";
    return spec->progress != NULL ? spec->progress(spec->context, what, done, total) : hl_ok();
}

/* Describes how these numbers follow from the source's texts, without the tokens. */
static void describe(const work *w, hl_text *kind)
{
    static const char *const tasks[] = { "sentences", "running text", "tags", "classes", "file" };
    const hl_text_spec *spec = w->spec;
    hl_text_task task = w->data->running ? HL_TEXT_NEXT : spec->task;
    hl_text_print(kind, "%s", tasks[task]);
    if (task == HL_TEXT_TAGS) {
        hl_text_print(kind, " %s", spec->column);
    } else if (task == HL_TEXT_CLASSES) {
        hl_text_print(kind, " %s %s", spec->text_column, spec->label_column);
    }
    hl_text_print(kind, "; %s%s", w->name, w->data->written && w->data->task == HL_TEXT_NEXT ? " of next" : "");
    if (spec->validation_file == NULL) {
        hl_text_print(kind, " of share %.17g", spec->validation_share);
    }
    if (!w->data->running) {
        hl_text_print(kind, "; at most %" PRId64 " pieces", spec->max_length);
    }
}

/* Kind, size and a hash of the whole content of the tokens and labels. */
static hl_status fingerprint(const hl_text_data *data, hl_text *tokens)
{
    hl_text all = { 0 };
    hl_status status = hl_tokens_json(data->tokens, &all);
    if (data->labels != NULL) {
        HL_THEN(status, hl_tokens_json(data->labels, &all));
    }
    if (status.code == HL_OK) {
        hl_text_print(tokens, "%" PRId64 " %s %016" PRIx64, hl_tokens_size(data->tokens),
                      hl_tokens_kind_name(data->tokens->kind), hl_content_add(HL_CONTENT_NOTHING, all.bytes, all.size));
        status = hl_text_status(tokens);
    }
    hl_text_free(&all);
    return status;
}

static hl_status open_cache(work *w, const char *path, const char *kind, const char *tokens)
{
    static const char *const columns[] = { "tokens", "types", "rows", "ids", "sources", "place" };
    hl_corpus_spec spec = { .path = path,
                            .source = source_of(w),
                            .kind = kind,
                            .tokens = tokens,
                            .full = w->spec->full,
                            .keep = w->spec->keep,
                            .any_source = w->spec->any_source,
                            .make = make,
                            .progress = tell,
                            .context = w };
    if (!w->data->running) {
        memcpy(spec.columns, columns, sizeof columns);
    }
    return hl_corpus_open(&spec, &w->data->corpora[w->split]);
}

static hl_status make_cache(work *w)
{
    hl_text kind = { 0 }, tokens = { 0 };
    char *path = hl_path_join(w->spec->folder, "%s", w->name);
    describe(w, &kind);
    hl_status status = path != NULL ? hl_text_status(&kind) : hl_error_memory(w->spec->folder);
    HL_THEN(status, fingerprint(w->data, &tokens));
    HL_THEN(status, open_cache(w, path, kind.bytes, tokens.bytes));
    hl_text_free(&kind);
    hl_text_free(&tokens);
    hl_free(path);
    hl_text_records_close(w->records);
    hl_pieces_free(&w->pieces);
    for (int column = 0; column < HL_TEXT_COLUMNS; column++) {
        hl_free(w->numbers[column]);
    }
    return status;
}

hl_status hl_text_data_make_caches(const hl_text_spec *spec, hl_text_data *data)
{
    for (int split = data->of != NULL ? HL_VALIDATION : HL_TRAIN; split <= HL_VALIDATION; split++) {
        work w = { .spec = spec,
                   .name = data->of != NULL    ? "examples.cache"
                           : split == HL_TRAIN ? "train.cache"
                                               : "validation.cache",
                   .data = data,
                   .split = (hl_split)split };
        HL_TRY(make_cache(&w));
        const char *because = hl_corpus_made_because(data->corpora[split]);
        memcpy(data->notices[split].made_because, because, strlen(because) + 1);
    }
    return hl_ok();
}
