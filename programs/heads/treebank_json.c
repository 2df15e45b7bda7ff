#include "programs/heads/treebank_table.h"

#include "core/json_text.h"
#include "heads/head_set.h"

#include <math.h>

/* ---- a row's fields, for JSON and CSV ---- */

typedef struct field {
    const char *name;
    enum { TEXT, INTEGER, SHARE, VERDICT } kind;
    hl_head_name text; /* empty: none */
    double number;     /* NAN: none */
} field;

enum { FIELDS = 24 };

static field text_field(const char *name, const char *text)
{
    field f = { .name = name, .kind = TEXT };
    snprintf(f.text.text, sizeof f.text.text, "%s", text);
    return f;
}

static field number_field(const char *name, int kind, double number)
{
    return (field){ .name = name, .kind = kind, .number = number };
}

/* The fields of what a choice reaches. */
static int choice_fields(const hl_syntax_study *study, const hl_syntax_choice *choice, bool held_out, bool with_head,
                         field *fields)
{
    bool any = choice->found.cases > 0;
    hl_syntax_interval interval = hl_syntax_interval_of(choice->found);
    int n = 0;
    if (with_head) {
        fields[n++] = text_field(held_out ? "held_out_head" : "head",
                                 any ? hl_head_name_at(&study->model->shape, choice->head).text : "");
    }
    fields[n++] = text_field(held_out ? "held_out_direction" : "direction",
                             any ? hl_syntax_direction_name(choice->direction) : "");
    fields[n++] = number_field(held_out ? "held_out" : "accuracy", SHARE, hl_syntax_share(choice->found));
    fields[n++] = number_field(held_out ? "held_out_low" : "low", SHARE, any ? interval.low : NAN);
    fields[n++] = number_field(held_out ? "held_out_high" : "high", SHARE, any ? interval.high : NAN);
    fields[n++] = number_field(held_out ? "held_out_offset" : "offset", INTEGER, any ? (double)choice->offset : NAN);
    fields[n++] = number_field(held_out ? "held_out_baseline" : "baseline", SHARE, hl_syntax_share(choice->baseline));
    return n;
}

static int null_fields(const hl_syntax_study *study, int64_t relation, field *fields)
{
    if (study->null.n_heads == 0) {
        return 0;
    }
    hl_syntax_row null = hl_syntax_row_of(&study->null, relation);
    fields[0] = text_field("null_head", hl_head_name_at(&study->model->shape, null.published.head).text);
    fields[1] = number_field("null", SHARE, hl_syntax_share(null.published.found));
    fields[2] = number_field("null_held_out", SHARE, hl_syntax_share(null.held_out.found));
    return 3;
}

/* Of the best head for a relation. */
static int row_fields(const hl_syntax_study *study, int64_t relation, field fields[FIELDS])
{
    hl_syntax_row row = hl_syntax_row_of(&study->found, relation);
    int n = 0;
    fields[n++] = text_field("relation", hl_syntax_study_name(study, relation));
    fields[n++] = number_field("cases", INTEGER, (double)row.published.found.cases);
    n += choice_fields(study, &row.published, false, true, fields + n);
    n += choice_fields(study, &row.held_out, true, true, fields + n);
    n += null_fields(study, relation, fields + n);
    fields[n++] = number_field("label", VERDICT, relation >= 0 && hl_syntax_earned(&row.held_out));
    return n;
}

/* Of one head for a relation. */
static int head_fields(const hl_syntax_study *study, int64_t relation, int64_t head, field fields[FIELDS])
{
    hl_syntax_row row = hl_syntax_head_of(&study->found, relation, head);
    int n = 0;
    fields[n++] = text_field("head", hl_head_name_at(&study->model->shape, head).text);
    n += choice_fields(study, &row.published, false, false, fields + n);
    n += choice_fields(study, &row.held_out, true, false, fields + n);
    if (study->null.n_heads > 0) {
        hl_syntax_row null = hl_syntax_head_of(&study->null, relation, head);
        fields[n++] = number_field("null", SHARE, hl_syntax_share(null.published.found));
        fields[n++] = number_field("null_held_out", SHARE, hl_syntax_share(null.held_out.found));
    }
    fields[n++] = number_field("label", VERDICT, relation >= 0 && hl_syntax_earned(&row.held_out));
    return n;
}

static json_t *field_json(const field *f)
{
    switch (f->kind) {
    case TEXT:
        return f->text.text[0] != '\0' ? hl_json_name(f->text.text) : json_null();
    case VERDICT:
        return json_boolean(f->number != 0);
    case INTEGER:
        return isfinite(f->number) ? json_integer((json_int_t)f->number) : json_null();
    default:
        return hl_json_number(f->number);
    }
}

/* NULL: out of memory. */
static json_t *fields_json(const field *fields, int n)
{
    json_t *object = json_object();
    int failed = 0;
    for (int i = 0; i < n; i++) {
        failed = json_object_set_new(object, fields[i].name, field_json(&fields[i])) || failed;
    }
    return hl_json_checked(object, failed);
}

static void fields_csv(hl_text *text, const field *fields, int n, bool names)
{
    for (int i = 0; i < n; i++) {
        hl_text_print(text, "%s", i > 0 ? "," : "");
        if (names || fields[i].kind == TEXT) {
            hl_csv_field(text, names ? fields[i].name : fields[i].text.text);
        } else if (isfinite(fields[i].number)) {
            hl_text_print(text, "%.9g", fields[i].number);
        }
    }
    hl_text_print(text, "\n");
}

/* ---- the documents ---- */

static json_t *earned_json(const hl_syntax_study *study)
{
    json_t *heads = json_array();
    for (int64_t head = 0; head < study->found.n_heads; head++) {
        int64_t relation = hl_syntax_study_earned(study, head);
        if (relation >= 0) {
            hl_json_append(&heads, json_pack("{s:s, s:o}", "head", hl_head_name_at(&study->model->shape, head).text,
                                             "relation", hl_json_name(hl_syntax_study_name(study, relation))));
        }
    }
    return heads;
}

static json_t *trees_json(const hl_syntax_study *study)
{
    if (!study->has_trees) {
        return json_null();
    }
    json_t *trees = json_array();
    for (hl_syntax_tree_kind kind = 0; kind < HL_SYNTAX_TREE_KINDS; kind++) {
        const hl_tree_score *score = &study->trees[kind];
        hl_json_append(&trees, json_pack("{s:s, s:o, s:o}", "trees", hl_syntax_tree_name(kind), "uas",
                                         hl_json_number(hl_tree_share(score, score->directed)), "uuas",
                                         hl_json_number(hl_tree_share(score, score->undirected))));
    }
    return trees;
}

void hl_heads_treebank_json(hl_text *text, const hl_syntax_study *study)
{
    json_t *rows = json_array();
    for (int64_t r = 0; r < study->n_rows; r++) {
        field fields[FIELDS];
        int n = row_fields(study, study->rows[r], fields);
        hl_json_append(&rows, fields_json(fields, n));
    }
    const hl_treebank *t = study->treebank;
    int64_t left_out = hl_treebank_short(t) + hl_treebank_long(t);
    hl_json_print_document(text, json_pack("{s:I, s:I, s:I, s:I, s:o, s:o, s:o}", "sentences",
                                           (json_int_t)hl_treebank_size(t), "left_out", (json_int_t)left_out,
                                           "several_roots", (json_int_t)hl_treebank_several_roots(t), "unknown_words",
                                           (json_int_t)hl_treebank_unknown_words(t), "rows", rows, "heads",
                                           earned_json(study), "trees", trees_json(study)));
}

void hl_heads_treebank_csv(hl_text *text, const hl_syntax_study *study)
{
    for (int64_t r = -1; r < study->n_rows; r++) {
        field fields[FIELDS];
        int n = row_fields(study, r < 0 ? -1 : study->rows[r], fields);
        fields_csv(text, fields, n, r < 0);
    }
}

void hl_heads_relation_json(hl_text *text, const hl_syntax_study *study, int64_t relation)
{
    json_t *heads = json_array();
    for (int64_t h = 0; h < study->found.n_heads; h++) {
        field fields[FIELDS];
        int n = head_fields(study, relation, h, fields);
        hl_json_append(&heads, fields_json(fields, n));
    }
    hl_syntax_choice best = hl_syntax_row_of(&study->found, relation).published;
    hl_json_print_document(text,
                           json_pack("{s:o, s:I, s:o}", "relation", hl_json_name(hl_syntax_study_name(study, relation)),
                                     "cases", (json_int_t)best.found.cases, "heads", heads));
}

void hl_heads_relation_csv(hl_text *text, const hl_syntax_study *study, int64_t relation)
{
    for (int64_t h = -1; h < study->found.n_heads; h++) {
        field fields[FIELDS];
        int n = head_fields(study, relation, h < 0 ? 0 : h, fields);
        fields_csv(text, fields, n, h < 0);
    }
}
