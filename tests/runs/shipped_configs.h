/* The configs that are shipped for training: what each one learns, shortened and in full. */
#pragma once

#include <string.h>

typedef struct shipped_config {
    const char *name;
    const char *file; /* what a config for files of one's own is tried on; NULL where the config names a file */

    /* After these steps of 8 examples, or of so many (answers that are hard to learn bring less at first), what the
     * loss of the last training row may be, as a share of the first one's. */
    const char *few_steps, *batch;
    double share;

    const char *steps; /* NULL: those of the config */
    double accuracy;   /* after all steps, at least */
} shipped_config;

static const shipped_config shipped_configs[] = {
    { .name = "copy_task.ini", .few_steps = "train.steps=80", .share = 0.8, .accuracy = 0.999 },
    { .name = "copy_variable.ini", .few_steps = "train.steps=80", .share = 0.9, .accuracy = 0.99 },
    { .name = "identity_copy.ini", .few_steps = "train.steps=40", .share = 0.8, .accuracy = 0.999 },
    { .name = "reverse.ini", .few_steps = "train.steps=80", .share = 0.8, .accuracy = 0.999 },
    { .name = "shift.ini", .few_steps = "train.steps=80", .share = 0.8, .accuracy = 0.999 },
    { .name = "sort.ini", .few_steps = "train.steps=40", .share = 0.8, .accuracy = 0.99 },
    { .name = "recall.ini", .few_steps = "train.steps=40", .share = 0.8, .accuracy = 0.999 },
    { .name = "agreement.ini", .few_steps = "train.steps=160", .share = 0.8, .accuracy = 0.99 },
    { .name = "ngram.ini",
      .few_steps = "train.steps=300",
      .batch = "train.batch_size=32",
      .share = 0.9,
      .accuracy = 0.99 },
    { .name = "markov.ini", .few_steps = "train.steps=80", .share = 0.85, .accuracy = 0.57 },
    { .name = "attachment.ini", .few_steps = "train.steps=80", .share = 0.8, .accuracy = 0.78 },
    { .name = "text_next.ini", .few_steps = "train.steps=40", .share = 0.8, .accuracy = 0.6 },
    { .name = "text_masked.ini", .few_steps = "train.steps=80", .share = 0.9, .accuracy = 0.28 },
    { .name = "tags.ini", .few_steps = "train.steps=40", .share = 0.8, .accuracy = 0.94 },
    { .name = "classes.ini", .few_steps = "train.steps=80", .share = 0.9, .accuracy = 0.83 },
    { .name = "own_next.ini",
      .file = "task.file=text/stories.txt.gz",
      .few_steps = "train.steps=40",
      .share = 0.8,
      .steps = "train.steps=500",
      .accuracy = 0.2 },
    { .name = "own_masked.ini",
      .file = "task.file=text/sentences.txt.gz",
      .few_steps = "train.steps=40",
      .share = 0.8,
      .steps = "train.steps=2000",
      .accuracy = 0.28 },
    { .name = "own_tags.ini",
      .file = "task.file=text/treebank.conllu.gz",
      .few_steps = "train.steps=40",
      .share = 0.8,
      .steps = "train.steps=1000",
      .accuracy = 0.96 },
    { .name = "own_classes.ini",
      .file = "task.file=text/messages.tsv.gz",
      .few_steps = "train.steps=80",
      .share = 0.9,
      .steps = "train.steps=2000",
      .accuracy = 0.75 },
    { .name = "animals.ini", .few_steps = "train.steps=80", .share = 0.8, .accuracy = 0.99 },
};
enum { SHIPPED_CONFIGS = sizeof shipped_configs / sizeof *shipped_configs };

/* What such a config is tried on; NULL for one that names its file, or has no row. */
static inline const char *shipped_config_file(const char *name)
{
    for (int i = 0; i < SHIPPED_CONFIGS; i++) {
        if (strcmp(shipped_configs[i].name, name) == 0) {
            return shipped_configs[i].file;
        }
    }
    return NULL;
}
