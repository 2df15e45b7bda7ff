/* Delivers an answer about heads to the user: as a table on the terminal, and as the requested files. */
#pragma once

#include "core/base/text.h"
#include "programs/heads/command.h"
#include "show/picture.h"

#include <stdio.h>

/* Pixels per inch: sharp in print at the size of a page, and on a screen of twice the usual density. */
enum { HL_HEADS_PNG_DPI = 300 };

/* Adds the bytes of a figure in this format to a text. */
typedef hl_status hl_heads_draw(const void *of, hl_picture_format format, hl_text *bytes);

/* An answer in all of its forms; Markdown may be missing. Owned by the caller, who frees it with
 * hl_heads_answer_free. */
typedef struct hl_heads_answer {
    hl_text table, json, csv, markdown;
    hl_heads_draw *draw; /* its figure; NULL: none */
    const void *of;      /* what is drawn; not owned */
} hl_heads_answer;

/* A zeroed or already freed one is allowed. */
void hl_heads_answer_free(hl_heads_answer *answer);

/* Prints the table to `out`, unless a file goes there; writes the files of --json, --csv and --md; frees all texts; and
 * writes the figures. The failure of a requested text, HL_BAD_FILE, HL_NO_MEMORY; fails as hl_heads_deliver_charts. */
hl_status hl_heads_deliver(const hl_heads_command *command, hl_heads_answer *answer, FILE *out);

/* Writes the files of --png, --svg and --pdf. Fails as `draw`; HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_heads_deliver_charts(const hl_heads_command *command, hl_heads_draw *draw, const void *of, FILE *out);
