/* Short ways to try text data. */
#pragma once

#include "core/base/text.h"
#include "core/kernels/random.h"
#include "data/text/text_data.h"
#include "tests/check_suite.h"
#include "tests/data/text_files.h"

#include <inttypes.h>

/* The file as one gzip member. */
static inline const char *gzip_file(const char *name, const char *text)
{
    size_t size;
    unsigned char *bytes = gzipped(text, strlen(text), &size);
    const char *path = scratch_file(name, "");
    scratch_write(path, bytes, size);
    free(bytes);
    return path;
}

static inline hl_text_data *opened_text(const hl_text_spec *spec)
{
    hl_text_data *data;
    hl_status status = hl_text_data_open(spec, &data);
    ck_assert_msg(status.code == HL_OK, "%s", status.text);
    return data;
}

static inline void release_text_data(void *data)
{
    hl_text_data_close(data);
}

/* As opened_text; closed when the test ends. */
static inline hl_text_data *kept_text(const hl_text_spec *spec)
{
    return scratch_own(opened_text(spec), release_text_data);
}

static inline hl_text_reader *reader_of(const hl_text_data *data)
{
    hl_text_reader *reader;
    ck_assert_int_eq(hl_text_reader_open(data, &reader).code, HL_OK);
    return reader;
}

static inline void release_reader(void *reader)
{
    hl_text_reader_close(reader);
}

/* As reader_of; closed when the test ends. */
static inline hl_text_reader *kept_reader(const hl_text_data *data)
{
    return scratch_own(reader_of(data), release_reader);
}

/* "tokens | row:target ... | rows of words | line/number", and types and sources where there are any. The tokens of
 * labels that are not known: ?. */
static inline void print_example(const hl_text_data *data, const hl_text_example *example, hl_text *text)
{
    const hl_tokens *tokens = hl_text_data_tokens(data), *targets = hl_text_data_targets(data);
    for (int64_t i = 0; i < example->n_tokens; i++) {
        hl_text_print(text, "%s ", hl_tokens_piece(tokens, example->tokens[i], NULL));
    }
    hl_text_print(text, "|");
    for (int64_t i = 0; i < example->n_targets; i++) {
        const char *name = example->ids[i] < 0 ? "?" : hl_tokens_piece(targets, example->ids[i], NULL);
        hl_text_print(text, " %d:%s", example->rows[i], name);
    }
    hl_text_print(text, " |");
    for (int64_t i = 0; i < example->n_words; i++) {
        hl_text_print(text, " %d", example->words[i]);
    }
    hl_text_print(text, " | %" PRId64 "/%" PRId64, example->line, example->number);
    for (int64_t i = 0; example->types != NULL && i < example->n_tokens; i++) {
        hl_text_print(text, "%s%d", i == 0 ? " types " : " ", example->types[i]);
    }
    for (int64_t i = 0; example->sources != NULL && i < example->n_tokens; i++) {
        hl_text_print(text, "%s%d", i == 0 ? " sources " : " ", example->sources[i]);
    }
    hl_text_print(text, "\n");
}

/* Examples 0 .. n - 1 of the split, a line each; the text goes with the folder. */
static inline const char *shown_split(const hl_text_data *data, hl_split split, uint64_t seed, int64_t n)
{
    hl_text text = { 0 };
    hl_text_reader *reader = reader_of(data);
    for (int64_t i = 0; i < n; i++) {
        hl_text_example example;
        CHECK_OK(hl_text_data_read(reader, split, seed, i, &example));
        print_example(data, &example, &text);
    }
    hl_text_reader_close(reader);
    const char *kept = scratch_format("%s", text.bytes);
    hl_text_free(&text);
    return kept;
}

static inline void check_validation(const hl_text_data *data, const char *expected)
{
    ck_assert_str_eq(shown_split(data, HL_VALIDATION, 1, hl_text_data_examples(data, HL_VALIDATION)), expected);
}

/* Sentences of 40 words, and what masks them. */
enum { SENTENCES = 400, WORDS = 40, NAMES = 200 };

static inline const char *sentences_file(const char *name)
{
    hl_text text = { 0 };
    for (uint64_t s = 0; s < SENTENCES; s++) {
        for (uint64_t w = 0; w < WORDS; w++) {
            hl_text_print(&text, "%sw%d", w == 0 ? "" : " ",
                          (int)hl_random_below((hl_random){ .seed = 9 }, s * WORDS + w, NAMES));
        }
        hl_text_print(&text, "\n");
    }
    const char *path = scratch_file(name, text.bytes);
    hl_text_free(&text);
    return path;
}

static inline hl_text_spec masked_spec(const char *path)
{
    return (hl_text_spec){ .task = HL_TEXT_MASKED,
                           .file = path,
                           .validation_share = 0.25,
                           .max_length = 64,
                           .kind = HL_TOKENS_WORDS,
                           .folder = scratch_folder() };
}

/* Of a task on two files that hold these texts. */
static inline hl_text_spec spec_of_two(hl_text_task task, hl_tokens_kind kind, const char *train,
                                       const char *validation)
{
    return (hl_text_spec){ .task = task,
                           .file = scratch_file("train", train),
                           .validation_file = scratch_file("dev", validation),
                           .column = "UPOS",
                           .text_column = "text",
                           .label_column = "label",
                           .max_length = 100,
                           .kind = kind,
                           .folder = scratch_folder() };
}

/* Of windows of running text, of which a share is for validation. */
static inline hl_text_spec running_spec(const char *path, hl_tokens_kind kind, int64_t length, double share)
{
    return (hl_text_spec){ .task = HL_TEXT_NEXT,
                           .file = path,
                           .validation_share = share,
                           .length = length,
                           .max_length = length,
                           .kind = kind,
                           .size = kind == HL_TOKENS_BPE     ? 300
                                   : kind == HL_TOKENS_BYTES ? 256
                                                             : 0,
                           .folder = scratch_folder() };
}

/* Opening is refused with this code and a text that holds `why`. */
static inline void check_refused(const hl_text_spec *spec, hl_code code, const char *why)
{
    hl_text_data *data;
    hl_status status = hl_text_data_open(spec, &data);
    ck_assert_msg(status.code == code && strstr(status.text, why) != NULL, "%s", status.text);
    ck_assert_ptr_null(data);
}
