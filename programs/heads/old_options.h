/* The options that `heads` had before it had verbs. */
#ifndef HL_PROGRAMS_HEADS_OLD_OPTIONS_H
#define HL_PROGRAMS_HEADS_OLD_OPTIONS_H

#include "programs/heads/command.h"

/* HL_INVALID, with the whole command that replaces this one, if a word after argv[0] is an old option that `verb` does
 * not have; HL_NO_MEMORY. */
hl_status hl_heads_old_options_check(int argc, char **argv, const hl_heads_verb *verb);

#endif
