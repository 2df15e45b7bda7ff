#include "programs/ablate/plan.h"

#include "core/base/memory.h"
#include "programs/ablate/plan_data.h"
#include "programs/ablate/variants.h"
#include "train/footprint.h"
#include "train/setup.h"
#include "train/setup_pretrained.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SETTINGS_TEXT = 200 /* how much of them an error quotes */ };

typedef struct builder {
    const hl_ablate_command *command;
    hl_ablate_plan *plan;
    bool base_placed; /* it stands where the command has its values */
    FILE *out;
    hl_pretrained *open; /* of --from, as its shape; else NULL */
    hl_config_shape shape;
} builder;

/* ---- configs ---- */

/* The command's config with its overrides, of which the settings replace those of the same keys. */
static hl_status load(const builder *b, const hl_ablate_settings *settings, FILE *err, hl_config *config)
{
    const hl_ablate_command *command = b->command;
    hl_named_config named = command->config;
    char out[HL_CONFIG_OVERRIDE];
    if (command->out != NULL) {
        if (!hl_config_path_override("train.out", command->out, out)) {
            return hl_error(HL_INVALID, "command line: --out: longer than %d bytes", HL_CONFIG_MAX_PATH - 1);
        }
        hl_named_config_set(&named, out);
    }
    if (hl_named_config_sets(&named, "train.threads")) {
        return hl_error(HL_INVALID, "command line: train.threads: the trainings of a sweep share the cores; "
                                    "--jobs N says how many go on at a time");
    }
    for (int i = 0; i < settings->n; i++) {
        hl_named_config_set(&named, settings->texts[i]);
    }
    hl_config_options options = { .path = named.path,
                                  .overrides = named.overrides,
                                  .n_overrides = named.n_overrides,
                                  .shape = b->open != NULL ? &b->shape : NULL };
    HL_TRY(hl_load_config(options, err, config));
    hl_resolve_precision(config, command->config.path, err); /* a run, once begun, has no auto to be resumed with */
    config->train.threads = 0;
    return hl_ok();
}

static hl_status load_variant(const builder *b, const hl_ablate_settings *settings, hl_config *config)
{
    hl_status status = load(b, settings, NULL, config);
    if (status.code != HL_INVALID) {
        return status;
    }
    char which[SETTINGS_TEXT] = "";
    for (int i = 0; i < settings->n; i++) {
        size_t used = strlen(which);
        snprintf(which + used, sizeof which - used, "%s%s", i > 0 ? " " : "", settings->texts[i]);
    }
    return hl_error(HL_INVALID, "with %s: %s%s", which, status.text,
                    b->open != NULL && strstr(status.text, "the model of ") != NULL
                        ? " (with --from nothing varies that the model's weights are shaped by)"
                        : "");
}

/* ---- data ---- */

/* All cells use the data that are in the sweep's folder. */
static hl_status name_cache(const hl_config *base, hl_ablate_plan *plan)
{
    if (!hl_config_is_text(base, NULL) || *hl_config_string(base, base->task.cache) != '\0') {
        return hl_ok();
    }
    char override[HL_CONFIG_OVERRIDE];
    if (!hl_config_path_override("task.cache", hl_ablate_path_in(plan->folder, "data").text, override)) {
        return hl_error(HL_INVALID, "%s: its path is longer than %d bytes; choose a shorter one with --out",
                        plan->folder, HL_CONFIG_MAX_PATH - 1 - (int)sizeof "data");
    }
    plan->cache = hl_strdup(override);
    return plan->cache != NULL ? hl_ok() : hl_error_memory("the plan");
}

/* ---- variants ---- */

/* Names the variant, anew where it has names. */
static hl_status name(const hl_ablate_plan *plan, hl_ablate_variant *variant)
{
    hl_text text = { 0 };
    for (int k = 0; k < plan->n_keys; k++) {
        char value[HL_ABLATE_VALUE_TEXT];
        hl_ablate_key_value(plan->keys[k], &variant->config, value);
        hl_text_print(&text, "%s%s=%s", k > 0 ? "," : "", hl_ablate_key_label(plan->keys[k]), value);
    }
    hl_free(variant->values);
    hl_free(variant->name);
    variant->name = NULL;
    variant->values = text.bytes;
    HL_TRY(hl_text_status(&text));
    variant->name = hl_strdup(text.bytes);
    HL_NEED(variant->name != NULL, "the name of a row");
    for (char *c = variant->name; (c = strchr(c, ',')) != NULL;) {
        *c = ' ';
    }
    return hl_ok();
}

static const hl_ablate_variant *base_of(const hl_ablate_plan *plan)
{
    return &plan->variants[plan->base];
}

/* Names the variant and opens its text, after which a length may have its number. */
static hl_status name_and_open(const builder *b, hl_ablate_variant *variant, bool notices)
{
    HL_TRY(name(b->plan, variant));
    bool base = b->plan->n_variants == 0 || strcmp(variant->values, base_of(b->plan)->values) == 0;
    HL_TRY(hl_ablate_plan_data_open(b->command, b->plan, base ? "base" : variant->name, notices, b->out,
                                    b->open != NULL ? hl_pretrained_tokens(b->open) : NULL, &variant->config));
    HL_TRY(name(b->plan, variant));
    hl_footprint footprint;
    HL_TRY(hl_footprint_of_config(&variant->config, &footprint));
    variant->parameters = footprint.parameters;
    variant->flops = footprint.flops;
    variant->memory = footprint.total;
    return hl_ok();
}

static void free_variant(hl_ablate_variant *variant)
{
    hl_free(variant->values);
    hl_free(variant->name);
    *variant = (hl_ablate_variant){ 0 };
}

/* Moves the base, which has stood before all others until now, behind them. */
static void place_base(builder *b)
{
    hl_ablate_plan *plan = b->plan;
    const hl_ablate_variant base = plan->variants[0];
    plan->base = plan->n_variants - 1;
    memmove(plan->variants, plan->variants + 1, (size_t)plan->base * sizeof base);
    plan->variants[plan->base] = base;
    b->base_placed = true;
}

/* Adds the variant to the plan, which then owns it; where it equals the base, the base takes its place. */
static hl_status append(builder *b, hl_ablate_variant *variant)
{
    hl_ablate_plan *plan = b->plan;
    for (int64_t i = 0; i < plan->n_variants; i++) {
        if (strcmp(plan->variants[i].values, variant->values) != 0) {
            continue;
        }
        if (i == plan->base && !b->base_placed) {
            place_base(b);
            free_variant(variant);
            return hl_ok();
        }
        return hl_error(HL_INVALID, "command line: %s is asked for twice", variant->values);
    }
    hl_ablate_variant *more = hl_realloc(plan->variants, (size_t)plan->n_variants + 1, sizeof *more);
    HL_NEED(more != NULL, "the plan");
    plan->variants = more;
    plan->variants[plan->n_variants++] = *variant;
    return hl_ok();
}

static hl_status take(void *context, const hl_ablate_settings *settings)
{
    builder *b = context;
    hl_ablate_variant variant = { .row = settings->row };
    hl_status status = load_variant(b, settings, &variant.config);
    HL_THEN(status, name_and_open(b, &variant, false));
    HL_THEN(status, append(b, &variant));
    if (status.code != HL_OK) {
        free_variant(&variant);
    }
    return status;
}

/* ---- the plan ---- */

static hl_status set_seeds(const hl_ablate_command *command, hl_ablate_plan *plan, const hl_config *base)
{
    plan->first_seed = base->train.seed;
    plan->seeds = command->seeds;
    const hl_config_key *key = hl_config_key_at(offsetof(hl_config, train.seed));
    if ((double)plan->first_seed + (double)plan->seeds - 1 > key->most) {
        return hl_error(HL_INVALID, "%s: train.seed: %" PRId64 " leaves no room for %" PRId64 " seeds up to %.16g",
                        command->config.path, plan->first_seed, plan->seeds, key->most);
    }
    return hl_ok();
}

static hl_status check_cells(const hl_ablate_plan *plan)
{
    if (plan->n_variants > HL_ABLATE_MAX_CELLS / plan->seeds) {
        return hl_error(HL_INVALID,
                        "command line: %" PRId64 " rows of %" PRId64
                        " seeds are more than %d trainings; leave values or seeds out",
                        plan->n_variants, plan->seeds, HL_ABLATE_MAX_CELLS);
    }
    hl_config config; /* checks the lengths of the paths */
    for (int64_t i = 0; i < hl_ablate_plan_cells(plan); i++) {
        HL_TRY(hl_ablate_plan_config(plan, i, &config));
    }
    return hl_ok();
}

/* "runs/copy_task-ablation-heads-d_k": by default sweeps over other keys go to other folders. */
static hl_status name_folder(const hl_ablate_command *command, const char *out, char **folder)
{
    hl_text text = { 0 };
    hl_text_print(&text, "%s%s", out, command->out != NULL ? "" : command->table3 ? "-ablation-table3" : "-ablation");
    for (int i = 0; i < command->n_axes && command->out == NULL; i++) {
        const char *key = command->axes[i].key, *dot = strchr(key, '.');
        hl_text_print(&text, "-%s", dot != NULL ? dot + 1 : key);
    }
    *folder = text.bytes;
    return hl_text_status(&text);
}

static hl_status make(builder *b, FILE *err, hl_ablate_variant *base)
{
    const hl_ablate_settings none = { 0 };
    hl_ablate_plan *plan = b->plan;
    if (b->command->from != NULL) {
        HL_TRY(hl_pretrained_open(b->command->from, &b->open));
        HL_TRY(hl_setup_shape(b->open, b->command->from, &b->shape));
    }
    HL_TRY(load(b, &none, err, &base->config));
    HL_TRY(hl_setup_check_out(&base->config, b->command->config.path));
    HL_TRY(set_seeds(b->command, plan, &base->config));
    HL_TRY(name_folder(b->command, base->config.train.out, &plan->folder));
    HL_TRY(name_cache(&base->config, plan));
    HL_TRY(hl_ablate_variants_keys(b->command, &base->config, plan));
    HL_TRY(name_and_open(b, base, b->out != NULL));
    HL_TRY(append(b, base));
    const hl_config config = base->config;
    *base = (hl_ablate_variant){ 0 };
    HL_TRY(hl_ablate_variants_each(b->command, &config, take, b));
    char **base_name = &plan->variants[plan->base].name;
    hl_free(*base_name);
    *base_name = hl_strdup("base");
    return *base_name != NULL ? check_cells(plan) : hl_error_memory("the name of a row");
}

hl_status hl_ablate_plan_make(const hl_ablate_command *command, hl_ablate_plan *plan, FILE *out, FILE *err)
{
    *plan = (hl_ablate_plan){ .from = command->from };
    builder b = { .command = command, .plan = plan, .out = out };
    hl_ablate_variant base = { 0 };
    hl_status status = make(&b, err, &base);
    hl_setup_shape_free(&b.shape);
    hl_pretrained_close(b.open);
    free_variant(&base);
    return status;
}

void hl_ablate_plan_free(hl_ablate_plan *plan)
{
    for (int64_t i = 0; i < plan->n_variants; i++) {
        free_variant(&plan->variants[i]);
    }
    hl_free(plan->variants);
    hl_free(plan->folder);
    hl_free(plan->cache);
    hl_text_free(&plan->made);
    *plan = (hl_ablate_plan){ 0 };
}

hl_ablate_path hl_ablate_path_in(const char *folder, const char *name)
{
    hl_ablate_path path;
    snprintf(path.text, sizeof path.text, "%s/%s", folder, name);
    return path;
}

hl_ablate_name hl_ablate_plan_name(const hl_ablate_plan *plan, int64_t cell)
{
    hl_ablate_name name;
    snprintf(name.text, sizeof name.text, "%s,seed=%" PRId64, hl_ablate_plan_variant(plan, cell)->values,
             hl_ablate_plan_seed(plan, cell));
    return name;
}

hl_ablate_path hl_ablate_plan_path(const hl_ablate_plan *plan, int64_t cell)
{
    return hl_ablate_path_in(plan->folder, hl_ablate_plan_name(plan, cell).text);
}

void hl_ablate_plan_columns(const hl_ablate_plan *plan, const hl_config *config, hl_text *text)
{
    for (int k = 0; k < plan->n_keys; k++) {
        char value[HL_ABLATE_VALUE_TEXT];
        if (config != NULL) {
            hl_ablate_key_value(plan->keys[k], config, value);
        }
        hl_text_print(text, ",%s", config != NULL ? value : hl_ablate_key_label(plan->keys[k]));
    }
}

hl_status hl_ablate_plan_config(const hl_ablate_plan *plan, int64_t cell, hl_config *config)
{
    const hl_ablate_variant *variant = hl_ablate_plan_variant(plan, cell);
    *config = variant->config;
    config->train.seed = hl_ablate_plan_seed(plan, cell);
    int length = snprintf(config->train.out, sizeof config->train.out, "%s/%s,seed=%" PRId64, plan->folder,
                          variant->values, config->train.seed);
    return length < (int)sizeof config->train.out
               ? hl_ok()
               : hl_error(HL_INVALID,
                          "%s: the paths of the runs in it would be longer than %zu bytes; choose a "
                          "shorter one with --out",
                          plan->folder, sizeof config->train.out - 1);
}

hl_status hl_ablate_plan_text(const hl_ablate_plan *plan, hl_text *text)
{
    hl_text_print(text, "seeds = %" PRId64 " .. %" PRId64 "\n", plan->first_seed, plan->first_seed + plan->seeds - 1);
    if (plan->from != NULL) {
        hl_text_print(text, "from = %s\n", plan->from);
    }
    for (int64_t i = 0; i < plan->n_variants; i++) {
        hl_config config = plan->variants[i].config;
        config.train.out[0] = '\0'; /* left out, since the folder may have been moved */
        char *content = hl_config_text(&config);
        HL_NEED(content != NULL, "the plan");
        hl_text_print(text, "\n---- %s ----\n%s", plan->variants[i].name, content);
        hl_free(content);
    }
    return hl_text_status(text);
}
