/* Writes a model as a folder of an open model (pretrained/pretrained.h), which loads strictly in transformers 4 and 5:
 * config.json, model.safetensors, tokenizer.json and tokenizer_config.json. */
#ifndef HL_PRETRAINED_WRITE_H
#define HL_PRETRAINED_WRITE_H

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "data/text/tokens.h"
#include "layers/model.h"
#include "pretrained/pretrained.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* What is written; all of it the caller's. */
typedef struct hl_pretrained_parts {
    hl_model *model; /* allocated; it stays as it is */
    hl_pretrained_head head;
    const hl_tokens *tokens;
    const char *const *labels; /* of HL_PRETRAINED_TAGS and HL_PRETRAINED_CLASSES, one for each target */
    hl_pretrained *source;     /* the folder that the model was loaded from, or NULL */
    hl_pretrained_sentence sentence;

    /* Of a model with fewer heads than d_model / d_k: which head of its layer's so many each one is, by layer and head;
     * no two are the same. NULL: the first ones. */
    const int32_t *places;
} hl_pretrained_parts;

/* What was written. A zeroed one is empty. To be ended by hl_pretrained_written_free. */
typedef struct hl_pretrained_written {
    const char *kind;    /* "bert", ... */
    char class_name[64]; /* its class in transformers */
    int64_t n_tensors, n_numbers;
    int64_t n_kept, n_left_out;         /* tensors of the source that the model does not use */
    int64_t n_empty_heads;              /* heads that were pruned */
    bool sentence;                      /* files for sentence-transformers, too */
    char unsupported[HL_SENTENCE_TEXT]; /* what these would have to say and cannot; or "" */
    hl_text left_out;                   /* their names, separated by ", " */
} hl_pretrained_written;

/* Writes the folder, which is made where it is missing. The kind is the source's; without one it is the one whose
 * models compute what the shape says. A layer with fewer heads than d_model / d_k gets its shapes back: the columns of
 * its attention's output that belong to no head are zero, and so nothing changes.
 *
 * A source gives what else its config.json says; and its tensors that the model does not use (a pooler, a second head)
 * are kept where the model has the head that is stored there, so that they belong to its class, and else left out.
 * How a sentence becomes a vector is written as files of sentence-transformers, where it is known.
 *
 * config.json is removed first and written last: where this fails the folder is no model. What the folder holds of
 * another model's tokens, shards and sentences is removed, and so is an adapter.
 * HL_INVALID, naming each key: the shape is in no folder of an open model; tokens are of another kind than wordpiece
 * and bpe, or not V; a bare model without its source. HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_pretrained_write(const hl_pretrained_parts *parts, const char *path, hl_pretrained_written *written);

/* Adds a line for what was written, and one each for heads without weights and tensors that were left out, where there
 * are some. HL_NO_MEMORY is left on the text. */
void hl_pretrained_print_written(const hl_pretrained_written *written, hl_text *text);

void hl_pretrained_written_free(hl_pretrained_written *written);

HL_END_DECLS

#endif
