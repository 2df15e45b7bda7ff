#include "tests/check_suite.h"
#include "tests/pretrained/tiny.h"
#include "tests/study/told.h"

#include <string.h>

#define WORD(id, form, upos, head, misc) id "\t" form "\t_\t" upos "\t_\t_\t" head "\tx\t_\t" misc "\n"
#define DOCUMENT(id)                                                                                      \
    "# newdoc id = " id "\n" WORD("1", "a", "PROPN", "2", "Entity=(e1)") WORD("2", "b", "VERB", "0", "_") \
        WORD("3", "c", "PROPN", "2", "Entity=(e2)") "\n" WORD("1", "a", "PROPN", "0", "Entity=(e1)")      \
            WORD("2", "b", "PRON", "1", "Entity=(e1)") "\n"

TEST(heads_are_asked_for_antecedents)
{
    const char *csv = run_path("a.csv"), *png = run_path("a.png");
    const char *bank = run_config("bank.conllu", DOCUMENT("1") DOCUMENT("2") DOCUMENT("3") DOCUMENT("4"));
    run_result run = OK(HEADS("coreference", tiny_folder("bert_untied"), bank, "--json", "--csv", csv, "--png", png));
    json_t *root = told(run), *rows = json_object_get(root, "rows");
    ck_assert_int_eq((int)number_at(root, "documents"), 4);
    ck_assert_int_eq((int)number_at(root, "windows"), 4);
    ck_assert_uint_eq(json_array_size(rows), 7);
    json_t *all = json_array_get(rows, 0), *far = json_array_get(rows, 6);
    ck_assert_str_eq(text_at(all, "kind"), "all");
    ck_assert_int_eq((int)number_at(all, "cases"), 8);
    ck_assert_double_eq(number_at(all, "same_word"), 1);
    ck_assert(number_at(all, "held_out_low") <= number_at(all, "held_out") &&
              number_at(all, "held_out") <= number_at(all, "held_out_high"));
    ck_assert(number_at(all, "null") >= 0 && number_at(all, "null") <= 1);
    ck_assert(json_is_null(json_object_get(far, "held_out")) && json_is_null(json_object_get(far, "head")));
    ck_assert_ptr_nonnull(strstr(run_read(csv), "\nfurther,0,,"));
    ck_assert(memcmp(run_read(png), "\x89PNG", 4) == 0);
    SAYS(HEADS("coreference", tiny_folder("bert_untied"), bank), "Documents: 4.");
    SAYS(HEADS("coreference", tiny_folder("bert_untied"), bank, "--wide", "--without-null"), "chance");
    SAYS(HEADS("coreference", tiny_folder("bert_untied"), bank, "--md"), "| pronoun");
    run_config("bank.conllu", DOCUMENT("1"));
    SAYS(HEADS("coreference", tiny_folder("bert_untied"), bank), "The text is one document, so nothing is held out");
    run_result page = OK(HEADS("coreference", tiny_folder("bert_untied"), bank, "--report", "-"));
    ck_assert_ptr_nonnull(strstr(page.out, "<html"));
    ck_assert_ptr_null(strstr(page.out, "\"mentions\":true")); /* nothing to show */
    run_config("bank.conllu", DOCUMENT("1") DOCUMENT("2"));
    page = OK(HEADS("coreference", tiny_folder("bert_untied"), bank, "--report", "-"));
    ck_assert_ptr_nonnull(strstr(page.out, "\"mentions\":true"));
}

TEST(what_cannot_be_asked_is_refused)
{
    const char *bank = run_config("bank.conllu", WORD("1", "a", "X", "0", "Entity=(e1") WORD("2", "b", "X", "1", "_"));
    REFUSED(HEADS("coreference", tiny_folder("bert_untied"), bank), 3, "study.the_mention_of_e1_does_not_end");
    REFUSED(HEADS("coreference", tiny_folder("bert_untied")), 2, "study.coreference_needs_a_second_word");
    REFUSED(HEADS("coreference", TINY_RUN("run"), bank), 2, "study.coreference_reads_no_text");
}

SUITE("coreference", .seconds = 60)
