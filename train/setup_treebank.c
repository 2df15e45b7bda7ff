/* patterns.treebank: the file as it is named, and the run's own copy of the sentences that are counted. */
#include "core/files.h"
#include "core/folders.h"
#include "core/memory.h"
#include "data/text/conllu.h"
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

/* Adds the file's first `most` sentences as they stand there, those too that cannot be used; 0: all. */
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

/* How many sentences of its file a treebank was made of; 0: of all. */
static int64_t sentences_of(const hl_treebank *treebank)
{
    int64_t used = hl_treebank_size(treebank);
    return used == HL_SYNTAX_CSV_SENTENCES ? used + hl_treebank_short(treebank) + hl_treebank_long(treebank) : 0;
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
                                hl_treebank **out)
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
    HL_TRY(hl_treebank_read(&(hl_treebank_spec){ .path = own ? f->copy : f->named,
                                                 .tokens = hl_text_data_tokens(hl_dataset_text(of)),
                                                 .wraps = !hl_text_spec_is_running(&spec),
                                                 .max_pieces = config->model.max_length,
                                                 .max_sentences = HL_SYNTAX_CSV_SENTENCES },
                            out));
    hl_status status = own && use == HL_DATA_KEEP ? compare(f, *out) : hl_ok();
    if (status.code != HL_OK) {
        hl_treebank_free(*out);
        *out = NULL;
    }
    return status;
}

hl_status hl_setup_treebank(hl_config *config, const hl_data_options *options, const hl_dataset *of, hl_treebank **out)
{
    files f;
    *out = NULL;
    config->sizes.treebank = 0;
    hl_status status = find_files(config, options, &f);
    if (status.code == HL_OK && f.named != NULL) {
        status = open_sentences(config, options->use, &f, of, out);
    }
    if (*out != NULL) {
        hl_model_config shape = hl_setup_model(config);
        config->sizes.treebank = (int64_t)hl_syntax_csv_bytes(*out, &shape, hl_trainer_evaluation_rows(config));
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
