/* What heads find in a treebank, for the page (show/report/grammar.js). */
#include "core/files/json_text.h"
#include "show/private/report_json.h"

#include <math.h>

/* NULL stands for missing memory throughout. */

static json_t *rate(hl_syntax_rate r)
{
    return json_pack("[I, I]", (json_int_t)r.hits, (json_int_t)r.cases);
}

static json_t *interval(hl_syntax_rate r)
{
    hl_syntax_interval i = hl_syntax_interval_of(r);
    return json_pack("[o, o]", hl_json_number(i.low), hl_json_number(i.high));
}

/* A head and an offset, and what they reach: [hits, cases] each. */
static json_t *choice_object(const hl_syntax_choice *choice)
{
    return json_pack("{s:I, s:s, s:o, s:o, s:I, s:o}", "head", (json_int_t)choice->head, "direction",
                     hl_syntax_direction_name(choice->direction), "found", rate(choice->found), "interval",
                     interval(choice->found), "offset", (json_int_t)choice->offset, "baseline", rate(choice->baseline));
}

static json_t *head_list(const hl_syntax *found, int64_t relation)
{
    json_t *heads = json_array();
    for (int64_t head = 0; head < found->n_heads; head++) {
        hl_syntax_choice held_out = hl_syntax_head_of(found, relation, head).held_out;
        bool earned = hl_syntax_names(found, relation, &held_out);
        hl_json_append(&heads, json_pack("[s, I, b]", hl_syntax_direction_name(held_out.direction),
                                         (json_int_t)held_out.found.hits, (int)earned));
    }
    return heads;
}

/* ---- examples ---- */

/* Weights with three digits. */
static json_t *weight_list(const hl_syntax_case *one, int64_t n_words)
{
    json_t *weights = json_array();
    for (int64_t i = 0; i < n_words; i++) {
        hl_json_append(&weights, hl_json_number(round(1e3 * (double)one->weights[i]) / 1e3));
    }
    return weights;
}

static json_t *case_object(const hl_treebank *treebank, const hl_syntax_case *one)
{
    hl_treebank_sentence sentence = hl_treebank_at(treebank, one->sentence);
    json_t *words = json_array();
    for (int64_t i = 0; i < sentence.n_words; i++) {
        hl_json_append(&words, hl_report_shown_text(hl_treebank_word(treebank, one->sentence, i), false));
    }
    json_t *id = hl_report_shown_text(hl_treebank_id(treebank, one->sentence), false);
    return json_pack("{s:I, s:o, s:o, s:I, s:I, s:I, s:o}", "sentence", (json_int_t)one->sentence, "id", id, "words",
                     words, "word", (json_int_t)one->word, "gold", (json_int_t)one->gold, "guess",
                     (json_int_t)one->guess, "weights", weight_list(one, sentence.n_words));
}

/* Those that are right, or those that are wrong. */
static json_t *case_list(const hl_syntax_cases *cases, int64_t row, bool right)
{
    json_t *list = json_array();
    int64_t kind = 2 * row + right;
    for (int64_t i = 0; i < cases->counts[kind]; i++) {
        hl_json_append(&list, case_object(cases->treebank, &cases->list[kind * cases->each + i]));
    }
    return list;
}

/* ---- relations ---- */

static json_t *relation_object(const hl_report_syntax *syntax, int64_t row)
{
    int64_t relation = syntax->rows[row];
    hl_syntax_row found = hl_syntax_row_of(syntax->found, relation);
    json_t *name = relation < 0 ? json_string(HL_TREEBANK_ALL)
                                : hl_report_shown_text(hl_treebank_relation(syntax->treebank, relation), false);
    json_t *object = json_pack("{s:o, s:b, s:b, s:o, s:o, s:o, s:o, s:o}", "name", name, "own",
                               (int)(relation < syntax->found->n_own), "earned",
                               (int)hl_syntax_names(syntax->found, relation, &found.held_out), "published",
                               choice_object(&found.published), "held_out", choice_object(&found.held_out), "heads",
                               head_list(syntax->found, relation), "right", case_list(syntax->cases, row, true),
                               "wrong", case_list(syntax->cases, row, false));
    if (syntax->null != NULL) {
        hl_syntax_row null = hl_syntax_row_of(syntax->null, relation);
        hl_json_set(&object, "null", rate(null.published.found));
        hl_json_set(&object, "null_held_out", rate(null.held_out.found));
    }
    return object;
}

json_t *hl_report_syntax_object(const hl_report_syntax *syntax)
{
    json_t *relations = json_array();
    for (int64_t row = 0; row < syntax->n_rows; row++) {
        hl_json_append(&relations, relation_object(syntax, row));
    }
    int64_t left_out = syntax->treebank->n_short + syntax->treebank->n_long;
    return json_pack("{s:o, s:I, s:I, s:o}", "treebank", hl_report_shown_text(syntax->name, false), "sentences",
                     (json_int_t)syntax->treebank->n_sentences, "left_out", (json_int_t)left_out, "relations",
                     relations);
}

json_t *hl_report_syntax_label(const hl_syntax_label *second)
{
    bool by_group;
    if (second->relation < 0) {
        return json_null();
    }
    json_t *object = choice_object(&second->held_out);
    hl_faithful verdict =
        second->effect != NULL ? hl_effect_verdict(second->effect, second->group, &by_group) : HL_FAITHFUL_UNKNOWN;
    json_t *faithful = verdict != HL_FAITHFUL_UNKNOWN ? json_boolean(verdict == HL_FAITHFUL_YES) : json_null();
    hl_json_set(&object, "relation", hl_report_shown_text(second->name, false));
    hl_json_set(&object, "faithful", faithful);
    return object;
}
