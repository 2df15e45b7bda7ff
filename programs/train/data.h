/* The data of a call of `train`: opens them with progress and notices. */
#pragma once

#include "pretrained/pretrained.h"
#include "programs/train/command.h"
#include "train/loop.h"
#include "train/setup_data.h"

/* All are owned, and NULL if there is none. */
typedef struct hl_train_data {
    hl_dataset *dataset;  /* the config's data; NULL once the trainer owns them */
    hl_dataset *written;  /* the examples of patterns.file */
    hl_followed followed; /* of patterns.treebank */
    hl_pretrained *open;  /* the folder of train.from */
} hl_train_data;

/* Opens the config's data, the examples of patterns.file and the treebank of patterns.treebank, and sets in the config
 * what follows from them. If `data->open` is open, it has the tokens. `named` is the config as the command line names
 * it. `begun`: the folder of a run that continues; NULL: a new run, or --check and the like. While a text is turned
 * into tokens, the progress is printed, then the notices, one per line. A signal ends this: *signal is then set, and
 * there is no dataset. Fails as hl_setup_data, hl_setup_examples and hl_setup_treebank, naming the config if a value is
 * impossible. */
hl_status hl_train_data_open(hl_train_data *data, hl_config *config, const hl_named_config *named, hl_data_use use,
                             const hl_run_folder *begun, hl_train_shown shown, int *signal);

/* Opens the data that another process has opened or made for this config, which does not change. `opened`: the other
 * process has opened the open model's folder in train.from. `beside` is the config's path. Fails as hl_setup_data or
 * hl_pretrained_open. */
hl_status hl_train_data_follow(hl_train_data *data, const hl_config *config, const char *beside, bool opened);

/* Prints what a text's data hold: all counts, or only the sizes (hl_data_told); and how many sentences of the treebank,
 * if there is one, are used, and why its mentions cannot be followed. If `out` is NULL, nothing is printed. A signal
 * ends the counting: *signal is then set. Fails as hl_data_told. */
hl_status hl_train_data_tell(const hl_dataset *dataset, const hl_followed *followed, const hl_config *config, bool all,
                             FILE *out, int *signal);

/* A zeroed or already freed one is allowed. Free everything that reads the treebank first. */
void hl_train_data_free(hl_train_data *data);

/* If there is a treebank, prepares loop->syntax for counting on it. The passes use the arena of the steps, which is
 * made larger if needed. `path` is the config's, for messages. HL_INVALID if no snapshot is taken; otherwise fails as
 * hl_syntax_csv_init. */
hl_status hl_train_syntax_init(hl_syntax_csv *syntax, const hl_followed *followed, hl_loop *loop, const char *path);

/* Opens its files in the run's folder. Fails as hl_data_save_treebank and hl_syntax_csv_open. */
hl_status hl_train_syntax_open(const hl_loop *loop, const char *path);

/* Prints the heads that earn a relation of the treebank in the last counts, one per line, at most six. Prints nothing
 * if there is no treebank or `out` is NULL. HL_NO_MEMORY. */
hl_status hl_train_tell_earned(const hl_syntax_csv *syntax, FILE *out);
