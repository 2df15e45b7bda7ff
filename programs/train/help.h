/* The text of --help, which stands in help/. "{heads}" and the like stand for the programs' names. */
#ifndef HL_PROGRAMS_TRAIN_HELP_H
#define HL_PROGRAMS_TRAIN_HELP_H

extern const char hl_train_help_usage[];

#endif
