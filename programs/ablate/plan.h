/* What a sweep consists of: its variants (the config as it stands, the base, and others in which some keys have other
 * values), each trained with the same seeds. One training is a cell. */
#ifndef HL_PROGRAMS_ABLATE_PLAN_H
#define HL_PROGRAMS_ABLATE_PLAN_H

#include "core/base/text.h"
#include "programs/ablate/command.h"
#include "programs/ablate/keys.h"

enum {
    HL_ABLATE_MAX_KEYS = HL_ABLATE_MAX_AXES + 3, /* with d_k, d_v and kv_heads */
    HL_ABLATE_MAX_CELLS = 2000,
};

/* The name of a cell's folder, and a path in it or in the sweep's; a plan has checked that none is too long. */
typedef struct hl_ablate_name {
    char text[HL_CONFIG_MAX_PATH];
} hl_ablate_name;
typedef struct hl_ablate_path {
    char text[HL_CONFIG_MAX_PATH + 32];
} hl_ablate_path;

/* "<folder>/<name>". */
hl_ablate_path hl_ablate_path_in(const char *folder, const char *name);

typedef struct hl_ablate_variant {
    char *values;     /* "heads=8,d_k=4": of the plan's keys; owned */
    char *name;       /* the same with blanks for commas, or "base": how the CSV calls it; owned */
    char row;         /* of table 3: 'A', 'B', 'E'; 0: none */
    hl_config config; /* with the first seed; its threads are 0 */
    int64_t parameters;
    double flops;  /* of the matrix products of one update */
    size_t memory; /* bytes that a training takes; SIZE_MAX if they do not fit */
} hl_ablate_variant;

typedef struct hl_ablate_plan {
    char *folder;     /* owned, as the cache and the variants */
    char *cache;      /* "task.cache=<folder>/data", for every cell; NULL: of no text, or the config names one */
    hl_text made;     /* contents of the data that were made in <folder>/data (hl_data_options); owned */
    const char *from; /* as of the command; not owned */
    const hl_config_key *keys[HL_ABLATE_MAX_KEYS]; /* those that vary */
    int n_keys;
    hl_ablate_variant *variants;
    int64_t n_variants, base; /* the base's index */
    int64_t first_seed, seeds;
} hl_ablate_plan;

/* Plans what the command asks for, and checks the config of every variant. Of text it makes the data that are missing,
 * in one cache for all, and tells `out` (NULL: nobody) how far it is (hl_open_data). Variants come in the order of the
 * command, the last key's values changing fastest; the base is among them, where its values stand, else before them.
 * HL_INVALID: a wrong config, whose problems but one are printed to `err` (hl_load_config), or that of a variant, which
 * is named; a value given twice; too many cells. HL_BAD_FILE of a text; HL_NO_MEMORY. To be freed, whatever this
 * returns. */
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

/* The cell's name, "heads=8,seed=1", and its folder, which has that name in the sweep's. */
hl_ablate_name hl_ablate_plan_name(const hl_ablate_plan *plan, int64_t cell);
hl_ablate_path hl_ablate_plan_path(const hl_ablate_plan *plan, int64_t cell);

/* The cell's config: its own seed and folder; HL_INVALID if the folder's path is too long. */
hl_status hl_ablate_plan_config(const hl_ablate_plan *plan, int64_t cell, hl_config *config);

/* Adds all that makes this plan what it is, as text: two plans with the same text have the same cells. HL_NO_MEMORY. */
hl_status hl_ablate_plan_text(const hl_ablate_plan *plan, hl_text *text);

#endif
