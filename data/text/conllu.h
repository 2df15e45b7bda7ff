/* Treebanks in CoNLL-U, a sentence at a time, and written back with another column.
 *
 * A word is a line of ten columns, separated by tabs, with the ID 1, 2, ... Ranges (3-4) and empty nodes (5.1) are
 * checked, are no words, and are written back. Lines that begin with # before a sentence's words are comments. An empty
 * line ends a sentence; the last one may lack it, and more empty lines than needed do no harm. */
#ifndef HL_DATA_TEXT_CONLLU_H
#define HL_DATA_TEXT_CONLLU_H

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

enum { HL_CONLLU_BYTES = 1 << 24 }; /* the longest sentence, with its comments */

/* The column of that name ("UPOS"; case does not count), -1 where there is none. */
int hl_conllu_column_find(const char *name);

/* What is looked at besides columns and IDs. */
typedef enum hl_conllu_check {
    HL_CONLLU_WORDS, /* nothing: HEAD and DEPREL may hold anything */
    HL_CONLLU_TREE,  /* every HEAD: an integer, 0 .. the sentence's words; exactly one root (HEAD 0), no circle */
    HL_CONLLU_ROOTS, /* the same, with one or more roots */
    HL_CONLLU_TEXT,  /* nothing; and the file may be plain text instead, where its first line that is neither empty nor
                        begins with # has no tab: each of its lines is then a sentence, also one that begins with #, of
                        the words that white space separates, as if it stood there as CoNLL-U with nothing stated */
    HL_CONLLU_LINES, /* the same; a line of plain text without a word is a sentence, too, without raw bytes */
} hl_conllu_check;

typedef struct hl_conllu_word {
    hl_span columns[HL_CONLLU_COLUMNS]; /* never empty; "_" where nothing is stated */
    int64_t head;                       /* the ID of its head, 0 for a root; -1 where trees are not checked */
    int64_t line;                       /* its number in the file */
} hl_conllu_word;

/* Owned by its reader; stands until the reader's next call. */
typedef struct hl_conllu_sentence {
    const hl_conllu_word *words; /* of IDs 1 .. n_words */
    int64_t n_words;             /* at least 1; of HL_CONLLU_LINES perhaps 0 */
    hl_span document;            /* the id of the last "# newdoc" so far; empty where it has none, or there was none */
    hl_span raw;                 /* all its bytes in the file, comments and empty lines around it included */
    int64_t line;                /* the number of the first line of `raw` */
} hl_conllu_sentence;

typedef struct hl_conllu hl_conllu;

/* Opens a treebank: a file, plain or gzipped, or "-". HL_BAD_FILE, HL_NO_MEMORY as hl_lines_open; *out is then NULL. On
 * success it is the caller's: hl_conllu_close. */
hl_status hl_conllu_open(const char *path, hl_conllu_check check, hl_conllu **out);

/* The next sentence, *sentence; NULL after the last. Fails as hl_lines_next does, and with HL_BAD_FILE:
 *     <path>: holds no sentence
 *     <path>:<line>: has 9 columns, not the 10 of CoNLL-U, which tabs separate
 *     <path>:<line>: column LEMMA is empty; _ stands for nothing
 *     <path>:<line>: ID 4 is out of order: 3, 3-... or 2.1 comes here
 *     <path>:<line>: the range ends after the sentence's last word, 4; the sentence has no words
 *     <path>:<line>: has a tab, and the file is read as plain text, as its first line has none
 *     <path>:<line>: a comment stands after words; is an empty line missing before it?
 *     <path>:<line>: the sentence is longer than <HL_CONLLU_BYTES> bytes; are empty lines missing?
 *     <path>:<line>: HEAD x is not an integer from 0 to 7, the words of its sentence
 *     <path>:<line>: HEAD 0 makes this a second root; the first is in line <line>
 *     <path>:<line>: the sentence has no root (HEAD 0)
 *     <path>:<line>: its heads lead back to it: a circle
 * After a failure the reader may only be closed. */
hl_status hl_conllu_next(hl_conllu *reader, const hl_conllu_sentence **sentence);

/* What was left after the last sentence, comments and empty lines, so that all can be written back; owned by the
 * reader. */
hl_span hl_conllu_rest(const hl_conllu *reader);

/* The lines that it reads, for notices and progress; owned by the reader. */
const hl_lines *hl_conllu_lines(const hl_conllu *reader);

/* The value of the sentence's comment "# key = value" ("# text = ...", "# sent_id = ..."), whose text is NULL where
 * there is none. */
hl_span hl_conllu_comment(const hl_conllu_sentence *sentence, const char *key);

/* A label without its subtype: "nmod" of "nmod:poss". */
hl_span hl_conllu_label(hl_span label);

/* Adds the sentence to the text as it stood in the file, but for the column, which holds values[i] for word i (`values`
 * NULL: all as it stood). A byte order mark before the first line (hl_lines_noticed) is no part of it. HL_INVALID
 * ("line 7: a value of column UPOS is empty, or holds a tab or an end of line") and HL_NO_MEMORY are left on the
 * text. */
void hl_conllu_print(const hl_conllu_sentence *sentence, hl_conllu_column column, const hl_span *values, hl_text *text);

void hl_conllu_close(hl_conllu *reader); /* NULL is allowed */

HL_END_DECLS

#endif
