/* One call of the program train: its state, and its main part, a run from its folder to the last file. program.c reads
 * the command line. */
#ifndef HL_PROGRAMS_TRAIN_PROGRAM_RUN_H
#define HL_PROGRAMS_TRAIN_PROGRAM_RUN_H

#include "data/text/word_forms.h"
#include "heads/recorder.h"
#include "heads/validation_sums_pass.h"
#include "pretrained/pretrained.h"
#include "programs/processes.h"
#include "programs/train/command.h"
#include "train/loop.h"
#include "train/run_folder.h"
#include "train/trainer.h"
#include "train/watch.h"

#include <stdio.h>

typedef struct hl_train_call {
    hl_ranks *ranks; /* not owned; NULL: the process is alone */
    hl_processes processes;
    hl_train_command command;
    FILE *out, *err; /* of rank 0; the others print nothing */
    hl_config config;
    hl_dataset *dataset;   /* the config's data, until they pass to the trainer */
    hl_dataset *written;   /* the examples of patterns.file; NULL where there are none */
    hl_treebank *treebank; /* of patterns.treebank; NULL where there is none */
    hl_pretrained *open;   /* the folder of train.from; NULL: none, or not needed */
    char *config_path;     /* the path that hl_find_config found; owned */
    char *result_text;     /* for the metadata of weights; owned */
    hl_run_folder folder;
    hl_trainer trainer;
    hl_recorder recorder;
    hl_word_forms words;          /* of text: of the recorder's examples */
    hl_validation_sums_pass sums; /* for the recorder */
    bool records;                 /* whether these two are in use */
    hl_syntax_csv syntax;         /* where there is a treebank */
    hl_tensorboard board;         /* where the config asks for it */
    hl_watch watch;
    hl_loop loop;
    int signal; /* that interrupted the run; 0: none */
} hl_train_call;

/* Trains what the command and the config ask for, in the run's folder, and prints to `out` and `err`; the rest of the
 * program must be zero but for folder.lock and loop.metrics.fd, which are -1. Where a signal interrupts it, it saves
 * and says so in `signal`. Fails as its parts do: HL_INVALID (a run in the way, another config), HL_BAD_FILE,
 * HL_NOT_FINITE, HL_NO_MEMORY, HL_FAILED. What it holds is freed by hl_train_call_free. */
hl_status hl_train_call_run(hl_train_call *program);

/* Frees the call, whatever became of it. The caller ends the progress line. */
void hl_train_call_free(hl_train_call *program);

#endif
