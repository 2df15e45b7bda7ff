#include "train/scores.h"

#include "core/base/memory.h"
#include "core/examples.h"
#include "core/files/json_text.h"
#include "heads/answers.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

size_t hl_class_counts_bytes(int64_t n_classes)
{
    size_t C = (size_t)n_classes, matrix = n_classes <= HL_CONFUSION_CLASSES ? C : 0;
    return C * (3 + matrix) * sizeof(int64_t);
}

hl_status hl_class_counts_init(hl_class_counts *counts, int64_t n_classes)
{
    *counts = (hl_class_counts){ .n_classes = n_classes, .cases = hl_calloc(1, hl_class_counts_bytes(n_classes)) };
    HL_NEED(counts->cases != NULL, "the counts of classes");
    counts->found = counts->cases + n_classes;
    counts->right = counts->found + n_classes;
    counts->confusion = n_classes <= HL_CONFUSION_CLASSES ? counts->right + n_classes : NULL;
    return hl_ok();
}

void hl_class_counts_free(hl_class_counts *counts)
{
    hl_free(counts->cases);
    *counts = (hl_class_counts){ 0 };
}

void hl_class_counts_clear(hl_class_counts *counts)
{
    counts->n_targets = 0;
    memset(counts->cases, 0, hl_class_counts_bytes(counts->n_classes));
}

void hl_class_counts_add(hl_class_counts *counts, const hl_real *logits, const int32_t *ids, int64_t n)
{
    int64_t C = counts->n_classes;
    counts->n_targets += n;
    for (int64_t i = 0; i < n; i++) {
        int32_t answer = hl_answer_of(logits + i * C, C);
        counts->found[answer]++;
        if (ids[i] == HL_IGNORE) {
            continue;
        }
        counts->cases[ids[i]]++;
        counts->right[answer] += answer == ids[i];
        if (counts->confusion != NULL) {
            counts->confusion[ids[i] * C + answer]++;
        }
    }
}

bool hl_class_counts_add_labels(hl_class_counts *counts, const hl_real *logits, const int32_t *is)
{
    bool all = true;
    for (int64_t c = 0; c < counts->n_classes; c++) {
        bool said = logits[c] >= 0;
        counts->cases[c] += is[c] != 0;
        counts->found[c] += said;
        counts->right[c] += said && is[c] != 0;
        counts->n_targets += said;
        all = all && said == (is[c] != 0);
    }
    return all;
}

/* NaN for 0 / 0. */
static double share(int64_t part, int64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : (double)NAN;
}

hl_class_score hl_class_score_of(const hl_class_counts *counts, int64_t id)
{
    int64_t cases = counts->cases[id], found = counts->found[id], right = counts->right[id];
    return (hl_class_score){ .precision = share(right, found),
                             .recall = share(right, cases),
                             .f1 = share(2 * right, cases + found) };
}

static void set_f1(const hl_class_counts *counts, hl_scores *scores)
{
    double sum = 0;
    int64_t with_cases = 0, cases = 0, right = 0;
    for (int64_t id = 0; id < counts->n_classes; id++) {
        if (counts->cases[id] > 0) {
            sum += hl_class_score_of(counts, id).f1;
            with_cases++;
        }
        cases += counts->cases[id];
        right += counts->right[id];
    }
    scores->macro_f1 = with_cases > 0 ? sum / (double)with_cases : 0;
    scores->micro_f1 = 2 * (double)right / (double)(cases + counts->n_targets);
}

hl_scores hl_scores_of(const hl_cross_entropy_result *sum, const hl_class_counts *counts, const hl_scored_text *text)
{
    hl_scores scores = HL_NO_SCORES;
    scores.loss = sum->n_known > 0 ? sum->loss_sum / (double)sum->n_known : 0;
    scores.accuracy = (double)sum->n_correct / (double)sum->n_scored;
    scores.perplexity = exp(scores.loss);
    double bits = sum->loss_sum / log(2);
    if (text != NULL && text->characters > 0) {
        scores.bits_per_character = bits / (double)text->characters;
    }
    if (text != NULL && text->words > 0) {
        scores.bits_per_word = bits / (double)text->words;
    }
    if (counts != NULL) {
        set_f1(counts, &scores);
    }
    return scores;
}

/* ---- predictors ---- */

/* log softmax of the symbols' logits, among all C. */
static void log_shares(const hl_real *logits, int64_t C, int S, double *log_p)
{
    double most = (double)logits[0], sum = 0;
    for (int64_t c = 1; c < C; c++) {
        most = (double)logits[c] > most ? (double)logits[c] : most;
    }
    for (int64_t c = 0; c < C; c++) {
        sum += exp((double)logits[c] - most);
    }
    for (int b = 0; b < S; b++) {
        log_p[b] = (double)logits[HL_SPECIAL_TOKENS + b] - most - log(sum);
    }
}

void hl_predictor_scores_add(hl_predictor_scores *sums, const hl_batch *batch, const hl_real *logits, int64_t C)
{
    int S = (int)(C - HL_SPECIAL_TOKENS);
    hl_chain chain;
    for (int64_t n = 0; n < batch->n_rows; n++) {
        if (batch->positions[n] == 0) {
            hl_chain_begin(&chain, S);
        }
        hl_chain_read(&chain, batch->tokens[n] - HL_SPECIAL_TOKENS);
        double log_p[HL_CHAIN_SYMBOLS], q[HL_CHAIN_SYMBOLS];
        log_shares(logits + n * C, C, S, log_p);
        for (int i = 0; i < HL_PREDICTORS; i++) {
            hl_chain_predict(&chain, i, q);
            sums->loss[i] -= log(q[batch->target_ids[n] - HL_SPECIAL_TOKENS]);
            for (int b = 0; b < S; b++) {
                sums->kl[i] += q[b] * (log(q[b]) - log_p[b]);
            }
        }
    }
}

/* ---- files ---- */

static void print_share(hl_text *text, double value)
{
    hl_text_print(text, ",");
    if (!isnan(value)) {
        hl_text_print(text, "%.9g", value);
    }
}

void hl_scores_csv_print(const hl_class_counts *counts, const hl_vocabulary *names, hl_text *text)
{
    hl_text_print(text, "class,cases,found,right,precision,recall,f1\n");
    for (int64_t id = 0; id < counts->n_classes; id++) {
        hl_class_score score = hl_class_score_of(counts, id);
        hl_csv_field(text, hl_vocabulary_token(names, (int32_t)id));
        hl_text_print(text, ",%" PRId64 ",%" PRId64 ",%" PRId64, counts->cases[id], counts->found[id],
                      counts->right[id]);
        print_share(text, score.precision);
        print_share(text, score.recall);
        print_share(text, score.f1);
        hl_text_print(text, "\n");
    }
}

void hl_confusion_csv_print(const hl_class_counts *counts, const hl_vocabulary *names, hl_text *text)
{
    int64_t C = counts->n_classes;
    hl_text_print(text, "class");
    for (int64_t id = 0; id < C; id++) {
        hl_text_print(text, ",");
        hl_csv_field(text, hl_vocabulary_token(names, (int32_t)id));
    }
    for (int64_t id = 0; id < C; id++) {
        hl_text_print(text, "\n");
        hl_csv_field(text, hl_vocabulary_token(names, (int32_t)id));
        for (int64_t answer = 0; answer < C; answer++) {
            hl_text_print(text, ",%" PRId64, counts->confusion[id * C + answer]);
        }
    }
    hl_text_print(text, "\n");
}
