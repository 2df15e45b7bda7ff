#include "programs/heads/treebank_table.h"

#include "core/files/json_text.h"
#include "heads/head_set.h"

#include <math.h>

/* ---- rows ---- */

/* The names of what a choice reaches. */
typedef struct choice_keys {
    const char *head, *direction, *share, *low, *high, *offset, *baseline;
} choice_keys;

static const choice_keys published = { "head", "direction", "accuracy", "low", "high", "offset", "baseline" };
static const choice_keys held_out = { "held_out_head", "held_out_direction", "held_out",         "held_out_low",
                                      "held_out_high", "held_out_offset",    "held_out_baseline" };

/* What a choice reaches; of the best head its name, too. */
static void add_choice(hl_row *row, const hl_syntax_study *study, const hl_syntax_choice *choice,
                       const choice_keys *keys, bool with_head)
{
    bool any = choice->found.cases > 0;
    hl_syntax_interval interval = hl_syntax_interval_of(choice->found);
    if (with_head) {
        hl_head_name name = hl_head_name_at(&study->model->source.shape, choice->head);
        hl_row_text(row, NULL, keys->head, "%s", any ? name.text : "");
    }
    hl_row_text(row, NULL, keys->direction, "%s", any ? hl_syntax_direction_name(choice->direction) : "");
    hl_row_number(row, NULL, keys->share, 0, hl_syntax_share(choice->found));
    hl_row_number(row, NULL, keys->low, 0, any ? interval.low : NAN);
    hl_row_number(row, NULL, keys->high, 0, any ? interval.high : NAN);
    hl_row_integer(row, NULL, keys->offset, any ? choice->offset : NAN);
    hl_row_number(row, NULL, keys->baseline, 0, any ? hl_syntax_share(choice->baseline) : NAN);
}

static void add_null(hl_row *row, const hl_syntax_row *null)
{
    hl_row_number(row, NULL, "null", 0, hl_syntax_share(null->published.found));
    hl_row_number(row, NULL, "null_held_out", 0, hl_syntax_share(null->held_out.found));
}

/* Of the best head for the relation of that row. */
static void row_of_relation(const void *context, int64_t index, hl_row *row)
{
    const hl_syntax_study *study = context;
    int64_t relation = study->rows[index];
    hl_syntax_row found = hl_syntax_row_of(&study->found, relation);
    hl_row_text(row, NULL, "relation", "%s", hl_syntax_study_name(study, relation));
    hl_row_integer(row, NULL, "cases", found.published.found.cases);
    add_choice(row, study, &found.published, &published, true);
    add_choice(row, study, &found.held_out, &held_out, true);
    if (study->null.n_heads > 0) {
        hl_syntax_row null = hl_syntax_row_of(&study->null, relation);
        hl_head_name name = hl_head_name_at(&study->model->source.shape, null.published.head);
        hl_row_text(row, NULL, "null_head", "%s", name.text);
        add_null(row, &null);
    }
    bool earned = hl_syntax_names(&study->found, relation, &found.held_out);
    hl_row_truth(row, "label", earned);
}

static hl_results relations_of(const hl_syntax_study *study)
{
    return (hl_results){ row_of_relation, study, study->n_rows };
}

typedef struct heads_of_relation {
    const hl_syntax_study *study;
    int64_t relation;
} heads_of_relation;

/* Of one head for a relation. */
static void row_of_head(const void *context, int64_t head, hl_row *row)
{
    const heads_of_relation *of = context;
    hl_syntax_row found = hl_syntax_head_of(&of->study->found, of->relation, head);
    hl_row_text(row, NULL, "head", "%s", hl_head_name_at(&of->study->model->source.shape, head).text);
    add_choice(row, of->study, &found.published, &published, false);
    add_choice(row, of->study, &found.held_out, &held_out, false);
    if (of->study->null.n_heads > 0) {
        hl_syntax_row null = hl_syntax_head_of(&of->study->null, of->relation, head);
        add_null(row, &null);
    }
    bool earned = hl_syntax_names(&of->study->found, of->relation, &found.held_out);
    hl_row_truth(row, "label", earned);
}

/* ---- the documents ---- */

void hl_heads_treebank_data(hl_heads_answer *answer, const hl_syntax_study *study)
{
    json_t *trees = study->has_trees ? hl_results_json(hl_heads_trees(study)) : json_null();
    const hl_treebank *t = study->treebank;
    int64_t left_out = t->n_short + t->n_long;
    hl_json_print_document(&answer->json,
                           json_pack("{s:I, s:I, s:I, s:I, s:o, s:o, s:o}", "sentences", (json_int_t)t->n_sentences,
                                     "left_out", (json_int_t)left_out, "several_roots", (json_int_t)t->n_several_roots,
                                     "unknown_words", (json_int_t)t->n_unknown_words, "rows",
                                     hl_results_json(relations_of(study)), "heads",
                                     hl_results_json(hl_heads_earning(study)), "trees", trees));
    hl_results_csv(&answer->csv, study->has_trees ? hl_heads_trees(study) : relations_of(study));
}

void hl_heads_relation_data(hl_heads_answer *answer, const hl_syntax_study *study, int64_t relation)
{
    heads_of_relation of = { study, relation };
    hl_results heads = { row_of_head, &of, study->found.n_heads };
    hl_syntax_choice best = hl_syntax_row_of(&study->found, relation).published;
    hl_json_print_document(&answer->json,
                           json_pack("{s:o, s:I, s:o}", "relation", hl_json_name(hl_syntax_study_name(study, relation)),
                                     "cases", (json_int_t)best.found.cases, "heads", hl_results_json(heads)));
    hl_results_csv(&answer->csv, heads);
}
