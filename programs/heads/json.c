#include "programs/heads/json.h"

#include "core/files/json_text.h"

#include <math.h>

/* NULL stands for missing memory throughout. */

static json_t *verdict(const hl_head_effect *effect)
{
    if (effect == NULL || effect->faithful == HL_FAITHFUL_UNKNOWN) {
        return json_null();
    }
    return json_boolean(effect->faithful == HL_FAITHFUL_YES);
}

/* Sets the members that effects have; -1 on failure. */
static int set_effect(json_t *object, const hl_head_effect *effect)
{
    static const hl_head_effect none = {
        .importance = NAN, .loss_without = NAN, .standard_error = NAN, .kept = NAN, .faithful = HL_FAITHFUL_UNKNOWN
    };
    const hl_head_effect *e = effect != NULL ? effect : &none;
    bool failed = json_object_set_new(object, "importance", hl_json_number(e->importance)) != 0 ||
                  json_object_set_new(object, "loss_without", hl_json_number(e->loss_without)) != 0 ||
                  json_object_set_new(object, "standard_error", hl_json_number(e->standard_error)) != 0 ||
                  json_object_set_new(object, "kept", hl_json_number(e->kept)) != 0 ||
                  json_object_set_new(object, "faithful", verdict(effect)) != 0;
    return failed ? -1 : 0;
}

/* Sets what the head finds of the relation by which it is named; -1 on failure. */
static int set_second(json_t *object, const hl_syntax_label *second)
{
    static const hl_syntax_label none = { .relation = -1 };
    const hl_syntax_label *s = second != NULL ? second : &none;
    const hl_syntax_choice *held = &s->held_out;
    const char *direction = s->relation >= 0 ? hl_syntax_direction_name(held->direction) : NULL;
    bool failed =
        json_object_set_new(object, "relation", s->name != NULL ? hl_json_name(s->name) : json_null()) != 0 ||
        json_object_set_new(object, "direction", json_pack("s?", direction)) != 0 ||
        json_object_set_new(object, "held_out", hl_json_number(hl_syntax_share(held->found))) != 0 ||
        json_object_set_new(object, "held_out_baseline", hl_json_number(hl_syntax_share(held->baseline))) != 0;
    return failed ? -1 : 0;
}

static json_t *head_object(const hl_heads_study *study, const hl_heads_row *row, const char *const *relations)
{
    const hl_head_metrics *m = &row->metrics;
    hl_score score = row->label.score;
    bool scored = score.n > 0;
    json_t *object = json_pack(
        "{s:i, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I}", "layer", m->layer, "head", (json_int_t)m->head,
        "label", json_string(hl_label_text_of(row->label, relations).text), "score",
        hl_json_number(scored ? score.value : NAN), "baseline", hl_json_number(scored ? score.baseline : NAN), "lift",
        hl_json_number(hl_score_lift(score)), "entropy", hl_json_number(m->entropy.nats), "entropy_normalised",
        hl_json_number(m->entropy.n_normalised > 0 ? m->entropy.normalised : NAN), "confidence",
        hl_json_number(m->confidence.value), "distance", hl_json_number(row->distance.absolute.value),
        "distance_signed", hl_json_number(row->distance.directed.value), "best_offset", (json_int_t)m->best_offset);
    double in_layer = row->effect != NULL ? hl_heads_importance_in_layer(study, row) : NAN;
    const hl_syntax_label *second = study->seconds != NULL ? &study->seconds[row - study->rows] : NULL;
    return hl_json_checked(object, set_effect(object, row->effect) || set_second(object, second) ||
                                       json_object_set_new(object, "importance_normalised", hl_json_number(in_layer)) ||
                                       json_object_set_new(object, "null", hl_json_number(hl_heads_null(study, row))) ||
                                       json_object_set_new(object, "faithful_in_group", verdict(row->group)));
}

static json_t *group_object(const hl_heads_study *study, const hl_group_effect *group, const char *const *relations)
{
    json_t *heads = json_array();
    for (int64_t i = 0; i < study->n; i++) {
        if (study->rows[i].group == &group->effect) {
            hl_json_append(&heads, json_integer(study->rows[i].metrics.head));
        }
    }
    json_t *object = json_pack("{s:i, s:o, s:o}", "layer", group->layer, "label",
                               json_string(hl_label_text_of(group->label, relations).text), "heads", heads);
    return hl_json_checked(object, set_effect(object, &group->effect));
}

void hl_heads_json_print(hl_text *text, const hl_heads_study *study, const char *const *relations)
{
    bool has = study->has_effects;
    json_t *heads = json_array(), *groups = json_array();
    for (int64_t i = 0; i < study->n; i++) {
        hl_json_append(&heads, head_object(study, &study->rows[i], relations));
    }
    for (int g = 0; g < study->effects.n_groups; g++) {
        hl_json_append(&groups, group_object(study, &study->effects.groups[g], relations));
    }
    json_t *root =
        json_pack("{s:I, s:I, s:o, s:o, s:o, s:o}", "step", (json_int_t)study->step, "examples",
                  (json_int_t)study->n_examples, "loss", hl_json_number(has ? study->effects.loss : NAN),
                  "weights_step", has && study->weights_step >= 0 ? json_integer(study->weights_step) : json_null(),
                  "heads", heads, "groups", groups);
    hl_json_print_document(text, root);
}
