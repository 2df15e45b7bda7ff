/* Reads treebanks in CoNLL-U, one sentence at a time, and writes them back with another column.
 *
 * A word is a line of ten columns, separated by tabs, with the ID 1, 2, ... Ranges (3-4) and empty nodes (5.1) are
 * checked and written back, but are not words. Lines that begin with # before a sentence's words are comments. An empty
 * line ends a sentence. The last sentence may lack it, and additional empty lines do no harm. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "data/text/lines.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* clang-format off */
typedef enum hl_conllu_column {
    HL_CONLLU_ID, HL_CONLLU_FORM, HL_CONLLU_LEMMA, HL_CONLLU_UPOS, HL_CONLLU_XPOS,
    HL_CONLLU_FEATS, HL_CONLLU_HEAD, HL_CONLLU_DEPREL, HL_CONLLU_DEPS, HL_CONLLU_MISC,
    HL_CONLLU_COLUMNS
} hl_conllu_column;
/* clang-format on */

enum { HL_CONLLU_BYTES = 1 << 24 }; /* the longest sentence, including its comments */

/* The column with that name, such as "UPOS" (case does not count); -1 if there is none. */
int hl_conllu_column_find(const char *name);

/* What is checked besides columns and IDs. */
typedef enum hl_conllu_check {
    HL_CONLLU_WORDS, /* nothing: HEAD and DEPREL may hold anything */
    HL_CONLLU_TREE,  /* every HEAD: an integer, 0 .. the number of words; exactly one root (HEAD 0), no cycle */
    HL_CONLLU_ROOTS, /* the same, with one or more roots */
    HL_CONLLU_TEXT,  /* nothing; and the file may be plain text if its first line that is neither empty nor begins with
                        # has no tab. Each of its lines is then a sentence, even if it begins with #. Its words are
                        separated by white space, and all other columns are empty ("_") */
    HL_CONLLU_LINES, /* the same; a line of plain text without words is also a sentence, but it has no raw bytes */
} hl_conllu_check;

typedef struct hl_conllu_word {
    hl_span columns[HL_CONLLU_COLUMNS]; /* never empty; "_" if nothing is given */
    int64_t head;                       /* the ID of its head, 0 for a root; -1 if trees are not checked */
    int64_t line;                       /* its line number in the file */
    int64_t walk; /* for the reader: the word from which the walk to the root passed it first; 0: none */
} hl_conllu_word;

/* Owned by its reader; valid until the reader's next call. */
typedef struct hl_conllu_sentence {
    const hl_conllu_word *words; /* with IDs 1 .. n_words */
    int64_t n_words;             /* at least 1; with HL_CONLLU_LINES perhaps 0 */
    hl_span document;            /* the id of the last "# newdoc" so far; empty if it has no id, or there was none */
    bool begins_document;        /* a "# newdoc" stands before it */
    hl_span raw;                 /* all its bytes in the file, including comments and empty lines around it */
    int64_t line;                /* the number of the first line of `raw` */
} hl_conllu_sentence;

typedef struct hl_conllu hl_conllu;

/* Opens a treebank: a file, plain or gzipped, or "-". HL_BAD_FILE, HL_NO_MEMORY as hl_lines_open; *out is then NULL.
 * After success the caller owns it: hl_conllu_close. */
hl_status hl_conllu_open(const char *path, hl_conllu_check check, hl_conllu **out);

/* Sets *sentence to the next sentence, or NULL after the last. Fails as hl_lines_next does, and with HL_BAD_FILE:
 *     <path>: holds no sentence
 *     <path>:<line>: has 9 columns, not the 10 of CoNLL-U, which tabs separate
 *     <path>:<line>: column LEMMA is empty; _ stands for nothing
 *     <path>:<line>: ID 4 is out of order: 3, 3-... or 2.1 comes here
 *     <path>:<line>: the range ends after the sentence's last word, 4; the sentence has no words
 *     <path>:<line>: has a tab, but the file is read as plain text, because its first line has none
 *     <path>:<line>: a comment stands after words; is an empty line missing before it?
 *     <path>:<line>: the sentence is longer than <HL_CONLLU_BYTES> bytes; are empty lines missing?
 *     <path>:<line>: HEAD x is not an integer from 0 to 7, the words of its sentence
 *     <path>:<line>: HEAD 0 makes this a second root; the first is in line <line>
 *     <path>:<line>: the sentence has no root (HEAD 0)
 *     <path>:<line>: its heads lead back to it: a circle
 * After a failure the reader may only be closed. */
hl_status hl_conllu_next(hl_conllu *reader, const hl_conllu_sentence **sentence);

/* The comments and empty lines after the last sentence, so that everything can be written back. Owned by the reader. */
hl_span hl_conllu_rest(const hl_conllu *reader);

/* The lines that the reader reads, for notices and progress. Owned by the reader. */
const hl_lines *hl_conllu_lines(const hl_conllu *reader);

/* The value of the sentence's comment "# key = value" ("# text = ...", "# sent_id = ..."). Its text is NULL if there is
 * no such comment. */
hl_span hl_conllu_comment(const hl_conllu_sentence *sentence, const char *key);

/* A label without its subtype: "nmod" for "nmod:poss". */
hl_span hl_conllu_label(hl_span label);

/* Takes the next item off a list that | separates, as in FEATS and MISC. False if there is none. */
bool hl_conllu_next_item(hl_span *list, hl_span *item);

/* Adds the sentence to the text as it was in the file, except for the column, which holds values[i] for word i
 * (`values` NULL: nothing changes). A byte order mark before the first line (hl_lines_noticed) is not included.
 * HL_INVALID ("line 7: a value of column UPOS is empty, or holds a tab or an end of line") and HL_NO_MEMORY are left on
 * the text. */
void hl_conllu_print(const hl_conllu_sentence *sentence, hl_conllu_column column, const hl_span *values, hl_text *text);

void hl_conllu_close(hl_conllu *reader); /* NULL is allowed */

HL_END_DECLS
