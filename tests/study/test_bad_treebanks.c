/* `heads grammar` on files that are wrong or odd: what is refused, with file and line, and what is counted. */
#include "tests/data/text_files.h"
#include "tests/pretrained/tiny.h"
#include "tests/scratch.h"
#include "tests/study/told.h"

#include <stdlib.h>
#include <string.h>

#define WORD(id, form, head, label) id "\t" form "\t_\t_\t_\t_\t" head "\t" label "\t_\t_\n"
#define FINE WORD("1", "the", "2", "det") WORD("2", "cat", "0", "root") "\n"
#define CAT WORD("2", "cat", "0", "root")

static const struct {
    const char *text, *reason;
} bad[] = {
    { FINE WORD("1", "the", "2", "x") WORD("2", "cat", "1", "x") WORD("3", "sat", "0", "root"), ":4: its heads lead" },
    { FINE WORD("1", "the", "1", "det") CAT, ":4: its heads lead back to it: a circle" },
    { FINE WORD("1", "the", "5", "det") CAT, ":4: HEAD 5 is not an integer from 0 to 2, the words of its sentence" },
    { FINE WORD("1", "the", "-1", "det") CAT, ":4: HEAD -1 is not an integer from 0 to 2" },
    { FINE WORD("1", "the", "two", "det") CAT, ":4: HEAD two is not an integer from 0 to 2" },
    { FINE WORD("1", "the", "99999999999999999999", "det") CAT, ":4: HEAD 99999999999999999999 is not an integer" },
    { FINE WORD("1-2", "the", "_", "_") WORD("1", "the", "1-2", "det") CAT, ":5: HEAD 1-2 is not an integer" },
    { FINE WORD("1", "the", "1.1", "det") WORD("1.1", "e", "_", "_") CAT, ":4: HEAD 1.1 is not an integer" },
    { WORD("1", "the", "_", "_") WORD("2", "cat", "_", "_"), ":1: HEAD _ is not an integer from 0 to 2" },
    { FINE WORD("1", "the", "2", "det") WORD("2", "cat", "1", "root"), ":4: the sentence has no root (HEAD 0)" },
    { FINE "1\tthe\t2\tdet\n", ":4: has 4 columns, not the 10 of CoNLL-U, which tabs separate" },
    { FINE "1\tthe\t_\t_\t_\t_\t2\tdet\t_\t_\t_\n" CAT, ":4: has 11 columns, not the 10 of CoNLL-U" },
    { "\xff\xfe" FINE, ":1:1: is not UTF-8 (byte 0xff)" },
    { FINE WORD("0.1", "e", "_", "_") "\n", ":4: the sentence has no words" },
    { FINE WORD("1-2", "a", "_", "_") WORD("1", "a", "2", "x") WORD("2-3", "b", "_", "_"),
      ":6: ID 2-3 is out of order" },
    { FINE WORD("1", "a", "0", "x") WORD("2", "a", "3", "x") WORD("3", "a", "2", "x"),
      ":5: its heads lead back to it" },
    { "the cat sat\n", ":1: has 1 column, not the 10 of CoNLL-U" },
    { FINE WORD("1", "the", "2", "") CAT, ":4: column DEPREL is empty; _ stands for nothing" },
    { FINE WORD("1", "the", "2", ":poss") CAT, ":4: DEPREL :poss is no relation's name: that has 1 to 63 bytes" },
    { FINE WORD("1", "the", "2", "\x1b[31m") CAT, ":4: DEPREL \\x1b[31m is no relation's name" },
    { FINE WORD("1", "the", "2", "a234567890123456789012345678901234567890123456789012345678901234") CAT,
      ":4: DEPREL a23456789012345678901234567890123456789012345678901234567890123 is no relation's name" },
    { FINE WORD("1", "the", "2", "all") CAT, ":4: DEPREL all has the name of all relations together; give it another" },
    { FINE WORD("1", "the", "2", "all:x") CAT, ":4: DEPREL all:x has the name of all relations together" },
    { FINE WORD("1-3", "the", "_", "_") WORD("1", "the", "2", "det") CAT, ":4: the range ends after the sentence's" },
    { FINE WORD("1", "the", "2", "det") WORD("3", "cat", "0", "root"), ":5: ID 3 is out of order: 2, 2-... or 1.1" },
    { FINE WORD("1", "th\xff", "2", "det") CAT, ":4:5: is not UTF-8 (byte 0xff)" },
    { "", ": holds no sentence" },
    { "\n\n", ": holds no sentence" },
    { "# text = the cat\n\n", ": holds no sentence" },
    { WORD("1", "cat", "0", "root") "\n" WORD("1", "cat", "0", "root"), ": no sentence can be used: of 2, 2 have one" },
};

TEST(bad_treebanks_are_refused_with_file_and_line)
{
    const char *folder = run_kept(tiny_folder("bert_untied"));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        scratch_write(scratch_path("bad.conllu"), bad[i].text, strlen(bad[i].text));
        const char *reason = scratch_format("bad.conllu%s", bad[i].reason);
        run_result run = HEADS("grammar", folder, run_path("bad.conllu"), "--json");
        REFUSED_SAYING(run, 3, reason);
        ck_assert_str_eq(run.out, "");
    }
    size_t size;
    unsigned char *packed = gzipped(FINE, strlen(FINE), &size);
    scratch_write(scratch_path("bad.conllu"), packed, size - 9);
    REFUSED(HEADS("grammar", folder, run_path("bad.conllu")), 3, "study.its_gzip_data_end_in_the");
    free(packed);
}

/* Nothing is left out or guessed without a word. */
static const struct {
    const char *text, *told[5];
} counted[] = {
    { "\xef\xbb\xbf" WORD("1", "the", "2", "det") CAT, { "1", "0", "0", "0", "det" } },
    { "1\tthe\t_\t_\t_\t_\t2\tdet\t_\t_\r\n2\tcat\t_\t_\t_\t_\t0\troot\t_\t_\r\n", { "1", "0", "0", "0", "det" } },
    { WORD("1-2", "thecat", "_", "_") WORD("1", "the", "2", "det") CAT WORD("2.1", "e", "_", "_"),
      { "1", "0", "0", "0", "det" } },
    { WORD("1", "the", "0", "root") WORD("2", "cat", "0", "root") "\n" FINE, { "2", "0", "1", "0", "det" } },
    { WORD("1", "\xe2\x80\x8b", "2", "det") CAT, { "1", "0", "0", "1", "det" } },
    { FINE WORD("1", "cat", "0", "root"), { "1", "1", "0", "0", "det" } },
    { FINE WORD("1", "the", "2", "a|b") CAT, { "2", "0", "0", "0", "a|b" } },
};

TEST(what_is_left_out_or_odd_is_counted)
{
    static const char *const names[] = { "sentences", "left_out", "several_roots", "unknown_words" };
    const char *folder = run_kept(tiny_folder("bert_untied"));
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
        scratch_write(scratch_path("odd.conllu"), counted[i].text, strlen(counted[i].text));
        json_t *all = told(HEADS("grammar", folder, run_path("odd.conllu"), "--json"));
        for (int n = 0; n < 4; n++) {
            ck_assert_int_eq((int)number_at(all, names[n]), atoi(counted[i].told[n]));
        }
        SAYS(HEADS("grammar", folder, run_path("odd.conllu"), "--relation", counted[i].told[4]), counted[i].told[4]);
    }
    run_result run = HEADS("grammar", folder, run_path("odd.conllu"), "--max-pieces", "3");
    REFUSED(run, 3, "study.no_sentence_can_be_used_of");
    scratch_write(scratch_path("odd.conllu"), counted[3].text, strlen(counted[3].text));
    ck_assert_ptr_nonnull(strstr(HEADS("grammar", folder, run_path("odd.conllu")).out,
                                 "\nOf these, sentences with several roots: 1; words that the model's tokens do not"));
}

SUITE("bad treebanks")
