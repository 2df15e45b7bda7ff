/* The data other than its own on which a model is examined. They are the treebank of patterns.treebank, as the user's
 * file and as the run's own copy of its sentences; and the examples of a file. */
#include "core/base/memory.h"
#include "core/files/files.h"
#include "core/files/folders.h"
#include "data/text/conllu.h"
#include "data/text/lines.h"
#include "train/private/data_folder.h"
#include "train/setup.h"
#include "train/setup_data.h"
#include "train/syntax_csv.h"
#include "train/trainer.h"

#include <string.h>

/* The file that the config names, and the run's copy; both owned. */
typedef struct files {
    const char *named; /* NULL: none */
    char *found, *copy;
    bool has_copy;
} files;

static hl_status find_files(const hl_config *config, const hl_data_options *options, files *f)
{
    const char *named = hl_config_string(config, config->patterns.treebank);
    *f = (files){ .named = *named != '\0' ? named : NULL };
    if (f->named == NULL) {
        return hl_ok();
    }
    if (strcmp(named, "-") == 0) {
        return hl_error(HL_INVALID, "patterns.treebank: standard input cannot be read again; name a file");
    }
    HL_TRY(hl_data_find_file(options->beside, &f->named, &f->found));
    f->copy = hl_path_join(options->folder, "treebank.conllu");
    HL_NEED(f->copy != NULL, options->folder);
    return hl_file_exists(f->copy, &f->has_copy);
}

static void free_files(files *f)
{
    hl_free(f->found);
    hl_free(f->copy);
}

/* Adds the file's first `most` sentences unchanged, including those that cannot be used; 0: all. */
static hl_status add_sentences(const char *path, int64_t most, hl_text *text)
{
    hl_conllu *reader;
    const hl_conllu_sentence *sentence;
    HL_TRY(hl_conllu_open(path, HL_CONLLU_ROOTS, &reader));
    hl_status status = hl_conllu_next(reader, &sentence);
    for (int64_t n = 1; status.code == HL_OK && sentence != NULL; n++) {
        hl_conllu_print(sentence, HL_CONLLU_FORM, NULL, text);
        sentence = NULL;
        status = hl_text_status(text);
        HL_THEN(status, n != most ? hl_conllu_next(reader, &sentence) : hl_ok());
    }
    hl_conllu_close(reader);
    return status;
}

/* How many sentences of its file a treebank was made from; 0: all. */
static int64_t sentences_of(const hl_treebank *treebank)
{
    int64_t used = treebank->n_sentences;
    return used == HL_SYNTAX_CSV_SENTENCES ? used + treebank->n_short + treebank->n_long : 0;
}

/* The named file must begin with the sentences of the copy. */
static hl_status compare(const files *f, const hl_treebank *treebank)
{
    bool exists;
    HL_TRY(hl_file_exists(f->named, &exists));
    if (!exists) {
        return hl_ok();
    }
    hl_text named = { 0 }, copy = { 0 };
    hl_status status = add_sentences(f->named, sentences_of(treebank), &named);
    HL_THEN(status, add_sentences(f->copy, 0, &copy));
    if (status.code == HL_OK && (named.size != copy.size || memcmp(named.bytes, copy.bytes, copy.size) != 0)) {
        status = hl_error(HL_BAD_FILE,
                          "%s: patterns.treebank does not hold the sentences of %s, on which this run counts: put it "
                          "back as it was, or begin a new run",
                          f->named, f->copy);
    }
    hl_text_free(&named);
    hl_text_free(&copy);
    return status;
}

static hl_status open_sentences(const hl_config *config, hl_data_use use, const files *f, const hl_dataset *of,
                                hl_followed *out)
{
    const hl_text_spec spec = hl_config_text_spec(config);
    bool begun = use == HL_DATA_KEEP || use == HL_DATA_READ, own = f->has_copy && begun, exists = own;
    HL_TRY(own ? hl_ok() : hl_file_exists(f->named, &exists));
    if (begun && !exists) {
        return hl_error(HL_BAD_FILE,
                        "%s: this run's own copy of patterns.treebank is missing, and so is that file, %s: "
                        "put one of them back",
                        f->copy, f->named);
    }
    hl_treebank_spec bank = { .path = own ? f->copy : f->named,
                              .tokens = hl_text_data_tokens(hl_dataset_text(of)),
                              .wraps = !hl_text_spec_is_running(&spec),
                              .max_pieces = config->model.max_length,
                              .max_sentences = HL_SYNTAX_CSV_SENTENCES };
    HL_TRY(hl_treebank_read(&bank, &out->treebank));
    hl_status status = own && use == HL_DATA_KEEP ? compare(f, out->treebank) : hl_ok();
    if (status.code == HL_OK) {
        bank.max_sentences = sentences_of(out->treebank);
        status = hl_coreference_read(&bank, &out->mentions);
        if (status.code == HL_BAD_FILE) {
            bool has_some = out->treebank->extras[HL_TREEBANK_ENTITY] >= 0 || out->treebank->entity_fault.code != HL_OK;
            out->no_mentions = has_some ? status : hl_ok();
            status = hl_ok();
        }
    }
    if (status.code != HL_OK) {
        hl_followed_free(out);
    }
    return status;
}

hl_status hl_setup_treebank(hl_config *config, const hl_data_options *options, const hl_dataset *of, hl_followed *out)
{
    files f;
    *out = (hl_followed){ 0 };
    config->sizes.treebank = 0;
    hl_status status = find_files(config, options, &f);
    if (status.code == HL_OK && f.named != NULL) {
        status = open_sentences(config, options->use, &f, of, out);
    }
    if (out->treebank != NULL) {
        hl_model_config shape = hl_setup_model(config);
        config->sizes.treebank = (int64_t)hl_syntax_csv_bytes(out, &shape, hl_trainer_evaluation_rows(config));
    }
    free_files(&f);
    return status;
}

hl_status hl_data_save_treebank(const hl_config *config, const hl_data_options *options, const hl_treebank *treebank)
{
    files f;
    hl_text text = { 0 };
    hl_status status = find_files(config, options, &f);
    if (status.code == HL_OK && !f.has_copy) {
        status = add_sentences(f.named, sentences_of(treebank), &text);
        HL_THEN(status, hl_file_replace_text(f.copy, &text, HL_DURABLE));
    }
    hl_text_free(&text);
    free_files(&f);
    return status;
}

/* ---- the examples of a file ---- */

/* The first line that is neither empty nor a comment decides the form of spec->file. In a treebank it has ten columns,
 * in a text one. Any other file is in the task's own form, perhaps a table, if `has_data`. */
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

/* Opens the spec's examples; what that needs on the disk does not stay. */
static hl_status open_others(hl_text_spec *spec, const hl_dataset *of, bool bare, hl_dataset **out)
{
    char *folder = NULL;
    size_t there;
    HL_TRY(hl_data_folder_make_temporary(&folder, &there));
    spec->folder = folder;
    hl_status status = hl_dataset_open_others(spec, of, bare, out);
    hl_data_folder_remove(folder, there);
    hl_free(folder);
    return status;
}

hl_status hl_setup_examples(const hl_config *config, const hl_data_options *options, const hl_dataset *of, bool written,
                            hl_dataset **out)
{
    *out = NULL;
    char *found = NULL;
    const char *own = hl_config_string(config, config->patterns.file);
    hl_text_spec spec = hl_config_text_spec(config);
    spec.file = !written ? spec.file : *own != '\0' ? own : NULL;
    spec.max_length = config->sizes.longest;
    if (spec.file == NULL || hl_dataset_text(of) == NULL) {
        return hl_ok();
    }
    hl_status status = hl_data_find_file(options->beside, &spec.file, &found);
    HL_THEN(status, open_others(&spec, of, written, out));
    hl_free(found);
    return status;
}

hl_status hl_setup_sentences(const hl_config *config, const char *file, const hl_data_options *options,
                             const hl_dataset *of, bool scored, hl_dataset **out)
{
    *out = NULL;
    hl_text_spec spec = hl_config_text_spec(config);
    spec.file = file;
    spec.max_length = config->model.max_length;
    spec.progress = options->progress;
    spec.context = options->context;
    if (spec.task != HL_TEXT_FILE) {
        HL_TRY(find_form(&spec, hl_text_data_examples(hl_dataset_text(of), HL_TRAIN) > 0));
    }
    return open_others(&spec, of, !scored, out);
}
