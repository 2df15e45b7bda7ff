/* Writes a model as a folder of an open model (pretrained/pretrained.h), which loads strictly in transformers 4 and 5:
 * config.json, model.safetensors, tokenizer.json and tokenizer_config.json. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "core/base/text.h"
#include "data/text/tokens.h"
#include "layers/model.h"
#include "pretrained/pretrained.h"

#include <stdbool.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* What is written. The caller owns all of it. */
typedef struct hl_pretrained_parts {
    hl_model *model; /* allocated; not changed */
    hl_pretrained_head head;
    const hl_tokens *tokens;
    const char *const *labels; /* one for each target of HL_PRETRAINED_TAGS and HL_PRETRAINED_CLASSES */
    hl_pretrained *source;     /* the folder that the model was loaded from, or NULL */
    hl_pretrained_sentence sentence;

    /* For a model with fewer heads than d_model / d_k: each head's number among the d_model / d_k heads of its layer,
     * by layer and head, all different. NULL: the first ones. */
    const int32_t *places;
} hl_pretrained_parts;

/* What was written. A zeroed struct is empty. Free it with hl_pretrained_written_free. */
typedef struct hl_pretrained_written {
    const char *kind;    /* "bert", ... */
    char class_name[64]; /* its class in transformers */
    int64_t n_tensors, n_numbers;
    int64_t n_kept, n_left_out;         /* tensors of the source that the model does not use: kept, and left out */
    int64_t n_empty_heads;              /* heads that were pruned */
    bool sentence;                      /* files for sentence-transformers, too */
    char unsupported[HL_SENTENCE_TEXT]; /* a setting that these files cannot express; or "" */
    hl_text left_out;                   /* their names, separated by ", " */
} hl_pretrained_written;

/* Writes the folder, and makes it if needed. The kind is that of the source. Without a source, it is the kind whose
 * models compute what the shape says. A layer with fewer heads than d_model / d_k gets its full shapes again. The
 * columns of its attention's output that belong to no head are zero, so the result does not change.
 *
 * All other settings come from the source's config.json. Tensors of the source that the model does not use (a pooler, a
 * second head) are kept if the model has the head that is stored there, because they belong to its class; otherwise
 * they are left out. If it is known how a sentence becomes a vector, this is written as files of sentence-transformers.
 *
 * config.json is removed first and written last, so after a failure the folder is no model. Tokens, shards, sentence
 * files and adapters of another model are removed from the folder. HL_INVALID, naming each key: the shape is in no
 * folder of an open model; tokens are of another kind than wordpiece and bpe, or not V; a bare model without its
 * source. HL_BAD_FILE, HL_NO_MEMORY. */
hl_status hl_pretrained_write(const hl_pretrained_parts *parts, const char *path, hl_pretrained_written *written);

/* Adds a line about what was written and, if there are any, lines about heads without weights and about tensors that
 * were left out. HL_NO_MEMORY is left on the text. */
void hl_pretrained_print_written(const hl_pretrained_written *written, hl_text *text);

void hl_pretrained_written_free(hl_pretrained_written *written);

HL_END_DECLS
