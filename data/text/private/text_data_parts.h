/* The parts of opened text data, for the files that make and read them. */
#pragma once

#include "core/base/status.h"
#include "data/text/corpus.h"
#include "data/text/text_data.h"

#include <stdbool.h>
#include <stdint.h>

/* Columns in the caches of sentences. Columns that a task does not use are empty. */
enum {
    HL_TEXT_TOKENS,
    HL_TEXT_TYPES,
    HL_TEXT_ROWS,
    HL_TEXT_IDS,
    HL_TEXT_SOURCES,
    HL_TEXT_PLACE, /* line, number */
    HL_TEXT_COLUMNS
};

/* What a piece says about words, as bits: it is special; it is a word by itself (all except the unknown token); it
 * continues a word (##ing); it begins with white space; it is only white space. */
enum {
    HL_PIECE_SPECIAL = 1,
    HL_PIECE_APART = 2,
    HL_PIECE_CONTINUES = 4,
    HL_PIECE_WHITE_FIRST = 8,
    HL_PIECE_WHITE = 16
};

struct hl_text_data {
    hl_text_task task;
    bool running, whole_words;
    int64_t length;
    double drop_pieces;
    const hl_text_data *of;     /* for examples in the tokens of other data: those data, whose tokens and labels these
                                   are; otherwise NULL */
    bool written;               /* whether these are examples that somebody wrote to look at them */
    hl_tokens *tokens, *labels; /* labels: NULL if the tokens are the names of targets */
    unsigned char *pieces;      /* V, bits */
    int32_t n_usable;           /* number of pieces that are not special */
    hl_corpus *corpora[2];      /* by split, like all fields below */
    hl_text_notices notices[2];
};

/* Gets tokens and labels from the folder, the vocabulary, or the training part. */
hl_status hl_text_data_make_tokens(const hl_text_spec *spec, hl_text_data *data);

/* Sets data->pieces. HL_NO_MEMORY. */
hl_status hl_text_data_list_pieces(hl_text_data *data);

/* The same, with checks. HL_INVALID if the tokens cannot serve the spec; HL_NO_MEMORY. */
hl_status hl_text_data_look_at_pieces(const hl_text_spec *spec, hl_text_data *data);

/* Reads example i of a cache of sentences, unchanged, into the reader's memory, without words. Whoever wrote the file,
 * the numbers are checked: an example of the data can have them. HL_BAD_FILE as hl_corpus_read, and "<path>: is
 * damaged: token 900 is not in 0 .. 399; remove the file, and it is made again". */
hl_status hl_text_data_sentence(const hl_text_data *data, hl_corpus_reader *reader, int64_t i,
                                hl_text_example *example);

/* The same for running text: reads `count` pieces from number `first` on. */
hl_status hl_text_data_pieces(const hl_text_data *data, hl_corpus_reader *reader, int64_t first, int64_t count,
                              int32_t *tokens);

/* Passes all of a split to `visit`, in the order of its cache: sentence by sentence with targets, or running text in
 * chunks, each of which ends with a word if it has a whole one. Words are known, and nothing is masked. Ends once
 * `most` pieces were passed, or with a failure of `visit`. HL_BAD_FILE as hl_corpus_read, HL_NO_MEMORY. */
typedef hl_status hl_text_visit(void *context, const hl_text_example *example);
hl_status hl_text_data_visit(const hl_text_data *data, hl_split split, int64_t most, hl_text_visit *visit,
                             void *context);

/* The number of tokens that training example `index` has in hl_text_data_read, without reading it. Fails as that
 * does. */
hl_status hl_text_data_read_length(hl_text_reader *reader, uint64_t seed, int64_t index, int64_t *n_tokens);

/* Makes the caches; for examples that somebody wrote, only theirs. */
hl_status hl_text_data_make_caches(const hl_text_spec *spec, hl_text_data *data);

/* Whether special tokens enclose a text. Windows of running text have none, nor do sentences that are used instead of
 * such windows. */
static inline bool hl_text_data_wraps(const hl_text_data *data)
{
    return data->of != NULL ? !data->of->running : data->task != HL_TEXT_NEXT;
}

/* Windows of running text begin at every piece in training; in validation they lie side by side. */
static inline int64_t hl_text_data_stride(const hl_text_data *data, hl_split split)
{
    return split == HL_TRAIN ? 1 : data->length;
}

static inline bool hl_is_split(hl_split split)
{
    return split == HL_TRAIN || split == HL_VALIDATION;
}

/* Opens spec->file, all of it as validation, in the tokens and labels of `of`, which must outlive it. Its cache is
 * examples.cache in spec->folder. Longer examples are cut to spec->max_length. Fails as hl_text_data_open.
 *
 * With `written`, somebody wrote these examples to look at them. They have the form of the files of spec->task; running
 * text has one example per line. In lines for masked and next, the text of a special token is that token, and nothing
 * is masked. In masked, masks are targets with an unknown answer (id -1); in next, each piece after another is a
 * target. For a task other than that of `of`, labels are ignored; masks are ignored too if `of` has labels. Without
 * `written`, they are examples of the spec's task, masked or cut into windows as those of validation. */
hl_status hl_text_data_open_others(const hl_text_spec *spec, const hl_text_data *of, bool written, hl_text_data **out);
