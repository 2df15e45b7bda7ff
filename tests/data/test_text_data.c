#include "data/text/text_data.h"
#include "data/text/tokens_file.h"
#include "tests/data/text_data_show.h"
#include "tests/faults.h"
#include "tests/scratch.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static const char treebank[] = "# newdoc\n1\tDogs\t_\tNOUN\t_\t_\t_\t_\t_\t_\n2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_\n"
                               "2\tdo\t_\tAUX\t_\t_\t_\t_\t_\t_\n3\tn't\t_\tPART\t_\t_\t_\t_\t_\t_\n\n"
                               "1\tCats\t_\tNOUN\t_\t_\t_\t_\t_\t_\n2\tsleep\t_\tVERB\t_\t_\t_\t_\t_\t_\n\n";
static const char other_treebank[] = "1\tDogs\t_\tNOUN\t_\t_\t_\t_\t_\t_\n2\twow\t_\tINTJ\t_\t_\t_\t_\t_\t_\n"
                                     "3\tsleep\t_\tVERB\t_\t_\t_\t_\t_\t_\n";
static const char bert[] = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\ndog\n##s\ncat\nsleep\ndo\nn\n'\nt\na\n";

TEST(tags_have_a_target_for_each_words_first_piece)
{
    hl_text_spec spec = spec_of_two(HL_TEXT_TAGS, HL_TOKENS_WORDPIECE, "", other_treebank);
    spec.file = gzip_file("train.gz", treebank);
    spec.vocabulary = scratch_file("vocab.txt", bert);
    spec.lowercase = true;
    hl_text_data *data = kept_text(&spec);
    ck_assert_int_eq(hl_text_data_examples(data, HL_TRAIN), 2);
    check_validation(data, "[CLS] dog ##s [UNK] sleep [SEP] | 1:NOUN 3:? 4:VERB | 0 1 3 4 5 | 1/1\n");
    const char *text = shown_split(data, HL_TRAIN, 1, 2);
    ck_assert_ptr_nonnull(strstr(text, "[CLS] dog ##s do n ' t [SEP] | 1:NOUN 3:AUX 4:PART | 0 1 3 4 7 | 2/1\n"));
    ck_assert_ptr_nonnull(strstr(text, "[CLS] cat ##s sleep [SEP] | 1:NOUN 3:VERB | 0 1 3 4 | 7/2\n"));
    double mean; /* of 8 and 5 */
    CHECK_OK(hl_text_data_mean_length(data, &mean));
    ck_assert_double_eq(mean, 6.5);
    const hl_tokens *labels = hl_text_data_targets(data);
    ck_assert_int_eq(hl_tokens_size(labels), 4);
    static const char *const sorted[] = { "AUX", "NOUN", "PART", "VERB" };
    for (int32_t id = 0; id < 4; id++) {
        ck_assert_str_eq(hl_tokens_piece(labels, id, NULL), sorted[id]);
    }
    const hl_text_notices *notices = hl_text_data_noticed(data, HL_VALIDATION);
    ck_assert(notices->unseen == 1 && notices->unknown == 1 && notices->cut == 0);
    spec.max_length = 5; /* the third word has pieces 4 to 6 */
    data = kept_text(&spec);
    ck_assert_ptr_nonnull(strstr(hl_text_data_noticed(data, HL_TRAIN)->made_because, "was made otherwise"));
    ck_assert_int_eq(hl_text_data_noticed(data, HL_TRAIN)->cut, 1);
    ck_assert_int_eq(hl_text_data_longest(data, HL_TRAIN), 5);
    check_validation(data, "[CLS] dog ##s [UNK] [SEP] | 1:NOUN 3:? | 0 1 3 4 | 1/1\n");
    spec.max_length = 6; /* one of that word's pieces would fit */
    data = kept_text(&spec);
    text = shown_split(data, HL_TRAIN, 1, 2);
    ck_assert_ptr_nonnull(strstr(text, "[CLS] dog ##s do [SEP] | 1:NOUN 3:AUX | 0 1 3 4 | 2/1\n"));
    spec.max_length = 3;
    data = kept_text(&spec);
    check_validation(data, "[CLS] dog [SEP] | 1:NOUN | 0 1 2 | 1/1\n");
}

static hl_text_spec classes_spec(const char *train, const char *validation)
{
    return spec_of_two(HL_TEXT_CLASSES, HL_TOKENS_WORDS, train, validation);
}

TEST(classes_have_one_label_of_a_text_or_a_pair)
{
    hl_text_spec spec =
        classes_spec("label\ttext\nno\tb a\nyes\ta\n\"\t\nno\t\n", "label\ttext\nperhaps\ta c\nyes\tb\n");
    hl_text_data *data = kept_text(&spec);
    ck_assert_int_eq(hl_text_data_noticed(data, HL_TRAIN)->empty, 2);
    check_validation(data, "<cls> a <unk> <sep> | 0:? | 0 1 2 3 | 2/1\n<cls> b <sep> | 0:yes | 0 1 2 | 3/2\n");
    scratch_end();
    spec = classes_spec("a b c\ty\td\n", "a b c\ty\td e\nb\tx\tc d a b c\n");
    spec.text_column = "1,3";
    spec.label_column = "2";
    spec.max_length = 7;
    data = kept_text(&spec);
    check_validation(data, "<cls> a b <sep> d <unk> <sep> | 0:y | 0 1 2 3 4 5 6 | 1/1 types 0 0 0 0 1 1 1\n"
                           "<cls> b <sep> c d a <sep> | 0:? | 0 1 2 3 4 5 6 | 2/2 types 0 0 0 1 1 1 1\n");
    ck_assert_int_eq(hl_text_data_noticed(data, HL_VALIDATION)->cut, 2);
}

TEST(a_toy_task_is_a_file)
{
    hl_text_spec spec = classes_spec("tokens\ttargets\tsources\na b\tb X\t1 _\n",
                                     "tokens\ttargets\tsources\nb c\t_ Y\t_ 0\nX b\ta b\t0 1\n");
    spec.task = HL_TEXT_FILE;
    hl_text_data *data = kept_text(&spec);
    ck_assert_ptr_eq(hl_text_data_targets(data), hl_text_data_tokens(data));
    ck_assert_int_eq(hl_tokens_size(hl_text_data_tokens(data)), 4);
    check_validation(data, "b <unk> | 1:? | 0 1 | 2/1 sources -1 0\nX b | 0:a 1:b | 0 1 | 3/2 sources 0 1\n");
    ck_assert_int_eq(hl_text_data_noticed(data, HL_VALIDATION)->unseen, 1);
    scratch_end();
    spec = classes_spec("tokens\ttargets\na b\tb a\n", "tokens\ttargets\na\tb\n");
    spec.task = HL_TEXT_FILE;
    data = kept_text(&spec);
    check_validation(data, "a | 0:b | 0 | 2/1\n");
    hl_text_data *none;
    spec.max_length = 1;
    refused_as(hl_text_data_open(&spec, &none), HL_BAD_FILE, spec.file, ":2: has 2 tokens, more than max_length = 1");
    ck_assert_ptr_null(none);
}

/* A text of some thousand characters, whose words and white space vary. */
static char *running_text(size_t *size)
{
    static const char *const words[] = { "a", "don't", "wörter", "12", "—", "I'll", "längeres" };
    static const char *const white[] = { " ", "\n", " ", "\n\n  \n", "  ", " \n" };
    hl_text text = { 0 };
    for (uint32_t i = 0; i < 600; i++) {
        uint32_t word = hl_random_word((hl_random){ .seed = 3 }, i);
        hl_text_print(&text, "%s%s", words[word % 7], white[(word >> 8) % 6]);
    }
    *size = text.size;
    return text.bytes;
}

/* The part's pieces, read window by window, are those of the part as a whole. */
static void check_part(const hl_text_data *data, hl_split split, const char *text, size_t size)
{
    hl_pieces pieces = { 0 };
    const hl_tokens *tokens = hl_text_data_tokens(data);
    hl_status status = split == HL_TRAIN ? hl_tokens_encode(tokens, text, size, true, &pieces)
                                         : hl_tokens_encode_more(tokens, text, size, true, &pieces);
    ck_assert_int_eq(status.code, HL_OK);
    int64_t n = hl_text_data_examples(data, split), stride = split == HL_TRAIN ? 1 : 8, sum = 0;
    ck_assert_int_eq(n, ((int64_t)pieces.n - 9) / stride + 1);
    hl_text_reader *reader = kept_reader(data);
    for (int64_t i = 0; i < n; i++) {
        hl_text_example example;
        CHECK_OK(hl_text_data_read(reader, split, 5, i, &example));
        ck_assert(example.n_tokens == 8 && example.n_targets == 8 && example.line == 0);
        sum += example.number / stride;
        for (int64_t row = 0; row < 8; row++) {
            ck_assert_int_eq(example.rows[row], row);
            ck_assert_int_eq(example.tokens[row], pieces.at[example.number + row].id);
            ck_assert_int_eq(example.ids[row], pieces.at[example.number + row + 1].id);
        }
    }
    ck_assert_int_eq(sum, n * (n - 1) / 2); /* each window once */
    hl_pieces_free(&pieces);
}

/* Where the last tenth of the text begins, at a whole character. */
static size_t border_of(const char *text, size_t size)
{
    size_t border = size - (size_t)floor(0.1 * (double)size);
    while (((unsigned char)text[border] & 0xC0) == 0x80) {
        border++;
    }
    return border;
}

TEST(windows_of_running_text_are_those_of_each_part_as_a_whole)
{
    static const hl_tokens_kind kinds[] = { HL_TOKENS_CHARS, HL_TOKENS_BYTES, HL_TOKENS_BPE, HL_TOKENS_WORDS,
                                            HL_TOKENS_UNIGRAM };
    size_t size;
    char *text = running_text(&size);
    size_t border = border_of(text, size);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        hl_text_spec spec =
            running_spec(k == 1 ? gzip_file("text", text) : scratch_file("text", text), kinds[k], 8, 0.1);
        spec.vocabulary = kinds[k] == HL_TOKENS_UNIGRAM ? HL_TEST_TOKENS "/unigram_tokenizer.json" : NULL;
        hl_text_data *data = kept_text(&spec);
        check_part(data, HL_TRAIN, text, border);
        check_part(data, HL_VALIDATION, text + border, size - border);
        if (kinds[k] == HL_TOKENS_BPE) { /* learned over ends of lines, too */
            ck_assert_int_ge(hl_tokens_find(hl_text_data_tokens(data), "ĊĊ", strlen("ĊĊ")), 0);
        }
        scratch_end();
    }
    free(text);
}

/* Lines of running text may be longer than what is read at once, here more than twice. Where they hold no blank for
 * long, chars and bytes are the same, too. */
LOOP_TEST(lines_of_running_text_have_any_length, 0, 4)
{
    enum { MANY = 400 * 1000, LETTERS = 3 << 19 };
    static const hl_tokens_kind kinds[] = { HL_TOKENS_BPE, HL_TOKENS_WORDS, HL_TOKENS_CHARS, HL_TOKENS_BYTES };
    hl_tokens_kind kind = kinds[_i];
    hl_text text = { 0 };
    for (uint32_t i = 0; i < MANY; i++) {
        hl_text_print(&text, "%s%s", hl_random_word((hl_random){ .seed = 4 }, i) % 3 == 0 ? "ä" : "don't",
                      i % 9 == 0 ? "  " : " ");
    }
    for (uint32_t i = 0; i < LETTERS && (kind == HL_TOKENS_CHARS || kind == HL_TOKENS_BYTES); i++) {
        hl_text_add(&text, "é", 2);
    }
    hl_text_print(&text, "\nlast");
    CHECK_OK(hl_text_status(&text));
    size_t border = border_of(text.bytes, text.size);
    hl_text_spec spec = running_spec(scratch_file("text", text.bytes), kind, 8, 0.1);
    hl_text_data *data = kept_text(&spec);
    hl_pieces pieces = { 0 };
    CHECK_OK(hl_tokens_encode(hl_text_data_tokens(data), text.bytes, border, true, &pieces));
    int64_t n = hl_text_data_examples(data, HL_TRAIN);
    ck_assert_int_eq(n, (int64_t)pieces.n - 8);
    hl_text_reader *reader = kept_reader(data);
    for (int64_t i = 0; i < n; i += 97) {
        hl_text_example example;
        CHECK_OK(hl_text_data_read(reader, HL_TRAIN, 5, i, &example));
        for (int64_t row = 0; row < 8; row++) {
            ck_assert_int_eq(example.tokens[row], pieces.at[example.number + row].id);
        }
    }
    hl_pieces_free(&pieces);
    hl_text_free(&text);
}

/* The text is cut for reading, and at the border, where no space is added: between lines and inside the only line. */
LOOP_TEST(tokens_that_put_a_space_before_a_text_do_so_once, 0, 2)
{
    size_t size, json_size;
    char *text = running_text(&size);
    for (char *at = text; _i == 1 && (at = strchr(at, '\n')) != NULL;) {
        *at = ' ';
    }
    hl_text_spec spec = running_spec(scratch_file("text", text), HL_TOKENS_BPE, 8, 0.1);
    hl_text_data *data = kept_text(&spec);
    const char *path = scratch_path("tokens.json");
    CHECK_OK(hl_tokens_save(hl_text_data_tokens(data), path));
    char *json = scratch_read(path, &json_size), *rule = strstr(json, "\"prefix_space\":false");
    ck_assert_ptr_nonnull(rule);
    hl_text changed = { 0 };
    hl_text_print(&changed, "%.*s\"prefix_space\":true%s", (int)(rule - json), json,
                  rule + strlen("\"prefix_space\":false"));
    scratch_end();
    spec = running_spec(scratch_file("text", text), HL_TOKENS_BPE, 8, 0.1);
    spec.vocabulary = scratch_file("spaced-tokens.json", changed.bytes);
    hl_text_free(&changed);
    data = kept_text(&spec);
    size_t border = border_of(text, size);
    check_part(data, HL_TRAIN, text, border);
    check_part(data, HL_VALIDATION, text + border, size - border);
    free(json);
    free(text);
}

TEST(words_begin_with_the_white_space_before_them)
{
    hl_text_spec spec = running_spec(scratch_file("text", "ab  cd\nef"), HL_TOKENS_CHARS, 8, 0.1);
    spec.validation_file = spec.file;
    hl_text_data *data = kept_text(&spec);
    check_validation(data, "a b     c d \n e | 0:b 1:  2:  3:c 4:d 5:\n 6:e 7:f | 0 2 6 | 0/0\n");
}

TEST(no_content_is_in_both_splits)
{
    hl_text text = { 0 };
    for (int i = 0; i < 600; i++) {
        hl_text_print(&text, "l%d\tt%d\n", i % 3, i % 150); /* each text four times, with all labels */
    }
    hl_text_spec spec = classes_spec(text.bytes, "");
    spec.text_column = "2";
    spec.label_column = "1";
    spec.validation_file = NULL;
    spec.validation_share = 0.3;
    hl_text_data *data = kept_text(&spec);
    const hl_tokens *tokens = hl_text_data_tokens(data);
    hl_text_reader *reader = kept_reader(data);
    int64_t n[2] = { hl_text_data_examples(data, HL_TRAIN), hl_text_data_examples(data, HL_VALIDATION) };
    ck_assert(n[0] + n[1] == 600 && n[1] > 100 && n[1] < 260);
    ck_assert_int_eq(hl_tokens_size(tokens), n[0] / 4 + 3); /* training's words alone */
    for (int64_t i = 0; i < n[1]; i++) {
        hl_text_example e;
        CHECK_OK(hl_text_data_read(reader, HL_VALIDATION, 1, i, &e));
        ck_assert_int_eq(e.tokens[1], hl_tokens_role(tokens, HL_ROLE_UNK));
    }
    hl_text_free(&text);
}

static int64_t calls;

static hl_status count_calls(void *context, const char *what, int64_t done, int64_t total)
{
    (void)context;
    (void)what;
    ck_assert(total == 0 || done <= total);
    calls++;
    return hl_ok();
}

static hl_status stop(void *context, const char *what, int64_t done, int64_t total)
{
    (void)what;
    (void)done;
    (void)total;
    int64_t *left = context;
    return --*left < 0 ? hl_error(HL_FAILED, "a signal") : hl_ok();
}

TEST(what_is_made_is_taken_up_and_needs_its_source_no_more)
{
    hl_text_spec spec = masked_spec(sentences_file("text"));
    spec.progress = count_calls;
    hl_text_data *data = kept_text(&spec);
    ck_assert_int_gt(calls, 0);
    const char *before = shown_split(data, HL_VALIDATION, 1, 20);
    unlink(spec.file);
    spec.keep = true;
    calls = 0;
    data = kept_text(&spec);
    const char *after = shown_split(data, HL_VALIDATION, 1, 20);
    ck_assert_str_eq(before, after);
    ck_assert_int_eq(calls, 0);
    ck_assert_int_eq(unlink(scratch_path("tokens.json")), 0);
    check_refused(&spec, HL_BAD_FILE, "tokens.json");
    spec.keep = false;
    check_refused(&spec, HL_BAD_FILE, "text: cannot open");
}

TEST(a_label_that_is_new_in_training_is_refused)
{
    hl_text_spec spec = classes_spec("text\tlabel\na\tx\n", "text\tlabel\na\tx\n");
    hl_text_data_close(opened_text(&spec));
    scratch_file("train", "text\tlabel\na\tx\nb\tnew\n");
    check_refused(&spec, HL_BAD_FILE, "train:3: the label new is not in ");
}

/* Ends itself in the middle of the making, as by kill -9. */
static hl_status die(void *context, const char *what, int64_t done, int64_t total)
{
    (void)done;
    (void)total;
    if (strcmp(what, context) == 0) {
        raise(SIGKILL);
    }
    return hl_ok();
}

TEST(one_that_is_killed_is_taken_over_and_a_signal_ends_it)
{
    static const char *const stages[] = { "learning tokens", "train.cache", "validation.cache" };
    hl_text text = { 0 };
    for (int i = 0; i < 5000; i++) {
        hl_text_print(&text, "s%d x\n", i);
    }
    char *expected = NULL;
    for (int stage = 0; stage <= 3; stage++) {
        hl_text_spec spec = masked_spec(scratch_file("text", text.bytes));
        int64_t left = 0;
        hl_text_data *data;
        spec.progress = stop;
        spec.context = &left;
        refused_as(hl_text_data_open(&spec, &data), HL_FAILED, "a signal", "");
        if (stage < 3) {
            spec.progress = die;
            spec.context = (void *)stages[stage];
            pid_t child = fork();
            if (child == 0) {
                hl_text_data_open(&spec, &data);
                _exit(0);
            }
            int status;
            ck_assert_int_eq(waitpid(child, &status, 0), child);
            ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        }
        spec.progress = NULL;
        data = opened_text(&spec);
        const char *found = shown_split(data, HL_TRAIN, 1, 100);
        expected = expected != NULL ? expected : strdup(found);
        ck_assert_str_eq(found, expected);
        hl_text_data_close(data);
        scratch_end();
    }
    free(expected);
    hl_text_free(&text);
}

TEST(several_processes_make_the_same)
{
    enum { PROCESSES = 4 };
    hl_text_spec spec = masked_spec(sentences_file("text"));
    pid_t processes[PROCESSES];
    for (int p = 0; p < PROCESSES; p++) {
        processes[p] = fork();
        if (processes[p] == 0) {
            hl_text_data *data;
            bool good =
                hl_text_data_open(&spec, &data).code == HL_OK && hl_tokens_size(hl_text_data_tokens(data)) > NAMES;
            _exit(good ? 0 : 1);
        }
    }
    for (int p = 0; p < PROCESSES; p++) {
        int status;
        ck_assert_int_eq(waitpid(processes[p], &status, 0), processes[p]);
        ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    spec.keep = true;
    hl_text_data_close(opened_text(&spec));
    ck_assert(!scratch_exists(scratch_path("tokens.json.tmp")));
}

TEST(what_cannot_be_is_refused_by_its_key)
{
    const hl_text_spec good = masked_spec(scratch_file("text", "a b c d e f g\nh i\n"));
    hl_text_spec spec = good;
    spec.file = "-";
    check_refused(&spec, HL_INVALID, "task.file = -");
    spec = good;
    spec.validation_file = "-";
    check_refused(&spec, HL_INVALID, "task.validation_file = -");
    spec = good;
    spec.file = NULL;
    check_refused(&spec, HL_INVALID, "task.file is missing");
    spec = good;
    spec.validation_share = 1;
    check_refused(&spec, HL_INVALID, "task.validation_share = 1");
    spec.validation_share = (double)NAN;
    check_refused(&spec, HL_INVALID, "task.validation_share");
    spec = good;
    spec.task = HL_TEXT_NEXT;
    check_refused(&spec, HL_INVALID, "task.length = 0");
    spec.length = 65;
    check_refused(&spec, HL_INVALID, "max_length = 64: must be from 65");
    spec.line_mb = -1;
    check_refused(&spec, HL_INVALID, "task.line_mb = -1: must be from 1 to 1048576");
    spec.line_mb = 0;
    spec.length = 7;
    check_refused(&spec, HL_BAD_FILE, "text: its training part has 7 pieces, too few for a window of 7");
    check_refused(
        &(hl_text_spec){
            .task = HL_TEXT_TAGS, .file = good.file, .validation_share = 0.5, .max_length = 9, .column = "POS" },
        HL_INVALID, "task.column = POS");
    check_refused(
        &(hl_text_spec){
            .task = HL_TEXT_CLASSES, .file = good.file, .validation_share = 0.5, .max_length = 9, .text_column = "a" },
        HL_INVALID, "task.label_column is missing");
    check_refused(
        &(hl_text_spec){
            .task = HL_TEXT_FILE, .file = good.file, .validation_share = 0.5, .max_length = 9, .kind = HL_TOKENS_BPE },
        HL_INVALID, "tokens.kind = words");
    scratch_end();
    spec = masked_spec(scratch_file("text", "a b\n"));
    spec.vocabulary = "pieces.bin";
    check_refused(&spec, HL_INVALID, "tokens.vocabulary = pieces.bin");
    spec.vocabulary = scratch_file("my.txt", "[UNK]\na\n");
    check_refused(&spec, HL_INVALID, "my.txt: holds tokens of kind wordpiece; tokens.kind is words");
    spec.kind = HL_TOKENS_WORDPIECE;
    check_refused(&spec, HL_INVALID, "my.txt: has no mask token, which the task masked needs");
    spec = classes_spec("text\tlabel\na\t\n", "text\tlabel\na\tx\n");
    check_refused(&spec, HL_BAD_FILE, "train:2: the label is empty");
    spec.file = scratch_file("train", "text\tlabel\na\xff\tx\n");
    check_refused(&spec, HL_BAD_FILE, "train:2:2: is not UTF-8");
    spec.file = scratch_file("train", "text\tlabel\na\tx\n");
    spec.max_length = 2;
    check_refused(&spec, HL_INVALID, "max_length = 2: 2 special tokens stand around a text");
    scratch_end();
    spec = masked_spec(scratch_file("text", "a b\n"));
    spec.validation_file = scratch_file("other", "\n");
    check_refused(&spec, HL_BAD_FILE, "other: holds no example: no line in it has a token");
    spec.validation_file = NULL;
    spec.validation_share = 1e-9;
    check_refused(&spec, HL_BAD_FILE,
                  "text: holds no example for validation: raise task.validation_share, or name a task.validation_file");
}

/* Makes everything anew with each file call, and each allocation, failing in turn. */
TEST(no_failing_call_leaves_what_cannot_be_taken_over)
{
    hl_text_spec spec = classes_spec("text\tlabel\na\tx\nb\ty\n", "text\tlabel\na\tx\n");
    static const char *const made[] = { "tokens.json", "labels.json", "train.cache", "validation.cache" };
    faults_begin();
    for (int kind = 0; kind < 4; kind++) {
        bool reached = true;
        for (int n = 1; reached; n++) {
            for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) {
                unlink(scratch_path(made[i]));
            }
            hl_text_data *data;
            hl_text_reader *reader = NULL;
            hl_text_example example;
            faults_in_files(kind < 2 ? n : 0, (faults_kind)(kind % 2), EIO);
            faults_in_memory(kind < 2 ? 0 : n, (faults_kind)(kind % 2));
            hl_status status = hl_text_data_open(&spec, &data);
            HL_THEN(status, hl_text_reader_open(data, &reader));
            HL_THEN(status, hl_text_data_read(reader, HL_TRAIN, 1, 0, &example));
            reached = (kind < 2 ? faults_file_calls() : faults_allocations()) >= n;
            ck_assert_msg(status.code == HL_OK || (reached && status.code == (kind < 2 ? HL_BAD_FILE : HL_NO_MEMORY)),
                          "call %d: %s", n, status.text);
            hl_text_reader_close(reader);
            hl_text_data_close(data);
            ck_assert_msg(faults_open_files() == 0 && faults_live_blocks() == 0, "call %d: %s", n, status.text);
            faults_in_files(0, FAULTS_ONCE, 0);
            faults_in_memory(0, FAULTS_ONCE);
            data = opened_text(&spec);
            check_validation(data, "<cls> a <sep> | 0:x | 0 1 2 | 2/1\n");
            hl_text_data_close(data);
        }
    }
    faults_end();
}

SUITE("text data")
