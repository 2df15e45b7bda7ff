/* A config that is being read: what was given where, and what is wrong with it. For train/config*.c alone. */
#pragma once

#include "train/config_keys.h"

enum { HL_CONFIG_NOWHERE = 0, HL_CONFIG_COMMAND_LINE = -1, HL_CONFIG_SHAPE = -2 /* reader->shape */ };

/* Where a key was last given. */
typedef struct hl_config_given {
    int line;    /* of the file, or one of the constants above */
    bool faulty; /* no conclusion is drawn from it: its value could not be read, or a misspelt key may have meant it */
} hl_config_given;

typedef struct hl_config_reader {
    const char *path;
    const hl_config_shape *shape; /* or NULL */
    hl_config *config;
    hl_problems *problems;
    hl_config_given given[HL_CONFIG_MOST_KEYS]; /* in the order of hl_config_keys */
    bool unclear; /* a line that could not be understood may have meant any key: keys are not checked against each
                     other */
} hl_config_reader;

/* A key, by its field in hl_config: HL_CONFIG_AT(model.heads). And what was given for it. */
#define HL_CONFIG_AT(field) offsetof(hl_config, field)
hl_config_given *hl_config_given_at(hl_config_reader *reader, size_t key);

/* Adds the problem "file:line: <text>" or "command line: <text>"; for the shape "folder: <text>"; from nowhere "file:
 * <text>". */
void hl_config_complain(hl_config_reader *reader, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same about the value of a key that does not go with the value of another, `with`; `key` itself if there is no
 * other. Names the line of the first, or if that was not given, of the second. If one of them is faulty, nothing
 * follows from it, and there is no complaint. */
void hl_config_complain_of(hl_config_reader *reader, size_t key, size_t with, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Sets train.out to runs/<the file's name without folders and extension> if it was not given. It stays "" if that names
 * no folder (hl_setup_check_out). */
void hl_config_resolve_out(hl_config_reader *reader);

/* Replaces placeholders of defaults by values, gives every layer its numbers, and checks rules about several keys. Adds
 * problems. */
void hl_config_resolve(hl_config_reader *reader);

/* _take: before the config is resolved, gives keys that were not given the shape's values, and complains about values
 * outside a key's range. _check: after that, complains about given keys that contradict the shape. */
void hl_config_take_shape(hl_config_reader *reader);
void hl_config_check_shape(hl_config_reader *reader);
