/* Folders of open models as Hugging Face lays them out: config.json, weights (model.safetensors, or shards with
 * model.safetensors.index.json), tokens (tokenizer.json; else vocab.txt; else vocab.json and merges.txt). It reads
 * the kinds in the table of pretrained/kinds.c. Whatever else changes what a model computes is refused by its name.
 *
 *     hl_pretrained *folder;
 *     hl_pretrained_loaded loaded = { 0 };
 *     HL_TRY(hl_pretrained_open("MiniLM", &folder));
 *     HL_TRY(hl_model_init(&model, hl_pretrained_model(folder)));
 *     HL_TRY(hl_model_reserve(&model, HL_MODEL_EVALUATED));
 *     HL_TRY(hl_pretrained_load(folder, &model, &loaded)); */
#ifndef HL_PRETRAINED_PRETRAINED_H
#define HL_PRETRAINED_PRETRAINED_H

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
    HL_PRETRAINED_NONE,   /* it has none, or one of a kind that we have not (answers to questions, ELECTRA's
                             discriminator), or a classifier that has no choice to make (classifier.h) */
    HL_PRETRAINED_MASKED, /* tokens in masked places */
    HL_PRETRAINED_NEXT,   /* the next token */
    HL_PRETRAINED_TAGS,   /* a label for each token */
    HL_PRETRAINED_CLASSES /* a label for each text */
} hl_pretrained_head;

enum { HL_PRETRAINED_HEADS = HL_PRETRAINED_CLASSES + 1, HL_SENTENCE_TEXT = 160 };

/* An opened folder. Its config, tokens and lists of tensors are read, the numbers are still on the disk. */
typedef struct hl_pretrained hl_pretrained;

/* Whether the path is such a folder: it holds a config.json and no config.ini, which runs have. */
bool hl_pretrained_is_folder(const char *path);

/* HL_BAD_FILE "<folder>/<file>: <what is wrong>": what is missing, damaged, of another kind, or contradicts the rest,
 * as tokens or a tensor that have not the size of config.json. HL_NO_MEMORY. On success *out is the caller's:
 * hl_pretrained_close; on failure it is NULL. */
hl_status hl_pretrained_open(const char *path, hl_pretrained **out);
void hl_pretrained_close(hl_pretrained *folder); /* NULL is allowed */

/* The name of its kind, as "bert". */
const char *hl_pretrained_kind(const hl_pretrained *folder);

/* The shape of the model with the stored head, its dropout and the deviation of its initial values; owned by the
 * folder, as all below. */
const hl_model_config *hl_pretrained_model(const hl_pretrained *folder);
hl_pretrained_head hl_pretrained_stored_head(const hl_pretrained *folder);

/* The same with another head, as transformers puts one on a model of the kind; its targets, of labels that are not
 * stored, are 0. */
const hl_model_config *hl_pretrained_model_with(const hl_pretrained *folder, hl_pretrained_head head);

/* V of the tokens is the model's, or where it answers no tokens up to 127 less. */
const hl_tokens *hl_pretrained_tokens(const hl_pretrained *folder);

/* Hands the tokens over, to be ended by hl_tokens_free; the folder has none from then on. */
hl_tokens *hl_pretrained_take_tokens(hl_pretrained *folder);

/* Lines on what the folder's files say of tokens and is not done: truncation and padding, and rules of tokenizer.json
 * that are others than tokenizer_config.json's; and how many vectors no token has. Empty where there are none. */
const hl_text *hl_pretrained_notices(const hl_pretrained *folder);

/* The number of labels in the order of their ids; 0 where the stored head answers none. */
int64_t hl_pretrained_labels(const hl_pretrained *folder, const char *const **labels);

/* How a vector is made of a sentence's rows of the last layer, as the folder says in sentence-transformers' files. */
typedef enum hl_pretrained_pooling { HL_SENTENCE_UNKNOWN, HL_SENTENCE_MEAN, HL_SENTENCE_FIRST } hl_pretrained_pooling;

typedef struct hl_pretrained_sentence {
    hl_pretrained_pooling pooling; /* HL_SENTENCE_UNKNOWN: the folder says nothing, or what is none of the other two */
    bool normalised;               /* the vector is divided by its length */
    int64_t length; /* pieces of a sentence at most, special tokens included; 0: as many as the model takes */
    char unsupported[HL_SENTENCE_TEXT]; /* "<file>: <what>", which is none of this; or "" */
} hl_pretrained_sentence;

hl_pretrained_sentence hl_pretrained_sentence_of(const hl_pretrained *folder);

/* Writes it as sentence.json of a run's folder, and reads it from there: where there is none, nothing is said.
 * HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_pretrained_sentence_save(const hl_pretrained_sentence *sentence, const char *path);
hl_status hl_pretrained_sentence_load(const char *path, hl_pretrained_sentence *sentence);

/* The folder has no stored head from now on: hl_pretrained_load leaves the output layer as it was drawn. */
void hl_pretrained_drop_head(hl_pretrained *folder);

/* What hl_pretrained_load did. A zeroed one is empty. To be ended by hl_pretrained_loaded_free. */
typedef struct hl_pretrained_loaded {
    int64_t n_loaded, n_numbers; /* the model's parameters that were loaded, and their numbers */
    int64_t rows_cut;            /* of positions, beyond the model's max_length */
    int64_t n_drawn, n_unused;   /* parameters that keep their values; tensors of the folder that have no place */
    hl_text drawn, unused;       /* their names, separated by ", " */
} hl_pretrained_loaded;

/* Loads the parameters of an allocated model by their names. What precedes the output layer must be in the folder, with
 * the model's shapes; of positions more rows may be there than the model has. Output layer and pooler are loaded where
 * the model has them as stored: the same head, pooling, pooler and number of targets (BERT's own pooler always).
 * Parameters that the folder lacks keep their values.
 * The model's shape is the caller's to be hl_pretrained_model's: another activation, or parts that it lacks, are not
 * noticed. HL_BAD_FILE, naming the file and the tensor, also for numbers that are not finite; the parameters are then
 * not to be used. HL_NO_MEMORY. HL_INVALID: a model that is not allocated, or has what its kind has not. */
hl_status hl_pretrained_load(hl_pretrained *folder, hl_model *model, hl_pretrained_loaded *loaded);

/* Adds three lines, one each for what was loaded, what keeps the values that it was drawn with, and what is not used.
 * HL_NO_MEMORY is left on the text. */
void hl_pretrained_print_loaded(const hl_pretrained_loaded *loaded, hl_text *text);

void hl_pretrained_loaded_free(hl_pretrained_loaded *loaded);

HL_END_DECLS

#endif
