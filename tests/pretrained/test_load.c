/* Open models compute here what they compute in transformers; and what is loaded where. */
#include "core/base/memory.h"
#include "pretrained/classifier.h"
#include "tests/check_suite.h"
#include "tests/pretrained/pass.h"
#include "tests/pretrained/tiny.h"
#include "tests/pretrained/tiny_models.h"
#include "tests/scratch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the same numbers ---- */

/* At most `tolerance` times the larger of 1 and the number itself; NaN fails. */
static void assert_near(const char *what, const hl_real *found, const hl_real *expected, int64_t n, double tolerance)
{
    for (int64_t i = 0; i < n; i++) {
        double difference = fabs((double)found[i] - (double)expected[i]);
        ck_assert_msg(difference <= tolerance * fmax(1, fabs((double)expected[i])), "%s: number %lld is %.9g, not %.9g",
                      what, (long long)i, (double)found[i], (double)expected[i]);
    }
}

/* Our (B, H, T, T) against theirs, the (H, t, t) of every example of t tokens end to end. */
static void assert_attention(const char *what, const hl_real *found, const tiny_numbers *expected,
                             const hl_batch *batch, int64_t H)
{
    int64_t T = batch->longest, at = 0;
    for (int64_t b = 0; b < batch->n_examples; b++) {
        int64_t t = batch->offsets[b + 1] - batch->offsets[b];
        for (int64_t row = 0; row < H * t; row++, at += t) {
            const hl_real *ours = found + ((b * H + row / t) * T + row % t) * T;
            for (int64_t j = 0; j < t; j++) {
                double difference = fabs((double)ours[j] - (double)expected->at[at + j]);
                ck_assert_msg(difference <= 5e-6, "%s: text %lld: %.9g, not %.9g", what, (long long)b, (double)ours[j],
                              (double)expected->at[at + j]);
            }
        }
    }
    ck_assert_int_eq(at, hl_shape_count(expected->shape));
}

static void assert_pass(const char *name, const hl_model *model, const hl_batch *batch)
{
    enum { ARENA = 4 << 20 };
    static pass p;
    hl_arena arena;
    CHECK_OK(hl_arena_init(&arena, ARENA));
    hl_status status = pass_run(&p, model, batch, &arena);
    hl_arena_free(&arena);
    CHECK_OK(status);
    for (int l = 0; l <= model->config.n_layers; l++) {
        char what[32];
        snprintf(what, sizeof what, "hidden_%d", l);
        tiny_numbers expected = tiny_expected(name, what);
        ck_assert_int_eq(hl_shape_count(expected.shape), batch->n_rows * model->config.d_model);
        assert_near(what, p.hidden[l], expected.at, hl_shape_count(expected.shape), 2e-5);
        hl_free(expected.at);
        if (l < model->config.n_layers) {
            snprintf(what, sizeof what, "attention_%d", l);
            expected = tiny_expected(name, what);
            assert_attention(what, p.attention[l], &expected, batch, model->config.heads[l]);
            hl_free(expected.at);
        }
    }
    tiny_numbers expected = tiny_expected(name, "logits");
    ck_assert_int_eq(p.logits != NULL, expected.at != NULL);
    if (expected.at != NULL) { /* of classes those of first rows, or one of each example */
        int64_t n_logits = hl_shape_rows(expected.shape), C = hl_shape_last(expected.shape);
        bool pooled = model->config.pooling != HL_POOLING_ROWS, classes = n_logits != batch->n_rows;
        ck_assert_int_eq(p.n_logits, (pooled ? batch->n_examples : batch->n_rows) * C);
        ck_assert_int_eq(n_logits, classes ? batch->n_examples : batch->n_rows);
        for (int64_t i = 0; i < n_logits; i++) {
            const hl_real *ours = p.logits + (classes && !pooled ? batch->offsets[i] : i) * C;
            assert_near("logits", ours, expected.at + i * C, C, 2e-5);
        }
    }
    hl_free(expected.at);
    pass_free(&p);
}

LOOP_TEST(an_open_model_computes_what_it_computes_there, 0, TINY_MODELS)
{
    const char *name = tiny_models[_i].name;
    hl_pretrained *folder = tiny_open(name);
    const char *const *labels;
    ck_assert_str_eq(hl_pretrained_kind(folder), tiny_models[_i].kind);
    ck_assert_int_eq(hl_pretrained_stored_problem(folder), tiny_models[_i].problem);
    ck_assert_int_eq(hl_pretrained_stored_head(folder),
                     tiny_models[_i].problem == HL_PROBLEM_CHOICE ? tiny_models[_i].head : HL_PRETRAINED_NONE);
    hl_pretrained_take_classifier(folder); /* of other problems */
    ck_assert_int_eq(hl_pretrained_stored_head(folder), tiny_models[_i].head);
    ck_assert_int_eq(hl_pretrained_labels(folder, &labels), tiny_models[_i].n_labels);
    ck_assert(tiny_models[_i].n_labels < 2 || strcmp(labels[1], "so so") == 0);

    hl_batch_storage storage;
    tiny_encode(folder, name, &storage);
    tiny_numbers tokens = tiny_expected(name, "tokens"), types = tiny_expected(name, "types");
    ck_assert_int_eq(storage.batch.n_rows, hl_shape_count(tokens.shape));
    for (int64_t i = 0; i < storage.batch.n_rows; i++) {
        ck_assert_int_eq(storage.batch.tokens[i], (int)tokens.at[i]);
        ck_assert_int_eq(storage.batch.types != NULL ? storage.batch.types[i] : 0, (int)types.at[i]);
    }
    hl_free(tokens.at);
    hl_free(types.at);

    hl_model model;
    hl_pretrained_loaded loaded = { 0 };
    tiny_load(folder, hl_pretrained_model(folder), &model, &loaded);
    ck_assert_str_eq(loaded.n_drawn > 0 ? loaded.drawn.bytes : "",
                     tiny_models[_i].drawn != NULL ? tiny_models[_i].drawn : "");
    ck_assert_str_eq(loaded.n_unused > 0 ? loaded.unused.bytes : "",
                     tiny_models[_i].unused != NULL ? tiny_models[_i].unused : "");
    ck_assert_int_eq(loaded.n_loaded + loaded.n_drawn, model.parameters.n);
    assert_pass(name, &model, &storage.batch);
    hl_pretrained_loaded_free(&loaded);
    hl_model_free(&model);
    hl_batch_storage_free(&storage);
    hl_pretrained_close(folder);
}

/* ---- other models from the same folder ---- */

TEST(a_new_output_layer_keeps_the_values_that_were_drawn)
{
    hl_pretrained *folder = tiny_open("bert_classes");
    hl_model model;
    hl_pretrained_loaded loaded = { 0 };
    hl_model_config config = *hl_pretrained_model(folder);
    config.targets = 5;
    CHECK_OK(hl_model_init(&model, &config));
    CHECK_OK(hl_model_allocate(&model, 7));
    const hl_parameter *output = hl_parameters_find(&model.parameters, "output.weight");
    hl_real before = output->tensor->data[3];
    CHECK_OK(hl_pretrained_load(folder, &model, &loaded));
    ck_assert_str_eq(loaded.drawn.bytes, "output.weight, output.bias"); /* BERT's pooler is the bare model's, too */
    ck_assert_str_eq(loaded.unused.bytes, "classifier.bias, classifier.weight");
    ck_assert(output->tensor->data[3] == before && before != 0);
    hl_text *text = scratch_text();
    hl_pretrained_print_loaded(&loaded, text);
    ck_assert_ptr_nonnull(strstr(text->bytes, "drawn anew: output.weight, output.bias\nnot used: classifier.bias"));
    hl_pretrained_loaded_free(&loaded);
    hl_model_free(&model);
    hl_pretrained_close(folder);
}

/* All classes of ModernBERT have head.*: only the output layer is new. */
TEST(another_task_keeps_the_transform_that_all_classes_have)
{
    hl_pretrained *folder = tiny_open("modernbert_masked");
    hl_model model;
    hl_pretrained_loaded loaded = { 0 };
    hl_model_config config = *hl_pretrained_model_with(folder, HL_PRETRAINED_TAGS);
    config.targets = 3;
    CHECK_OK(hl_model_init(&model, &config));
    CHECK_OK(hl_model_allocate(&model, 7));
    CHECK_OK(hl_pretrained_load(folder, &model, &loaded));
    ck_assert_str_eq(loaded.drawn.bytes, "output.weight, head.bias");
    ck_assert_str_eq(loaded.unused.bytes, "decoder.bias");
    hl_pretrained_loaded_free(&loaded);
    hl_model_free(&model);
    hl_pretrained_close(folder);
}

TEST(a_model_that_is_not_allocated_is_not_filled)
{
    hl_pretrained *folder = tiny_open("bert_bare");
    hl_model model;
    hl_pretrained_loaded loaded = { 0 };
    CHECK_OK(hl_model_init(&model, hl_pretrained_model(folder)));
    ck_assert_int_eq(hl_pretrained_load(folder, &model, &loaded).code, HL_INVALID);
    hl_model_free(&model);
    hl_pretrained_close(folder);
}

TEST(a_model_with_parameters_that_its_kind_has_not_is_refused)
{
    hl_pretrained *folder = tiny_open("distilbert_masked");
    hl_model model;
    hl_pretrained_loaded loaded = { 0 };
    hl_model_config config = *hl_pretrained_model(folder);
    config.token_types = 2;
    CHECK_OK(hl_model_init(&model, &config));
    CHECK_OK(hl_model_reserve(&model, HL_MODEL_EVALUATED));
    hl_status status = hl_pretrained_load(folder, &model, &loaded);
    ck_assert_int_eq(status.code, HL_INVALID);
    ck_assert_msg(strstr(status.text, "models of the kind distilbert have no token_types.weight") != NULL, "%s",
                  status.text);
    hl_model_free(&model);
    hl_pretrained_close(folder);
}

SUITE("load")
