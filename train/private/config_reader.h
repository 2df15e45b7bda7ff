/* A config being read: what was given where, and what is wrong with it; for train/config*.c alone. */
#ifndef HL_TRAIN_PRIVATE_CONFIG_READER_H
#define HL_TRAIN_PRIVATE_CONFIG_READER_H

#include "train/config_keys.h"

enum { HL_CONFIG_NOWHERE = 0, HL_CONFIG_COMMAND_LINE = -1, HL_CONFIG_SHAPE = -2 /* reader->shape */ };

/* Where a key was given last. */
typedef struct hl_config_given {
    int line;    /* of the file, or one of the above */
    int count;   /* of HL_CONFIG_PER_LAYER: how many numbers */
    bool faulty; /* nothing is concluded from it: its value could not be read, or a misspelt key may have meant it */
} hl_config_given;

typedef struct hl_config_reader {
    const char *path;
    const hl_config_shape *shape; /* or NULL */
    hl_config *config;
    hl_problems *problems;
    hl_config_given given[HL_CONFIG_MOST_KEYS]; /* in the order of hl_config_keys */
    bool unclear; /* a line that could not be understood may have meant any key: no keys are checked against others */
} hl_config_reader;

/* What was given for the key whose field is that of hl_config: HL_CONFIG_GIVEN(reader, model.heads). */
#define HL_CONFIG_GIVEN(reader, field) (&(reader)->given[hl_config_key_at(offsetof(hl_config, field)) - hl_config_keys])

/* Adds the problem "file:line: <text>", "command line: <text>", of the shape "folder: <text>" or, from nowhere,
 * "file: <text>". */
void hl_config_complain(hl_config_reader *reader, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* train.out = runs/<the file's name without folders and extension> where none was given; it stays "" where that names
 * no folder (hl_setup_check_out). */
void hl_config_resolve_out(hl_config_reader *reader);

/* Replaces what stands for a default by its value, gives every layer its numbers, and checks what concerns more than
 * one key. Adds problems. */
void hl_config_resolve(hl_config_reader *reader);

/* Gives keys that were not given the shape's values, before the config is resolved, and complains of those that are in
 * no key's range; and complains of those given that contradict it, after that. */
void hl_config_take_shape(hl_config_reader *reader);
void hl_config_check_shape(hl_config_reader *reader);

#endif
