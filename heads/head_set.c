#include "heads/head_set.h"

#include <inttypes.h>
#include <string.h>

int64_t hl_heads_count(const hl_model_config *config)
{
    int64_t n = 0;
    for (int l = 0; l < config->n_layers; l++) {
        n += config->heads[l];
    }
    return n;
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

/* Takes a number off *at; false where none stands there, or one that is no layer's or head's. */
static bool read_number(const char **at, int64_t *number)
{
    enum { DIGITS = 9 };
    const char *begin = *at;
    for (*number = 0; **at >= '0' && **at <= '9' && *at - begin < DIGITS; (*at)++) {
        *number = 10 * *number + (**at - '0');
    }
    return *at > begin;
}

/* Takes one of the letters off *at; false where none of them stands there. */
static bool read_letter(const char **at, const char *letters)
{
    bool found = **at != '\0' && strchr(letters, **at) != NULL;
    *at += found;
    return found;
}

/* *head is -1 for a star. */
static bool read_item(item name, int64_t *layer, int64_t *head)
{
    const char *at = name.text;
    if (!read_letter(&at, "Ll") || !read_number(&at, layer) || !read_letter(&at, "Hh")) {
        return false;
    }
    if (read_letter(&at, "*")) {
        *head = -1;
    } else if (!read_number(&at, head)) {
        return false;
    }
    return at == name.text + name.length;
}

static hl_status refuse(const hl_model_config *config, item name)
{
    int last = config->n_layers - 1;
    return hl_error(HL_INVALID,
                    "\"%.*s\" names no head; they are L0H0 .. L%dH%" PRId64 ", and L0H* are all of layer 0, as in "
                    "L0H0,L%dH*",
                    name.length, name.text, last, config->heads[last] - 1, last);
}

static hl_status add_item(const hl_model_config *config, item name, bool *set)
{
    int64_t layer, head;
    if (name.length == 0 || !read_item(name, &layer, &head)) {
        return refuse(config, name);
    }
    if (layer >= config->n_layers) {
        return hl_error(HL_INVALID, "\"%.*s\": no layer %" PRId64 "; the layers are 0 .. %d", name.length, name.text,
                        layer, config->n_layers - 1);
    }
    int64_t H = config->heads[layer];
    if (head >= H) {
        return hl_error(HL_INVALID,
                        "\"%.*s\": no head %" PRId64 " in layer %" PRId64 "; there L%" PRId64 "H0 .. L%" PRId64
                        "H%" PRId64,
                        name.length, name.text, head, layer, layer, layer, H - 1);
    }
    for (int l = 0; l < layer; l++) {
        set += config->heads[l];
    }
    for (int64_t h = 0; h < H; h++) {
        set[h] = set[h] || head < 0 || h == head;
    }
    return hl_ok();
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
        HL_TRY(add_item(config, (item){ names, (int)trimmed }, set));
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
        bool all = hl_head_set_size(set, H) == H;
        if (all) {
            hl_text_print(text, "%sL%dH*", between, l);
            between = ", ";
        }
        for (int64_t h = 0; h < H && !all; h++) {
            if (set[h]) {
                hl_text_print(text, "%sL%dH%" PRId64, between, l, h);
                between = ", ";
            }
        }
    }
    hl_text_print(text, "%s", *between == '\0' ? "none" : "");
}

void hl_head_set_print_one(hl_text *text, const hl_model_config *config, int64_t index)
{
    int l = 0;
    while (index >= config->heads[l]) {
        index -= config->heads[l++];
    }
    hl_text_print(text, "L%dH%" PRId64, l, index);
}
