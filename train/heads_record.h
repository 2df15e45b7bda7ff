/* heads.csv: all metrics of all heads at all snapshots of a run (heads/heads_csv.h). */
#ifndef HL_TRAIN_HEADS_RECORD_H
#define HL_TRAIN_HEADS_RECORD_H

#include "heads/text.h"
#include "train/opened_run.h"

/* Adds the content of the run's heads.csv, read off its snapshots one after the other. HL_BAD_FILE (no snapshots, too),
 * HL_NO_MEMORY. */
hl_status hl_heads_record_make(const hl_opened_run *run, hl_text *text);

/* Writes it to heads.csv in the run's folder, as a whole or not at all. HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_heads_record_write(const hl_opened_run *run, const hl_text *text);

/* Both, for a run that has ended in the folder `path`. */
hl_status hl_heads_record_of(const char *path);

#endif
