/* The heads that earn a label by a treebank, and the whole trees that heads make. */
#include "programs/heads/treebank.h"

#include "core/base/units.h"
#include "heads/head_set.h"
#include "programs/heads/table_files.h"
#include "show/table.h"
#include "study/heads_table.h"

#include <inttypes.h>

void hl_heads_add_held_out(hl_row *row, hl_syntax_rate rate)
{
    hl_syntax_interval sure = hl_syntax_interval_of(rate);
    bool known = rate.cases > 0;
    hl_row_text(row, "held out", NULL, known ? "%.1f (%.0f-%.0f)" : "-", 100 * hl_syntax_share(rate), 100 * sure.low,
                100 * sure.high);
}

/* ---- heads that earn a label ---- */

/* The head of row `index` of those that earn a label; -1: there are fewer. */
static int64_t earning_head(const hl_syntax_study *study, int64_t index)
{
    for (int64_t head = 0; head < study->found.n_heads; head++) {
        if (study->labels[head].relation >= 0 && index-- == 0) {
            return head;
        }
    }
    return -1;
}

/* What the head reaches where nothing was chosen. */
static void row_of_earning(const void *context, int64_t index, hl_row *row)
{
    const hl_syntax_study *study = context;
    int64_t head = earning_head(study, index);
    const hl_syntax_label *label = &study->labels[head];
    const hl_syntax_choice *held = &label->held_out;
    hl_syntax_interval sure = hl_syntax_interval_of(held->found);
    hl_row_text(row, "head", "head", "%s", hl_head_name_at(&study->model->source.shape, head).text);
    hl_row_text(row, "label", "relation", "%s", label->name);
    hl_row_text(row, NULL, "direction", "%s", hl_syntax_direction_name(held->direction));
    hl_row_integer(row, NULL, "cases", held->found.cases);
    hl_row_number(row, NULL, "held_out", 0, hl_syntax_share(held->found));
    hl_heads_add_held_out(row, held->found);
    hl_row_number(row, NULL, "low", 0, sure.low);
    hl_row_number(row, NULL, "high", 0, sure.high);
    hl_row_integer(row, NULL, "offset", held->offset);
    hl_row_share(row, "base", "baseline", hl_syntax_share(held->baseline));
    /* What the model needs the head for; people see it where it is judged, with what decides. */
    bool judged = study->effects.n_heads > 0;
    static const char *const verdicts[] = {
        [HL_FAITHFUL_NO] = "no", [HL_FAITHFUL_YES] = "yes", [HL_FAITHFUL_UNKNOWN] = "-"
    };
    hl_heads_add_effect(row, label->effect);
    hl_row_truth(row, "faithful_in_group", hl_heads_truth(label->group));
    if (judged) {
        bool by_group;
        hl_row_text(row, "without", NULL, "%s", hl_heads_loss_text(label->effect).text);
        hl_faithful faithful = hl_effect_verdict(label->effect, label->group, &by_group);
        hl_row_text(row, "faithful", NULL, "%s%s", verdicts[faithful], by_group ? "*" : "");
    }
}

hl_results hl_heads_earning(const hl_syntax_study *study)
{
    hl_results results = { row_of_earning, study, 0 };
    while (earning_head(study, results.n) >= 0) {
        results.n++;
    }
    return results;
}

void hl_heads_earning_print(hl_text *text, const hl_syntax_study *study)
{
    hl_results earning = hl_heads_earning(study);
    hl_text_print(text, "\n");
    if (earning.n == 0) {
        hl_text_print(text, "Heads that earn a label: none.\n");
        return;
    }
    hl_text_paragraph(
        text, HL_TABLE_WIDTH,
        "Heads that earn a label. If a head earns several relations, its label is the most frequent relation whose "
        "best head it is, or else the relation that it finds farthest above the base.");
    hl_results_print_apart(text, earning, HL_TABLE_WIDTH, 2);
    if (study->effects.n_heads > 0) {
        hl_text_paragraph(
            text, HL_TABLE_WIDTH,
            "without: how much the loss grows without the head, on sentences 1, 3, 5 ... of the first %d (in brackets "
            "the standard error). faithful: whether the model needs the head for its relation. yes: attention to the "
            "right words in place of the head's own keeps at least 80%% of what the head does; -: the loss grows by no "
            "more than three standard errors; *: together with the heads of its layer that share its label and way.",
            HL_SYNTAX_JUDGED);
    } else if (study->no_effects.code != HL_OK) {
        hl_text_paragraph(text, HL_TABLE_WIDTH, "Whether heads are faithful to these labels is not known: %s.",
                          study->no_effects.text);
    }
}

/* ---- whole trees ---- */

static void row_of_trees(const void *context, int64_t kind, hl_row *row)
{
    const hl_tree_score *score = &((const hl_syntax_study *)context)->trees[kind];
    hl_row_text(row, "whole trees", "trees", "%s", hl_syntax_tree_name((hl_syntax_tree_kind)kind));
    hl_row_share(row, "UAS", "uas", hl_tree_share(score, score->directed));
    hl_row_share(row, "UUAS", "uuas", hl_tree_share(score, score->undirected));
}

hl_results hl_heads_trees(const hl_syntax_study *study)
{
    return (hl_results){ row_of_trees, study, HL_SYNTAX_TREE_KINDS };
}

void hl_heads_trees_print(hl_heads_answer *answer, const hl_syntax_study *study)
{
    hl_text *text = &answer->table;
    hl_results_print_apart(text, hl_heads_trees(study), HL_TABLE_WIDTH, 1);
    hl_text_paragraph(text, HL_TABLE_WIDTH,
                      "Whole trees of %s sentences (1, 3, 5 ...; those of one root), from the gold root. The other "
                      "sentences choose the heads, these choose the best offset. The mean is of %" PRId64
                      " head%s: those that find a relation best and earn it, both on the other sentences. UAS: the "
                      "share of words whose head is right; UUAS: also the wrong way round.",
                      HL_COUNT(study->tree_sentences), study->n_tree_heads, study->n_tree_heads == 1 ? "" : "s");
    hl_text_print(&answer->markdown, "\n");
    hl_results_markdown(&answer->markdown, hl_heads_trees(study));
}
