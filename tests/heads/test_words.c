#include "heads/label.h"
#include "heads/words.h"
#include "tests/check_suite.h"

#include <string.h>

static int times_told(const char *name, bool as_label)
{
    int n = 0;
    hl_word word;
    for (int i = 0; hl_word_at(i, &word); i++) {
        n += strcmp(word.name, name) == 0 && (strcmp(word.group, "Labels") == 0) == as_label;
    }
    return n;
}

TEST(every_label_and_metric_is_told_once)
{
    for (int kind = 0; kind <= HL_LABEL_MIXED; kind++) {
        const char *name;
        hl_label_kind_meaning((hl_label_kind)kind, &name);
        ck_assert_msg(times_told(name, true) == 1, "%s", name);
    }
    int metric = 0;
    for (; hl_word_of_metric((hl_metric)metric) != NULL; metric++) {
        const char *name = hl_word_of_metric((hl_metric)metric)->name;
        ck_assert_msg(name != NULL && times_told(name, false) == 1, "metric %d", metric);
        ck_assert_str_ne(hl_word_meaning(name), "");
    }
    ck_assert_int_eq(metric, HL_METRIC_JS + 1);
    ck_assert_str_eq(hl_word_meaning("nothing"), "");
}

TEST(words_of_a_group_stand_together)
{
    hl_word word, other, before = { .group = "" };
    for (int i = 0; hl_word_at(i, &word); before = word, i++) {
        ck_assert(word.name[0] != '\0' && word.meaning[0] != '\0');
        for (int j = 0; j < i && strcmp(word.group, before.group) != 0; j++) {
            ck_assert(hl_word_at(j, &other));
            ck_assert_msg(strcmp(other.group, word.group) != 0, "%s begins twice", word.group);
        }
    }
}

SUITE("words")
