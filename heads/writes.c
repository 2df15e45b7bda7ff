#include "heads/writes.h"

#include "core/base/memory.h"
#include "core/kernels/random.h"
#include "data/batch_storage.h"
#include "heads/answers.h"
#include "heads/head_set.h"
#include "heads/pattern.h"
#include "heads/private/writes_measuring.h"

#include <math.h>

/* ---- all examples ---- */

/* Draws which of n positions are measured: `most` of them, each set of so many with the same probability. */
static hl_status draw_positions(hl_writes_measuring *m, int64_t n)
{
    m->n_drawn = n;
    m->drawn = hl_calloc((size_t)n, sizeof *m->drawn);
    HL_NEED(m->drawn != NULL, "positions");
    hl_random random = { m->options->seed, hl_random_stream("copies"), 0 };
    int64_t left = n < HL_COPIES_POSITIONS ? n : HL_COPIES_POSITIONS;
    for (int64_t i = 0; i < n; i++) {
        m->drawn[i] = hl_random_below(random, (uint64_t)i, (uint32_t)(n - i)) < (uint32_t)left;
        left -= m->drawn[i];
    }
    return hl_ok();
}

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

static int64_t rows_at_once(const hl_examples *examples, const hl_writes_options *options)
{
    return options->rows > examples->n_tokens ? options->rows : examples->n_tokens;
}

static hl_status allocate(hl_writes_measuring *m, const hl_batch *batch)
{
    hl_writes *w = m->writes;
    const hl_model *model = m->model;
    int64_t R = m->most_rows, E = m->examples->n_examples;
    int64_t n_answers = model->config.head != HL_HEAD_NONE ? count_answers(batch) : 0;
    w->has_answers = n_answers > 0;
    w->has_copies = !m->options->without_copies && answers_with_tokens(&model->config);
    w->n_heads = hl_heads_count(&model->config);
    w->n_writers = hl_writers_of(model, NULL);
    w->writers = hl_calloc((size_t)w->n_writers, sizeof *w->writers);
    w->heads = hl_calloc((size_t)w->n_heads, sizeof *w->heads);
    m->scratch = hl_malloc((size_t)hl_written_norms_scratch(R, hl_heads_widest(&model->config)) * sizeof *m->scratch);
    m->lengths = hl_malloc((size_t)R * 2 * sizeof *m->lengths);
    m->rows = hl_malloc((size_t)R * sizeof *m->rows);
    m->answers = hl_malloc((size_t)R * sizeof *m->answers);
    m->direct = hl_calloc((size_t)(E * w->n_writers), sizeof *m->direct);
    m->logits = hl_calloc((size_t)E, sizeof *m->logits);
    m->head_norms = hl_calloc((size_t)(E * w->n_heads), sizeof *m->head_norms);
    m->counts = hl_calloc((size_t)E, sizeof *m->counts);
    HL_NEED(w->writers != NULL && w->heads != NULL && m->scratch != NULL && m->lengths != NULL && m->rows != NULL &&
                m->answers != NULL && m->direct != NULL && m->logits != NULL && m->head_norms != NULL &&
                m->counts != NULL,
            "what heads write");
    if (m->options->keep_terms && n_answers > 0) {
        w->answers = hl_calloc((size_t)n_answers, sizeof *w->answers);
        w->terms = hl_calloc((size_t)n_answers, (size_t)w->n_writers * sizeof *w->terms);
        HL_NEED(w->answers != NULL && w->terms != NULL, "what heads write");
    }
    HL_TRY(hl_write_pass_init(&m->pass, model, R));
    HL_TRY(hl_written_norms_init(&m->norms, model, m->options->threads));
    m->pass.attended = hl_writes_add_norms;
    m->pass.context = m;
    if (w->has_answers || w->has_copies) {
        HL_TRY(hl_answer_path_init(&m->path, model, R, m->options->threads));
        w->exact = m->path.exact && !model->config.bf16;
    }
    HL_TRY(w->has_answers ? hl_write_terms_init(&m->terms, model, R) : hl_ok());
    if (w->has_copies) {
        HL_TRY(hl_copies_init(&m->copies, model, HL_COPIES_POSITIONS, R));
        HL_TRY(draw_positions(m, w->has_answers ? n_answers : count_ordinary(batch, m->examples)));
    }
    return hl_ok();
}

/* ---- results ---- */

/* Moves the examples that score, and with `counted` have a scored position, to the front, as means. Returns how
 * many. */
static int64_t keep_scoring(const hl_writes_measuring *m, double *sums, int64_t width, bool counted)
{
    int64_t n = 0;
    for (int64_t e = 0; e < m->examples->n_examples; e++) {
        if (hl_writes_scores(m, e) && (!counted || m->counts[e] > 0)) {
            for (int64_t i = 0; i < width; i++) {
                sums[n * width + i] = sums[e * width + i] / (counted ? (double)m->counts[e] : 1);
            }
            n++;
        }
    }
    return n;
}

static hl_status take_results(hl_writes_measuring *m)
{
    hl_writes *w = m->writes;
    hl_writers_of(m->model, w->writers);
    int64_t n = keep_scoring(m, m->head_norms, w->n_heads, false);
    for (int64_t h = 0; h < w->n_heads; h++) {
        hl_head_place at = hl_head_at(&m->model->config, h);
        w->heads[h] = (hl_head_writes){ .layer = at.layer, .head = at.head };
        w->heads[h].norm = hl_estimate_of(m->head_norms + h, w->n_heads, n);
    }
    HL_TRY(w->has_copies ? hl_copies_end(&m->copies, w->heads) : hl_ok());
    for (int64_t e = 0; e < m->examples->n_examples; e++) {
        w->n_answers += hl_writes_scores(m, e) ? m->counts[e] : 0;
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

static hl_status measure(hl_writes_measuring *m)
{
    hl_batch_storage storage = { 0 };
    hl_status status = hl_batch_storage_of(&storage, m->examples, m->examples->n_tokens);
    HL_THEN(status, allocate(m, &storage.batch));
    if (status.code == HL_OK) {
        const hl_evaluator evaluator = { .model = m->model,
                                         .rows = m->options->rows,
                                         .threads = m->options->threads,
                                         .begin = hl_writes_begin_slice,
                                         .end = hl_writes_end_slice,
                                         .context = m };
        status = hl_evaluate_once(evaluator, &storage.batch, NULL);
    }
    HL_THEN(status, m->status);
    HL_THEN(status, take_results(m));
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
    hl_writes_measuring *m = hl_calloc(1, sizeof *m);
    HL_NEED(m != NULL, "what heads write");
    *m = (hl_writes_measuring){ .model = model, .examples = examples, .options = options, .writes = writes };
    m->most_rows = rows_at_once(examples, options);
    hl_status status = measure(m);
    hl_write_pass_free(&m->pass);
    hl_written_norms_free(&m->norms);
    hl_answer_path_free(&m->path);
    hl_write_terms_free(&m->terms);
    hl_copies_free(&m->copies);
    void *const blocks[] = { m->scratch, m->lengths, m->drawn,      m->rows,  m->answers,
                             m->direct,  m->logits,  m->head_norms, m->counts };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        hl_free(blocks[i]);
    }
    hl_free(m);
    if (status.code != HL_OK) {
        hl_writes_free(writes);
    }
    return status;
}

hl_status hl_writes_bytes(const hl_model *model, const hl_examples *examples, const hl_writes_options *options,
                          size_t *bytes)
{
    int64_t R = rows_at_once(examples, options), E = examples->n_examples;
    const hl_evaluator evaluator = { .model = model, .rows = options->rows, .threads = options->threads };
    hl_tape_plan plan;
    HL_TRY(hl_evaluator_plan(&evaluator, examples->n_tokens, &plan));
    *bytes = plan.bytes;
    hl_tape_plan_free(&plan);
    size_t writers = (size_t)hl_writers_of(model, NULL) * sizeof(double);
    size_t example = writers + ((size_t)hl_heads_count(&model->config) + 2) * sizeof(double);
    const size_t parts[] = {
        hl_write_pass_bytes(model, R),
        hl_write_terms_bytes(model, R),
        model->config.head != HL_HEAD_NONE ? hl_answer_path_bytes(model, R) : 0,
        answers_with_tokens(&model->config) ? hl_copies_bytes(model, HL_COPIES_POSITIONS, R) : 0,
        hl_size_product((size_t)E, example),
        hl_batch_storage_bytes(E, E * examples->n_tokens),
        options->keep_terms ? hl_size_product((size_t)(E * examples->n_tokens), sizeof(hl_written_answer) + writers)
                            : 0,
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        *bytes = hl_size_sum(*bytes, parts[i]);
    }
    return hl_ok();
}
