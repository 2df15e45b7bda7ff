/* The data of a call of train: opened, with progress and notices. */
#ifndef HL_PROGRAMS_TRAIN_DATA_H
#define HL_PROGRAMS_TRAIN_DATA_H

#include "pretrained/pretrained.h"
#include "programs/train/command.h"
#include "train/loop.h"
#include "train/setup_data.h"

/* All are owned, and NULL if there is none. */
typedef struct hl_train_data {
    hl_dataset *dataset;   /* the config's data; NULL once the trainer owns them */
    hl_dataset *written;   /* the examples of patterns.file */
    hl_treebank *treebank; /* of patterns.treebank */
    hl_pretrained *open;   /* the folder of train.from */
} hl_train_data;

/* Opens the config's data, the examples of patterns.file and the treebank of patterns.treebank; what follows from the
 * data goes into the config. `data->open`, if it is open, has the tokens. `named` is the config as the command line
 * names it. `begun`: the folder of a run that goes on; NULL: a new run, or a look. While a text is made into tokens it
 * prints how far it is, then what was noticed, a line each. A signal ends it: *signal is then set, and there is no
 * dataset. Fails as hl_setup_data, hl_setup_examples and hl_setup_treebank, naming the config where a value is
 * impossible. */
hl_status hl_train_data_open(hl_train_data *data, hl_config *config, const hl_named_config *named, hl_data_use use,
                             const hl_run_folder *begun, hl_train_shown shown, int *signal);

/* Opens the data that another process has opened or made by the config, which stays as it is; `opened`: it has opened
 * train.from for them, the folder of an open model. `beside` is the config's path. Fails as hl_setup_data, or
 * hl_pretrained_open. */
hl_status hl_train_data_follow(hl_train_data *data, const hl_config *config, const char *beside, bool opened);

/* Prints what the data hold where they are a text's, unless `out` is NULL: all that is counted of them, or their sizes
 * alone (hl_data_told); and how many sentences of a treebank (or NULL) are used. A signal ends the counting: *signal is
 * then set. Fails as hl_data_told. */
hl_status hl_train_data_tell(const hl_dataset *dataset, const hl_treebank *treebank, const hl_config *config, bool all,
                             FILE *out, int *signal);

/* A zeroed or already freed one is allowed. What reads the treebank is freed before. */
void hl_train_data_free(hl_train_data *data);

/* Where there is a treebank, prepares the counting on it: loop->syntax. The passes use the arena of the steps, which is
 * made larger where that is needed. `path` is the config's, for messages. HL_INVALID if no snapshot is taken; else
 * as hl_syntax_csv_init. */
hl_status hl_train_syntax_init(hl_syntax_csv *syntax, const hl_treebank *treebank, hl_loop *loop, const char *path);

/* Opens its files in the run's folder. Fails as hl_data_save_treebank and hl_syntax_csv_open. */
hl_status hl_train_syntax_open(const hl_loop *loop, const char *path);

/* Prints the heads that earn a relation of the treebank in the last counts, a line each, six of them at most; nothing
 * where there is no treebank, or `out` is NULL. HL_NO_MEMORY. */
hl_status hl_train_tell_earned(const hl_syntax_csv *syntax, FILE *out);

#endif
