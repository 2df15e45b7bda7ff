/* The config of a run: every key with its value, after defaults, the file and the command line's overrides.
 * config_keys.c is the table of keys, with defaults, ranges and meanings; fields are named section.key as there. */
#ifndef HL_TRAIN_CONFIG_H
#define HL_TRAIN_CONFIG_H

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

/* The tokens and the model that there are already (train/setup_pretrained.h). Keys of [model] that are not given, and
 * train.from, take their values from it; those that say what its weights compute, and tokens.kind, must agree, and
 * other keys of [tokens] not be given. */
typedef struct hl_config_shape {
    const char *path;   /* of its folder, for messages */
    hl_config *of_task; /* by hl_text_task: [model], tokens.kind and train.from */
} hl_config_shape;

/* Finds the shape that a config asks for, of which train.from and train.out are known, and no default that follows from
 * others. *shape stays NULL where it asks for none; else it must stand until the config is read. */
typedef hl_status (*hl_config_find_shape)(void *context, const hl_config *config, const hl_config_shape **shape);

typedef struct hl_config_options {
    const char *path;             /* of the file; its last part without extension names the default run folder */
    const char *const *overrides; /* "section.key=value", n_overrides of them; each beats the file */
    int n_overrides;
    const hl_config_shape *shape;    /* or NULL */
    hl_config_find_shape find_shape; /* the shape where that is NULL; or NULL; with its context */
    void *context;
} hl_config_options;

/* Reads the file and the overrides into *config, every default resolved. Whatever is wrong, also a file of newer format
 * or one that cannot be read, is added to `problems`, empty before, each as a line "file:line: ..." or "command line:
 * ...", and makes the status HL_INVALID with the text of the first. HL_NO_MEMORY, and what find_shape fails with.
 * *config is unusable after failure. */
hl_status hl_config_load(hl_config_options options, hl_config *config, hl_problems *problems);

/* The same with the file's content given; options.path only names it. */
hl_status hl_config_parse(hl_config_options options, const char *text, size_t size, hl_config *config,
                          hl_problems *problems);

/* The override that sets the key, as "train.out", to this path, whatever its name. False where that is longer than
 * paths may be. */
bool hl_config_path_override(const char *key, const char *path, char override[HL_CONFIG_OVERRIDE]);

/* The config as the text of a config file that resolves to the same values, every key in it but those that the task
 * does not use. NULL when out of memory. Owned by the caller: hl_free. */
char *hl_config_text(const hl_config *config);

/* What a comment of config.ini says; counts on where a key, vocab.txt or a CSV file beside it changes its meaning. */
enum { HL_CONFIG_FORMAT = 1 };
/* Writes config.ini durably: that comment and the text. HL_BAD_FILE, HL_NO_MEMORY; `path` is then as it was. */
hl_status hl_config_write(const hl_config *config, const char *path);

/* The same as hl_config_text without the keys that change no number of a run's results, model.attention, train.threads,
 * train.out, [patterns] and where files of text are: what files of weights carry, so that runs with equal results leave
 * equal files. NULL when out of memory. Owned by the caller: hl_free. */
char *hl_config_result_text(const hl_config *config);

/* Every key with type, range, default and meaning: for a terminal of 80 columns; as a page of Markdown. NULL when out
 * of memory. Owned by the caller: hl_free. */
char *hl_config_help(void);
char *hl_config_reference(void);

/* Whether the task is one of text, and then *task (NULL is allowed) which. */
bool hl_config_is_text(const hl_config *config, hl_text_task *task);

/* What hl_dataset_open and hl_task_* take, of a toy task; hl_task_check passes it. Its name is not owned by the
 * config. */
hl_task_spec hl_config_task_spec(const hl_config *config);

/* The first key, "section.key", in which they differ and which a resumed run must not change; NULL: there is none. */
const char *hl_config_difference(const hl_config *a, const hl_config *b);

HL_END_DECLS

#endif
