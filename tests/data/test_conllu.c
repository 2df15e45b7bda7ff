#include "data/text/conllu.h"

#include "core/base/memory.h"
#include "core/files/files.h"
#include "tests/check_suite.h"
#include "tests/data/text_files.h"
#include "tests/fault_checks.h"
#include "tests/scratch.h"

#include <inttypes.h>
#include <stdio.h>

#define ROW(id, form, upos, head, label) id "\t" form "\t_\t" upos "\t_\t_\t" head "\t" label "\t_\t_\n"
#define WORD(id, head) ROW(id, "w", "X", head, "dep")

/* Written for these tests: two documents, a range, empty nodes before and between words, a subtype, a space in a
 * form. */
static const char treebank[] =
    "# a comment before all\n"
    "\n"
    "# newdoc id = letters-01\n"
    "# sent_id = letters-01-1\n"
    "# text = Ada's cat won't sleep.\n" ROW("0.1", "_", "_", "_", "_") ROW("1-2", "Ada's", "_", "_", "_")
        ROW("1", "Ada", "PROPN", "3", "nmod:poss") ROW("2", "'s", "PART", "1", "case")
            ROW("3", "cat", "NOUN", "6", "nsubj") ROW("4-5", "won't", "_", "_", "_") ROW("4", "wo", "AUX", "6", "aux")
                ROW("5", "n't", "PART", "6", "advmod") ROW("5.1", "ever", "ADV", "_", "_")
                    ROW("5.2", "so", "ADV", "_", "_") ROW("6", "sleep", "VERB", "0", "root")
                        ROW("7", ".", "PUNCT", "6",
                            "punct") "\n"
                                     "# text = 20 000 m\n" ROW("1", "20 000", "NUM", "2", "nummod")
                                         ROW("2", "m", "NOUN", "0", "root") "\n"
                                                                            "\n"
                                                                            "# newdoc\n" ROW("1", "\xc3\x9c", "X", "0",
                                                                                             "root") "\n"
                                                                                                     "# the end\n"
                                                                                                     "\n";

static const char *as_text(hl_span slice)
{
    static char text[4][4096];
    static int next;
    char *to = text[next++ % 4];
    snprintf(to, sizeof text[0], "%.*s", (int)slice.size, slice.size > 0 ? slice.text : "");
    return to;
}

static bool is(hl_span slice, const char *text)
{
    return slice.size == strlen(text) && memcmp(slice.text, text, slice.size) == 0;
}

TEST(sentences_have_words_documents_and_comments)
{
    hl_conllu *reader;
    const hl_conllu_sentence *s;
    CHECK_OK(hl_conllu_open(scratch_file("t", treebank), HL_CONLLU_TREE, &reader));
    CHECK_OK(hl_conllu_next(reader, &s));
    ck_assert(s->n_words == 7 && s->line == 1 && is(s->document, "letters-01"));
    static const int64_t heads[] = { 3, 1, 6, 6, 6, 0, 6 }, lines[] = { 8, 9, 10, 12, 13, 16, 17 };
    static const char *const forms[] = { "Ada", "'s", "cat", "wo", "n't", "sleep", "." };
    for (int i = 0; i < 7; i++) {
        const hl_conllu_word *word = &s->words[i];
        ck_assert(word->head == heads[i] && word->line == lines[i] && is(word->columns[HL_CONLLU_FORM], forms[i]));
    }
    hl_span label = s->words[0].columns[HL_CONLLU_DEPREL];
    ck_assert(is(label, "nmod:poss") && is(hl_conllu_label(label), "nmod") &&
              is(s->words[0].columns[HL_CONLLU_FEATS], "_"));
    ck_assert(is(hl_conllu_label(s->words[2].columns[HL_CONLLU_DEPREL]), "nsubj"));
    ck_assert(is(hl_conllu_comment(s, "text"), "Ada's cat won't sleep.") &&
              is(hl_conllu_comment(s, "sent_id"), "letters-01-1"));
    ck_assert_ptr_null(hl_conllu_comment(s, "tex").text);

    CHECK_OK(hl_conllu_next(reader, &s));
    ck_assert(s->n_words == 2 && is(s->words[0].columns[HL_CONLLU_FORM], "20 000") && is(s->document, "letters-01"));
    ck_assert_ptr_null(hl_conllu_comment(s, "sent_id").text);
    CHECK_OK(hl_conllu_next(reader, &s));
    ck_assert(s->n_words == 1 && s->document.size == 0 && s->line == 23);
    CHECK_OK(hl_conllu_next(reader, &s));
    ck_assert_ptr_null(s);
    ck_assert_str_eq(as_text(hl_conllu_rest(reader)), "# the end\n\n");
    hl_conllu_close(reader);
}

TEST(columns_have_names)
{
    ck_assert_int_eq(hl_conllu_column_find("UPOS"), HL_CONLLU_UPOS);
    ck_assert_int_eq(hl_conllu_column_find("deprel"), HL_CONLLU_DEPREL);
    ck_assert_int_eq(hl_conllu_column_find("MISC"), HL_CONLLU_MISC);
    ck_assert_int_eq(hl_conllu_column_find("POS"), -1);
}

/* Writes the whole file back: each word's column as it is, or `value` for all. */
static hl_status write_back(const char *path, hl_conllu_column column, const char *value, hl_text *text)
{
    hl_span values[16];
    hl_conllu *reader;
    const hl_conllu_sentence *s;
    HL_TRY(hl_conllu_open(path, HL_CONLLU_WORDS, &reader));
    hl_status status = hl_conllu_next(reader, &s);
    for (; status.code == HL_OK && s != NULL; status = hl_conllu_next(reader, &s)) {
        for (int64_t i = 0; i < s->n_words; i++) {
            values[i] = value != NULL ? (hl_span){ value, strlen(value) } : s->words[i].columns[column];
        }
        hl_conllu_print(s, column, values, text);
    }
    hl_span rest = hl_conllu_rest(reader);
    if (status.code == HL_OK) {
        hl_text_add(text, rest.text, rest.size);
    }
    hl_conllu_close(reader);
    return status.code == HL_OK ? hl_text_status(text) : status;
}

static void check_written(const char *given, const char *value, const char *expected)
{
    const char *path = scratch_file("t", given);
    hl_text text = { 0 };
    for (int column = value == NULL ? 0 : HL_CONLLU_UPOS; column < (value == NULL ? HL_CONLLU_COLUMNS : HL_CONLLU_XPOS);
         column++) {
        CHECK_OK(write_back(path, (hl_conllu_column)column, value, &text));
        ck_assert_str_eq(text.bytes, expected);
        hl_text_free(&text);
    }
}

TEST(written_back_are_the_same_bytes_but_for_the_column)
{
    check_written(treebank, NULL, treebank);
    check_written(WORD("1", "0"), NULL, WORD("1", "0")); /* no empty line at the end */
    check_written("1\ta\tb\tc\td\te\tf\tg\th\ti", NULL, "1\ta\tb\tc\td\te\tf\tg\th\ti");
    check_written("1\ta\tb\tc\td\te\tf\tg\th\ti\r\n\r\n\r\n", NULL, "1\ta\tb\tc\td\te\tf\tg\th\ti\r\n\r\n\r\n");
    check_written(
        "#\n1-2\t.\t.\t.\t.\t.\t.\t.\t.\t.\n1\ta\tb\tc\td\te\tf\tg\th\ti\n2\ta\tb\tc\td\te\tf\tg\th\ti\n", "NOUN",
        "#\n1-2\t.\t.\t.\t.\t.\t.\t.\t.\t.\n1\ta\tb\tNOUN\td\te\tf\tg\th\ti\n2\ta\tb\tNOUN\td\te\tf\tg\th\ti\n");
    static const char *const wrong[] = { "", "a\tb", "a\n" };
    for (int i = 0; i < 3; i++) {
        hl_text text = { 0 };
        refused_as(write_back(scratch_file("t", WORD("1", "0")), HL_CONLLU_UPOS, wrong[i], &text), HL_INVALID,
                   "line 1: a value of column UPOS is empty, or holds a tab or an end of line", "");
    }
}

static hl_status read_all(const char *path, hl_conllu_check check)
{
    hl_conllu *reader;
    const hl_conllu_sentence *s;
    HL_TRY(hl_conllu_open(path, check, &reader));
    hl_status status;
    do {
        status = hl_conllu_next(reader, &s);
    } while (status.code == HL_OK && s != NULL);
    hl_conllu_close(reader);
    return status;
}

TEST(what_is_no_treebank_is_refused_by_place)
{
    static const struct {
        const char *text, *rest;
    } cases[] = {
        { "", ": holds no sentence" },
        { "# only\n\n", ": holds no sentence" },
        { "1\ta\n", ":1: has 2 columns, not the 10 of CoNLL-U, which tabs separate" },
        { "#\n \n", ":2: has 1 column, not the 10 of CoNLL-U, which tabs separate" },
        { "1\t_\t_\t_\t_\t_\t_\t_\t_\t_\t_\n", ":1: has 11 columns, not the 10 of CoNLL-U, which tabs separate" },
        { "1\tw\t\t_\t_\t_\t0\t_\t_\t_\n", ":1: column LEMMA is empty; _ stands for nothing" },
        { WORD("2", "0"), ":1: ID 2 is out of order: 1, 1-... or 0.1 comes here" },
        { WORD("1", "0") WORD("1", "0"), ":2: ID 1 is out of order: 2, 2-... or 1.1 comes here" },
        { WORD("1", "0") WORD("x", "0"), ":2: ID x is out of order: 2, 2-... or 1.1 comes here" },
        { WORD("01", "0"), ":1: ID 01 is out of order: 1, 1-... or 0.1 comes here" },
        { WORD("1", "0") WORD("2-", "_"), ":2: ID 2- is out of order: 2, 2-... or 1.1 comes here" },
        { WORD("1", "0") WORD("1.2", "_"), ":2: ID 1.2 is out of order: 2, 2-... or 1.1 comes here" },
        { WORD("1", "0") WORD("1.1", "_") WORD("1.1", "_"), ":3: ID 1.1 is out of order: 2, 2-... or 1.2 comes here" },
        { WORD("1-2", "_") WORD("1", "0") WORD("2-3", "_"), ":3: ID 2-3 is out of order: 2, 2-... or 1.1 comes here" },
        { WORD("2-3", "_"), ":1: ID 2-3 is out of order: 1, 1-... or 0.1 comes here" },
        { WORD("1-3", "_") WORD("1", "0") WORD("2", "1"), ":1: the range ends after the sentence's last word, 2" },
        { WORD("0.1", "_") "\n", ":1: the sentence has no words" },
        { WORD("1", "0") "# text\n", ":2: a comment stands after words; is an empty line missing before it?" },
        { WORD("1", "0") "\n" WORD("1", "_"), ":3: HEAD _ is not an integer from 0 to 1, the words of its sentence" },
        { WORD("1", "2"), ":1: HEAD 2 is not an integer from 0 to 1, the words of its sentence" },
        { WORD("1", "00"), ":1: HEAD 00 is not an integer from 0 to 1, the words of its sentence" },
        { WORD("1", "-1"), ":1: HEAD -1 is not an integer from 0 to 1, the words of its sentence" },
        { WORD("1", "0") WORD("2", "0"), ":2: HEAD 0 makes this a second root; the first is in line 1" },
        { WORD("1", "1"), ":1: the sentence has no root (HEAD 0)" },
        { WORD("1", "0") WORD("2", "2"), ":2: its heads lead back to it: a circle" },
        { WORD("1", "2") WORD("2", "3") WORD("3", "2") WORD("4", "0"), ":2: its heads lead back to it: a circle" },
    };
    for (int i = 0; i < ROWS(cases); i++) {
        const char *path = scratch_file("t", cases[i].text);
        refused_as(read_all(path, HL_CONLLU_TREE), HL_BAD_FILE, path, cases[i].rest);
    }
}

TEST(trees_are_looked_at_only_where_asked)
{
    const char *path = scratch_file("t", WORD("1", "x") WORD("2", "2"));
    CHECK_OK(read_all(path, HL_CONLLU_WORDS));
    ck_assert_int_eq(read_all(path, HL_CONLLU_ROOTS).code, HL_BAD_FILE);
    path = scratch_file("t", WORD("1", "0") WORD("2", "1") WORD("3", "0"));
    CHECK_OK(read_all(path, HL_CONLLU_ROOTS));
    ck_assert_int_eq(read_all(path, HL_CONLLU_TREE).code, HL_BAD_FILE);
}

TEST(a_sentence_without_end_is_refused)
{
    enum { ROWS = 60000, WIDE = 300 };
    hl_text text = { 0 };
    for (int i = 1; i <= ROWS; i++) {
        hl_text_print(&text, "%d\t%0*d\t_\t_\t_\t_\t%d\t_\t_\t_\n", i, i <= 50000 ? 10 : 2 * WIDE * (i % 10 > 0), 0,
                      i - 1);
    }
    const char *path = scratch_file("t", text.bytes);
    size_t longer = text.size;
    hl_status status = read_all(path, HL_CONLLU_TREE);
    ck_assert_msg(longer < HL_CONLLU_BYTES && status.code == HL_OK, "%s", status.text); /* a chain of 60,000 words */
    while (text.size < HL_CONLLU_BYTES) {
        hl_text_print(&text, "x\t%0*d\n", 1000, 0);
    }
    scratch_write(path, text.bytes, text.size);
    status = read_all(path, HL_CONLLU_WORDS);
    ck_assert_msg(strstr(status.text, "the sentence is longer than 16777216 bytes; are empty lines missing?") != NULL,
                  "%s", status.text);
    hl_text_free(&text);
}

static bool holds(hl_span features, const char *feature)
{
    return strstr(as_text(features), feature) != NULL;
}

/* The treebank that the configs train on: a verb in the present has the number of the noun that its tree names as its
 * subject, and there are forms that are nouns here and verbs there. */
TEST(the_treebank_of_the_configs_has_true_trees)
{
    hl_conllu *reader;
    CHECK_OK(hl_conllu_open(HL_CONFIGS "/text/treebank.conllu.gz", HL_CONLLU_TREE, &reader));
    int sentences = 0, agreeing = 0, nouns = 0, verbs = 0, far = 0;
    const hl_conllu_sentence *s;
    hl_status status = hl_conllu_next(reader, &s);
    for (; status.code == HL_OK && s != NULL; status = hl_conllu_next(reader, &s), sentences++) {
        ck_assert(hl_conllu_comment(s, "text").size > 0);
        for (int64_t w = 0; w < s->n_words; w++) {
            const hl_span *word = s->words[w].columns;
            nouns += is(word[HL_CONLLU_FORM], "walks") && is(word[HL_CONLLU_UPOS], "NOUN");
            verbs += is(word[HL_CONLLU_FORM], "walks") && is(word[HL_CONLLU_UPOS], "VERB");
            if (!is(word[HL_CONLLU_DEPREL], "nsubj") || !is(word[HL_CONLLU_UPOS], "NOUN")) {
                continue;
            }
            hl_span verb = s->words[s->words[w].head - 1].columns[HL_CONLLU_FEATS];
            if (holds(verb, "Tense=Pres") && holds(verb, "Number=")) {
                const char *number = holds(verb, "Number=Sing") ? "Number=Sing" : "Number=Plur";
                ck_assert_msg(holds(word[HL_CONLLU_FEATS], number), "line %" PRId64, s->words[w].line);
                agreeing++;
                far += s->words[w].head - w > 4;
            }
        }
    }
    ck_assert_int_eq(status.code, HL_OK);
    hl_conllu_close(reader);
    ck_assert(sentences >= 1000 && agreeing >= 300 && far >= 50 && nouns >= 10 && verbs >= 10);
}

static hl_status save_treebank(const char *path, int version)
{
    return hl_file_replace(path, treebank, sizeof treebank - 1 - (size_t)version, HL_DURABLE);
}

static hl_status load_treebank(const char *path)
{
    hl_text text = { 0 };
    hl_status status = write_back(path, HL_CONLLU_FORM, NULL, &text);
    ck_assert(status.code != HL_OK || strcmp(text.bytes, treebank) == 0);
    hl_text_free(&text);
    return status;
}

TEST(no_failing_call_is_missed)
{
    fault_checks_loading(save_treebank, load_treebank, 1);
}

/* What a file that may be text is read as, each sentence followed by a bar; its failure, where it has one, is the
 * expected text's end. */
static void read_either(const char *text, const char *expected, const char *failure)
{
    const char *path = scratch_file("t", text);
    hl_conllu *reader;
    const hl_conllu_sentence *s = NULL;
    hl_text *printed = scratch_text();
    CHECK_OK(hl_conllu_open(path, HL_CONLLU_TEXT, &reader));
    hl_text_print(printed, "%s", "");
    hl_status status = hl_conllu_next(reader, &s);
    for (; status.code == HL_OK && s != NULL; status = hl_conllu_next(reader, &s)) {
        hl_conllu_print(s, HL_CONLLU_UPOS, NULL, printed);
        hl_text_print(printed, "|");
    }
    ck_assert_str_eq(printed->size > 0 ? printed->bytes : "", expected);
    if (failure != NULL) {
        refused_as(status, HL_BAD_FILE, path, failure);
    } else {
        ck_assert_str_eq(status.text, "");
        ck_assert_uint_eq(hl_conllu_rest(reader).size, 0);
    }
    hl_conllu_close(reader);
}

#define PLAIN(id, form) ROW(id, form, "_", "_", "_")

/* The first line that is neither empty nor begins with # tells it. */
TEST(a_line_of_text_is_a_sentence_where_that_is_allowed)
{
    static const char refused[] = "has a tab, but the file is read as plain text, because its first line has none";
    char with_line[128];
    read_either("Ada\xc2\xa0 sleeps  .\r\n \n\n# so\n\x0b"
                "end",
                PLAIN("1", "Ada") PLAIN("2", "sleeps") PLAIN("3", ".") "\n|\n\n" PLAIN("1", "#")
                    PLAIN("2", "so") "\n|" PLAIN("1", "end") "\n|",
                NULL);
    read_either("# one\n\n#two", PLAIN("1", "#") PLAIN("2", "one") "\n|\n" PLAIN("1", "#two") "\n|", NULL);
    read_either("\n# one\r\nb\n", "\n" PLAIN("1", "#") PLAIN("2", "one") "\n|" PLAIN("1", "b") "\n|", NULL);
    read_either("# a\r\n\n# b\n" ROW("1", "a b", "X", "_", "_") "\n# c\n" ROW("1", "c", "X", "_", "_"),
                "# a\r\n\n# b\n" ROW("1", "a b", "X", "_", "_") "\n|# c\n" ROW("1", "c", "X", "_", "_") "|", NULL);
    snprintf(with_line, sizeof with_line, ":2: %s", refused);
    read_either("a b\n" PLAIN("1", "c"), PLAIN("1", "a") PLAIN("2", "b") "\n|", with_line);
    read_either(PLAIN("1", "a") "\nb\n", PLAIN("1", "a") "\n|",
                ":3: has 1 column, not the 10 of CoNLL-U, which tabs separate");
    snprintf(with_line, sizeof with_line, ":1: %s", refused);
    read_either("# a\tb\n", "", with_line);
    read_either("", "", ": holds no sentence");
}

SUITE("conllu")
