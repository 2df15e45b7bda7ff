/* Which heads are faithful to their labels, in sentences. */
#include "heads/head_set.h"
#include "show/table.h"
#include "study/heads_table.h"

/* A head that is faithful alone, or, where there is a group, its heads: "L0H1, L0H3". */
static void write_one(hl_text *text, const hl_heads_study *study, const hl_heads_row *row, const hl_group_effect *group,
                      const char *const *relations)
{
    bool several = group != NULL;
    hl_label_text label = hl_label_text_of(several ? group->label : row->label, relations);
    const hl_head_effect *effect = several ? &group->effect : row->effect;
    hl_text who = { 0 };
    for (int64_t i = 0; i < study->n; i++) {
        const hl_heads_row *member = &study->rows[i];
        if (several ? member->group == effect : member == row) {
            hl_text_print(&who, "%s%s", who.size > 0 ? ", " : "",
                          hl_head_name_of(member->metrics.layer, member->metrics.head).text);
        }
    }
    hl_text_paragraph(text, HL_TABLE_WIDTH,
                      "%s: faithful to \"%s\"%s. Without %s the loss grows by %.3g (standard error %.2g); %s ideal "
                      "pattern restores %.0f%% of that.",
                      hl_text_part(text, &who), label.text, several ? " together" : "", several ? "them" : "it",
                      effect->loss_without, effect->standard_error, several ? "their" : "its", 100 * effect->kept);
    hl_text_free(&who);
}

/* No head is faithful to its label, nor is a group: because none has one, because the loss tells nothing about those
 * that have, or because their labels' patterns do not do. */
static void write_why_none(hl_text *text, const hl_heads_study *study)
{
    bool labelled = false, judged = false, open = false;
    for (int64_t i = 0; i < study->n; i++) {
        bool named = study->labels[i].kind != HL_LABEL_MIXED, by_group;
        bool known = hl_heads_verdict(&study->rows[i], &by_group) != HL_FAITHFUL_UNKNOWN;
        labelled = labelled || named;
        judged = judged || (named && known);
        open = open || (named && !known);
    }
    if (!labelled) {
        hl_text_paragraph(text, HL_TABLE_WIDTH, "Every head is mixed, so no head has a label to be faithful to.");
        return;
    }
    hl_text_paragraph(text, HL_TABLE_WIDTH, "No head is shown to be faithful to its label.%s%s",
                      judged ? " no: the label's pattern cannot replace the head." : "",
                      open ? " -: without the head the loss changes by at most three standard errors, so these "
                             "examples cannot decide."
                           : "");
}

/* Every head that is faithful alone, and every group that is. */
static void write_faithful_ones(hl_text *text, const hl_heads_study *study, const char *const *relations)
{
    enum { MOST = 6 };
    int n = 0, more = 0;
    for (int64_t i = 0; i < study->n; i++) {
        if (study->rows[i].effect->faithful == HL_FAITHFUL_YES && n++ < MOST) {
            write_one(text, study, &study->rows[i], NULL, relations);
        }
    }
    for (int g = 0; g < study->effects.n_groups; g++) {
        const hl_group_effect *group = &study->effects.groups[g];
        if (group->effect.faithful == HL_FAITHFUL_YES && more++ < MOST) {
            write_one(text, study, NULL, group, relations);
        }
    }
    if (n > MOST || more > MOST) {
        hl_text_paragraph(text, HL_TABLE_WIDTH, "And %d more; see the table.",
                          (n > MOST ? n - MOST : 0) + (more > MOST ? more - MOST : 0));
    }
    if (n + more == 0) {
        write_why_none(text, study);
    }
}

void hl_heads_sentences_print(hl_text *text, const hl_heads_study *study, const char *const *relations)
{
    if (!study->has_effects) {
        hl_text_paragraph(text, HL_TABLE_WIDTH, "Importance, without and faithful are not known: %s.",
                          study->no_effects.text);
        return;
    }
    if (study->weights_step < 0) {
        hl_text_paragraph(text, HL_TABLE_WIDTH,
                          "Importance, without and faithful belong to weights whose step is not known.");
    } else if (study->weights_step != study->step) {
        hl_text_paragraph(text, HL_TABLE_WIDTH,
                          "Importance, without and faithful belong to the weights of step %lld, the other columns to "
                          "step %lld.",
                          (long long)study->weights_step, (long long)study->step);
    }
    write_faithful_ones(text, study, relations);
}
