/* Windows and rotary positions in config.json: of ModernBERT, as transformers 4 and 5 spell them. */
#include "pretrained/private/config_reader.h"

#include <string.h>

static const char file[] = "config.json";

enum { MOST_WINDOW = 1 << 20 /* that of the key window */ };

/* Whether the list has full attention in layers 0, n, 2n, ... and a window in all others. */
static bool is_every(const json_t *types, int64_t n)
{
    bool every = true;
    for (size_t l = 0; l < json_array_size(types); l++) {
        const char *type = json_string_value(json_array_get(types, l));
        const char *wanted = (int64_t)l % n == 0 ? "full_attention" : "sliding_attention";
        every = every && type != NULL && strcmp(type, wanted) == 0;
    }
    return every;
}

static hl_status read_layer_types(hl_pretrained *folder)
{
    hl_model_config *c = &folder->model;
    const json_t *types = hl_config_json_member(folder, "layer_types");
    HL_TRY(hl_config_json_size(folder, "global_attn_every_n_layers", 1, 3, &c->global_every));
    c->global_every = c->global_every < c->n_layers ? c->global_every : c->n_layers; /* the same layers */
    if (types == NULL) {
        return hl_ok();
    }
    if (!json_is_array(types) || json_array_size(types) != (size_t)c->n_layers) {
        return hl_pretrained_error(folder, file, "layer_types is no list of num_hidden_layers = %d", c->n_layers);
    }
    if (is_every(types, c->global_every)) {
        return hl_ok();
    }
    c->global_every = 1;
    while (c->global_every <= c->n_layers && !is_every(types, c->global_every)) {
        c->global_every++;
    }
    return c->global_every <= c->n_layers
               ? hl_ok()
               : hl_pretrained_error(folder, file,
                                     "layer_types is supported only if full_attention is in every n-th "
                                     "layer, from the first on, and sliding_attention in all others");
}

/* Whether a member is missing, or the text "default". */
static bool is_default(const json_t *rope, const char *key)
{
    const json_t *value = json_object_get(rope, key);
    const char *text = json_string_value(value);
    return value == NULL || (text != NULL && strcmp(text, "default") == 0);
}

/* The theta of global or of local layers: in `rope_parameters`, or under its own key. There null stands for the
 * theta of global layers. */
static hl_status read_theta(hl_pretrained *folder, const char *type, const char *key, double otherwise, double *theta)
{
    const json_t *all = hl_config_json_member(folder, "rope_parameters"), *rope = json_object_get(all, type);
    if (hl_config_json_member(folder, "rope_scaling") != NULL || !is_default(rope, "rope_type") ||
        !is_default(rope, "type") || (all != NULL && !json_is_object(rope))) {
        return hl_pretrained_error(folder, file,
                                   "rotary positions are supported only as rope_type = default, of full_attention and "
                                   "sliding_attention");
    }
    const json_t *value = json_object_get(rope, "rope_theta"), *own = json_object_get(folder->config, key);
    value = value != NULL ? value : own;
    *theta = value == NULL ? otherwise : json_is_null(value) ? folder->model.rotary_theta : json_number_value(value);
    return *theta >= 1 && *theta <= 1e12 ? hl_ok()
                                         : hl_pretrained_error(folder, file, "%s is no number from 1 to 1e12", key);
}

hl_status hl_config_json_windows(hl_pretrained *folder)
{
    hl_model_config *c = &folder->model;
    if (c->positions != HL_POSITIONS_ROTARY) {
        return hl_ok();
    }
    HL_TRY(hl_config_json_size(folder, "local_attention", 1, 128, &c->window));
    if (c->window > MOST_WINDOW) {
        return hl_pretrained_error(folder, file, "local_attention is above %d", (int)MOST_WINDOW);
    }
    HL_TRY(read_layer_types(folder));
    HL_TRY(read_theta(folder, "full_attention", "global_rope_theta", 160000, &c->rotary_theta));
    return read_theta(folder, "sliding_attention", "local_rope_theta", HL_ROTARY_THETA, &c->rotary_theta_local);
}
