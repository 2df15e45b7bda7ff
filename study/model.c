#define _XOPEN_SOURCE 700 /* realpath */
#include "study/model.h"

#include "core/base/memory.h"
#include "core/files/files.h"
#include "core/files/folders.h"
#include "data/examples_storage.h"
#include "pretrained/classifier.h"
#include "study/model_examples.h"
#include "train/checkpoint.h"
#include "train/metrics_csv.h"
#include "train/private/step_list.h"
#include "train/run_folder.h"
#include "train/setup.h"
#include "train/setup_pretrained.h"
#include "train/trainer.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- the config and the task ---- */

/* *open: whether it is an open model's folder; else it is a run's, whose config lies at `config`. */
static hl_status find_kind(const char *path, const char *config, bool *open)
{
    bool is_run;
    /* What was given instead of a folder. */
    struct stat info;
    bool there = stat(path, &info) == 0;
    if (!there && errno == ENOENT) {
        return hl_error(HL_BAD_FILE,
                        "%s: no such folder; name the folder of a run, as in runs/copy_task, or of an open model on "
                        "this disk (nothing is downloaded)",
                        path);
    }
    if (!there) {
        return hl_file_system_error(path, "cannot open this folder");
    }
    if (!S_ISDIR(info.st_mode)) {
        return hl_error(HL_BAD_FILE,
                        "%s: a file; give the folder that it is in, of a run, as runs/copy_task, or of an open model",
                        path);
    }
    HL_TRY(hl_file_exists(config, &is_run));
    *open = !is_run && hl_pretrained_is_folder(path);
    return is_run || *open ? hl_ok()
                           : hl_error(HL_BAD_FILE,
                                      "%s: this folder holds no run (no config.ini in it) and no open model (no "
                                      "config.json); give the folder that one of them is in",
                                      path);
}

static hl_status load_config(hl_config *config, hl_config_options options)
{
    hl_problems problems = { 0 };
    hl_status status = hl_config_load(options, config, &problems);
    hl_problems_free(&problems);
    bool own = status.code == HL_INVALID && strncmp(status.text, "command line: ", strlen("command line: ")) != 0;
    return own ? hl_error(HL_BAD_FILE, "%s", status.text) : status;
}

/* A run has examples of its own, but it may read longer lines. */
static hl_status open_run(hl_model_source *source, const char *config, hl_model_options options)
{
    const char *asked = options.task != NULL ? "--task" : options.file != NULL ? "--file" : NULL;
    for (int i = 0; i < options.n_overrides && asked == NULL; i++) {
        bool fits = strncmp(options.overrides[i], "task.line_mb=", strlen("task.line_mb=")) == 0;
        asked = fits ? NULL : options.overrides[i];
    }
    if (asked != NULL) {
        return hl_error(HL_INVALID, "command line: %s: %s is a run, which has examples of its own: leave it out", asked,
                        source->path);
    }
    hl_config_options read = { .path = config, .overrides = options.overrides, .n_overrides = options.n_overrides };
    HL_TRY(load_config(&source->config, read));
    HL_TRY(hl_pretrained_sentence_load(source->path, &source->sentence));
    hl_data_options data = { .use = options.use, .folder = source->path, .beside = config };
    hl_status status = hl_setup_data(&source->config, &data, &source->dataset);
    return status.code == HL_INVALID ? hl_error(HL_BAD_FILE, "%s: %s", config, status.text) : status;
}

/* Opens the examples that an open model is scored on, and makes the config say how many there are. */
static hl_status open_examples(hl_model_source *source)
{
    hl_config *config = &source->config;
    if (*hl_config_string(config, config->task.file) == '\0') {
        return hl_ok();
    }
    int64_t vocabulary = config->sizes.vocabulary; /* rows of embeddings, of which some may be no token's */
    int64_t targets = config->sizes.targets;
    hl_dataset *examples;
    HL_TRY(hl_setup_examples(config, &(hl_data_options){ 0 }, source->dataset, false, &examples));
    source->folders = source->dataset;
    source->dataset = examples;
    config->sizes = *hl_dataset_sizes(examples);
    config->sizes.vocabulary = vocabulary;
    config->sizes.targets = targets;
    config->train.eval_examples = config->sizes.examples[HL_VALIDATION];
    source->validation = hl_config_string(config, config->task.file);
    return hl_ok();
}

/* Room for what the options mean as overrides: too large for the stack of some threads. */
typedef struct asked {
    char task[64], file[HL_CONFIG_OVERRIDE];
    const char *all[];
} asked;

static hl_status open_folder(hl_model_source *source, hl_model_options options, asked *room)
{
    int n = options.n_overrides;
    for (int i = 0; i < n; i++) {
        room->all[i] = options.overrides[i];
    }
    if (options.task != NULL) {
        snprintf(room->task, sizeof room->task, "task.name=%s", options.task);
        room->all[n++] = room->task;
    }
    if (options.file != NULL) {
        if (!hl_config_path_override("task.file", options.file, room->file)) {
            return hl_error(HL_INVALID, "command line: --file: longer than %d bytes", HL_CONFIG_MAX_PATH - 1);
        }
        room->all[n++] = room->file;
    }
    HL_TRY(hl_pretrained_open(source->path, &source->open));
    if (options.any_classifier) {
        hl_pretrained_take_classifier(source->open);
    }
    source->sentence = hl_pretrained_sentence_of(source->open);
    HL_TRY(hl_setup_pretrained(source->open, source->path, room->all, n, &source->config, &source->dataset));
    return options.use == HL_DATA_READ ? open_examples(source) : hl_ok();
}

static hl_status open_pretrained(hl_model_source *source, hl_model_options options)
{
    asked *room = hl_malloc(sizeof *room + (size_t)(options.n_overrides + 2) * sizeof room->all[0]);
    hl_status status = room != NULL ? open_folder(source, options, room) : hl_error_memory(source->path);
    hl_free(room);
    return status;
}

/* ---- opening ---- */

/* The last part of the whole path; of an open model, which is often in a folder named "model", the last two. In new
 * memory; NULL when out of it. */
static char *name_of(const char *path, bool open)
{
    char *whole = hl_malloc(PATH_MAX);
    if (whole == NULL) {
        return NULL;
    }
    const char *found = realpath(path, whole) != NULL ? whole : path, *name = found + strlen(found);
    for (int parts = open ? 2 : 1; name > found && (name[-1] != '/' || --parts > 0);) {
        name--;
    }
    char *copy = hl_strdup(*name != '\0' ? name : found);
    hl_free(whole);
    return copy;
}

hl_status hl_opened_model_open(hl_opened_model *run, const char *path)
{
    return hl_opened_model_open_with(run, path, (hl_model_options){ .use = HL_DATA_READ });
}

hl_status hl_opened_model_open_with(hl_opened_model *run, const char *path, hl_model_options options)
{
    *run = (hl_opened_model){ .weights_step = -1, .source.validation = "the validation set" };
    hl_model_source *source = &run->source;
    source->path = hl_strdup(path);
    source->patterns = hl_path_join(path, "patterns");
    char *config = hl_path_join(path, "config.ini");
    bool open = false;
    hl_status status = config != NULL ? find_kind(path, config, &open) : hl_error_memory(path);
    source->name = name_of(path, open);
    bool complete = source->path != NULL && source->name != NULL && source->patterns != NULL;
    HL_THEN(status, complete ? hl_ok() : hl_error_memory(path));
    HL_THEN(status, open ? open_pretrained(source, options) : open_run(source, config, options));
    if (status.code == HL_OK) {
        source->shape = hl_setup_model(&source->config);
        source->vocabulary = hl_dataset_vocabulary(source->dataset);
        source->relations = hl_dataset_relations(source->dataset);
        source->threads = hl_setup_threads(&source->config);
        source->slice = hl_trainer_evaluation_slice(&source->config);
        source->rows_at_once = hl_trainer_evaluation_rows(&source->config);
    }
    hl_step_list steps = { 0 };
    HL_THEN(status, hl_step_list_read(source->patterns, hl_run_folder_snapshot_step, &steps));
    run->steps = steps.steps;
    run->n_steps = steps.n;
    hl_free(config);
    return status;
}

void hl_opened_model_close(hl_opened_model *run)
{
    hl_model_free(&run->model);
    hl_snapshot_free(&run->last);
    hl_snapshot_free(&run->other);
    hl_examples_free(&run->examples);
    hl_dataset_free(run->written);
    hl_free(run->metrics);
    hl_free(run->steps);
    hl_dataset_free(run->source.dataset); /* before the folder's, whose tokens it has */
    hl_dataset_free(run->source.folders);
    hl_pretrained_close(run->source.open);
    hl_free(run->source.patterns);
    hl_free(run->source.path);
    hl_free(run->source.name);
    *run = (hl_opened_model){ .weights_step = -1 };
}

/* ---- reading ---- */

hl_status hl_opened_model_check_steps(const hl_opened_model *run)
{
    if (run->n_steps > 0 || run->source.folders != NULL) {
        return hl_ok();
    }
    if (run->source.open != NULL) {
        return hl_error(HL_INVALID,
                        "%s: is an open model, which has no snapshots; give a text by --input, or sentences by "
                        "--examples",
                        run->source.path);
    }
    if (run->source.config.patterns.examples == 0) {
        return hl_error(HL_BAD_FILE,
                        "%s: no patterns were recorded (patterns.examples = 0); train again with patterns.examples=32",
                        run->source.path);
    }
    return hl_error(HL_BAD_FILE, "%s: no snapshot yet; the run writes its first one at step 0", run->source.patterns);
}

/* HL_INVALID, naming the nearest, where there is no snapshot of it. */
static hl_status check_step(const hl_opened_model *run, int64_t step)
{
    size_t above = 0;
    while (above < run->n_steps && run->steps[above] < step) {
        above++;
    }
    if (above < run->n_steps && run->steps[above] == step) {
        return hl_ok();
    }
    if (run->file != NULL && run->n_steps > 1) {
        return hl_error(HL_INVALID,
                        "command line: --step %" PRId64 ": on sentences there are two steps, 0, random weights, and "
                        "%" PRId64 ", the model's own",
                        step, run->steps[1]);
    }
    if (above == 0 || above == run->n_steps) {
        return hl_error(HL_INVALID,
                        "%s: no snapshot of step %" PRId64 "; they are of the steps %" PRId64 " .. %" PRId64,
                        run->source.patterns, step, run->steps[0], run->steps[run->n_steps - 1]);
    }
    return hl_error(HL_INVALID, "%s: no snapshot of step %" PRId64 "; the nearest are of %" PRId64 " and %" PRId64,
                    run->source.patterns, step, run->steps[above - 1], run->steps[above]);
}

/* Checks what the file alone cannot tell. */
static hl_status check_snapshot(const hl_dataset *dataset, const char *path, int64_t step, const hl_snapshot *snapshot)
{
    if (snapshot->step != step) {
        return hl_error(HL_BAD_FILE, "%s: is of step %" PRId64 ", by what it says itself", path, snapshot->step);
    }
    int64_t found = snapshot->examples.n_relations, stated = hl_dataset_sizes(dataset)->relations;
    if (found != stated) {
        return hl_error(HL_BAD_FILE,
                        "%s: has pairs of %" PRId64 " relations, and the task of config.ini states %" PRId64
                        "; train the run anew",
                        path, found, stated);
    }
    return hl_ok();
}

/* Words are counted in the training file, of an open model that is examined in the file of the sentences, and once: all
 * snapshots of a run are of the same examples. */
static hl_status find_words(const hl_opened_model *run, hl_snapshot *snapshot)
{
    bool of_sentences = run->source.open != NULL && run->file != NULL;
    const hl_text_data *text = hl_dataset_text(of_sentences ? run->written : run->source.dataset);
    const hl_snapshot *like = run->last.config != NULL && snapshot != &run->last ? &run->last : NULL;
    return text != NULL ? hl_snapshot_find_words(snapshot, hl_vocabulary_kinds(run->source.vocabulary),
                                                 hl_text_data_tokens(text), text, like)
                        : hl_ok();
}

static hl_status read_snapshot(const hl_model_source *source, int64_t step, hl_snapshot *snapshot)
{
    char *path = hl_path_join(source->patterns, "step_%06" PRId64 ".npz", step);
    HL_NEED(path != NULL, source->patterns);
    /* not patterns.examples, which may have been another when the snapshot was taken */
    hl_status status =
        hl_snapshot_read_again(path, &source->shape, source->config.train.eval_examples, source->threads, snapshot);
    HL_THEN(status, check_snapshot(source->dataset, path, step, snapshot));
    hl_free(path);
    return status;
}

/* Runs an open model on the first of its examples. */
static hl_status make_maps(hl_opened_model *run, hl_snapshot *snapshot)
{
    hl_examples examples;
    const hl_config *config = &run->source.config;
    int64_t most = config->patterns.examples, n = config->train.eval_examples;
    n = most > 0 && most < n ? most : n;
    HL_TRY(hl_opened_model_load(run, -1));
    HL_TRY(hl_dataset_make_examples(run->source.dataset, HL_VALIDATION, 0, n, &examples));
    hl_status status = hl_model_maps_run(run, &examples, snapshot);
    hl_examples_free(&examples);
    return status;
}

hl_status hl_opened_model_snapshot(hl_opened_model *run, int64_t step, const hl_snapshot **snapshot)
{
    bool has_steps = run->source.folders == NULL;
    hl_snapshot *room = &run->last;
    HL_TRY(hl_opened_model_check_steps(run));
    if (has_steps) {
        int64_t last = run->steps[run->n_steps - 1];
        step = step < 0 ? last : step;
        HL_TRY(check_step(run, step));
        room = step == last ? &run->last : &run->other;
    } else if (step >= 0) {
        return hl_error(HL_INVALID, "%s: is an open model, which has no steps; leave --step out", run->source.path);
    }
    bool there = room->config != NULL && (!has_steps || room->step == step);
    if (room == &run->last || (!there && run->file != NULL)) { /* a file is read over it */
        hl_snapshot_free(&run->other);
    }
    *snapshot = room;
    if (there) {
        return hl_ok();
    }
    hl_status status = !has_steps          ? make_maps(run, room)
                       : run->file != NULL ? hl_opened_model_record(run, step, room)
                                           : read_snapshot(&run->source, step, room);
    HL_THEN(status, find_words(run, room));
    if (status.code != HL_OK) {
        hl_snapshot_free(room);
    }
    return status;
}

/* The checkpoint is read before the rows: a run that goes on may write both meanwhile. */
static hl_status read_metrics(hl_opened_model *run, const char *path, const char *checkpoint)
{
    bool has;
    size_t size;
    if (!run->knows_rows) {
        HL_TRY(hl_checkpoint_read_metrics(checkpoint, &has, &run->rows));
        run->knows_rows = true;
    }
    HL_TRY(hl_file_read_if_there(path, HL_METRICS_MAX_BYTES, &run->metrics, &size));
    return size > 0 ? hl_metrics_csv_check(path, run->metrics, size, run->rows) : hl_ok();
}

hl_status hl_opened_model_metrics(hl_opened_model *run, const char **text)
{
    if (run->metrics == NULL) {
        char *path = hl_path_join(run->source.path, "metrics.csv"),
             *checkpoint = hl_path_join(run->source.path, "checkpoint.safetensors");
        hl_status status = path != NULL && checkpoint != NULL ? read_metrics(run, path, checkpoint)
                                                              : hl_error_memory(run->source.path);
        hl_free(checkpoint);
        hl_free(path);
        if (status.code != HL_OK) {
            hl_free(run->metrics);
            run->metrics = NULL;
            return status;
        }
    }
    *text = run->metrics;
    return hl_ok();
}
