#include "data/text/text_data.h"

#include "core/base/threads.h"
#include "data/text/private/hash.h"
#include "tests/data/text_data_show.h"

#include <math.h>

static const char vocabulary_of_bert[] = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\ndog\n##s\ncat\nsleep\ndo\nn\n'\nt\na\n";

/* Masks of many sentences of 40 words: their number, and what they became, within five standard deviations. */
static void check_share(int64_t count, int64_t n, double share)
{
    double deviation = sqrt((double)n * share * (1 - share));
    ck_assert_msg(fabs((double)count - (double)n * share) < 5 * deviation, "%" PRId64 " of %" PRId64, count, n);
}

TEST(masks_are_15_percent_of_which_80_10_10)
{
    hl_text_spec spec = masked_spec(sentences_file("text"));
    hl_text_data *data = kept_text(&spec);
    hl_text_reader *reader = kept_reader(data);
    const hl_tokens *tokens = hl_text_data_tokens(data);
    int32_t mask = hl_tokens_role(tokens, HL_ROLE_MASK);
    int64_t n = hl_text_data_examples(data, HL_TRAIN), chosen[WORDS + 2] = { 0 }, masks = 0, kept = 0, all = 0;
    enum { PASSES = 10 };
    for (int64_t i = 0; i < PASSES * n; i++) {
        hl_text_example e;
        CHECK_OK(hl_text_data_read(reader, HL_TRAIN, 7, i, &e));
        ck_assert(e.n_tokens == WORDS + 2 && e.n_targets == 6); /* 15% of 40 */
        for (int64_t t = 0; t < e.n_targets; t++) {
            int32_t row = e.rows[t];
            ck_assert(row > 0 && row <= WORDS && (t == 0 || row > e.rows[t - 1]));
            chosen[row]++;
            masks += e.tokens[row] == mask;
            kept += e.tokens[row] == e.ids[t];
            ck_assert(e.tokens[row] == mask || !hl_tokens_is_special(tokens, e.tokens[row]));
            ck_assert(!hl_tokens_is_special(tokens, e.ids[t]));
        }
        all += e.n_targets;
    }
    check_share(masks, all, 0.8);
    check_share(kept, all, 0.1 + 0.1 / NAMES);
    for (int row = 1; row <= WORDS; row++) {
        check_share(chosen[row], PASSES * n, 0.15);
    }
}

/* Rounded, halves up, at least one; a half is 10 pieces. */
TEST(so_many_pieces_are_masked_as_the_sentence_has)
{
    static const struct {
        const char *line;
        int64_t masked;
    } lines[] = { { "a", 1 },
                  { "a b c d e f g h i", 1 },
                  { "a b c d e f g h i j", 2 },
                  { "a b c d e f g h i j k l m n o p", 2 },
                  { "a b c d e f g h i j k l m n o p q", 3 } };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        hl_text_spec spec = masked_spec(scratch_file("text", lines[i].line));
        spec.validation_file = spec.file;
        hl_text_reader *reader = kept_reader(kept_text(&spec));
        hl_text_example e;
        CHECK_OK(hl_text_data_read(reader, HL_VALIDATION, 7, 0, &e));
        ck_assert_int_eq(e.n_targets, lines[i].masked);
        scratch_end();
    }
}

TEST(whole_words_are_masked_as_wholes)
{
    hl_text_spec spec =
        masked_spec(scratch_file("text", "dogs cats sleeps do a do a cats a do sleeps dogs a\ndogs\n[UNK]\n"));
    spec.validation_file = spec.file;
    spec.vocabulary = scratch_file("vocab.txt", vocabulary_of_bert);
    spec.kind = HL_TOKENS_WORDPIECE;
    spec.whole_words = true;
    hl_text_data *data = kept_text(&spec);
    ck_assert_int_eq(hl_text_data_noticed(data, HL_TRAIN)->empty, 1);
    hl_text_reader *reader = kept_reader(data);
    bool pieces[2] = { false, false };
    for (uint64_t seed = 0; seed < 50; seed++) {
        hl_text_example e;
        CHECK_OK(hl_text_data_read(reader, HL_VALIDATION, seed, 1, &e));
        ck_assert(e.n_targets == 2 && e.rows[0] == 1 && e.rows[1] == 2); /* its only word exceeds the number, 1 */
        CHECK_OK(hl_text_data_read(reader, HL_VALIDATION, seed, 0, &e));
        ck_assert_int_eq(e.n_targets, 3); /* of 19 pieces */
        for (int64_t t = 0; t < e.n_targets; t++) {
            int64_t w = 0;
            while (w + 1 < e.n_words && e.words[w + 1] <= e.rows[t]) {
                w++;
            }
            int32_t begin = e.words[w], end = e.words[w + 1];
            bool alone = end - begin == 1;
            pieces[alone] = true;
            ck_assert(alone || (t > 0 && e.rows[t - 1] == begin) ||
                      (t + 1 < e.n_targets && e.rows[t + 1] == begin + 1));
        }
    }
    ck_assert(pieces[0] && pieces[1]);
}

TEST(training_is_drawn_anew_each_pass_and_validation_is_fixed)
{
    hl_text_spec spec = masked_spec(sentences_file("text"));
    hl_text_data *data = kept_text(&spec);
    int64_t n = hl_text_data_examples(data, HL_TRAIN);
    hl_text_reader *reader = reader_of(data);
    int64_t order[3 * SENTENCES] = { 0 }, differ = 0;
    hl_text masks[3][SENTENCES + 1];
    memset(masks, 0, sizeof masks);
    for (int64_t i = 0; i < 3 * n; i++) {
        hl_text_example e;
        uint64_t seed = i < 2 * n ? 1 : 2;
        CHECK_OK(hl_text_data_read(reader, HL_TRAIN, seed, i < 2 * n ? i : i - 2 * n, &e));
        order[i] = e.number;
        ck_assert_int_eq(masks[i / n][e.number].size, 0); /* once in each pass */
        print_example(data, &e, &masks[i / n][e.number]);
    }
    for (int64_t i = 0; i < n; i++) {
        differ += order[i] != order[n + i] && order[i] != order[2 * n + i];
    }
    ck_assert(differ > n * 9 / 10);
    for (int64_t s = 1; s <= SENTENCES; s++) {
        if (masks[0][s].size > 0) {
            ck_assert_str_ne(masks[0][s].bytes, masks[1][s].bytes);
            ck_assert_str_ne(masks[0][s].bytes, masks[2][s].bytes);
        }
        for (int pass = 0; pass < 3; pass++) {
            hl_text_free(&masks[pass][s]);
        }
    }
    hl_text_reader_close(reader);
    const char *first = shown_split(data, HL_VALIDATION, 1, 20);
    ck_assert_str_eq(first, shown_split(data, HL_VALIDATION, 1, 20));
    ck_assert_str_ne(first, shown_split(data, HL_VALIDATION, 2, 20));
}

typedef struct shared {
    const hl_text_data *data;
    uint64_t *digests; /* of each example of training */
} shared;

static void read_range(const void *context, hl_range range)
{
    const shared *all = context;
    hl_text_reader *reader = reader_of(all->data);
    for (int64_t i = range.begin; i < range.end; i++) {
        hl_text_example example;
        CHECK_OK(hl_text_data_read(reader, HL_TRAIN, 5, i, &example));
        uint64_t digest = hl_hash(HL_HASH, example.tokens, (size_t)example.n_tokens * sizeof *example.tokens);
        digest = hl_hash(digest, example.rows, (size_t)example.n_targets * sizeof *example.rows);
        all->digests[i] = hl_hash(digest, example.ids, (size_t)example.n_targets * sizeof *example.ids);
    }
    hl_text_reader_close(reader);
}

TEST(threads_read_the_same_data_each_by_a_reader)
{
    enum { EXAMPLES = 600 }; /* the second pass has another order and other masks */
    static uint64_t alone[EXAMPLES], together[EXAMPLES];
    hl_text_spec spec = masked_spec(sentences_file("text"));
    hl_text_data *data = kept_text(&spec);
    ck_assert_int_lt(hl_text_data_examples(data, HL_TRAIN), EXAMPLES);
    hl_threads_run(1, EXAMPLES, 1, read_range, &(shared){ data, alone });
    hl_threads_run(4, EXAMPLES, 1, read_range, &(shared){ data, together });
    ck_assert_mem_eq(alone, together, sizeof alone);
}

/* Of words each of which is one piece: the share that is unknown, what else the example says, and that the next pass
 * drops others; validation reads all. */
TEST(training_does_not_read_the_pieces_that_are_dropped)
{
    hl_text_spec spec = masked_spec(sentences_file("text"));
    spec.task = HL_TEXT_CLASSES;
    spec.file = scratch_file("rows.tsv", "a b c d e f g h i j\tX\nb c d e f g h i j a\tY\n");
    spec.validation_file = spec.file;
    spec.text_column = "1";
    spec.label_column = "2";
    spec.drop_pieces = 0.2;
    hl_text_data *data = kept_text(&spec);
    hl_text_reader *reader = kept_reader(data);
    int32_t unknown = hl_tokens_role(hl_text_data_tokens(data), HL_ROLE_UNK);
    enum { READ = 2000, PIECES = 10 };
    int64_t dropped = 0, as_before[PIECES + 2] = { 0 };
    bool before[PIECES + 2] = { false };
    for (int64_t i = 0; i < READ; i++) {
        hl_text_example e;
        CHECK_OK(hl_text_data_read(reader, HL_TRAIN, 7, i, &e));
        ck_assert(e.n_tokens == PIECES + 2 && e.n_words == PIECES + 2 && e.n_targets == 1 && e.rows[0] == 0);
        ck_assert(e.tokens[0] != unknown && e.tokens[PIECES + 1] != unknown);
        for (int row = 1; row <= PIECES; row++) {
            bool now = e.tokens[row] == unknown;
            dropped += now;
            as_before[row] += now && before[row];
            before[row] = now;
        }
    }
    check_share(dropped, READ * PIECES, 0.2);
    for (int row = 1; row <= PIECES; row++) {
        check_share(as_before[row], READ, 0.04);
    }
    hl_text_example e;
    CHECK_OK(hl_text_data_read(reader, HL_VALIDATION, 7, 0, &e));
    for (int row = 0; row < PIECES + 2; row++) {
        ck_assert_int_ne(e.tokens[row], unknown);
    }
}

TEST(pieces_are_dropped_only_where_that_makes_sense)
{
    static const struct {
        hl_text_task task;
        hl_tokens_kind kind;
        double share;
        const char *what;
    } cases[] = {
        { HL_TEXT_MASKED, HL_TOKENS_WORDS, 0.1, "task.drop_pieces = 0.1: must be 0 or more, below 1, and 0 but for" },
        { HL_TEXT_CLASSES, HL_TOKENS_WORDS, 1, "task.drop_pieces = 1: must be 0 or more, below 1, and 0 but for" },
        { HL_TEXT_CLASSES, HL_TOKENS_WORDS, -0.5,
          "task.drop_pieces = -0.5: must be 0 or more, below 1, and 0 but for" },
        { HL_TEXT_CLASSES, HL_TOKENS_BYTES, 0.1, "the tokens have no unknown token to stand for a piece" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hl_text_spec spec = masked_spec(scratch_file("rows.tsv", "a b\tX\nb a\tY\n"));
        spec.validation_file = spec.file;
        spec.task = cases[i].task;
        spec.kind = cases[i].kind;
        spec.text_column = "1";
        spec.label_column = "2";
        spec.size = cases[i].kind == HL_TOKENS_BYTES ? 256 : 0;
        spec.drop_pieces = cases[i].share;
        check_refused(&spec, HL_INVALID, cases[i].what);
        scratch_end();
    }
}

TEST(examples_that_are_not_there_are_refused)
{
    hl_text_spec spec = masked_spec(sentences_file("text"));
    hl_text_data *data = kept_text(&spec);
    hl_text_reader *reader = kept_reader(data);
    hl_text_example example;
    const hl_split none = (hl_split)2;
    int64_t n = hl_text_data_examples(data, HL_VALIDATION);
    ck_assert_int_eq(hl_text_data_read(reader, HL_VALIDATION, 1, n, &example).code, HL_INVALID);
    ck_assert_int_eq(hl_text_data_read(reader, HL_TRAIN, 1, -1, &example).code, HL_INVALID);
    ck_assert_int_eq(hl_text_data_read(reader, HL_TRAIN, 1, INT64_MAX, &example).code, HL_INVALID);
    ck_assert_int_eq(hl_text_data_read(reader, none, 1, 0, &example).code, HL_INVALID);
    ck_assert_int_eq(hl_text_data_examples(data, none), 0);
    ck_assert_int_eq(hl_text_data_longest(data, none), 0);
    ck_assert_ptr_null(hl_text_data_noticed(data, none));
}

SUITE("text masks")
