#include "study/heads_table.h"

#include "core/base/memory.h"
#include "core/base/units.h"
#include "heads/head_set.h"
#include "heads/words.h"
#include "show/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NAME = 6,
    LABEL = sizeof "relation(noun_pronoun)" - 1,
    TEXT_LABEL = sizeof "previous_word" + 2,
    CELL = 24,
    WITHOUT = 17
};

/* The relation that the head earns; "" where it earns none. */
static const char *second_of(const hl_heads_study *study, const hl_heads_row *row)
{
    const hl_syntax_label *second = study->seconds != NULL ? &study->seconds[row - study->rows] : NULL;
    return second != NULL && second->relation >= 0 ? second->name : "";
}

static bool any_second(const hl_heads_study *study)
{
    bool any = false;
    for (int64_t i = 0; i < study->n; i++) {
        any = any || *second_of(study, &study->rows[i]) != '\0';
    }
    return any;
}

/* On sentences labels, which have no relations there, are shorter, unless there are second ones. */
static int label_width(const hl_heads_study *study)
{
    return study->file == NULL || any_second(study) ? LABEL : TEXT_LABEL;
}

/* Whether the first table has what the loss loses without each head; on sentences the null takes its room. */
static bool shows_effects(const hl_heads_study *study)
{
    return study->has_effects && study->file == NULL;
}

typedef struct cell {
    char text[CELL];
} cell;

/* ---- cells ---- */

/* A number with that many decimals, in short where it would not fit; "-" where it is not known. */
static cell number_cell(int decimals, double value, bool known)
{
    enum { WIDEST = 8 };
    cell c = { "-" };
    if (known && isfinite(value) && snprintf(c.text, sizeof c.text, "%.*f", decimals, value) > WIDEST) {
        snprintf(c.text, sizeof c.text, "%.1e", value);
    }
    return c;
}

/* A difference of losses: three decimals, in short where these would hide it. */
static cell loss_cell(double value)
{
    cell c = number_cell(3, value, true);
    if (value != 0 && fabs(value) < 0.0005) {
        snprintf(c.text, sizeof c.text, "%.0e", value);
    }
    return c;
}

hl_loss_text hl_heads_loss_text(const hl_head_effect *effect)
{
    hl_loss_text both = { "-" };
    if (effect != NULL) {
        snprintf(both.text, sizeof both.text, "%s (%s)", loss_cell(effect->loss_without).text,
                 loss_cell(effect->standard_error).text);
    }
    return both;
}

/* Three digits, as the report has them; in short where these would begin behind four zeros. */
static cell importance_cell(double value)
{
    cell c = { "-" };
    if (isfinite(value)) {
        snprintf(c.text, sizeof c.text, "%.2e", value);
        int power = atoi(strchr(c.text, 'e') + 1);
        if (power >= -5) {
            snprintf(c.text, sizeof c.text, "%.*f", power < 2 ? 2 - power : 0, value);
        }
    }
    return c;
}

/* "-11", "0", "+1". */
static cell offset_cell(int64_t offset)
{
    cell c;
    snprintf(c.text, sizeof c.text, offset == 0 ? "%lld" : "%+lld", (long long)offset);
    return c;
}

/* The verdict, with a star where only the group has earned it. */
static const char *verdict_cell(const hl_heads_row *row)
{
    static const char *const words[] = {
        [HL_FAITHFUL_NO] = "no", [HL_FAITHFUL_YES] = "yes", [HL_FAITHFUL_UNKNOWN] = "-"
    };
    static const char *const by_group_words[] = {
        [HL_FAITHFUL_NO] = "no*", [HL_FAITHFUL_YES] = "yes*", [HL_FAITHFUL_UNKNOWN] = "-"
    };
    bool by_group;
    hl_faithful verdict = hl_heads_verdict(row, &by_group);
    return by_group ? by_group_words[verdict] : words[verdict];
}

/* ---- rows ---- */

/* "first + obj": the label, and the relation that the head earns, cut and filled up to `width` characters. */
static void write_label(hl_text *text, const char *label, const char *second, int width)
{
    char both[sizeof(hl_label_text) + sizeof " + " + HL_TREEBANK_RELATION];
    snprintf(both, sizeof both, "%s%s%s", label, *second != '\0' ? " + " : "", second);
    const char *end = both, *last = both;
    int used = 0;
    for (; used < width && *end != '\0'; used++) {
        last = end++;
        while (((unsigned char)*end & 0xc0) == 0x80) { /* of the same character */
            end++;
        }
    }
    bool fits = *end == '\0';
    hl_text_print(text, "%.*s%s%*s", (int)((fits ? end : last) - both), both, fits ? "" : "~", width - used, "");
}

/* The loss without the head, and what follows from it. */
static void write_effect(hl_text *text, const hl_heads_row *row)
{
    hl_text_print(text, "%*s%10s", WITHOUT, hl_heads_loss_text(row->effect).text, verdict_cell(row));
}

static void write_row(hl_text *text, const hl_heads_study *study, const hl_heads_row *row, const char *const *relations)
{
    const hl_head_metrics *m = &row->metrics;
    hl_score score = row->label.score;
    hl_text_print(text, "%-*s", NAME, hl_head_name_of(m->layer, m->head).text);
    write_label(text, hl_label_text_of(row->label, relations).text, second_of(study, row), label_width(study));
    hl_text_print(text, "%7s%6s", number_cell(2, score.value, score.n > 0).text,
                  number_cell(2, score.baseline, score.n > 0).text);
    if (study->file != NULL) {
        hl_text_print(text, "%6s", number_cell(2, hl_heads_null(study, row), true).text);
    }
    if (shows_effects(study)) {
        write_effect(text, row);
    }
    hl_text_print(text, "\n");
}

static void write_table(hl_text *text, const hl_heads_study *study, const char *const *relations)
{
    hl_text_print(text, "%-*s%-*s%7s%6s%s", NAME, "head", label_width(study), "label", "score", "base",
                  study->file != NULL ? "  null" : "");
    if (shows_effects(study)) {
        hl_text_print(text, "%*s%10s", WITHOUT, "without", "faithful");
    }
    hl_text_print(text, "\n");
    for (int64_t i = 0; i < study->n; i++) {
        write_row(text, study, &study->rows[i], relations);
    }
}

static void write_effects_legend(hl_text *text, const hl_heads_study *study)
{
    bool any_by_group = false;
    for (int64_t i = 0; i < study->n; i++) {
        bool by_group;
        hl_heads_verdict(&study->rows[i], &by_group);
        any_by_group = any_by_group || by_group;
    }
    hl_text_paragraph(text, HL_TABLE_WIDTH, "without: %s (in brackets: the standard error); faithful: %s%s.",
                      hl_word_meaning("loss_without"), hl_word_meaning("faithful"),
                      any_by_group ? "; *: only together with the heads in its layer that have the same label" : "");
}

/* ---- the other columns ---- */

static void write_wide_row(hl_text *text, const hl_heads_study *study, const hl_heads_row *row, bool sources)
{
    const hl_head_metrics *m = &row->metrics;
    hl_text_print(text, "%-*s%7s%6s%9s%6s%6s", NAME, hl_head_name_of(m->layer, m->head).text,
                  offset_cell(m->best_offset).text, number_cell(2, m->offset.value, m->offset.n > 0).text,
                  number_cell(2, m->entropy.normalised, m->entropy.n_normalised > 0).text,
                  number_cell(1, row->distance.absolute.value, true).text,
                  number_cell(2, m->confidence.value, m->confidence.n > 0).text);
    if (row->effect != NULL) {
        hl_text_print(text, "%12s", importance_cell(row->effect->importance).text);
    }
    if (study->has_effects && !shows_effects(study)) {
        write_effect(text, row);
    }
    if (sources) {
        bool known = m->alignment.n > 0;
        hl_text_print(text, "%11s%6s", number_cell(2, m->alignment.value, known).text,
                      number_cell(2, m->hit_rate, known).text);
    }
    hl_text_print(text, "\n");
}

/* The columns that a newcomer does without, as a table below the first. */
static void write_wide(hl_text *text, const hl_heads_study *study)
{
    bool sources = false;
    for (int64_t i = 0; i < study->n; i++) {
        sources = sources || study->rows[i].metrics.alignment.n > 0;
    }
    hl_text_print(text, "%-*s%7s%6s%9s%6s%6s%s", NAME, "head", "offset", "share", "entropy", "dist", "conf",
                  study->has_effects ? "  importance" : "");
    if (study->has_effects && !shows_effects(study)) {
        hl_text_print(text, "%*s%10s", WITHOUT, "without", "faithful");
    }
    hl_text_print(text, "%s\n", sources ? "  alignment  hits" : "");
    for (int64_t i = 0; i < study->n; i++) {
        write_wide_row(text, study, &study->rows[i], sources);
    }
    hl_text_print(text, "\n");
    hl_text_paragraph(text, HL_TABLE_WIDTH,
                      "offset: the distance that gets most of the head's attention (-2: two tokens back); share: how "
                      "much it gets; entropy: %s; dist: %s%s; conf: %s.",
                      hl_word_meaning("entropy.normalised"), hl_word_meaning("distance"),
                      study->of_words ? " (both in words, without special tokens)" : "", hl_word_meaning("confidence"));
    if (study->has_effects) {
        hl_text_paragraph(text, HL_TABLE_WIDTH, "importance: %s.", hl_word_meaning("importance"));
    }
    if (study->has_effects && !shows_effects(study)) {
        write_effects_legend(text, study);
    }
    if (sources) {
        hl_text_paragraph(text, HL_TABLE_WIDTH,
                          "alignment: the share on the token that holds the answer; hits: how often that token gets "
                          "the most attention.");
    }
}

/* ---- what the columns mean ---- */

/* What the labels in the table mean. */
static void write_labels(hl_text *text, const hl_heads_study *study)
{
    hl_text list = { 0 };
    bool there[HL_LABEL_MIXED + 1] = { false };
    for (int64_t i = 0; i < study->n; i++) {
        there[study->labels[i].kind] = true;
    }
    for (int kind = 0; kind <= HL_LABEL_MIXED; kind++) {
        if (there[kind]) {
            const char *written, *meaning = hl_label_kind_meaning((hl_label_kind)kind, &written);
            hl_text_print(&list, "; %s: %s", written, meaning);
        }
    }
    hl_text_paragraph(text, HL_TABLE_WIDTH, "label: what the head does%s%s.", hl_text_part(text, &list),
                      any_second(study) ? "; after +: the relation of the treebank that it earns" : "");
    hl_text_free(&list);
}

static void write_why_mixed(hl_text *text, const char *program, const char *run, const hl_heads_study *study)
{
    for (int64_t i = 0; i < study->n; i++) {
        if (study->labels[i].kind == HL_LABEL_MIXED) {
            const hl_head_metrics *head = &study->rows[i].metrics;
            hl_text_print(text, "Why a head is mixed: ");
            hl_text_shown(text, program);
            hl_text_print(text, " map ");
            hl_text_shown(text, run);
            hl_text_print(text, " %s", hl_head_name_of(head->layer, head->head).text);
            if (study->file != NULL) {
                hl_text_print(text, " --examples ");
                hl_text_shown(text, study->file);
            }
            hl_text_print(text, "\n");
            return;
        }
    }
}

static void write_legend(hl_text *text, const char *program, const char *run, const hl_heads_study *study)
{
    write_labels(text, study);
    write_why_mixed(text, program, run, study);
    hl_text_paragraph(text, HL_TABLE_WIDTH, "score: %s; base: %s%s%s.", hl_word_meaning("score"),
                      hl_word_meaning("baseline"), study->file != NULL ? "; null: " : "",
                      study->file != NULL ? hl_word_meaning("null") : "");
    if (shows_effects(study)) {
        write_effects_legend(text, study);
    }
}

void hl_heads_table_print(hl_text *text, const char *run, const hl_heads_study *study, hl_heads_table_options options)
{
    char step[40] = "", there[HL_UNITS_TEXT], of[HL_UNITS_TEXT + 8] = "";
    if (!study->of_open) {
        snprintf(step, sizeof step, ", step %lld", (long long)study->step);
    } else if (study->step == 0) {
        snprintf(step, sizeof step, ", random weights");
    }
    bool measured_one = (study->file != NULL ? study->there : study->n_examples) == 1;
    if (study->file != NULL) {
        snprintf(of, sizeof of, " of %s", hl_units_count(study->there, there));
    }
    hl_text_paragraph(text, HL_TABLE_WIDTH, "%s%s: %lld head%s, measured on %lld%s example%s%s%s.", run, step,
                      (long long)study->n, study->n == 1 ? "" : "s", (long long)study->n_examples, of,
                      measured_one ? "" : "s", study->file != NULL ? " of " : "",
                      study->file != NULL ? study->file : "");
    hl_text_print(text, "\n");
    write_table(text, study, options.relations);
    hl_text_print(text, "\n");
    write_legend(text, options.program, run, study);
    hl_text_print(text, "\n");
    if (options.wide) {
        write_wide(text, study);
        hl_text_print(text, "\n");
    }
    if (!study->of_open) {
        hl_heads_sentences_print(text, study, options.relations);
    }
    hl_head_metrics *metrics = hl_calloc((size_t)study->n, sizeof *metrics);
    if (metrics == NULL) {
        hl_text_fail(text, hl_error_memory("the table of heads"));
        return;
    }
    for (int64_t i = 0; i < study->n; i++) {
        metrics[i] = study->rows[i].metrics;
    }
    hl_table_sentences(text, metrics, study->n);
    hl_free(metrics);
}
