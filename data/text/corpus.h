/* A corpus tokenised once into a flat file, the cache, from which examples are read one by one: for texts larger than
 * memory.
 *
 * An example is 1 to 8 named columns of int32 numbers, each of its own length (tokens; perhaps targets, sources, a
 * label). Running text has no examples and no columns: it is one long row of numbers, read by windows.
 *
 * The cache knows what it was made from: the source's size, date and content, and the rules that made numbers of it,
 * two texts of the caller's: `kind` (which columns of the source, which split) and `tokens` (a fingerprint of the
 * vocabulary). It is taken up again where all of that fits. A source of another size, or with other bytes in 16 sampled
 * blocks of 64 KiB, has changed; one of another date is read as a whole and compared, so that a copied file fits.
 *
 * Memory: 8 bytes for each 4 KiB of a cache of examples, none for running text, and what a reader holds. Numbers stand
 * in the machine's byte order. The format: data/text/private/corpus_file.h. */
#ifndef HL_DATA_TEXT_CORPUS_H
#define HL_DATA_TEXT_CORPUS_H

#include "core/base/declarations.h"
#include "core/base/status.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

enum {
    HL_CORPUS_COLUMNS = 8,
    HL_CORPUS_TEXT = 256,          /* bytes of `kind`, `tokens` and a column's name, the zero byte included */
    HL_CORPUS_MAX_LENGTH = 1 << 28 /* numbers in an example, all columns together */
};

typedef struct hl_corpus hl_corpus;
typedef struct hl_corpus_writer hl_corpus_writer;

/* Adds all examples, or the numbers of running text, to the writer; a failure is handed on. Shows its own progress. */
typedef hl_status hl_corpus_make(void *context, hl_corpus_writer *writer);

/* Is told what takes time before and after: the source is compared (done of total bytes), or another program is making
 * the same cache (total is 0; some ten times a second). A failure that it returns, a signal perhaps, is handed on. */
typedef hl_status hl_corpus_progress(void *context, int64_t done, int64_t total);

typedef struct hl_corpus_spec {
    const char *path;          /* of the cache; beside it stand <path>.tmp while it is made, and <path>.lock, empty */
    const char *source;        /* the path of what it is made from; not "-", which cannot be compared */
    const char *kind, *tokens; /* UTF-8, shorter than HL_CORPUS_TEXT, as names of columns */
    const char *columns[HL_CORPUS_COLUMNS]; /* names of columns, NULL after the last; none: running text */
    bool full;                              /* compare the whole source, not only its size, date and samples */
    bool keep;       /* refuse a cache that does not fit, rather than make it anew; its source may then be missing */
    bool any_source; /* with `keep`: whatever has become of the source */
    hl_corpus_make *make;
    hl_corpus_progress *progress; /* may be NULL */
    void *context;                /* for both */
} hl_corpus_spec;

/* Opens the cache that fits the spec, and makes it where there is none. Several programs may do so at once: one makes
 * it, the others wait for its lock and take it up. *out is the caller's: hl_corpus_close. On failure it is NULL, and
 * under the path stands what stood there, or the new cache, whole. HL_INVALID where the source is "-", or a text of the
 * spec is too long. HL_BAD_FILE where `keep`, and else the reason of making it anew:
 *     <path>: its source <source> has changed; with `keep` also what to do
 *     <path>: was made otherwise: <its kind>, now <kind>; was made with other tokens: <its tokens>, now <tokens>
 *     <path>: has format 7, not 1: another version or kind of machine made it; is damaged: ...
 * HL_BAD_FILE always:
 *     <source>: holds no example; changed while it was read; cannot be opened or read ...
 *     <path>: is no cache of Headlight's, or is cut off: remove it, or name another file
 *     <path>: cannot be created, written ...; <path>.lock: cannot be opened, locked ...
 * HL_NO_MEMORY, and whatever `make` and `progress` return. */
hl_status hl_corpus_open(const hl_corpus_spec *spec, hl_corpus **out);

/* Why hl_corpus_open made the cache anew (a text as above); "" where it took one up, or none stood there. */
const char *hl_corpus_made_because(const hl_corpus *corpus);

void hl_corpus_close(hl_corpus *corpus); /* NULL is allowed */

/* For `make`: adds an example; values[c] are lengths[c] numbers for each column. lengths[c] >= 0; HL_INVALID where they
 * sum to more than HL_CORPUS_MAX_LENGTH. Failures to write are reported by hl_corpus_open. HL_NO_MEMORY. */
hl_status hl_corpus_add(hl_corpus_writer *writer, const int32_t *const *values, const int64_t *lengths);

/* For `make` of running text: adds the next `count` numbers. */
hl_status hl_corpus_add_numbers(hl_corpus_writer *writer, const int32_t *numbers, int64_t count);

/* N; 0 for running text. */
int64_t hl_corpus_examples(const hl_corpus *corpus);

/* The numbers of running text; for examples, of all columns together. */
int64_t hl_corpus_numbers(const hl_corpus *corpus);

/* The longest that the column is in any example. */
int64_t hl_corpus_longest(const hl_corpus *corpus, int column);

/* One thread's place to read into. Any number of readers may read one corpus at once. */
typedef struct hl_corpus_reader {
    const hl_corpus *corpus;
    const int32_t *columns[HL_CORPUS_COLUMNS]; /* of the example read last; owned by the reader */
    int64_t lengths[HL_CORPUS_COLUMNS];
    int32_t *numbers;     /* memory of the longest example */
    unsigned char *block; /* the block read last, and its number, -1: none */
    int64_t in_block;
} hl_corpus_reader;

/* All memory that reading will ever need. HL_NO_MEMORY. To be freed before the corpus is closed. */
hl_status hl_corpus_reader_init(hl_corpus_reader *reader, const hl_corpus *corpus);
void hl_corpus_reader_free(hl_corpus_reader *reader); /* a zeroed one is allowed */

/* Reads example i, 0 <= i < N. Every block of 4 KiB that holds some of it is read once, by one call, and its checksum
 * verified. Allocates nothing. HL_BAD_FILE: "<path>: block 17 is damaged; remove the file, and it is made again", was
 * cut short while it was read, cannot read. */
hl_status hl_corpus_read(hl_corpus_reader *reader, int64_t i);

/* The same of its columns' lengths alone, reader->lengths. */
hl_status hl_corpus_read_lengths(hl_corpus_reader *reader, int64_t i);

/* Reads the numbers first ... first + count - 1 of running text, which it must hold, into `numbers`. Fails as
 * hl_corpus_read. */
hl_status hl_corpus_window(hl_corpus_reader *reader, int64_t first, int64_t count, int32_t *numbers);

HL_END_DECLS

#endif
