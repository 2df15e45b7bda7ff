#define _XOPEN_SOURCE 700 /* realpath */
#include "programs/beside.h"

#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/files/files.h"
#include "core/files/folders.h"
#include "programs/print_line.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PROGRAMS = 5, NAME_TEXT = 512 };
static const char *const plain_names[PROGRAMS] = { "train", "heads", "predict", "ablate", "bench" };
static const char installed[] = "headlight-";

static char called[PROGRAMS][NAME_TEXT]; /* set before any thread begins */

/* The length of the path without `own` at its end; -1 where it does not end in `own`. */
static int length_before(const char *path, const char *own)
{
    size_t length = strlen(path), ending = strlen(own);
    return length >= ending && strcmp(path + length - ending, own) == 0 ? (int)(length - ending) : -1;
}

void hl_sibling_program(const char *own, const char *other, char path[HL_SIBLING_TEXT])
{
    char self[HL_SIBLING_TEXT];
    ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    self[size > 0 ? size : 0] = '\0';
    int before = length_before(self, own);
    if (before < 0 || snprintf(path, HL_SIBLING_TEXT, "%.*s%s", before, self, other) >= HL_SIBLING_TEXT) {
        path[0] = '\0';
    }
}

void hl_called_as(const char *own, const char *name)
{
    int before = name != NULL ? length_before(name, own) : -1;
    for (int i = 0; i < PROGRAMS; i++) {
        snprintf(called[i], NAME_TEXT, "%.*s%s", before > 0 && before < NAME_TEXT - 8 ? before : 0, name,
                 plain_names[i]);
    }
}

const char *hl_program_name(const char *program)
{
    for (int i = 0; i < PROGRAMS; i++) {
        if (strcmp(program, plain_names[i]) == 0 && *called[i] != '\0') {
            return called[i];
        }
    }
    return program;
}

hl_status hl_print_help(FILE *out, const char *text)
{
    hl_text help = { 0 };
    for (const char *brace; (brace = strchr(text, '{')) != NULL;) {
        char name[16];
        int length = (int)strcspn(brace + 1, "}");
        snprintf(name, sizeof name, "%.*s", length, brace + 1);
        hl_text_add(&help, text, (size_t)(brace - text));
        hl_text_shown(&help, hl_program_name(name));
        text = brace + length + 2;
    }
    hl_text_add(&help, text, strlen(text));
    if (strstr(hl_program_name("train"), installed) == NULL) {
        hl_text_print(&help, "\nInstalled, the programs are called headlight-train, headlight-heads,\n"
                             "headlight-predict, headlight-ablate and headlight-bench.\n");
    }
    hl_status status = hl_text_status(&help);
    if (status.code == HL_OK) {
        hl_print_wrapped(out, help.bytes, 80);
    }
    hl_text_free(&help);
    return status;
}

hl_status hl_shipped_config(const char *program, const char *name, char **path)
{
    static const char *const places[] = { "configs", "../share/headlight/configs" };
    char folder[PATH_MAX];
    *path = NULL;
    char *slash = realpath(program, folder) != NULL ? strrchr(folder, '/') : NULL;
    if (slash == NULL) {
        return hl_file_system_error(program, "cannot find its folder");
    }
    *slash = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        *path = hl_path_join(folder, "%s/%s", places[i], name);
        HL_NEED(*path != NULL, "a path");
        if (access(*path, R_OK) == 0) {
            return hl_ok();
        }
        hl_free(*path);
        *path = NULL;
    }
    return hl_error(HL_BAD_FILE, "%s is neither in %s/%s nor in %s/%s; name a config of your own", name, folder,
                    places[0], folder, places[1]);
}

hl_status hl_find_config(const char *name, char **path)
{
    static const char folder[] = "configs/";
    *path = NULL;
    if (strcmp(name, "-") == 0) {
        return hl_error(HL_INVALID,
                        "command line: -: this program reads its config several times; name a file "
                        "(%s alone reads standard input)",
                        hl_program_name("train"));
    }
    if (access(name, F_OK) != 0 && *name != '/' && strstr(name, "..") == NULL) { /* nothing above the shipped ones */
        const char *shipped = strncmp(name, folder, sizeof folder - 1) == 0 ? name + sizeof folder - 1 : name;
        hl_status status = hl_shipped_config("/proc/self/exe", shipped, path);
        if (status.code == HL_NO_MEMORY) {
            return status;
        }
    }
    *path = *path != NULL ? *path : hl_strdup(name);
    return *path != NULL ? hl_ok() : hl_error_memory("a path");
}
