#include "tests/runs/sweeps.h"

#include "programs/ablate/program.h"
#include "tests/scratch.h"

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int sweep_program(int argc, char **argv, FILE *out, FILE *err)
{
    return hl_ablate_program(HL_TRAIN_PROGRAM, argc, argv, out, err);
}

pid_t sweep_start(const char *const *arguments)
{
    return run_start((run_options){ .arguments = arguments, .program = sweep_program });
}

run_result sweep_run(const char *const *arguments)
{
    return run_wait(sweep_start(arguments));
}
const char *sweep_csv(const char *folder)
{
    return run_read(run_file(folder, "ablation.csv"));
}

const char *sweep_untimed(const char *folder)
{
    static char text[2][8192];
    static int which;
    char *to = text[which = !which];
    for (const char *line = sweep_csv(folder); *line != '\0'; line = strchr(line, '\n') + 1) {
        const char *end = strchr(line, '\n'), *status = end, *seconds;
        while (*status != ',') {
            status--;
        }
        for (seconds = status - 1; *seconds != ',';) {
            seconds--;
        }
        to += sprintf(to, "%.*s%.*s", (int)(seconds - line), line, (int)(end + 1 - status), status);
    }
    *to = '\0';
    return text[which];
}

int sweep_processes(const char *text, pid_t but, pid_t *one)
{
    int n = 0;
    DIR *all = opendir("/proc");
    ck_assert_ptr_nonnull(all);
    for (struct dirent *entry; (entry = readdir(all)) != NULL;) {
        int id = atoi(entry->d_name);
        char path[64], words[4096] = "";
        snprintf(path, sizeof path, "/proc/%d/cmdline", id);
        FILE *file = id > 0 && id != getpid() && id != but ? fopen(path, "r") : NULL;
        if (file != NULL) {
            size_t size = fread(words, 1, sizeof words - 1, file);
            for (size_t i = 0; i < size; i++) {
                words[i] = words[i] == '\0' ? ' ' : words[i];
            }
            fclose(file);
            if (strstr(words, text) != NULL) {
                n++;
                *one = id;
            }
        }
    }
    closedir(all);
    return n;
}
