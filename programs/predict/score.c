#include "programs/predict/answer_files.h"

#include "core/base/units.h"
#include "core/files/json_text.h"
#include "study/predict_score.h"

#include <inttypes.h>
#include <math.h>

/* A figure of the whole file. */
typedef struct figure {
    const char *name, *member;
    double value; /* NaN: does not apply */
    int decimals;
} figure;

enum { FIGURES = 10 };

static void figures_of(const hl_predict_call *call, const hl_predict_scores *found, const hl_scores *scores,
                       figure figures[FIGURES])
{
    hl_pretrained_problem problem = call->predictor.spec.problem;
    bool labels = problem == HL_PROBLEM_LABELS, numbers = problem == HL_PROBLEM_NUMBERS;
    const hl_regression_scores *apart = &found->numbers;
    const double none = (double)NAN;
    bool masked = call->task.task == HL_TEXT_MASKED, l2r = call->command.word_l2r;
    const char *perplexity = l2r ? "pseudo_perplexity_word_l2r" : masked ? "pseudo_perplexity" : "perplexity";
    const figure all[FIGURES] = {
        { "accuracy", "accuracy", numbers ? none : scores->accuracy, 4 },
        { "macro F1", "macro_f1", scores->macro_f1, 4 },
        { "micro F1", "micro_f1", scores->micro_f1, 4 },
        { "loss", "loss", numbers ? none : scores->loss, 4 },
        { masked ? "pseudo-perplexity" : "perplexity", perplexity, labels || numbers ? none : scores->perplexity, 3 },
        { "bits a character", "bits_per_character", scores->bits_per_character, 4 },
        { "bits a word", "bits_per_word", scores->bits_per_word, 4 },
        { "squared error", "mean_squared_error", numbers ? apart->squared_error : none, 4 },
        { "Pearson", "pearson", numbers ? apart->pearson : none, 4 },
        { "Spearman", "spearman", numbers ? apart->spearman : none, 4 },
    };
    for (int i = 0; i < FIGURES; i++) {
        figures[i] = all[i];
        bool correlates = i >= FIGURES - 2;
        figures[i].value = correlates || figures[i].value >= 0 ? figures[i].value : none; /* below 0: does not apply */
    }
}

static const char *label_of(const hl_predict_call *call, int64_t id)
{
    return hl_tokens_piece(call->targets, (int32_t)id, NULL);
}

/* ---- for a person ---- */

static void print_table(hl_predict_call *call, const hl_predict_scores *found, const figure figures[FIGURES])
{
    static const char *const whats[] = { "pieces", "pieces", "words", "lines", "targets" };
    hl_text *text = &call->text;
    char number[HL_UNITS_TEXT];
    hl_text_print(text, "%-18s  %s\n", whats[call->task.task], hl_units_count(found->sum.n_scored, number));
    for (int i = 0; i < FIGURES; i++) {
        if (!isnan(figures[i].value)) {
            hl_text_print(text, "%-18s  %s\n", figures[i].name,
                          hl_units_number(figures[i].value, figures[i].decimals, number));
        }
    }
    if (found->cut > 0) {
        hl_text_print(text, "%-18s  %s\n", "cut (no --stride)", hl_units_count(found->cut, number));
    }
    if (found->unseen > 0) {
        hl_text_print(text, "%-18s  %s, and so answered wrong\n",
                      call->run.source.open != NULL ? "none of its labels" : "not in training",
                      hl_units_count(found->unseen, number));
    }
    if (found->counts.n_classes == 0) {
        return;
    }
    hl_text_print(text, "\n    cases     found     right  precision  recall      F1  label\n");
    for (int64_t c = 0; c < found->counts.n_classes; c++) {
        const hl_class_counts *counts = &found->counts;
        hl_class_score score = hl_class_score_of(counts, c);
        char precision[HL_UNITS_TEXT], recall[HL_UNITS_TEXT], f1[HL_UNITS_TEXT];
        hl_text_print(text, "%9" PRId64 " %9" PRId64 " %9" PRId64 "  %9s  %6s  %6s  ", counts->cases[c],
                      counts->found[c], counts->right[c], hl_units_number(score.precision, 4, precision),
                      hl_units_number(score.recall, 4, recall), hl_units_number(score.f1, 4, f1));
        hl_text_shown(text, label_of(call, c));
        hl_text_print(text, "\n");
    }
}

/* ---- for programs ---- */

static json_t *classes_json(const hl_predict_call *call, const hl_class_counts *counts)
{
    json_t *list = json_array();
    for (int64_t c = 0; c < counts->n_classes; c++) {
        hl_class_score score = hl_class_score_of(counts, c);
        hl_json_append(&list,
                       json_pack("{s:o, s:I, s:I, s:I, s:o, s:o, s:o}", "label", hl_json_name(label_of(call, c)),
                                 "cases", (json_int_t)counts->cases[c], "found", (json_int_t)counts->found[c], "right",
                                 (json_int_t)counts->right[c], "precision", hl_json_number(score.precision), "recall",
                                 hl_json_number(score.recall), "f1", hl_json_number(score.f1)));
    }
    return list;
}

static void print_json(hl_predict_call *call, const hl_predict_scores *found, const figure figures[FIGURES])
{
    json_t *object =
        json_pack("{s:i, s:I, s:I, s:I, s:I, s:I}", "format", HL_JSON_FORMAT, "examples", (json_int_t)found->n_examples,
                  "targets", (json_int_t)found->sum.n_scored, "right", (json_int_t)found->sum.n_correct, "cut",
                  (json_int_t)found->cut, "unseen", (json_int_t)found->unseen);
    for (int i = 0; i < FIGURES; i++) {
        if (!isnan(figures[i].value)) {
            hl_json_set(&object, figures[i].member, hl_json_number(figures[i].value));
        }
    }
    if (found->counts.n_classes > 0) {
        hl_json_set(&object, "classes", classes_json(call, &found->counts));
    }
    hl_json_print(&call->text, object, JSON_COMPACT);
}

/* ---- a file ---- */

static hl_status tell(void *context, const char *what, int64_t done, int64_t total)
{
    (void)what;
    hl_predict_tell_progress(context, done, total);
    return hl_ok();
}

hl_status hl_predict_show_scores(hl_predict_call *call)
{
    hl_text_spec spec = call->task;
    hl_predict_scores found;
    figure figures[FIGURES];
    bool open;
    spec.file = call->command.score;
    spec.progress = tell;
    spec.context = call;
    hl_status status =
        hl_predict_score(&call->predictor, &spec, call->targets,
                         call->command.word_l2r ? hl_dataset_text(call->run.source.dataset) : NULL, &found);
    if (status.code == HL_OK) {
        bool classes = found.counts.n_classes > 0, text = spec.task == HL_TEXT_MASKED || spec.task == HL_TEXT_NEXT;
        hl_scores scores = hl_scores_of(&found.sum, classes ? &found.counts : NULL, text ? &found.text : NULL);
        figures_of(call, &found, &scores, figures);
        (call->command.json ? print_json : print_table)(call, &found, figures);
        hl_predict_tell_end(call); /* the progress goes first */
        status = hl_predict_put(call, &open);
    }
    hl_predict_scores_free(&found);
    return status;
}
