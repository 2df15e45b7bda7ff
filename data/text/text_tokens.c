/* Tokens and labels of text data: taken from the folder or a vocabulary, or learned from the training part. */
#include "core/base/memory.h"
#include "core/base/private/utf8.h"
#include "core/files/files.h"
#include "core/files/folders.h"
#include "data/text/private/byte_letters.h"
#include "data/text/private/text_data_parts.h"
#include "data/text/private/text_records.h"
#include "data/text/private/text_set.h"
#include "data/text/private/tokens_parts.h"
#include "data/text/tokens_file.h"
#include "data/text/tokens_learn.h"
#include "data/text/unicode/private/unicode.h"

#include <inttypes.h>
#include <string.h>

/* The texts of the training part, one by one. */
typedef struct training {
    const hl_text_spec *spec;
    hl_text_records *records;
    hl_text_record record;
    int64_t next; /* an index into the record's texts, then into its labels if they are tokens too */
    hl_text spaced;
} training;

static hl_status next_training_record(training *t)
{
    do {
        HL_TRY(hl_text_records_next(t->records, &t->record));
    } while (t->record.n_texts > 0 && t->record.validation);
    t->next = 0;
    return hl_ok();
}

/* Returns a word as bpe reads it: with a space before it, except before the first word of a sentence. */
static hl_status give_spaced(training *t, hl_span word, const char **text, size_t *size)
{
    t->spaced.size = 0;
    hl_text_add(&t->spaced, " ", 1);
    hl_text_add(&t->spaced, word.text, word.size);
    *text = t->spaced.bytes;
    *size = t->spaced.size;
    return hl_text_status(&t->spaced);
}

static hl_status next_text(void *context, const char **text, size_t *size)
{
    training *t = context;
    bool both = t->spec->task == HL_TEXT_FILE;
    *text = NULL;
    while (*text == NULL) {
        if (t->next == t->record.n_texts + (both ? t->record.n_labels : 0)) {
            HL_TRY(next_training_record(t));
            if (t->record.n_texts == 0) {
                return hl_ok();
            }
        }
        int64_t i = t->next++;
        hl_span span = i < t->record.n_texts ? t->record.texts[i] : t->record.labels[i - t->record.n_texts];
        if (t->spec->task == HL_TEXT_TAGS && t->spec->kind == HL_TOKENS_BPE && i > 0) {
            return give_spaced(t, span, text, size);
        }
        *text = span.text;
        *size = span.size;
    }
    return hl_ok();
}

/* The special tokens that the task uses; bytes and bpe know every text. */
static unsigned roles_of(const hl_text_spec *spec)
{
    bool complete = spec->kind == HL_TOKENS_BYTES || spec->kind == HL_TOKENS_BPE;
    unsigned unknown = complete ? 0 : 1u << HL_ROLE_UNK, around = 1u << HL_ROLE_CLS | 1u << HL_ROLE_SEP;
    switch (spec->task) {
    case HL_TEXT_MASKED:
        return unknown | 1u << HL_ROLE_MASK | (spec->length > 0 ? 0 : around);
    case HL_TEXT_CLASSES:
        return unknown | around;
    default:
        return unknown;
    }
}

static hl_status learn(const hl_text_spec *spec, hl_tokens **out)
{
    bool open_ended = spec->kind == HL_TOKENS_CHARS || spec->kind == HL_TOKENS_WORDS;
    hl_tokens_options options = { .kind = spec->kind,
                                  .size = spec->size == 0 && open_ended ? HL_TOKENS_MAX : spec->size,
                                  .min_count = spec->min_count,
                                  .lowercase = spec->lowercase,
                                  .roles = roles_of(spec) };
    training t = { .spec = spec };
    hl_status status = hl_text_records_open(spec, HL_TRAIN, "learning tokens", &t.records);
    if (status.code == HL_OK) {
        status = hl_tokens_learn(&options, next_text, &t, out);
        status = status.code == HL_INVALID ? hl_error(HL_INVALID, "%s: %s", spec->file, status.text) : status;
    }
    hl_text_records_close(t.records);
    hl_text_free(&t.spaced);
    return status;
}

static bool ends_with(const char *text, const char *end)
{
    size_t size = strlen(text), length = strlen(end);
    return size >= length && strcmp(text + size - length, end) == 0;
}

static hl_status take_pair(const char *vocabulary, hl_tokens **out)
{
    hl_text merges = { 0 };
    hl_text_print(&merges, "%.*smerges.txt", (int)(strlen(vocabulary) - strlen("vocab.json")), vocabulary);
    hl_status status = hl_text_status(&merges);
    HL_THEN(status, hl_tokens_load_merges(vocabulary, merges.bytes, false, out));
    hl_text_free(&merges);
    return status;
}

static hl_status take(const hl_text_spec *spec, bool *ignored, hl_tokens **out)
{
    const char *path = spec->vocabulary;
    return ends_with(path, ".txt")          ? hl_tokens_load_vocabulary(path, spec->lowercase, out)
           : ends_with(path, "vocab.json")  ? take_pair(path, out)
           : ends_with(path, "tokens.json") ? hl_tokens_load(path, out)
           : ends_with(path, ".json")       ? hl_tokens_load_tokenizer(path, out, ignored)
                                            : hl_error(HL_INVALID,
                                                       "tokens.vocabulary = %s: must end in .txt (vocab.txt) or "
                                                             ".json (tokenizer.json, tokens.json, vocab.json beside "
                                                             "merges.txt)",
                                                       path);
}

/* Several programs may do so at once; they write the same bytes. */
static hl_status save(const hl_tokens *tokens, const char *path)
{
    hl_text text = { 0 };
    hl_status status = hl_tokens_json(tokens, &text);
    if (status.code == HL_OK) {
        hl_file file;
        hl_file_create_locked(&file, path);
        hl_file_write(&file, text.bytes, text.size);
        status = hl_file_commit(&file, HL_DURABLE);
    }
    hl_text_free(&text);
    return status;
}

static hl_status check_tokens(const hl_text_spec *spec, const char *path, const hl_tokens *tokens)
{
    hl_tokens_kind kind = hl_tokens_get_kind(tokens);
    if (kind != spec->kind) {
        return hl_error(HL_INVALID, "%s: holds tokens of kind %s; tokens.kind is %s", path, hl_tokens_kind_name(kind),
                        hl_tokens_kind_name(spec->kind));
    }
    if (spec->task == HL_TEXT_MASKED && hl_tokens_role(tokens, HL_ROLE_MASK) < 0) {
        return hl_error(HL_INVALID, "%s: has no mask token, which the task masked needs", path);
    }
    return hl_ok();
}

/* All labels of the training part. */
static hl_status collect_labels(training *t, hl_text_set *labels)
{
    for (;;) {
        HL_TRY(next_training_record(t));
        if (t->record.n_texts == 0) {
            return hl_ok();
        }
        for (int64_t i = 0; i < t->record.n_labels; i++) {
            HL_TRY(hl_text_set_add(labels, t->record.labels[i].text, t->record.labels[i].size, 0, NULL));
        }
    }
}

/* Makes tokens of the labels, sorted by their bytes. */
static hl_status name_labels(const hl_text_set *labels, hl_tokens *tokens)
{
    HL_NEED(tokens != NULL, "labels");
    HL_TRY(hl_text_set_add_most(labels, 0, labels->n, &tokens->pieces));
    HL_TRY(hl_tokens_index(tokens, "labels", false));
    return hl_tokens_finish(tokens, "labels");
}

static hl_status find_labels(const hl_text_spec *spec, hl_tokens **out)
{
    training t = { .spec = spec };
    hl_text_set labels = { 0 };
    hl_status status = hl_text_records_open(spec, HL_TRAIN, "finding labels", &t.records);
    HL_THEN(status, collect_labels(&t, &labels));
    if (status.code == HL_OK && labels.n == 0) {
        status = hl_error(HL_BAD_FILE, "%s: holds no example for training", spec->file);
    }
    if (status.code == HL_OK) {
        *out = hl_tokens_new(HL_TOKENS_WORDS);
        status = name_labels(&labels, *out);
    }
    hl_text_set_free(&labels);
    hl_text_records_close(t.records);
    return status;
}

/* Loads <folder>/<name>, or makes and saves it. */
static hl_status load_or_make(const hl_text_spec *spec, bool labels, bool *ignored, hl_tokens **out)
{
    char *path = hl_path_join(spec->folder, labels ? "labels.json" : "tokens.json");
    HL_NEED(path != NULL, spec->folder);
    bool exists = false;
    hl_status status = hl_file_exists(path, &exists);
    if (status.code == HL_OK && (exists || spec->keep)) {
        status = hl_tokens_load(path, out);
        HL_THEN(status, labels ? hl_ok() : check_tokens(spec, path, *out));
    } else if (status.code == HL_OK) {
        status = labels                     ? find_labels(spec, out)
                 : spec->vocabulary != NULL ? take(spec, ignored, out)
                                            : learn(spec, out);
        if (!labels) {
            HL_THEN(status, check_tokens(spec, spec->vocabulary != NULL ? spec->vocabulary : path, *out));
        }
        if (!labels && spec->prefix_space) {
            HL_THEN(status, hl_tokens_set_prefix_space(*out));
        }
        HL_THEN(status, save(*out, path));
    }
    hl_free(path);
    return status;
}

hl_status hl_text_data_make_tokens(const hl_text_spec *spec, hl_text_data *data)
{
    bool ignored = false;
    /* Running text in two files is checked before anything is made of it. This is done once, because
     * validation.cache is made last. Text in one file is checked when its share for validation is found. */
    char *last = hl_path_join(spec->folder, "validation.cache");
    HL_NEED(last != NULL, spec->folder);
    bool made;
    hl_status status = hl_file_exists(last, &made);
    if (status.code == HL_OK && !made && spec->validation_file != NULL) {
        status = hl_text_records_check(spec, spec->file);
        HL_THEN(status, hl_text_records_check(spec, spec->validation_file));
    }
    hl_free(last);
    HL_TRY(status);
    HL_TRY(load_or_make(spec, false, &ignored, &data->tokens));
    data->notices[HL_TRAIN].ignored = ignored;
    return spec->task == HL_TEXT_TAGS || spec->task == HL_TEXT_CLASSES
               ? load_or_make(spec, true, &ignored, &data->labels)
               : hl_ok();
}

/* Whether the text begins with white space, and whether it is only white space. */
static unsigned white_bits(const hl_tokens *tokens, const char *piece, size_t size)
{
    unsigned bits = HL_PIECE_WHITE;
    for (size_t at = 0; at < size;) {
        uint32_t code;
        size_t here = at;
        at += hl_utf8_decode(piece + at, size - at, &code);
        bool white = hl_byte_level_kind(code) == HL_KIND_WHITE;
        if (tokens->kind == HL_TOKENS_UNIGRAM) {
            white = white || code == HL_SPACE_MARK_CODE;
        } else if (tokens->kind != HL_TOKENS_CHARS) {
            int byte = hl_byte_of_letter(code);
            white = byte == ' ' || (byte >= '\t' && byte <= '\r');
        }
        bits |= here == 0 && white ? HL_PIECE_WHITE_FIRST : 0;
        bits = white ? bits : bits & ~(unsigned)HL_PIECE_WHITE;
    }
    return bits;
}

static unsigned bits_of(const hl_tokens *tokens, int32_t id)
{
    size_t size;
    const char *piece = hl_tokens_piece(tokens, id, &size);
    if (hl_tokens_is_special(tokens, id)) {
        return HL_PIECE_SPECIAL | (id == hl_tokens_role(tokens, HL_ROLE_UNK) ? 0 : HL_PIECE_APART);
    }
    switch (tokens->kind) {
    case HL_TOKENS_WORDS:
        return 0;
    case HL_TOKENS_WORDPIECE:
        return size > 2 && memcmp(piece, "##", 2) == 0 ? HL_PIECE_CONTINUES : 0;
    default:
        return white_bits(tokens, piece, size);
    }
}

hl_status hl_text_data_list_pieces(hl_text_data *data)
{
    const hl_tokens *tokens = data->tokens;
    data->pieces = hl_calloc((size_t)hl_tokens_count(tokens), sizeof *data->pieces);
    HL_NEED(data->pieces != NULL, "tokens");
    for (int32_t id = 0; id < hl_tokens_count(tokens); id++) {
        data->pieces[id] = (unsigned char)bits_of(tokens, id);
        data->n_usable += (data->pieces[id] & HL_PIECE_SPECIAL) == 0;
    }
    return hl_ok();
}

hl_status hl_text_data_look_at_pieces(const hl_text_spec *spec, hl_text_data *data)
{
    const hl_tokens *tokens = data->tokens;
    bool pair = hl_text_spec_is_pair(spec);
    int around = spec->task == HL_TEXT_FILE || data->running ? 0 : pair ? tokens->pair.n - 2 : tokens->single.n - 1;
    if (spec->max_length <= around) {
        return hl_error(HL_INVALID, "max_length = %" PRId64 ": %d special tokens stand around a text", spec->max_length,
                        around);
    }
    HL_TRY(hl_text_data_list_pieces(data));
    if (spec->drop_pieces > 0 && hl_tokens_role(tokens, HL_ROLE_UNK) < 0) {
        return hl_error(HL_INVALID, "task.drop_pieces = %g: the tokens have no unknown token to stand for a piece",
                        spec->drop_pieces);
    }
    return data->n_usable > 0 ? hl_ok() : hl_error(HL_INVALID, "tokens: all pieces are special tokens");
}
