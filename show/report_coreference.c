/* Which head finds earlier mentions of the same entity, for the page (show/report/coreference.js). */
#include "core/files/json_text.h"
#include "show/private/report_json.h"

#include <math.h>

/* NULL stands for missing memory throughout. Shares go out as [hits, cases]. */

static json_t *rate(double share, int64_t cases)
{
    return json_pack("[I, I]", cases > 0 ? (json_int_t)llround(share * (double)cases) : 0, (json_int_t)cases);
}

static json_t *baselines(const double *shares, int64_t cases)
{
    return json_pack("[o, o, o]", rate(shares[HL_COREFERENCE_SAME_WORD], cases),
                     rate(shares[HL_COREFERENCE_NEAREST], cases), rate(shares[HL_COREFERENCE_FIRST], cases));
}

/* [way, hits, whether it is beyond the baselines] of each head; there is one way, so it has no name. */
static json_t *head_list(const hl_report_coreference *c, hl_coreference_rows row)
{
    json_t *heads = json_array();
    const hl_coreference_row *r = &c->rows[row];
    for (int64_t head = 0; head < c->found->n_heads; head++) {
        double share = hl_coreference_held_out(c->found, row, head);
        hl_json_append(&heads, json_pack("[s, I, b]", "", isnan(share) ? 0 : llround(share * (double)r->held_out_cases),
                                         (int)(r->beyond && head == r->held_out_head)));
    }
    return heads;
}

/* The words that are shown; a gap is null. The places in them of the case's word, of the nearest right mention and of
 * the head's guess. */
static json_t *case_object(const hl_coreference_text *text, const hl_coreference_case *one)
{
    json_t *words = json_array(), *weights = json_array();
    int word = 0, right = 0, guess = 0;
    for (int i = 0; i < one->n_shown; i++) {
        int32_t at = one->shown[i];
        word = at == one->word ? i : word;
        right = at == one->right ? i : right;
        guess = at == one->guess ? i : guess;
        hl_json_append(&words, at < 0 ? json_null()
                                      : hl_report_shown_text(hl_treebank_word(text->windows, one->window, at), false));
        hl_json_append(&weights, hl_json_number(round(1e3 * (double)one->weights[i]) / 1e3));
    }
    return json_pack("{s:I, s:o, s:i, s:i, s:i, s:o}", "document", (json_int_t)text->documents[one->window], "words",
                     words, "word", word, "gold", right, "guess", guess, "weights", weights);
}

static json_t *case_list(const hl_coreference_cases *cases, hl_coreference_rows row, bool right)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < cases->n[row][right]; i++) {
        hl_json_append(&list, case_object(cases->counts->text, &cases->list[(2 * row + right) * cases->each + i]));
    }
    return list;
}

static json_t *row_object(const hl_report_coreference *c, hl_coreference_rows row)
{
    const hl_coreference_row *r = &c->rows[row];
    json_t *held_out =
        json_pack("{s:I, s:o, s:[o, o], s:o}", "head", (json_int_t)r->held_out_head, "found",
                  rate(r->held_out, r->held_out_cases), "interval", hl_json_number(r->held_out_low),
                  hl_json_number(r->held_out_high), "baselines", baselines(r->held_out_baselines, r->held_out_cases));
    json_t *all = json_pack("{s:I, s:o, s:o}", "head", (json_int_t)r->head, "found", rate(r->found, r->cases),
                            "baselines", baselines(r->baselines, r->cases));
    json_t *object = json_pack("{s:s, s:b, s:o, s:o, s:o, s:o, s:o}", "name", hl_coreference_row_name(row), "earned",
                               (int)r->beyond, "held_out", held_out, "published", all, "heads", head_list(c, row),
                               "right", case_list(c->cases, row, true), "wrong", case_list(c->cases, row, false));
    if (c->null_rows != NULL) {
        const hl_coreference_row *null = &c->null_rows[row];
        hl_json_set(&object, "null", rate(null->found, null->cases));
        hl_json_set(&object, "null_held_out", rate(null->held_out, null->held_out_cases));
    }
    return object;
}

json_t *hl_report_coreference_object(const hl_report_coreference *c)
{
    json_t *rows = json_array();
    const hl_coreference_text *text = c->found->text;
    for (int row = 0; row < HL_COREFERENCE_ROWS; row++) {
        if (c->rows[row].held_out_cases > 0) {
            hl_json_append(&rows, row_object(c, row));
        }
    }
    return json_pack("{s:b, s:o, s:I, s:I, s:I, s:o}", "mentions", 1, "treebank", hl_report_shown_text(c->name, false),
                     "documents", (json_int_t)text->n_documents, "windows", (json_int_t)text->windows->n_sentences,
                     "left_out", (json_int_t)text->n_left_out, "relations", rows);
}
