#include "programs/heads/importance_json.h"

#include "core/json_text.h"
#include "heads/head_set.h"

#include <inttypes.h>
#include <math.h>

/* ---- the figures of a head, for both ---- */

enum { FIGURES = 10 };

/* "gradient", "gradient_error", ... */
static const char *const names[FIGURES] = { "gradient",      "gradient_error", "gradient_normalised", "zero",
                                            "zero_error",    "mean",           "mean_error",          "uniform",
                                            "uniform_error", "shapley" };

static double figure(const hl_heads_importance *study, int64_t index, int which)
{
    const hl_head_importance *h = &study->importance.heads[index];
    const double all[FIGURES] = { h->gradient.mean, h->gradient.error,
                                  h->normalised,    h->zero.mean,
                                  h->zero.error,    h->mean.mean,
                                  h->mean.error,    h->uniform.mean,
                                  h->uniform.error, study->has_subsets ? study->shapley[index] : NAN };
    return all[which];
}

/* ---- JSON; NULL stands for missing memory throughout ---- */

static hl_label_text label_of(const hl_heads_importance *study, int64_t index)
{
    return hl_label_text_of(study->labels[index], study->run->relations);
}

static json_t *head_object(const hl_heads_importance *study, int64_t index)
{
    const hl_head_importance *head = &study->importance.heads[index];
    json_t *object = json_pack("{s:i, s:I, s:o, s:b, s:b}", "layer", head->layer, "head", (json_int_t)head->head,
                               "label", json_string(label_of(study, index).text), "decorative",
                               (int)hl_heads_decorative(study, index), "silent", (int)hl_heads_silent(study, index));
    int failed = 0;
    for (int f = 0; f < FIGURES; f++) {
        failed = json_object_set_new(object, names[f], hl_json_number(figure(study, index, f))) || failed;
    }
    return hl_json_checked(object, failed);
}

static json_t *head_list(const hl_heads_importance *study)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < study->importance.n; i++) {
        hl_json_append(&list, head_object(study, i));
    }
    return list;
}

static json_t *smallest_set(const hl_heads_importance *study)
{
    if (!study->has_subsets) {
        return json_null();
    }
    json_t *heads = json_array();
    for (int i = 0; i < study->subsets.n; i++) {
        if (study->smallest >> i & 1) {
            hl_json_append(&heads, json_string(hl_head_name_at(&study->run->shape, i).text));
        }
    }
    return json_pack("{s:o, s:o, s:o}", "heads", heads, "loss", hl_json_number(study->subsets.losses[study->smallest]),
                     "accuracy", hl_json_number(study->subsets.accuracies[study->smallest]));
}

void hl_heads_importance_json(hl_text *text, const hl_heads_importance *study)
{
    const hl_importance *i = &study->importance;
    json_t *weights_step = study->weights_step >= 0 ? json_integer(study->weights_step) : json_null();
    json_t *root =
        json_pack("{s:I, s:o, s:I, s:o, s:o, s:o, s:o}", "step", (json_int_t)study->step, "weights_step", weights_step,
                  "examples", (json_int_t)i->n_examples, "loss", hl_json_number(i->loss), "rank_correlation",
                  hl_json_number(i->rank_correlation), "heads", head_list(study), "smallest_set", smallest_set(study));
    hl_json_print_document(text, root);
}

/* ---- CSV ---- */

static void write_row(hl_text *text, const hl_heads_importance *study, int64_t index)
{
    const hl_head_importance *head = &study->importance.heads[index];
    hl_text_print(text, "%d,%" PRId64 ",%s", head->layer, head->head, label_of(study, index).text);
    for (int f = 0; f < FIGURES; f++) {
        double value = figure(study, index, f);
        if (isfinite(value)) {
            hl_text_print(text, ",%.9g", value);
        } else {
            hl_text_print(text, ",");
        }
    }
    hl_text_print(text, ",%d,%d\n", hl_heads_decorative(study, index), hl_heads_silent(study, index));
}

void hl_heads_importance_csv(hl_text *text, const hl_heads_importance *study)
{
    hl_text_print(text, "layer,head,label");
    for (int f = 0; f < FIGURES; f++) {
        hl_text_print(text, ",%s", names[f]);
    }
    hl_text_print(text, ",decorative,silent\n");
    for (int64_t i = 0; i < study->importance.n; i++) {
        write_row(text, study, i);
    }
}
