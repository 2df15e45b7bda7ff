#include "heads/treebank_pass.h"

#include "core/base/memory.h"
#include "core/base/threads.h"
#include "core/ops/attention.h"
#include "heads/evaluator.h"
#include "heads/head_set.h"

#include <string.h>

/* Memory */

static hl_evaluator evaluator_of(hl_treebank_pass *pass)
{
    return (hl_evaluator){
        .model = pass->model, .plan = &pass->plan, .rows = pass->rows, .threads = pass->threads, .context = pass
    };
}

static hl_status pack(hl_treebank_pass *pass)
{
    const hl_treebank *treebank = pass->treebank;
    int64_t n = treebank->n_sentences, rows = 0, row = 0;
    for (int64_t s = 0; s < n; s++) {
        rows += hl_treebank_at(treebank, s).n_pieces;
    }
    HL_TRY(hl_batch_storage_init(&pass->storage, n, rows, pass->model->config.max_length));
    pass->words = hl_calloc((size_t)rows, sizeof *pass->words);
    pass->bytes = hl_size_sum(hl_batch_storage_bytes(n, rows), (size_t)rows * sizeof *pass->words);
    HL_NEED(pass->words != NULL, "the words of a treebank");
    for (int64_t s = 0; s < n; s++) {
        hl_treebank_sentence sentence = hl_treebank_at(treebank, s);
        HL_TRY(hl_batch_storage_add(&pass->storage, sentence.pieces, NULL, sentence.n_pieces));
        for (int64_t i = 0; i < sentence.n_pieces; i++) {
            pass->words[row + i] = HL_IGNORE;
        }
        for (int64_t w = 0; w < sentence.n_words; w++) {
            for (int32_t i = sentence.begins[w]; i < sentence.begins[w + 1]; i++) {
                pass->words[row + i] = (int32_t)w;
            }
        }
        row += sentence.n_pieces;
    }
    return hl_ok();
}

/* Where the maps of a slice's sentences begin; their number of numbers in all. */
static size_t place_maps(const hl_treebank_pass *pass, int64_t first, int64_t count, int64_t n_heads)
{
    size_t next = 0;
    for (int64_t s = 0; s < count; s++) {
        int64_t W = hl_treebank_at(pass->treebank, first + s).n_words;
        pass->places[s] = next;
        next += (size_t)(n_heads * W * W);
    }
    return next;
}

static hl_status take_weights(hl_treebank_pass *pass)
{
    int64_t H = hl_heads_most(&pass->model->config), n = pass->treebank->n_sentences;
    pass->places = hl_calloc((size_t)n, sizeof *pass->places);
    HL_NEED(pass->places != NULL, "what heads attend to in a treebank");
    size_t most = 0;
    for (int64_t first = 0, count; first < n; first += count) {
        count = hl_batch_fitting(&pass->storage.batch, first, pass->rows);
        size_t size = place_maps(pass, first, count, H);
        most = size > most ? size : most;
    }
    pass->weights = hl_calloc(most, sizeof *pass->weights);
    HL_NEED(pass->weights != NULL, "what heads attend to in a treebank");
    pass->bytes = hl_size_sum(pass->bytes, (size_t)n * sizeof *pass->places);
    pass->bytes = hl_size_sum(pass->bytes, hl_size_sum(most * sizeof *pass->weights, pass->plan.bytes));
    return hl_ok();
}

/* Adds a block of a head's rows to the rows of their words. */
static void join_rows(void *context, const hl_attention_seen *seen)
{
    hl_treebank_pass *pass = context;
    hl_treebank_sentence sentence = hl_treebank_at(pass->treebank, pass->maps.first + seen->b);
    const int32_t *words = pass->words + pass->storage.batch.offsets[pass->maps.first + seen->b];
    int64_t W = sentence.n_words;
    hl_real *map = pass->weights + pass->places[seen->b] + seen->h * W * W;
    for (int64_t i = seen->first; i < seen->first + seen->n_queries; i++) {
        int32_t word = words[i];
        if (word < 0) {
            continue;
        }
        const hl_real *A = seen->A + (i - seen->first) * seen->stride;
        hl_real *row = map + word * W;
        int32_t begin = sentence.begins[word], end = sentence.begins[word + 1];
        hl_real share = 1 / (hl_real)(end - begin);
        if (i == begin) {
            memset(row, 0, (size_t)W * sizeof *row);
        }
        int64_t first = sentence.begins[0], last = sentence.begins[W];
        first = seen->keys.begin > first ? seen->keys.begin : first;
        last = seen->keys.end < last ? seen->keys.end : last;
        for (int64_t j = first; j < last; j++) {
            row[words[j]] += A[j - seen->keys.begin] * share;
        }
    }
}

static void give_layer(void *context, const hl_node *node, bool backward)
{
    hl_treebank_pass *pass = context;
    if (hl_attention_args_of(node) != NULL && !backward) {
        pass->taker->layer(pass->taker->context, &pass->maps, pass->threads);
        pass->maps.layer++;
        pass->maps.first_head += pass->maps.n_heads;
        bool more = pass->maps.layer < pass->model->config.n_layers;
        pass->maps.n_heads = more ? pass->model->config.heads[pass->maps.layer] : 0;
        place_maps(pass, pass->maps.first, pass->maps.n_sentences, pass->maps.n_heads);
    }
}

hl_status hl_treebank_pass_init(hl_treebank_pass *pass, const hl_model *model, const hl_treebank *treebank,
                                int64_t rows, int threads)
{
    *pass = (hl_treebank_pass){ .model = model, .treebank = treebank, .rows = rows, .threads = threads };
    pass->observer = (hl_tape_observer){ .end = give_layer, .context = pass };
    for (int l = 0; l < model->config.n_layers; l++) {
        pass->probes[l] = (hl_head_probe){ .observe = join_rows, .observe_context = pass };
    }
    hl_evaluator evaluator = evaluator_of(pass);
    hl_status status = hl_evaluator_plan(&evaluator, treebank->longest, &pass->plan);
    HL_THEN(status, pack(pass));
    HL_THEN(status, take_weights(pass));
    if (status.code != HL_OK) {
        hl_treebank_pass_free(pass);
    }
    return status;
}

void hl_treebank_pass_free(hl_treebank_pass *pass)
{
    hl_tape_plan_free(&pass->plan);
    hl_batch_storage_free(&pass->storage);
    hl_free(pass->words);
    hl_free(pass->weights);
    hl_free(pass->places);
    *pass = (hl_treebank_pass){ 0 };
}

/* Running */

static hl_status begin_slice(void *context, hl_evaluator_slice *slice)
{
    hl_treebank_pass *pass = context;
    const hl_treebank_taker *taker = pass->taker;
    pass->maps = (hl_word_maps){ .treebank = pass->treebank,
                                 .n_heads = pass->model->config.heads[0],
                                 .first = slice->first,
                                 .n_sentences = slice->batch.n_examples,
                                 .weights = pass->weights,
                                 .places = pass->places };
    place_maps(pass, slice->first, slice->batch.n_examples, pass->maps.n_heads);
    slice->probes = pass->probes;
    slice->observer = &pass->observer;
    return taker->progress != NULL ? taker->progress(taker->context, slice->first, pass->treebank->n_sentences)
                                   : hl_ok();
}

hl_status hl_treebank_pass_run(hl_treebank_pass *pass, hl_arena *arena, const hl_treebank_taker *taker)
{
    pass->taker = taker;
    hl_evaluator evaluator = evaluator_of(pass);
    evaluator.arena = arena;
    evaluator.begin = begin_slice;
    return hl_evaluate(&evaluator, &pass->storage.batch, NULL);
}

/* Heads at the same time */

typedef struct each_head {
    const hl_word_maps *maps;
    void (*take)(void *context, int64_t head, int64_t sentence, const hl_real *weights);
    void *context;
} each_head;

static void take_heads(const void *context, hl_range heads)
{
    const each_head *each = context;
    const hl_word_maps *maps = each->maps;
    for (int64_t s = maps->first; s < maps->first + maps->n_sentences; s++) {
        for (int64_t h = heads.begin; h < heads.end; h++) {
            each->take(each->context, maps->first_head + h, s, hl_word_map(maps, s, h));
        }
    }
}

void hl_word_maps_each_head(const hl_word_maps *maps, int threads,
                            void (*take)(void *context, int64_t head, int64_t sentence, const hl_real *weights),
                            void *context)
{
    hl_threads_run(threads, maps->n_heads, 1, take_heads, &(each_head){ maps, take, context });
}
