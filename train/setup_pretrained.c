#include "train/setup_pretrained.h"

#include "core/base/memory.h"
#include "core/files/files.h"
#include "data/text/tokens_file.h"
#include "pretrained/classifier.h"
#include "train/config_keys.h"

#include <stdio.h>
#include <string.h>

enum { TEXT_TASKS = HL_TEXT_FILE + 1 };

/* ---- the shape ---- */

static void take_model(hl_config *config, const hl_model_config *model)
{
    config->model = *model;
    config->dropout = model->dropout_residual;
}

hl_status hl_setup_shape(const hl_pretrained *folder, const char *path, hl_config_shape *shape)
{
    static const hl_pretrained_head heads[TEXT_TASKS] = { [HL_TEXT_MASKED] = HL_PRETRAINED_MASKED,
                                                          [HL_TEXT_NEXT] = HL_PRETRAINED_NEXT,
                                                          [HL_TEXT_TAGS] = HL_PRETRAINED_TAGS,
                                                          [HL_TEXT_CLASSES] = HL_PRETRAINED_CLASSES,
                                                          [HL_TEXT_FILE] = HL_PRETRAINED_NONE };
    *shape = (hl_config_shape){ .path = path, .of_task = hl_calloc(TEXT_TASKS, sizeof *shape->of_task) };
    HL_NEED(shape->of_task != NULL, path);
    for (int task = 0; task < TEXT_TASKS; task++) {
        take_model(&shape->of_task[task], hl_pretrained_model_with(folder, heads[task]));
        shape->of_task[task].tokens = (hl_config_tokens){ .kind = (int)hl_tokens_get_kind(hl_pretrained_tokens(folder)),
                                                          .size = HL_CONFIG_PIECES,
                                                          .min_count = HL_CONFIG_MIN_COUNT };
    }
    return hl_ok();
}

hl_status hl_setup_shape_of_run(const char *path, hl_config_shape *shape)
{
    bool begun;
    *shape = (hl_config_shape){ .path = path };
    HL_TRY(hl_file_exists(path, &begun));
    hl_config *stored = begun ? hl_calloc(TEXT_TASKS, sizeof *stored) : NULL;
    if (stored == NULL) {
        return begun ? hl_error_memory(path) : hl_ok();
    }
    hl_problems problems = { 0 };
    hl_status status = hl_config_load((hl_config_options){ .path = path }, stored, &problems);
    hl_problems_free(&problems);
    if (status.code != HL_OK || *hl_config_string(stored, stored->train.from) == '\0' ||
        !hl_config_is_text(stored, NULL)) {
        hl_free(stored);
        return status.code == HL_INVALID ? hl_error(HL_BAD_FILE, "%s", status.text) : status;
    }
    for (int task = 1; task < TEXT_TASKS; task++) {
        stored[task] = stored[0];
    }
    shape->of_task = stored;
    return hl_ok();
}

void hl_setup_shape_free(hl_config_shape *shape)
{
    hl_free(shape->of_task);
    *shape = (hl_config_shape){ 0 };
}

/* ---- the folder as it is stored ---- */

static const char *const task_names[TEXT_TASKS] = { "masked", "next", "tags", "classes", "file" };

/* Whether the override sets the data on which the model is asked. */
static bool asks(const char *override)
{
    static const char *const keys[] = { "patterns.examples", "train.seed", "train.threads" };
    size_t length = strcspn(override, " \t=");
    bool found = strncmp(override, "task.", strlen("task.")) == 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        found = found || (length == strlen(keys[i]) && strncmp(override, keys[i], length) == 0);
    }
    return found;
}

/* A folder whose model is asked on some data, with the task of its stored head. */
typedef struct asking {
    const hl_pretrained *folder;
    const char *path;
    hl_text_task stored;
    hl_config_shape shape;
} asking;

/* Refuses a task for which the folder stores no head, and says what can be asked. */
static hl_status refuse_task(const asking *a, const hl_config *config, hl_text_task asked)
{
    const char *name = hl_config_key_at(offsetof(hl_config, task.name))->choices[config->task.name];
    const char *own = hl_pretrained_model(a->folder)->causal ? "next" : "masked", *stored = task_names[a->stored];
    bool none = hl_pretrained_stored_head(a->folder) == HL_PRETRAINED_NONE;
    if (none && hl_pretrained_stored_problem(a->folder) != HL_PROBLEM_CHOICE) {
        bool labels = hl_pretrained_stored_problem(a->folder) == HL_PROBLEM_LABELS;
        return hl_error(HL_INVALID,
                        "%s: its classifier answers with %s (problem_type), for which there is no loss here: predict "
                        "answers and scores it, or train another by train my.ini --from %s, and ask the run",
                        a->path, labels ? "several labels at once" : "numbers", a->path);
    }
    bool trains = asked == HL_TEXT_TAGS || asked == HL_TEXT_CLASSES || strcmp(name, own) == 0;
    if (!trains && !none) {
        return hl_error(
            HL_INVALID,
            "%s: stores no output layer for the task %s, so it has no loss (but one for %s): ask it on that, "
            "by --task %s",
            a->path, name, stored, stored);
    }
    return hl_error(HL_INVALID,
                    "%s: stores no output layer for the task %s, so it has no loss%s%s%s: train one%s%s%s on your own "
                    "examples with train my.ini --from %s, and ask the run",
                    a->path, name, none ? "" : " (but one for ", none ? "" : stored, none ? "" : ")",
                    trains ? "" : " for ", trains ? "" : own, trains ? "" : ", tags or classes", a->path);
}

/* Called before the shape of a missing head is compared with the config's keys. */
static hl_status find_shape(void *context, const hl_config *config, const hl_config_shape **shape)
{
    asking *a = context;
    hl_text_task asked = HL_TEXT_FILE;
    bool none = hl_pretrained_stored_head(a->folder) == HL_PRETRAINED_NONE;
    hl_config_is_text(config, &asked);
    if (asked != a->stored || (none && *hl_config_string(config, config->task.file) != '\0')) {
        return refuse_task(a, config, asked);
    }
    HL_TRY(hl_setup_shape(a->folder, a->path, &a->shape));
    take_model(&a->shape.of_task[asked], hl_pretrained_model(a->folder));
    *shape = &a->shape;
    return hl_ok();
}

/* Without a file, a text of running text is read with the longest input that the model accepts. */
static hl_status make_config(asking *a, hl_config_options options, hl_config *config)
{
    hl_problems problems = { 0 };
    hl_text text = { 0 };
    hl_text_print(&text, "[task]\nname = %s\n", task_names[a->stored]);
    if (a->stored == HL_TEXT_NEXT) {
        int64_t all = hl_pretrained_model(a->folder)->max_length, usual = 64;
        hl_text_print(&text, "length = %lld\n", (long long)(options.n_overrides == 0 || all < usual ? all : usual));
    }
    hl_status status = hl_text_status(&text);
    options.path = a->path;
    options.find_shape = find_shape;
    options.context = a;
    HL_THEN(status, hl_config_parse(options, text.bytes, text.size, config, &problems));
    bool own = status.code == HL_INVALID && problems.n > 0 &&
               strncmp(status.text, "command line: ", strlen("command line: ")) != 0;
    hl_problems_free(&problems);
    hl_setup_shape_free(&a->shape);
    hl_text_free(&text);
    return own ? hl_error(HL_BAD_FILE, "%s", status.text) : status;
}

hl_status hl_setup_pretrained(hl_pretrained *folder, const char *path, const char *const *overrides, int n_overrides,
                              hl_config *config, hl_dataset **out)
{
    static const hl_text_task tasks[HL_PRETRAINED_HEADS] = { [HL_PRETRAINED_NONE] = HL_TEXT_MASKED,
                                                             [HL_PRETRAINED_MASKED] = HL_TEXT_MASKED,
                                                             [HL_PRETRAINED_NEXT] = HL_TEXT_NEXT,
                                                             [HL_PRETRAINED_TAGS] = HL_TEXT_TAGS,
                                                             [HL_PRETRAINED_CLASSES] = HL_TEXT_CLASSES };
    const hl_model_config *model = hl_pretrained_model(folder);
    hl_text_task task = tasks[hl_pretrained_stored_head(folder)];
    const char *const *names;
    int64_t n_labels = hl_pretrained_labels(folder, &names);
    hl_tokens *labels = NULL;
    for (int i = 0; i < n_overrides; i++) {
        if (!asks(overrides[i])) {
            return hl_error(
                HL_INVALID,
                "command line: %s: %s is an open model: it takes only keys of [task], patterns.examples and train.seed",
                overrides[i], path);
        }
    }
    hl_config_options options = { .overrides = overrides, .n_overrides = n_overrides };
    HL_TRY(make_config(&(asking){ .folder = folder, .path = path, .stored = task }, options, config));
    char of_labels[HL_CONFIG_MAX_PATH + 32];
    snprintf(of_labels, sizeof of_labels, "%s/config.json: id2label", path);
    HL_TRY(n_labels > 0 ? hl_tokens_of_labels(names, n_labels, of_labels, &labels) : hl_ok());
    hl_tokens *tokens = hl_pretrained_take_tokens(folder);
    hl_status status = config->task.prefix_space ? hl_tokens_set_prefix_space(tokens) : hl_ok();
    if (status.code != HL_OK) {
        hl_tokens_free(tokens);
        hl_tokens_free(labels);
        return status;
    }
    int types = model->token_types > 1 ? 2 : 0;
    HL_TRY(hl_dataset_of_tokens(task, tokens, labels, model->max_length, types, (uint64_t)config->train.seed, out));
    config->sizes = *hl_dataset_sizes(*out);
    return hl_ok();
}
