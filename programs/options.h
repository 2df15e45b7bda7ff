/* Options of a command line that a program reads one by one, from a table of its own. */
#ifndef HL_PROGRAMS_OPTIONS_H
#define HL_PROGRAMS_OPTIONS_H

#include "core/status.h"

#include <stdbool.h>

typedef enum hl_option_value {
    HL_OPTION_NO_VALUE,
    HL_OPTION_VALUE,          /* "--name=value", or in the word that follows */
    HL_OPTION_OPTIONAL_VALUE, /* likewise; "-" where no word follows, or one that begins with a dash and is longer */
} hl_option_value;

typedef struct hl_option {
    const char *name; /* without the dashes */
    hl_option_value value;
} hl_option;

/* The words of a command line, read one after the other; begun as { argc, argv, .at = 1 }. */
typedef struct hl_option_words {
    int argc;
    char **argv;
    int at;
    bool options_ended; /* by "--": what follows are arguments, whatever they begin with */
} hl_option_words;

/* Whether a word is left that is not "--". */
bool hl_option_words_left(hl_option_words *words);

/* Reads an option, and the word that follows where that is its value: *option is its index in the table of n, *value
 * its value or NULL; or an argument (a word without a dash, or any after "--"): *option is -1, *value the argument.
 * HL_INVALID with what is wrong and a hint: an option that is none of them, a value too many or too few. */
hl_status hl_option_next(hl_option_words *words, const hl_option *options, int n, int *option, const char **value);

/* A whole number in least .. most; HL_INVALID naming the option "--<name>". */
hl_status hl_option_integer(const char *name, const char *text, long long least, long long most, long long *value);

/* A number of seconds, 0.001 .. 3600; failures likewise. */
hl_status hl_option_seconds(const char *name, const char *text, double *value);

#endif
