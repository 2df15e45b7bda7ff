/* A program's command line, read by a table of its options. */
#pragma once

#include "core/base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef enum hl_option_kind {
    HL_OPTION_FLAG,    /* bool: set; the option takes no value */
    HL_OPTION_TEXT,    /* const char *: "--name=value", or the word that follows; not empty */
    HL_OPTION_FILE,    /* likewise; "-" where no word follows, or one that begins with a dash and is longer */
    HL_OPTION_INT,     /* int in least .. most */
    HL_OPTION_INTEGER, /* int64_t in least .. most */
    HL_OPTION_NUMBER,  /* double in from .. to */
    HL_OPTION_READ,    /* a value that `read` reads into the command */
} hl_option_kind;

typedef struct hl_option {
    const char *name; /* without the dashes */
    hl_option_kind kind;
    size_t offset; /* of its field in the program's command */
    int64_t least, most;
    double from, to;
    hl_status (*read)(const char *name, const char *value, void *command);
} hl_option;

/* An option of the kind HL_OPTION_<what> whose value goes into a field of the struct `command`. */
#define HL_OPTION(word, what, command, field) \
    .name = (word), .kind = HL_OPTION_##what, .offset = offsetof(command, field)

/* Reads all words of the command line: options of the table of n into the fields of *command, every other word (one
 * without a dash, "-" alone, or any after "--") by `argument`. HL_INVALID with what is wrong and a hint: an unknown
 * option, a value that is missing, superfluous or wrong. Texts in *command belong to argv. */
hl_status hl_options_read(int argc, char **argv, const hl_option *options, int n,
                          hl_status (*argument)(const char *word, void *command), void *command);
