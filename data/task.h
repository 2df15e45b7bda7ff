/* The sequence tasks: which keys of the config each one reads, and how it makes one example.
 *
 * A task is one const descriptor in its own file (task_copy.c, ...) with a line in HL_TASKS; hl_dataset makes batches
 * of it. The size n of an example is the number of its symbols or of its pairs. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "data/data_sizes.h"
#include "data/draw.h"
#include "data/vocabulary.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

enum {
    HL_TASK_MAX_SIZE = 1 << 16,    /* the largest length, pairs or queries */
    HL_TASK_MAX_SYMBOLS = 1 << 20, /* the largest symbols */
    HL_TASK_MAX_KEYS = 4,
    HL_TASK_MAX_RELATIONS = 8,
};

/* The section [task] of a config. A task reads the keys that its descriptor names, and no others. */
typedef struct hl_task_spec {
    const char *name;   /* read only during the call that receives it */
    int64_t length;     /* the largest n: how many symbols there are to read */
    int64_t min_length; /* the smallest n; equal to length if n is fixed */
    int64_t symbols;    /* how many different ordinary tokens there are */
    int64_t shift;      /* a number of positions, modulo n; may be negative */
    int64_t pairs;      /* number of key-value pairs to read */
    int64_t queries;    /* number of keys asked for, 1 .. pairs */
    int64_t order;      /* symbols in an n-gram */
} hl_task_spec;

/* The sizes of a task's examples, both ends included. */
typedef struct hl_task_sizes {
    int64_t smallest, largest;
} hl_task_sizes;

/* The memory of one example: arrays of n_tokens entries, as in hl_examples; not owned. */
typedef struct hl_example {
    int32_t *tokens, *targets, *sources;
    int32_t *relations[HL_TASK_MAX_RELATIONS]; /* one for each relation that the task defines */
} hl_example;

typedef struct hl_task {
    const char *name;
    const char *summary;                    /* one line of help */
    const char *keys[HL_TASK_MAX_KEYS + 1]; /* the keys of [task] that it reads besides `name`; ends with NULL */
    bool is_of_pairs;                       /* its only size is `pairs`; otherwise sizes are min_length .. length */

    /* The relations between tokens that it defines, where each direction is its own relation; ends with NULL. */
    const char *relations[HL_TASK_MAX_RELATIONS + 1];

    /* The number of ordinary tokens, and a function that adds them to the text, each on its own line. NULL:
     * spec->symbols; letters. HL_NO_MEMORY is left on the text. */
    int64_t (*n_words)(const hl_task_spec *spec);
    void (*words)(const hl_task_spec *spec, hl_text *text);

    /* Whether masks replace words. Two examples then count as the same sentence if the words under their masks are also
     * the same. */
    bool has_gaps;

    /* Whether it asks for the next symbol of a chain of symbols. The model must then be causal, and validation compares
     * it with the predictors of data/predictors.h. */
    bool is_chain;

    /* HL_INVALID names key, value and remedy. NULL: symbols and lengths must be in range. The other functions are
     * called only with accepted specs. */
    hl_status (*check)(const hl_task_spec *spec);

    /* The number of tokens in an example of that size; it grows with the size. NULL: the size. */
    int64_t (*n_tokens)(const hl_task_spec *spec, int64_t size);

    /* Writes every token of an example of that size, with random numbers from `draw` alone, and its targets, sources
     * and relations, all of which are HL_IGNORE before. If a source is given, the target follows from the token there:
     * it is that token, except in tasks with relations. Allocates nothing; cannot fail. */
    void (*make)(const hl_task_spec *spec, int64_t size, hl_draw *draw, hl_example example);
} hl_task;

/* clang-format off */
#define HL_TASKS(TASK) /* the name: hl_task_<name> of task_<name>.c */ \
    TASK(copy) \
    TASK(identity_copy) \
    TASK(reverse) \
    TASK(shift) \
    TASK(sort) \
    TASK(recall) \
    TASK(agreement) \
    TASK(ngram) \
    TASK(markov) \
    TASK(attachment)
/* clang-format on */

/* Task i in the list, or NULL past the last. */
const hl_task *hl_task_at(int i);

/* The task with that name, or NULL. */
const hl_task *hl_task_find(const char *name);

/* Checks that the name is a task's and that the values it reads are in range. Otherwise HL_INVALID with a text such as
 * "task.length = 0: must be from 1 to 65536". */
hl_status hl_task_check(const hl_task_spec *spec);

/* The sizes of the data for a spec that passes hl_task_check. */
hl_data_sizes hl_task_sizes_of(const hl_task_spec *spec);

/* What the descriptor says for such a spec: the sizes of examples; the tokens in an example of a size; an example. */
hl_task_sizes hl_task_range(const hl_task *task, const hl_task_spec *spec);
int64_t hl_task_n_tokens(const hl_task *task, const hl_task_spec *spec, int64_t size);
void hl_task_make(const hl_task *task, const hl_task_spec *spec, int64_t size, hl_draw *draw, hl_example example);

/* Three special tokens, then the task's words. HL_NO_MEMORY. The caller owns *out: hl_vocabulary_free. */
hl_status hl_task_vocabulary(const hl_task_spec *spec, hl_vocabulary **out);

HL_END_DECLS
