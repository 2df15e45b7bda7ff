/* The text of --help, from the folder help/. "{heads}" and the like stand for the names of programs. */
#ifndef HL_PROGRAMS_TRAIN_HELP_H
#define HL_PROGRAMS_TRAIN_HELP_H

extern const char hl_train_help_usage[];

#endif
