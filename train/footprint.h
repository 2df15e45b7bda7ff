/* The memory, disk space and arithmetic that a run needs, computed only from its config and its model's shapes. */
#pragma once

#include "core/base/declarations.h"
#include "core/base/status.h"
#include "layers/model.h"
#include "train/config.h"
#include "train/snapshot_budget.h"

#include <stddef.h>
#include <stdint.h>

HL_BEGIN_DECLS

/* In bytes; SIZE_MAX stands for a value that does not fit. */
typedef struct hl_footprint {
    /* Memory. Lists of names are not counted; they need about 100 KiB. */
    size_t weights, gradients;
    size_t moments;  /* of the optimizer, and what an update keeps of frozen heads */
    size_t step;     /* the arena: activations, their gradients, scratch */
    size_t batches;  /* for training and validation, with the counts of classes */
    size_t recorder; /* patterns and logits of one snapshot; 0 if none is taken */
    size_t
        validation_sums; /* of heads over the validation set, and the weights they are made from; 0 if none is taken */
    size_t treebank;     /* patterns.treebank and its counts */
    size_t positions;    /* the tables of sinusoidal or rotary positions */
    size_t vocabulary;   /* the task's tokens; for text an estimate */
    size_t libraries;    /* code and tables of the program and its libraries: an estimate, the same for every run */
    size_t kernels;      /* the part of `libraries` that exists only after a model has run */
    size_t generated;    /* code for examples of every length, made before the first step: an estimate */
    size_t figures;      /* for drawing heads in TensorBoard: an estimate */
    size_t training;     /* the sum of all these, from the start or resumption of a run to its last step */

    /* The end of a run, and the program heads. heads.csv and report.html are made after training has freed its
     * memory. */
    size_t rows;     /* the metrics of one snapshot, at most */
    size_t readings; /* metrics and maps of all snapshots that are certain to be taken, and memory to compare heads; an
                        estimate */
    size_t extra;    /* the most that snapshots may add which are taken when the loss falls */
    size_t snapshot; /* one snapshot, read from its file, at most */
    size_t measures; /* the last snapshot, and memory to measure the effects of its heads */
    size_t page;     /* what heads compute and write, for report.html, and memory to measure it */
    size_t end; /* the most at one time, including weights, vocabulary, positions and libraries; 0 if no snapshot is
                   taken */

    size_t total; /* the larger of `training` and `end`; `end` counts `generated` and `figures` too, which the process
                     keeps */
    size_t most;  /* the same including `extra` */

    size_t evaluation; /* for the program heads: a slice of the validation set, and a pass over it */

    /* Files. The headers of tensors are estimates. */
    hl_snapshot_budget snapshots; /* patterns/ */
    size_t model;                 /* model.safetensors */
    size_t checkpoint;            /* each file checkpoint*.safetensors */
    int64_t n_checkpoints;

    int64_t parameters;
    double flops; /* in the matrix products of one update */
} hl_footprint;

/* When a part is in memory. */
enum {
    HL_STANDS_MODEL = 1,    /* whenever a model runs */
    HL_STANDS_TRAINING = 2, /* from the start or resumption of a run to its last step */
    HL_STANDS_END = 4,      /* at the end of a run, and in the program heads */
    HL_STANDS_ON = 8        /* once allocated, until the process ends */
};

/* The parts of a footprint's memory and their sums, as --summary lists them. */
typedef struct hl_footprint_part {
    const char *key, *words; /* its name in --json, and in words */
    size_t place;            /* offset in hl_footprint */
    unsigned when;           /* 0: a sum, or a part that exists only for a short time */
} hl_footprint_part;

enum { HL_FOOTPRINT_PARTS = 20 };
extern const hl_footprint_part hl_footprint_parts[HL_FOOTPRINT_PARTS];

size_t hl_footprint_part_bytes(const hl_footprint *footprint, int part);

/* The bytes of all parts that are in memory at `when`, one of HL_STANDS_*. */
size_t hl_footprint_sum(const hl_footprint *footprint, unsigned when);

/* What the config's model is for: it is trained; its heads are looked at, without effects; it is only evaluated. In the
 * last two it may have no output layer. */
typedef enum hl_footprint_use { HL_FOR_TRAINING, HL_FOR_LOOKING, HL_FOR_EVALUATION } hl_footprint_use;

/* Computes a footprint without allocating memory of that size: for training, of one of `processes` processes that train
 * together, the one that needs most; for looking, the parts that are always in memory, and the end; for evaluation only
 * weights, positions, vocabulary and libraries. `taken`: how many snapshots there are, if no more will be taken;
 * negative: as many as the config says. HL_INVALID if shapes do not fit, HL_NO_MEMORY. */
hl_status hl_footprint_of(const hl_config *config, hl_footprint_use use, int processes, int64_t taken,
                          hl_footprint *footprint);

/* Of a training by one process. */
hl_status hl_footprint_of_config(const hl_config *config, hl_footprint *footprint);

HL_END_DECLS
