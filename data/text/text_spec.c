#include "data/text/text_spec.h"

#include "data/text/conllu.h"
#include "data/text/private/text_data_parts.h"

#include <inttypes.h>
#include <string.h>

static hl_status check_file(const char *key, const char *path)
{
    if (path == NULL || *path == '\0') {
        return hl_error(HL_INVALID, "task.%s is missing: the file to read", key);
    }
    return strcmp(path, "-") != 0
               ? hl_ok()
               : hl_error(HL_INVALID,
                          "task.%s = -: it is read several times, standard input only once: write it to a file first",
                          key);
}

static hl_status check_columns(const hl_text_spec *spec)
{
    if (spec->task == HL_TEXT_TAGS && (spec->column == NULL || hl_conllu_column_find(spec->column) < 0)) {
        return hl_error(HL_INVALID, "task.column = %s: must be a column of CoNLL-U, as UPOS",
                        spec->column != NULL ? spec->column : "");
    }
    if (spec->task == HL_TEXT_CLASSES && (spec->text_column == NULL || spec->label_column == NULL)) {
        return hl_error(HL_INVALID, "task.%s is missing: a column's name, or its number from 1",
                        spec->text_column == NULL ? "text_column" : "label_column");
    }
    if (spec->task == HL_TEXT_FILE && (spec->kind != HL_TOKENS_WORDS || spec->lowercase)) {
        return hl_error(HL_INVALID, "the tokens of task.name = file are words as they stand: tokens.kind = words, "
                                    "tokens.lowercase = false");
    }
    return hl_ok();
}

bool hl_text_spec_is_running(const hl_text_spec *spec)
{
    return spec->task == HL_TEXT_NEXT || (spec->task == HL_TEXT_MASKED && spec->length > 0);
}

bool hl_text_spec_is_pair(const hl_text_spec *spec)
{
    return spec->task == HL_TEXT_CLASSES && strchr(spec->text_column, ',') != NULL;
}

hl_status hl_text_spec_check(const hl_text_spec *spec)
{
    HL_TRY(check_file("file", spec->file));
    if (spec->validation_file != NULL) {
        HL_TRY(check_file("validation_file", spec->validation_file));
    } else if (!(spec->validation_share > 0 && spec->validation_share < 1)) {
        return hl_error(HL_INVALID,
                        "task.validation_share = %g: must be above 0 and below 1, or name a task.validation_file",
                        spec->validation_share);
    }
    if (spec->length < 0 || (spec->task == HL_TEXT_NEXT && spec->length == 0)) {
        return hl_error(HL_INVALID, "task.length = %" PRId64 ": must be 1 or more, the pieces of a window",
                        spec->length);
    }
    if (spec->line_mb < 0 || spec->line_mb > HL_TEXT_MOST_LINE_MB) {
        return hl_error(HL_INVALID, "task.line_mb = %" PRId64 ": must be from 1 to %d", spec->line_mb,
                        HL_TEXT_MOST_LINE_MB);
    }
    if (spec->max_length < 1 || spec->max_length > HL_CORPUS_MAX_LENGTH / HL_TEXT_COLUMNS ||
        (hl_text_spec_is_running(spec) && spec->length > spec->max_length)) {
        return hl_error(HL_INVALID, "max_length = %" PRId64 ": must be from %" PRId64 " to %d", spec->max_length,
                        hl_text_spec_is_running(spec) ? spec->length : 1, HL_CORPUS_MAX_LENGTH / HL_TEXT_COLUMNS);
    }
    bool may_drop = spec->task == HL_TEXT_TAGS || spec->task == HL_TEXT_CLASSES;
    if (!(spec->drop_pieces >= 0 && spec->drop_pieces < 1) || (spec->drop_pieces > 0 && !may_drop)) {
        return hl_error(HL_INVALID, "task.drop_pieces = %g: must be 0 or more, below 1, and 0 but for tags and classes",
                        spec->drop_pieces);
    }
    return check_columns(spec);
}
