/* Examples that somebody wrote to look at, by the tokens of a run. */
#include "data/text/private/text_data_parts.h"
#include "tests/data/text_data_show.h"

static const char bert[] = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\ndog\n##s\ncat\nsleep\n";

static void expect_written(const hl_text_spec *spec, const hl_text_data *of, const char *text, const char *shown,
                           int64_t cut)
{
    hl_text_spec mine = *spec;
    mine.file = scratch_file("mine", text);
    mine.validation_file = NULL;
    hl_text_data *written;
    CHECK_OK(hl_text_data_open_others(&mine, of, true, &written));
    check_validation(written, shown);
    ck_assert_int_eq(hl_text_data_noticed(written, HL_VALIDATION)->cut, cut);
    ck_assert_ptr_eq(hl_text_data_tokens(written), hl_text_data_tokens(of));
    hl_text_data_close(written);
}

static void expect_not_written(const hl_text_spec *spec, const hl_text_data *of, const char *text, const char *what)
{
    hl_text_spec mine = *spec;
    mine.file = scratch_file("mine", text);
    hl_text_data *written;
    hl_status status = hl_text_data_open_others(&mine, of, true, &written);
    ck_assert_int_eq(status.code, HL_BAD_FILE);
    ck_assert_msg(strstr(status.text, what) != NULL, "%s", status.text);
    ck_assert_ptr_null(written);
}

TEST(of_masked_lines_the_masks_are_asked_for_and_nothing_is_masked)
{
    static const char train[] = "dogs sleep\ncats sleep\ndogs\ncats\n";
    hl_text_spec spec = spec_of_two(HL_TEXT_MASKED, HL_TOKENS_WORDPIECE, train, train);
    spec.max_length = 6;
    spec.vocabulary = scratch_file("vocab.txt", bert);
    hl_text_data *data = kept_text(&spec);
    expect_written(&spec, data, "cat sleep\ndog [MASK]\ndogs dogs dogs\n",
                   "[CLS] cat sleep [SEP] | | 0 1 2 3 | 1/1\n[CLS] dog [MASK] [SEP] | 2:? | 0 1 2 3 | 2/2\n"
                   "[CLS] dog ##s dog ##s [SEP] | | 0 1 3 5 | 3/3\n",
                   1);
    expect_not_written(&spec, data, "dogs\n\xff\n", "mine:2:");
}

TEST(of_running_text_each_line_is_one_and_each_next_piece_is_asked_for)
{
    hl_text_spec spec = running_spec(scratch_file("train", "abcabcabcabcabcabcabcabc\n"), HL_TOKENS_CHARS, 4, 0);
    spec.validation_file = spec.file;
    hl_text_data *data = kept_text(&spec);
    expect_written(&spec, data, "ab\ncaabb\n", "a b | 0:b | 0 | 1/1\nc a a b | 0:a 1:a 2:b | 0 | 2/2\n", 1);
}

TEST(tags_keep_the_labels_of_training)
{
    static const char train[] = "1\tdog\t_\tNOUN\t_\t_\t_\t_\t_\t_\n2\tsleep\t_\tVERB\t_\t_\t_\t_\t_\t_\n\n";
    hl_text_spec spec = spec_of_two(HL_TEXT_TAGS, HL_TOKENS_WORDS, train, train);
    spec.max_length = 9;
    hl_text_data *data = kept_text(&spec);
    expect_written(&spec, data, "1\tsleep\t_\tVERB\t_\t_\t_\t_\t_\t_\n2\tdog\t_\tX\t_\t_\t_\t_\t_\t_\n\n",
                   "sleep dog | 0:VERB 1:? | 0 1 | 1/1\n", 0);
    expect_not_written(&spec, data, "1\tdog\t_\tNOUN\n\n", "mine:1:");
}

SUITE("written examples")
