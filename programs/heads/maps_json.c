#include "programs/heads/maps_json.h"

#include "core/json_text.h"
#include "programs/heads/answers.h"

#include <inttypes.h>

/* Which head of which layer the panel is of. */
static void place_of(const hl_heads_view *view, int64_t index, int64_t *layer, int64_t *head)
{
    for (*layer = 0, *head = index; *head >= view->row_lengths[*layer]; ++*layer) {
        *head -= view->row_lengths[*layer];
    }
}

static bool is_asked_for(int64_t index, int64_t only)
{
    return only < 0 || index == only;
}

/* ---- JSON; NULL stands for missing memory throughout ---- */

static json_t *weights_of(const hl_panel *panel)
{
    json_t *rows = json_array();
    for (int64_t i = 0; i < panel->n_queries; i++) {
        json_t *row = json_array();
        for (int64_t j = 0; j < panel->n_keys; j++) {
            hl_json_append(&row, hl_json_number((double)panel->weights[i * panel->stride + j]));
        }
        hl_json_append(&rows, row);
    }
    return rows;
}

static json_t *label_of(const hl_heads_view *view, int64_t index, const char *const *relations)
{
    if (view->labels == NULL) {
        return json_null();
    }
    return json_string(hl_label_text_of(view->labels[index], relations).text);
}

static json_t *tokens_of(const hl_heads_view *view)
{
    json_t *tokens = json_array();
    for (int64_t i = 0; i < view->panels[0].n_keys; i++) {
        hl_json_append(&tokens, hl_json_name(view->tokens[i]));
    }
    return tokens;
}

static json_t *heads_of(const hl_heads_view *view, int64_t only, const char *const *relations)
{
    json_t *heads = json_array();
    for (int64_t i = 0; i < view->n; i++) {
        int64_t layer, head;
        place_of(view, i, &layer, &head);
        if (is_asked_for(i, only)) {
            hl_json_append(&heads,
                           json_pack("{s:I, s:I, s:o, s:o}", "layer", (json_int_t)layer, "head", (json_int_t)head,
                                     "label", label_of(view, i, relations), "weights", weights_of(&view->panels[i])));
        }
    }
    return heads;
}

void hl_heads_maps_json(hl_text *text, const hl_opened_model *run, const hl_snapshot *maps, const hl_heads_view *view,
                        int64_t only, bool answers)
{
    json_t *root = json_pack(
        "{s:o, s:o, s:I, s:o, s:o}", "step", maps->step >= 0 ? json_integer(maps->step) : json_null(), "example",
        view->means == NULL ? json_integer(view->first_example) : json_null(), "examples", (json_int_t)view->n_examples,
        "tokens", tokens_of(view), "heads", heads_of(view, only, run->relations));
    int failed = answers && json_object_set_new(root, "answers", hl_heads_answers_json(run, maps)) != 0;
    hl_json_print_document(text, hl_json_checked(root, failed));
}

/* ---- CSV ---- */

static void write_weights(hl_text *text, const hl_panel *panel, int64_t layer, int64_t head)
{
    for (int64_t i = 0; i < panel->n_queries; i++) {
        for (int64_t j = 0; j < panel->n_keys; j++) {
            hl_text_print(text, "%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",", layer, head, i, j);
            hl_csv_field(text, panel->queries[i]);
            hl_text_print(text, ",");
            hl_csv_field(text, panel->keys[j]);
            hl_text_print(text, ",%.9g\n", (double)panel->weights[i * panel->stride + j]);
        }
    }
}

void hl_heads_maps_csv(hl_text *text, const hl_heads_view *view, int64_t only)
{
    hl_text_print(text, "layer,head,query,key,query_token,key_token,weight\n");
    for (int64_t i = 0; i < view->n; i++) {
        int64_t layer, head;
        place_of(view, i, &layer, &head);
        if (is_asked_for(i, only)) {
            write_weights(text, &view->panels[i], layer, head);
        }
    }
}
