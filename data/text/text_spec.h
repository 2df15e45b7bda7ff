/* Which of a user's files become examples, and how. data/text/text_data.h opens them. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "data/text/tokens.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

enum { HL_TEXT_LINE_MB = 128, HL_TEXT_MOST_LINE_MB = 1 << 20 }; /* MiB */

typedef enum hl_text_task { HL_TEXT_MASKED, HL_TEXT_NEXT, HL_TEXT_TAGS, HL_TEXT_CLASSES, HL_TEXT_FILE } hl_text_task;

/* Reports the current work ("learning tokens", "train.cache" ...) and its progress: done of total bytes of the file,
 * compressed if it is (total is 0: waiting for another program). If it fails, perhaps for a signal, this is passed
 * on. */
typedef hl_status hl_text_progress(void *context, const char *what, int64_t done, int64_t total);

/* The keys of [task] and [tokens]. Texts that are not given are NULL. The spec is needed only during opening. */
typedef struct hl_text_spec {
    hl_text_task task;
    const char *file, *validation_file;     /* plain or gzipped; not "-", because they are read several times */
    double validation_share;                /* above 0 and below 1; used without validation_file */
    const char *column;                     /* tags: such as "UPOS" */
    const char *text_column, *label_column; /* classes: a name or a number from 1; text_column may be two, separated by
                                               a comma. The first line is a header unless all are numbers */
    int64_t length;                         /* of a window of running text; 0 (masked): one sentence per line */
    int64_t line_mb;                        /* the longest line of running text, in MiB; 0: HL_TEXT_LINE_MB */
    int64_t max_length;                     /* the most pieces in an example, including special tokens */
    bool prefix_space;           /* tags: a space is read before the first word too; for tokens of kind bpe */
    bool lowercase, whole_words; /* whole_words: in masked, all pieces of a word or none */
    double drop_pieces;      /* tags, classes: the share of pieces, below 1, that training reads as the unknown token */
    hl_tokens_kind kind;     /* file: words */
    int64_t size, min_count; /* as in hl_tokens_options; a size of 0 for chars and words: all of them */
    const char *vocabulary;  /* *.txt as BERT's vocab.txt; vocab.json with a merges.txt beside it; our own tokens.json;
                                another *.json as tokenizer.json. NULL: learned */
    const char *folder;      /* an existing folder for what is made */
    bool keep, any_source, full; /* as in hl_corpus_spec; with `keep`, tokens.json and labels.json must also exist */
    hl_text_progress *progress;  /* may be NULL */
    void *context;
} hl_text_spec;

/* Whether the spec is for windows of running text; and whether its examples are pairs of texts. */
bool hl_text_spec_is_running(const hl_text_spec *spec);
bool hl_text_spec_is_pair(const hl_text_spec *spec);

/* Checks that the spec's values are possible and fit each other, whatever its files hold. HL_INVALID names the key. */
hl_status hl_text_spec_check(const hl_text_spec *spec);

HL_END_DECLS
