/* Describes in words what the data of a user's files hold, and what was left out. */
#include "train/setup_data.h"

#include "core/base/units.h"
#include "data/text/private/text_counts.h"
#include "data/text/private/text_data_parts.h"

#include <inttypes.h>

static const char *const units[] = { "sentence", "window", "sentence", "row", "row" };

/* "<before>12,544 sentences". */
static void say(hl_text *text, const char *before, int64_t n, const char *what)
{
    char number[HL_UNITS_TEXT];
    hl_text_print(text, "%s%s %s%s", before, hl_units_count(n, number), what, n == 1 ? "" : "s");
}

static void end(hl_text *line, hl_text *text)
{
    if (hl_text_status(line).code == HL_OK) {
        hl_text_paragraph(text, HL_DATA_TOLD_WIDTH, "%s", line->bytes);
    }
    hl_text_fail(text, line->error);
    hl_text_free(line);
}

static void say_unit(hl_text *line, const char *before, const hl_text_data *data, hl_split split)
{
    say(line, before, hl_text_data_examples(data, split), units[data->running ? HL_TEXT_NEXT : data->task]);
    if (data->running) {
        hl_text_print(line, " of %" PRId64, data->length);
    } else {
        hl_text_print(line, " of up to %" PRId64 " tokens", hl_text_data_longest(data, split));
    }
}

/* ---- after reading ---- */

static void say_split(const hl_text_data *data, hl_split split, const hl_text_counts *counts, hl_text *text)
{
    hl_text line = { 0 };
    hl_text_print(&line, "%s", split == HL_TRAIN ? "training" : "validation");
    const char *before = ": ";
    if (!data->running) {
        say_unit(&line, before, data, split);
        before = ", ";
    }
    if (data->task == HL_TEXT_FILE) {
        say(&line, before, counts->pieces, "token");
        say(&line, ", ", counts->targets, "target");
    } else {
        say(&line, before, counts->words, "word");
        if (data->task != HL_TEXT_TAGS) {
            say(&line, ", ", counts->characters, "character");
        }
        say(&line, ", ", counts->pieces, "piece");
    }
    if (counts->unknown > 0) {
        char number[HL_UNITS_TEXT];
        hl_text_print(&line, " (%s unknown, %.2f%%)", hl_units_count(counts->unknown, number),
                      100 * (double)counts->unknown / (double)counts->pieces);
    }
    if (data->running && split == HL_VALIDATION) {
        say_unit(&line, ", ", data, split);
    }
    if (counts->unseen > 0) {
        say(&line, ", ", counts->unseen, "target");
        hl_text_print(&line, " that training does not have");
    }
    end(&line, text);
}

static void say_vocabulary(const hl_text_data *data, hl_text *line)
{
    say(line, "vocabulary: ", hl_tokens_size(data->tokens), "piece");
    hl_text_print(line, " (%s)", hl_tokens_kind_name(hl_tokens_get_kind(data->tokens)));
    if (data->labels != NULL) {
        say(line, ", ", hl_tokens_size(data->labels), "label");
    }
}

/* The most frequent labels of training, with their shares. */
static void say_labels(const hl_text_data *data, const hl_text_counts *counts, hl_text *line)
{
    enum { SHOWN = 5 };
    int64_t n = hl_tokens_size(data->labels), before = -1;
    for (int64_t k = 0; k < n && k < SHOWN; k++) {
        int64_t best = -1; /* of the labels after the previous one */
        for (int64_t i = 0; i < n; i++) {
            bool after = before < 0 || counts->labels[i] < counts->labels[before] ||
                         (counts->labels[i] == counts->labels[before] && i > before);
            best = after && (best < 0 || counts->labels[i] > counts->labels[best]) ? i : best;
        }
        hl_text_print(line, "%s%s %.1f%%", k > 0 ? ", " : ": ", hl_tokens_piece(data->labels, (int32_t)best, NULL),
                      100 * (double)counts->labels[best] / (double)counts->targets);
        before = best;
    }
    hl_text_print(line, "%s", n > SHOWN ? ", ..." : "");
}

hl_status hl_data_told(const hl_text_data *data, hl_text_progress *progress, void *context, hl_text *text)
{
    hl_text_counts counts[2] = { { .pieces = 0 }, { .pieces = 0 } };
    hl_status status = hl_text_counts_of(data, HL_TRAIN, progress, context, &counts[HL_TRAIN]);
    HL_THEN(status, hl_text_counts_of(data, HL_VALIDATION, progress, context, &counts[HL_VALIDATION]));
    if (status.code == HL_OK) {
        hl_text line = { 0 };
        say_split(data, HL_TRAIN, &counts[HL_TRAIN], text);
        say_split(data, HL_VALIDATION, &counts[HL_VALIDATION], text);
        say_vocabulary(data, &line);
        if (data->labels != NULL) {
            say_labels(data, &counts[HL_TRAIN], &line);
        }
        end(&line, text);
        status = hl_text_status(text);
    }
    hl_text_counts_free(&counts[HL_TRAIN]);
    hl_text_counts_free(&counts[HL_VALIDATION]);
    return status;
}

/* ---- without reading ---- */

hl_status hl_data_told_shortly(const hl_text_data *data, hl_text *text)
{
    hl_text line = { 0 };
    if (data->running) {
        say(&line, "training: ", hl_corpus_numbers(data->corpora[HL_TRAIN]), "piece");
        say(&line, "; validation: ", hl_corpus_numbers(data->corpora[HL_VALIDATION]), "piece");
        say_unit(&line, ", ", data, HL_VALIDATION);
    } else {
        say_unit(&line, "training: ", data, HL_TRAIN);
        say_unit(&line, "; validation: ", data, HL_VALIDATION);
    }
    hl_text_print(&line, "; ");
    say_vocabulary(data, &line);
    end(&line, text);
    return hl_text_status(text);
}

/* ---- what was left out or changed ---- */

static void note(hl_text *notices, const char *of, int64_t n, const char *one, const char *many)
{
    if (n > 0) {
        char number[HL_UNITS_TEXT];
        hl_text_print(notices, "%s: %s %s\n", of, hl_units_count(n, number), n == 1 ? one : many);
    }
}

/* Notices about examples and their tokens. */
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

/* Notices about the lines of a file. */
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
