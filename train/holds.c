#include "train/holds.h"

#include "heads/head_set.h"
#include "layers/head_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- reading ---- */

/* Reads a step of at most 18 digits at *at and moves past it; false if there is none. */
static bool read_step(const char **at, int64_t *step)
{
    int n = 0;
    bool found = sscanf(*at, "%18" SCNd64 "%n", step, &n) == 1 && **at >= '0' && **at <= '9';
    *at += found ? n : 0;
    return found;
}

/* Reads "", "@FIRST-" or "@FIRST-END" into the hold. */
static bool read_steps(const char *at, hl_hold *hold)
{
    hold->first = 0;
    hold->end = INT64_MAX;
    if (*at == '\0') {
        return true;
    }
    at++;
    if (!read_step(&at, &hold->first) || *at++ != '-') {
        return false;
    }
    return *at == '\0' || (read_step(&at, &hold->end) && *at == '\0');
}

static hl_status read_hold(const hl_model_config *model, const char *item, hl_hold *hold)
{
    char name[64];
    size_t length = strcspn(item, "@");
    snprintf(name, sizeof name, "%.*s", (int)length, item);
    HL_TRY(hl_head_set_read(model, name, &hold->layer, &hold->head));
    if (!read_steps(item + length, hold)) {
        return hl_error(HL_INVALID, "\"%s\": write steps as %s@FIRST-END, or %s@FIRST- for all steps from FIRST on",
                        item, name, name);
    }
    return hold->first < hold->end ? hl_ok()
                                   : hl_error(HL_INVALID, "\"%s\": the first step must be below the second", item);
}

hl_status hl_holds_parse(const hl_model_config *model, const char *text, hl_holds *holds)
{
    enum { ITEM = 64 };
    holds->n = 0;
    while (*(text += strspn(text, " ")) != '\0') {
        size_t length = strcspn(text, ","), trimmed = length;
        while (trimmed > 0 && text[trimmed - 1] == ' ') {
            trimmed--;
        }
        if (trimmed >= ITEM || holds->n == HL_MOST_HOLDS) {
            return hl_error(HL_INVALID, "\"%.*s\": at most %d heads of at most %d characters can be held", (int)length,
                            text, HL_MOST_HOLDS, ITEM - 1);
        }
        char item[ITEM];
        snprintf(item, sizeof item, "%.*s", (int)trimmed, text);
        HL_TRY(read_hold(model, item, &holds->list[holds->n]));
        holds->n++;
        text += length + (text[length] == ',');
    }
    return hl_ok();
}

hl_holds hl_holds_of(const hl_config *config, hl_config_string_at text)
{
    hl_holds holds;
    if (hl_holds_parse(&config->model, hl_config_string(config, text), &holds).code != HL_OK) {
        holds.n = 0;
    }
    return holds;
}

bool hl_holds_at(const hl_holds *holds, int layer, int64_t head, int64_t step)
{
    for (int i = 0; i < holds->n; i++) {
        const hl_hold *hold = &holds->list[i];
        if (hold->layer == layer && (hold->head < 0 || hold->head == head) && hold->first <= step && step < hold->end) {
            return true;
        }
    }
    return false;
}

void hl_holds_mute(const hl_config *config, int64_t step, const hl_model *model)
{
    hl_holds off = hl_holds_of(config, config->train.off);
    for (int l = 0; l < model->encoder.n_layers && off.n > 0; l++) {
        for (int64_t h = 0; h < model->config.heads[l]; h++) {
            hl_head_part parts[HL_HEAD_PARTS];
            hl_head_parts(&model->encoder.layers[l].self_attn, h, parts);
            const hl_head_part *O = &parts[HL_PART_O];
            for (int64_t row = 0; row < O->n_rows && hl_holds_at(&off, l, h, step); row++) {
                memset(O->x->data + hl_head_part_at(O, row, 0), 0, (size_t)O->n_columns * sizeof *O->x->data);
            }
        }
    }
}
