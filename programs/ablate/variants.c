#include "programs/ablate/variants.h"

#include "train/ini.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Adds "<full>=<value>". */
static hl_status add_text(hl_ablate_settings *settings, const char *full, const char *value)
{
    if (*value == '\0') {
        return hl_error(HL_INVALID, "command line: %s: a value is missing, as in %s=1,2,4", full, full);
    }
    char *text = settings->texts[settings->n];
    if (snprintf(text, HL_ABLATE_SETTING_TEXT, "%s=%s", full, value) >= HL_ABLATE_SETTING_TEXT) {
        return hl_error(HL_INVALID, "command line: %s: a value is longer than %d bytes", full,
                        HL_ABLATE_SETTING_TEXT - HL_ABLATE_KEY_TEXT);
    }
    settings->n++;
    return hl_ok();
}

static hl_status add_number(hl_ablate_settings *settings, const char *full, int64_t number)
{
    char value[32];
    snprintf(value, sizeof value, "%" PRId64, number);
    return add_text(settings, full, value);
}

/* ---- the keys ---- */

static bool varies(const hl_ablate_command *command, const char *full)
{
    for (int i = 0; i < command->n_axes; i++) {
        if (strcmp(command->axes[i].key, full) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether every layer's heads have the widths that follow from their number. */
static bool has_usual_widths(const hl_model_config *model)
{
    for (int64_t l = 0; l < model->n_layers; l++) {
        if (model->d_k[l] * model->heads[l] != model->d_model || model->d_v[l] * model->heads[l] != model->d_model) {
            return false;
        }
    }
    return true;
}

static bool shares_keys(const hl_model_config *model)
{
    return memcmp(model->kv_heads, model->heads, sizeof model->heads) != 0;
}

static hl_status add_key(hl_ablate_plan *plan, const char *full)
{
    HL_TRY(hl_ablate_key_find(full, &plan->keys[plan->n_keys]));
    plan->n_keys++;
    return hl_ok();
}

hl_status hl_ablate_variants_keys(const hl_ablate_command *command, const hl_config *base, hl_ablate_plan *plan)
{
    static const char *const widths[] = { "model.d_k", "model.d_v" };
    if (command->table3) {
        HL_TRY(add_key(plan, "model.heads"));
        HL_TRY(add_key(plan, "model.d_k"));
        HL_TRY(add_key(plan, "model.d_v"));
        return add_key(plan, "model.positions");
    }
    for (int i = 0; i < command->n_axes; i++) {
        HL_TRY(add_key(plan, command->axes[i].key));
    }
    /* --heads sets the usual widths; where the base has other widths, the widths vary too. */
    for (int i = 0; i < 2 && command->row_a && !has_usual_widths(&base->model); i++) {
        if (!varies(command, widths[i])) {
            HL_TRY(add_key(plan, widths[i]));
        }
    }
    return hl_ok();
}

/* ---- every combination of values ---- */

static int64_t count_values(const char *values)
{
    int64_t n = 1;
    for (; *values != '\0'; values++) {
        n += *values == ',';
    }
    return n;
}

/* With --heads, d_k and d_v follow from the number of heads; so does kv_heads, unless the base's heads share keys. */
static hl_status free_widths(const hl_ablate_command *command, const hl_config *base, hl_ablate_settings *settings)
{
    static const char *const keys[] = { "model.d_k", "model.d_v", "model.kv_heads" };
    int n = shares_keys(&base->model) ? 2 : 3;
    for (int i = 0; i < n && command->row_a; i++) {
        if (!varies(command, keys[i])) {
            HL_TRY(add_number(settings, keys[i], 0));
        }
    }
    return hl_ok();
}

/* Takes the settings so far with all combinations of the values of this axis and those after it. */
static hl_status each_from(const hl_ablate_command *command, const hl_config *base, int axis,
                           const hl_ablate_settings *so_far, hl_ablate_settings_take *take, void *context)
{
    if (axis == command->n_axes) {
        hl_ablate_settings settings = *so_far;
        HL_TRY(free_widths(command, base, &settings));
        return take(context, &settings);
    }
    for (const char *rest = command->axes[axis].values; rest != NULL;) {
        size_t length = strcspn(rest, ",");
        char value[HL_ABLATE_SETTING_TEXT];
        snprintf(value, sizeof value, "%.*s", (int)length, rest);
        hl_ablate_settings settings = *so_far;
        HL_TRY(add_text(&settings, command->axes[axis].key, hl_ini_trim(value)));
        HL_TRY(each_from(command, base, axis + 1, &settings, take, context));
        rest = rest[length] == ',' ? rest + length + 1 : NULL;
    }
    return hl_ok();
}

static hl_status each_combination(const hl_ablate_command *command, const hl_config *base,
                                  hl_ablate_settings_take *take, void *context)
{
    int64_t n = 1;
    for (int i = 0; i < command->n_axes; i++) {
        if (__builtin_mul_overflow(n, count_values(command->axes[i].values), &n) ||
            n > HL_ABLATE_MAX_CELLS / command->seeds) {
            return hl_error(HL_INVALID, "command line: more than %d trainings; leave values or seeds out",
                            HL_ABLATE_MAX_CELLS);
        }
    }
    return each_from(command, base, 0, &(hl_ablate_settings){ 0 }, take, context);
}

/* ---- table 3 ---- */

/* Whether every layer can have this many heads: the number divides d_model and, where heads share keys, is a multiple
 * of the layer's kv_heads. */
static bool fits(const hl_model_config *model, bool shares, int64_t heads)
{
    bool fits = heads > 0 && model->d_model % heads == 0;
    for (int64_t l = 0; l < model->n_layers && shares && fits; l++) {
        fits = heads % model->kv_heads[l] == 0;
    }
    return fits;
}

/* One head, and 1/2, 2 and 4 times as many, as the paper's 1, 4, 16 and 32 beside 8; those that fit. */
static hl_status each_of_row_a(const hl_model_config *model, bool shares, hl_ablate_settings_take *take, void *context)
{
    const int64_t H = model->heads[0], numbers[] = { 1, H / 2, 2 * H, 4 * H };
    for (int i = 0; i < 4; i++) {
        if (numbers[i] == H || !fits(model, shares, numbers[i]) || (i == 1 && numbers[i] == numbers[0])) {
            continue;
        }
        hl_ablate_settings settings = { .row = 'A' };
        HL_TRY(add_number(&settings, "model.heads", numbers[i]));
        HL_TRY(add_number(&settings, "model.d_k", 0));
        HL_TRY(add_number(&settings, "model.d_v", 0));
        if (!shares) {
            HL_TRY(add_number(&settings, "model.kv_heads", 0));
        }
        HL_TRY(take(context, &settings));
    }
    return hl_ok();
}

/* A quarter and half of d_k; d_v stays. */
static hl_status each_of_row_b(const hl_model_config *model, hl_ablate_settings_take *take, void *context)
{
    for (int64_t divisor = 4; divisor >= 2; divisor /= 2) {
        hl_ablate_settings settings = { .row = 'B' };
        if (model->d_k[0] % divisor == 0) {
            HL_TRY(add_number(&settings, "model.d_k", model->d_k[0] / divisor));
            HL_TRY(add_number(&settings, "model.d_v", model->d_v[0]));
            HL_TRY(take(context, &settings));
        }
    }
    return hl_ok();
}

static hl_status each_of_row_e(const hl_model_config *model, hl_ablate_settings_take *take, void *context)
{
    static const char *const kinds[] = {
        [HL_POSITIONS_SINUSOIDAL] = "sinusoidal",
        [HL_POSITIONS_LEARNED] = "learned",
        [HL_POSITIONS_NONE] = "none",
    };
    for (int i = 0; i < 3; i++) {
        hl_ablate_settings settings = { .row = 'E' };
        if (i != (int)model->positions) {
            HL_TRY(add_text(&settings, "model.positions", kinds[i]));
            HL_TRY(take(context, &settings));
        }
    }
    return hl_ok();
}

hl_status hl_ablate_variants_each(const hl_ablate_command *command, const hl_config *base,
                                  hl_ablate_settings_take *take, void *context)
{
    if (!command->table3) {
        return each_combination(command, base, take, context);
    }
    const hl_model_config *model = &base->model;
    for (int64_t l = 1; l < model->n_layers; l++) {
        if (model->heads[l] != model->heads[0] || model->d_k[l] != model->d_k[0] || model->d_v[l] != model->d_v[0]) {
            return hl_error(HL_INVALID, "command line: --table3 scales one number of heads and one width, but the "
                                        "config's differ between layers; use --vary");
        }
    }
    HL_TRY(each_of_row_a(model, shares_keys(model), take, context));
    HL_TRY(each_of_row_b(model, take, context));
    return each_of_row_e(model, take, context);
}
