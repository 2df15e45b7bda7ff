#include "train/setup_data.h"

#include "core/base/memory.h"
#include "core/files/files.h"
#include "core/files/folders.h"
#include "data/text/private/source.h"
#include "data/text/split.h"
#include "data/text/tokens_file.h"
#include "train/config_keys.h"
#include "train/private/data_folder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longer sentences are cut if a config sets no limit, because a cache cannot hold longer ones. */
enum { CONTENT_TEXT = 48, MOST_PIECES = 1 << 25 };

/* What is needed to open a text. */
typedef struct work {
    hl_config *config;
    const hl_data_options *options;
    hl_text_spec spec;
    const hl_tokens *tokens;                   /* existing tokens, or NULL */
    hl_tokens *own;                            /* those of the run's folder; owned */
    char *file, *validation_file, *vocabulary; /* where they were found; owned, like the next field */
    char *folder;                              /* for what is made */
    size_t there;                              /* this many bytes of its path name a folder that existed before */
    bool fresh, temporary;                     /* removed if opening fails; removed in any case */
    bool makes;                                /* no tokens exist yet */
    int64_t asked;                             /* the requested max_length; 0: none, or for windows */
    char content[CONTENT_TEXT];
} work;

static const char *or_null(const char *text)
{
    return *text != '\0' ? text : NULL;
}

hl_text_spec hl_config_text_spec(const hl_config *config)
{
    const hl_config_task *task = &config->task;
    hl_text_spec spec = {
        .file = or_null(hl_config_string(config, task->file)),
        .validation_file = or_null(hl_config_string(config, task->validation_file)),
        .line_mb = task->line_mb,
        .validation_share = task->validation_share,
        .column = hl_config_string(config, task->column),
        .text_column = hl_config_string(config, task->text_column),
        .label_column = hl_config_string(config, task->label_column),
        .max_length = config->model.max_length > 0 ? config->model.max_length : MOST_PIECES,
        .prefix_space = task->prefix_space,
        .whole_words = task->mask == 1,
        .kind = (hl_tokens_kind)config->tokens.kind,
        .size = config->tokens.size,
        .min_count = config->tokens.min_count,
        .lowercase = config->tokens.lowercase,
        .drop_pieces = task->drop_pieces,
        .vocabulary = or_null(hl_config_string(config, config->tokens.vocabulary)),
    };
    hl_config_is_text(config, &spec.task);
    spec.length = spec.task == HL_TEXT_NEXT || spec.task == HL_TEXT_MASKED ? task->length : 0;
    return spec;
}

/* ---- what the data are made from ---- */

static hl_status add_file(const char *path, uint64_t *hash)
{
    if (path == NULL) {
        *hash = hl_content_add(*hash, "", 0);
        return hl_ok();
    }
    hl_source source;
    HL_TRY(hl_source_look(path, &source));
    const int64_t known[] = { source.size, source.sample };
    *hash = hl_content_add(*hash, known, sizeof known);
    return hl_ok();
}

/* "<hash of the files and of all rules that make data from them>-<requested max_length>". */
static hl_status find_content(work *w)
{
    const hl_text_spec *s = &w->spec;
    hl_text rules = { 0 };
    hl_text_print(&rules, "%d %d %d %" PRId64 " %" PRId64 " %d %d", (int)s->task, s->length > 0, (int)s->kind, s->size,
                  s->min_count, s->lowercase, s->drop_pieces > 0);
    if (s->validation_file == NULL) {
        hl_text_print(&rules, " %.17g", s->validation_share);
    }
    if (s->task == HL_TEXT_TAGS) {
        hl_text_print(&rules, " %s%s", s->column, s->prefix_space ? " prefix_space" : "");
    } else if (s->task == HL_TEXT_CLASSES) {
        hl_text_print(&rules, " %s %s", s->text_column, s->label_column);
    }
    hl_status status = hl_text_status(&rules);
    uint64_t hash = status.code == HL_OK ? hl_content_add(HL_CONTENT_NOTHING, rules.bytes, rules.size) : 0;
    hl_text_free(&rules);
    HL_THEN(status, add_file(s->file, &hash));
    HL_THEN(status, add_file(s->validation_file, &hash));
    HL_THEN(status, add_file(s->vocabulary, &hash));
    if (w->tokens != NULL) {
        hl_text tokens = { 0 };
        HL_THEN(status, hl_tokens_json(w->tokens, &tokens));
        hash = status.code == HL_OK ? hl_content_add(hash, tokens.bytes, tokens.size) : 0;
        hl_text_free(&tokens);
    }
    snprintf(w->content, sizeof w->content, "%016" PRIx64 "-%" PRId64, hash, w->asked);
    return status;
}

/* Uses the run's content, and with it the length that was requested when the data were made. */
static hl_status take_content(work *w)
{
    const char *content = hl_config_string(w->config, w->config->task.content), *dash = strchr(content, '-');
    if (strlen(content) >= CONTENT_TEXT || dash == NULL || dash - content != 16 ||
        strspn(content, "0123456789abcdef-") != strlen(content)) {
        return hl_error(HL_BAD_FILE, "task.content = %.64s: not as train writes it", content);
    }
    snprintf(w->content, sizeof w->content, "%s", content);
    w->asked = strtoll(dash + 1, NULL, 10);
    w->spec.max_length = w->spec.length > 0 ? w->spec.length : w->asked > 0 ? w->asked : MOST_PIECES;
    return hl_ok();
}

/* Whether the data belong to an existing run. */
static bool is_run(const work *w)
{
    hl_data_use use = w->options->use;
    return use == HL_DATA_KEEP || use == HL_DATA_READ || use == HL_DATA_FOLLOW;
}

/* Tokens and caches are made one after the other, all from the same content. Removes those that are not. */
static hl_status check_unchanged(work *w)
{
    char before[CONTENT_TEXT];
    memcpy(before, w->content, sizeof before);
    HL_TRY(find_content(w));
    bool same = strcmp(before, w->content) == 0;
    w->fresh = w->fresh && !same; /* a shared cache may hold the data of another run */
    return same ? hl_ok()
                : hl_error(HL_BAD_FILE, "%s: changed while it was read%s", w->spec.file,
                           w->spec.validation_file != NULL || w->spec.vocabulary != NULL
                               ? ", or the validation file or the vocabulary did"
                               : "");
}

/* ---- the folder ---- */

static hl_status is_made(const work *w, const char *name, bool *made)
{
    char *path = hl_path_join(w->folder, "%s", name);
    hl_status status = path != NULL ? hl_file_exists(path, made) : hl_error_memory(w->folder);
    hl_free(path);
    return status;
}

static hl_status make_temporary(work *w)
{
    HL_TRY(hl_data_folder_make_temporary(&w->folder, &w->there));
    w->spec.folder = w->folder;
    w->temporary = true;
    return hl_ok();
}

/* Uses the data that the runs of a sweep share, in `data` beside them, if they exist there: the sweep was moved, and
 * task.cache names their old folder. */
static hl_status look_beside(work *w, bool *made)
{
    char *before = w->folder;
    w->folder = hl_path_join(w->options->folder, "../data/%s", w->content);
    hl_status status = w->folder != NULL ? is_made(w, "tokens.json", made) : hl_error_memory(w->content);
    if (*made) {
        hl_free(before);
    } else {
        hl_free(w->folder);
        w->folder = before;
    }
    return status;
}

/* Where tokens and caches are, or will be made. */
static hl_status choose_folder(work *w)
{
    const char *cache = hl_config_string(w->config, w->config->task.cache);
    bool made;
    w->folder = *cache != '\0' ? hl_path_join(cache, "%s", w->content)
                               : hl_path_join(w->options->folder, "data/%s", w->content);
    HL_NEED(w->folder != NULL, w->content);
    bool looks = w->options->use == HL_DATA_CHECK; /* the cache of validation is made last */
    HL_TRY(is_made(w, looks ? "validation.cache" : "tokens.json", &made));
    HL_TRY(!made && is_run(w) && *cache != '\0' ? look_beside(w, &made) : hl_ok());
    w->makes = !made;
    if (looks) {
        return made ? hl_ok() : make_temporary(w);
    }
    if (is_run(w) && made) {
        w->spec.keep = true;
        w->spec.any_source = w->options->use != HL_DATA_KEEP;
        return hl_ok();
    }
    if (w->options->use == HL_DATA_FOLLOW && *cache == '\0') {
        return hl_error(HL_BAD_FILE, "%s: missing here; all processes read what is made in the run's folder",
                        w->folder);
    }
    if (is_run(w)) {
        char said[CONTENT_TEXT];
        memcpy(said, w->content, sizeof said);
        hl_status status = find_content(w);
        if (status.code == HL_OK && strncmp(said, w->content, 16) != 0 && w->config->train.from != 0 &&
            w->tokens == NULL) {
            HL_TRY(hl_data_load_tokens(w->options->folder, "tokens.json", &w->own)); /* an open model's, not learned */
            w->tokens = w->own;
            status = find_content(w);
        }
        if (status.code == HL_OK && strncmp(said, w->content, 16) != 0) {
            status = hl_error(HL_BAD_FILE, "%s: its content is not what the run was begun with", w->spec.file);
        }
        static const char gone[] = "%s; the run's own cache is gone, too: put back the file as it was, or %s";
        HL_TRY(status.code == HL_OK ? status : hl_error(status.code, gone, status.text, w->folder));
    }
    HL_TRY(hl_data_folder_make(w->folder, &w->there));
    w->fresh = *cache == '\0' && w->there < strlen(w->folder); /* another run may be working in a cache */
    return hl_ok();
}

/* ---- opening ---- */

/* Sets what the data determine about the config. */
static hl_status set_config(work *w, const hl_dataset *dataset)
{
    hl_config *config = w->config;
    config->sizes = *hl_dataset_sizes(dataset);
    if (config->model.max_length == 0) {
        config->model.max_length = config->sizes.longest;
    }
    int64_t there = config->sizes.examples[HL_VALIDATION], asked = config->train.eval_examples;
    if (asked > there && w->options->notices != NULL && !is_run(w)) {
        hl_text_print(w->options->notices, "validation: all %" PRId64 " examples, fewer than train.eval_examples\n",
                      there);
    }
    config->train.eval_examples = asked == 0 || asked > there ? there : asked;
    char wrong[HL_CONFIG_WRONG_TEXT];
    const hl_config_key *content = hl_config_key_at(offsetof(hl_config, task.content));
    bool fits = strcmp(hl_config_string(config, config->task.content), w->content) == 0 ||
                hl_config_read_value(content, w->content, config, wrong);
    return fits ? hl_ok() : hl_error(HL_INVALID, "task.content: %s", wrong);
}

/* Copies existing tokens to where new ones would be made. */
static hl_status put_tokens(const work *w)
{
    if (w->tokens == NULL || !w->makes) {
        return hl_ok();
    }
    char *path = hl_path_join(w->folder, "tokens.json");
    hl_status status = path != NULL ? hl_tokens_save(w->tokens, path) : hl_error_memory(w->folder);
    hl_free(path);
    return status;
}

/* Changes existing tokens if the config asks for another rule. */
static hl_status change_tokens(work *w)
{
    if (w->tokens != NULL && w->spec.prefix_space) {
        HL_TRY(hl_tokens_copy(w->tokens, &w->own));
        HL_TRY(hl_tokens_set_prefix_space(w->own));
        w->tokens = w->own;
    }
    return hl_ok();
}

static hl_status open_text(work *w, hl_dataset **out)
{
    hl_config *config = w->config;
    w->spec = hl_config_text_spec(config);
    HL_TRY(change_tokens(w));
    HL_TRY(hl_data_find_file(w->options->beside, &w->spec.file, &w->file));
    HL_TRY(hl_data_find_file(w->options->beside, &w->spec.validation_file, &w->validation_file));
    HL_TRY(hl_data_find_file(w->options->beside, &w->spec.vocabulary, &w->vocabulary));
    bool says = *hl_config_string(config, config->task.content) != '\0' && is_run(w);
    if (w->spec.file == NULL) {
        return hl_error(HL_INVALID, "task.file is missing: name the file to learn from, as task.file=FILE");
    }
    w->asked = w->spec.length > 0 ? 0 : config->model.max_length;
    HL_TRY(says ? take_content(w) : find_content(w));
    HL_TRY(choose_folder(w));
    HL_TRY(put_tokens(w));
    w->spec.folder = w->folder;
    w->spec.full = w->options->use == HL_DATA_CHECK;
    w->spec.progress = w->options->progress;
    w->spec.context = w->options->context;
    hl_dataset *dataset;
    HL_TRY(hl_dataset_open_text(&w->spec, (uint64_t)config->train.seed, &dataset));
    hl_status status = w->makes ? check_unchanged(w) : hl_ok();
    HL_THEN(status, set_config(w, dataset));
    if (status.code != HL_OK) {
        hl_dataset_free(dataset);
        return status;
    }
    if (w->options->notices != NULL) {
        hl_data_notices_print(hl_dataset_text(dataset), &w->spec, w->options->notices);
        if (w->options->tokens != NULL && w->spec.task == HL_TEXT_TAGS && hl_tokens_first_word_is_bare(w->tokens)) {
            hl_text_print(w->options->notices, "%s\n", HL_BARE_FIRST_WORD);
        }
        if (w->spec.file == w->file) {
            hl_text_print(w->options->notices, "task.file is read from %s\n", w->spec.file);
        }
    }
    if (w->options->made != NULL && !is_run(w) && w->there < strlen(w->folder)) {
        hl_text_print(w->options->made, "%s\n", w->content);
    }
    hl_dataset_set_window(dataset, config->train.length_window, config->train.batch_size);
    *out = dataset;
    return status;
}

static hl_status open_tokens(hl_config *config, const char *folder, hl_dataset **out)
{
    hl_tokens *tokens = NULL, *labels = NULL;
    hl_text_spec spec = hl_config_text_spec(config);
    if (config->model.max_length < 1) {
        return hl_error(HL_BAD_FILE, "%s: its config.ini lacks model.max_length, which train writes there", folder);
    }
    bool labelled = spec.task == HL_TEXT_TAGS || spec.task == HL_TEXT_CLASSES;
    hl_status status = hl_data_load_tokens(folder, "tokens.json", &tokens);
    if (labelled) {
        HL_THEN(status, hl_data_load_tokens(folder, "labels.json", &labels));
    }
    if (status.code != HL_OK) {
        hl_tokens_free(tokens);
        hl_tokens_free(labels);
        return status;
    }
    int types = hl_text_spec_is_pair(&spec) ? 2 : 0;
    uint64_t seed = (uint64_t)config->train.seed;
    HL_TRY(hl_dataset_of_tokens(spec.task, tokens, labels, config->model.max_length, types, seed, out));
    config->sizes = *hl_dataset_sizes(*out);
    return status;
}

static void end(work *w, hl_status status)
{
    bool failed = status.code != HL_OK && status.code != HL_FAILED; /* HL_FAILED: a signal; whole parts stay */
    if (w->temporary || (w->fresh && failed)) {
        hl_data_folder_remove(w->folder, w->there);
    }
    hl_free(w->file);
    hl_free(w->validation_file);
    hl_free(w->vocabulary);
    hl_free(w->folder);
    hl_tokens_free(w->own);
}

hl_status hl_setup_data(hl_config *config, const hl_data_options *options, hl_dataset **out)
{
    if (!hl_config_is_text(config, NULL)) {
        hl_task_spec spec = hl_config_task_spec(config);
        return hl_dataset_open(&spec, (uint64_t)config->train.seed, out);
    }
    if (options->use == HL_DATA_TOKENS) {
        return open_tokens(config, options->folder, out);
    }
    work w = { .config = config, .options = options, .tokens = options->tokens };
    hl_status status = open_text(&w, out);
    end(&w, status);
    return status;
}
