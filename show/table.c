#include "show/table.h"

#include "core/memory.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct cell {
    char text[32];
} cell;

static cell name_cell(const hl_head_metrics *head)
{
    cell c;
    snprintf(c.text, sizeof c.text, "L%dH%lld", head->layer, (long long)head->head);
    return c;
}

/* "-11", "0", "+1". */
static cell offset_cell(int64_t offset)
{
    cell c;
    snprintf(c.text, sizeof c.text, offset == 0 ? "%lld" : "%+lld", (long long)offset);
    return c;
}

/* A number between 0 and 1 to two digits, "-" where there was nothing to measure. */
static cell share_cell(double share, int64_t n)
{
    cell c = { "-" };
    if (n > 0) {
        snprintf(c.text, sizeof c.text, "%.2f", share);
    }
    return c;
}

static bool any_sources(const hl_head_metrics *heads, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        if (heads[i].alignment.n > 0) {
            return true;
        }
    }
    return false;
}

static void write_legend(hl_text *text, bool sources)
{
    hl_text_paragraph(text, HL_TABLE_WIDTH, "Where each head looks.");
    hl_text_paragraph(text, HL_TABLE_WIDTH,
                      "offset: the distance that gets most of its attention (-2: two tokens back); score: the share it "
                      "gets; baseline: the share it would get if attention were spread evenly.");
    hl_text_paragraph(text, HL_TABLE_WIDTH,
                      "entropy: 0 all on one token, 1 spread evenly; confidence: the largest weight.");
    if (sources) {
        hl_text_paragraph(text, HL_TABLE_WIDTH,
                          "alignment: the share on the token that holds the answer; hits: how often that token gets "
                          "most; baseline: what an even spread or one fixed offset reaches.");
    }
}

static void write_row(hl_text *text, int name_width, const hl_head_metrics *head, bool sources)
{
    hl_text_print(text, "%-*s%8s%7s%9s%9s%12s", name_width, name_cell(head).text, offset_cell(head->best_offset).text,
                  share_cell(head->offset.value, head->offset.n).text,
                  share_cell(head->offset.baseline, head->offset.n).text,
                  share_cell(head->entropy.normalised, head->entropy.n_normalised).text,
                  share_cell(head->confidence.value, head->confidence.n).text);
    if (sources) {
        hl_text_print(text, "%11s%5s%9s", share_cell(head->alignment.value, head->alignment.n).text,
                      share_cell(head->hit_rate, head->alignment.n).text,
                      share_cell(head->alignment.baseline, head->alignment.n).text);
    }
    hl_text_print(text, "\n");
}

static void write_rows(hl_text *text, const hl_head_metrics *heads, int64_t n, bool sources)
{
    int name_width = (int)sizeof "head" - 1;
    for (int64_t i = 0; i < n; i++) {
        int width = snprintf(NULL, 0, "%s", name_cell(&heads[i]).text);
        name_width = width > name_width ? width : name_width;
    }
    hl_text_print(text, "%-*s%8s%7s%9s%9s%12s", name_width, "head", "offset", "score", "baseline", "entropy",
                  "confidence");
    hl_text_print(text, "%s\n", sources ? "  alignment hits baseline" : "");
    for (int64_t i = 0; i < n; i++) {
        write_row(text, name_width, &heads[i], sources);
    }
}

/* "looks 11 back", "looks at the token itself", "looks 1 ahead". */
static cell habit(int64_t offset)
{
    cell c = { "looks at the token itself" };
    if (offset != 0) {
        snprintf(c.text, sizeof c.text, "looks %lld %s", (long long)(offset < 0 ? -offset : offset),
                 offset < 0 ? "back" : "ahead");
    }
    return c;
}

static void write_best_offset(hl_text *text, const hl_head_metrics *heads, int64_t n)
{
    const hl_head_metrics *best = NULL;
    for (int64_t i = 0; i < n; i++) {
        double lift = hl_score_lift(heads[i].offset);
        if (best == NULL ? lift == lift : lift > hl_score_lift(best->offset)) {
            best = &heads[i];
        }
    }
    if (best == NULL) {
        return;
    }
    bool clear = hl_score_lift(best->offset) >= HL_SCORE_CLEAR_LIFT;
    hl_text_paragraph(text, HL_TABLE_WIDTH, "%s%s %s (offset %s): %.2f of its attention, %.2f if spread evenly.",
                      clear ? "" : "No head keeps to one offset. At best, ", name_cell(best).text,
                      habit(best->best_offset).text, offset_cell(best->best_offset).text, best->offset.value,
                      best->offset.baseline);
}

static void write_best_alignment(hl_text *text, const hl_head_metrics *heads, int64_t n)
{
    const hl_head_metrics *best = NULL;
    for (int64_t i = 0; i < n; i++) {
        if (heads[i].alignment.n > 0 && (best == NULL || heads[i].alignment.value > best->alignment.value)) {
            best = &heads[i];
        }
    }
    if (best == NULL) {
        return;
    }
    hl_text_paragraph(text, HL_TABLE_WIDTH,
                      "%s has the most attention on the token that holds the answer: %.2f, the largest weight in "
                      "%.0f%% of the cases. One fixed offset (%s) finds it in %.0f%%.",
                      name_cell(best).text, best->alignment.value, 100 * best->hit_rate,
                      offset_cell(best->fixed_offset).text, 100 * best->fixed_rate);
}

void hl_table_sentences(hl_text *text, const hl_head_metrics *heads, int64_t n)
{
    write_best_offset(text, heads, n);
    write_best_alignment(text, heads, n);
}

void hl_table_write(hl_text *text, const hl_head_metrics *heads, int64_t n)
{
    bool sources = any_sources(heads, n);
    write_legend(text, sources);
    hl_text_print(text, "\n");
    write_rows(text, heads, n, sources);
    hl_text_print(text, "\n");
    hl_table_sentences(text, heads, n);
}

hl_status hl_table_of(const hl_recorder *recorder, hl_text *text)
{
    const hl_model_config *config = &recorder->model->config;
    size_t n = 0;
    for (int l = 0; l < config->n_layers; l++) {
        n += (size_t)config->heads[l];
    }
    hl_head_metrics *heads = hl_calloc(n, sizeof *heads);
    if (heads == NULL) {
        return hl_error_memory("the table of heads");
    }
    int64_t i = 0;
    for (int l = 0; l < config->n_layers; l++) {
        for (int64_t h = 0; h < config->heads[l]; h++) {
            hl_patterns patterns = hl_recorder_patterns(recorder, l, h);
            heads[i++] = hl_head_measure(l, &patterns);
        }
    }
    hl_table_write(text, heads, i);
    hl_free(heads);
    return hl_text_status(text);
}
