#include "programs/heads/treebank.h"

#include "core/base/memory.h"
#include "core/base/units.h"
#include "core/files/json_text.h"
#include "heads/head_set.h"
#include "show/table.h"

#include <math.h>
#include <stdlib.h>

/* ---- what a choice reaches ---- */

static void add_share(hl_row *row, const char *title, hl_syntax_rate rate)
{
    hl_row_share(row, title, NULL, hl_syntax_share(rate));
}

/* The share, and between which shares it lies with 95% confidence. */
static void add_found(hl_row *row, const char *title, hl_syntax_rate rate)
{
    hl_syntax_interval sure = hl_syntax_interval_of(rate);
    add_share(row, title, rate);
    hl_row_text(row, "95%", NULL, "%.0f-%.0f", 100 * sure.low, 100 * sure.high);
}

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
    hl_row_share(row, "null", "null", hl_syntax_share(null->published.found));
    hl_row_number(row, NULL, "null_held_out", 0, hl_syntax_share(null->held_out.found));
}

/* ---- all relations ---- */

/* For people all columns of --wide. */
static void row_of_relation(const void *context, int64_t index, hl_row *row)
{
    const hl_syntax_study *study = context;
    const hl_model_config *shape = &study->model->source.shape;
    int64_t relation = study->rows[index];
    hl_syntax_row found = hl_syntax_row_of(&study->found, relation);
    const hl_syntax_choice *all = &found.published, *held = &found.held_out;
    const char *name = hl_syntax_study_name(study, relation);
    bool known = held->found.cases > 0, earned = hl_syntax_names(&study->found, relation, held);
    hl_row_text(row, "relation", NULL, "%s%s", name, earned ? " *" : "");
    hl_row_text(row, NULL, "relation", "%s", name);
    hl_row_text(row, "cases", NULL, "%s", HL_COUNT(all->found.cases));
    hl_row_integer(row, NULL, "cases", all->found.cases);
    hl_row_text(row, "head", NULL, "%s", hl_head_name_at(shape, all->head).text);
    hl_row_text(row, "way", NULL, "%s", hl_syntax_direction_name(all->direction));
    add_found(row, "found", all->found);
    add_share(row, "base", all->baseline);
    hl_row_text(row, "at", NULL, "%+d", (int)all->offset);
    hl_row_text(row, "by", NULL, "%s", known ? hl_head_name_at(shape, held->head).text : "-");
    add_share(row, "held", held->found);
    add_share(row, "held base", held->baseline);
    add_choice(row, study, all, &published, true);
    add_choice(row, study, held, &held_out, true);
    if (study->null.n_heads > 0) {
        hl_syntax_row null = hl_syntax_row_of(&study->null, relation);
        hl_row_text(row, NULL, "null_head", "%s", hl_head_name_at(shape, null.published.head).text);
        add_null(row, &null);
    }
    hl_row_truth(row, "label", earned);
}

/* The same relation by what is held out alone. */
static void short_row_of_relation(const void *context, int64_t index, hl_row *row)
{
    const hl_syntax_study *study = context;
    int64_t relation = study->rows[index];
    hl_syntax_row found = hl_syntax_row_of(&study->found, relation);
    const hl_syntax_choice *held = &found.held_out;
    bool known = held->found.cases > 0;
    hl_head_name name = hl_head_name_at(&study->model->source.shape, held->head);
    hl_row_text(row, "relation", NULL, "%s%s", hl_syntax_study_name(study, relation),
                hl_syntax_names(&study->found, relation, held) ? " *" : "");
    hl_row_text(row, "head", NULL, "%s", known ? name.text : "-");
    hl_heads_add_held_out(row, held->found);
    add_share(row, "base", held->baseline);
    if (study->null.n_heads > 0) {
        add_share(row, "null", hl_syntax_row_of(&study->null, relation).held_out.found);
    }
    hl_row_text(row, "cases", NULL, "%s", HL_COUNT(held->found.cases));
}

static hl_results relations_of(const hl_syntax_study *study)
{
    return (hl_results){ row_of_relation, study, study->n_rows };
}

static void print_read(hl_text *text, const hl_syntax_study *study)
{
    const hl_treebank *t = study->treebank;
    hl_text_paragraph(text, HL_TABLE_WIDTH, "%s on %s sentence%s; left out: %s of one word, %s of more than %s pieces.",
                      study->model->source.path, HL_COUNT(t->n_sentences), t->n_sentences == 1 ? "" : "s",
                      HL_COUNT(t->n_short), HL_COUNT(t->n_long), HL_COUNT(study->max_pieces));
    if (t->n_several_roots > 0 || t->n_unknown_words > 0) {
        hl_text_paragraph(text, HL_TABLE_WIDTH,
                          "Of these, sentences with several roots: %s; words that the model's tokens do not know: %s.",
                          HL_COUNT(t->n_several_roots), HL_COUNT(t->n_unknown_words));
    }
}

static void print_wide(hl_text *text, const hl_syntax_study *study)
{
    hl_results_print_apart(text, relations_of(study), HL_TABLE_WIDTH, 2);
    hl_text_paragraph(
        text, HL_TABLE_WIDTH,
        "head, way: the head that finds the relation best, and how. d>h: the word looks at its syntactic "
        "head; h>d: the syntactic head looks at the word. found: per cent of the cases in which the "
        "largest weight is on the right word, with its 95%% interval (Wilson). base, at: the same for the "
        "best fixed offset; +1 is the next word. These columns are chosen and measured on the same "
        "sentences, as in papers. by, held: the head and way chosen on sentences 0, 2, 4 ... and measured "
        "on 1, 3, 5 ...; held base: the best fixed offset on the latter. null: what the best head "
        "finds with random weights. *: the head in column by earns the relation as a label: held is at "
        "least 10 above held base, and their intervals do not overlap.");
}

static void print_short(hl_text *text, const hl_syntax_study *study)
{
    hl_results_print_apart(text, (hl_results){ short_row_of_relation, study, study->n_rows }, HL_TABLE_WIDTH, 1);
    hl_text_paragraph(text, HL_TABLE_WIDTH,
                      "head: the head that finds the relation best in sentences 0, 2, 4 .... held out: per cent of the "
                      "cases in sentences 1, 3, 5 ... in which its largest weight is on the right word, with the 95%% "
                      "interval (Wilson) in brackets. base: the same for the best fixed offset. null: the same for the "
                      "best head with random weights. *: the head earns the relation as a label: it is at least 10 "
                      "above the base, and their intervals do not overlap. More columns: --wide.");
}

/* What a further relation is; "" of the treebank's own. */
static const char *meaning_of(const hl_syntax_study *study, int64_t relation)
{
    static const char *const meanings[HL_TREEBANK_EXTRAS] = {
        [HL_TREEBANK_NEG] = "neg: a word with Polarity=Neg and its syntactic head. ",
        [HL_TREEBANK_ENTITY] = "entity: a word of a mention of several words, and any other word of the mention. ",
        [HL_TREEBANK_LONG] = "long: a word and its syntactic head, more than five words away. ",
    };
    const char *meaning = "";
    for (int extra = 0; relation >= 0 && extra < HL_TREEBANK_EXTRAS; extra++) {
        bool is_it = study->treebank->extras[extra] == relation;
        meaning = is_it ? meanings[extra] : meaning;
    }
    return meaning;
}

/* What further relations are, or why one is missing. */
static void print_extras(hl_text *text, const hl_syntax_study *study)
{
    hl_status fault = study->treebank->entity_fault;
    hl_text shown = { 0 };
    for (int64_t row = 1; row < study->n_rows; row++) {
        hl_text_print(&shown, "%s", meaning_of(study, study->rows[row]));
    }
    if (shown.size > 0) {
        hl_text_print(text, "\n");
        hl_text_paragraph(text, HL_TABLE_WIDTH, "%sThe row all does not count these, and they are no labels of heads.",
                          shown.bytes);
    }
    if (fault.code != HL_OK) {
        hl_text_print(text, "\n");
        hl_text_paragraph(text, HL_TABLE_WIDTH, "The row entity is missing. %s", fault.text);
    }
    HL_THEN(text->error, hl_text_status(&shown));
    hl_text_free(&shown);
}

void hl_heads_treebank_answer(hl_heads_answer *answer, const hl_syntax_study *study, bool wide)
{
    const hl_treebank *t = study->treebank;
    const hl_results relations = relations_of(study);
    hl_text *text = &answer->table;
    print_read(text, study);
    (wide ? print_wide : print_short)(text, study);
    print_extras(text, study);
    hl_heads_earning_print(text, study);
    hl_results_markdown(&answer->markdown, relations);
    if (study->has_trees) {
        hl_heads_trees_print(answer, study);
    }
    json_t *trees = study->has_trees ? hl_results_json(hl_heads_trees(study)) : json_null();
    int64_t left_out = t->n_short + t->n_long;
    hl_json_print_document(&answer->json, json_pack("{s:I, s:I, s:I, s:I, s:o, s:o, s:o}", "sentences",
                                                    (json_int_t)t->n_sentences, "left_out", (json_int_t)left_out,
                                                    "several_roots", (json_int_t)t->n_several_roots, "unknown_words",
                                                    (json_int_t)t->n_unknown_words, "rows", hl_results_json(relations),
                                                    "heads", hl_results_json(hl_heads_earning(study)), "trees", trees));
    hl_results_csv(&answer->csv, study->has_trees ? hl_heads_trees(study) : relations);
}

/* ---- one relation ---- */

typedef struct found_head {
    int64_t head;
    double hits;
} found_head;

/* What all heads find of it. */
typedef struct relation_heads {
    const hl_syntax_study *study;
    int64_t relation;
    const found_head *order; /* (study->found.n_heads); NULL: by layer and head */
} relation_heads;

static int most_found_first(const void *a, const void *b)
{
    const found_head *x = a, *y = b;
    return x->hits != y->hits ? (x->hits < y->hits) - (x->hits > y->hits) : (x->head > y->head) - (x->head < y->head);
}

static void row_of_head(const void *context, int64_t index, hl_row *row)
{
    const relation_heads *of = context;
    const hl_syntax_study *study = of->study;
    int64_t head = of->order != NULL ? of->order[index].head : index;
    hl_syntax_row found = hl_syntax_head_of(&study->found, of->relation, head);
    const hl_syntax_choice *all = &found.published, *held = &found.held_out;
    hl_head_name name = hl_head_name_at(&study->model->source.shape, head);
    bool earned = hl_syntax_names(&study->found, of->relation, held);
    hl_row_text(row, "head", NULL, "%s%s", name.text, earned ? " *" : "");
    hl_row_text(row, NULL, "head", "%s", name.text);
    hl_row_text(row, "way", NULL, "%s", hl_syntax_direction_name(all->direction));
    add_found(row, "found", all->found);
    add_share(row, "held", held->found);
    add_choice(row, study, all, &published, false);
    add_choice(row, study, held, &held_out, false);
    if (study->null.n_heads > 0) {
        hl_syntax_row null = hl_syntax_head_of(&study->null, of->relation, head);
        add_null(row, &null);
    }
    hl_row_truth(row, "label", earned);
}

static void print_relation(hl_text *text, const hl_syntax_study *study, int64_t relation, hl_results heads)
{
    bool own = relation < study->found.n_own;
    print_read(text, study);
    hl_syntax_choice best = hl_syntax_row_of(&study->found, relation).published;
    if (best.found.cases > 0) {
        hl_text_paragraph(text, HL_TABLE_WIDTH, "%s: %s cases; the best fixed offset, %+d, finds %.1f per cent.",
                          hl_syntax_study_name(study, relation), HL_COUNT(best.found.cases), (int)best.offset,
                          100 * hl_syntax_share(best.baseline));
    } else {
        hl_text_paragraph(text, HL_TABLE_WIDTH, "%s: no cases; only words that have a head in their sentence are one.",
                          hl_syntax_study_name(study, relation));
    }
    hl_results_print_apart(text, heads, HL_TABLE_WIDTH, 1);
    hl_text_paragraph(text, HL_TABLE_WIDTH,
                      "%sfound: per cent of the cases in which the largest weight is on the right word, in the head's "
                      "better way; d>h: the word looks at %s, h>d: that looks at the word. held: the same, the way "
                      "chosen on sentences 0, 2, 4 ... and measured on 1, 3, 5 .... null: of the same head with random "
                      "weights.%s",
                      meaning_of(study, relation), own ? "its syntactic head" : "the right word",
                      own ? " *: the head earns the relation as a label." : "");
}

hl_status hl_heads_relation_answer(hl_heads_answer *answer, const hl_syntax_study *study, int64_t relation)
{
    int64_t n = study->found.n_heads;
    found_head *order = hl_calloc((size_t)n, sizeof *order);
    HL_NEED(order != NULL, "the heads of a relation");
    for (int64_t head = 0; head < n; head++) {
        order[head] = (found_head){ head, hl_syntax_head_of(&study->found, relation, head).published.found.hits };
    }
    qsort(order, (size_t)n, sizeof *order, most_found_first);
    const relation_heads best_first = { study, relation, order }, by_place = { study, relation, NULL };
    hl_results shown = { row_of_head, &best_first, n }, heads = { row_of_head, &by_place, n };
    print_relation(&answer->table, study, relation, shown);
    hl_results_markdown(&answer->markdown, shown);
    hl_syntax_choice best = hl_syntax_row_of(&study->found, relation).published;
    hl_json_print_document(&answer->json,
                           json_pack("{s:o, s:I, s:o}", "relation", hl_json_name(hl_syntax_study_name(study, relation)),
                                     "cases", (json_int_t)best.found.cases, "heads", hl_results_json(heads)));
    hl_results_csv(&answer->csv, heads);
    hl_free(order);
    return hl_ok();
}
