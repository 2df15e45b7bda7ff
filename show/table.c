#include "show/table.h"

#include "core/base/memory.h"
#include "heads/head_set.h"
#include "heads/words.h"
#include "show/terminal_cells.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

static const hl_terminal ascii = { .ascii = true };

typedef struct cell {
    char text[32];
} cell;

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

/* The columns of a label shown in ASCII. */
static int columns_of(const char *label)
{
    return hl_terminal_put(&ascii, label, INT_MAX, NULL);
}

/* Writes a label padded to `width`; one that is wider is cut at a whole character and ends in "~". */
static void write_label(hl_text *text, int width, const char *label)
{
    hl_terminal_space(text, width - hl_terminal_put(&ascii, label, width, text));
}

static int max_of(int a, int b)
{
    return a > b ? a : b;
}

/* The columns whose width depends on what is in them. */
typedef struct widths {
    int name, label, offset;
} widths;

static void write_row(hl_text *text, widths w, const hl_head_metrics *head, hl_label label,
                      const char *const *relations)
{
    hl_text_print(text, "%-*s  ", w.name, hl_head_name_of(head->layer, head->head).text);
    write_label(text, w.label, hl_label_text_of(label, relations).text);
    hl_text_print(text, "%6s%5s %*s%8s\n", share_cell(label.score.value, label.score.n).text,
                  share_cell(label.score.baseline, label.score.n).text, w.offset, offset_cell(head->best_offset).text,
                  share_cell(head->entropy.normalised, head->entropy.n_normalised).text);
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
                      clear ? "" : "No head keeps to one offset. At best, ",
                      hl_head_name_of(best->layer, best->head).text, habit(best->best_offset).text,
                      offset_cell(best->best_offset).text, best->offset.value, best->offset.baseline);
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
                      hl_head_name_of(best->layer, best->head).text, best->alignment.value, 100 * best->hit_rate,
                      offset_cell(best->fixed_offset).text, 100 * best->fixed_rate);
}

void hl_table_sentences(hl_text *text, const hl_head_metrics *heads, int64_t n)
{
    write_best_offset(text, heads, n);
    write_best_alignment(text, heads, n);
}

void hl_table_write(hl_text *text, const hl_head_metrics *heads, const hl_label *labels, int64_t n,
                    const char *const *relations)
{
    static const char score[] = " score base ", entropy[] = " entropy";
    widths w = { .name = sizeof "head" - 1, .label = sizeof "label" - 1, .offset = sizeof "offset" - 1 };
    for (int64_t i = 0; i < n; i++) {
        hl_label_text label = hl_label_text_of(labels[i], relations);
        w.name = max_of(w.name, columns_of(hl_head_name_of(heads[i].layer, heads[i].head).text));
        w.label = max_of(w.label, columns_of(label.text));
        w.offset = max_of(w.offset, columns_of(offset_cell(heads[i].best_offset).text));
    }
    int room = HL_TABLE_WIDTH - w.name - 2 - w.offset - (int)(sizeof score + sizeof entropy - 2);
    w.label = w.label < room ? w.label : room;
    hl_text_print(text, "%-*s  %-*s%s%*s%s\n", w.name, "head", w.label, "label", score, w.offset, "offset", entropy);
    for (int64_t i = 0; i < n; i++) {
        write_row(text, w, &heads[i], labels[i], relations);
    }
    hl_text_print(text, "\n");
    const char *written;
    hl_text_paragraph(text, HL_TABLE_WIDTH,
                      "label: what the head does (mixed: %s); score: %s; base: %s; offset: the distance that gets most "
                      "of its attention (-2: two tokens back); entropy: %s.",
                      hl_label_kind_meaning(HL_LABEL_MIXED, &written), hl_word_meaning("score"),
                      hl_word_meaning("baseline"), hl_word_meaning("entropy.normalised"));
    hl_text_print(text, "\n");
    hl_table_sentences(text, heads, n);
}

hl_status hl_table_of(const hl_recorder *recorder, const char *const *relations, hl_text *text)
{
    const hl_model_config *config = &recorder->model->config;
    int64_t n = hl_heads_count(config);
    hl_head_metrics *heads = hl_calloc((size_t)n, sizeof *heads);
    hl_label *labels = hl_calloc((size_t)n, sizeof *labels);
    bool complete = heads != NULL && labels != NULL;
    for (int64_t i = 0; complete && i < n; i++) {
        hl_head_place at = hl_head_at(config, i);
        hl_patterns patterns = hl_recorder_patterns(recorder, at.layer, at.head);
        heads[i] = hl_head_measure(at.layer, &patterns);
        labels[i] = hl_label_of(&patterns);
    }
    if (complete) {
        hl_table_write(text, heads, labels, n, relations);
    } else {
        hl_text_fail(text, hl_error_memory("the table of heads"));
    }
    hl_free(heads);
    hl_free(labels);
    return hl_text_status(text);
}
