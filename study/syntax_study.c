#include "study/syntax_study.h"

#include "core/base/memory.h"
#include "heads/head_set.h"

#include <math.h>
#include <string.h>

static hl_status count_with(hl_syntax_study *study, const hl_syntax_question *question, bool null, hl_syntax *counts)
{
    HL_TRY(hl_syntax_init(counts, study->treebank->n_relations, hl_heads_count(&study->model->source.shape)));
    hl_syntax_add_treebank(counts, study->treebank);
    return hl_treebank_run_pass(study->model, study->treebank, question,
                                &(hl_treebank_run){ .null = null, .layer = hl_syntax_add_layer, .context = counts });
}

/* ---- rows ---- */

static hl_status choose_rows(hl_syntax_study *study, const hl_syntax_question *question)
{
    const hl_syntax *found = &study->found;
    study->rows = hl_calloc((size_t)found->n_relations + 1, sizeof *study->rows);
    HL_NEED(study->rows != NULL, "the relations of a treebank");
    int64_t *relations = study->rows + 1,
            n = hl_syntax_rows(found, study->treebank, question->least_cases, question->punct_and_root, relations);
    study->rows[0] = -1;
    study->n_rows = 1 + n;
    return hl_syntax_labels_make(found, study->treebank, relations, n, &study->labels);
}

/* ---- trees ---- */

/* The heads whose weights make trees, and the sums of those: scores (W, W) of each sentence of a slice that is scored,
 * one after the other. */
typedef struct tree_work {
    hl_syntax_study *study;
    int64_t n;
    hl_syntax_choice *heads; /* (n): first that of all relations, then those that earn the relation of a row where they
                                were chosen, each once */
    size_t size;
    double *one, *sum; /* (size): of the first head, of all others; in one block */
    int32_t *guess;    /* room for a sentence's words */
    hl_status status;
} tree_work;

/* A sentence of those that nothing is chosen on, with one root, which is put into *root. */
static bool is_scored(const hl_treebank_sentence *sentence, int64_t s, int64_t *root)
{
    int64_t roots = 0;
    *root = 0;
    for (int64_t w = 0; w < sentence->n_words; w++) {
        if (sentence->heads[w] < 0) {
            roots++;
            *root = w;
        }
    }
    return s % 2 == 1 && roots == 1;
}

static void add_map(double *scores, const hl_real *map, int64_t W, hl_syntax_direction direction)
{
    for (int64_t i = 0; i < W; i++) {
        for (int64_t j = 0; j < W; j++) {
            scores[i * W + j] += (double)map[direction == HL_SYNTAX_TO_HEAD ? i * W + j : j * W + i];
        }
    }
}

/* Makes every kind of tree of one sentence, of the scores from `place` on. */
static hl_status score_sentence(const tree_work *work, const hl_treebank_sentence *sentence, int64_t root, size_t place)
{
    hl_syntax_study *study = work->study;
    int64_t W = sentence->n_words;
    study->tree_sentences++;
    int kinds = work->n > 1 ? HL_SYNTAX_TREE_KINDS : HL_SYNTAX_TREE_MEAN;
    for (int kind = 0; kind < kinds; kind++) {
        switch (kind) {
        case HL_SYNTAX_TREE_RIGHT:
            hl_tree_right_branching(W, work->guess);
            break;
        case HL_SYNTAX_TREE_LEFT:
            hl_tree_left_branching(W, work->guess);
            break;
        case HL_SYNTAX_TREE_OFFSET:
            for (int64_t i = 0; i < W; i++) {
                work->guess[i] = (int32_t)hl_syntax_offset_guess(i, work->heads->offset, W);
            }
            break;
        default:
            HL_TRY(
                hl_tree_maximum((kind == HL_SYNTAX_TREE_HEAD ? work->one : work->sum) + place, W, root, work->guess));
        }
        hl_tree_score_add(&study->trees[kind], work->guess, sentence->heads, W);
    }
    return hl_ok();
}

/* Adds a layer's maps to the scores of the slice; of the last layer on, these make trees. */
static void add_maps(void *context, const hl_word_maps *maps, int threads)
{
    (void)threads;
    tree_work *work = context;
    size_t place = 0;
    if (maps->layer == 0) {
        memset(work->one, 0, 2 * work->size * sizeof *work->one);
    }
    for (int64_t s = maps->first; s < maps->first + maps->n_sentences; s++) {
        hl_treebank_sentence sentence = hl_treebank_at(work->study->treebank, s);
        int64_t W = sentence.n_words, root;
        if (!is_scored(&sentence, s, &root)) {
            continue;
        }
        for (int64_t i = 0; i < work->n; i++) {
            int64_t head = work->heads[i].head - maps->first_head;
            if (head >= 0 && head < maps->n_heads) {
                double *scores = (i == 0 ? work->one : work->sum) + place;
                add_map(scores, hl_word_map(maps, s, head), W, work->heads[i].direction);
            }
        }
        if (maps->layer == work->study->model->source.shape.n_layers - 1) {
            HL_THEN(work->status, score_sentence(work, &sentence, root, place));
        }
        place += (size_t)(W * W);
    }
}

static bool has_failed(const void *work)
{
    return ((const tree_work *)work)->status.code != HL_OK;
}

/* Heads that find no more than an offset does look at one place whatever stands there, and would drown the others. */
static void choose_tree_heads(tree_work *work)
{
    const hl_syntax_study *study = work->study;
    work->heads[work->n++] = hl_syntax_row_of(&study->found, -1).held_out;
    for (int64_t row = 1; row < study->n_rows; row++) {
        hl_syntax_choice choice = hl_syntax_chosen_of(&study->found, study->rows[row]);
        bool known = !hl_syntax_earned(&choice) || study->rows[row] >= study->found.n_own;
        for (int64_t i = 1; i < work->n; i++) {
            known = known || (work->heads[i].head == choice.head && work->heads[i].direction == choice.direction);
        }
        if (!known) {
            work->heads[work->n++] = choice;
        }
    }
}

/* W^2 of the sentences of a slice together: at most the longest one's W for each of their words. */
static size_t most_scores(const hl_treebank *treebank)
{
    int64_t longest = treebank->longest, rows = longest > HL_TREEBANK_RUN_ROWS ? longest : HL_TREEBANK_RUN_ROWS;
    return hl_size_product((size_t)treebank->most_words, (size_t)rows);
}

static hl_status run_trees(tree_work *work, const hl_syntax_question *question)
{
    hl_syntax_study *study = work->study;
    HL_NEED(work->heads != NULL && work->one != NULL && work->guess != NULL, "trees");
    choose_tree_heads(work);
    HL_TRY(hl_treebank_run_pass(
        study->model, study->treebank, question,
        &(hl_treebank_run){ .what = "trees", .layer = add_maps, .enough = has_failed, .context = work }));
    study->has_trees = work->status.code == HL_OK;
    study->n_tree_heads = work->n - 1;
    return work->status;
}

static hl_status make_trees(hl_syntax_study *study, const hl_syntax_question *question)
{
    size_t size = most_scores(study->treebank), words = (size_t)study->treebank->most_words;
    tree_work work = { .study = study,
                       .heads = hl_calloc((size_t)study->n_rows, sizeof *work.heads),
                       .size = size,
                       .one = hl_calloc(size, 2 * sizeof *work.one),
                       .guess = hl_calloc(words, sizeof *work.guess) };
    work.sum = work.one != NULL ? work.one + size : NULL;
    hl_status status = run_trees(&work, question);
    hl_free(work.heads);
    hl_free(work.one);
    hl_free(work.guess);
    return status;
}

/* ---- the whole ---- */

hl_status hl_syntax_study_find_cases(hl_syntax_study *study, const hl_syntax_question *question, int64_t each)
{
    HL_TRY(hl_syntax_cases_init(&study->cases, study->treebank, &study->found, study->rows, study->n_rows, each));
    return hl_treebank_run_pass(study->model, study->treebank, question,
                                &(hl_treebank_run){ .what = "examples",
                                                    .layer = hl_syntax_cases_add,
                                                    .enough = hl_syntax_cases_full,
                                                    .context = &study->cases });
}

hl_status hl_syntax_study_read(hl_syntax_study *study, const hl_opened_model *model, const hl_syntax_question *question)
{
    *study = (hl_syntax_study){ .model = model };
    hl_treebank_spec spec;
    HL_TRY(hl_syntax_question_spec(question, model, &spec));
    study->max_pieces = spec.max_pieces;
    return hl_treebank_read(&spec, &study->treebank);
}

hl_status hl_syntax_study_bytes(const hl_syntax_study *study, const hl_syntax_question *question, size_t *making,
                                size_t *kept)
{
    const hl_treebank *treebank = study->treebank;
    size_t pass, null, judged = 0;
    HL_TRY(hl_treebank_run_bytes(study->model, treebank, &pass, &null));
    HL_TRY(question->faithful ? hl_syntax_study_judge_bytes(study, question, &judged) : hl_ok());
    size_t counts = hl_syntax_bytes(treebank->n_relations, hl_heads_count(&study->model->source.shape));
    size_t trees = question->trees ? hl_size_product(most_scores(treebank), 2 * sizeof(double)) : 0;
    null = question->null ? null : 0;
    pass = pass > judged ? pass : judged;
    *kept = hl_size_sum(counts, question->null ? counts : 0);
    *making = hl_size_sum(hl_size_sum(pass, *kept), null > trees ? null : trees);
    return hl_ok();
}

hl_status hl_syntax_study_make(hl_syntax_study *study, const hl_syntax_question *question)
{
    hl_status status = count_with(study, question, false, &study->found);
    HL_THEN(status, choose_rows(study, question));
    HL_THEN(status, question->null ? count_with(study, question, true, &study->null) : hl_ok());
    HL_THEN(status, question->trees ? make_trees(study, question) : hl_ok());
    return status;
}

void hl_syntax_study_free(hl_syntax_study *study)
{
    hl_treebank_free(study->treebank);
    hl_syntax_free(&study->found);
    hl_syntax_free(&study->null);
    hl_syntax_cases_free(&study->cases);
    hl_effects_free(&study->effects);
    hl_free(study->labels);
    hl_free(study->rows);
    *study = (hl_syntax_study){ 0 };
}

const char *hl_syntax_study_name(const hl_syntax_study *study, int64_t relation)
{
    return relation < 0 ? HL_TREEBANK_ALL : hl_treebank_relation(study->treebank, relation);
}

const char *hl_syntax_tree_name(hl_syntax_tree_kind kind)
{
    static const char *const names[HL_SYNTAX_TREE_KINDS] = { "right-branching", "left-branching", "best offset",
                                                             "best head", "mean of best heads" };
    return names[kind];
}
