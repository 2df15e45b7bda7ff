/* syntax.csv of runs: the same bytes however a run is computed and stopped, the counts of heads grammar, and what is
 * refused. */
#include "programs/heads/program.h"
#include "programs/train/data.h"
#include "study/model.h"
#include "study/syntax_history.h"
#include "tests/check_suite.h"
#include "tests/runs/kills.h"
#include "tests/runs/text_tasks.h"
#include "tests/scratch.h"
#include "tests/study/told.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { SENTENCES = 40, RELATIONS = 4, HEADS = 4 };

/* Sentence i: words of the task's vocabulary, each below an earlier one. */
static void say_sentence(int i)
{
    static const char *const relations[RELATIONS] = { "nsubj", "obj", "nmod:poss", "a,b" };
    int words = 2 + i * 3 % 6;
    for (int w = 0; w < words; w++) {
        int head = w > 0 ? 1 + (i * 5 + w * 3) % w : 0;
        text_say("%d\t%d\t_\t_\t_\t_\t%d\t%s\t_\t_\n", w + 1, (i * 5 + w * w) % 13, head,
                 w > 0 ? relations[(i + w) % RELATIONS] : "root");
    }
    text_say("\n");
}

static const char *bank_of(const char *name, int n)
{
    text_used = 0;
    for (int i = 0; i < n; i++) {
        say_sentence(i);
        if (i == 3) {
            text_say("# of one word\n1\t5\t_\t_\t_\t_\t0\troot\t_\t_\n\n");
        }
    }
    return run_config(name, text_made);
}

/* The override that names a treebank; stands to the end of the test. */
static const char *key_of(const char *path)
{
    const char *key = scratch_format("patterns.treebank=%s", path);
    return run_kept(key);
}

/* ---- the same bytes ---- */

static void same_run(const char *folder, const char *other)
{
    run_assert_same(folder, other);
    ck_assert_str_eq(run_list(folder), run_list(other));
    run_assert_same_file(folder, other, "syntax.csv");
    run_assert_same_file(folder, other, "treebank.conllu");
}

LOOP_TEST(rows_are_the_same_at_any_number_of_threads_and_change_nothing_of_the_training, 0, 3)
{
    static const char *const threads[] = { "train.threads=2", "train.threads=3", "train.threads=4" };
    const char *config = text_config(_i), *straight = run_path("straight"), *plain = run_path("plain");
    const char *key = key_of(bank_of("bank.conllu", SENTENCES));
    EXPECT_RUN(0, config, "--quiet", "--out", plain);
    EXPECT_RUN(0, config, key, "--quiet", "--out", straight);
    run_assert_same(straight, plain);
    run_assert_same_file(straight, plain, "heads.csv");
    ck_assert_str_eq(run_read(run_file(plain, "syntax.csv")), "");
    for (int i = 0; i < 3; i++) {
        EXPECT_RUN(0, config, key, threads[i], "--quiet", "--out", run_path(threads[i]));
        same_run(straight, run_path(threads[i]));
    }
}

/* At moments by chance: before the first checkpoint, in the rows of a step, between two checkpoints, at the end. */
LOOP_TEST(killed_again_and_again_a_run_leaves_the_rows_of_an_undisturbed_one, 0, 4)
{
    const char *config = text_config(0), *straight = run_path("straight"), *folder = run_path("killed");
    const char *arguments[] = { config,
                                "train.keep_checkpoints=2",
                                "patterns.every=2",
                                "--quiet",
                                "--resume",
                                key_of(bank_of("bank.conllu", SENTENCES)),
                                "--out",
                                straight,
                                NULL };
    OK(run_train(arguments));
    arguments[7] = folder;
    ck_assert_int_ge(kills_until_done((unsigned)_i + 1, arguments), 6);
    same_run(straight, folder);
}

TEST(the_treebank_may_be_gone_or_elsewhere_but_no_other)
{
    static const char *const constant = "optimizer.schedule=constant";
    const char *config = text_config(0), *straight = run_path("straight"), *folder = run_path("run");
    const char *bank = bank_of("bank.conllu", SENTENCES), *moved = run_path("moved"), *key = key_of(bank);
    EXPECT_RUN(0, config, constant, key, "patterns.every=4", "--quiet", "--out", straight);
    EXPECT_RUN(0, config, constant, key, "patterns.every=4", "train.steps=4", "--quiet", "--out", folder);
    ck_assert_int_eq(rename(bank, moved), 0);
    EXPECT_RUN(0, config, constant, key, "patterns.every=4", "train.steps=8", "--quiet", "--resume", "--out", folder);
    EXPECT_RUN(0, config, constant, key_of(moved), "train.steps=8", "--quiet", "--resume", "--out", folder);
    bank_of("bank.conllu", SENTENCES + 1);
    REFUSED(RUN(config, constant, key, "--resume", "--out", folder), 3, "study.patterns_treebank_does_not_hold_the");
    ck_assert_str_eq(run_checkpoint_step(folder), "8");
    ck_assert_int_eq(rename(moved, bank), 0);
    EXPECT_RUN(0, config, constant, key, "patterns.every=4", "--quiet", "--resume", "--out", folder);
    run_assert_same_file(straight, folder, "syntax.csv");
}

TEST(rows_after_the_checkpoint_are_dropped_also_where_nothing_is_counted_any_more)
{
    const char *config = text_config(0), *folder = run_path("run"), *rows = run_file(folder, "syntax.csv");
    EXPECT_RUN(0, config, key_of(bank_of("bank.conllu", SENTENCES)), "patterns.every=1", "train.keep_checkpoints=9",
               "--quiet", "--out", folder);
    const char *whole = run_read(rows), *sixth = strstr(whole, "\n7,");
    ck_assert_int_eq(rename(run_file(folder, "checkpoint-6.safetensors"), run_file(folder, "checkpoint.safetensors")),
                     0);
    EXPECT_RUN(0, config, "--quiet", "--resume", "--out", folder);
    const char *kept = run_read(rows);
    ck_assert_int_eq(strlen(kept), sixth + 1 - whole);
    ck_assert_int_eq(strncmp(kept, whole, strlen(kept)), 0);
}

/* ---- the counts ---- */

/* What the file has of a head at that step for a relation, by way (d>h, h>d) and half. */
typedef struct head_counts {
    hl_syntax_rate at[2][2];
} head_counts;

static head_counts counts_of(const char *rows, int step, const char *relation, int head)
{
    head_counts found;
    for (int i = 0; i < 4; i++) {
        hl_syntax_rate *rate = &found.at[i / 2][i % 2];
        const char *begin =
            scratch_format("\n%d,%s,%d,%d,%s,%d,", step, relation, head / 2, head % 2, i < 2 ? "d>h" : "h>d", i % 2);
        const char *row = strstr(rows, begin);
        ck_assert_msg(row != NULL, "no row %s", begin + 1);
        ck_assert_int_eq(sscanf(row + strlen(begin), "%" SCNd64 ",%" SCNd64, &rate->hits, &rate->cases), 2);
    }
    return found;
}

/* Of both halves, in the head's better direction. */
static hl_syntax_rate both_halves(const char *rows, int step, const char *relation, int head)
{
    head_counts c = counts_of(rows, step, relation, head);
    int64_t hits[2] = { c.at[0][0].hits + c.at[0][1].hits, c.at[1][0].hits + c.at[1][1].hits };
    return (hl_syntax_rate){ hits[0] > hits[1] ? hits[0] : hits[1], c.at[0][0].cases + c.at[0][1].cases };
}

/* Held out: the head's way of half 0, measured on half 1. */
static hl_syntax_rate held_out(const char *rows, int step, const char *relation, int head)
{
    head_counts c = counts_of(rows, step, relation, head);
    return c.at[c.at[1][0].hits > c.at[0][0].hits][1];
}

LOOP_TEST(the_last_rows_are_what_heads_counts_on_the_file, 0, 3)
{
    static const char *const relations[] = { "nsubj", "obj", "nmod", "a,b", "root" };
    const char *config = text_config(_i), *folder = run_path("run"), *bank = bank_of("bank.conllu", SENTENCES);
    EXPECT_RUN(0, config, key_of(bank), "--quiet", "--out", folder);
    const char *rows = run_kept(run_read(run_file(folder, "syntax.csv")));
    ck_assert_int_eq(strncmp(rows, "step,relation,layer,head,direction,half,hits,cases\n", 51), 0);
    for (int r = 0; r < 5; r++) {
        const json_t *all =
            told(HEADS("grammar", folder, bank, "--relation", relations[r], "--without-null", "--json"));
        ck_assert_int_eq(json_array_size(json_object_get(all, "heads")), HEADS);
        for (int h = 0; h < HEADS; h++) {
            const char *named = strcmp(relations[r], "a,b") == 0 ? "\"a,b\"" : relations[r];
            hl_syntax_rate found = both_halves(rows, TEXT_STEPS, named, h);
            ck_assert_int_eq(found.cases, (int64_t)number_at(all, "cases"));
            if (found.cases > 0) {
                ck_assert_double_eq_tol(number_at(item_at(all, "heads", (size_t)h), "accuracy"), hl_syntax_share(found),
                                        1e-9);
            }
        }
    }
}

TEST(the_first_500_sentences_that_can_be_used_are_counted)
{
    const char *config = text_config(0), *folder = run_path("run");
    text_used = 0;
    size_t counted = 0;
    for (int i = 0; i < 502; i++) {
        counted = i == 500 ? text_used : counted;
        text_say(i % 5 == 0 ? "1\t5\t_\t_\t_\t_\t0\troot\t_\t_\n\n" : "");
        text_say("1\t%d\t_\t_\t_\t_\t2\tdet\t_\t_\n2\t3\t_\t_\t_\t_\t0\troot\t_\t_\n\n", i % 13);
    }
    const char *bank = run_config("bank.conllu", text_made);
    EXPECT_RUN(0, config, "optimizer.schedule=constant", "train.steps=4", key_of(bank), "--quiet", "--out", folder);
    ck_assert_int_eq(both_halves(run_read(run_file(folder, "syntax.csv")), 0, "det", 0).cases, 500);
    const char *copy = run_read(run_file(folder, "treebank.conllu"));
    ck_assert_int_eq(strncmp(copy, text_made, strlen(copy)), 0); /* also those of one word */
    ck_assert_int_eq(strlen(copy), counted);
    EXPECT_RUN(0, config, "optimizer.schedule=constant", key_of(bank), "--quiet", "--resume", "--out", folder);
    remove(run_file(folder, "treebank.conllu"));
    OK(HEADS(folder));
    remove(bank);
    REFUSED(HEADS(folder, "--json"), 3, "study.this_run_s_own_copy_of");
    run_result lost = OK(HEADS(folder));
    ck_assert_ptr_nonnull(strstr(lost.err, "treebank.conllu: this run's own copy of patterns.treebank is missing"));
}

/* ---- read again ---- */

enum { MANY = 200, STEPS = 5 }; /* enough cases */
static const int steps_of_many[STEPS] = { 0, 3, 6, 9, 12 };

static const char *run_of_many(void)
{
    const char *folder = run_path("run");
    EXPECT_RUN(0, text_config(0), key_of(bank_of("bank.conllu", MANY)), "patterns.every=3", "--quiet", "--out", folder);
    return folder;
}

/* Has L1H0 find every obj, as if it had learned it: at step 3, and from step 9 on. */
static const char *with_a_head_that_learns(const char *path)
{
    const char *rows = run_read(path);
    text_used = 0;
    for (const char *next; *rows != '\0'; rows = next) {
        next = strchr(rows, '\n') + 1;
        int step = atoi(rows), length = (int)(next - rows), cases = length;
        const char *place = strchr(rows, ',');
        bool learned = strncmp(place, ",obj,1,0,d>h,", 13) == 0 && (step == 3 || step >= 9);
        while (rows[cases - 1] != ',') {
            cases--;
        }
        int kept = learned ? (int)(place + 15 - rows) : length;
        text_say("%.*s", kept, rows);
        if (learned) {
            text_say("%d,%d\n", atoi(rows + cases), atoi(rows + cases));
        }
    }
    scratch_write(path, text_made, text_used);
    return run_kept(text_made);
}

/* What a run's heads found, which goes at the end of the test. */
typedef struct followed_run {
    hl_opened_model run;
    hl_syntax_history history;
} followed_run;

static void release_followed(void *made)
{
    followed_run *f = made;
    hl_syntax_history_free(&f->history);
    hl_opened_model_close(&f->run);
    free(f);
}

static const hl_report_syntax_steps *history_of(const char *folder)
{
    followed_run *f = scratch_own(calloc(1, sizeof *f), release_followed);
    CHECK_OK(hl_opened_model_open(&f->run, folder));
    CHECK_OK(hl_syntax_history_read(&f->history, &f->run.source, TEXT_STEPS));
    return &f->history.shown;
}

/* The page's figures: which rows they are made of, and from which step to the end a head earns a relation. */
TEST(a_history_has_the_held_out_shares_of_all_steps_and_when_heads_earned_them)
{
    const char *folder = run_of_many(), *rows = with_a_head_that_learns(run_file(folder, "syntax.csv"));
    int born = 0;
    const hl_report_syntax_steps *shown = history_of(folder);
    ck_assert_int_eq(shown->n_steps, STEPS);
    ck_assert_int_eq(shown->n_heads, HEADS);
    ck_assert_int_eq(shown->n_relations, RELATIONS);
    for (int64_t r = 0; r < shown->n_relations; r++) {
        const char *name = strcmp(shown->names[r], "a,b") == 0 ? "\"a,b\"" : shown->names[r];
        ck_assert_str_ne(name, "root");
        for (int h = 0; h < HEADS; h++) {
            int birth = STEPS;
            for (int s = STEPS - 1; s >= 0; s--) {
                hl_syntax_rate rate = held_out(rows, steps_of_many[s], name, h);
                hl_syntax_choice choice = { .found = rate, .baseline = shown->baselines[r] };
                ck_assert_int_eq(rate.cases, shown->baselines[r].cases);
                ck_assert_int_eq(shown->steps[s], steps_of_many[s]);
                ck_assert_float_eq(shown->found[(s * RELATIONS + r) * HEADS + h], (float)hl_syntax_share(rate));
                birth = birth == s + 1 && hl_syntax_earned(&choice) ? s : birth;
            }
            ck_assert_int_eq(shown->births[r * HEADS + h], birth < STEPS ? birth : -1);
            born += birth < STEPS;
            ck_assert(strcmp(name, "obj") != 0 || h != 2 || birth == 3); /* step 9 */
        }
    }
    ck_assert_int_gt(born, 0);
}

/* What heads tells of a run without its treebank being read again: at the last step, and at another. */
TEST(a_run_names_its_heads_by_the_relations_that_they_earn)
{
    const char *folder = run_of_many(), *rows = with_a_head_that_learns(run_file(folder, "syntax.csv"));
    for (int i = 0; i < 3; i++) {
        static const char *const steps[] = { "12", "3", "6" };
        bool earned = i < 2;
        run_result table = OK(i == 0 ? HEADS(folder) : HEADS(folder, "--step", steps[i]));
        const char *line = strstr(table.out, "\nL1H0 "), *second = strstr(line, " + obj ");
        ck_assert((second != NULL && second < strchr(line + 1, '\n')) == earned);
        const json_t *head = item_at(told(HEADS(folder, "--step", steps[i], "--json")), "heads", 2);
        const char *relation = text_at(head, "relation");
        ck_assert((relation != NULL && strcmp(relation, "obj") == 0) == earned);
        if (earned) {
            ck_assert_str_eq(text_at(head, "direction"), "d>h");
            ck_assert_double_eq(number_at(head, "held_out"), 1);
        }
    }
    hl_syntax_rate rate = held_out(rows, TEXT_STEPS, "obj", 2);
    ck_assert_int_eq(rate.hits, rate.cases);
    const char *csv = strstr(run_read(run_file(folder, "heads.csv")), "\n12,1,0,relation(obj),1,0.");
    ck_assert_ptr_nonnull(csv);
    ck_assert_ptr_null(strstr(csv + 1, "loss_without")); /* after all others */
    ck_assert_ptr_nonnull(strstr(run_read(run_file(folder, "report.html")), "\"relation\":\"obj\",\"faithful\":null"));
    ck_assert_ptr_null(strstr(HEADS(folder, "--csv", "--step", "6").out, "relation("));
    ck_assert_ptr_nonnull(strstr(HEADS(folder, "--csv").out, "\n12,1,0,relation(obj),1,0."));
}

/* Rows of the further relation `long` taken out, as runs had them before there was one. */
static const char *without_long(const char *rows)
{
    text_used = 0;
    for (const char *next; *rows != '\0'; rows = next) {
        next = strchr(rows, '\n') + 1;
        if (strncmp(strchr(rows, ','), ",long,", 6) != 0) {
            text_say("%.*s", (int)(next - rows), rows);
        }
    }
    return run_kept(text_made);
}

static int64_t relations_of_history(const char *folder)
{
    const hl_report_syntax_steps *shown = history_of(folder);
    ck_assert(shown->n_relations == 1 || strcmp(shown->names[1], "long") == 0);
    return shown->n_relations;
}

TEST(further_relations_are_followed_but_not_in_runs_that_began_without_them)
{
    text_used = 0;
    for (int i = 0; i < 60; i++) {
        for (int w = 0; w < 8; w++) {
            text_say("%d\t%d\t_\t_\t_\t_\t%d\t%s\t_\t_\n", w + 1, (i + w) % 13, w > 0 ? 1 : 0, w > 0 ? "obj" : "root");
        }
        text_say("\n");
    }
    const char *key = key_of(run_config("far.conllu", text_made)), *config = text_config(0);
    const char *straight = run_path("straight"), *old = run_path("old"), *rows = run_file(old, "syntax.csv");
    EXPECT_RUN(0, config, key, "patterns.every=3", "optimizer.schedule=constant", "--quiet", "--out", straight);
    ck_assert_int_eq(relations_of_history(straight), 2);
    EXPECT_RUN(0, config, key, "patterns.every=3", "optimizer.schedule=constant", "train.steps=6", "--quiet", "--out",
               old);
    const char *before = without_long(run_read(rows));
    scratch_write(rows, before, strlen(before));
    EXPECT_RUN(0, config, key, "patterns.every=3", "optimizer.schedule=constant", "--resume", "--quiet", "--out", old);
    ck_assert_int_eq(relations_of_history(old), 1);
    const char *whole = run_kept(run_read(run_file(straight, "syntax.csv")));
    ck_assert_ptr_nonnull(strstr(whole, "\n12,long,1,1,h>d,1,"));
    ck_assert_str_eq(run_read(rows), without_long(whole));
}

TEST(rows_that_are_cut_are_left_out_and_wrong_ones_are_named)
{
    const char *folder = run_of_many(), *path = run_file(folder, "syntax.csv"), *rows = run_kept(run_read(path));
    size_t last = (size_t)(strstr(rows, "\n12,") + 1 - rows), size = strlen(rows);
    for (size_t cut = last; cut < size; cut += (size - last) / 3) { /* as while the run writes them */
        scratch_write(path, rows, cut);
        OK(HEADS(folder));
        const char *page = run_read(run_file(folder, "report.html"));
        ck_assert_ptr_nonnull(strstr(page, "\"syntax_steps\":{\"steps\":[0,3,6,9],"));
    }
    static const char *const wrong[] = { "0,obj,0,1,h>d,1,9999,", "0,obj,0,1,h>d,0,1", "0,no,0,1,h>d,1,1,1", "x" };
    const char *at = strstr(rows, "\n0,obj,0,1,h>d,1,") + 1;
    int line = 1;
    for (const char *c = rows; c < at; c++) {
        line += *c == '\n';
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char *changed = strdup(rows), named[64];
        memcpy(changed + (at - rows), wrong[i], strlen(wrong[i]));
        scratch_write(path, changed, size);
        free(changed);
        snprintf(named, sizeof named, "syntax.csv:%d: not a row of this run's syntax.csv", line);
        REFUSED(HEADS(folder, "--json"), 3, "study.not_a_row_of_this_run");
    }
    scratch_write(path, "nonsense\n", 9);
    REFUSED(HEADS(folder, "--csv"), 3, "study.not_the_header_of_a_syntax");
    REFUSED(HEADS(folder, "--report", "-"), 3, "study.not_the_header_of_a_syntax");
}

/* What the heads do is told all the same; the files, which would tell less than before, stay. */
TEST(a_damaged_file_costs_second_labels_alone)
{
    const char *folder = run_of_many(), *path = run_file(folder, "syntax.csv");
    with_a_head_that_learns(path);
    run_result whole = OK(HEADS(folder));
    const char *table = run_kept(whole.out), *page = run_kept(run_read(run_file(folder, "report.html")));
    const char *csv = run_kept(run_read(run_file(folder, "heads.csv")));
    ck_assert_ptr_nonnull(strstr(table, " + obj "));
    scratch_write(path, "nonsense\n", 9);
    run_result plain = OK(HEADS(folder));
    ck_assert_ptr_nonnull(strstr(plain.err, "syntax.csv:1: not the header of a syntax.csv"));
    ck_assert_ptr_nonnull(strstr(plain.err, "\nthe table is without what heads find in the treebank; "));
    ck_assert_ptr_null(strstr(plain.out, " + obj "));
    for (const char *head = strstr(table, "L0H0"); head != NULL; head = strstr(head + 1, "\nL")) {
        const char *name = scratch_format("%.5s", head);
        ck_assert_msg(strstr(plain.out, name) != NULL, "no %s in %s", name, plain.out);
    }
    ck_assert_str_eq(run_read(run_file(folder, "report.html")), page);
    ck_assert_str_eq(run_read(run_file(folder, "heads.csv")), csv);
}

/* A power failure may leave an empty file. */
TEST(a_file_that_is_missing_or_empty_begins_with_the_header)
{
    static const char *const left[] = { NULL, "",
                                        "step,relation,layer,head,direction,half,hits,cases\n0,obj,0,0,d>h,0,1,2\n" };
    const char *path = run_path("syntax.csv");
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        if (left[i] != NULL) {
            scratch_write(path, left[i], strlen(left[i]));
        }
        hl_syntax_csv csv = { .fd = -1 };
        CHECK_OK(hl_syntax_csv_open(&csv, path));
        hl_syntax_csv_free(&csv);
        ck_assert_int_eq(strncmp(run_read(path), left[2], i == 2 ? strlen(left[2]) : 51), 0);
        ck_assert_uint_eq(strlen(run_read(path)), i == 2 ? strlen(left[2]) : 51);
    }
}

/* ---- what train tells ---- */

/* Heads 0 .. n - 1 of 8 find every det, which an offset finds in half of the cases. */
static const char *told_at_the_end(hl_syntax_csv *syntax, int64_t n, bool quiet)
{
    static char told[4096];
    *told = '\0';
    hl_syntax *counts = &syntax->counts;
    for (int half = 0; half < 2; half++) {
        memset(counts->halves[half].hits, 0, 2 * 8 * sizeof(int64_t));
        for (int64_t head = 0; head < n; head++) {
            counts->halves[half].hits[2 * head] = counts->halves[half].cases[0];
        }
    }
    FILE *out = fmemopen(told, sizeof told, "w");
    CHECK_OK(hl_train_tell_earned(syntax, quiet ? NULL : out));
    fclose(out);
    return told;
}

TEST(the_sentences_and_the_heads_that_earned_a_relation_are_told)
{
    const char *config = text_config(0), *bank = bank_of("bank.conllu", MANY);
    run_result run = RUN(config, key_of(bank), "--out", run_path("run"));
    const char *line =
        scratch_format("\ntreebank: 200 sentences of %s; left out: 1 of one word, 0 of more than ", bank);
    ck_assert_msg(run.code == 0 && strstr(run.out, line) != NULL, "%s", run.out);
    ck_assert_ptr_nonnull(strstr(run.out, "\nno head earns a relation of the treebank\n"));
    ck_assert_ptr_nonnull(strstr(RUN(config, key_of(bank), "--check").out, line));

    hl_model_config shape = { .n_layers = 2, .heads = { 4, 4 } };
    hl_treebank *treebank;
    text_used = 0;
    for (int i = 0; i < 400; i++) {
        text_say(i / 2 % 2 == 0 ? "1\t5\t_\t_\t_\t_\t2\tdet\t_\t_\n2\t3\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
                                : "1\t3\t_\t_\t_\t_\t0\troot\t_\t_\n2\t5\t_\t_\t_\t_\t1\tdet\t_\t_\n\n");
    }
    hl_opened_model *model = malloc(sizeof *model);
    CHECK_OK(hl_opened_model_open(model, run_path("run")));
    hl_treebank_spec spec = { .path = run_config("det.conllu", text_made),
                              .tokens = hl_text_data_tokens(hl_dataset_text(model->source.dataset)),
                              .max_pieces = 9 };
    ck_assert_str_eq(hl_treebank_read(&spec, &treebank).text, "");
    hl_syntax_csv syntax = { .followed = &(hl_followed){ .treebank = treebank }, .shape = &shape };
    CHECK_OK(hl_syntax_init(&syntax.counts, treebank->n_relations, 8));
    hl_syntax_add_treebank(&syntax.counts, treebank);
    ck_assert_str_eq(told_at_the_end(&syntax, 0, false), "no head earns a relation of the treebank\n");
    ck_assert_str_eq(told_at_the_end(&syntax, 1, false),
                     "L0H0 finds det (d>h) in 100.0% of 200 held-out cases, the best fixed offset in 50.0%\n");
    const char *told = told_at_the_end(&syntax, 8, false);
    ck_assert_ptr_nonnull(strstr(told, "\nL1H1 finds det (d>h) in 100.0% of 200 held-out cases, "));
    ck_assert_ptr_null(strstr(told, "\nL1H2 "));
    ck_assert_ptr_nonnull(strstr(told, "%\n2 more heads earn a relation of the treebank\n"));
    ck_assert_str_eq(told_at_the_end(&syntax, 8, true), "");
    hl_syntax_free(&syntax.counts);
    hl_treebank_free(treebank);
    hl_opened_model_close(model);
    free(model);
}

/* ---- what is refused ---- */

TEST(a_treebank_is_refused_where_it_means_nothing_or_is_wrong)
{
    const char *bank = key_of(bank_of("bank.conllu", SENTENCES)), *out = run_path("run");
    REFUSED(RUN(run_tiny_config(), bank, "--out", out), 2, "study.patterns_treebank_not_used_by_task");
    REFUSED(RUN(text_config(4), bank, "--out", out), 2, "study.patterns_treebank_not_used_by_task_2");
    const char *config = text_config(0);
    REFUSED(RUN(config, bank, "patterns.examples=0", "--out", out), 2,
            "study.patterns_treebank_is_counted_at_snapshots");
    FAILS(RUN(config, "patterns.treebank=none", "--check"), 3, "study.none_cannot_open_no_such_file");
    FAILS(RUN(config, "patterns.treebank=-", "--check"), 2, "study.patterns_treebank_standard_input_cannot_be");
    const char *bad =
        key_of(run_config("bad.conllu", "1\t5\t_\t_\t_\t_\t2\tdet\t_\t_\n2\t3\t_\t_\t_\t_\t1\tdep\t_\t_\n\n"));
    FAILS(RUN(config, bad, "--check"), 3, "study.the_sentence_has_no_root_head");
    FAILS(RUN(config, bad, "--out", out), 3, "study.the_sentence_has_no_root_head");
    ck_assert_str_eq(run_list(out), "data "); /* for the next try */
}

TEST(a_page_of_snapshots_that_are_not_there_is_refused_before_the_model_runs)
{
    const char *bank = bank_of("bank.conllu", SENTENCES), *folder = run_path("run"), *page = run_path("page.html");
    EXPECT_RUN(0, text_config(0), "patterns.examples=0", "--quiet", "--out", folder);
    run_result run = HEADS("grammar", folder, bank, "--report", page);
    REFUSED(run, 3, "study.has_no_snapshots_to_make_a");
    ck_assert_str_eq(run.out, "");
    OK(HEADS("grammar", folder, bank, "--examples", run_config("mine.txt", "1 2 3\n4 5\n"), "--report", page));
}

SUITE("syntax csv")
