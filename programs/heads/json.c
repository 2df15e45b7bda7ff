#include "programs/heads/json.h"

#include "core/files/json_text.h"

#include <math.h>

/* What the rows are of. */
typedef struct answer {
    const hl_heads_study *study;
    const char *const *relations;
} answer;

double hl_heads_truth(const hl_head_effect *effect)
{
    bool known = effect != NULL && effect->faithful != HL_FAITHFUL_UNKNOWN;
    return known ? effect->faithful == HL_FAITHFUL_YES : NAN;
}

void hl_heads_add_effect(hl_row *row, const hl_head_effect *effect)
{
    hl_row_number(row, NULL, "loss_without", 0, effect != NULL ? effect->loss_without : NAN);
    hl_row_number(row, NULL, "standard_error", 0, effect != NULL ? effect->standard_error : NAN);
    hl_row_number(row, NULL, "kept", 0, effect != NULL ? effect->kept : NAN);
    hl_row_truth(row, "faithful", hl_heads_truth(effect));
}

static void row_of_head(const void *context, int64_t index, hl_row *to)
{
    static const hl_syntax_label none = { .relation = -1 };
    const answer *a = context;
    const hl_heads_row *row = &a->study->rows[index];
    const hl_head_metrics *m = &row->metrics;
    const hl_syntax_label *second = a->study->seconds != NULL ? &a->study->seconds[index] : &none;
    const hl_syntax_choice *held = &second->held_out;
    hl_score score = row->label.score;
    bool scored = score.n > 0, measured = row->effect != NULL, named = second->relation >= 0;
    hl_row_integer(to, NULL, "layer", m->layer);
    hl_row_integer(to, NULL, "head", m->head);
    hl_row_text(to, NULL, "label", "%s", hl_label_text_of(row->label, a->relations).text);
    hl_row_number(to, NULL, "score", 0, scored ? score.value : NAN);
    hl_row_number(to, NULL, "baseline", 0, scored ? score.baseline : NAN);
    hl_row_number(to, NULL, "lift", 0, hl_score_lift(score));
    hl_row_number(to, NULL, "entropy", 0, m->entropy.nats);
    hl_row_number(to, NULL, "entropy_normalised", 0, m->entropy.n_normalised > 0 ? m->entropy.normalised : NAN);
    hl_row_number(to, NULL, "confidence", 0, m->confidence.value);
    hl_row_number(to, NULL, "distance", 0, row->distance.absolute.value);
    hl_row_number(to, NULL, "distance_signed", 0, row->distance.directed.value);
    hl_row_integer(to, NULL, "best_offset", m->best_offset);
    hl_row_number(to, NULL, "importance", 0, measured ? row->effect->importance : NAN);
    hl_heads_add_effect(to, row->effect);
    hl_row_text(to, NULL, "relation", "%s", second->name != NULL ? second->name : "");
    hl_row_text(to, NULL, "direction", "%s", named ? hl_syntax_direction_name(held->direction) : "");
    hl_row_number(to, NULL, "held_out", 0, hl_syntax_share(held->found));
    hl_row_number(to, NULL, "held_out_baseline", 0, hl_syntax_share(held->baseline));
    hl_row_number(to, NULL, "importance_normalised", 0, measured ? hl_heads_importance_in_layer(a->study, row) : NAN);
    hl_row_number(to, NULL, "null", 0, hl_heads_null(a->study, row));
    hl_row_truth(to, "faithful_in_group", hl_heads_truth(row->group));
}

static void row_of_group(const void *context, int64_t index, hl_row *row)
{
    const answer *a = context;
    const hl_group_effect *group = &a->study->effects.groups[index];
    json_t *heads = json_array();
    for (int64_t i = 0; i < a->study->n; i++) {
        if (a->study->rows[i].group == &group->effect) {
            hl_json_append(&heads, json_integer(a->study->rows[i].metrics.head));
        }
    }
    hl_row_integer(row, NULL, "layer", group->layer);
    hl_row_text(row, NULL, "label", "%s", hl_label_text_of(group->label, a->relations).text);
    hl_row_json(row, "heads", heads);
    hl_row_number(row, NULL, "importance", 0, group->effect.importance);
    hl_heads_add_effect(row, &group->effect);
}

/* NULL stands for missing memory. */
void hl_heads_json_print(hl_text *text, const hl_heads_study *study, const char *const *relations)
{
    const answer a = { study, relations };
    bool has = study->has_effects, known = has && study->weights_step >= 0;
    json_t *heads = hl_results_json((hl_results){ row_of_head, &a, study->n });
    json_t *groups = hl_results_json((hl_results){ row_of_group, &a, study->effects.n_groups });
    json_t *root = json_pack("{s:I, s:I, s:o, s:o, s:o, s:o}", "step", (json_int_t)study->step, "examples",
                             (json_int_t)study->n_examples, "loss", hl_json_number(has ? study->effects.loss : NAN),
                             "weights_step", known ? json_integer(study->weights_step) : json_null(), "heads", heads,
                             "groups", groups);
    hl_json_print_document(text, root);
}
