/* The examples of a file that a model shall be looked at on, whatever its task is. */
#include "core/memory.h"
#include "data/text/lines.h"
#include "train/private/data_folder.h"
#include "train/setup_data.h"

/* The form of spec->file is told by its first line that is neither empty nor a comment: a treebank's has ten columns, a
 * text's one; another is the task's own, a table perhaps, where `has_data`. */
static hl_status find_form(hl_text_spec *spec, bool has_data)
{
    enum { CONLLU_COLUMNS = 10 };
    hl_lines *lines;
    hl_line line;
    HL_TRY(hl_lines_open(spec->file, HL_LINE_BYTES, &lines));
    hl_status status = hl_lines_next(lines, &line);
    while (status.code == HL_OK && line.text != NULL && (line.size == 0 || line.text[0] == '#')) {
        status = hl_lines_next(lines, &line);
    }
    int64_t columns = 1;
    if (status.code == HL_OK && line.text != NULL) {
        columns = hl_line_columns((hl_span){ line.text, line.size }, NULL, 0);
    }
    bool has_own = has_data && (spec->task == HL_TEXT_TAGS || spec->task == HL_TEXT_CLASSES);
    if (columns == 1 || columns == CONLLU_COLUMNS) {
        spec->task = columns == 1 ? HL_TEXT_MASKED : HL_TEXT_TAGS;
    } else if (!has_own) {
        status = hl_lines_bad(lines, line.number,
                              "has %lld columns, which tabs separate: give a text, a sentence a line, or a treebank "
                              "(CoNLL-U)",
                              (long long)columns);
    }
    hl_lines_close(lines);
    return status;
}

hl_status hl_setup_sentences(const hl_config *config, const char *file, const hl_data_options *options,
                             const hl_dataset *of, bool scored, hl_dataset **out)
{
    *out = NULL;
    char *folder = NULL;
    size_t there;
    hl_text_spec spec = hl_config_text_spec(config);
    spec.file = file;
    spec.max_length = config->model.max_length;
    spec.progress = options->progress;
    spec.context = options->context;
    if (spec.task != HL_TEXT_FILE) {
        HL_TRY(find_form(&spec, hl_text_data_examples(hl_dataset_text(of), HL_TRAIN) > 0));
    }
    HL_TRY(hl_data_folder_make_temporary(&folder, &there));
    spec.folder = folder;
    hl_status status = hl_dataset_open_others(&spec, of, !scored, out);
    hl_data_folder_remove(folder, there);
    hl_free(folder);
    return status;
}
