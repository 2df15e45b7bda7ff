#include "study/predictor.h"

#include "core/memory.h"
#include "data/text/private/tokens_encode.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- opening ---- */

/* What the model gives for a batch: logits of the rows with a target, or the last layer's rows. */
static hl_tensor *forward(hl_tape *tape, const hl_predictor *p, const hl_batch *batch)
{
    const hl_model *model = p->spec.model;
    hl_tensor *x = hl_model_layers(tape, model, batch, 0, hl_model_embed(tape, model, batch), NULL);
    return p->spec.rows ? hl_encoder_end(tape, &model->encoder, x) : hl_model_target_logits(tape, model, batch, x);
}

static hl_status make_plan(hl_predictor *p)
{
    hl_arena records;
    hl_batch largest = hl_batch_largest(1, p->spec.model->config.max_length);
    largest.n_targets = p->spec.model->config.pooling == HL_POOLING_MEAN ? 1 : largest.n_targets;
    HL_TRY(hl_arena_init(&records, hl_model_record_bytes(p->spec.model)));
    hl_tape tape;
    hl_tape_begin(&tape, &records, (hl_tape_options){ .threads = p->spec.threads, .dry = true, .reuse = true });
    const hl_tensor *out = forward(&tape, p, &largest);
    hl_status status = hl_tape_plan_make(&tape, &p->plan);
    p->width = out != NULL ? hl_shape_last(out->shape) : 0;
    hl_arena_free(&records);
    return status;
}

hl_status hl_predictor_open(const hl_predictor_spec *spec, hl_predictor *p)
{
    *p = (hl_predictor){ .spec = *spec };
    int64_t T = spec->model->config.max_length, V = spec->model->config.vocabulary;
    int64_t n_tokens = hl_tokens_size(spec->tokens);
    bool answers_tokens = !spec->rows && spec->model->config.targets == V;
    if (n_tokens > V || (n_tokens < V && answers_tokens)) {
        return hl_error(HL_INVALID, "its model was trained with %" PRId64 " tokens, and tokens.json has %" PRId64, V,
                        n_tokens);
    }
    int64_t room = hl_predictor_room(p, false);
    if (room < 1 || spec->stride < 0 || spec->stride > room) {
        return hl_error(HL_INVALID,
                        "windows cannot begin %" PRId64 " pieces apart: the model takes %" PRId64
                        " at once besides the special tokens",
                        spec->stride, room);
    }
    p->tokens = hl_calloc((size_t)T, 3 * sizeof *p->tokens);
    HL_NEED(p->tokens != NULL, "a text");
    p->targets = p->tokens + T;
    p->types = p->tokens + 2 * T;
    HL_TRY(hl_batch_storage_init(&p->storage, 1, T, T));
    HL_TRY(hl_batch_storage_take_types(&p->storage));
    HL_TRY(make_plan(p));
    p->sum = hl_calloc((size_t)p->width, sizeof *p->sum);
    HL_NEED(p->sum != NULL, "a text's classes");
    return hl_arena_init(&p->arena, p->plan.bytes);
}

void hl_predictor_close(hl_predictor *p)
{
    hl_pieces_free(&p->text);
    hl_pieces_free(&p->window);
    hl_free(p->tokens);
    hl_free(p->sum);
    hl_batch_storage_free(&p->storage);
    hl_tape_plan_free(&p->plan);
    hl_arena_free(&p->arena);
    *p = (hl_predictor){ .width = 0 };
}

int64_t hl_predictor_room(const hl_predictor *p, bool pair)
{
    const hl_tokens *tokens = p->spec.tokens;
    int around = !p->spec.wraps ? 0 : pair ? tokens->pair.n - 2 : tokens->single.n - 1;
    return p->spec.model->config.max_length - around;
}

/* ---- reading ---- */

/* Cuts a text that is too long. */
static void cut(hl_predictor *p)
{
    size_t first = p->n_first, second = p->text.n - first;
    int64_t room = hl_predictor_room(p, second > 0);
    p->uncut = (int64_t)p->text.n;
    if (second == 0 && p->spec.stride > 0) {
        return;
    }
    while (first + second > (size_t)(room > 1 ? room : 1)) {
        *(second > first ? &second : &first) -= 1;
    }
    if (second > 0) {
        memmove(p->text.at + first, p->text.at + p->n_first, second * sizeof *p->text.at);
    }
    p->n_first = first;
    p->text.n = first + second;
}

hl_status hl_predictor_read(hl_predictor *p, hl_span text, hl_span second, bool specials)
{
    p->text.n = 0;
    hl_status status = hl_tokens_encode(p->spec.tokens, text.text, text.size, specials, &p->text);
    p->n_first = p->text.n;
    if (second.size > 0) {
        HL_THEN(status, hl_tokens_encode(p->spec.tokens, second.text, second.size, specials, &p->text));
    }
    if (status.code != HL_OK) {
        p->text.n = 0;
        return status;
    }
    if (p->n_first < p->text.n && hl_predictor_room(p, true) < 1) {
        p->text.n = 0;
        return hl_error(HL_INVALID, "the model has no room for two texts");
    }
    cut(p);
    return status;
}

hl_status hl_predictor_read_words(hl_predictor *p, const hl_span *words, int64_t n, int32_t *firsts)
{
    p->text.n = 0;
    for (int64_t i = 0; i < n; i++) {
        firsts[i] = (int32_t)p->text.n;
        hl_status status = hl_tokens_encode_word(p->spec.tokens, words[i].text, words[i].size, i == 0, &p->text);
        if (status.code != HL_OK) {
            p->text.n = 0;
            return status;
        }
    }
    p->n_first = p->text.n;
    cut(p);
    for (int64_t i = 0; i < n; i++) {
        firsts[i] = firsts[i] < (int32_t)p->text.n ? firsts[i] : -1;
    }
    return hl_ok();
}

/* ---- windows ---- */

static int64_t count_windows(const hl_predictor *p)
{
    int64_t over = (int64_t)p->text.n - hl_predictor_room(p, p->n_first < p->text.n);
    return over > 0 ? 1 + (over + p->spec.stride - 1) / p->spec.stride : 1;
}

/* The pieces *begin .. *end - 1 are window w. */
static void window_at(const hl_predictor *p, int64_t w, int64_t *begin, int64_t *end)
{
    int64_t n = (int64_t)p->text.n, room = hl_predictor_room(p, p->n_first < p->text.n);
    int64_t last = n > room ? n - room : 0;
    *begin = w * p->spec.stride < last ? w * p->spec.stride : last;
    *end = *begin + (n < room ? n : room);
}

/* The window in which piece i has the most context. */
static int64_t window_of(const hl_predictor *p, int64_t i)
{
    int64_t count = count_windows(p), best = -1, most = -1;
    int64_t room = hl_predictor_room(p, p->n_first < p->text.n);
    for (int64_t w = i < room ? 0 : (i - room) / p->spec.stride; w < count; w++) {
        int64_t begin, end;
        window_at(p, w, &begin, &end);
        if (begin > i) {
            break;
        }
        int64_t before = i - begin, after = end - 1 - i;
        int64_t context = after < 0 ? -1 : p->spec.model->config.causal || before < after ? before : after;
        best = context > most ? w : best;
        most = context > most ? context : most;
    }
    return best;
}

/* Lays window w out as the model reads it, without targets; *first: the row of its first piece. */
static hl_status lay(hl_predictor *p, int64_t w, int64_t *begin, int64_t *end, int64_t *first)
{
    window_at(p, w, begin, end);
    p->window.n = 0;
    for (int64_t i = *begin; i < *end; i++) {
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

/* Runs the model on the window that was laid out; what it gives is numbered from `number` on. */
static hl_status run(hl_predictor *p, int64_t number, hl_predictor_take *take, void *context)
{
    int32_t length = (int32_t)p->window.n;
    hl_examples example = { .n_examples = 1,
                            .n_tokens = length,
                            .tokens = p->tokens,
                            .targets = p->targets,
                            .types = p->types,
                            .lengths = &length };
    hl_batch_storage_clear(&p->storage);
    HL_TRY(hl_batch_storage_add_example(&p->storage, &example, 0));
    hl_tape tape;
    hl_tape_begin(&tape, &p->arena, (hl_tape_options){ .threads = p->spec.threads, .plan = &p->plan });
    const hl_tensor *out = forward(&tape, p, &p->storage.batch);
    hl_status status = hl_tape_status(&tape);
    int64_t n = status.code == HL_OK ? hl_shape_rows(out->shape) : 0;
    for (int64_t i = 0; i < n * p->width && status.code == HL_OK; i++) {
        if (!isfinite(out->data[i])) {
            status = hl_error(HL_NOT_FINITE, "the model's answers are no finite numbers; did its training diverge?");
        }
    }
    for (int64_t i = 0; i < n && status.code == HL_OK; i++) {
        take(context, number + i, out->data + i * p->width);
    }
    hl_arena_rewind(&p->arena, 0);
    return status;
}

hl_status hl_predictor_logits(hl_predictor *p, const int32_t *asked, int64_t n, hl_predictor_take *take, void *context)
{
    assert(!p->spec.rows);
    while (n > 0 && asked[n - 1] < 0) {
        n--;
    }
    for (int64_t i = 0; i < n;) {
        int64_t w = window_of(p, asked[i]), number = i, begin, end, first;
        HL_TRY(lay(p, w, &begin, &end, &first));
        for (; i < n && window_of(p, asked[i]) == w; i++) {
            p->targets[first + asked[i] - begin] = 0;
        }
        HL_TRY(run(p, number, take, context));
    }
    return hl_ok();
}

/* ---- answers ---- */

typedef struct best {
    const hl_predictor *predictor;
    int64_t most;
    hl_choice *choices;
} best;

static void take_best(void *context, int64_t i, const hl_real *logits)
{
    const best *b = context;
    hl_choices_best(logits, b->predictor->width, b->most, b->choices + i * b->most);
}

hl_status hl_predictor_best(hl_predictor *p, const int32_t *asked, int64_t n, int64_t most, hl_choice *choices)
{
    for (int64_t i = 0; i < n * most; i++) {
        choices[i] = (hl_choice){ .id = -1 };
    }
    return hl_predictor_logits(p, asked, n, take_best, &(best){ p, most, choices });
}

static void add_probabilities(void *context, int64_t window, const hl_real *logits)
{
    (void)window;
    const hl_predictor *p = context;
    hl_choices_add(logits, p->width, p->sum);
}

hl_status hl_predictor_classify(hl_predictor *p, hl_real *logits)
{
    assert(!p->spec.rows);
    int64_t count = count_windows(p), begin, end, first;
    memset(p->sum, 0, (size_t)p->width * sizeof *p->sum);
    for (int64_t w = 0; w < count; w++) {
        HL_TRY(lay(p, w, &begin, &end, &first));
        p->targets[0] = 0;
        HL_TRY(run(p, w, add_probabilities, p));
    }
    for (int64_t c = 0; c < p->width; c++) {
        logits[c] = (hl_real)log(p->sum[c] / (double)count);
    }
    return hl_ok();
}

typedef struct rows {
    hl_predictor *predictor;
    int64_t window, begin, end, first;
    int64_t count; /* of rows in the sum */
} rows;

static void add_row(void *context, int64_t row, const hl_real *numbers)
{
    rows *r = context;
    int64_t i = r->begin + row - r->first;
    bool special = i < r->begin || i >= r->end;
    if (special ? r->window == 0 : window_of(r->predictor, i) == r->window) {
        for (int64_t d = 0; d < r->predictor->width; d++) {
            r->predictor->sum[d] += (double)numbers[d];
        }
        r->count++;
    }
}

hl_status hl_predictor_mean(hl_predictor *p, hl_real *mean)
{
    assert(p->spec.rows);
    rows all = { .predictor = p };
    memset(p->sum, 0, (size_t)p->width * sizeof *p->sum);
    for (int64_t count = count_windows(p); all.window < count; all.window++) {
        HL_TRY(lay(p, all.window, &all.begin, &all.end, &all.first));
        HL_TRY(p->window.n > 0 ? run(p, 0, add_row, &all) : hl_ok());
    }
    for (int64_t d = 0; d < p->width; d++) {
        mean[d] = (hl_real)(p->sum[d] / (double)(all.count > 0 ? all.count : 1));
    }
    return hl_ok();
}
