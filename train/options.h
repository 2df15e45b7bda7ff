/* Options of a command line that a program reads one by one, from a table of its own. */
#ifndef HL_TRAIN_OPTIONS_H
#define HL_TRAIN_OPTIONS_H

#include "core/status.h"

typedef enum hl_option_value {
    HL_OPTION_NO_VALUE,
    HL_OPTION_VALUE,          /* "--name=value", or in the word that follows */
    HL_OPTION_OPTIONAL_VALUE, /* likewise; "-" where no word follows, or one that begins with a dash and is longer */
} hl_option_value;

typedef struct hl_option {
    const char *name; /* without the dashes */
    hl_option_value value;
} hl_option;

/* Reads argv[*at], which begins with two dashes: *option is its index in the table of n, *value its value or NULL, of
 * argv; *at goes on to the last word used. HL_INVALID with what is wrong and a hint: an option that is none of them, a
 * value too many or too few. */
hl_status hl_option_read(const hl_option *options, int n, int argc, char **argv, int *at, int *option,
                         const char **value);

/* HL_INVALID: `argument` is no option; the one of the table that may be meant. */
hl_status hl_option_unknown(const hl_option *options, int n, const char *argument);

/* A whole number in least .. most; HL_INVALID naming the option "--<name>". */
hl_status hl_option_integer(const char *name, const char *text, long long least, long long most, long long *value);

#endif
