/* Opens the data of a config, for any task. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/text.h"
#include "data/dataset.h"
#include "train/config.h"
#include "train/syntax_csv.h"

HL_BEGIN_DECLS

/* The purpose of opening text; for a toy task it makes no difference. */
typedef enum hl_data_use {
    HL_DATA_MAKE,   /* for a new run: makes what is missing */
    HL_DATA_KEEP,   /* for a resumed run: uses its caches, or makes new ones from the same files */
    HL_DATA_READ,   /* for inspecting a run: the same, but keeps its caches even if the files have changed */
    HL_DATA_FOLLOW, /* for a process in a run whose data another process has opened: the same, but makes nothing in the
                       run's folder */
    HL_DATA_CHECK,  /* for checking a config: reads files in full; nothing that is made stays */
    HL_DATA_TOKENS, /* for a model that answers: the run's tokens and labels, no examples */
} hl_data_use;

typedef struct hl_data_options {
    hl_data_use use;
    const char *folder;         /* the run's folder */
    const char *beside;         /* the config's path: missing files are also looked for in its folder; or NULL */
    hl_text_progress *progress; /* or NULL; called with `context` */
    void *context;
    const hl_tokens *tokens; /* an open model's tokens, used instead of making them; or NULL */
    hl_text *made;           /* receives task.content and a newline if that folder of data did not exist; or NULL */
    hl_text *notices;        /* receives lines on what was left out or changed while data were made; or NULL */
} hl_data_options;

/* The spec of a text task; it points into the config. `max_length` is the config's, or the largest possible value if
 * that is 0. The caller sets folder, keep, full and progress. */
hl_text_spec hl_config_text_spec(const hl_config *config);

/* The notice for an open model that tags words with such tokens (hl_tokens_first_word_is_bare). */
#define HL_BARE_FIRST_WORD                                                                                        \
    "a sentence's first word is read without a space before it, as the folder's tokens say (add_prefix_space is " \
    "false); "                                                                                                    \
    "task.prefix_space=true adds the space"

/* Opens the data and sets what depends on them: config->sizes, task.content, model.max_length if it is 0, and
 * train.eval_examples if it is 0 or more than there are. A text's tokens, labels and caches are in <cache>/<content>,
 * where <cache> is task.cache or <folder>/data. If a run's task.cache does not hold them, <folder>/../data is tried:
 * the runs of a sweep share it, wherever it was moved. HL_DATA_TOKENS reads <folder>/tokens.json and labels.json
 * (hl_data_save_tokens). HL_INVALID, HL_BAD_FILE as hl_dataset_open and hl_text_data_open, and if, with HL_DATA_KEEP or
 * HL_DATA_READ, a file is no longer what the data were made from; HL_NO_MEMORY; failures of `progress`. After a
 * failure, <folder>/data is as before; but after HL_FAILED from `progress`, whole parts stay. After success the caller
 * owns *out: hl_dataset_free. */
hl_status hl_setup_data(hl_config *config, const hl_data_options *options, hl_dataset **out);

/* Reads a key's value, such as that of task.content, from a run's config.ini, if it exists: the value with which the
 * run began. `key` is the field's offset in hl_config. HL_BAD_FILE if the file cannot be read, HL_NO_MEMORY. */
hl_status hl_data_take_key(hl_config *config, size_t key, const char *path);

/* Opens the examples of patterns.file (`written`), or all of task.file, read in the same way as the dataset `of`, which
 * must outlive them. *out is NULL if the config names no file. Examples longer than the dataset's longest are cut.
 * Fails as hl_dataset_open_others. */
hl_status hl_setup_examples(const hl_config *config, const hl_data_options *options, const hl_dataset *of, bool written,
                            hl_dataset **out);

/* Opens a file's examples to inspect a text model whose data, or tokens alone, are `of`, which must outlive them. They
 * are sentences, one per line, or a treebank (CoNLL-U), for any task. Other files are read as the dataset `of` reads
 * its own, with its labels. If `scored` is set, examples have the targets of the task's validation examples (in a
 * treebank, its words). An example that the model cannot read as a whole is cut. Fails as hl_dataset_open_others. */
hl_status hl_setup_sentences(const hl_config *config, const char *file, const hl_data_options *options,
                             const hl_dataset *of, bool scored, hl_dataset **out);

/* Reads the first HL_SYNTAX_CSV_SENTENCES sentences of patterns.treebank, with the tokens of the config's data `of`,
 * and sets config->sizes.treebank. Mentions of entities are followed, too, if there are any that can be read. *out is
 * empty if the config names no treebank. A run keeps them in <folder>/treebank.conllu
 * (hl_data_save_treebank). HL_DATA_READ reads that copy; so does HL_DATA_KEEP, if patterns.treebank is gone or begins
 * with the same sentences. HL_BAD_FILE as hl_treebank_read, and if it begins with others; HL_NO_MEMORY. After success
 * the caller owns *out: hl_followed_free. */
hl_status hl_setup_treebank(hl_config *config, const hl_data_options *options, const hl_dataset *of, hl_followed *out);

/* Writes its sentences to <folder>/treebank.conllu, unless that exists, as they are in the config's file, including
 * unusable sentences between them. HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_data_save_treebank(const hl_config *config, const hl_data_options *options, const hl_treebank *treebank);

enum { HL_DATA_TOLD_WIDTH = 80 }; /* the most bytes in a line, except for longer words */

/* Adds a description of a text's data: a short paragraph per part, and one for the vocabulary and the labels. It counts
 * sentences, rows or windows, words, characters, pieces and unknown pieces, and names the longest and the most frequent
 * labels. Reads both caches fully, and reports to `progress` (or NULL). HL_BAD_FILE, HL_NO_MEMORY, failures of
 * `progress`; nothing is then added. */
hl_status hl_data_told(const hl_text_data *data, hl_text_progress *progress, void *context, hl_text *text);

/* Adds only the sizes, which need no reading, for the start of a run. HL_NO_MEMORY. */
hl_status hl_data_told_shortly(const hl_text_data *data, hl_text *text);

/* Adds one line for each notice with a count: "training: 3 sentences were cut ...". A notice about a file's lines,
 * which may serve both parts, is added once: "my.txt: 40 lines ended ...". Also adds a line if there is a single label.
 * The spec is the one that opened the data. */
void hl_data_notices_print(const hl_text_data *data, const hl_text_spec *spec, hl_text *notices);

/* Removes from <folder>/data what was made from data other than those of the n configs. If task.cache names another
 * folder, their data are there. Only the names that hl_setup_data writes are removed; other files and links stay, and
 * so do folders that hold some. HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_data_remove_others(const hl_config *const *configs, int64_t n, const char *folder);

/* Removes from <folder>/data what was made there, as options.made received it. HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_data_remove_made(const char *made, const char *folder);

/* Writes a text's tokens.json and labels.json into the run's folder. With them and its weights, a model can answer.
 * HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_data_save_tokens(const hl_dataset *dataset, const char *folder);

HL_END_DECLS
