#include "study/predictor.h"

#include "core/base/memory.h"
#include "data/text/private/tokens_encode.h"
#include "heads/evaluator.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* A batch is run at once: as many rows as keep every thread's products large, or one window. */
enum { MOST_ROWS = 1024, MOST_WINDOWS = 512 };

/* Logits of a batch's targets take so many numbers at most, or as many as one window's. */
static const int64_t MOST_LOGITS = 1 << 24;

/* What is asked of a window. `answer` is given the window's part of what the model gives: n rows (width). */
typedef struct hl_predictor_window {
    void (*answer)(hl_predictor *p, const struct hl_predictor_window *window, const hl_real *rows);
    hl_predictor_take *take;
    void *context;
    hl_choice *choices; /* of the first answer, (n, most) */
    int64_t most;
    int64_t number, n;      /* of its first answer; targets, or with spec.rows the rows of the window */
    int64_t from, to, tail; /* the rows from .. to - 1 count, in a first window those from `tail` on, too */
    bool first, last;       /* of its question */
} hl_predictor_window;

/* ---- running the batch ---- */

static void answer_windows(hl_predictor *p, const hl_real *rows)
{
    for (int64_t w = 0; w < p->n_windows; w++) {
        const hl_predictor_window *window = &p->windows[w];
        window->answer(p, window, rows);
        rows = window->n > 0 ? rows + window->n * p->width : rows;
        p->answered += window->last;
    }
}

/* Takes what the model gives for the batch: logits of the rows with a target, or the last hidden states. */
static hl_status take_rows(void *context, const hl_evaluator_slice *slice, const hl_real *rows)
{
    hl_predictor *p = context;
    int64_t n = p->spec.rows ? slice->batch.n_rows : slice->batch.n_targets;
    for (int64_t i = 0; i < n * p->width; i++) {
        if (!isfinite(rows[i])) {
            return hl_error(HL_NOT_FINITE, "the model's answers are no finite numbers; did its training diverge?");
        }
    }
    answer_windows(p, rows);
    return hl_ok();
}

static hl_evaluator evaluator_of(hl_predictor *p)
{
    return (hl_evaluator){ .model = p->spec.model,
                           .arena = &p->arena,
                           .plan = &p->plan,
                           .rows = p->storage.n_rows,
                           .threads = p->spec.threads,
                           .hidden = p->spec.rows,
                           .end = take_rows,
                           .context = p };
}

/* ---- opening ---- */

static hl_status make_plan(hl_predictor *p)
{
    int64_t T = p->spec.length, rows = p->storage.n_rows, C = p->spec.model->config.targets;
    p->most_targets = MOST_LOGITS / (C > 0 ? C : 1);
    p->most_targets = p->most_targets < T ? T : p->most_targets > rows ? rows : p->most_targets;
    p->width = p->spec.rows ? p->spec.model->config.d_model : C;
    hl_batch largest = {
        .n_examples = p->storage.n_examples, .n_rows = rows, .longest = T, .n_targets = p->most_targets
    };
    const hl_evaluator evaluator = evaluator_of(p);
    return hl_evaluator_plan_largest(&evaluator, &largest, &p->plan);
}

hl_status hl_predictor_open(const hl_predictor_spec *spec, hl_predictor *p)
{
    *p = (hl_predictor){ .spec = *spec };
    int64_t most = spec->model->config.max_length, V = spec->model->config.vocabulary;
    int64_t T = p->spec.length = spec->length > 0 && spec->length < most ? spec->length : most;
    int64_t n_tokens = hl_tokens_size(spec->tokens);
    bool answers_tokens = !spec->rows && spec->model->config.targets == V;
    if (!spec->rows && spec->model->config.head == HL_HEAD_NONE) {
        return hl_error(HL_INVALID, "the model has no output layer, so it gives no answers");
    }
    if (n_tokens > V || (n_tokens < V && answers_tokens)) {
        return hl_error(HL_INVALID, "its model was trained with %" PRId64 " tokens, and tokens.json has %" PRId64, V,
                        n_tokens);
    }
    int64_t room = hl_predictor_room(p, false);
    if (room < 1 || spec->stride < 0 || spec->stride > room) {
        return hl_error(HL_INVALID,
                        "windows cannot begin %" PRId64 " pieces apart: the model reads at most %" PRId64
                        " at once, besides special tokens",
                        spec->stride, room);
    }
    p->tokens = hl_calloc((size_t)T, 3 * sizeof *p->tokens);
    p->windows = hl_calloc(MOST_WINDOWS, sizeof *p->windows);
    HL_NEED(p->tokens != NULL && p->windows != NULL, "a text");
    p->targets = p->tokens + T;
    p->types = p->tokens + 2 * T;
    HL_TRY(hl_batch_storage_init(&p->storage, MOST_WINDOWS, T > MOST_ROWS ? T : MOST_ROWS, T));
    HL_TRY(hl_batch_storage_take_types(&p->storage));
    HL_TRY(make_plan(p));
    p->sum = hl_calloc((size_t)p->width, sizeof *p->sum);
    p->numbers = hl_calloc((size_t)p->width, sizeof *p->numbers);
    HL_NEED(p->sum != NULL && p->numbers != NULL, "a text's classes");
    return hl_arena_init(&p->arena, p->plan.bytes);
}

void hl_predictor_close(hl_predictor *p)
{
    hl_pieces_free(&p->text);
    hl_pieces_free(&p->window);
    hl_free(p->tokens);
    hl_free(p->windows);
    hl_free(p->sum);
    hl_free(p->numbers);
    hl_batch_storage_free(&p->storage);
    hl_tape_plan_free(&p->plan);
    hl_arena_free(&p->arena);
    *p = (hl_predictor){ .width = 0 };
}

/* ---- windows: of `room` pieces each, or one of the whole text ---- */

static int64_t room_of(const hl_predictor *p)
{
    return hl_predictor_room(p, p->n_first < p->text.n);
}

static int64_t count_windows(const hl_predictor *p)
{
    int64_t over = (int64_t)p->text.n - room_of(p);
    return over > 0 ? 1 + (over + p->spec.stride - 1) / p->spec.stride : 1;
}

/* The first piece of window w. */
static int64_t begin_of(const hl_predictor *p, int64_t w)
{
    int64_t over = (int64_t)p->text.n - room_of(p), last = over > 0 ? over : 0;
    return w * p->spec.stride < last ? w * p->spec.stride : last;
}

/* The piece behind the last one that window w answers. It answers those before it that no earlier window answers,
 * with the most context. Between two windows, that is the middle of what they cover together; for a causal model,
 * the end of the first. */
static int64_t end_of(const hl_predictor *p, int64_t w)
{
    int64_t begin = begin_of(p, w), next = begin_of(p, w + 1), room = room_of(p);
    if (w + 1 >= count_windows(p)) {
        return (int64_t)p->text.n;
    }
    return p->spec.model->config.causal ? begin + room : (begin + next + room - 1) / 2 + 1;
}

/* Lays window w out as the model reads it, without targets; *begin: its first piece, *first: that one's row, which may
 * stand behind special tokens; *n: how many pieces it has. */
static hl_status lay(hl_predictor *p, int64_t w, int64_t *begin, int64_t *n, int64_t *first)
{
    int64_t room = room_of(p), all = (int64_t)p->text.n;
    *begin = begin_of(p, w);
    *n = all < room ? all : room;
    p->window.n = 0;
    for (int64_t i = *begin; i < *begin + *n; i++) {
        HL_TRY(hl_pieces_add(&p->window, p->text.at[i].id, 0, 0));
    }
    *first = 0;
    if (p->spec.wraps) {
        bool pair = p->n_first < p->text.n;
        const hl_template *around = pair ? &p->spec.tokens->pair : &p->spec.tokens->single;
        HL_TRY(hl_tokens_wrap(p->spec.tokens, pair ? p->n_first : p->window.n, &p->window));
        while (around->at[*first].id != HL_TEXT_A) {
            *first += 1;
        }
    }
    for (size_t row = 0; row < p->window.n; row++) {
        p->tokens[row] = p->window.at[row].id;
        p->types[row] = p->window.at[row].type;
        p->targets[row] = HL_IGNORE;
    }
    return hl_ok();
}

/* ---- the batch ---- */

hl_status hl_predictor_finish(hl_predictor *p)
{
    const hl_evaluator evaluator = evaluator_of(p);
    hl_status status = hl_ok();
    if (p->storage.batch.n_rows > 0) {
        status = hl_evaluate(&evaluator, &p->storage.batch, NULL);
    } else {
        answer_windows(p, NULL);
    }
    p->n_windows = 0;
    hl_batch_storage_clear(&p->storage);
    return status;
}

/* Adds the window that was laid out, which has no rows where the text has none. */
static hl_status add(hl_predictor *p, hl_predictor_window window)
{
    int32_t length = (int32_t)p->window.n;
    hl_examples example = { .n_examples = 1,
                            .n_tokens = length,
                            .tokens = p->tokens,
                            .targets = p->targets,
                            .types = p->types,
                            .lengths = &length };
    const hl_batch *batch = &p->storage.batch;
    if (p->n_windows == MOST_WINDOWS || batch->n_rows + length > p->storage.n_rows ||
        (!p->spec.rows && batch->n_targets + window.n > p->most_targets)) {
        HL_TRY(hl_predictor_finish(p));
    }
    HL_TRY(length > 0 ? hl_batch_storage_add_example(&p->storage, &example, 0) : hl_ok());
    p->asked += window.first;
    p->windows[p->n_windows++] = window;
    return hl_ok();
}

/* ---- questions ---- */

/* Asks at the pieces; `how` tells the rest. */
static hl_status ask(hl_predictor *p, const int32_t *asked, int64_t n, hl_predictor_window how)
{
    assert(!p->spec.rows);
    while (n > 0 && asked[n - 1] < 0) {
        n--;
    }
    assert(n == 0 || asked[n - 1] < (int64_t)p->text.n);
    for (int64_t i = 0, w = 0; i < n; w++) {
        int64_t begin, pieces, first, end = end_of(p, w);
        if (asked[i] >= end) {
            continue;
        }
        HL_TRY(lay(p, w, &begin, &pieces, &first));
        how.number = i;
        for (; i < n && asked[i] < end; i++) {
            p->targets[first + asked[i] - begin] = 0;
        }
        how.n = i - how.number;
        how.first = how.number == 0;
        how.last = i == n;
        HL_TRY(add(p, how));
    }
    return hl_ok();
}

static void answer_logits(hl_predictor *p, const hl_predictor_window *window, const hl_real *rows)
{
    for (int64_t i = 0; i < window->n; i++) {
        window->take(window->context, window->number + i, rows + i * p->width);
    }
}

hl_status hl_predictor_logits(hl_predictor *p, const int32_t *asked, int64_t n, hl_predictor_take *take, void *context)
{
    return ask(p, asked, n, (hl_predictor_window){ .answer = answer_logits, .take = take, .context = context });
}

static void answer_best(hl_predictor *p, const hl_predictor_window *window, const hl_real *rows)
{
    for (int64_t i = 0; i < window->n; i++) {
        hl_choices_best(rows + i * p->width, p->width, window->most,
                        window->choices + (window->number + i) * window->most);
    }
}

hl_status hl_predictor_best(hl_predictor *p, const int32_t *asked, int64_t n, int64_t most, hl_choice *choices)
{
    for (int64_t i = 0; i < n * most; i++) {
        choices[i] = (hl_choice){ .id = -1 };
    }
    return ask(p, asked, n, (hl_predictor_window){ .answer = answer_best, .choices = choices, .most = most });
}

/* The sums of a text's windows begin anew with its first. */
static void begin_sums(hl_predictor *p, const hl_predictor_window *window)
{
    if (window->first) {
        memset(p->sum, 0, (size_t)p->width * sizeof *p->sum);
        p->n_summed = 0;
    }
}

static void answer_classes(hl_predictor *p, const hl_predictor_window *window, const hl_real *rows)
{
    bool choice = p->spec.problem == HL_PROBLEM_CHOICE;
    begin_sums(p, window);
    for (int64_t c = 0; !choice && c < p->width; c++) {
        p->sum[c] += (double)rows[c];
    }
    if (choice) {
        hl_choices_add(rows, p->width, p->sum);
    }
    p->n_summed++;
    if (window->last) {
        for (int64_t c = 0; c < p->width; c++) {
            double mean = p->sum[c] / (double)p->n_summed;
            p->numbers[c] = (hl_real)(choice ? log(mean) : mean);
        }
        window->take(window->context, 0, p->numbers);
    }
}

hl_status hl_predictor_classify(hl_predictor *p, hl_predictor_take *take, void *context)
{
    assert(!p->spec.rows);
    for (int64_t w = 0, count = count_windows(p), begin, n, first; w < count; w++) {
        HL_TRY(lay(p, w, &begin, &n, &first));
        p->targets[0] = 0;
        HL_TRY(p->window.n > 0 ? hl_ok() : hl_error(HL_INVALID, "has no piece, and so no class"));
        HL_TRY(add(p, (hl_predictor_window){ .answer = answer_classes,
                                             .take = take,
                                             .context = context,
                                             .n = 1,
                                             .first = w == 0,
                                             .last = w == count - 1 }));
    }
    return hl_ok();
}

static void answer_vector(hl_predictor *p, const hl_predictor_window *window, const hl_real *rows)
{
    begin_sums(p, window);
    for (int64_t row = 0; row < window->n; row++) {
        bool counts = (row >= window->from && row < window->to) || (window->first && row >= window->tail);
        if (p->spec.of_first ? window->first && row == 0 : counts) {
            for (int64_t d = 0; d < p->width; d++) {
                p->sum[d] += (double)rows[row * p->width + d];
            }
            p->n_summed++;
        }
    }
    if (!window->last) {
        return;
    }
    double divisor = p->n_summed > 0 ? (double)p->n_summed : 1, squares = 0;
    for (int64_t d = 0; d < p->width; d++) {
        squares += p->sum[d] * p->sum[d];
    }
    divisor = p->spec.normalised && squares > 0 ? sqrt(squares) : divisor;
    for (int64_t d = 0; d < p->width; d++) {
        p->numbers[d] = (hl_real)(p->sum[d] / divisor);
    }
    window->take(window->context, 0, p->numbers);
}

hl_status hl_predictor_vector(hl_predictor *p, hl_predictor_take *take, void *context)
{
    assert(p->spec.rows);
    for (int64_t w = 0, from = 0, count = count_windows(p), begin, n, first; w < count; w++) {
        HL_TRY(lay(p, w, &begin, &n, &first));
        int64_t to = end_of(p, w);
        HL_TRY(add(p, (hl_predictor_window){ .answer = answer_vector,
                                             .take = take,
                                             .context = context,
                                             .n = (int64_t)p->window.n,
                                             .from = w == 0 ? 0 : first + from - begin,
                                             .to = first + to - begin,
                                             .tail = first + n,
                                             .first = w == 0,
                                             .last = w == count - 1 }));
        from = to;
    }
    return hl_ok();
}
