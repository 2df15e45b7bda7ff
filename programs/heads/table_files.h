/* The table of all heads with the files around it: what `heads table` answers, and `heads grammar` beside its own. */
#ifndef HL_PROGRAMS_HEADS_TABLE_FILES_H
#define HL_PROGRAMS_HEADS_TABLE_FILES_H

#include "programs/heads/call.h"
#include "study/study.h"
#include "study/syntax_study.h"

/* A zeroed one but for `call` is at the beginning. Ended by hl_heads_table_files_free. */
typedef struct hl_heads_table_files {
    hl_heads_call *call;           /* not owned, as is the next */
    const hl_syntax_study *syntax; /* of the treebank that the command names, with examples; NULL: none */
    char *folder; /* of heads.csv and report.html: the run's, or that of sentences; NULL: none; owned */
    hl_heads_study study;
} hl_heads_table_files;

/* Finds the folder; with a treebank there is one only where sentences go to theirs. Fails as
 * hl_heads_examples_find_folder. */
hl_status hl_heads_table_files_find_folder(hl_heads_table_files *files);

/* Measures the heads of the snapshot of the command's step, prints the table, and writes heads.csv and report.html, or
 * the files that the command asks for. Fails as hl_opened_model_snapshot, hl_heads_study_make and files do. */
hl_status hl_heads_table_files_make(hl_heads_table_files *files);

/* A zeroed or already freed one is allowed. */
void hl_heads_table_files_free(hl_heads_table_files *files);

#endif
