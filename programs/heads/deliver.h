/* How an answer about heads reaches the user: as a table on the terminal, and as the files that are asked for. */
#ifndef HL_PROGRAMS_HEADS_DELIVER_H
#define HL_PROGRAMS_HEADS_DELIVER_H

#include "core/text.h"
#include "programs/heads/command.h"

#include <stdio.h>

/* Prints the table to `out`, unless a file of the command fills it, writes the others where --json, --csv and --md
 * say, and frees them all; there may be no `md`. The failure of a text that is asked for, HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_heads_deliver(const hl_heads_command *command, hl_text *table, hl_text *json, hl_text *csv, hl_text *md,
                           FILE *out);

#endif
