/* The data of a call of train: opened, with progress and notices. */
#ifndef HL_PROGRAMS_TRAIN_DATA_H
#define HL_PROGRAMS_TRAIN_DATA_H

#include "programs/train/program_run.h"
#include "train/setup_data.h"

/* Opens the config's data as call->dataset, with what follows from them in call->config, and the examples of
 * patterns.file as call->written, and the treebank of patterns.treebank. While a text is made into tokens it prints how
 * far it is, then what was noticed, a line each. A signal ends it: call->signal is then set, and there is no dataset.
 * Fails as hl_setup_data, hl_setup_examples and hl_setup_treebank, naming the config where a value is impossible. */
hl_status hl_train_call_open_data(hl_train_call *call, hl_data_use use);

/* Opens as call->dataset the data that another process has opened or made by call->config, which stays as it is;
 * `opened`: it has opened train.from for them, the folder of an open model. Fails as hl_setup_data, or
 * hl_pretrained_open. */
hl_status hl_train_call_follow_data(hl_train_call *call, bool opened);

/* Prints what the data hold where they are a text's, unless the call is quiet: all that is counted of them, or their
 * sizes alone (hl_data_told); and how many sentences of a treebank are used. A signal ends the counting: call->signal
 * is then set. Fails as hl_data_told. */
hl_status hl_train_call_tell_data(hl_train_call *call, const hl_dataset *dataset, bool all);

/* Makes the examples of snapshots, as many as the budget has room for: the first of the validation set, or of
 * patterns.file. Fails as hl_dataset_make_examples. On success to be freed by hl_examples_free. */
hl_status hl_train_call_make_examples(hl_train_call *call, hl_examples *examples);

/* Where there is a treebank, prepares the counting on it: call->syntax. The passes use the arena of the steps, which is
 * made larger where that is needed. HL_INVALID where no snapshot is taken; else as hl_syntax_csv_init. */
hl_status hl_train_call_init_syntax(hl_train_call *call);

/* Opens its files in the run's folder. Fails as hl_data_save_treebank and hl_syntax_csv_open. */
hl_status hl_train_call_open_syntax(hl_train_call *call);

/* Prints the heads that earn a relation of the treebank in the last counts, a line each, six of them at most; nothing
 * where there is no treebank, or the call is quiet. HL_NO_MEMORY. */
hl_status hl_train_call_tell_earned(const hl_train_call *call);

#endif
