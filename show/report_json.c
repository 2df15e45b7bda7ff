#include "show/private/report_json.h"

#include "core/memory.h"
#include "core/shown_text.h"
#include "core/text.h"
#include "show/private/packed.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* These functions own the JSON values they are given. A NULL value, or a NULL object or array to put it in, means that
 * memory is out. */
static bool set(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0;
}

static bool append(json_t *array, json_t *value)
{
    return json_array_append_new(array, value) == 0;
}

/* null for what is no number. */
static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* A text of any bytes as it is shown; `lines`: whether newlines stay. */
static json_t *shown_text(const char *bytes, bool lines)
{
    hl_text shown = { 0 };
    hl_text_print(&shown, "%s", ""); /* there are bytes, also of an empty text */
    hl_shown next;
    for (const char *rest; (rest = hl_shown_next(bytes, false, &next)) != NULL; bytes = rest) {
        hl_text_print(&shown, "%s", lines && *bytes == '\n' ? "\n" : next.bytes);
    }
    json_t *text = shown.error.code == HL_OK ? json_string(shown.bytes) : NULL;
    hl_text_free(&shown);
    return text;
}

static json_t *text_of(const char *bytes)
{
    return shown_text(bytes, false);
}

/* Frees `packed`. */
static json_t *packed_text(char *packed)
{
    json_t *text = packed != NULL ? json_string_nocheck(packed) : NULL;
    hl_free(packed);
    return text;
}

static json_t *packed_floats(const float *numbers, int64_t count)
{
    return packed_text(hl_packed(numbers, (size_t)count * sizeof *numbers));
}

static json_t *token_of(const hl_report_run *run, int32_t id)
{
    if (run->vocabulary != NULL && id >= 0 && id < hl_vocabulary_size(run->vocabulary)) {
        return text_of(hl_vocabulary_token(run->vocabulary, id));
    }
    char text[16];
    snprintf(text, sizeof text, "%d", (int)id);
    return json_string(text);
}

static bool add_tokens(json_t *tokens, const hl_report_run *run, int64_t e)
{
    const hl_report_maps *maps = run->maps;
    bool good = true;
    for (int64_t i = 0; i < maps->lengths[e]; i++) {
        bool known = maps->tokens != NULL;
        good =
            append(tokens, known ? token_of(run, maps->tokens[e * maps->n_tokens + i]) : token_of(run, (int32_t)i)) &&
            good;
    }
    return good;
}

/* One row of gold keys: of each query the position, or -1. */
static bool add_gold(json_t *rows, json_t *name, const int32_t *keys, int64_t n)
{
    json_t *row = json_object(), *list = json_array();
    bool good = true;
    for (int64_t i = 0; i < n; i++) {
        good = append(list, json_integer(keys[i])) && good;
    }
    good = set(row, "name", name) && good;
    good = set(row, "keys", list) && good;
    return append(rows, row) && good;
}

static json_t *relation_name(const hl_report_run *run, int64_t r)
{
    if (run->relations != NULL) {
        return text_of(run->relations[r]);
    }
    char text[32];
    snprintf(text, sizeof text, "relation %lld", (long long)r);
    return json_string(text);
}

static bool add_golds(json_t *rows, const hl_report_run *run, int64_t e)
{
    const hl_report_maps *maps = run->maps;
    int64_t T = maps->n_tokens, R = maps->n_relations, n = maps->lengths[e];
    bool good = true;
    if (maps->sources != NULL) {
        good = add_gold(rows, json_string("source"), maps->sources + e * T, n);
    }
    for (int64_t r = 0; r < R; r++) {
        good = add_gold(rows, relation_name(run, r), maps->relations + (e * R + r) * T, n) && good;
    }
    return good;
}

/* Adds the targets as ids; the run's `words` holds their texts. */
static bool add_targets(json_t *example, const hl_report_maps *maps, int64_t e)
{
    if (maps->targets == NULL) {
        return true;
    }
    json_t *targets = json_array();
    bool good = true;
    for (int64_t i = 0; i < maps->lengths[e]; i++) {
        good = append(targets, json_integer(maps->targets[e * maps->n_tokens + i])) && good;
    }
    return set(example, "targets", targets) && good;
}

static bool add_examples(json_t *examples, const hl_report_run *run)
{
    bool good = true;
    for (int64_t e = 0; e < run->maps->n_examples; e++) {
        json_t *example = json_object(), *tokens = json_array(), *gold = json_array();
        good = add_tokens(tokens, run, e) && add_golds(gold, run, e) && good;
        good = set(example, "tokens", tokens) && good;
        good = set(example, "gold", gold) && add_targets(example, run->maps, e) && good;
        good = append(examples, example) && good;
    }
    return good;
}

/* Each id's word, once. */
static bool add_words(json_t *words, const hl_report_run *run, const int32_t *ids)
{
    int64_t n = ids != NULL ? run->maps->n_examples * run->maps->n_tokens : 0;
    bool good = true;
    for (int64_t i = 0; i < n; i++) {
        char key[16];
        snprintf(key, sizeof key, "%d", (int)ids[i]);
        if (ids[i] != HL_IGNORE && json_object_get(words, key) == NULL) {
            good = set(words, key, token_of(run, ids[i])) && good;
        }
    }
    return good;
}

/* Of all targets and predictions. */
static bool add_all_words(json_t *words, const hl_report_run *run)
{
    bool good = add_words(words, run, run->maps->targets);
    for (int64_t i = 0; i < run->maps->n_kept; i++) {
        good = add_words(words, run, run->maps->kept[i].predictions) && good;
    }
    return good;
}

static bool add_effect(json_t *object, const hl_head_effect *effect)
{
    bool known = effect->faithful != HL_FAITHFUL_UNKNOWN;
    bool good = set(object, "importance", number(effect->importance));
    good = set(object, "loss_without", number(effect->loss_without)) && good;
    good = set(object, "standard_error", number(effect->standard_error)) && good;
    good = set(object, "kept", number(effect->kept)) && good;
    return set(object, "faithful", known ? json_boolean(effect->faithful == HL_FAITHFUL_YES) : json_null()) && good;
}

static bool add_effects(json_t *head, const hl_report_run *run, int layer, int64_t index)
{
    bool good = add_effect(head, &run->effects->heads[index]);
    const hl_group_effect *group =
        run->labels != NULL ? hl_effects_group(run->effects, layer, run->labels[index]) : NULL;
    if (group != NULL) {
        json_t *json = json_object();
        good = set(json, "heads", json_integer(group->n_heads)) && add_effect(json, &group->effect) && good;
        good = set(head, "group", json) && good;
    }
    return good;
}

static bool add_head(json_t *heads, const hl_report_run *run, int layer, int64_t h, int64_t index)
{
    json_t *head = json_object();
    bool good = set(head, "layer", json_integer(layer)) && set(head, "head", json_integer(h));
    if (run->labels != NULL) {
        const hl_label *label = &run->labels[index];
        good = set(head, "label", text_of(hl_label_text_of(*label, run->relations).text)) && good;
        good = set(head, "score", number(label->score.value)) && good;
        good = set(head, "baseline", number(label->score.baseline)) && good;
        good = set(head, "meaning", text_of(hl_label_meaning_of(*label, run->relations).text)) && good;
    }
    if (run->effects != NULL) {
        good = add_effects(head, run, layer, index) && good;
    }
    if (run->matches != NULL) {
        json_t *match = json_object();
        good = set(match, "head", json_integer(run->matches[index].head)) && good;
        good = set(match, "js", number(run->matches[index].js)) && good;
        good = set(head, "match", match) && good;
    }
    return append(heads, head) && good;
}

static bool add_heads(json_t *heads, const hl_report_run *run)
{
    bool good = true;
    int64_t index = 0;
    for (int l = 0; l < run->maps->n_layers; l++) {
        for (int64_t h = 0; h < run->maps->n_heads[l]; h++) {
            good = add_head(heads, run, l, h, index++) && good;
        }
    }
    return good;
}

static bool add_pass_layer(json_t *layers, const hl_head_pass *pass, const hl_head_pass_layer *layer)
{
    json_t *json = json_object();
    int64_t rows = pass->n_examples * pass->n_tokens, H = layer->n_heads, K = layer->n_kv_heads;
    bool good = set(json, "kv_heads", json_integer(K)) && set(json, "d_k", json_integer(layer->d_k));
    good = set(json, "d_v", json_integer(layer->d_v)) && good;
    good = set(json, "q", packed_floats(layer->q, rows * H * layer->d_k)) && good;
    good = set(json, "k", packed_floats(layer->k, rows * K * layer->d_k)) && good;
    good = set(json, "v", packed_floats(layer->v, rows * K * layer->d_v)) && good;
    good = set(json, "w_o", packed_floats(layer->w_o, pass->d_model * H * layer->d_v)) && good;
    good = set(json, "b_o", packed_floats(layer->b_o, pass->d_model)) && good;
    return append(layers, json) && good;
}

static bool add_pass(json_t *json, const hl_report_run *run)
{
    const hl_head_pass *pass = run->pass;
    json_t *layers = json_array();
    bool good =
        set(json, "examples", json_integer(pass->n_examples)) && set(json, "tokens", json_integer(pass->n_tokens));
    good = set(json, "d_model", json_integer(pass->d_model)) && good;
    for (int l = 0; l < pass->n_layers; l++) {
        good = add_pass_layer(layers, pass, &pass->layers[l]) && good;
    }
    return set(json, "layers", layers) && good;
}

/* ---- the text ---- */

static int add_piece(const char *bytes, size_t size, void *context)
{
    hl_text *text = context;
    const char *end = bytes + size;
    while (bytes < end) {
        const char *less = memchr(bytes, '<', (size_t)(end - bytes)); /* in strings alone */
        const char *stop = less != NULL ? less : end;
        hl_text_add(text, bytes, (size_t)(stop - bytes));
        if (less != NULL) {
            hl_text_add(text, "\\u003c", 6);
        }
        bytes = stop + (less != NULL);
    }
    return hl_text_status(text).code == HL_OK ? 0 : -1;
}

void hl_report_json_value(hl_text *text, json_t *value, bool good)
{
    size_t flags = JSON_COMPACT | JSON_REAL_PRECISION(9) | JSON_ENCODE_ANY;
    if (!good || value == NULL || json_dump_callback(value, add_piece, text, flags) != 0) {
        hl_text_fail(text, hl_error_memory("a report's data"));
    }
    json_decref(value);
}

static void print_member(hl_text *text, const char *key, json_t *value, bool good)
{
    hl_text_print(text, ",\"%s\":", key);
    hl_report_json_value(text, value, good);
}

static void print_texts(hl_text *text, const hl_report_run *run)
{
    hl_text_print(text, "\"name\":");
    hl_report_json_value(text, text_of(run->name), true);
    print_member(text, "config", shown_text(run->config, true), true);
    if (run->metrics_csv != NULL) {
        print_member(text, "metrics", packed_text(hl_packed(run->metrics_csv, strlen(run->metrics_csv))), true);
    }
}

static hl_status pack_piece(void *context, const char *bytes, size_t size)
{
    hl_packer *packer = context;
    hl_packer_add(packer, bytes, size);
    return hl_text_status(packer->text);
}

/* heads.csv is packed as it is printed. */
static void print_readings(hl_text *text, const hl_report_run *run)
{
    hl_packer packer;
    hl_text csv = { .drain = pack_piece, .context = &packer };
    hl_text_print(text, ",\"readings\":\"");
    hl_packer_begin(&packer, text);
    hl_heads_csv_print(run->csv, run->relations, &csv);
    hl_text_flush(&csv);
    hl_packer_end(&packer);
    hl_text_fail(text, hl_text_status(&csv));
    hl_text_free(&csv);
    hl_text_print(text, "\"");
}

static void print_snapshot(hl_text *text, const hl_report_maps *maps, const hl_report_map *map)
{
    size_t answers = (size_t)(maps->n_examples * maps->n_tokens) * sizeof(int32_t);
    json_t *snapshot = json_object();
    bool good = set(snapshot, "step", json_integer(map->step));
    good = set(snapshot, "levels", json_string_nocheck(map->levels)) && good;
    if (map->predictions != NULL) {
        good = set(snapshot, "predictions", packed_text(hl_packed(map->predictions, answers))) && good;
    }
    hl_report_json_value(text, snapshot, good);
}

static void print_snapshots(hl_text *text, const hl_report_maps *maps)
{
    hl_text_print(text, ",\"snapshots\":");
    for (int64_t i = 0; i < maps->n_kept; i++) {
        hl_text_print(text, "%s", i > 0 ? "," : "[");
        print_snapshot(text, maps, &maps->kept[i]);
    }
    hl_text_print(text, "]");
}

static void print_list(hl_text *text, const char *key, json_t *list, bool (*add)(json_t *, const hl_report_run *),
                       const hl_report_run *run)
{
    bool good = add(list, run);
    print_member(text, key, list, good);
}

void hl_report_json(hl_text *text, const hl_report_run *run)
{
    hl_text_print(text, "{");
    print_texts(text, run);
    if (run->csv != NULL) {
        print_readings(text, run);
    }
    print_member(text, "causal", json_boolean(run->maps->causal), true);
    print_member(text, "thinned", json_boolean(run->maps->stride > 1), true);
    print_list(text, "words", json_object(), add_all_words, run);
    print_list(text, "examples", json_array(), add_examples, run);
    print_snapshots(text, run->maps);
    print_list(text, "heads", json_array(), add_heads, run);
    if (run->pass != NULL && hl_head_pass_bytes(run->pass) <= HL_REPORT_PASS_BYTES) {
        print_list(text, "pass", json_object(), add_pass, run);
    }
    hl_text_print(text, "}");
}
