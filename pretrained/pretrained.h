/* Folders of open models in the layout of Hugging Face: config.json, weights (model.safetensors, or shards with
 * model.safetensors.index.json) and tokens (tokenizer.json; else vocab.txt; else vocab.json and merges.txt). The table
 * in pretrained/kinds.c lists the supported kinds. Any other setting that changes what a model computes is refused by
 * name.
 *
 *     hl_pretrained *folder;
 *     hl_pretrained_loaded loaded = { 0 };
 *     HL_TRY(hl_pretrained_open("MiniLM", &folder));
 *     HL_TRY(hl_model_init(&model, hl_pretrained_model(folder)));
 *     HL_TRY(hl_model_reserve(&model, HL_MODEL_EVALUATED));
 *     HL_TRY(hl_pretrained_load(folder, &model, &loaded)); */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "data/text/tokens.h"
#include "layers/model.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* What the stored output layer answers. */
typedef enum hl_pretrained_head {
    HL_PRETRAINED_NONE,   /* nothing: there is no such layer, its kind is not supported (question answering, ELECTRA's
                             discriminator), or it is a classifier without a choice to make (classifier.h) */
    HL_PRETRAINED_MASKED, /* tokens at masked positions */
    HL_PRETRAINED_NEXT,   /* the next token */
    HL_PRETRAINED_TAGS,   /* a label for each token */
    HL_PRETRAINED_CLASSES /* a label for each text */
} hl_pretrained_head;

enum { HL_PRETRAINED_HEADS = HL_PRETRAINED_CLASSES + 1, HL_SENTENCE_TEXT = 160 };

/* An opened folder. Its config, tokens and lists of tensors have been read; the numbers have not. */
typedef struct hl_pretrained hl_pretrained;

/* Whether the path is such a folder: it holds a config.json but no config.ini, which runs have. */
bool hl_pretrained_is_folder(const char *path);

/* Opens a folder. HL_BAD_FILE, "<folder>/<file>: <what is wrong>", if something is missing, damaged, of another kind,
 * or contradicts the rest, such as tokens or a tensor whose size is not that in config.json. HL_NO_MEMORY. On success,
 * the caller owns *out and frees it with hl_pretrained_close. On failure it is NULL. */
hl_status hl_pretrained_open(const char *path, hl_pretrained **out);
void hl_pretrained_close(hl_pretrained *folder); /* NULL is allowed */

/* The name of its kind, such as "bert". */
const char *hl_pretrained_kind(const hl_pretrained *folder);

/* The shape of the model with the stored head, its dropout, and the standard deviation of its initial values. Owned by
 * the folder, like everything below. */
const hl_model_config *hl_pretrained_model(const hl_pretrained *folder);
hl_pretrained_head hl_pretrained_stored_head(const hl_pretrained *folder);

/* The same with another head, as transformers adds one. If its labels are not stored, it has 0 targets. */
const hl_model_config *hl_pretrained_model_with(const hl_pretrained *folder, hl_pretrained_head head);

/* The tokens. Their number is the model's V; if the model does not answer tokens, it may be up to 127 less. */
const hl_tokens *hl_pretrained_tokens(const hl_pretrained *folder);

/* Gives the tokens to the caller, who frees them with hl_tokens_free. The folder then has none. */
hl_tokens *hl_pretrained_take_tokens(hl_pretrained *folder);

/* Lines about settings for tokens in the folder that are not followed: truncation and padding, and rules in
 * tokenizer.json that contradict tokenizer_config.json. They also say how many vectors belong to no token. May be
 * empty. */
const hl_text *hl_pretrained_notices(const hl_pretrained *folder);

/* *labels: the labels in the order of their ids. Returns their number; 0 if the stored head answers no labels. */
int64_t hl_pretrained_labels(const hl_pretrained *folder, const char *const **labels);

/* How a sentence's vector is made from the rows of the last layer, according to the files of sentence-transformers. */
typedef enum hl_pretrained_pooling { HL_SENTENCE_UNKNOWN, HL_SENTENCE_MEAN, HL_SENTENCE_FIRST } hl_pretrained_pooling;

typedef struct hl_pretrained_sentence {
    hl_pretrained_pooling pooling; /* HL_SENTENCE_UNKNOWN: the folder says nothing, or something else */
    bool normalised;               /* the vector is divided by its length */
    int64_t length; /* the most pieces of a sentence, including special tokens; 0: as many as the model reads */
    char unsupported[HL_SENTENCE_TEXT]; /* "<file>: <what>" if there is an unsupported setting; or "" */
} hl_pretrained_sentence;

hl_pretrained_sentence hl_pretrained_sentence_of(const hl_pretrained *folder);

/* Write it as sentence.json into a run's folder, and read it from there. If there is no such file, *sentence is zeroed.
 * HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_pretrained_sentence_save(const hl_pretrained_sentence *sentence, const char *path);
hl_status hl_pretrained_sentence_load(const char *path, hl_pretrained_sentence *sentence);

/* Ignores the stored head from now on: hl_pretrained_load leaves the output layer at its initial values. */
void hl_pretrained_drop_head(hl_pretrained *folder);

/* What hl_pretrained_load did. A zeroed struct is empty. Free it with hl_pretrained_loaded_free. */
typedef struct hl_pretrained_loaded {
    int64_t n_loaded, n_numbers; /* the parameters that were loaded, and how many numbers they have */
    int64_t rows_cut;            /* rows of the position table beyond the model's max_length */
    int64_t n_drawn, n_unused;   /* parameters that keep their initial values; tensors that are not used */
    hl_text drawn, unused;       /* their names, separated by ", " */
} hl_pretrained_loaded;

/* Loads the parameters of an allocated model by their names. Everything before the output layer must be in the folder,
 * with the model's shapes; only the table of positions may have more rows. Output layer and pooler are loaded if the
 * model has the stored head, pooling, pooler and number of targets (BERT's own pooler always). Parameters that the
 * folder lacks keep their values. The caller must give the model the shape of hl_pretrained_model. Another activation,
 * or parts that the model lacks, are not noticed. HL_BAD_FILE, naming the file and the tensor, also if numbers are not
 * finite; the parameters must then not be used. HL_NO_MEMORY. HL_INVALID: the model is not allocated, or has parts that
 * its kind does not have. */
hl_status hl_pretrained_load(hl_pretrained *folder, hl_model *model, hl_pretrained_loaded *loaded);

/* Adds three lines: what was loaded, what keeps its initial values, and what is not used. HL_NO_MEMORY is left on the
 * text. */
void hl_pretrained_print_loaded(const hl_pretrained_loaded *loaded, hl_text *text);

void hl_pretrained_loaded_free(hl_pretrained_loaded *loaded);

HL_END_DECLS
