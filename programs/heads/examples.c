#define _XOPEN_SOURCE 700 /* realpath */
#include "programs/heads/examples.h"

#include "core/base/memory.h"
#include "core/base/units.h"
#include "core/files/files.h"
#include "core/files/folders.h"
#include "programs/open_data.h"
#include "programs/print_line.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the folder ---- */

hl_status hl_heads_examples_check(const hl_heads_command *command)
{
    const char *other = command->input != NULL  ? "input"
                        : command->file != NULL ? "file"
                        : command->task != NULL ? "task"
                                                : NULL;
    if (command->examples != NULL) {
        return other == NULL ? hl_ok()
                             : hl_error(HL_INVALID, "command line: --examples and --%s exclude each other", other);
    }
    const char *without = command->out != NULL ? "out" : command->overwrite ? "overwrite" : NULL;
    return without == NULL ? hl_ok() : hl_error(HL_INVALID, "command line: --%s needs --examples FILE", without);
}

bool hl_heads_examples_fill_folder(const hl_heads_command *command)
{
    const hl_heads_files *f = &command->files;
    bool others = hl_heads_command_draws(command) || f->json != NULL || f->csv != NULL || f->report != NULL;
    return command->examples != NULL && (command->out != NULL || !others);
}

/* "reports/model-sentences" of "path/sentences.txt.gz". */
static char *default_folder(const hl_model_source *run, const char *file)
{
    const char *slash = strrchr(file, '/'), *name = slash != NULL ? slash + 1 : file;
    const char *own = strrchr(run->name, '/');
    size_t size = strcspn(name, ".");
    hl_text path = { 0 };
    hl_text_print(&path, "reports/%s-%.*s", own != NULL ? own + 1 : run->name, (int)(size > 0 ? size : strlen(name)),
                  name);
    if (hl_text_status(&path).code != HL_OK) {
        hl_text_free(&path);
    }
    return path.bytes;
}

/* The folder that the path, of which the last parts need not be there, leads into. A path that is too long for the
 * system is cut: nothing can be opened there. */
static bool find_folder_there(const char *path, char whole[PATH_MAX])
{
    char part[PATH_MAX];
    snprintf(part, sizeof part, "%s", path);
    const char *found = realpath(part, whole);
    for (char *slash; found == NULL && (slash = strrchr(part, '/')) != NULL;) {
        *slash = '\0';
        found = realpath(slash > part ? part : "/", whole);
    }
    return found != NULL || realpath(".", whole) != NULL;
}

static bool is_within(const char *folder, const char *own)
{
    size_t size = strlen(own);
    return strncmp(folder, own, size) == 0 && (folder[size] == '/' || folder[size] == '\0');
}

hl_status hl_heads_check_place(const char *folder, const char *model, const char *option)
{
    char there[PATH_MAX], own[PATH_MAX];
    if (!find_folder_there(folder, there) || !find_folder_there(model, own)) {
        return hl_error_memory(folder);
    }
    if (is_within(there, own)) {
        return hl_error(HL_BAD_FILE,
                        "%s: is in the folder of the model, where nothing is written; name another one by --%s DIR",
                        folder, option);
    }
    return access(there, W_OK) == 0 ? hl_ok() : hl_file_system_error(there, "cannot be written to");
}

static hl_status see(void *context, const char *name)
{
    hl_heads_content *found = context;
    found->any = true;
    found->run = found->run || strcmp(name, "config.ini") == 0;
    found->model = found->model || strcmp(name, "config.json") == 0;
    found->ours = found->ours || strcmp(name, "heads.csv") == 0 || strcmp(name, "report.html") == 0;
    return hl_ok();
}

hl_status hl_heads_look_into(const hl_heads_place *place, const char *folder, const char *model,
                             hl_heads_content *found)
{
    struct stat info;
    *found = (hl_heads_content){ 0 };
    HL_TRY(hl_heads_check_place(folder, model, place->option));
    if (stat(folder, &info) != 0) {
        return hl_ok(); /* it is made, or that tells why it cannot be */
    }
    if (!S_ISDIR(info.st_mode)) {
        return hl_error(HL_BAD_FILE, "%s: a file; name %s", folder, place->one);
    }
    HL_TRY(hl_folder_list(folder, see, found));
    return found->run ? hl_error(HL_BAD_FILE, "%s: holds a run; name %s", folder, place->another) : hl_ok();
}

hl_status hl_heads_examples_find_folder(const hl_model_source *run, const hl_heads_command *command, char **folder)
{
    static const hl_heads_place place = { "out", "a folder by --out DIR", "another folder by --out DIR" };
    hl_heads_content found;
    *folder = command->out != NULL ? hl_strdup(command->out) : default_folder(run, command->examples);
    HL_NEED(*folder != NULL, run->path);
    HL_TRY(hl_heads_look_into(&place, *folder, run->path, &found));
    if (found.model) {
        return hl_error(HL_BAD_FILE, "%s: holds a model; name %s", *folder, place.another);
    }
    return !found.ours || command->overwrite
               ? hl_ok()
               : hl_error(HL_BAD_FILE,
                          "%s: holds a heads.csv or report.html already; replace them with --overwrite, or name %s",
                          *folder, place.another);
}

/* ---- the sentences ---- */

hl_status hl_heads_examples_read(hl_opened_model *run, const hl_heads_command *command, FILE *err)
{
    HL_TRY(hl_open_examples(run, command->examples, err));
    const hl_text_notices *found = hl_text_data_noticed(hl_dataset_text(run->written), HL_VALIDATION);
    char n[HL_UNITS_TEXT];
    if (found->cut > 0) {
        hl_print_line(err, "%s: %s of its sentences %s cut to %lld pieces, the most that the model reads", run->file,
                      hl_units_count(found->cut, n), found->cut == 1 ? "is" : "are",
                      (long long)run->source.config.model.max_length);
    }
    if (run->examples.n_examples == 1) {
        hl_print_line(err,
                      "%s: holds one sentence alone: a head's labels are chosen on one half of the examples and "
                      "scored on the other",
                      run->file);
    }
    return hl_ok();
}
