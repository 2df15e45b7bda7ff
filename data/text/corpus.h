/* A corpus that is tokenised once into a flat file, the cache, from which examples are read one by one: for texts
 * larger than memory.
 *
 * An example is 1 to 8 named columns of int32 numbers, each with its own length (tokens; perhaps targets, sources, a
 * label). Running text has no examples and no columns: it is one long row of numbers, which is read in windows.
 *
 * The cache stores what it was made from: the source's size, date and content, and two texts of the caller's with the
 * rules. These are `kind` (which columns of the source, which split) and `tokens` (a fingerprint of the vocabulary).
 * The cache is reused if all of that fits. A source has changed if it has another size, or other bytes in 16 sampled
 * blocks of 64 KiB. If only the date differs, the whole source is read and compared, so that a copied file fits.
 *
 * Memory: 8 bytes for each 4 KiB of a cache of examples, none for running text, and what a reader holds. Numbers are in
 * the machine's byte order. The format: data/text/private/corpus_file.h. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

enum {
    HL_CORPUS_COLUMNS = 8,
    HL_CORPUS_TEXT = 256,          /* bytes of `kind`, `tokens` and a column's name, including the zero byte */
    HL_CORPUS_MAX_LENGTH = 1 << 28 /* numbers in an example, all columns together */
};

typedef struct hl_corpus hl_corpus;
typedef struct hl_corpus_writer hl_corpus_writer;

/* Adds all examples, or the numbers of running text, to the writer; its failure is passed on. It reports its own
 * progress. */
typedef hl_status hl_corpus_make(void *context, hl_corpus_writer *writer);

/* Reports slow work before and after `make`: comparing the source (done of total bytes), or waiting for another program
 * that makes the same cache (total is 0; about ten times a second). If it fails, perhaps for a signal, this is passed
 * on. */
typedef hl_status hl_corpus_progress(void *context, int64_t done, int64_t total);

typedef struct hl_corpus_spec {
    const char *path;          /* of the cache; <path>.tmp is beside it while it is made, and so is <path>.lock, which
                                  is empty */
    const char *source;        /* the path of the source; not "-", which cannot be compared */
    const char *kind, *tokens; /* UTF-8, shorter than HL_CORPUS_TEXT, like names of columns */
    const char *columns[HL_CORPUS_COLUMNS]; /* names of columns, NULL after the last; none: running text */
    bool full;                              /* compare the whole source, not only its size, date and samples */
    bool keep;       /* refuse a cache that does not fit, instead of making it anew; its source may then be missing */
    bool any_source; /* with `keep`: even if the source has changed */
    hl_corpus_make *make;
    hl_corpus_progress *progress; /* may be NULL */
    void *context;                /* for both */
} hl_corpus_spec;

/* Opens the cache that fits the spec, or makes it if there is none. If several programs do so at once, one makes it,
 * and the others wait for its lock and reuse it. After success the caller owns *out: hl_corpus_close. On failure it is
 * NULL, and the path holds what it held before, or the whole new cache. HL_INVALID if the source is "-", or a text of
 * the spec is too long. HL_BAD_FILE with `keep`; without it, the reason for making the cache anew:
 *     <path>: its source <source> has changed; with `keep` also what to do
 *     <path>: was made otherwise: <its kind>, now <kind>; was made with other tokens: <its tokens>, now <tokens>
 *     <path>: has format 7, not 1: another version or kind of machine made it; is damaged: ...
 * HL_BAD_FILE always:
 *     <source>: holds no example; changed while it was read; cannot be opened or read ...
 *     <path>: is no cache of Headlight's, or is cut off: remove it, or name another file
 *     <path>: cannot be created, written ...; <path>.lock: cannot be opened, locked ...
 * HL_NO_MEMORY, and failures of `make` and `progress`. */
hl_status hl_corpus_open(const hl_corpus_spec *spec, hl_corpus **out);

/* Why hl_corpus_open made the cache anew (a text as above); "" if it reused one, or there was none. */
const char *hl_corpus_made_because(const hl_corpus *corpus);

void hl_corpus_close(hl_corpus *corpus); /* NULL is allowed */

/* For `make`: adds an example, where values[c] are lengths[c] >= 0 numbers for column c. HL_INVALID if the lengths sum
 * to more than HL_CORPUS_MAX_LENGTH. HL_NO_MEMORY. hl_corpus_open reports failures to write. */
hl_status hl_corpus_add(hl_corpus_writer *writer, const int32_t *const *values, const int64_t *lengths);

/* For `make` of running text: adds the next `count` numbers. */
hl_status hl_corpus_add_numbers(hl_corpus_writer *writer, const int32_t *numbers, int64_t count);

/* N; 0 for running text. */
int64_t hl_corpus_examples(const hl_corpus *corpus);

/* The numbers of running text; for examples, of all columns together. */
int64_t hl_corpus_numbers(const hl_corpus *corpus);

/* The largest length of the column in any example. */
int64_t hl_corpus_longest(const hl_corpus *corpus, int column);

/* One thread's memory for reading. Any number of readers may read one corpus at once. */
typedef struct hl_corpus_reader {
    const hl_corpus *corpus;
    const int32_t *columns[HL_CORPUS_COLUMNS]; /* of the last example read; owned by the reader */
    int64_t lengths[HL_CORPUS_COLUMNS];
    int32_t *numbers;              /* memory for the longest example */
    struct hl_corpus_block *block; /* the last block read, and its number; -1: none */
    int64_t in_block;
} hl_corpus_reader;

/* Allocates all memory that reading will ever need. HL_NO_MEMORY. Free it before the corpus is closed. */
hl_status hl_corpus_reader_init(hl_corpus_reader *reader, const hl_corpus *corpus);
void hl_corpus_reader_free(hl_corpus_reader *reader); /* a zeroed reader is allowed */

/* Reads example i, 0 <= i < N. Each block of 4 KiB that holds a part of it is read once, in one call, and its checksum
 * is verified. Allocates nothing. HL_BAD_FILE: "<path>: block 17 is damaged; remove the file, and it is made again",
 * was cut short while it was read, cannot read. */
hl_status hl_corpus_read(hl_corpus_reader *reader, int64_t i);

/* The same, but reads only the lengths of the columns: reader->lengths. */
hl_status hl_corpus_read_lengths(hl_corpus_reader *reader, int64_t i);

/* Reads the numbers first ... first + count - 1 of running text into `numbers`. They must exist. Fails as
 * hl_corpus_read. */
hl_status hl_corpus_window(hl_corpus_reader *reader, int64_t first, int64_t count, int32_t *numbers);

HL_END_DECLS
