/* values_of FOLDER TEXTS OUT BATCH: what the open model of the folder computes for each line of TEXTS, BATCH lines
 * at a time, as the safetensors file OUT: tokens (N), lengths (B), hidden_l (N, D), attention_l (the (H, T, T) of
 * every line end to end), logits (N, C) if it has them; with a BATCH of 0 tokens and lengths alone. Prints what was
 * loaded, and the seconds that opening and loading took. */
#include "core/base/clock.h"
#include "core/base/memory.h"
#include "core/base/threads.h"
#include "core/files/files.h"
#include "core/files/safetensors.h"
#include "data/batch_storage.h"
#include "pretrained/pretrained.h"
#include "tests/pretrained/pass.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 1 << 14, ARENA = 1 << 29 };

/* Numbers that grow. */
typedef struct numbers {
    hl_text text;
    int64_t n;
} numbers;

static struct {
    numbers tokens, lengths, hidden[HL_MAX_LAYERS + 1], attention[HL_MAX_LAYERS], logits;
} out;

static void add(numbers *to, const hl_real *from, int64_t n)
{
    hl_text_add(&to->text, from, (size_t)n * sizeof *from);
    to->n += n;
}

static void add_tokens(const hl_batch *batch)
{
    for (int64_t i = 0; i < batch->n_rows; i++) {
        add(&out.tokens, &(hl_real){ (hl_real)batch->tokens[i] }, 1);
    }
    for (int64_t b = 0; b < batch->n_examples; b++) {
        add(&out.lengths, &(hl_real){ (hl_real)(batch->offsets[b + 1] - batch->offsets[b]) }, 1);
    }
}

static hl_status run_batch(const hl_model *model, const hl_batch *batch, hl_arena *arena)
{
    static pass p;
    int n_layers = model->config.n_layers;
    hl_status status = pass_run(&p, model, batch, arena);
    for (int l = 0; status.code == HL_OK && l <= n_layers; l++) {
        add(&out.hidden[l], p.hidden[l], batch->n_rows * model->config.d_model);
    }
    for (int l = 0; status.code == HL_OK && l < n_layers; l++) {
        int64_t H = model->config.heads[l], T = batch->longest;
        for (int64_t b = 0; b < batch->n_examples; b++) {
            int64_t t = batch->offsets[b + 1] - batch->offsets[b];
            for (int64_t row = 0; row < H * t; row++) {
                add(&out.attention[l], p.attention[l] + ((b * H + row / t) * T + row % t) * T, t);
            }
        }
    }
    if (status.code == HL_OK && p.logits != NULL) {
        add(&out.logits, p.logits, p.n_logits);
    }
    pass_free(&p);
    return status;
}

static hl_status run_line(const hl_pretrained *folder, const char *line, size_t size, hl_batch_storage *storage)
{
    static int32_t ids[ROWS];
    hl_pieces pieces = { 0 };
    hl_status status = hl_tokens_encode(hl_pretrained_tokens(folder), line, size, true, &pieces);
    HL_THEN(status, hl_tokens_wrap(hl_pretrained_tokens(folder), pieces.n, &pieces));
    for (size_t i = 0; status.code == HL_OK && i < pieces.n && i < ROWS; i++) {
        ids[i] = pieces.at[i].id;
    }
    HL_THEN(status, hl_batch_storage_add(storage, ids, NULL, (int64_t)pieces.n));
    hl_pieces_free(&pieces);
    return status;
}

static hl_status run_lines(const hl_pretrained *folder, const hl_model *model, const char *path, int64_t n)
{
    char *content;
    size_t size;
    hl_batch_storage storage;
    hl_arena arena;
    HL_TRY(hl_arena_init(&arena, ARENA));
    HL_TRY(hl_file_read(path, SIZE_MAX, &content, &size));
    HL_TRY(hl_batch_storage_init(&storage, n > 0 ? n : 1, ROWS, model->config.max_length));
    hl_status status = hl_ok();
    for (size_t i = 0, end; status.code == HL_OK && i < size; i = end + 1) {
        const char *newline = memchr(content + i, '\n', size - i);
        end = newline != NULL ? (size_t)(newline - content) : size;
        status = run_line(folder, content + i, end - i, &storage);
        if (storage.batch.n_examples == storage.n_examples || end + 1 >= size) {
            add_tokens(&storage.batch);
            HL_THEN(status, n > 0 ? run_batch(model, &storage.batch, &arena) : hl_ok());
            hl_batch_storage_clear(&storage);
        }
    }
    hl_batch_storage_free(&storage);
    hl_arena_free(&arena);
    hl_free(content);
    return status;
}

static hl_status write_out(const char *path, const hl_model_config *c)
{
    static hl_named_tensor tensors[2 * HL_MAX_LAYERS + 4];
    static char names[2 * HL_MAX_LAYERS + 4][32];
    int n = 0;
    tensors[n++] =
        (hl_named_tensor){ "tokens", HL_SHAPE(out.tokens.n), (const hl_real *)(void *)out.tokens.text.bytes };
    tensors[n++] =
        (hl_named_tensor){ "lengths", HL_SHAPE(out.lengths.n), (const hl_real *)(void *)out.lengths.text.bytes };
    for (int l = 0; l <= c->n_layers; l++, n++) {
        snprintf(names[n], sizeof names[n], "hidden_%d", l);
        tensors[n] = (hl_named_tensor){ names[n], HL_SHAPE(out.hidden[l].n / c->d_model, c->d_model),
                                        (const hl_real *)(void *)out.hidden[l].text.bytes };
    }
    for (int l = 0; l < c->n_layers; l++, n++) {
        snprintf(names[n], sizeof names[n], "attention_%d", l);
        tensors[n] = (hl_named_tensor){ names[n], HL_SHAPE(out.attention[l].n),
                                        (const hl_real *)(void *)out.attention[l].text.bytes };
    }
    if (out.logits.n > 0) {
        tensors[n++] = (hl_named_tensor){ "logits", HL_SHAPE(out.logits.n / c->targets, c->targets),
                                          (const hl_real *)(void *)out.logits.text.bytes };
    }
    hl_file file;
    hl_file_create(&file, path);
    hl_safetensors_write(&file, tensors, n, NULL, 0);
    return hl_file_commit(&file, HL_VOLATILE);
}

static hl_status run_all(char **arguments)
{
    hl_pretrained *folder;
    static hl_model model;
    hl_pretrained_loaded loaded = { 0 };
    double start = hl_clock_seconds();
    HL_TRY(hl_pretrained_open(arguments[1], &folder));
    double opened = hl_clock_seconds();
    HL_TRY(hl_model_init(&model, hl_pretrained_model(folder)));
    HL_TRY(hl_model_reserve(&model, HL_MODEL_EVALUATED));
    HL_TRY(hl_pretrained_load(folder, &model, &loaded));
    hl_text text = { 0 };
    hl_pretrained_print_loaded(&loaded, &text);
    printf("%sopened in %.3f s, loaded in %.3f s\n", text.bytes, opened - start, hl_clock_seconds() - opened);
    HL_TRY(run_lines(folder, &model, arguments[2], strtoll(arguments[4], NULL, 10)));
    HL_TRY(write_out(arguments[3], &model.config));
    hl_text_free(&text);
    hl_pretrained_loaded_free(&loaded);
    hl_model_free(&model);
    hl_pretrained_close(folder);
    return hl_ok();
}

int main(int argc, char **argv)
{
    hl_threads_setup();
    hl_status status = argc == 5 ? run_all(argv) : hl_error(HL_INVALID, "usage: values_of FOLDER TEXTS OUT BATCH");
    if (status.code != HL_OK) {
        fprintf(stderr, "%s\n", status.text);
    }
    return (int)status.code;
}
