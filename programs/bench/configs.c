#define _XOPEN_SOURCE 700 /* realpath */
#include "programs/bench/configs.h"

#include "core/files.h"
#include "core/folders.h"
#include "core/memory.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const hl_bench_shipped_names[HL_BENCH_SHIPPED] = { "tiny", "copy", "small", "base", "long" };

hl_status hl_bench_shipped_config(const char *program, const char *name, char **path)
{
    static const char *const places[] = { "configs/bench", "../share/headlight/configs/bench" };
    char folder[PATH_MAX];
    *path = NULL;
    char *slash = realpath(program, folder) != NULL ? strrchr(folder, '/') : NULL;
    if (slash == NULL) {
        return hl_file_system_error(program, "cannot find its folder");
    }
    *slash = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        *path = hl_path_join(folder, "%s/%s.ini", places[i], name);
        if (*path == NULL) {
            return hl_error_memory("a path");
        }
        if (access(*path, R_OK) == 0) {
            return hl_ok();
        }
        hl_free(*path);
        *path = NULL;
    }
    return hl_error(HL_BAD_FILE, "%s.ini is neither in %s/%s nor in %s/%s; name a config, as in: bench my.ini", name,
                    folder, places[0], folder, places[1]);
}
