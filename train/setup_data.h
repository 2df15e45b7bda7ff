/* Opens the data of a config, whatever its task. */
#ifndef HL_TRAIN_SETUP_DATA_H
#define HL_TRAIN_SETUP_DATA_H

#include "core/base/declarations.h"
#include "core/base/text.h"
#include "data/dataset.h"
#include "data/text/treebank.h"
#include "train/config.h"

HL_BEGIN_DECLS

/* What text is opened for; of a toy task there is no difference. */
typedef enum hl_data_use {
    HL_DATA_MAKE,   /* for a run that begins: makes what is missing */
    HL_DATA_KEEP,   /* for a run that goes on: its caches, or where they are gone new ones of the same files */
    HL_DATA_READ,   /* for a look at a run: the same, but its caches whatever has become of the files */
    HL_DATA_FOLLOW, /* for a process of a run whose data another one has opened: the same, but makes none in
                       the run's folder */
    HL_DATA_CHECK,  /* for a look at the config: files are read in full; nothing that is made stays */
    HL_DATA_TOKENS, /* for a model that answers: the run's tokens and labels, no examples */
} hl_data_use;

typedef struct hl_data_options {
    hl_data_use use;
    const char *folder;         /* the run's */
    const char *beside;         /* the config's path: files that are not found are looked for beside it; or NULL */
    hl_text_progress *progress; /* or NULL; with its context */
    void *context;
    const hl_tokens *tokens; /* an open model's, in the place of those that would be made; or NULL */
    hl_text *made;           /* receives task.content and a newline where there was no such folder of data; or NULL */
    hl_text *notices;        /* receives lines on what was left out or changed while data were made; or NULL */
} hl_data_options;

/* The spec of a text task; it points into the config. `max_length` is the config's, where that is 0 as large as can be;
 * folder, keep, full and progress are left to the caller. */
hl_text_spec hl_config_text_spec(const hl_config *config);

/* The notice for an open model that tags with such tokens (hl_tokens_first_word_is_bare). */
#define HL_BARE_FIRST_WORD                                                                                        \
    "a sentence's first word is read without a space before it, as the folder's tokens say (add_prefix_space is " \
    "false); "                                                                                                    \
    "task.prefix_space=true adds the space"

/* Opens the data and sets what follows from them: config->sizes, task.content, model.max_length where it is 0,
 * train.eval_examples where it is 0 or more than there are. A text's tokens, labels and caches stand in
 * <cache>/<content>, where <cache> is task.cache or <folder>/data; where a run's task.cache does not hold them, perhaps
 * <folder>/../data, which the runs of a sweep share wherever it was moved. HL_DATA_TOKENS reads <folder>/tokens.json
 * and labels.json (hl_data_save_tokens). HL_INVALID, HL_BAD_FILE as hl_dataset_open and hl_text_data_open, and where
 * with HL_DATA_KEEP and HL_DATA_READ a file's content is not what the data were made of; HL_NO_MEMORY; what `progress`
 * fails with. Where it fails, <folder>/data holds what it held before, but for HL_FAILED, from `progress`: what is
 * whole then stays. On success *out is the caller's: hl_dataset_free. */
hl_status hl_setup_data(hl_config *config, const hl_data_options *options, hl_dataset **out);

/* Takes a key's value, as that of task.content, out of a run's config.ini, where there is one: what the run was begun
 * with. `key` is its place in hl_config. HL_BAD_FILE where the file cannot be read, HL_NO_MEMORY. */
hl_status hl_data_take_key(hl_config *config, size_t key, const char *path);

/* Opens the examples of patterns.file (`written`), or all of task.file, read as the dataset `of`, which must outlive
 * them, reads its own; *out is NULL where the config names none. Those that are longer than its longest example are
 * cut. Fails as hl_dataset_open_others. */
hl_status hl_setup_examples(const hl_config *config, const hl_data_options *options, const hl_dataset *of, bool written,
                            hl_dataset **out);

/* Opens the examples of a file for a look at a model of text whose data, or tokens alone, are `of`, which must outlive
 * them: sentences a line each, or a treebank (CoNLL-U), whatever the task is; else as the dataset `of` reads its own,
 * with its labels. `scored`: with what the task asks for in its validation examples; of a treebank its words. All but
 * those that the model reads as a whole are cut. Fails as hl_dataset_open_others. */
hl_status hl_setup_sentences(const hl_config *config, const char *file, const hl_data_options *options,
                             const hl_dataset *of, bool scored, hl_dataset **out);

/* Reads the first HL_SYNTAX_CSV_SENTENCES sentences of patterns.treebank with the tokens of the config's data `of`, and
 * sets config->sizes.treebank; *out is NULL where the config names none. A run has them in <folder>/treebank.conllu
 * (hl_data_save_treebank): with HL_DATA_READ these are read, with HL_DATA_KEEP also, where patterns.treebank is gone or
 * begins with the same sentences. HL_BAD_FILE as hl_treebank_read, and where it does not; HL_NO_MEMORY. On success *out
 * is the caller's: hl_treebank_free. */
hl_status hl_setup_treebank(hl_config *config, const hl_data_options *options, const hl_dataset *of, hl_treebank **out);

/* Writes its sentences, also those between them that cannot be used, as they stand in the config's file to
 * <folder>/treebank.conllu, unless that is there. HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_data_save_treebank(const hl_config *config, const hl_data_options *options, const hl_treebank *treebank);

enum { HL_DATA_TOLD_WIDTH = 80 }; /* bytes of a line at most, but for longer words */

/* Adds what the data of a text hold: a short paragraph for each part, and one for the vocabulary and the labels: how
 * many sentences, rows or windows, words, characters and pieces, how many pieces are unknown, the longest, the most
 * frequent labels. Both caches are read through, which `progress` (or NULL) is told of. HL_BAD_FILE, HL_NO_MEMORY,
 * what `progress` fails with; nothing is then added. */
hl_status hl_data_told(const hl_text_data *data, hl_text_progress *progress, void *context, hl_text *text);

/* Adds the sizes alone, which are known without reading, for the start of a run. HL_NO_MEMORY. */
hl_status hl_data_told_shortly(const hl_text_data *data, hl_text *text);

/* Adds a line for each notice that counts anything, each once: "training: 3 sentences were cut ..."; of a file's lines,
 * which both parts may come from, "my.txt: 40 lines ended ..."; and one where there is a single label. The spec is what
 * the data were opened by. */
void hl_data_notices_print(const hl_text_data *data, const hl_text_spec *spec, hl_text *notices);

/* Removes from <folder>/data what was made of other data than those of the n configs, which are elsewhere where
 * task.cache says so, by the names that hl_setup_data writes; other files and links stay, and so do folders that hold
 * some. HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_data_remove_others(const hl_config *const *configs, int64_t n, const char *folder);

/* Removes from <folder>/data what was made there, by what options.made received. HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_data_remove_made(const char *made, const char *folder);

/* Writes tokens.json and labels.json of a text into the run's folder: with them and its weights a model can answer.
 * HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_data_save_tokens(const hl_dataset *dataset, const char *folder);

HL_END_DECLS

#endif
