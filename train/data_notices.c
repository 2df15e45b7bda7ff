#include "train/private/data_notices.h"

#include "core/base/units.h"

static void note(hl_text *notices, const char *of, int64_t n, const char *one, const char *many)
{
    if (n > 0) {
        char number[HL_UNITS_TEXT];
        hl_text_print(notices, "%s: %s %s\n", of, hl_units_count(n, number), n == 1 ? one : many);
    }
}

/* Of examples and their tokens. */
static void print_split(const hl_text_notices *n, const char *split, hl_text *notices)
{
    note(notices, split, n->cut, "sentence was cut to the longest that is allowed (model.max_length)",
         "sentences were cut to the longest that is allowed (model.max_length)");
    note(notices, split, n->empty, "line or sentence without a token was left out",
         "lines or sentences without a token were left out");
    note(notices, split, n->unseen, "target that training does not have counts as answered wrong",
         "targets that training does not have count as answered wrong");
    note(notices, split, n->unknown, "token is the unknown one", "tokens are the unknown one");
    if (n->ignored) {
        hl_text_print(notices, "%s: the tokenizer's truncation and padding are not used\n", split);
    }
    if (*n->made_because != '\0') {
        hl_text_print(notices, "%s: made anew: %s\n", split, n->made_because);
    }
}

/* Of the lines of a file. */
static void print_file(const hl_text_notices *n, const char *file, hl_text *notices)
{
    note(notices, file, n->crlf, "line ended with a carriage return, which is dropped",
         "lines ended with a carriage return, which is dropped");
    if (n->mark) {
        hl_text_print(notices, "%s: the byte order mark at its start is dropped\n", file);
    }
}

void hl_data_notices_print(const hl_text_data *data, const hl_text_spec *spec, hl_text *notices)
{
    const hl_text_notices *train = hl_text_data_noticed(data, HL_TRAIN);
    const hl_text_notices *validation = hl_text_data_noticed(data, HL_VALIDATION);
    const hl_tokens *targets = hl_text_data_targets(data);
    if (targets != hl_text_data_tokens(data) && hl_tokens_size(targets) == 1) {
        hl_text_print(notices, "labels: %s is the only one, so that there is nothing to learn\n",
                      hl_tokens_piece(targets, 0, NULL));
    }
    print_split(train, "training", notices);
    print_split(validation, "validation", notices);
    print_file(train, spec->file, notices);
    bool told = spec->validation_file == NULL && (train->crlf > 0 || train->mark);
    if (!told) {
        print_file(validation, spec->validation_file != NULL ? spec->validation_file : spec->file, notices);
    }
}
