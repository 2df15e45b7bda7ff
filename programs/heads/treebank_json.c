#include "programs/heads/treebank_table.h"

#include "core/files/json_text.h"
#include "heads/head_set.h"
#include "programs/heads/fields.h"

#include <math.h>

/* ---- rows ---- */

/* What a choice reaches; of the best head its name, too. */
static void add_choice(hl_fields *fields, const hl_syntax_study *study, const hl_syntax_choice *choice, bool held_out,
                       bool with_head)
{
    bool any = choice->found.cases > 0;
    hl_syntax_interval interval = hl_syntax_interval_of(choice->found);
    if (with_head) {
        hl_field_text(fields, held_out ? "held_out_head" : "head",
                      any ? hl_head_name_at(&study->model->source.shape, choice->head).text : "");
    }
    hl_field_text(fields, held_out ? "held_out_direction" : "direction",
                  any ? hl_syntax_direction_name(choice->direction) : "");
    const struct {
        const char *name, *held_out;
        double number;
    } figures[] = { { "accuracy", "held_out", hl_syntax_share(choice->found) },
                    { "low", "held_out_low", interval.low },
                    { "high", "held_out_high", interval.high },
                    { "offset", "held_out_offset", (double)choice->offset },
                    { "baseline", "held_out_baseline", hl_syntax_share(choice->baseline) } };
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        hl_field_number(fields, i == 3 ? HL_FIELD_INTEGER : HL_FIELD_NUMBER,
                        held_out ? figures[i].held_out : figures[i].name, any ? figures[i].number : NAN);
    }
}

static void add_null(hl_fields *fields, const hl_syntax_row *null)
{
    hl_field_number(fields, HL_FIELD_NUMBER, "null", hl_syntax_share(null->published.found));
    hl_field_number(fields, HL_FIELD_NUMBER, "null_held_out", hl_syntax_share(null->held_out.found));
}

/* Of the best head for the relation of that row. */
static void fields_of_relation(const void *rows, int64_t index, hl_fields *fields)
{
    const hl_syntax_study *study = rows;
    int64_t relation = study->rows[index];
    hl_syntax_row row = hl_syntax_row_of(&study->found, relation);
    hl_field_text(fields, "relation", hl_syntax_study_name(study, relation));
    hl_field_number(fields, HL_FIELD_INTEGER, "cases", (double)row.published.found.cases);
    add_choice(fields, study, &row.published, false, true);
    add_choice(fields, study, &row.held_out, true, true);
    if (study->null.n_heads > 0) {
        hl_syntax_row null = hl_syntax_row_of(&study->null, relation);
        hl_field_text(fields, "null_head", hl_head_name_at(&study->model->source.shape, null.published.head).text);
        add_null(fields, &null);
    }
    hl_field_number(fields, HL_FIELD_VERDICT, "label", relation >= 0 && hl_syntax_earned(&row.held_out));
}

typedef struct heads_of_relation {
    const hl_syntax_study *study;
    int64_t relation;
} heads_of_relation;

/* Of one head for a relation. */
static void fields_of_head(const void *rows, int64_t head, hl_fields *fields)
{
    const heads_of_relation *of = rows;
    hl_syntax_row row = hl_syntax_head_of(&of->study->found, of->relation, head);
    hl_field_text(fields, "head", hl_head_name_at(&of->study->model->source.shape, head).text);
    add_choice(fields, of->study, &row.published, false, false);
    add_choice(fields, of->study, &row.held_out, true, false);
    if (of->study->null.n_heads > 0) {
        hl_syntax_row null = hl_syntax_head_of(&of->study->null, of->relation, head);
        add_null(fields, &null);
    }
    hl_field_number(fields, HL_FIELD_VERDICT, "label", of->relation >= 0 && hl_syntax_earned(&row.held_out));
}

/* Of one kind of trees. */
static void fields_of_trees(const void *rows, int64_t kind, hl_fields *fields)
{
    const hl_syntax_study *study = rows;
    const hl_tree_score *score = &study->trees[kind];
    hl_field_text(fields, "trees", hl_syntax_tree_name((hl_syntax_tree_kind)kind));
    hl_field_number(fields, HL_FIELD_NUMBER, "uas", hl_tree_share(score, score->directed));
    hl_field_number(fields, HL_FIELD_NUMBER, "uuas", hl_tree_share(score, score->undirected));
}

/* ---- the documents ---- */

static json_t *verdict(const hl_head_effect *effect)
{
    bool known = effect != NULL && effect->faithful != HL_FAITHFUL_UNKNOWN;
    return known ? json_boolean(effect->faithful == HL_FAITHFUL_YES) : json_null();
}

/* The heads that earn a relation, with what they reach where nothing was chosen. */
static json_t *earned_json(const hl_syntax_study *study)
{
    json_t *heads = json_array();
    for (int64_t head = 0; head < study->found.n_heads; head++) {
        const hl_syntax_label *label = &study->labels[head];
        if (label->relation < 0) {
            continue;
        }
        const hl_syntax_choice *held_out = &label->held_out;
        const hl_head_effect *effect = label->effect;
        hl_syntax_interval interval = hl_syntax_interval_of(held_out->found);
        hl_json_append(&heads,
                       json_pack("{s:s, s:o, s:s, s:I, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "head",
                                 hl_head_name_at(&study->model->source.shape, head).text, "relation",
                                 hl_json_name(label->name), "direction", hl_syntax_direction_name(held_out->direction),
                                 "cases", (json_int_t)held_out->found.cases, "held_out",
                                 hl_json_number(hl_syntax_share(held_out->found)), "low", hl_json_number(interval.low),
                                 "high", hl_json_number(interval.high), "offset", (json_int_t)held_out->offset,
                                 "baseline", hl_json_number(hl_syntax_share(held_out->baseline)), "loss_without",
                                 hl_json_number(effect != NULL ? effect->loss_without : NAN), "standard_error",
                                 hl_json_number(effect != NULL ? effect->standard_error : NAN), "kept",
                                 hl_json_number(effect != NULL ? effect->kept : NAN), "faithful", verdict(effect),
                                 "faithful_in_group", verdict(label->group)));
    }
    return heads;
}

void hl_heads_treebank_json(hl_text *text, const hl_syntax_study *study)
{
    json_t *rows = hl_fields_json(fields_of_relation, study, study->n_rows);
    const hl_treebank *t = study->treebank;
    int64_t left_out = hl_treebank_short(t) + hl_treebank_long(t);
    hl_json_print_document(
        text,
        json_pack("{s:I, s:I, s:I, s:I, s:o, s:o, s:o}", "sentences", (json_int_t)hl_treebank_size(t), "left_out",
                  (json_int_t)left_out, "several_roots", (json_int_t)hl_treebank_several_roots(t), "unknown_words",
                  (json_int_t)hl_treebank_unknown_words(t), "rows", rows, "heads", earned_json(study), "trees",
                  study->has_trees ? hl_fields_json(fields_of_trees, study, HL_SYNTAX_TREE_KINDS) : json_null()));
}

void hl_heads_treebank_csv(hl_text *text, const hl_syntax_study *study)
{
    if (study->has_trees) {
        hl_fields_csv(text, fields_of_trees, study, HL_SYNTAX_TREE_KINDS);
    } else {
        hl_fields_csv(text, fields_of_relation, study, study->n_rows);
    }
}

void hl_heads_relation_json(hl_text *text, const hl_syntax_study *study, int64_t relation)
{
    heads_of_relation of = { study, relation };
    json_t *heads = hl_fields_json(fields_of_head, &of, study->found.n_heads);
    hl_syntax_choice best = hl_syntax_row_of(&study->found, relation).published;
    hl_json_print_document(text,
                           json_pack("{s:o, s:I, s:o}", "relation", hl_json_name(hl_syntax_study_name(study, relation)),
                                     "cases", (json_int_t)best.found.cases, "heads", heads));
}

void hl_heads_relation_csv(hl_text *text, const hl_syntax_study *study, int64_t relation)
{
    hl_fields_csv(text, fields_of_head, &(heads_of_relation){ study, relation }, study->found.n_heads);
}
