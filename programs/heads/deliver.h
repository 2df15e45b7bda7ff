/* How an answer about heads reaches the user: as a table on the terminal, and as the files that are asked for. */
#ifndef HL_PROGRAMS_HEADS_DELIVER_H
#define HL_PROGRAMS_HEADS_DELIVER_H

#include "core/base/text.h"
#include "programs/heads/command.h"
#include "show/picture.h"

#include <stdio.h>

/* An answer in all of its forms; it may have no Markdown. Owned by the caller: hl_heads_answer_free. */
typedef struct hl_heads_answer {
    hl_text table, json, csv, markdown;
} hl_heads_answer;

/* A zeroed or already freed one is allowed. */
void hl_heads_answer_free(hl_heads_answer *answer);

/* Prints the table to `out`, unless a file of the command fills it, writes the others where --json, --csv and --md
 * say, and frees them all. The failure of a text that is asked for, HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_heads_deliver(const hl_heads_command *command, hl_heads_answer *answer, FILE *out);

/* Draws with `draw`, which is given `context` and adds the bytes of the format to a text, and writes what --png, --svg
 * and --pdf ask for. Fails as `draw`; HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_heads_deliver_charts(const hl_heads_command *command,
                                  hl_status (*draw)(const void *context, hl_picture_format format, hl_text *bytes),
                                  const void *context, FILE *out);

#endif
