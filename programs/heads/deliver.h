/* Delivers an answer about heads to the user: as a table on the terminal, and as the requested files. */
#ifndef HL_PROGRAMS_HEADS_DELIVER_H
#define HL_PROGRAMS_HEADS_DELIVER_H

#include "core/base/text.h"
#include "programs/heads/command.h"
#include "show/picture.h"

#include <stdio.h>

/* An answer in all of its forms; Markdown may be missing. Owned by the caller, who frees it with
 * hl_heads_answer_free. */
typedef struct hl_heads_answer {
    hl_text table, json, csv, markdown;
} hl_heads_answer;

/* A zeroed or already freed one is allowed. */
void hl_heads_answer_free(hl_heads_answer *answer);

/* Prints the table to `out`, unless a file goes there; writes the files of --json, --csv and --md; and frees all texts.
 * The failure of a requested text, HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_heads_deliver(const hl_heads_command *command, hl_heads_answer *answer, FILE *out);

/* Writes the files of --png, --svg and --pdf. `draw` receives `context` and adds the bytes of a format to a text. Fails
 * as `draw`; HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_heads_deliver_charts(const hl_heads_command *command,
                                  hl_status (*draw)(const void *context, hl_picture_format format, hl_text *bytes),
                                  const void *context, FILE *out);

#endif
