/* The config of a run: every key with its value, from the defaults, the file and the command line's overrides.
 * config_keys.c is the table of keys, with defaults, ranges and meanings; fields have the same names, section.key. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "data/task.h"
#include "data/text/text_data.h"
#include "train/config_fields.h"
#include "train/problems.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* Tokens and a model that already exist (train/setup_pretrained.h). Keys of [model] that are not given, and train.from,
 * take their values from it. Keys that define what its weights compute, and tokens.kind, must agree; other keys of
 * [tokens] must not be given. */
typedef struct hl_config_shape {
    const char *path;   /* of its folder; used in messages */
    hl_config *of_task; /* by hl_text_task: [model], tokens.kind and train.from */
} hl_config_shape;

/* Finds the shape for a config. At this point the config has train.from and train.out, but no default that depends on
 * other keys. *shape stays NULL if the config needs none; otherwise it must live until the config is read. */
typedef hl_status (*hl_config_find_shape)(void *context, const hl_config *config, const hl_config_shape **shape);

typedef struct hl_config_options {
    const char *path;             /* of the file; its last part, without extension, names the default run folder */
    const char *const *overrides; /* n_overrides texts "section.key=value"; each replaces the file's value */
    int n_overrides;
    const hl_config_shape *shape;    /* or NULL */
    hl_config_find_shape find_shape; /* finds the shape if `shape` is NULL; may be NULL; called with `context` */
    void *context;
} hl_config_options;

/* Reads the file and the overrides into *config, with every default resolved. Each problem becomes one line "file:line:
 * ..." or "command line: ..." in `problems`, which must be empty before. A file with a newer format, or one that cannot
 * be read, is also a problem. With problems, the status is HL_INVALID with the text of the first one. HL_NO_MEMORY, and
 * failures of find_shape. *config is unusable after a failure. */
hl_status hl_config_load(hl_config_options options, hl_config *config, hl_problems *problems);

/* The same from the file's content; options.path only names it. */
hl_status hl_config_parse(hl_config_options options, const char *text, size_t size, hl_config *config,
                          hl_problems *problems);

/* Writes the override that sets a key, such as "train.out", to this path, whatever characters it has. False if the path
 * is longer than paths may be. */
bool hl_config_path_override(const char *key, const char *path, char override[HL_CONFIG_OVERRIDE]);

/* The config as the text of a config file that resolves to the same values. It has every key except those that the task
 * does not use. NULL when out of memory. Owned by the caller: hl_free. */
char *hl_config_text(const hl_config *config);

/* The format number in a comment of config.ini. It increases when a key, vocab.txt or a CSV file beside it changes its
 * meaning. */
enum { HL_CONFIG_FORMAT = 1 };
/* Writes config.ini, that comment and the text, and waits for the disk. HL_BAD_FILE, HL_NO_MEMORY; `path` is then as it
 * was. */
hl_status hl_config_write(const hl_config *config, const char *path);

/* As hl_config_text, but without keys that do not change a run's results: model.attention, train.threads, train.out,
 * [patterns] and the paths of text files. Files of weights carry this text, so that runs with equal results leave equal
 * files. NULL when out of memory. Owned by the caller: hl_free. */
char *hl_config_result_text(const hl_config *config);

/* Every key with type, range, default and meaning. _help: for a terminal of 80 columns. _reference: as a Markdown page.
 * NULL when out of memory. Owned by the caller: hl_free. */
char *hl_config_help(void);
char *hl_config_reference(void);

/* Whether the task is a text task; if so, *task is set to it (NULL is allowed). */
bool hl_config_is_text(const hl_config *config, hl_text_task *task);

/* The spec of a toy task for hl_dataset_open and hl_task_*; hl_task_check accepts it. The config does not own its
 * name. */
hl_task_spec hl_config_task_spec(const hl_config *config);

/* The first key, "section.key", that differs although a resumed run must not change it; NULL: there is none. */
const char *hl_config_difference(const hl_config *a, const hl_config *b);

HL_END_DECLS
