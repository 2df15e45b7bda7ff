/* Whether a head is needed for the relation that it earns: on which loss that is measured, and what comes out where it
 * is known. */
#include "heads/evaluator.h"
#include "programs/heads/treebank.h"
#include "study/syntax_study.h"
#include "tests/check_suite.h"
#include "tests/runs/text_tasks.h"
#include "tests/scratch.h"
#include "tests/study/told.h"

#include <math.h>
#include <stdlib.h>

enum { SENTENCES = 24, WINDOWS = 4 /* masked, in windows of running text */ };

/* ---- which loss ---- */

/* Sentences of the task's words; every fifth is of one word. */
static const char *bank_of(int task)
{
    static const char *const kinds[] = { "NOUN", "VERB", "DET" };
    text_used = 0;
    for (int i = 0; i < SENTENCES; i++) {
        int words = i % 5 == 0 ? 1 : 2 + i * 3 % 5;
        for (int w = 0; w < words; w++) {
            int word = (i * 5 + w * w) % 13;
            text_say("%d\t%s%d\t_\t%s\t_\t_\t%d\t%s\t_\t_\n", w + 1, task == TEXT_TAGS ? "w" : "", word,
                     kinds[word % 3], w > 0 ? 1 : 0, w > 0 ? "dep" : "root");
        }
        text_say("\n");
    }
    return run_config("bank.conllu", text_made);
}

/* A study of a run, which goes at the end of the test. */
typedef struct studied {
    hl_opened_model run;
    hl_syntax_question question;
    hl_syntax_study study;
} studied;

static void release_studied(void *made)
{
    studied *s = made;
    hl_syntax_study_free(&s->study);
    hl_opened_model_close(&s->run);
    free(s);
}

static studied *open_study(const char *folder, const char *bank)
{
    studied *s = scratch_own(calloc(1, sizeof *s), release_studied);
    s->question = (hl_syntax_question){ .path = bank, .least_cases = 1, .faithful = true };
    CHECK_OK(hl_opened_model_open(&s->run, folder));
    CHECK_OK(hl_opened_model_load(&s->run, -1));
    CHECK_OK(hl_syntax_study_read(&s->study, &s->run, &s->question));
    CHECK_OK(hl_syntax_study_make(&s->study, &s->question));
    return s;
}

/* Names the head by a relation, whether or not it finds it. */
static void name(hl_syntax_study *study, int64_t head, const char *relation, hl_syntax_direction direction)
{
    for (int64_t r = 0; r < study->found.n_relations; r++) {
        if (strcmp(hl_treebank_relation(study->treebank, r), relation) == 0) {
            study->labels[head] = (hl_syntax_label){ .relation = r, .held_out.direction = direction };
        }
    }
}

/* The mean of the mean losses of the sentences 1, 3, 5 ... of those that are used, one by one. */
static double loss_of(hl_opened_model *run, const hl_syntax_study *study, const char *bank)
{
    hl_dataset *own;
    hl_batch_storage storage;
    hl_tape_plan plan;
    hl_arena arena;
    int64_t T = run->source.shape.max_length, used = 0, n = 0;
    double sum = 0;
    CHECK_OK(hl_setup_sentences(&run->source.config, bank, &(hl_data_options){ 0 }, run->source.dataset, true, &own));
    CHECK_OK(hl_dataset_storage(own, 1, T, T, &storage));
    hl_evaluator evaluator = { .model = &run->model, .rows = T, .threads = 1, .arena = &arena, .loss = "the loss" };
    CHECK_OK(hl_evaluator_plan(&evaluator, T, &plan));
    CHECK_OK(hl_arena_init(&arena, plan.bytes));
    evaluator.plan = &plan;
    for (int64_t i = 0; i < SENTENCES; i++) {
        hl_cross_entropy_result one = { 0 };
        CHECK_OK(hl_dataset_batch(own, HL_VALIDATION, i, 1, &storage));
        bool is_used = used < study->treebank->n_sentences &&
                       storage.batch.n_rows == hl_treebank_at(study->treebank, used).n_pieces && i % 5 != 0;
        used += is_used;
        if (is_used && used % 2 == 0) {
            CHECK_OK(hl_evaluate(&evaluator, &storage.batch, &one));
            ck_assert_int_gt(one.n_known, 0);
            sum += one.loss_sum / (double)one.n_known;
            n++;
        }
    }
    ck_assert_int_eq(used, study->treebank->n_sentences);
    hl_arena_free(&arena);
    hl_tape_plan_free(&plan);
    hl_batch_storage_free(&storage);
    hl_dataset_free(own);
    return sum / (double)n;
}

LOOP_TEST(the_loss_is_that_of_the_run_s_own_task_on_the_sentences_that_chose_nothing, 0, WINDOWS + 1)
{
    int task = _i == WINDOWS ? 0 : _i;
    const char *config = text_config(task), *folder = run_path("run");
    if (_i == WINDOWS) { /* no [CLS] and [SEP] stand around them */
        const char *key = scratch_format(
            "tokens.vocabulary=%s",
            run_config("vocab.txt",
                       "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n##0\n##1\n##2\n"));
        EXPECT_RUN(0, config, "task.length=6", "train.length_window=0", "tokens.kind=wordpiece", key, "--quiet",
                   "--out", folder);
    } else {
        EXPECT_RUN(0, config, "--quiet", "--out", folder);
    }
    const char *bank = bank_of(task);
    studied *s = open_study(folder, bank);
    const hl_syntax_study *study = &s->study;
    name(&s->study, 1, "dep", HL_SYNTAX_TO_HEAD);
    size_t bytes;
    CHECK_OK(hl_syntax_study_judge(&s->study, &s->run, &s->question));
    CHECK_OK(hl_syntax_study_judge_bytes(study, &s->question, &bytes));
    if (task == 3) {
        ck_assert_str_eq(study->no_effects.text, "a treebank does not say which class a sentence is of");
        ck_assert_ptr_null(study->labels[1].effect);
        ck_assert_uint_eq(bytes, 0);
    } else {
        CHECK_OK(study->no_effects);
        ck_assert_double_eq_tol(study->effects.loss, loss_of(&s->run, study, bank), 1e-5);
        ck_assert(isfinite(study->labels[1].effect->loss_without) && isnan(study->effects.heads[0].loss_without));
        ck_assert_uint_gt(bytes, 0);
    }
}

/* ---- what is known ---- */

enum { TAGGED = 160, MOST = 6 };

static int drawn(int i, int k, int n)
{
    return (int)(((uint32_t)(i * 31 + k) * 2654435761u >> 12) % (uint32_t)n);
}

/* Sentence i: two nouns, x and y, anywhere, whose kinds are the tags of the words a and b; these hang on them, or with
 * `wrong` in two of five sentences on the other one. With `turned` the first word is the root; its noun hangs on it by
 * "up", or with `wrong` the other one does. */
static void say_tagged(int i, bool wrong, bool turned)
{
    int n = 4 + i % 3, x = drawn(i, 0, n), y = (x + 1 + drawn(i, 1, n - 1)) % n, first = 0;
    const int at[2] = { x, y }, kinds[2] = { drawn(i, 2, 3), drawn(i, 3, 3) };
    while (first == x || first == y) {
        first++;
    }
    int of_first = drawn(i, 4 + first, 2) ^ wrong;
    for (int w = 0; w < n; w++) {
        int of = w == x ? 0 : w == y ? 1 : drawn(i, 4 + w, 2);
        bool noun = w == x || w == y;
        int head = turned ? first : noun ? x : at[of ^ (wrong && i % 5 < 2)];
        const char *label = head == w ? "root" : turned && w == at[of_first] ? "up" : noun ? "noun" : "dep";
        text_say("%d\t", w + 1);
        if (noun) {
            text_say("%c%d\t_\tN", "xy"[of], kinds[of]);
        } else {
            text_say("%c\t_\tT%d", "ab"[of], kinds[of]);
        }
        text_say("\t_\t_\t%d\t%s\t_\t_\n", head == w ? 0 : head + 1, label);
    }
    text_say("\n");
}

static const char *tagged(const char *name, bool wrong, bool turned)
{
    text_used = 0;
    for (int i = 0; i < TAGGED; i++) {
        say_tagged(i, wrong, turned);
    }
    return run_config(name, text_made);
}

/* One head, with too little room for what both nouns say: it must look at the noun of every word. */
static const char *tagger(void)
{
    const char *folder = run_path("tagger");
    tagged("tagged.conllu", false, false);
    EXPECT_RUN(0,
               run_config("tagger.ini",
                          "[task]\nname = tags\nfile = tagged.conllu\nvalidation_share = 0.2\n[tokens]\nkind = words\n"
                          "[model]\nlayers = 1\nd_model = 16\nheads = 1\nd_k = 8\nd_v = 2\nd_ff = 16\ndropout = 0\n"
                          "positions = none\n"
                          "[optimizer]\nlearning_rate = 0.01\nschedule = constant\n"
                          "[train]\nsteps = 200\nbatch_size = 16\nthreads = 1\n[patterns]\nexamples = 4\n"),
               "--quiet", "--out", folder);
    return folder;
}

/* What --json tells of L0H0. */
static json_t *head_of(const char *folder, const char *bank)
{
    json_t *head = item_at(told(HEADS("grammar", folder, bank, "--without-null", "--json")), "heads", 0);
    ck_assert_msg(head != NULL && strcmp(text_at(head, "relation"), "dep") == 0, "no head earns dep");
    return head;
}

TEST(a_head_is_faithful_where_the_words_that_it_needs_are_those_of_the_relation)
{
    const char *folder = tagger(), *right = tagged("right.conllu", false, false), *page = run_path("page.html");
    json_t *head = head_of(folder, right);
    ck_assert_double_gt(number_at(head, "held_out"), 0.7);
    ck_assert_double_gt(number_at(head, "loss_without"), 10 * number_at(head, "standard_error"));
    ck_assert_double_gt(number_at(head, "kept"), 0.95);
    ck_assert(json_is_true(json_object_get(head, "faithful")) &&
              json_is_null(json_object_get(head, "faithful_in_group")));
    run_result run = SAYS(HEADS("grammar", folder, right, "--report", page), "  without  faithful\nL0H0    dep  ");
    ck_assert_ptr_nonnull(strstr(strstr(run.out, "\nL0H0    dep"), "       yes\n"));
    ck_assert_ptr_nonnull(strstr(run_read(page), "\"relation\":\"dep\",\"faithful\":true"));

    /* In two of five sentences the relation leads to the wrong noun. */
    head = head_of(folder, tagged("wrong.conllu", true, false));
    ck_assert_double_lt(number_at(head, "kept"), 0.8);
    ck_assert(json_is_false(json_object_get(head, "faithful")));
}

TEST(the_pattern_goes_the_way_that_the_head_does)
{
    const char *folder = tagger();
    double kept[2][2];
    for (int i = 0; i < 4; i++) {
        studied *s = open_study(folder, tagged("turned.conllu", i / 2 == 1, true));
        name(&s->study, 0, "up", i % 2 == 0 ? HL_SYNTAX_TO_HEAD : HL_SYNTAX_TO_DEPENDENT);
        CHECK_OK(hl_syntax_study_judge(&s->study, &s->run, &s->question));
        kept[i / 2][i % 2] = s->study.labels[0].effect->kept;
    }
    /* d>h: a noun, whose tag is always N, looks at the first word; h>d: the first word looks at a noun. */
    ck_assert_double_gt(kept[0][0], 0.95);
    ck_assert_double_gt(kept[0][1], 0.95);
    ck_assert_double_gt(kept[1][0], 0.95);
    ck_assert_double_lt(kept[1][1], 0.9); /* at the wrong one */
}

TEST(where_there_is_no_loss_nothing_is_said)
{
    const char *folder = tagger(), *right = tagged("right.conllu", false, false);
    const char *command = scratch_format("'%s' grammar '%s' - --without-null < '%s'", HL_HEADS_PROGRAM, folder, right);
    FILE *out = popen(command, "r"); /* NOLINT(cert-env33-c) */
    char text[1 << 14];
    text[fread(text, 1, sizeof text - 1, out)] = '\0';
    ck_assert_int_eq(pclose(out), 0);
    ck_assert_msg(strstr(text, "is not known: standard input cannot") != NULL, "%s", text);
    ck_assert_ptr_null(strstr(text, "  without  faithful\n"));
    json_t *all = told(HEADS("grammar", folder, right, "--importance", "--json")); /* which has losses of its own */
    ck_assert_str_eq(text_at(item_at(all, "heads", 0), "relation"), "dep");
}

TEST(heads_are_judged_only_where_that_is_told)
{
    const struct {
        hl_heads_command command;
        bool judged;
    } cases[] = {
        { { 0 }, true },
        { { .files.csv = "t.csv" }, true }, /* beside the table */
        { { .files.csv = "-" }, false },
        { { .files.png = "-" }, false },
        { { .files.json = "-" }, true },
        { { .files.csv = "-", .files.report = "t.html" }, true },
        { { .relation = "nsubj" }, false },
        { { .importance = true }, false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_int_eq(hl_heads_treebank_question(&cases[i].command, NULL).faithful, cases[i].judged);
    }
}

SUITE("syntax faithful")
