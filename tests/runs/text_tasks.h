/* The five tasks on a user's files, each with small data and a config, for whole runs; the first with the shape of
 * BERT's model. */
#pragma once

#include "tests/runs/runs.h"
#include "tests/scratch.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_TASKS = 5, TEXT_NEXT = 1, TEXT_TAGS = 2, TEXT_BYTES = 1 << 16, TEXT_STEPS = 12 };

static const struct {
    const char *name, *file, *keys, *model;
} text_tasks[TEXT_TASKS] = {
    { "masked", "masked.txt", "[tokens]\nkind = words\n[train]\nlength_window = 12\n",
      "norm = post\npositions = learned\nposition_offset = 2\nembedding_size = 12\nembedding_norm = true\n"
      "token_types = 2\nactivation = gelu_tanh\nhead = transform\ntie_embedding = true\ndropout_output = 0.1\n" },
    { "next", "next.txt", "length = 8\n[train]\n", "" },
    { "tags", "tags.conllu", "drop_pieces = 0.1\n[tokens]\nkind = words\n[train]\nlength_window = 12\n", "" },
    { "classes", "classes.tsv",
      "text_column = first,second\nlabel_column = label\n[tokens]\nkind = chars\n[train]\nlength_window = 12\n", "" },
    { "file", "file.tsv", "[train]\n", "" },
};

static char text_made[TEXT_BYTES];
static size_t text_used;

static inline __attribute__((format(printf, 1, 2))) void text_say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_used += (size_t)vsnprintf(text_made + text_used, sizeof text_made - text_used, format, arguments);
    va_end(arguments);
}

/* Word w of a sentence in CoNLL-U, below word `head`; -1: the root. */
static inline void text_say_word(int w, const char *form, int head, const char *relation)
{
    text_say("%d\t%s\t_\t_\t_\t_\t%d\t%s\t_\t_\n", w + 1, form, head + 1, relation);
}

/* Sentence, row or lines number i of the task. */
static inline void text_say_one(int task, int i)
{
    static const char *const kinds[] = { "NOUN", "VERB", "DET" };
    int words = 2 + i * 7 % 6;
    if (task == 3) {
        text_say("a%d b%d\tc%d\t%s\n", i, i * 3 % 7, i % 11, i % 3 == 0 ? "same" : "other");
        return;
    }
    for (int w = 0; w < words; w++) {
        int word = (i * 5 + w * w) % 13;
        if (task == 2) {
            text_say("%d\tw%d\t_\t%s\t_\t_\t%d\t_\t_\t_\n", w + 1, word, kinds[word % 3], w);
        } else {
            text_say("%s%d", w > 0 ? " " : "", word);
        }
    }
    if (task == 4) {
        text_say("\t");
        for (int w = 0; w < words; w++) {
            text_say("%s%d", w > 0 ? " " : "", (i * 5 + w * w) % 13 / 2);
        }
    }
    text_say(task < 2 ? " n%d\n" : "\n", i);
}

/* Writes the task's file with so many of them. */
static inline const char *text_file_of(int task, const char *name, int n)
{
    static const char *const headers[TEXT_TASKS] = { "", "", "", "first\tsecond\tlabel\n", "tokens\ttargets\n" };
    text_used = 0;
    text_say("%s", headers[task]);
    for (int i = 0; i < n; i++) {
        text_say_one(task, i);
    }
    return run_config(name, text_made);
}

/* The path of a config of 12 steps on the task's file in a few hundredths of a second: checkpoints every 3 steps,
 * snapshots of 4 examples. */
static inline const char *text_config_of(int task, const char *file)
{
    const char *config = scratch_format(
        "[task]\nname = %s\nfile = %s\nvalidation_share = 0.3\n%s"
        "steps = %d\nbatch_size = 4\nlog_every = 2\neval_every = 4\neval_examples = 10\ncheckpoint_every = 3\n"
        "threads = 1\n"
        "[model]\nlayers = 2\nd_model = 16\nheads = 2\nd_ff = 32\ndropout = 0.1\n%s"
        "[optimizer]\nlearning_rate = 0.01\nwarmup_steps = 2\n[patterns]\nexamples = 4\n",
        text_tasks[task].name, file, text_tasks[task].keys, TEXT_STEPS, text_tasks[task].model);
    const char *name = scratch_format("%s.ini", text_tasks[task].name);
    return run_config(name, config);
}

/* The same with the file, of 40. */
static inline const char *text_config(int task)
{
    return text_config_of(task, text_file_of(task, text_tasks[task].file, 40));
}

/* The folder of the run's data. */
static inline const char *text_caches(const char *folder)
{
    const char *list = run_list(run_file(folder, "data"));
    const char *name = scratch_format("%.*s", (int)strcspn(list, " "), list);
    return run_file(run_file(folder, "data"), name);
}
