/* Coreference in syntax.csv: the counts of heads coreference, and what cannot be followed. */
#include "heads/estimate.h"
#include "tests/check_suite.h"
#include "tests/runs/text_tasks.h"
#include "tests/scratch.h"
#include "tests/study/told.h"

#include <inttypes.h>

enum { HEADS = 4 };

/* The override that names a treebank; stands to the end of the test. */
static const char *key_of(const char *path)
{
    return run_kept(scratch_format("patterns.treebank=%s", path));
}

/* Of the relation at a step, the most that a head finds in both halves, and the cases. */
static hl_syntax_rate most_found(const char *rows, int step, const char *relation)
{
    hl_syntax_rate most = { 0 };
    for (int head = 0; head < HEADS; head++) {
        hl_syntax_rate both = { 0 };
        for (int half = 0; half < 2; half++) {
            int64_t hits, cases;
            const char *begin = scratch_format("\n%d,%s,%d,%d,d>h,%d,", step, relation, head / 2, head % 2, half);
            const char *row = strstr(rows, begin);
            ck_assert_msg(row != NULL, "%s", begin);
            ck_assert_int_eq(sscanf(row + strlen(begin), "%" SCNd64 ",%" SCNd64, &hits, &cases), 2);
            both = (hl_syntax_rate){ both.hits + hits, both.cases + cases };
        }
        most = both.hits > most.hits || head == 0 ? both : most;
    }
    return most;
}

/* 500 sentences, four of them a document, in which every word is a mention. `more`: the last one begins another, which
 * goes on in a further sentence. */
static const char *write_mentions(const char *name, bool more)
{
    static const char *const tags[] = { "PRON", "PROPN", "NOUN" };
    const char *path = run_path(name);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    for (int i = 0; i < 500; i++) {
        fputs(i % 4 == 0 ? "# newdoc\n" : "", file);
        for (int w = 0; w < 4; w++) {
            fprintf(file, "%d\t%d\t_\t%s\t_\t_\t%d\tobj\t_\tEntity=(e%d)%s\n", w + 1, (i * 5 + w * 3) % 13,
                    tags[(i + w) % 3], w > 0 ? 1 : 0, (i * 3 + w) % 3, more && i == 499 && w == 3 ? "(e9" : "");
        }
        fputs("\n", file);
    }
    fputs(more ? "1\t1\t_\tNOUN\t_\t_\t0\troot\t_\tEntity=e9)\n2\t2\t_\tNOUN\t_\t_\t1\tobj\t_\t_\n\n" : "", file);
    fclose(file);
    return path;
}

/* What heads coreference finds with the last weights is what was counted at the last step; the copy has the same. The
 * last mention is open where the sentences end. */
TEST(mentions_are_followed_as_heads_coreference_counts_them)
{
    static const char *const kinds[] = { "coreference", "coreference:pronoun", "coreference:name",
                                         "coreference:other" };
    const char *whole = write_mentions("whole.conllu", false), *config = text_config(0), *folder = run_path("run");
    const char *key = key_of(write_mentions("more.conllu", true));
    EXPECT_RUN(0, config, key, "patterns.every=6", "train.steps=6", "optimizer.schedule=constant", "--quiet", "--out",
               folder);
    EXPECT_RUN(0, config, key, "patterns.every=6", "optimizer.schedule=constant", "--resume", "--quiet", "--out",
               folder);
    const char *rows = run_kept(run_read(run_file(folder, "syntax.csv")));
    json_t *root = told(OK(HEADS("coreference", folder, whole, "--json", "--without-null")));
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        json_t *row = item_at(root, "rows", kind);
        hl_syntax_rate most = most_found(rows, TEXT_STEPS, kinds[kind]);
        ck_assert_int_gt(most.cases, 0);
        ck_assert_int_eq(most.cases, json_integer_value(json_object_get(row, "cases")));
        ck_assert_double_eq_tol(hl_syntax_share(most), json_number_value(json_object_get(row, "found")), 1e-5);
    }
    ck_assert_ptr_nonnull(strstr(run_read(run_file(folder, "report.html")), "\"name\":\"coreference:pronoun\""));
}

/* One document: nothing is held out, so the page offers no mentions. If a mention is left open, training says why it
 * follows none. */
TEST(mentions_that_cannot_be_followed_are_told_and_those_of_one_document_not_shown)
{
    const char *config = text_config(0), *folder = run_path("run");
    text_used = 0;
    for (int i = 0; i < 120; i++) {
        text_say("1\t%d\t_\tNOUN\t_\t_\t0\troot\t_\tEntity=(e1)\n2\t3\t_\tNOUN\t_\t_\t1\tobj\t_\tEntity=(e1)\n\n",
                 i % 13);
    }
    EXPECT_RUN(0, config, key_of(run_config("one.conllu", text_made)), "patterns.every=6", "--quiet", "--out", folder);
    ck_assert_ptr_nonnull(strstr(run_read(run_file(folder, "syntax.csv")), ",coreference,"));
    const char *page = run_read(run_file(folder, "report.html"));
    ck_assert_ptr_nonnull(strstr(page, "\"syntax_steps\""));
    ck_assert_ptr_null(strstr(page, "\"name\":\"coreference\""));
    text_say("1\t1\t_\tNOUN\t_\t_\t0\troot\t_\tEntity=(e2\n2\t3\t_\tNOUN\t_\t_\t1\tobj\t_\tEntity=(e3)e2)(e4\n\n");
    run_result run = RUN(config, key_of(run_config("open.conllu", text_made)), "--check");
    ck_assert_int_eq(run.code, 0);
    ck_assert_msg(strstr(run.out, "coreference is not followed: ") != NULL, "%s", run.out);
    ck_assert_ptr_nonnull(strstr(run.out, "the mention of e4 does not end in its document"));
}

SUITE("followed mentions", .seconds = 60)
