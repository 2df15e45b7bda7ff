/* What a program must not ask of data and heads is reported in words, in every build. */
#include "core/base/memory.h"
#include "data/dataset.h"
#include "heads/all_subsets.h"
#include "heads/catalogue.h"
#include "heads/head_pass.h"
#include "heads/importance.h"
#include "heads/label.h"
#include "heads/prune.h"
#include "heads/subset.h"
#include "show/terminal_map.h"
#include "tests/check_suite.h"
#include "tests/heads/example.h"

#include <string.h>

static void expect(hl_status status, const char *words)
{
    ck_assert_msg(status.code == HL_INVALID && strstr(status.text, words) != NULL, "%d \"%s\", not \"%s\"", status.code,
                  status.text, words);
}

TEST(a_batch_is_refused)
{
    const hl_task_spec spec = { .name = "copy", .length = 6, .min_length = 4, .symbols = 8 };
    hl_dataset *dataset;
    expect(hl_dataset_open(&(hl_task_spec){ 0 }, 1, &dataset), "");
    expect_ok(hl_dataset_open(&spec, 1, &dataset));
    hl_examples batch;
    expect_ok(hl_examples_allocate(4, hl_dataset_sizes(dataset)->longest, 0, &batch));
    expect(hl_dataset_examples(dataset, (hl_split)2, 0, &batch), "unknown split number 2");
    expect(hl_dataset_examples(dataset, HL_TRAIN, -1, &batch), "4 examples from number -1 on");
    expect(hl_dataset_examples(dataset, HL_TRAIN, INT64_MAX, &batch), "cannot be had");
    hl_examples wrong[] = { batch, batch, batch, batch };
    wrong[0].n_tokens = 5;
    wrong[1].n_examples = -4;
    wrong[2].n_relations = 1;
    wrong[3].targets = NULL;
    expect(hl_dataset_examples(dataset, HL_VALIDATION, 0, &wrong[0]), "a batch of 5 tokens has no room");
    expect(hl_dataset_examples(dataset, HL_TRAIN, 0, &wrong[1]), "-4 examples");
    expect(hl_dataset_examples(dataset, HL_TRAIN, 0, &wrong[2]), "1 relations, where the task states 0");
    expect(hl_dataset_examples(dataset, HL_TRAIN, 0, &wrong[3]), "without memory");
    ck_assert_int_eq(hl_dataset_longest(dataset, HL_TRAIN, 0, -1), 0);
    ck_assert_int_eq(hl_dataset_longest(dataset, (hl_split)-1, 0, 1), 0);
    const hl_vocabulary *words = hl_dataset_vocabulary(dataset);
    ck_assert_ptr_null(hl_vocabulary_token(words, -1));
    ck_assert_ptr_null(hl_vocabulary_token(words, (int32_t)hl_vocabulary_size(words)));
    ck_assert_int_eq(hl_vocabulary_find(words, NULL), -1);
    ck_assert_int_eq(batch.lengths[0], 0); /* nothing was written */
    hl_examples_free(&batch);
    hl_dataset_free(dataset);
}

TEST(a_study_of_heads_is_refused)
{
    static hl_model model, pruned, bare;
    static const bool kept[] = { 1, 1, 1, 1, 1, 1 };
    hl_model_config config = example_config(8);
    example_model(&model, &config);
    expect_ok(hl_model_init(&bare, &config));
    hl_examples batch = example_batch(4, 6);
    hl_patterns layers[EXAMPLE_LAYERS];
    for (int l = 0; l < EXAMPLE_LAYERS; l++) {
        layers[l] = hl_patterns_of(NULL, &batch, &model.config, l, 0);
    }
    hl_importance importance;
    expect(hl_importance_measure(&model, &batch, layers, 0, 1, HL_IMPORTANCE_ALL, NULL, &importance), "slices of 0");
    expect(hl_importance_measure(&model, &batch, layers, 4, 1, (hl_importance_depth)3, NULL, &importance),
           "depth number 3");
    expect(hl_importance_measure(&bare, &batch, layers, 4, 1, HL_IMPORTANCE_ALL, NULL, &importance), "not allocated");
    hl_all_subsets subsets;
    expect(hl_all_subsets_measure(&bare, &batch, layers, 4, 1, NULL, &subsets), "not allocated");
    expect(hl_all_subsets_measure(&model, &batch, layers, -1, 1, NULL, &subsets), "slices of -1");
    hl_subset subset = { .model = &model, .rows = -1 };
    expect(hl_subset_begin(&subset, 9), "slices of -1 rows");
    hl_subset_free(&subset);
    expect(hl_prune(&bare, kept, &pruned), "not allocated");
    hl_model_free(&pruned);
    hl_head_pass pass;
    expect(hl_head_pass_run(&bare, &batch, 1, true, 1, &pass), "not allocated");
    expect(hl_head_pass_run(&model, &batch, -1, true, 1, &pass), "at least one example");
    hl_recorder recorder;
    hl_examples none = batch;
    none.n_examples = -1;
    expect(hl_recorder_init(&recorder, &model, &none, 1, 1, scratch_path("patterns")), "no examples");
    hl_examples_free(&batch);
    hl_model_free(&model);
    hl_model_free(&bare);
}

TEST(unknown_numbers_have_no_words)
{
    hl_text *text = scratch_text();
    hl_metric_print(text, &(hl_reading){ .metric = (hl_metric)99 }, NULL);
    expect(hl_text_status(text), "unknown metric number 99");
    hl_text_free(text);
    const hl_real weight = 1;
    const hl_panel panel = { .weights = &weight, .n_queries = 1, .n_keys = 1, .stride = 1 };
    expect(hl_terminal_map(&(hl_terminal){ .width = 80, .colours = (hl_terminal_colours)5 }, &panel, text),
           "unknown number 5 of colours");
}

SUITE("misuse")
