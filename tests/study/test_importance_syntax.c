/* `heads grammar --importance`: how much heads matter beside the relations that they earn. */
#include "tests/pretrained/tiny.h"
#include "tests/runs/text_tasks.h"
#include "tests/scratch.h"
#include "tests/study/told.h"

#include <math.h>
#include <string.h>

enum { WORDS = 6, KNOWN = 8, SENTENCES = 168 };

/* In each sentence one word is the head of all others. Which it is and where it stands changes, so that no offset leads
 * there; some heads look at one of the two that have relations of their own. */
static const char *treebank(void)
{
    static const char *const known[KNOWN] = { "the", "cat", "sat", "on", "mat", "it", "dog", "saw" };
    text_used = 0;
    for (int i = 0; i < SENTENCES; i++) {
        int stride = 1 + 2 * (i / KNOWN % 4), root = (5 * i + i / WORDS) % WORDS;
        const char *word = known[(i + stride * root) % KNOWN];
        bool named = strcmp(word, "cat") == 0 || strcmp(word, "saw") == 0;
        for (int w = 0; w < WORDS; w++) {
            const char *relation = w == root ? "root" : named ? word : "dep";
            text_say_word(w, known[(i + stride * w) % KNOWN], w == root ? -1 : root, relation);
        }
        text_say("\n");
    }
    return run_config("bank.conllu", text_made);
}

static const char *sentences(void)
{
    return run_config("text.txt", "the cat sat on the mat\nthe dog saw it\nit sat\nthe mat sat on the cat\n");
}

/* Ranks go from the largest on. */
static void check_ranks(const json_t *heads, const char *figure, const char *rank)
{
    size_t n = json_array_size(heads);
    for (size_t i = 0; i < n; i++) {
        const json_t *head = json_array_get(heads, i);
        double above = 1;
        for (size_t j = 0; j < n; j++) {
            above += number_at(json_array_get(heads, j), figure) > number_at(head, figure);
        }
        ck_assert_double_eq(number_at(head, rank), above);
    }
}

/* The chance that `drawn` heads of n hold `found` or more of the marked ones, by counting all draws. */
static double chance(int n, unsigned marked, int drawn, int found)
{
    int all = 0, as_many = 0;
    for (unsigned set = 0; set < 1u << n; set++) {
        if (__builtin_popcount(set) == drawn) {
            all++;
            as_many += __builtin_popcount(set & marked) >= found;
        }
    }
    return (double)as_many / all;
}

TEST(heads_have_both_and_steps_tell_what_is_kept)
{
    const char *folder = run_kept(tiny_folder("bert_masked")), *file = treebank(), *text = sentences();
    json_t *syntax = told(HEADS("grammar", folder, file, "--json"));
    json_t *alone = told(HEADS("importance", folder, "--task", "masked", "--file", text, "--json"));
    json_t *both = told(HEADS("grammar", folder, file, "--importance", "--task", "masked", "--file", text, "--json"));
    json_t *heads = json_object_get(both, "heads"), *earned = json_object_get(syntax, "heads");
    int n = (int)json_array_size(heads);
    unsigned marked = 0;
    for (int i = 0; i < n; i++) {
        const json_t *head = json_array_get(heads, (size_t)i);
        const json_t *same = item_at(alone, "heads", (size_t)i);
        ck_assert_double_eq(number_at(head, "importance"), number_at(same, "importance"));
        ck_assert_double_eq(number_at(head, "zero"), number_at(same, "zero"));
        marked |= (unsigned)json_is_string(json_object_get(head, "relation")) << i;
    }
    ck_assert_int_eq(__builtin_popcount(marked), (int)json_array_size(earned));
    ck_assert(marked != 0 && marked != (1u << n) - 1); /* else nothing below can fail */
    for (size_t i = 0; i < json_array_size(earned); i++) {
        int layer, head;
        ck_assert_int_eq(sscanf(text_at(json_array_get(earned, i), "head"), "L%dH%d", &layer, &head), 2);
        const json_t *found = json_array_get(heads, (size_t)layer * (size_t)n / 2 + (size_t)head);
        ck_assert_str_eq(text_at(found, "relation"), text_at(json_array_get(earned, i), "relation"));
        ck_assert_double_ge(number_at(found, "held_out"), number_at(found, "held_out_baseline") + 0.1);
    }
    check_ranks(heads, "importance", "gradient_rank");
    check_ranks(heads, "zero", "zero_rank");
    json_t *steps = json_object_get(both, "pruned");
    ck_assert_int_eq((int)json_array_size(steps), 6);
    for (size_t i = 0; i < 6; i++) {
        const json_t *step = json_array_get(steps, i);
        int left = (int)number_at(step, "left"), kept = 0;
        ck_assert_str_eq(text_at(step, "order"), i < 3 ? "gradient" : "zero");
        ck_assert_int_eq(left, n - n * (int)number_at(step, "percent") / 100);
        for (int h = 0; h < n; h++) {
            const char *rank = i < 3 ? "gradient_rank" : "zero_rank";
            kept += (marked >> h & 1) && number_at(json_array_get(heads, (size_t)h), rank) <= left;
        }
        ck_assert_int_eq((int)number_at(step, "kept"), kept);
        double expected = (double)__builtin_popcount(marked) * left / n;
        ck_assert_double_eq_tol(number_at(step, "expected"), expected, 1e-8);
        ck_assert_double_eq_tol(number_at(step, "p"), chance(n, marked, left, kept), 1e-8);
    }
}

TEST(tables_csv_and_markdown_tell_the_same_and_the_rest_is_refused)
{
    const char *folder = run_kept(tiny_folder("bert_masked")), *file = treebank(), *text = sentences();
    const char *md = run_path("both.md"), *csv = run_path("both.csv");
    SAYS(HEADS("grammar", folder, file, "--importance", "--task", "masked", "--file", text, "--md", md, "--csv", csv),
         "heads earn a relation. Pruned in order of importance, the least");
    ck_assert_ptr_nonnull(strstr(run_read(csv), ",decorative,silent,gradient_rank,zero_rank,relation,held_out,held"));
    ck_assert_ptr_nonnull(strstr(run_read(md), "| pruned | heads left | by gradient | p | by zero | p | by chance |"));
    const char *few =
        run_config("few.conllu", "1\tthe\t_\t_\t_\t_\t2\tdet\t_\t_\n2\tcat\t_\t_\t_\t_\t0\troot\t_\t_\n\n");
    run_result run = HEADS("grammar", folder, few, "--importance", "--task", "masked", "--file", text);
    ck_assert_msg(strstr(run.out, "No head earns a relation: ") != NULL && strstr(run.out, "pruned  ") == NULL, "%s%s",
                  run.err, run.out);
    REFUSED(HEADS("grammar", folder, file, "--importance", "--relation", "dep"), 2,
            "study.importance_and_relation_exclude");
    REFUSED(HEADS("grammar", folder, file, "--shapley"), 2, "study.shapley_is_for_the_verb_importance");
    json_t *syntax = told(HEADS("grammar", folder, file, "--json"));
    const char *earned = text_at(item_at(syntax, "heads", 0), "relation");
    run = HEADS("grammar", folder, file, "--relation", earned, "--md", "-");
    ck_assert_msg(strncmp(run.out, "| head | way | found |", 22) == 0, "%s%s", run.err, run.out);
    ck_assert_ptr_nonnull(strstr(run.out, " \\* | ")); /* a head that earns it */
    run = HEADS("grammar", folder, file, "--relation", "dep", "--without-null");
    ck_assert_msg(strstr(run.out, "  held\n") != NULL, "%s", run.out);
}

SUITE("importance_syntax")
