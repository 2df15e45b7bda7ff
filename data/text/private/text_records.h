/* The records of a user's file, in any form. Tokens are learned from them, labels are found in them, and caches are
 * made from them. */
#pragma once

#include "core/base/status.h"
#include "data/text/lines.h"
#include "data/text/text_data.h"

#include <stdbool.h>
#include <stdint.h>

/* Owned by its reader; valid until the reader's next call. */
typedef struct hl_text_record {
    const hl_span *texts;   /* tags: words; classes: one text or two; file: tokens; otherwise one text */
    const hl_span *labels;  /* tags, file: one per text (file: its text is NULL if it is not scored); classes: one */
    const int32_t *sources; /* file: one per text */
    int64_t n_texts;        /* 0: no more records */
    int64_t n_labels;
    bool goes_on; /* its text continues the previous one: running text, except at its beginning */
    bool validation;
    int64_t line, number; /* its first line; its number from 1, or 0 in running text */
} hl_text_record;

/* Texts of running text are parts of it. They are cut where no kind of tokens sees a difference: before white space
 * that follows something else; in a MiB without such a boundary, anywhere. */
typedef struct hl_text_records hl_text_records;

/* Opens the spec's file, or its validation file; progress receives `what`. If the spec has a validation file, all
 * records belong to the given split. Running text with a share is read once to find where validation begins.
 * HL_INVALID, HL_BAD_FILE, HL_NO_MEMORY; *out is then NULL. */
hl_status hl_text_records_open(const hl_text_spec *spec, hl_split split, const char *what, hl_text_records **out);

/* Reads a file of running text to its end, so that a line that is too long is refused before long work begins. Standard
 * input, and files of other forms, are not read. HL_BAD_FILE, HL_NO_MEMORY, failures of the spec's progress. */
hl_status hl_text_records_check(const hl_text_spec *spec, const char *path);

/* Reads the next record. Fails as the reader of its file. */
hl_status hl_text_records_next(hl_text_records *records, hl_text_record *record);

const hl_lines *hl_text_records_lines(const hl_text_records *records);

void hl_text_records_close(hl_text_records *records); /* NULL is allowed */
