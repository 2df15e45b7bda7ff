/* A slice of the examples: the rows that the pass keeps, and what is added up after it. */
#include "heads/head_set.h"
#include "heads/pattern.h"
#include "heads/private/writes_measuring.h"

#include <math.h>
#include <string.h>

/* ---- which positions ---- */

bool hl_writes_scores(const hl_writes_measuring *m, int64_t example)
{
    return m->examples->n_examples == 1 || example % 2 == 1;
}

/* Keeps the rows that the answers are read from. */
static void add_rows(hl_writes_measuring *m, const hl_batch *batch)
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

/* Whether copies are measured at the next position: HL_COPIES_POSITIONS of them were drawn. */
static void maybe_copy(hl_writes_measuring *m, int64_t row, int64_t example)
{
    if (m->writes->has_copies && m->at_drawn < m->n_drawn && m->drawn[m->at_drawn++]) {
        hl_copies_take(&m->copies, row, hl_writes_scores(m, example));
    }
}

static void choose_rows(hl_writes_measuring *m, const hl_batch *batch)
{
    m->n_rows = m->n_answers = 0;
    if (m->writes->has_answers) {
        add_rows(m, batch);
        for (int64_t a = 0; a < m->n_answers; a++) {
            const hl_write_answer *answer = &m->answers[a];
            maybe_copy(m, m->rows[answer->first + answer->n - 1], answer->example);
        }
    }
    if (m->writes->has_answers || !m->writes->has_copies) {
        return;
    }
    int64_t e = 0;
    hl_pattern kinds = { .text.kinds = m->examples->kinds, .tokens = batch->tokens };
    for (int64_t row = 0; row < batch->n_rows; row++) {
        while (row >= hl_sequences_first(&m->sequences, e) + hl_sequences_length(&m->sequences, e)) {
            e++;
        }
        if (hl_pattern_is_ordinary(&kinds, row)) {
            m->rows[m->n_rows++] = (int32_t)row;
            maybe_copy(m, row, m->first_example + e);
        }
    }
}

/* ---- a slice ---- */

/* |o| / |x| of every head of a layer, of all rows. */
void hl_writes_add_norms(void *context, int layer, int64_t n_rows, const hl_real *x, const hl_real *z)
{
    hl_writes_measuring *m = context;
    const hl_multi_head_config *c = &m->model->encoder.layers[layer].self_attn.config;
    int64_t D = c->d_model, d_v = c->d_v, number = hl_heads_before(&m->model->config, layer);
    double *of_x = m->lengths, *of_o = m->lengths + m->most_rows;
    for (int64_t i = 0; i < n_rows; i++) {
        double square = 0;
        for (int64_t d = 0; d < D; d++) {
            square += (double)x[i * D + d] * (double)x[i * D + d];
        }
        of_x[i] = sqrt(square);
    }
    for (int64_t h = 0; h < c->n_heads; h++) {
        hl_written_norms_of(m->options->threads, n_rows, d_v, z + h * d_v, c->n_heads * d_v,
                            m->norms.layer[layer] + h * d_v * d_v, m->scratch, of_o, 1);
        for (int64_t e = 0; e < m->sequences.n; e++) {
            int64_t first = hl_sequences_first(&m->sequences, e), length = hl_sequences_length(&m->sequences, e);
            double *mean = m->head_norms + (m->first_example + e) * m->writes->n_heads + number + h;
            for (int64_t i = first; i < first + length; i++) {
                *mean += of_x[i] > 0 ? of_o[i] / of_x[i] / (double)length : 0;
            }
        }
    }
}

bool hl_writes_begin_slice(void *context, hl_evaluator_slice *slice)
{
    hl_writes_measuring *m = context;
    if (m->status.code != HL_OK) {
        return false;
    }
    m->sequences = hl_batch_sequences(&slice->batch);
    m->first_example = slice->first;
    if (m->writes->has_copies) {
        hl_copies_begin(&m->copies, &slice->batch);
        slice->probes = m->copies.probes;
    }
    choose_rows(m, &slice->batch);
    slice->observer = hl_write_pass_begin(&m->pass, m->rows, m->n_rows);
    return true;
}

/* Keeps the answer and its terms. */
static void keep_terms(const hl_writes_measuring *m, const hl_batch *batch, const hl_write_answer *answer,
                       const double *terms, double logit)
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
static void add_terms(hl_writes_measuring *m, const hl_batch *batch, const hl_write_answer *answer, const double *terms,
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

void hl_writes_end_slice(void *context, const hl_evaluator_slice *slice, const hl_real *logits)
{
    hl_writes_measuring *m = context;
    if (m->n_answers > 0) {
        HL_THEN(m->status, hl_write_terms_of(&m->terms, &m->pass, &m->path, m->answers, m->n_answers));
        for (int64_t a = 0; a < m->n_answers && m->status.code == HL_OK; a++) {
            add_terms(m, &slice->batch, &m->answers[a], m->terms.terms + a * m->terms.n_writers,
                      logits + m->answers[a].target * m->path.n_logits);
        }
    }
    HL_THEN(m->status, m->writes->has_copies ? hl_copies_add(&m->copies, &m->pass, &m->path) : hl_ok());
    HL_THEN(m->status, m->options->progress != NULL
                           ? m->options->progress(m->options->context, slice->first + slice->batch.n_examples,
                                                  m->examples->n_examples)
                           : hl_ok());
}
