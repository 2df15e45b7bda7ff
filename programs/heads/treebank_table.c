#include "programs/heads/treebank_table.h"

#include "core/base/memory.h"
#include "core/base/units.h"
#include "heads/head_set.h"
#include "programs/heads/table_files.h"
#include "show/table.h"
#include "study/heads_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

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

/* ---- all relations ---- */

static void row_of_relation(const void *context, int64_t index, hl_row *row)
{
    const hl_syntax_study *study = context;
    const hl_model_config *shape = &study->model->source.shape;
    int64_t relation = study->rows[index];
    hl_syntax_row found = hl_syntax_row_of(&study->found, relation);
    const hl_syntax_choice *all = &found.published, *held = &found.held_out;
    bool known = held->found.cases > 0;
    hl_row_text(row, "relation", NULL, "%s%s", hl_syntax_study_name(study, relation),
                hl_syntax_names(&study->found, relation, held) ? " *" : "");
    hl_row_text(row, "cases", NULL, "%s", HL_COUNT(all->found.cases));
    hl_row_text(row, "head", NULL, "%s", hl_head_name_at(shape, all->head).text);
    hl_row_text(row, "way", NULL, "%s", hl_syntax_direction_name(all->direction));
    add_found(row, "found", all->found);
    add_share(row, "base", all->baseline);
    hl_row_text(row, "at", NULL, "%+d", (int)all->offset);
    hl_row_text(row, "by", NULL, "%s", known ? hl_head_name_at(shape, held->head).text : "-");
    add_share(row, "held", held->found);
    add_share(row, "held base", held->baseline);
    if (study->null.n_heads > 0) {
        add_share(row, "null", hl_syntax_row_of(&study->null, relation).published.found);
    }
}

/* The share with its interval, as in "74.3 (71-77)". */
static void add_held_out(hl_row *row, hl_syntax_rate rate)
{
    hl_syntax_interval sure = hl_syntax_interval_of(rate);
    bool known = rate.cases > 0;
    hl_row_text(row, "held out", NULL, known ? "%.1f (%.0f-%.0f)" : "-", 100 * hl_syntax_share(rate), 100 * sure.low,
                100 * sure.high);
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
    add_held_out(row, held->found);
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
                      study->model->source.path, HL_COUNT(hl_treebank_size(t)), hl_treebank_size(t) == 1 ? "" : "s",
                      HL_COUNT(hl_treebank_short(t)), HL_COUNT(hl_treebank_long(t)), HL_COUNT(study->max_pieces));
    if (hl_treebank_several_roots(t) > 0 || hl_treebank_unknown_words(t) > 0) {
        hl_text_paragraph(text, HL_TABLE_WIDTH,
                          "Of these, sentences with several roots: %s; words that the model's tokens do not know: %s.",
                          HL_COUNT(hl_treebank_several_roots(t)), HL_COUNT(hl_treebank_unknown_words(t)));
    }
}

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
    add_held_out(row, held->found);
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

static void print_earning(hl_text *text, const hl_syntax_study *study)
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
        bool is_it = hl_treebank_extra_relation(study->treebank, extra) == relation;
        meaning = is_it ? meanings[extra] : meaning;
    }
    return meaning;
}

/* What further relations are, or why one is missing. */
static void print_extras(hl_text *text, const hl_syntax_study *study)
{
    hl_status fault = hl_treebank_entity_fault(study->treebank);
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

void hl_heads_treebank_table(hl_heads_answer *answer, const hl_syntax_study *study, bool wide)
{
    hl_text *text = &answer->table;
    print_read(text, study);
    (wide ? print_wide : print_short)(text, study);
    print_extras(text, study);
    print_earning(text, study);
    hl_results_markdown(&answer->markdown, relations_of(study));
    if (study->has_trees) {
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
}

/* ---- one relation ---- */

typedef struct found_head {
    int64_t head;
    hl_syntax_row row;
} found_head;

/* What all heads find of a relation, the most found first. */
typedef struct relation_heads {
    const hl_syntax_study *study;
    int64_t relation;
    found_head *heads; /* (study->found.n_heads) */
} relation_heads;

static int most_found_first(const void *a, const void *b)
{
    const found_head *x = a, *y = b;
    int64_t more = y->row.published.found.hits - x->row.published.found.hits;
    return more != 0 ? (more > 0 ? 1 : -1) : (x->head > y->head) - (x->head < y->head);
}

static void row_of_head(const void *context, int64_t index, hl_row *row)
{
    const relation_heads *all = context;
    const hl_syntax_study *study = all->study;
    int64_t head = all->heads[index].head;
    const hl_syntax_choice *found = &all->heads[index].row.published, *held = &all->heads[index].row.held_out;
    hl_row_text(row, "head", NULL, "%s%s", hl_head_name_at(&study->model->source.shape, head).text,
                hl_syntax_names(&all->study->found, all->relation, held) ? " *" : "");
    hl_row_text(row, "way", NULL, "%s", hl_syntax_direction_name(found->direction));
    add_found(row, "found", found->found);
    add_share(row, "held", held->found);
    if (study->null.n_heads > 0) {
        add_share(row, "null", hl_syntax_head_of(&study->null, all->relation, head).published.found);
    }
}

/* Adds the table, set apart, in columns of at most `width` characters in all, or, 0, as Markdown. */
static void add_heads(hl_text *text, const hl_syntax_study *study, int64_t relation, int width)
{
    int64_t n = study->found.n_heads;
    relation_heads all = { study, relation, hl_calloc((size_t)n, sizeof *all.heads) };
    if (all.heads == NULL) {
        hl_text_fail(text, hl_error_memory("the heads of a relation"));
        return;
    }
    for (int64_t h = 0; h < n; h++) {
        all.heads[h] = (found_head){ h, hl_syntax_head_of(&study->found, relation, h) };
    }
    qsort(all.heads, (size_t)n, sizeof *all.heads, most_found_first);
    hl_results results = { row_of_head, &all, n };
    if (width > 0) {
        hl_results_print_apart(text, results, width, 1);
    } else {
        hl_results_markdown(text, results);
    }
    hl_free(all.heads);
}

void hl_heads_relation_table(hl_heads_answer *answer, const hl_syntax_study *study, int64_t relation)
{
    hl_text *text = &answer->table;
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
    add_heads(text, study, relation, HL_TABLE_WIDTH);
    hl_text_paragraph(text, HL_TABLE_WIDTH,
                      "%sfound: per cent of the cases in which the largest weight is on the right word, in the head's "
                      "better way; d>h: the word looks at %s, h>d: that looks at the word. held: the same, the way "
                      "chosen on sentences 0, 2, 4 ... and measured on 1, 3, 5 .... null: of the same head with random "
                      "weights.%s",
                      meaning_of(study, relation),
                      relation < study->found.n_own ? "its syntactic head" : "the right word",
                      relation < study->found.n_own ? " *: the head earns the relation as a label." : "");
    add_heads(&answer->markdown, study, relation, 0);
}
