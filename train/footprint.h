/* What a run takes in memory, disk and arithmetic, computed from its config and its model's shapes alone. */
#ifndef HL_TRAIN_FOOTPRINT_H
#define HL_TRAIN_FOOTPRINT_H

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "layers/model.h"
#include "train/config.h"
#include "train/snapshot_budget.h"

#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* Bytes; SIZE_MAX stands for what does not fit. */
typedef struct hl_footprint {
    /* Memory. What is missing are the lists that name things, some 100 KiB. */
    size_t weights, gradients;
    size_t moments;  /* the optimizer's */
    size_t step;     /* the arena: activations, their gradients, scratch */
    size_t batches;  /* of training and validation, with what its classes are counted in */
    size_t recorder; /* patterns and logits of one snapshot; 0 where none is taken */
    size_t
        validation_sums; /* of heads over the validation set, and the weights that they are gathered from; likewise */
    size_t treebank;     /* that of patterns.treebank, and what is counted on it */
    size_t positions;    /* the table of sinusoids, or the numbers of learned positions */
    size_t vocabulary;   /* the task's tokens; of text an estimate */
    size_t libraries;    /* the program's and its libraries' code and tables: an estimate, the same for every run */
    size_t kernels;      /* of these what stands only once a model has run */
    size_t generated;    /* code for examples of every length, made before the first step: an estimate */
    size_t figures;      /* drawing the heads for TensorBoard: an estimate */
    size_t training;     /* all of these, from the start of a run or its resumption to its last step */

    /* The end of a run, and the program heads: heads.csv and report.html are made when training has given its memory
     * back. */
    size_t rows;     /* the metrics of one snapshot; at most */
    size_t readings; /* metrics and maps of all snapshots that are sure to be taken, and what heads are compared in; an
                        estimate */
    size_t extra;    /* what those may add that are taken where the loss falls; at most */
    size_t snapshot; /* one, read from its file; at most */
    size_t measures; /* the last snapshot and what the effects of its heads are measured in */
    size_t end; /* at most at once, weights, vocabulary, positions and libraries with it; 0 where nothing is taken */

    size_t total; /* the larger of training, and of end with `generated` and `figures`, which a run's process keeps */
    size_t most;  /* the same with `extra` */

    size_t evaluation; /* of the program heads: a slice of the validation set, and a pass over it */

    /* Files. The headers of tensors are estimated. */
    hl_snapshot_budget snapshots; /* patterns/ */
    size_t model;                 /* model.safetensors */
    size_t checkpoint;            /* each checkpoint*.safetensors */
    int64_t n_checkpoints;

    int64_t parameters;
    double flops; /* of the matrix products of one update */
} hl_footprint;

/* When a part stands in memory. */
enum {
    HL_STANDS_MODEL = 1,    /* whenever a model is run */
    HL_STANDS_TRAINING = 2, /* from the start of a run or its resumption to its last step */
    HL_STANDS_END = 4,      /* at the end of a run, and in the program heads */
    HL_STANDS_ON = 8        /* once it stood, until the process ends */
};

/* The parts of a footprint's memory, and its sums, as --summary lists them. */
typedef struct hl_footprint_part {
    const char *key, *words; /* as --json names it, and in words */
    size_t place;            /* in an hl_footprint */
    unsigned when;           /* 0: a sum, or what stands for a while alone */
} hl_footprint_part;

enum { HL_FOOTPRINT_PARTS = 20 };
extern const hl_footprint_part hl_footprint_parts[HL_FOOTPRINT_PARTS];

size_t hl_footprint_part_bytes(const hl_footprint *footprint, int part);

/* The bytes of all parts that stand then, one of HL_STANDS_*. */
size_t hl_footprint_sum(const hl_footprint *footprint, unsigned when);

/* Nothing of the footprint's size is allocated. HL_INVALID where shapes do not fit, HL_NO_MEMORY. */
hl_status hl_footprint_of_config(const hl_config *config, hl_footprint *footprint);

/* The same of one of so many processes that train it together, of those that take most. */
hl_status hl_footprint_of_one(const hl_config *config, int processes, hl_footprint *footprint);

/* The same of a run that has taken n snapshots, and takes no more. */
hl_status hl_footprint_of_recorded(const hl_config *config, int64_t n, hl_footprint *footprint);

/* Of a model that is not trained, without effects, perhaps without an output layer: what stands all the time, and its
 * end with n snapshots. */
hl_status hl_footprint_of_looked_at(const hl_config *config, int64_t n, hl_footprint *footprint);

/* Weights, positions, vocabulary and libraries alone, of a model that is only evaluated, which may have no output
 * layer. */
hl_status hl_footprint_of_evaluated(const hl_config *config, hl_footprint *footprint);

HL_END_DECLS

#endif
