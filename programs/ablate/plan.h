/* What a sweep consists of: its variants, each trained with the same seeds. One variant, the base, is the config
 * itself; in the others, some keys have other values. One training is a cell. */
#pragma once

#include "core/base/text.h"
#include "programs/ablate/command.h"
#include "programs/ablate/keys.h"

enum {
    HL_ABLATE_MAX_KEYS = HL_ABLATE_MAX_AXES + 3, /* with d_k, d_v and kv_heads */
    HL_ABLATE_MAX_CELLS = 2000,
};

/* The name of a cell's folder, and a path in it or in the sweep's folder. A plan has checked that none is too long. */
typedef struct hl_ablate_name {
    char text[HL_CONFIG_MAX_PATH];
} hl_ablate_name;
typedef struct hl_ablate_path {
    char text[HL_CONFIG_MAX_PATH + 32];
} hl_ablate_path;

/* "<folder>/<name>". */
hl_ablate_path hl_ablate_path_in(const char *folder, const char *name);

typedef struct hl_ablate_variant {
    char *values;     /* the values of the plan's keys, such as "heads=8,d_k=4"; owned */
    char *name;       /* the same with blanks instead of commas, or "base": the name in the CSV; owned */
    char row;         /* of table 3: 'A', 'B', 'E'; 0: none */
    hl_config config; /* with the first seed; its threads are 0 */
    int64_t parameters;
    double flops;  /* in the matrix products of one update */
    size_t memory; /* the bytes that a training needs; SIZE_MAX if they do not fit */
} hl_ablate_variant;

typedef struct hl_ablate_plan {
    char *folder;     /* owned, like the cache and the variants */
    char *cache;      /* "task.cache=<folder>/data" for every cell; NULL: no text, or the config names a cache */
    hl_text made;     /* names the data that were made in <folder>/data (hl_data_options); owned */
    const char *from; /* as in the command; not owned */
    const hl_config_key *keys[HL_ABLATE_MAX_KEYS]; /* the keys that vary */
    int n_keys;
    hl_ablate_variant *variants;
    int64_t n_variants, base; /* the base's index */
    int64_t first_seed, seeds;
} hl_ablate_plan;

/* Plans what the command asks for, and checks the config of every variant. For a text, it makes missing data in one
 * common cache, and reports the progress to `out`, which may be NULL (hl_open_data). Variants have the order of the
 * command; the values of the last key change fastest. The base stands among them if its values do, otherwise before
 * them. HL_INVALID: a wrong config, of whose problems all but one are printed to `err` (hl_load_config); a wrong config
 * of a variant, which is named; a value given twice; too many cells. HL_BAD_FILE from a text; HL_NO_MEMORY. To be
 * freed, whatever this returns. */
hl_status hl_ablate_plan_make(const hl_ablate_command *command, hl_ablate_plan *plan, FILE *out, FILE *err);

/* A zeroed or already freed plan is allowed. */
void hl_ablate_plan_free(hl_ablate_plan *plan);

/* Cell i of n_variants * seeds: variant i / seeds, seed i % seeds. */
static inline int64_t hl_ablate_plan_cells(const hl_ablate_plan *plan)
{
    return plan->n_variants * plan->seeds;
}
static inline const hl_ablate_variant *hl_ablate_plan_variant(const hl_ablate_plan *plan, int64_t cell)
{
    return &plan->variants[cell / plan->seeds];
}
static inline int64_t hl_ablate_plan_seed(const hl_ablate_plan *plan, int64_t cell)
{
    return plan->first_seed + cell % plan->seeds;
}

/* The cell's name, such as "heads=8,seed=1", and its folder, which has this name in the sweep's folder. */
hl_ablate_name hl_ablate_plan_name(const hl_ablate_plan *plan, int64_t cell);
hl_ablate_path hl_ablate_plan_path(const hl_ablate_plan *plan, int64_t cell);

/* Adds ",<value>" for each key that varies, as a row of a CSV has it; for NULL the keys' names. HL_NO_MEMORY is left on
 * the text. */
void hl_ablate_plan_columns(const hl_ablate_plan *plan, const hl_config *config, hl_text *text);

/* The cell's config, with its own seed and folder. HL_INVALID if the folder's path is too long. */
hl_status hl_ablate_plan_config(const hl_ablate_plan *plan, int64_t cell, hl_config *config);

/* Adds a text that identifies the plan: two plans with the same text have the same cells. HL_NO_MEMORY. */
hl_status hl_ablate_plan_text(const hl_ablate_plan *plan, hl_text *text);
