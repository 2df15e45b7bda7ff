#include "heads/writes.h"

#include "core/base/memory.h"
#include "data/batch_storage.h"
#include "heads/answers.h"
#include "heads/evaluator.h"
#include "heads/head_set.h"
#include "heads/pattern.h"
#include "heads/private/copies.h"
#include "heads/private/write_terms.h"
#include "heads/private/written_norms.h"

#include <math.h>
#include <string.h>

typedef struct measuring {
    const hl_model *model;
    const hl_examples *examples;
    const hl_writes_options *options;
    hl_writes *writes;
    int64_t most_rows, most_kept; /* the most rows of a slice; the most answers of which the terms are kept */
    hl_write_pass pass;
    hl_written_norms norms;
    double *lengths; /* (most_rows): |x| */

    /* Used if there are answers, and if copies are measured. */
    hl_answer_path path;
    hl_write_terms terms;
    hl_copies_measuring copies;

    /* Of the current slice. */
    hl_sequences sequences;
    int64_t first_example;
    int32_t *rows; /* (most_rows): the n_rows rows that the pass keeps */
    int64_t n_rows;
    hl_write_answer *answers; /* (most_rows) */
    int64_t n_answers;

    /* For each of the E examples: sums over its positions, later means. */
    double *direct;     /* (E, W) */
    double *logits;     /* (E) */
    double *head_norms; /* (E, heads) */
    int64_t *counts;    /* (E): scored positions */
} measuring;

/* ---- which positions ---- */

static bool is_scoring(const measuring *m, int64_t example)
{
    return m->examples->n_examples == 1 || example % 2 == 1;
}

/* Keeps the rows that the answers are read from. */
static void add_rows(measuring *m, const hl_batch *batch)
{
    m->n_answers = hl_write_answers_of(m->model, batch, m->answers);
    for (int64_t a = 0; a < m->n_answers; a++) {
        hl_write_answer *answer = &m->answers[a];
        int64_t first = m->n_rows;
        for (int64_t i = 0; i < answer->n; i++) {
            m->rows[m->n_rows++] = (int32_t)(answer->first + i);
        }
        answer->first = first;
        answer->example += m->first_example;
    }
}

static void choose_rows(measuring *m, const hl_batch *batch)
{
    m->n_rows = m->n_answers = 0;
    if (m->writes->has_answers) {
        add_rows(m, batch);
        for (int64_t a = 0; a < m->n_answers; a++) {
            const hl_write_answer *answer = &m->answers[a];
            hl_copies_take(&m->copies, m->rows[answer->first + answer->n - 1], is_scoring(m, answer->example));
        }
    }
    hl_pattern kinds = { .text.kinds = m->examples->kinds, .tokens = batch->tokens };
    bool all = !m->writes->has_answers && m->writes->has_copies;
    for (int64_t e = 0; e < m->sequences.n && all; e++) {
        int64_t first = hl_sequences_first(&m->sequences, e);
        for (int64_t row = first; row < first + hl_sequences_length(&m->sequences, e); row++) {
            if (hl_pattern_is_ordinary(&kinds, row)) {
                m->rows[m->n_rows++] = (int32_t)row;
                hl_copies_take(&m->copies, row, is_scoring(m, m->first_example + e));
            }
        }
    }
}

/* ---- a slice ---- */

/* |o| / |x| of every head of a layer, of all rows. */
static void add_norms(void *context, int layer, int64_t n_rows, const hl_real *x, const hl_real *z)
{
    measuring *m = context;
    const hl_multi_head_config *c = &m->model->encoder.layers[layer].self_attn.config;
    int64_t D = c->d_model, d_v = c->d_v, number = hl_heads_before(&m->model->config, layer);
    const double *of_x = m->lengths, *of_o = m->norms.lengths;
    for (int64_t i = 0; i < n_rows; i++) {
        double square = 0;
        for (int64_t d = 0; d < D; d++) {
            square += (double)x[i * D + d] * (double)x[i * D + d];
        }
        m->lengths[i] = sqrt(square);
    }
    for (int64_t h = 0; h < c->n_heads; h++) {
        hl_written_norms_of(&m->norms, layer, h, n_rows, z + h * d_v, c->n_heads * d_v);
        for (int64_t e = 0; e < m->sequences.n; e++) {
            int64_t first = hl_sequences_first(&m->sequences, e), length = hl_sequences_length(&m->sequences, e);
            double *mean = m->head_norms + (m->first_example + e) * m->writes->n_heads + number + h;
            for (int64_t i = first; i < first + length; i++) {
                *mean += of_x[i] > 0 ? of_o[i] / of_x[i] / (double)length : 0;
            }
        }
    }
}

static hl_status begin_slice(void *context, hl_evaluator_slice *slice)
{
    measuring *m = context;
    m->sequences = hl_batch_sequences(&slice->batch);
    m->first_example = slice->first;
    if (m->writes->has_copies) {
        hl_copies_begin(&m->copies, &slice->batch);
        slice->probes = m->copies.probes;
    }
    choose_rows(m, &slice->batch);
    slice->observer = hl_write_pass_begin(&m->pass, m->rows, m->n_rows);
    return hl_ok();
}

/* Keeps the answer and its terms. */
static void keep_terms(const measuring *m, const hl_batch *batch, const hl_write_answer *answer, const double *terms,
                       double logit)
{
    hl_writes *w = m->writes;
    int64_t row = batch->target_rows[answer->target] - batch->offsets[0];
    w->answers[w->n_kept] = (hl_written_answer){
        .example = answer->example,
        .position = row - hl_sequences_first(&m->sequences, answer->example - m->first_example),
        .id = answer->id,
        .logit = logit,
    };
    memcpy(w->terms + w->n_kept++ * w->n_writers, terms, (size_t)w->n_writers * sizeof *terms);
}

/* Adds the answer's terms to its example's, and compares their sum with the model's own logit. */
static void add_terms(measuring *m, const hl_batch *batch, const hl_write_answer *answer, const double *terms,
                      const hl_real *logits)
{
    int W = m->terms.n_writers;
    double sum = 0, size = 0, centred = hl_centred_logit(logits, m->path.n_logits, answer->id);
    for (int w = 0; w < W; w++) {
        sum += terms[w];
        size += fabs(terms[w]);
        m->direct[answer->example * W + w] += terms[w];
    }
    if (m->writes->answers != NULL) {
        keep_terms(m, batch, answer, terms, centred);
    }
    m->logits[answer->example] += centred;
    m->counts[answer->example]++;
    if (m->writes->exact && size > 0) {
        m->writes->largest_gap = fmax(m->writes->largest_gap, fabs(sum - centred) / size);
    }
}

static hl_status end_slice(void *context, const hl_evaluator_slice *slice, const hl_real *logits)
{
    measuring *m = context;
    HL_TRY(m->n_answers > 0 ? hl_write_terms_of(&m->terms, &m->pass, &m->path, m->answers, m->n_answers) : hl_ok());
    for (int64_t a = 0; a < m->n_answers; a++) {
        add_terms(m, &slice->batch, &m->answers[a], m->terms.terms + a * m->terms.n_writers,
                  logits + m->answers[a].target * m->path.n_logits);
    }
    HL_TRY(m->writes->has_copies ? hl_copies_add(&m->copies, &m->pass, &m->path) : hl_ok());
    const hl_writes_options *options = m->options;
    return options->progress != NULL
               ? options->progress(options->context, slice->first + slice->batch.n_examples, m->examples->n_examples)
               : hl_ok();
}

/* ---- memory ---- */

static int64_t count_ordinary(const hl_batch *batch, const hl_examples *examples)
{
    hl_pattern kinds = { .text.kinds = examples->kinds, .tokens = batch->tokens };
    int64_t n = 0;
    for (int64_t row = 0; row < batch->n_rows; row++) {
        n += hl_pattern_is_ordinary(&kinds, row);
    }
    return n;
}

static int64_t count_answers(const hl_batch *batch)
{
    int64_t n = 0;
    for (int64_t t = 0; t < batch->n_targets; t++) {
        n += batch->target_ids[t] != HL_IGNORE;
    }
    return n;
}

/* Whether the logits are of the tokens that the model reads. */
static bool answers_with_tokens(const hl_model_config *c)
{
    return c->head != HL_HEAD_NONE && c->pooling == HL_POOLING_ROWS && c->pooler == HL_POOLER_NONE &&
           hl_answers_targets(c) == c->vocabulary;
}

static void lay_out(void *context, hl_block *block)
{
    measuring *m = context;
    const hl_writes *w = m->writes;
    int64_t R = m->most_rows, E = m->examples->n_examples;
    m->direct = hl_block_take(block, E * w->n_writers, sizeof *m->direct);
    m->logits = hl_block_take(block, E, sizeof *m->logits);
    m->head_norms = hl_block_take(block, E * w->n_heads, sizeof *m->head_norms);
    m->counts = hl_block_take(block, E, sizeof *m->counts);
    m->lengths = hl_block_take(block, R, sizeof *m->lengths);
    m->answers = hl_block_take(block, R, sizeof *m->answers);
    m->rows = hl_block_take(block, R, sizeof *m->rows);
    hl_write_pass_lay_out(&m->pass, block, m->model, R);
    hl_written_norms_lay_out(&m->norms, block, m->model, R);
    if (w->has_answers || w->has_copies) {
        hl_answer_path_lay_out(&m->path, block, m->model, R);
    }
    if (w->has_answers) {
        hl_write_terms_lay_out(&m->terms, block, m->model, R);
    }
    if (w->has_copies) {
        hl_copies_lay_out(&m->copies, block, m->model, R);
    }
}

static void lay_out_results(void *context, hl_block *block)
{
    const measuring *m = context;
    hl_writes *w = m->writes;
    w->writers = hl_block_take(block, w->n_writers, sizeof *w->writers);
    w->heads = hl_block_take(block, w->n_heads, sizeof *w->heads);
    w->answers = m->most_kept > 0 ? hl_block_take(block, m->most_kept, sizeof *w->answers) : NULL;
    w->terms = m->most_kept > 0 ? hl_block_take(block, m->most_kept * w->n_writers, sizeof *w->terms) : NULL;
}

/* Sets what is measured if there are n answers. */
static void begin(measuring *m, int64_t n_answers)
{
    const hl_model_config *config = &m->model->config;
    int64_t T = m->examples->n_tokens;
    m->most_rows = m->options->rows > T ? m->options->rows : T;
    m->writes->has_answers = n_answers > 0 && config->head != HL_HEAD_NONE;
    m->writes->has_copies = !m->options->without_copies && answers_with_tokens(config);
    m->most_kept = m->options->keep_terms && m->writes->has_answers ? n_answers : 0;
    m->writes->n_heads = hl_heads_count(config);
    m->writes->n_writers = hl_writers_of(m->model, NULL);
}

/* ---- results ---- */

/* Moves the examples that score, and with `counted` have a scored position, to the front, as means. Returns how
 * many. */
static int64_t keep_scoring(const measuring *m, double *sums, int64_t width, bool counted)
{
    int64_t n = 0;
    for (int64_t e = 0; e < m->examples->n_examples; e++) {
        if (is_scoring(m, e) && (!counted || m->counts[e] > 0)) {
            for (int64_t i = 0; i < width; i++) {
                sums[n * width + i] = sums[e * width + i] / (counted ? (double)m->counts[e] : 1);
            }
            n++;
        }
    }
    return n;
}

static hl_status take_results(measuring *m)
{
    hl_writes *w = m->writes;
    hl_writers_of(m->model, w->writers);
    int64_t n = keep_scoring(m, m->head_norms, w->n_heads, false);
    for (int64_t h = 0; h < w->n_heads; h++) {
        hl_head_place at = hl_head_at(&m->model->config, h);
        w->heads[h] = (hl_head_writes){ .layer = at.layer, .head = at.head };
        w->heads[h].norm = hl_estimate_of(m->head_norms + h, w->n_heads, n);
    }
    if (w->has_copies) {
        hl_copies_end(&m->copies, w->heads);
    }
    for (int64_t e = 0; e < m->examples->n_examples; e++) {
        w->n_answers += is_scoring(m, e) ? m->counts[e] : 0;
    }
    w->n_examples = keep_scoring(m, m->logits, 1, true);
    w->has_answers = w->n_examples > 0;
    if (!w->has_answers) {
        return hl_ok();
    }
    w->logit = hl_estimate_of(m->logits, 1, w->n_examples);
    keep_scoring(m, m->direct, w->n_writers, true);
    for (int i = 0; i < w->n_writers; i++) {
        w->writers[i].direct = hl_estimate_of(m->direct + i, w->n_writers, w->n_examples);
    }
    return w->largest_gap <= HL_WRITES_GAP
               ? hl_ok()
               : hl_error(HL_NOT_FINITE,
                          "the terms do not sum to the logit: at one position their sum is off by %.1e of their size, "
                          "more than %.0e",
                          w->largest_gap, HL_WRITES_GAP);
}

/* ---- all of it ---- */

static hl_status run(measuring *m, const hl_batch *batch)
{
    hl_writes *w = m->writes;
    int threads = m->options->threads;
    hl_written_norms_begin(&m->norms, threads);
    m->pass.attended = add_norms;
    m->pass.context = m;
    if (w->has_answers || w->has_copies) {
        hl_answer_path_begin(&m->path, m->model, threads);
        w->exact = m->path.exact && !m->model->config.bf16;
    }
    if (w->has_copies) {
        hl_copies_draw(&m->copies, m->options->seed,
                       w->has_answers ? count_answers(batch) : count_ordinary(batch, m->examples));
    }
    const hl_evaluator evaluator = { .model = m->model,
                                     .rows = m->options->rows,
                                     .threads = threads,
                                     .begin = begin_slice,
                                     .end = end_slice,
                                     .context = m };
    HL_TRY(hl_evaluate_once(evaluator, batch, NULL));
    return take_results(m);
}

static hl_status measure(measuring *m)
{
    hl_batch_storage storage = { 0 };
    void *memory = NULL;
    hl_status status = hl_batch_storage_of(&storage, m->examples, m->examples->n_tokens);
    if (status.code == HL_OK) {
        begin(m, count_answers(&storage.batch));
        status = hl_block_make(&m->writes->memory, lay_out_results, m, "what heads write");
    }
    HL_THEN(status, hl_block_make(&memory, lay_out, m, "what heads write"));
    HL_THEN(status, run(m, &storage.batch));
    hl_free(memory);
    hl_batch_storage_free(&storage);
    return status;
}

hl_status hl_writes_measure(const hl_model *model, const hl_examples *examples, const hl_writes_options *options,
                            hl_writes *writes)
{
    *writes = (hl_writes){ 0 };
    HL_TRY(hl_parameters_check_allocated(&model->parameters));
    if (examples->n_examples < 1 || options->rows < 1) {
        return hl_error(HL_INVALID, "what heads write is measured on at least one example, and in slices of at least "
                                    "one row");
    }
    measuring *m = hl_calloc(1, sizeof *m); /* too large for a small stack */
    HL_NEED(m != NULL, "what heads write");
    *m = (measuring){ .model = model, .examples = examples, .options = options, .writes = writes };
    hl_status status = measure(m);
    hl_free(m);
    if (status.code != HL_OK) {
        hl_writes_free(writes);
    }
    return status;
}

hl_status hl_writes_bytes(const hl_model *model, const hl_examples *examples, const hl_writes_options *options,
                          size_t *bytes)
{
    int64_t E = examples->n_examples, T = examples->n_tokens;
    const hl_evaluator evaluator = { .model = model, .rows = options->rows, .threads = options->threads };
    hl_tape_plan plan;
    HL_TRY(hl_evaluator_plan(&evaluator, T, &plan));
    *bytes = hl_size_sum(plan.bytes, hl_batch_storage_bytes(E, E * T));
    hl_tape_plan_free(&plan);
    hl_writes writes = { 0 };
    measuring *m = hl_calloc(1, sizeof *m);
    HL_NEED(m != NULL, "what heads write");
    *m = (measuring){ .model = model, .examples = examples, .options = options, .writes = &writes };
    begin(m, E * T);
    *bytes = hl_size_sum(*bytes, hl_size_sum(hl_block_bytes(lay_out_results, m), hl_block_bytes(lay_out, m)));
    hl_free(m);
    return hl_ok();
}

void hl_writes_free(hl_writes *writes)
{
    hl_free(writes->memory);
    *writes = (hl_writes){ 0 };
}
