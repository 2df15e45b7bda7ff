/* The data of a call of train: opened, with progress and notices. */
#ifndef HL_PROGRAMS_TRAIN_DATA_H
#define HL_PROGRAMS_TRAIN_DATA_H

#include "programs/train/program_run.h"
#include "train/setup_data.h"

/* Opens the config's data as call->dataset, with what follows from them in call->config, and the examples of
 * patterns.file as call->written. While a text is made into tokens it prints how far it is, then what was noticed, a
 * line each. A signal ends it: call->signal is then set, and there is no dataset. Fails as hl_setup_data and
 * hl_setup_examples, naming the config where a value is impossible. */
hl_status hl_train_call_open_data(hl_train_call *call, hl_data_use use);

/* Prints what the data hold where they are a text's, unless the call is quiet: all that is counted of them, or their
 * sizes alone (hl_data_told). A signal ends the counting: call->signal is then set. Fails as hl_data_told. */
hl_status hl_train_call_tell_data(hl_train_call *call, const hl_dataset *dataset, bool all);

/* Makes the examples of snapshots, as many as the budget has room for: the first of the validation set, or of
 * patterns.file. Fails as hl_dataset_make_examples. On success to be freed by hl_examples_free. */
hl_status hl_train_call_make_examples(hl_train_call *call, hl_examples *examples);

#endif
