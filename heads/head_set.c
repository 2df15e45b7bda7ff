#include "heads/head_set.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

hl_head_name hl_head_name_of(int layer, int64_t head)
{
    hl_head_name name;
    if (head < 0) {
        snprintf(name.text, sizeof name.text, "L%dH*", layer);
    } else {
        snprintf(name.text, sizeof name.text, "L%dH%" PRId64, layer, head);
    }
    return name;
}

hl_head_place hl_head_at(const hl_model_config *config, int64_t index)
{
    hl_head_place at = { .head = index };
    while (at.head >= config->heads[at.layer]) {
        at.head -= config->heads[at.layer++];
    }
    return at;
}

hl_head_name hl_head_name_at(const hl_model_config *config, int64_t index)
{
    hl_head_place at = hl_head_at(config, index);
    return hl_head_name_of(at.layer, at.head);
}

int64_t hl_heads_before(const hl_model_config *config, int layer)
{
    int64_t n = 0;
    for (int l = 0; l < layer; l++) {
        n += config->heads[l];
    }
    return n;
}

int64_t hl_heads_count(const hl_model_config *config)
{
    return hl_heads_before(config, config->n_layers);
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

int64_t hl_heads_widest(const hl_model_config *config)
{
    int64_t widest = 0;
    for (int l = 0; l < config->n_layers; l++) {
        widest = larger(config->d_v[l], widest);
    }
    return widest;
}

int64_t hl_heads_width(const hl_model_config *config)
{
    int64_t width = 0;
    for (int l = 0; l < config->n_layers; l++) {
        width = larger(config->heads[l] * config->d_v[l], width);
    }
    return width;
}

int64_t hl_heads_most(const hl_model_config *config)
{
    int64_t most = 0;
    for (int l = 0; l < config->n_layers; l++) {
        most = larger(config->heads[l], most);
    }
    return most;
}

int64_t hl_head_set_size(const bool *set, int64_t n)
{
    int64_t size = 0;
    for (int64_t i = 0; i < n; i++) {
        size += set[i];
    }
    return size;
}

/* ---- reading ---- */

/* One name of a list. */
typedef struct item {
    const char *text;
    int length;
} item;

/* Numbers have at most nine digits. *head is -1 for a star. */
static bool read_item(item name, int64_t *layer, int64_t *head)
{
    char layer_text[10], head_text[10];
    int end = 0, star = 0;
    int found = sscanf(name.text, "%*1[Ll]%9[0-9]%*1[Hh]%n%9[0-9]%n", layer_text, &star, head_text, &end);
    bool all = found == 1 && star > 0 && name.text[star] == '*';
    *layer = found > 0 ? strtoll(layer_text, NULL, 10) : 0;
    *head = all ? -1 : found > 1 ? strtoll(head_text, NULL, 10) : 0;
    return (all ? star + 1 : end) == name.length;
}

/* Reads the name of an existing head; *head is -1 for a star. */
static hl_status read_known(const hl_model_config *config, item name, int *layer, int64_t *head)
{
    int last = config->n_layers - 1;
    int64_t l;
    if (name.length == 0 || !read_item(name, &l, head)) {
        return hl_error(
            HL_INVALID,
            "\"%.*s\" is not a head; heads are L0H0 .. %s, and L0H* are all heads of layer 0, as in L0H0,%s",
            name.length, name.text, hl_head_name_of(last, config->heads[last] - 1).text,
            hl_head_name_of(last, -1).text);
    }
    if (l > last) {
        return hl_error(HL_INVALID, "\"%.*s\": no layer %" PRId64 "; the layers are 0 .. %d", name.length, name.text, l,
                        last);
    }
    *layer = (int)l;
    if (*head >= config->heads[l]) {
        return hl_error(HL_INVALID, "\"%.*s\": no head %" PRId64 " in layer %d; its heads are %s .. %s", name.length,
                        name.text, *head, *layer, hl_head_name_of(*layer, 0).text,
                        hl_head_name_of(*layer, config->heads[l] - 1).text);
    }
    return hl_ok();
}

hl_status hl_head_set_read(const hl_model_config *config, const char *name, int *layer, int64_t *head)
{
    return read_known(config, (item){ name, (int)strlen(name) }, layer, head);
}

hl_status hl_head_set_find(const hl_model_config *config, const char *name, int64_t *index)
{
    int layer;
    int64_t head;
    HL_TRY(hl_head_set_read(config, name, &layer, &head));
    *index = hl_heads_before(config, layer) + head;
    return head >= 0 ? hl_ok() : hl_error(HL_INVALID, "\"%s\" names all heads of a layer; name one", name);
}

hl_status hl_head_set_parse(const hl_model_config *config, const char *names, bool *set)
{
    memset(set, 0, (size_t)hl_heads_count(config) * sizeof *set);
    for (;;) {
        names += strspn(names, " ");
        size_t length = strcspn(names, ","), trimmed = length;
        while (trimmed > 0 && names[trimmed - 1] == ' ') {
            trimmed--;
        }
        int layer;
        int64_t head;
        HL_TRY(read_known(config, (item){ names, (int)trimmed }, &layer, &head));
        bool *its = set + hl_heads_before(config, layer);
        for (int64_t h = 0; h < config->heads[layer]; h++) {
            its[h] = its[h] || head < 0 || h == head;
        }
        if (names[length] == '\0') {
            return hl_ok();
        }
        names += length + 1;
    }
}

/* ---- writing ---- */

void hl_head_set_print(hl_text *text, const hl_model_config *config, const bool *set)
{
    const char *between = "";
    for (int l = 0; l < config->n_layers; set += config->heads[l], l++) {
        int64_t H = config->heads[l];
        bool all = H > 1 && hl_head_set_size(set, H) == H;
        if (all) {
            hl_text_print(text, "%s%s", between, hl_head_name_of(l, -1).text);
            between = ", ";
        }
        for (int64_t h = 0; h < H && !all; h++) {
            if (set[h]) {
                hl_text_print(text, "%s%s", between, hl_head_name_of(l, h).text);
                between = ", ";
            }
        }
    }
    hl_text_print(text, "%s", *between == '\0' ? "none" : "");
}
