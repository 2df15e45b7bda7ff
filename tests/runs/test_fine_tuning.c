/* Runs and sweeps that begin with an open model: their folders hold what going on, answering and writing the model
 * need. */
#include "tests/check_suite.h"
#include "tests/pretrained/tiny.h"
#include "tests/runs/predict_runs.h"
#include "tests/runs/sweeps.h"
#include "tests/scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A copy of the tiny model that may be changed and removed. */
static const char *copy_of(const char *model)
{
    const char *copy = run_path("source");
    if (scratch_exists(copy)) {
        scratch_remove(copy);
    }
    scratch_copy(tiny_folder(model), copy);
    return run_kept(copy);
}

/* The config of a task on three sentences, many times; `more` holds lines of [train]. */
static const char *config_of(const char *task, const char *more)
{
    bool tags = strcmp(task, "tags") == 0, classes = strcmp(task, "classes") == 0;
    hl_text text = { 0 };
    hl_text_print(&text, "%s", classes ? "text\tlabel\n" : "");
    for (int i = 0; i < 20; i++) {
        static const char *const sentences[] = { "the cat sat on mat", "the dog barked", "it saw a dog" };
        const char *sentence = sentences[i % 3], *rest = "\t_\t_\t_\t_\t_\t_";
        if (tags) {
            hl_text_print(&text, "1\tthe\t_\tDET%s\n2\tcat\t_\tNOUN%s\n3\ta%d\t_\tVERB%s\n\n", rest, rest, i, rest);
        } else {
            hl_text_print(&text, classes ? "%s a%d\t%s\n" : "%s b%d\n", sentence, i, i % 3 == 0 ? "up" : "down");
        }
    }
    const char *path = scratch_file(tags ? "a.conllu" : "a.tsv", text.bytes);
    hl_text_free(&text);
    const char *config = scratch_format(
        "[task]\nname = %s\nfile = %s\nvalidation_share = 0.3\n"
        "[optimizer]\nlearning_rate = 0.01\nwarmup_steps = 1\nschedule = constant\n"
        "[train]\nsteps = 4\nbatch_size = 4\nlog_every = 2\neval_every = 2\ncheckpoint_every = 2\nthreads = 1\n%s"
        "[patterns]\nexamples = 2\n",
        task, path, more);
    return run_config("tune.ini", config);
}

/* ---- going on ---- */

TEST(a_run_goes_on_without_the_folder_that_it_began_with)
{
    const char *source = run_path("a # 'b'"), *config = config_of("classes", ""), *whole = run_path("whole"),
               *parted = run_path("parted"); /* source: a config has it in quotes */
    ck_assert_int_eq(rename(copy_of("bert_masked"), source), 0);
    EXPECT_RUN(0, config, "--from", source, "--out", whole);
    EXPECT_RUN(0, config, "--from", source, "--out", parted, "train.steps=2");
    scratch_remove(source);
    EXPECT_RUN(0, config, "--out", parted, "--resume");
    run_assert_same_file(whole, parted, "checkpoint.safetensors");
    const char *line = scratch_format("\nfrom = \"%s\"\n", source);
    ck_assert_ptr_nonnull(strstr(run_read(run_file(parted, "config.ini")), line));
    scratch_remove(run_file(parted, "data")); /* made again, of the same pieces */
    EXPECT_RUN(0, config, "--out", parted, "--resume", "train.steps=6");
    EXPECT_RUN(0, config, "--out", whole, "--resume", "train.steps=6");
    run_assert_same_file(whole, parted, "checkpoint.safetensors");
    REFUSED(RUN(config, "--out", parted, "--resume", "model.layers=3"), 2, "runs.model_layers_3_and_the_model");
}

TEST(a_run_that_was_cut_off_before_its_first_checkpoint_begins_with_the_folder_again)
{
    const char *source = copy_of("bert_masked"), *config = config_of("classes", ""), *whole = run_path("whole"),
               *cut = run_path("cut");
    EXPECT_RUN(0, config, "--from", source, "--out", whole);
    EXPECT_RUN(0, config, "--from", source, "--out", cut, "train.steps=2");
    ck_assert_int_eq(remove(run_file(cut, "checkpoint.safetensors")), 0);
    SAYS(RUN(config, "--out", cut, "--resume"), "loaded: ");
    run_assert_same_file(whole, cut, "checkpoint.safetensors");
    ck_assert_int_eq(remove(run_file(cut, "checkpoint.safetensors")), 0);
    scratch_remove(source);
    REFUSED(RUN(config, "--out", cut, "--resume"), 3, "runs.no_such_file_or_folder_a_2");
}

TEST(a_config_names_the_folder_and_a_runs_own_trains_it_again)
{
    const char *source = copy_of("bert_masked"), *whole = run_path("whole"), *again = run_path("again");
    char from[4096];
    snprintf(from, sizeof from, "from = %s\n", source);
    const char *config = config_of("classes", from);
    EXPECT_RUN(0, config, "--out", whole);
    ck_assert_ptr_nonnull(strstr(run_read(run_file(whole, "config.ini")), "\nd_model = 12\n"));
    EXPECT_RUN(0, run_file(whole, "config.ini"), "--out", again);
    run_assert_same_file(whole, again, "checkpoint.safetensors");
    EXPECT_RUN(0, config, "--out", again, "--overwrite");
    run_assert_same_file(whole, again, "checkpoint.safetensors");
}

/* Before the data are made: nothing is left, and nothing of them is told. */
TEST(what_a_run_cannot_begin_with_is_refused_at_once)
{
    const char *config = config_of("classes", ""), *out = run_path("none");
    const struct {
        const char *from, *told;
    } wrong[] = {
        { "nowhere", "runs.nowhere_no_such_file_or_folder" },
        { run_path("."), "runs.is_a_folder_without_config_json_2" },
        { config, "runs.is_no_safetensors_file_or_its_2" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        run_result run = REFUSED(RUN(config, "--out", out, "--from", wrong[i].from), 3, wrong[i].told);
        ck_assert_str_eq(run.out, "");
        ck_assert(!scratch_exists(out));
        ck_assert_int_eq(RUN(config, "--out", out, "--from", wrong[i].from, "--check").code, 3);
    }
}

/* In a cache that both share; what a run learned is not changed by the rule of another. */
TEST(tokens_that_a_run_learns_read_the_first_word_as_its_config_says)
{
    const char *config = config_of("tags", ""), *in = scratch_file("in.txt", "the cat\n");
    char cache[1024];
    snprintf(cache, sizeof cache, "task.cache=%s", run_path("cache"));
    for (int i = 0; i < 3; i++) {
        const char *name = scratch_format("run%d", i);
        const char *out = run_path(name);
        EXPECT_RUN(0, config, "--out", out, "tokens.kind=bpe", "tokens.size=270", cache, "model.layers=1",
                   i == 1 ? "task.prefix_space=true" : "task.prefix_space=false");
        const char *pieces = answers(PREDICT(out, in, "--tokens"), "");
        ck_assert_msg((strncmp(pieces, "\xC4\xA0", 2) == 0) == (i == 1), "%d: %s", i, pieces);
    }
    OK(ABLATE(config, "tokens.kind=bpe", "tokens.size=270", "--vary", "task.prefix_space=false,true", "--seeds", "1",
              "--out", run_path("sweep"), "model.layers=1"));
    const char *spaced = answers(PREDICT(run_path("sweep/prefix_space=true,seed=1"), in, "--tokens"), "");
    ck_assert_msg(strncmp(spaced, "\xC4\xA0", 2) == 0, "%s", spaced);
}

TEST(a_run_takes_shorter_texts_than_the_folder)
{
    const char *config = config_of("classes", ""), *run = run_path("run"), *out = run_path("out");
    SAYS(RUN(config, "--from", copy_of("roberta_masked"), "--out", run, "model.max_length=16"),
         "; positions.weight without its last 42 rows\n");
    OK(HEADS("export", run, out));
    ck_assert_ptr_nonnull(strstr(run_read(run_file(out, "config.json")), "\"max_position_embeddings\": 18"));
    const char *in = scratch_file("in.txt", "the cat sat\n");
    ck_assert_str_eq(answers(PREDICT(out, in), ""), answers(PREDICT(run, in), ""));
}

/* Its embeddings have rows for more tokens than its vocabulary. */
TEST(added_tokens_stay_in_a_run_and_in_what_is_exported)
{
    static const char list[] = "\"added_tokens\": [",
                      newtok[] = "{\"id\": 52, \"content\": \"newtok\", \"single_word\": false, \"lstrip\": false, "
                                 "\"rstrip\": false, \"normalized\": true, \"special\": false}, "
                                 "{\"id\": 53, \"content\": \"a b\", \"normalized\": false, \"special\": false},";
    const char *config = config_of("tags", ""), *run = run_path("run"), *out = run_path("out");
    const char *in = scratch_file("in.txt", "the NEWTOK catnewtoks a b\n");
    char *json = (char *)run_kept(run_read(run_file(copy_of("bert_masked"), "tokenizer.json")));
    char *at = strstr(json, list);
    ck_assert_ptr_nonnull(at);
    hl_text text = { 0 };
    hl_text_print(&text, "%.*s%s%s", (int)(at - json) + (int)strlen(list), json, newtok, at + strlen(list));
    const char *source = copy_of("bert_bare");
    scratch_write(run_file(source, "tokenizer.json"), text.bytes, text.size);
    hl_text_free(&text);

    static const char unused[] = "2 vectors are no token's";
    static const char pieces[] = "the newtok cat newtok s a\\sb\n", words[] = "the newtok cat newtok s a b\n";
    ck_assert_str_eq(answers(PREDICT(source, in, "--tokens"), unused), pieces);
    SAYS(HEADS("map", source, "--input", "the newtok", "--json", "-"), "\"newtok\"");
    EXPECT_RUN(0, config, "--from", source, "--out", run);
    ck_assert_str_eq(answers(PREDICT(run, in, "--tokens"), ""), words); /* a word of tags has no space */
    EXPECT_RUN(0, config, "--out", run, "--resume", "train.steps=6");
    OK(HEADS("export", run, out));
    ck_assert_str_eq(answers(PREDICT(out, in, "--tokens"), unused), words);
    ck_assert_str_eq(answers(PREDICT(out, in), unused), answers(PREDICT(run, in), ""));
}

/* What is said once is said by the program that meets the folder, and not again by the run. */
TEST(a_tagger_reads_the_first_word_as_the_folder_or_the_config_says)
{
    static const char notice[] = "a sentence's first word is read without a space before it",
                      key[] = "task.prefix_space=true";
    const char *config = config_of("tags", ""), *source = copy_of("roberta_masked"),
               *in = scratch_file("in.txt", "the cat\n");
    const char *bare = run_path("bare"), *spaced = run_path("spaced"), *out = run_path("out");
    run_result run = RUN(config, "--from", source, "--out", bare);
    const char *said = strstr(run.out, notice);
    ck_assert_msg(run.code == 0 && said != NULL && strstr(said + 1, notice) == NULL, "%s%s", run.out, run.err);
    run = RUN(config, "--from", source, "--out", spaced, key);
    ck_assert_msg(run.code == 0 && strstr(run.out, notice) == NULL, "%s%s", run.out, run.err);
    ck_assert_str_eq(answers(PREDICT(bare, in, "--tokens"), ""), "the \xC4\xA0"
                                                                 "cat\n");
    ck_assert_str_eq(answers(PREDICT(spaced, in, "--tokens"), ""), "\xC4\xA0the \xC4\xA0"
                                                                   "cat\n");
    EXPECT_RUN(0, config, "--out", spaced, "--resume", "train.steps=6", key);
    REFUSED(RUN(config, "--out", spaced, "--resume", "train.steps=8"), 2, "runs.task_prefix_space_differs_from_the");

    OK(HEADS("export", spaced, out));
    ck_assert_ptr_nonnull(strstr(run_read(run_file(out, "tokenizer.json")), "\"add_prefix_space\": true"));
    ck_assert_str_eq(answers(PREDICT(out, in, "--tokens"), ""), "\xC4\xA0the \xC4\xA0"
                                                                "cat\n");
    scratch_remove(out);
    OK(HEADS("export", bare, out));
    ck_assert_str_eq(answers(PREDICT(out, in, "--tokens"), notice), "the \xC4\xA0"
                                                                    "cat\n");
    ck_assert_str_eq(answers(PREDICT(out, in, "--tokens", key), ""), "\xC4\xA0the \xC4\xA0"
                                                                     "cat\n");
    run = OK(HEADS("map", out, "--input", "the cat"));
    ck_assert_ptr_nonnull(strstr(run.err, notice));
    REFUSED(RUN(config, "--from", copy_of("bert_masked"), "--out", run_path("bert"), key), 2,
            "runs.task_prefix_space_true_the_tokens");
}

/* ---- weights of a file, in the place of the folder's ---- */

/* Tokens and shape stay the folder's; the command is the one that prune --to prints. */
TEST(a_pruned_run_is_trained_on_with_the_tokens_of_its_folder)
{
    const char *source = copy_of("bert_masked"), *run = run_path("run"), *small = run_path("small.safetensors"),
               *pruned = run_path("run-pruned");
    EXPECT_RUN(0, config_of("classes", ""), "--from", source, "--out", run);
    run_result result = OK(HEADS("prune", run, "--to", "4", "--out", small, "--csv", run_path("curve.csv")));
    char words[8][4096], *at = strstr(result.out, "  ./train ");
    ck_assert_ptr_nonnull(at);
    at += strlen("  ./train");
    for (int i = 0; i < 8; i++) { /* CONFIG --from FILE, four keys, --out */
        at += 1;
        snprintf(words[i], sizeof words[i], "%.*s", (int)strcspn(at, " "), at);
        at += strcspn(at, " ");
    }
    EXPECT_RUN(0, words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7], pruned);
    run_assert_same_file(run, pruned, "tokens.json");
    const char *last = strrchr(run_kept(run_read(run_path("curve.csv"))), '\n'); /* 4,<head>,<loss>,... */
    while (last[-1] != '\n') {
        last--;
    }
    double loss = strtod(strchr(strchr(last, ',') + 1, ',') + 1, NULL);
    const char *row = strstr(run_read(run_file(pruned, "metrics.csv")), "\n0,validation,");
    ck_assert_ptr_nonnull(row);
    ck_assert_double_lt(fabs(strtod(row + strlen("\n0,validation,"), NULL) - loss), 1e-5);
    scratch_remove(source);
    REFUSED(RUN(words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7], run_path("other")), 3,
            "runs.train_from_no_folder_of_an");
}

/* A run of a toy task, too, and before its first checkpoint. */
LOOP_TEST(a_run_that_began_with_a_file_goes_on, 0, 2)
{
    const char *config = run_tiny_config(), *constant = "optimizer.schedule=constant";
    const char *first = TINY_RUN("first", constant), *whole = run_path("whole"), *cut = run_path("cut");
    const char *weights = run_path("a # 'b'.safetensors"); /* which a config has in quotes */
    ck_assert_int_eq(rename(run_file(first, "model.safetensors"), weights), 0);
    EXPECT_RUN(0, config, "--quiet", constant, "--from", weights, "--out", whole);
    EXPECT_RUN(0, config, "--quiet", constant, "--from", weights, "--out", cut, "train.steps=12");
    if (_i == 1) {
        ck_assert_int_eq(remove(run_file(cut, "checkpoint.safetensors")), 0);
    }
    EXPECT_RUN(0, config, "--quiet", constant, "--out", cut, "--resume");
    run_assert_same_file(whole, cut, "checkpoint.safetensors");
    const char *from = scratch_format("train.from=\"%s\"", weights);
    EXPECT_RUN(0, config, "--quiet", constant, from, "--out", cut, "--overwrite", "train.steps=12");
    EXPECT_RUN(0, config, "--quiet", constant, from, "--out", cut, "--resume");
    run_assert_same_file(whole, cut, "checkpoint.safetensors");
}

TEST(a_replaced_run_begins_with_a_file)
{
    const char *config = run_tiny_config(), *first = TINY_RUN("first"), *fresh = run_path("fresh"),
               *again = TINY_RUN("again");
    const char *weights = run_file(first, "model.safetensors");
    EXPECT_RUN(0, config, "--from", weights, "--out", fresh);
    EXPECT_RUN(0, config, "--from", weights, "--out", again, "--overwrite");
    run_assert_same_file(fresh, again, "checkpoint.safetensors");
    const char *mine = run_file(first, "mine.safetensors"); /* which --overwrite leaves */
    size_t size;
    char *bytes = scratch_read(weights, &size);
    scratch_write(mine, bytes, size);
    free(bytes);
    EXPECT_RUN(0, config, "--from", mine, "--out", first, "--overwrite");
    run_assert_same_file(fresh, first, "checkpoint.safetensors");
}

/* --from FILE, the same by a link to it, train.weights, and the folder of an open model. */
TEST(a_run_does_not_replace_the_weights_that_it_begins_with)
{
    const char *config = run_tiny_config(), *run = run_path("run"), *link = run_path("link");
    const char *weights = run_file(run, "model.safetensors"), *model = copy_of("bert_masked");
    EXPECT_RUN(0, config, "--out", run);
    ck_assert_int_eq(symlink(weights, link), 0);
    const char *key = scratch_format("train.weights=\"%s\"", weights);
    const struct {
        const char *config, *from, *more, *out, *kept;
    } ways[] = {
        { config, weights, "train.steps=3", run, weights },
        { config, link, "train.steps=3", run, weights },
        { config_of("classes", ""), copy_of("bert_masked"), key, run, weights },
        { config_of("classes", ""), model, "train.steps=3", model, run_file(model, "model.safetensors") },
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        REFUSED_SAYING(RUN(ways[i].config, "--from", ways[i].from, ways[i].more, "--out", ways[i].out, "--overwrite"),
                       2, "--overwrite would remove these weights");
        ck_assert(scratch_exists(ways[i].kept));
    }
}

/* ---- vectors that no token has ---- */

/* 56 rows of embeddings for 52 tokens: four are neither answered nor changed, and written as they were. */
LOOP_TEST(rows_without_a_token_stay_as_they_are, 0, 2)
{
    static const char *const tasks[] = { "masked", "tags" };
    const char *run = run_path("run"), *out = run_path("out"), *source = copy_of("bert_bare");
    OK(RUN(config_of(tasks[_i], ""), "--from", source, "--out", run, "train.steps=2"));
    EXPECT_RUN(0, config_of(tasks[_i], ""), "--out", run, "--resume");
    OK(HEADS("export", run, out));
    hl_pretrained *before, *after;
    CHECK_OK(hl_pretrained_open(source, &before));
    CHECK_OK(hl_pretrained_open(out, &after));
    ck_assert_int_eq(hl_pretrained_model(after)->vocabulary, 56);
    hl_model models[2];
    hl_pretrained_loaded loaded[2] = { { 0 }, { 0 } };
    tiny_load(before, hl_pretrained_model(before), &models[0], &loaded[0]);
    tiny_load(after, hl_pretrained_model(after), &models[1], &loaded[1]);
    const hl_real *old = models[0].embedding.weight->data, *new = models[1].embedding.weight->data;
    ck_assert_int_ne(memcmp(old, new, 52 * 12 * sizeof *old), 0);
    ck_assert_mem_eq(old + (ptrdiff_t)52 * 12, new + (ptrdiff_t)52 * 12, 4 * 12 * sizeof *old);
    ck_assert_int_eq(loaded[1].n_drawn + loaded[1].n_unused, 0);
    if (_i == 0) {
        const hl_parameter *bias = hl_parameters_find(&models[1].parameters, "head.bias");
        ck_assert_int_eq(bias->count, 56);
        for (int i = 52; i < 56; i++) {
            ck_assert(bias->tensor->data[i] == 0);
        }
        const char *in = scratch_file("in.txt", "the [MASK] sat\n");
        const char *all = answers(PREDICT(out, in, "--top", "56"), "4 vectors are no token's\n");
        ck_assert_str_eq(all, answers(PREDICT(run, in, "--top", "56"), ""));
        int n = 0;
        for (const char *at = strstr(all, "\n  1.  "); at != NULL; at = strstr(at + 1, " 0.")) {
            n++;
        }
        ck_assert_int_eq(n, 1 + 52);
    }
    for (int i = 0; i < 2; i++) {
        hl_pretrained_loaded_free(&loaded[i]);
        hl_model_free(&models[i]);
    }
    hl_pretrained_close(before);
    hl_pretrained_close(after);
}

/* ---- writing ---- */

TEST(a_run_is_written_as_the_kind_that_it_began_with)
{
    const char *source = copy_of("electra_discriminator"), *run = run_path("run"), *out = run_path("out");
    EXPECT_RUN(0, config_of("tags", ""), "--from", source, "--out", run);
    SAYS(HEADS("export", run, out), "written: ElectraForTokenClassification, a model of the kind electra",
         "has them not: discriminator_predictions.dense.bias, ");
    const char *in = scratch_file("in.txt", "the cat sat\n");
    ck_assert_str_eq(answers(PREDICT(out, in), ""), answers(PREDICT(run, in), ""));
    scratch_remove(source);
    run_result result = HEADS("export", run, out, "--overwrite");
    ck_assert_msg(result.code == 0 && strncmp(result.out, "gone: ", 6) == 0, "%s%s", result.out, result.err);
    ck_assert_ptr_nonnull(strstr(result.out, "source, with which the run began: what else it held is not written\n"));
}

/* How a sentence becomes a vector is the folder's, the run's and the written model's alike, wherever they are then. */
LOOP_TEST(vectors_of_sentences_stay_the_same, 0, 2)
{
    const char *source = copy_of("bert_bare"), *run = run_path("run"), *out = run_path("out"),
               *moved = run_path("moved"), *in = scratch_file("in.txt", "the cat sat on the mat\nwho barked?\n"),
               *vectors = run_path("a.npy"), *others = run_path("b.npy"),
               *normalised = "is the mean of the rows of the last layer, divided by its length";
    if (_i == 0) {
        run = source;
    } else {
        EXPECT_RUN(0, config_of("classes", ""), "--from", source, "--out", run);
        EXPECT_RUN(0, config_of("classes", ""), "--out", run, "--resume", "train.steps=6");
        scratch_remove(source);
    }
    answers(PREDICT(run, in, "--embed", vectors), normalised);
    SAYS(HEADS("export", run, out), "with it: what sentence-transformers reads");
    ck_assert_int_eq(rename(out, moved), 0);
    answers(PREDICT(moved, in, "--embed", others), normalised);
    size_t sizes[2];
    char *bytes[2] = { scratch_read(vectors, &sizes[0]), scratch_read(others, &sizes[1]) };
    ck_assert_uint_eq(sizes[0], sizes[1]);
    for (size_t at = 128; at < sizes[0]; at += sizeof(float)) {
        float found[2];
        memcpy(&found[0], bytes[0] + at, sizeof(float));
        memcpy(&found[1], bytes[1] + at, sizeof(float));
        ck_assert_float_eq_tol(found[0], found[1], 1e-6F);
    }
    free(bytes[0]);
    free(bytes[1]);
    OK(HEADS("export", tiny_folder("gpt2_next"), moved, "--overwrite"));
    ck_assert(!scratch_exists(run_file(moved, "modules.json")));
    if (_i == 1) {
        EXPECT_RUN(0, config_of("classes", ""), "--overwrite", "--out", run);
        ck_assert(!scratch_exists(run_file(run, "sentence.json")));
    }
}

/* Vectors that sentence-transformers makes otherwise are refused, and left out by name; the rest of it stands. */
TEST(other_vectors_are_refused_by_name)
{
    const char *source = run_kept(tiny_changed("bert_bare", "modules.json", "models.Normalize", "models.Dense")),
               *in = scratch_file("in.txt", "the cat sat\n"), *run = run_path("run"), *out = run_path("out"),
               *told = "say other things (modules.json: sentence_transformers.models.Dense)";
    EXPECT_RUN(0, config_of("classes", ""), "--from", source, "--out", run);
    const char *both[] = { source, run };
    for (int i = 0; i < 2; i++) {
        REFUSED_SAYING(PREDICT(both[i], in, "--embed", run_path("a.npy")), 2, told);
        OK(PREDICT(both[i], in, "--tokens"));
        SAYS(HEADS("export", both[i], out, "--overwrite"),
             "left out: what sentence-transformers reads, as this is not known");
        ck_assert(!scratch_exists(run_file(out, "modules.json")));
    }
}

/* ---- sweeps ---- */

static const char *tiny(const char *name)
{
    return run_kept(tiny_folder(name));
}

static const char *masked_config(void)
{
    const char *text = scratch_format(
        "[task]\nname = masked\nfile = %s\nvalidation_share = 0.3\n[optimizer]\nlearning_rate = 0.01\n"
        "[train]\nsteps = 3\nbatch_size = 4\nthreads = 1\n[patterns]\nexamples = 1\n",
        scratch_file("lines.txt", "the cat sat\na dog barked\nit sat on a mat\nwho saw it\nthe dog sat\na cat saw it\n"
                                  "the mat sat\na dog saw a cat\nit barked\n"));
    return run_config("masked.ini", text);
}

/* "validation,<loss>" of step 0. */
static const char *first_loss(const char *folder)
{
    const char *row = strstr(run_read(run_file(folder, "metrics.csv")), "\n0,validation,");
    ck_assert_msg(row != NULL, "%s has no metrics.csv", folder);
    const char *text = scratch_format("%.*s", (int)strcspn(row + 1, ".") + 8, row + 1);
    return run_kept(text);
}

TEST(every_training_of_a_sweep_begins_with_the_folder)
{
    const char *ini = masked_config(), *folder = tiny("bert_masked"), *sweep = run_path("sweep"),
               *alone = run_path("alone");
    const char *axis = "optimizer.learning_rate=0.01,0.001";
    OK(ABLATE(ini, "--from", folder, "--vary", axis, "--seeds", "1", "--out", sweep));
    EXPECT_RUN(0, ini, "--from", folder, "--out", alone, "--quiet");
    const char *base = run_file(sweep, "learning_rate=0.01,seed=1"),
               *other = run_file(sweep, "learning_rate=0.001,seed=1");
    run_assert_same_file(alone, base, "model.safetensors");
    ck_assert_str_eq(first_loss(base), first_loss(other));
    ck_assert_ptr_nonnull(strstr(run_read(run_file(sweep, "plan.txt")), "\nfrom = "));
    SAYS(ABLATE(ini, "--from", folder, "--vary", axis, "--seeds", "1", "--out", sweep),
         "2 of 2 trainings are done already");
    /* The message has three paths of the tree, and may be cut where they are long. */
    FAILS_SAYING(ABLATE(ini, "--from", tiny("bert_untied"), "--vary", axis, "--seeds", "1", "--out", sweep), 2,
                 "this folder holds another sweep, by: ablate ", "--from ", "bert_masked --vary ");
}

TEST(what_the_weights_are_shaped_by_cannot_vary)
{
    const char *ini = masked_config(), *folder = tiny("bert_masked"), *out = run_path("sweep");
    const struct {
        const char *option, *values, *told;
    } wrong[] = {
        { "--heads", "1,2", "runs.with_model_heads_1_model_d" },
        { "--vary", "model.layers=1", "runs.with_model_layers_1_command_line" },
        { "--positions", "none", "runs.with_model_positions_none_command_line" },
        { "--vary", "tokens.size=10", "runs.with_tokens_size_10_command_line" },
        { "--vary", "optimizer.learning_rate=fast", "runs.with_optimizer_learning_rate_fast_command" },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        run_result run =
            FAILS(ABLATE(ini, "--from", folder, wrong[i].option, wrong[i].values, "--out", out), 2, wrong[i].told);
        ck_assert_int_eq(strstr(run.err, "with --from nothing varies") != NULL, i < 3);
    }
    REFUSED(ABLATE(ini, "--from", ini, "--heads", "3", "--out", out), 2, "runs.from_is_no_folder_of_an");
    ck_assert(!scratch_exists(run_file(out, "plan.txt")));
}

/* A run that was ended before its first checkpoint begins with the folder again. */
TEST(resuming_without_a_checkpoint_begins_with_the_folder)
{
    const char *ini = masked_config(), *folder = tiny("bert_masked"), *whole = run_path("whole"),
               *begun = run_path("begun");
    EXPECT_RUN(0, ini, "--from", folder, "--out", whole, "--quiet");
    SAYS(RUN(ini, "--from", folder, "--out", begun, "--resume"), "no checkpoint yet: begins at step 0");
    run_assert_same_file(whole, begun, "checkpoint.safetensors");
    EXPECT_RUN(0, run_file(whole, "config.ini"), "--from", folder, "--out", run_path("again"), "--quiet");
    run_assert_same_file(whole, run_path("again"), "model.safetensors");
}

SUITE("fine_tuning", .seconds = 60)
