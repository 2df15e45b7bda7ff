/* The heads' numbers that the page steps through, packed. */
#include "core/base/memory.h"
#include "core/files/json_text.h"
#include "show/private/packed.h"
#include "show/private/report_json.h"

/* NULL stands for missing memory throughout. */

json_t *hl_report_packed_text(char *packed)
{
    json_t *text = packed != NULL ? json_string_nocheck(packed) : NULL;
    hl_free(packed);
    return text;
}

json_t *hl_report_floats(const float *numbers, int64_t count)
{
    return hl_report_packed_text(hl_packed(numbers, (size_t)count * sizeof *numbers));
}

static void set_floats(json_t **object, const char *key, const float *numbers, int64_t count)
{
    if (numbers != NULL) {
        hl_json_set(object, key, hl_report_floats(numbers, count));
    }
}

static json_t *pass_layer_object(const hl_head_pass *pass, const hl_head_pass_layer *layer)
{
    int64_t rows = pass->n_examples * pass->n_tokens, D = pass->d_model, H = layer->n_heads, K = layer->n_kv_heads;
    json_t *object =
        json_pack("{s:I, s:I, s:I, s:I, s:f, s:b, s:b}", "kv_heads", (json_int_t)K, "d_k", (json_int_t)layer->d_k,
                  "d_v", (json_int_t)layer->d_v, "window", (json_int_t)layer->window, "epsilon", layer->epsilon, "rms",
                  (int)layer->rms, "norm1", (int)layer->has_norm1);
    set_floats(&object, "lengths", layer->lengths, rows * H);
    set_floats(&object, "x", layer->x, rows * D);
    set_floats(&object, "q", layer->q, rows * H * layer->d_k);
    set_floats(&object, "k", layer->k, rows * K * layer->d_k);
    set_floats(&object, "v", layer->v, rows * K * layer->d_v);
    set_floats(&object, "u", layer->u, rows * H * layer->d_v);
    set_floats(&object, "w_o", layer->w_o, D * H * layer->d_v);
    set_floats(&object, "b_o", layer->b_o, D);
    set_floats(&object, "gain", layer->gain, D);
    set_floats(&object, "shift", layer->shift, D);
    return object;
}

json_t *hl_report_pass_object(const hl_head_pass *pass)
{
    int64_t rows = pass->n_examples * pass->n_tokens;
    json_t *layers = json_array();
    for (int l = 0; l < pass->n_layers; l++) {
        hl_json_append(&layers, pass_layer_object(pass, &pass->layers[l]));
    }
    json_t *object = json_pack("{s:I, s:I, s:I, s:b, s:b, s:b, s:o}", "examples", (json_int_t)pass->n_examples,
                               "tokens", (json_int_t)pass->n_tokens, "d_model", (json_int_t)pass->d_model, "whole",
                               (int)pass->whole, "exact", (int)pass->exact, "post", (int)pass->post, "layers", layers);
    set_floats(&object, "hidden", pass->hidden, rows * pass->d_model);
    set_floats(&object, "logits", pass->logits, rows);
    return object;
}
