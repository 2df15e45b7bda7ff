#include "programs/heads/treebank_table.h"

#include "core/base/memory.h"
#include "core/base/text_grid.h"
#include "core/base/units.h"
#include "heads/head_set.h"
#include "show/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* ---- all relations ---- */

static void set_share(hl_text_grid *grid, int64_t row, int64_t column, hl_syntax_rate rate)
{
    if (rate.cases > 0) {
        hl_text_grid_set(grid, row, column, "%.1f", 100 * hl_syntax_share(rate));
    } else {
        hl_text_grid_set(grid, row, column, "-");
    }
}

static hl_status make_grid(const hl_syntax_study *study, hl_text_grid *grid)
{
    static const char *const titles[] = { "relation", "cases", "head", "way",  "found", "95%",
                                          "base",     "at",    "by",   "held", "base",  "null" };
    enum { COLUMNS = sizeof titles / sizeof *titles };
    bool null = study->null.n_heads > 0;
    HL_TRY(hl_text_grid_init(grid, study->n_rows + 1, COLUMNS - !null));
    for (int c = 0; c < COLUMNS - !null; c++) {
        hl_text_grid_set(grid, 0, c, "%s", titles[c]);
    }
    for (int64_t r = 0; r < study->n_rows; r++) {
        const hl_model_config *shape = &study->model->source.shape;
        hl_syntax_row row = hl_syntax_row_of(&study->found, study->rows[r]);
        const hl_syntax_choice *all = &row.published, *held = &row.held_out;
        hl_syntax_interval sure = hl_syntax_interval_of(all->found);
        bool earned = study->rows[r] >= 0 && hl_syntax_earned(held);
        hl_text_grid_set(grid, r + 1, 0, "%s%s", hl_syntax_study_name(study, study->rows[r]), earned ? " *" : "");
        hl_text_grid_set(grid, r + 1, 1, "%s", HL_COUNT(all->found.cases));
        hl_text_grid_set(grid, r + 1, 2, "%s", hl_head_name_at(shape, all->head).text);
        hl_text_grid_set(grid, r + 1, 3, "%s", hl_syntax_direction_name(all->direction));
        set_share(grid, r + 1, 4, all->found);
        hl_text_grid_set(grid, r + 1, 5, "%.0f-%.0f", 100 * sure.low, 100 * sure.high);
        set_share(grid, r + 1, 6, all->baseline);
        hl_text_grid_set(grid, r + 1, 7, "%+d", (int)all->offset);
        hl_text_grid_set(grid, r + 1, 8, "%s", held->found.cases > 0 ? hl_head_name_at(shape, held->head).text : "-");
        set_share(grid, r + 1, 9, held->found);
        set_share(grid, r + 1, 10, held->baseline);
        if (null) {
            set_share(grid, r + 1, 11, hl_syntax_row_of(&study->null, study->rows[r]).published.found);
        }
    }
    return grid->error;
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

static hl_status make_trees_grid(const hl_syntax_study *study, hl_text_grid *grid)
{
    HL_TRY(hl_text_grid_init(grid, HL_SYNTAX_TREE_KINDS + 1, 3));
    hl_text_grid_set(grid, 0, 0, "whole trees");
    hl_text_grid_set(grid, 0, 1, "UAS");
    hl_text_grid_set(grid, 0, 2, "UUAS");
    for (hl_syntax_tree_kind kind = 0; kind < HL_SYNTAX_TREE_KINDS; kind++) {
        const hl_tree_score *score = &study->trees[kind];
        hl_text_grid_set(grid, (int64_t)kind + 1, 0, "%s", hl_syntax_tree_name(kind));
        set_share(grid, (int64_t)kind + 1, 1, (hl_syntax_rate){ score->directed, score->arcs });
        set_share(grid, (int64_t)kind + 1, 2, (hl_syntax_rate){ score->undirected, score->arcs });
    }
    return grid->error;
}

static void print_trees(hl_text *text, const hl_syntax_study *study)
{
    hl_text_grid grid;
    hl_text_print(text, "\n");
    hl_text_fail(text, make_trees_grid(study, &grid));
    hl_text_grid_print(&grid, HL_TABLE_WIDTH, 1, true, text);
    hl_text_grid_free(&grid);
    hl_text_print(text, "\n");
    hl_text_paragraph(text, HL_TABLE_WIDTH,
                      "Whole trees of %s sentences (1, 3, 5 ...; those of one root), from the gold root. The other "
                      "sentences choose the heads, these choose the best offset. The mean is of %" PRId64
                      " head%s: those that find a relation best and earn it, both on the other sentences. UAS: the "
                      "share of words whose head is right; UUAS: also the wrong way round.",
                      HL_COUNT(study->tree_sentences), study->n_tree_heads, study->n_tree_heads == 1 ? "" : "s");
}

/* A row for each head that earns a label: what it reaches where nothing was chosen. */
static void print_earned(hl_text *text, const hl_syntax_study *study)
{
    static const char *const titles[] = { "head", "label", "way", "held", "95%", "base", "at", "faithful" };
    static const char *const verdicts[] = {
        [HL_FAITHFUL_NO] = "no", [HL_FAITHFUL_YES] = "yes", [HL_FAITHFUL_UNKNOWN] = "-"
    };
    bool judged = study->effects.n_heads > 0;
    const int columns = (int)(sizeof titles / sizeof *titles) - !judged;
    hl_text_grid grid;
    int64_t rows = 0, row = 0;
    for (int64_t head = 0; head < study->found.n_heads; head++) {
        rows += study->labels[head].relation >= 0;
    }
    hl_text_print(text, "\n");
    if (rows == 0) {
        hl_text_print(text, "Heads that earn a label: none.\n");
        return;
    }
    hl_text_paragraph(
        text, HL_TABLE_WIDTH,
        "Heads that earn a label, held out. Of several relations a head is named by the most frequent one "
        "whose best head it is (by), else by that which it finds farthest above the base.");
    hl_text_print(text, "\n");
    hl_text_grid_init(&grid, rows + 1, columns);
    for (int c = 0; c < columns; c++) {
        hl_text_grid_set(&grid, 0, c, "%s", titles[c]);
    }
    for (int64_t head = 0; head < study->found.n_heads; head++) {
        const hl_syntax_label *label = &study->labels[head];
        const hl_syntax_choice *held = &label->held_out;
        if (label->relation >= 0) {
            hl_syntax_interval sure = hl_syntax_interval_of(held->found);
            row++;
            hl_text_grid_set(&grid, row, 0, "%s", hl_head_name_at(&study->model->source.shape, head).text);
            hl_text_grid_set(&grid, row, 1, "%s", label->name);
            hl_text_grid_set(&grid, row, 2, "%s", hl_syntax_direction_name(held->direction));
            set_share(&grid, row, 3, held->found);
            hl_text_grid_set(&grid, row, 4, "%.0f-%.0f", 100 * sure.low, 100 * sure.high);
            set_share(&grid, row, 5, held->baseline);
            hl_text_grid_set(&grid, row, 6, "%+d", (int)held->offset);
        }
        if (label->relation >= 0 && judged) {
            bool by_group;
            hl_faithful verdict = hl_effect_verdict(label->effect, label->group, &by_group);
            hl_text_grid_set(&grid, row, 7, "%s%s", verdicts[verdict], by_group ? "*" : "");
        }
    }
    hl_text_grid_print(&grid, HL_TABLE_WIDTH, 2, true, text);
    hl_text_grid_free(&grid);
    hl_text_print(text, "\n");
    if (judged) {
        hl_text_paragraph(
            text, HL_TABLE_WIDTH,
            "faithful: whether the relation is what the model needs the head for, on sentences 1, 3, 5 ... "
            "of the first %d; yes: with attention on the right words in its place the loss grows by no "
            "more than a fifth of what it grows without the head; -: it does not depend on the head; *: "
            "together with the heads of its layer that share its label and way.",
            HL_SYNTAX_JUDGED);
    } else if (study->no_effects.code != HL_OK) {
        hl_text_paragraph(text, HL_TABLE_WIDTH, "Whether heads are faithful to these labels is not known: %s.",
                          study->no_effects.text);
    }
}

void hl_heads_treebank_table(hl_text *text, const hl_syntax_study *study)
{
    hl_text_grid grid;
    print_read(text, study);
    hl_text_print(text, "\n");
    hl_text_fail(text, make_grid(study, &grid));
    hl_text_grid_print(&grid, HL_TABLE_WIDTH, 2, true, text);
    hl_text_grid_free(&grid);
    hl_text_print(text, "\n");
    hl_text_paragraph(text, HL_TABLE_WIDTH,
                      "head, way: the head that finds the relation best, and how; d>h: the word looks at its syntactic "
                      "head, h>d: that looks at the word. found: per cent of the cases in which the largest weight is "
                      "on the right word, with its interval (Wilson, 95%%). base, at: the same of the best fixed "
                      "offset; +1: the word after. All of these are chosen where they are measured, as in papers. by, "
                      "held: the head and way chosen on sentences 0, 2, 4 ..., measured on 1, 3, 5 ...; the base "
                      "beside it: the best fixed offset of these same sentences. null: what the best head of random "
                      "weights finds. *: the head of the column by earns the relation as a label: held is 10 or more "
                      "above the base beside it, and their intervals do not overlap.");
    print_earned(text, study);
    if (study->has_trees) {
        print_trees(text, study);
    }
}

void hl_heads_treebank_markdown(hl_text *text, const hl_syntax_study *study)
{
    hl_text_grid grid;
    hl_text_fail(text, make_grid(study, &grid));
    hl_text_grid_markdown(&grid, text);
    hl_text_grid_free(&grid);
    if (study->has_trees) {
        hl_text_print(text, "\n");
        hl_text_fail(text, make_trees_grid(study, &grid));
        hl_text_grid_markdown(&grid, text);
        hl_text_grid_free(&grid);
    }
}

/* ---- one relation ---- */

typedef struct found_head {
    int64_t head;
    hl_syntax_row row;
} found_head;

static int most_found_first(const void *a, const void *b)
{
    const found_head *x = a, *y = b;
    int64_t more = y->row.published.found.hits - x->row.published.found.hits;
    return more != 0 ? (more > 0 ? 1 : -1) : (x->head > y->head) - (x->head < y->head);
}

static hl_status make_relation_grid(const hl_syntax_study *study, int64_t relation, hl_text_grid *grid)
{
    static const char *const titles[] = { "head", "way", "found", "95%", "held", "null" };
    bool null = study->null.n_heads > 0;
    int columns = (int)(sizeof titles / sizeof *titles) - !null;
    int64_t n = study->found.n_heads;
    HL_TRY(hl_text_grid_init(grid, n + 1, columns));
    found_head *heads = hl_calloc((size_t)n, sizeof *heads);
    HL_NEED(heads != NULL, "the heads of a relation");
    for (int64_t h = 0; h < n; h++) {
        heads[h] = (found_head){ h, hl_syntax_head_of(&study->found, relation, h) };
    }
    qsort(heads, (size_t)n, sizeof *heads, most_found_first);
    for (int c = 0; c < columns; c++) {
        hl_text_grid_set(grid, 0, c, "%s", titles[c]);
    }
    for (int64_t i = 0; i < n; i++) {
        const hl_syntax_choice *found = &heads[i].row.published, *held = &heads[i].row.held_out;
        hl_syntax_interval sure = hl_syntax_interval_of(found->found);
        hl_text_grid_set(grid, i + 1, 0, "%s%s", hl_head_name_at(&study->model->source.shape, heads[i].head).text,
                         relation >= 0 && hl_syntax_earned(held) ? " *" : "");
        hl_text_grid_set(grid, i + 1, 1, "%s", hl_syntax_direction_name(found->direction));
        set_share(grid, i + 1, 2, found->found);
        hl_text_grid_set(grid, i + 1, 3, "%.0f-%.0f", 100 * sure.low, 100 * sure.high);
        set_share(grid, i + 1, 4, held->found);
        if (null) {
            set_share(grid, i + 1, 5, hl_syntax_head_of(&study->null, relation, heads[i].head).published.found);
        }
    }
    hl_free(heads);
    return grid->error;
}

void hl_heads_relation_table(hl_text *text, const hl_syntax_study *study, int64_t relation)
{
    hl_text_grid grid;
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
    hl_text_print(text, "\n");
    hl_text_fail(text, make_relation_grid(study, relation, &grid));
    hl_text_grid_print(&grid, HL_TABLE_WIDTH, 1, true, text);
    hl_text_grid_free(&grid);
    hl_text_print(text, "\n");
    hl_text_paragraph(text, HL_TABLE_WIDTH,
                      "found: per cent of the cases in which the largest weight is on the right word, in the head's "
                      "better way; d>h: the word looks at its syntactic head, h>d: that looks at the word. held: the "
                      "same, the way chosen on sentences 0, 2, 4 ... and measured on 1, 3, 5 .... null: of the same "
                      "head with random weights. *: the head earns the relation as a label.");
}

void hl_heads_relation_markdown(hl_text *text, const hl_syntax_study *study, int64_t relation)
{
    hl_text_grid grid;
    hl_text_fail(text, make_relation_grid(study, relation, &grid));
    hl_text_grid_markdown(&grid, text);
    hl_text_grid_free(&grid);
}
