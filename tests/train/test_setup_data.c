/* Data of a user's files, as a run opens them. */
#include "train/setup_data.h"

#include "core/base/memory.h"
#include "data/examples_storage.h"
#include "data/text/tokens_file.h"
#include "tests/check_suite.h"
#include "tests/faults.h"
#include "tests/messages.h"
#include "tests/scratch.h"
#include "tests/train/config_parsing.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Sentences of 1 to 9 words. */
static const char *sentences(const char *name, int n, const char *end)
{
    char text[1 << 16];
    size_t used = 0;
    for (int s = 0; s < n; s++) {
        for (int w = 0; w <= s * 7 % 9; w++) {
            used += (size_t)snprintf(text + used, sizeof text - used, "w%d ", (s * 5 + w * w) % 23);
        }
        used += (size_t)snprintf(text + used, sizeof text - used, "n%d\n", s);
    }
    snprintf(text + used, sizeof text - used, "%s", end);
    return scratch_file(name, text);
}

static void parse(const char *keys, const char *file, hl_config *config)
{
    const char *text = scratch_format(
        "[task]\nname = masked\nfile = %s\n[tokens]\nkind = words\n[train]\nbatch_size = 4\neval_examples = 5\n%s",
        file, keys);
    config_parse(text, config);
}

static hl_status open_data(hl_config *config, hl_data_use use, const char *run, hl_dataset **dataset)
{
    return hl_setup_data(config, &(hl_data_options){ .use = use, .folder = run }, dataset);
}

TEST(a_run_keeps_its_data_when_the_file_moves_and_refuses_another_content)
{
    hl_config made, kept;
    hl_dataset *dataset;
    const char *run = scratch_format("%s", scratch_path("run"));
    const char *moved = scratch_format("%s", scratch_path("moved.txt"));
    const char *file = sentences("x.txt", 60, "");
    parse("eval_every = 1\n", file, &made);
    CHECK_OK(open_data(&made, HL_DATA_MAKE, run, &dataset));
    CHECK_OK(hl_data_save_tokens(dataset, run));
    ck_assert_int_eq(made.sizes.longest, made.model.max_length);
    ck_assert_int_eq(made.sizes.vocabulary, hl_vocabulary_size(hl_dataset_vocabulary(dataset)));
    hl_dataset_free(dataset);
    char *text = hl_config_text(&made);
    config_parse(text, &kept);
    hl_free(text);
    ck_assert_int_eq(rename(file, moved), 0);
    CHECK_OK(open_data(&kept, HL_DATA_KEEP, run, &dataset));
    ck_assert_ptr_null(hl_config_difference(&made, &kept));
    ck_assert_mem_eq(&made.sizes, &kept.sizes, sizeof made.sizes);
    hl_dataset_free(dataset);
    ck_assert_int_eq(open_data(&kept, HL_DATA_TOKENS, run, &dataset).code, HL_OK); /* with neither file nor caches */
    ck_assert_int_eq(kept.sizes.vocabulary, made.sizes.vocabulary);
    hl_dataset_free(dataset);
    sentences("x.txt", 60, "one more\n");
    message_check(open_data(&kept, HL_DATA_KEEP, run, &dataset), HL_BAD_FILE, "train.its_source_has_changed_since_put");
    ck_assert_int_eq(open_data(&kept, HL_DATA_READ, run, &dataset).code, HL_OK); /* what the run was made of stands */
    ck_assert_mem_eq(&made.sizes, &kept.sizes, sizeof made.sizes);
    hl_dataset_free(dataset);
    hl_config check;
    parse("eval_every = 1\n", moved, &check);
    CHECK_OK(open_data(&check, HL_DATA_CHECK, scratch_path("other"), &dataset));
    ck_assert(!scratch_exists(scratch_path("other")));
    hl_dataset_free(dataset);
}

/* Whether the batch is these examples one after the other. */
static bool is_of(const hl_dataset *dataset, const hl_batch *batch, const int64_t *indices, hl_batch_storage *one)
{
    bool same = true;
    for (int64_t i = 0, row = 0; i < batch->n_examples && same; i++) {
        CHECK_OK(hl_dataset_batch(dataset, HL_TRAIN, indices[i], 1, one));
        same = batch->offsets[i + 1] - batch->offsets[i] == one->batch.n_rows &&
               memcmp(batch->tokens + row, one->batch.tokens, (size_t)one->batch.n_rows * sizeof(int32_t)) == 0;
        row += one->batch.n_rows;
    }
    return same;
}

/* The batches of a window's first examples are those that a stable sort by length gives. */
static void check_sorted(hl_dataset *dataset, int64_t window, int64_t batch, hl_batch_storage *sorted,
                         hl_batch_storage *plain)
{
    int64_t order[64], lengths[64], found = 0;
    for (int64_t i = 0; i < window; i++) {
        CHECK_OK(hl_dataset_batch(dataset, HL_TRAIN, i, 1, plain));
        lengths[i] = plain->batch.n_rows;
        int64_t at = i;
        for (; at > 0 && lengths[order[at - 1]] > lengths[i]; at--) {
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
    for (int64_t first = 0; first < window; first += batch) {
        hl_dataset_set_window(dataset, window, batch);
        CHECK_OK(hl_dataset_batch(dataset, HL_TRAIN, first, batch, sorted));
        hl_dataset_set_window(dataset, 0, 0);
        for (int64_t g = 0; g < window; g += batch) {
            found += is_of(dataset, &sorted->batch, order + g, plain);
        }
    }
    ck_assert_int_eq(found, window / batch);
}

/* Each window holds its examples once, in batches of like length; asked in any order. */
TEST(a_window_of_examples_is_cut_by_length)
{
    enum { BATCH = 4, WINDOW = 16 };
    hl_config config;
    hl_dataset *dataset;
    const char *run = scratch_format("%s", scratch_path("run"));
    parse("length_window = 16\n", sentences("x.txt", 60, ""), &config);
    CHECK_OK(open_data(&config, HL_DATA_MAKE, run, &dataset));
    hl_batch_storage plain, sorted;
    int64_t T = config.sizes.longest, rows[2] = { 0, 0 }, padded[2] = { 0, 0 };
    CHECK_OK(hl_dataset_storage(dataset, BATCH, BATCH * T, T, &sorted));
    int64_t first_rows = 0;
    faults_begin(); /* all memory is there */
    faults_in_memory(1, FAULTS_FOR_EVER);
    for (int64_t at = 0; at < 3 * WINDOW; at += BATCH) {
        CHECK_OK(hl_dataset_batch(dataset, HL_TRAIN, at, BATCH, &sorted));
        first_rows = at == 0 ? sorted.batch.n_rows : first_rows;
        rows[0] += sorted.batch.n_rows;
        padded[0] += BATCH * sorted.batch.longest;
    }
    CHECK_OK(hl_dataset_batch(dataset, HL_TRAIN, 0, BATCH, &sorted));
    CHECK_OK(hl_dataset_batch(dataset, HL_VALIDATION, 0, 2, &sorted));
    CHECK_OK(hl_dataset_batch(dataset, HL_TRAIN, 0, BATCH, &sorted));
    faults_end();
    ck_assert_int_eq(sorted.batch.n_rows, first_rows);
    hl_dataset_set_window(dataset, 0, 0);
    CHECK_OK(hl_dataset_storage(dataset, BATCH, BATCH * T, T, &plain));
    for (int64_t at = 0; at < 3 * WINDOW; at += BATCH) {
        CHECK_OK(hl_dataset_batch(dataset, HL_TRAIN, at, BATCH, &plain));
        rows[1] += plain.batch.n_rows;
        padded[1] += BATCH * plain.batch.longest;
    }
    ck_assert_int_eq(rows[0], rows[1]);
    ck_assert_int_lt(padded[0], padded[1]);
    check_sorted(dataset, WINDOW, BATCH, &sorted, &plain);
    hl_batch_storage_free(&plain);
    hl_batch_storage_free(&sorted);
    hl_dataset_free(dataset);
}

/* The words of an example begin at 0, special tokens belong to none, and a masked one keeps its word. */
TEST(examples_of_text_number_their_words)
{
    hl_config config;
    hl_dataset *dataset;
    hl_examples examples;
    const char *run = scratch_format("%s", scratch_path("run"));
    parse("", sentences("x.txt", 60, ""), &config);
    CHECK_OK(open_data(&config, HL_DATA_MAKE, run, &dataset));
    CHECK_OK(hl_dataset_make_examples(dataset, HL_TRAIN, 0, 20, &examples));
    for (int64_t e = 0; e < 20; e++) {
        int32_t n = examples.lengths[e], *words = examples.words + e * examples.n_tokens;
        ck_assert(words[0] == -1 && words[n - 1] == -1);
        for (int32_t t = 1; t < n - 1; t++) {
            ck_assert_int_eq(words[t], t - 1);
        }
    }
    hl_examples_free(&examples);
    hl_dataset_free(dataset);
}

/* Opens the treebank with tokens of kind bpe, its caches in `cache`; what its tokens say of the first word. */
static bool reads_prefix_space(const char *file, const char *cache, const char *choice, hl_config *config)
{
    char text[2048], run[512];
    snprintf(text, sizeof text,
             "[task]\nname = tags\nfile = %s\ncache = %s\nprefix_space = %s\n[tokens]\nkind = bpe\nsize = 270\n", file,
             cache, choice);
    hl_dataset *dataset;
    hl_tokens *tokens;
    config_parse(text, config);
    snprintf(run, sizeof run, "%s", scratch_path(choice));
    CHECK_OK(open_data(config, HL_DATA_MAKE, run, &dataset));
    ck_assert_int_eq(mkdir(run, 0777), 0);
    CHECK_OK(hl_data_save_tokens(dataset, run));
    hl_dataset_free(dataset);
    snprintf(text, sizeof text, "%s/tokens.json", run);
    CHECK_OK(hl_tokens_load(text, &tokens));
    bool prefix_space = !hl_tokens_first_word_is_bare(tokens);
    hl_tokens_free(tokens);
    return prefix_space;
}

/* Runs that share a folder of caches and read the first word in different ways each have their own tokens. */
TEST(a_shared_cache_keeps_tokens_with_and_without_a_prefix_space_apart)
{
    hl_config without, with;
    char text[1 << 14], cache[512];
    size_t used = 0;
    for (int s = 0; s < 60; s++) {
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "1\tthe\t_\tDET\t_\t_\t2\tdet\t_\t_\n2\tcat%d\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n", s);
    }
    const char *file = scratch_file("x.conllu", text);
    snprintf(cache, sizeof cache, "%s", scratch_path("cache"));
    ck_assert(!reads_prefix_space(file, cache, "false", &without));
    ck_assert(reads_prefix_space(file, cache, "true", &with));
    ck_assert_str_ne(hl_config_string(&without, without.task.content), hl_config_string(&with, with.task.content));
}

SUITE("setup data")
