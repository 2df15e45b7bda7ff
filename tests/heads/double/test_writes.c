/* What heads write: its sums, and failures. */
#include "core/base/memory.h"
#include "heads/head_pass.h"
#include "heads/private/answer_path.h"
#include "tests/check_suite.h"
#include "tests/fault_checks.h"
#include "tests/faults.h"
#include "tests/heads/double/written.h"

#include <string.h>

/* ---- the sum ---- */

/* Other weights of the same model, so that all positions compute something else. */
static void change_weights(int round)
{
    for (int64_t i = 0; i < model.parameters.count; i++) {
        model.parameters.values[i] += 0.1 * sin((double)(i * (round + 2)));
    }
}

TEST(terms_sum_to_the_centred_logit)
{
    enum { ROUNDS = 8, POSITIONS = 2000 };
    int64_t positions = 0;
    hl_writes_options all = options;
    all.keep_terms = true;
    for (int i = 0; i < ROUNDS * (int)(sizeof shapes / sizeof *shapes); i++) {
        const shape *it = &shapes[i / ROUNDS];
        set_up_shape(it->change);
        change_weights(i % ROUNDS);
        expect_ok(hl_writes_measure(&model, &batch, &all, &writes));
        ck_assert_msg(writes.has_answers && writes.exact, "%s", it->name);
        ck_assert_msg(writes.largest_gap < 1e-12, "%s: %g", it->name, writes.largest_gap);
        ck_assert_int_eq(writes.n_examples, 2); /* the odd ones */
        double sum = 0;
        for (int w = 0; w < writes.n_writers; w++) {
            sum += writes.writers[w].direct.mean;
        }
        ck_assert_msg(fabs(sum - writes.logit.mean) < 1e-10, "%s: %g, %g", it->name, sum, writes.logit.mean);
        positions += writes.n_kept;
    }
    ck_assert_int_ge(positions, POSITIONS);
}

/* ---- the way to the answer ---- */

static void logits_at(const double *h, double *logits)
{
    hl_arena arena;
    expect_ok(hl_arena_init(&arena, 1 << 20));
    hl_tape tape;
    hl_tape_begin(&tape, &arena, (hl_tape_options){ .threads = 1 });
    hl_tensor *x = hl_tape_tensor(&tape, HL_SHAPE(1, D), h, false);
    hl_tensor *y = hl_output_layer_forward(&tape, &model.output, x, NULL, 0);
    expect_ok(hl_tape_status(&tape));
    memcpy(logits, y->data, (size_t)model.config.targets * sizeof *logits);
    hl_arena_free(&arena);
}

static double centred(const double *logits, int32_t target)
{
    double mean = 0;
    for (int64_t c = 0; c < model.config.targets; c++) {
        mean += logits[c] / (double)model.config.targets;
    }
    return logits[target] - mean;
}

static void lay_out_path(void *path, hl_block *block)
{
    hl_answer_path_lay_out(path, block, &model, 3);
}

static void check_path(void (*change)(hl_model_config *config), bool forward)
{
    enum { N = 3 };
    set_up_shape(change);
    double h[N * D], g[N * D], step[N * D], changes[N * EXAMPLE_VOCABULARY];
    static const int32_t targets[N] = { 3, 0, 10 };
    for (int i = 0; i < N * D; i++) {
        h[i] = sin(3.0 * i);
        step[i] = cos(5.0 * i);
    }
    hl_answer_path path;
    void *memory;
    expect_ok(hl_block_make(&memory, lay_out_path, &path, "the way to the answers"));
    hl_answer_path_begin(&path, &model, 1);
    expect_ok(hl_answer_path_at(&path, N, h));
    hl_answer_path_backward(&path, N, targets, g);
    if (forward) {
        hl_answer_path_forward(&path, N, step, changes);
    }
    for (int n = 0; n < N; n++) {
        double up[EXAMPLE_VOCABULARY], down[EXAMPLE_VOCABULARY], there[D], along = 0;
        for (int side = 0; side < 2; side++) {
            for (int i = 0; i < D; i++) {
                there[i] = h[n * D + i] + (side == 0 ? 1e-5 : -1e-5) * step[n * D + i];
            }
            logits_at(there, side == 0 ? up : down);
        }
        for (int i = 0; i < D; i++) {
            along += g[n * D + i] * step[n * D + i];
        }
        ck_assert_double_eq_tol(along, (centred(up, targets[n]) - centred(down, targets[n])) / 2e-5, 1e-7);
        for (int c = 0; forward && c < EXAMPLE_VOCABULARY; c++) {
            ck_assert_double_eq_tol(changes[n * EXAMPLE_VOCABULARY + c], (up[c] - down[c]) / 2e-5, 1e-7);
        }
    }
    hl_free(memory);
}

TEST(the_way_to_the_answer_is_its_derivative)
{
    check_path(plain, true);
    check_path(transform, true);
    check_path(pooler, false);
}

TEST(a_nonlinear_answer_is_of_first_order)
{
    set_up_shape(transform);
    measure();
    ck_assert(writes.has_answers && !writes.exact && writes.has_copies);
    ck_assert_double_eq(writes.largest_gap, 0);
    set_up_shape(pooler);
    measure();
    ck_assert(writes.has_answers && !writes.exact && !writes.has_copies);
}

/* ---- the numbers of a page ---- */

static double product(const float *a, const float *b, int64_t n)
{
    double sum = 0;
    for (int64_t c = 0; c < n; c++) {
        sum += (double)a[c] * (double)b[c];
    }
    return sum;
}

/* z . u of a head at query i of an example: its softmax over the n keys, times v . u. */
static double added_at(const hl_head_pass *pass, int l, int64_t h, int64_t e, int64_t i, int64_t n)
{
    const hl_head_pass_layer *layer = &pass->layers[l];
    int64_t H = layer->n_heads, K = layer->n_kv_heads, kv = h / (H / K), first = e * pass->n_tokens;
    const float *u = layer->u + ((first + i) * H + h) * layer->d_v;
    double sum = 0, added = 0;
    for (int64_t j = 0; j < n && (!model.config.causal || j <= i); j++) {
        double score = product(layer->q + ((first + i) * H + h) * layer->d_k,
                               layer->k + ((first + j) * K + kv) * layer->d_k, layer->d_k);
        double power = exp(score / sqrt((double)layer->d_k));
        sum += power;
        added += power * product(layer->v + ((first + j) * K + kv) * layer->d_v, u, layer->d_v);
    }
    return added / sum;
}

/* What a head adds in an example, on average over its answers; *n_answers: how many there are. */
static double added_in(const hl_head_pass *pass, int l, int64_t h, int64_t e, int64_t *n_answers)
{
    double added = 0;
    *n_answers = 0;
    for (int64_t i = 0; i < batch.lengths[e]; i++) {
        *n_answers += !isnan(pass->logits[e * pass->n_tokens + i]);
        added += added_at(pass, l, h, e, i, batch.lengths[e]);
    }
    return *n_answers > 0 ? added / (double)*n_answers : 0;
}

static void check_writer(const hl_head_pass *pass, const hl_writer *writer, const char *name)
{
    double sum = 0;
    int64_t n = 0, n_answers;
    for (int64_t e = 1; e < E; e += 2) {
        sum += added_in(pass, writer->layer, writer->number, e, &n_answers);
        n += n_answers > 0;
    }
    ck_assert_msg(fabs(sum / (double)n - writer->direct.mean) < 1e-5, "%s L%dH%d: %g, not %g", name, writer->layer,
                  (int)writer->number, sum / (double)n, writer->direct.mean);
}

TEST(the_numbers_of_a_page_add_what_heads_write)
{
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        set_up_shape(shapes[s].change);
        measure();
        hl_head_pass pass;
        expect_ok(hl_head_pass_run(&model, &batch, E, true, 2, &pass));
        ck_assert(pass.exact && pass.post == (model.config.norm == HL_NORM_POST));
        for (int w = 0; w < writes.n_writers; w++) {
            if (writes.writers[w].kind == HL_WRITER_HEAD) {
                check_writer(&pass, &writes.writers[w], shapes[s].name);
            }
        }
        double logit = 0;
        for (int64_t e = 1; e < E; e += 2) { /* each has the same number of answers */
            double mean = 0, n = 0;
            for (int64_t i = 0; i < pass.n_tokens; i++) {
                float at = pass.logits[e * pass.n_tokens + i];
                mean += isnan(at) ? 0 : (double)at;
                n += !isnan(at);
            }
            logit += mean / n / 2;
        }
        ck_assert_double_eq_tol(logit, writes.logit.mean, 1e-5);
        hl_head_pass_free(&pass);
    }
}

TEST(the_terms_of_every_answer_are_kept)
{
    hl_writes_options all = options;
    all.keep_terms = true;
    set_up_shape(post);
    expect_ok(hl_writes_measure(&model, &batch, &all, &writes));
    int64_t a = 0;
    for (int64_t i = 0; i < E * batch.n_tokens; i++) {
        if (batch.targets[i] < 0) {
            continue;
        }
        ck_assert_int_lt(a, writes.n_kept);
        hl_written_answer answer = writes.answers[a];
        ck_assert_int_eq(answer.example, i / batch.n_tokens);
        ck_assert_int_eq(answer.position, i % batch.n_tokens);
        ck_assert_int_eq(answer.id, batch.targets[i]);
        double sum = 0;
        for (int w = 0; w < writes.n_writers; w++) {
            sum += writes.terms[a * writes.n_writers + w];
        }
        ck_assert_double_eq_tol(sum, answer.logit, 1e-10);
        a++;
    }
    ck_assert_int_eq(a, writes.n_kept);
}

/* ---- without answers, and failures ---- */

TEST(a_model_without_answers_has_norms_alone)
{
    set_up_shape(no_output);
    measure();
    ck_assert(!writes.has_answers && !writes.has_copies);
    ck_assert_double_gt(writes.heads[0].norm.mean, 0);
    ck_assert(isnan(hl_writes_share(&writes, &writes.writers[1])));
}

TEST(without_targets_copies_are_of_ordinary_tokens)
{
    set_up_shape(plain);
    int64_t ordinary = 0;
    for (int64_t i = 0; i < E * batch.n_tokens; i++) {
        batch.targets[i] = HL_IGNORE;
        ordinary += i / batch.n_tokens % 2 == 1 && batch.tokens[i] >= HL_SPECIAL_TOKENS;
    }
    measure();
    ck_assert(!writes.has_answers && writes.has_copies);
    ck_assert_int_eq(writes.heads[0].copies.n, ordinary);
}

TEST(slices_and_threads_change_nothing)
{
    set_up_shape(plain);
    measure();
    hl_writes other;
    hl_writes_options other_options = { .rows = 1, .threads = 1, .seed = 1 };
    expect_ok(hl_writes_measure(&model, &batch, &other_options, &other));
    for (int w = 0; w < writes.n_writers; w++) {
        ck_assert_double_eq_tol(writes.writers[w].direct.mean, other.writers[w].direct.mean, 1e-11);
    }
    for (int64_t h = 0; h < writes.n_heads; h++) {
        ck_assert_double_eq(writes.heads[h].copies.score, other.heads[h].copies.score);
        ck_assert_double_eq(writes.heads[h].copies.baseline, other.heads[h].copies.baseline);
        ck_assert_double_eq_tol(writes.heads[h].norm.mean, other.heads[h].norm.mean, 1e-11);
    }
    hl_writes_free(&other);
}

TEST(writers_have_names)
{
    static const char *const names[] = { "embedding",
                                         "L0H0",
                                         "L0H1",
                                         "L0H2",
                                         "L0H3",
                                         "L0 attention bias",
                                         "L0 feed-forward",
                                         "L1H0",
                                         "L1H1",
                                         "L1 attention bias",
                                         "L1 feed-forward",
                                         "last norm bias",
                                         "output bias" };
    set_up_shape(plain);
    measure();
    ck_assert_int_eq(writes.n_writers, sizeof names / sizeof *names);
    for (int w = 0; w < writes.n_writers; w++) {
        char name[HL_WRITER_NAME];
        hl_writer_name(&writes.writers[w], name);
        ck_assert_str_eq(name, names[w]);
    }
}

TEST(wrong_calls_are_refused)
{
    set_up_shape(plain);
    hl_writes_options none = { .rows = 0, .threads = 1 };
    ck_assert_int_eq(hl_writes_measure(&model, &batch, &none, &writes).code, HL_INVALID);
    ck_assert_ptr_null(writes.writers);
    hl_model bare;
    hl_model_config config = example_config(D);
    expect_ok(hl_model_init(&bare, &config));
    ck_assert_int_eq(hl_writes_measure(&bare, &batch, &options, &writes).code, HL_INVALID);
    hl_model_free(&bare);
}

/* The numbers that a pass leaves must be those of its answers: a weight that changes under it is found out. */
static hl_status spoil(void *context, int64_t done, int64_t total)
{
    (void)context;
    (void)total;
    if (done == 1) {
        model.output.linear.bias->data[0] += 100; /* the mean of the biases is not what it was */
    }
    return hl_ok();
}

TEST(terms_that_do_not_sum_are_an_error)
{
    set_up_shape(plain);
    hl_writes_options spoilt = { .rows = 1, .threads = 1, .progress = spoil };
    CHECK_FAILS(hl_writes_measure(&model, &batch, &spoilt, &writes), HL_NOT_FINITE, "do not sum to the logit");
    ck_assert_ptr_null(writes.heads);
}

static hl_status end(void *context, int64_t done, int64_t total)
{
    (void)context;
    return done < total ? hl_error(HL_FAILED, "enough") : hl_ok();
}

TEST(progress_may_end_it)
{
    set_up_shape(plain);
    hl_writes_options ended = { .rows = 1, .threads = 1, .progress = end };
    CHECK_FAILS(hl_writes_measure(&model, &batch, &ended, &writes), HL_FAILED, "enough");
}

TEST(want_of_memory_is_told_and_loses_nothing)
{
    set_up_shape(transform);
    faults_begin();
    int n = 0;
    while (fault_checks_next(&n, FAULTS_ONCE)) {
        fault_checks_turn(hl_writes_measure(&model, &batch, &options, &writes));
        hl_writes_free(&writes);
    }
    ck_assert_int_gt(n, 10);
    faults_end();
}

SUITE("what heads write", .after = tear_down)
