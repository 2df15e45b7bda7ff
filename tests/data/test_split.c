#include "data/text/split.h"

#include "data/text/private/corpus_file.h"
#include "data/text/private/text_data_parts.h"
#include "tests/check_suite.h"

#include <stdio.h>

static uint64_t of_pair(const char *a, size_t a_size, const char *b, size_t b_size)
{
    return hl_content_add(hl_content_add(HL_CONTENT_NOTHING, a, a_size), b, b_size);
}

TEST(content_decides_and_parts_keep_their_borders)
{
    ck_assert_uint_eq(of_pair("ab", 2, "c", 1), of_pair("ab", 2, "c", 1));
    ck_assert_uint_ne(of_pair("ab", 2, "c", 1), of_pair("a", 1, "bc", 2));
    ck_assert_uint_ne(of_pair("ab", 2, "", 0), of_pair("", 0, "ab", 2));
    ck_assert_uint_ne(of_pair("ab", 2, "", 0), hl_content_add(HL_CONTENT_NOTHING, "ab", 2));
}

TEST(a_share_of_all_content_is_validation)
{
    enum { N = 20000 };
    static const double shares[] = { 0, 0.1, 0.5, 1 };
    for (size_t s = 0; s < 4; s++) {
        int n_chosen = 0, larger = 0;
        for (int i = 0; i < N; i++) {
            char text[32];
            uint64_t hash =
                hl_content_add(HL_CONTENT_NOTHING, text, (size_t)snprintf(text, sizeof text, "sentence %d", i));
            bool chosen = hl_content_is_validation(hash, shares[s]);
            n_chosen += chosen;
            larger += chosen && hl_content_is_validation(hash, shares[s] + 0.05);
        }
        ck_assert_msg(n_chosen >= N * (shares[s] - 0.01) && n_chosen <= N * (shares[s] + 0.01), "%d of %d for %g",
                      n_chosen, N, shares[s]);
        ck_assert_int_eq(larger, n_chosen); /* a larger share holds a smaller one */
    }
    char chosen[27] = ""; /* runs keep their split: these never change */
    size_t n = 0;
    for (const char *c = "abcdefghijklmnopqrstuvwxyz"; *c != '\0'; c++) {
        if (hl_content_is_validation(hl_content_add(HL_CONTENT_NOTHING, c, 1), 0.3)) {
            chosen[n++] = *c;
        }
    }
    ck_assert_str_eq(chosen, "fkmnpqrwxyz");
}

/* The last window fits with its last target, and another one would not. */
TEST(windows_fill_each_part)
{
    for (int64_t n = 0; n < 60; n++) {
        for (int64_t length = 1; length < 8; length++) {
            hl_corpus corpus = { .end.n_numbers = n };
            hl_text_data data = {
                .task = HL_TEXT_NEXT, .running = true, .length = length, .corpora = { &corpus, &corpus }
            };
            for (hl_split split = HL_TRAIN; split <= HL_VALIDATION; split++) {
                int64_t count = hl_text_data_examples(&data, split), stride = hl_text_data_stride(&data, split);
                ck_assert(count == 0 || (count - 1) * stride + length + 1 <= n);
                ck_assert_int_gt(count * stride + length + 1, n);
            }
        }
    }
}

SUITE("split")
