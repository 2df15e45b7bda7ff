/* The table of all keys, and functions that convert one value from and to text. For train/config*.c and
 * programs/ablate. */
#pragma once

#include "core/base/declarations.h"
#include "train/config.h"

HL_BEGIN_DECLS

enum {
    HL_CONFIG_SECTIONS = 6,
    HL_CONFIG_MOST_KEYS = 128, /* room for hl_config_n_keys */
    HL_CONFIG_VALUE_TEXT = HL_CONFIG_OVERRIDE,
    HL_CONFIG_WRONG_TEXT = 384, /* at least HL_INI_WRONG_TEXT */
    HL_CONFIG_PIECES = 8192,    /* default of tokens.size for wordpiece and bpe; the next is that of min_count */
    HL_CONFIG_MIN_COUNT = 2,
    HL_CONFIG_NO_NUMBER = -1,
};

typedef enum hl_config_type {
    HL_CONFIG_INTEGER,   /* int64_t, or int if the field has that size */
    HL_CONFIG_PER_LAYER, /* int32_t[HL_MAX_LAYERS]: "4" or "4, 2, 8"; HL_CONFIG_NO_NUMBER after the last number */
    HL_CONFIG_STEPS,     /* int64_t: a number, or "log" */
    HL_CONFIG_REAL,      /* double */
    HL_CONFIG_BOOLEAN,   /* bool */
    HL_CONFIG_CHOICE,    /* int or an enum: an index into `choices` */
    HL_CONFIG_PATH,      /* char[HL_CONFIG_MAX_PATH] */
    HL_CONFIG_STRING,    /* hl_config_string_at; may be empty */
} hl_config_type;

typedef struct hl_config_key {
    int section;      /* an index into hl_config_sections */
    const char *full; /* such as "model.heads" */
    const char *name; /* such as "heads" */
    hl_config_type type;
    size_t offset, size; /* of its field in hl_config */
    const char *initial; /* the default as a file would state it, or a text that stands for `derived` */
    const char *derived; /* if the default follows from other keys: how, in words; otherwise NULL */
    double least, most;  /* for numbers; both values are allowed */
    const char *const *choices;
    bool negated;    /* for HL_CONFIG_BOOLEAN: the field says the opposite */
    bool may_change; /* whether a resumed run may change the value */
    bool free;       /* whether it may differ from an open model's: it concerns training and the answers */
    bool of_heads;   /* whether it may do so if training begins with other weights, which chose among its heads */
    const char *help;
} hl_config_key;

typedef struct hl_config_section {
    const char *name;
    const char *help;
} hl_config_section;

extern const hl_config_section hl_config_sections[HL_CONFIG_SECTIONS];

/* All keys, in the order of sections. */
extern const hl_config_key hl_config_keys[];
extern const int hl_config_n_keys;

/* The key whose field starts at that offset in hl_config, such as offsetof(hl_config, model.heads). It must exist. */
const hl_config_key *hl_config_key_at(size_t offset);

/* The number of choices of a key of type HL_CONFIG_CHOICE. */
int hl_config_count_choices(const hl_config_key *key);

/* Whether the task of that name uses the key: the task's descriptor names it, or it is not a parameter of tasks. */
bool hl_config_key_used(const hl_config_key *key, const char *task);

/* One line of help for the task of that name. */
const char *hl_config_task_summary(const char *task);

/* Whether the key changes the results of a run. False for model.attention, train.threads, train.out, train.tensorboard,
 * [patterns] and paths of texts: they say where and how a run is computed, and what is recorded. */
bool hl_config_key_changes_results(const hl_config_key *key);

/* Reads `text`, trimmed and not empty, into the key's field. False with a reason in `wrong`; the config is then
 * unchanged. */
bool hl_config_read_value(const hl_config_key *key, const char *text, hl_config *config,
                          char wrong[HL_CONFIG_WRONG_TEXT]);

/* Writes the field's value as in a line of a config, in the shortest form that reads back as the same value. Texts have
 * quotes if they need them. Per-layer numbers become one number if all are equal. */
void hl_config_write_value(const hl_config_key *key, const hl_config *config, char text[HL_CONFIG_VALUE_TEXT]);

/* Copies the value of a field from `from` to `to`. Otherwise as hl_config_read_value. */
bool hl_config_copy_value(const hl_config_key *key, const hl_config *from, hl_config *to,
                          char wrong[HL_CONFIG_WRONG_TEXT]);

HL_END_DECLS
