#include "programs/ablate/process.h"

#include "core/base/memory.h"
#include "core/files/files.h"
#include "programs/child.h"

#include <stdio.h>
#include <unistd.h>

enum { NUMBER_TEXT = 32, MOST_LOG_BYTES = 1 << 26 };

/* ---- starting ---- */

hl_status hl_ablate_process_start(const char *train, const char *from, const char *more, hl_ablate_running *running)
{
    const char *folder = running->folder.text;
    hl_ablate_path config = hl_ablate_path_in(folder, "config.ini");
    running->log_begin = hl_file_calls_get()->lseek(running->log, 0, SEEK_END);
    if (running->log_begin < 0) {
        return hl_file_system_error(hl_ablate_path_in(folder, "log.txt").text, "cannot be opened");
    }
    char n_threads[NUMBER_TEXT];
    snprintf(n_threads, sizeof n_threads, "train.threads=%d", running->threads);
    /* --yes: the whole sweep's time was asked about. "--": a path may begin with dashes. */
    const char *arguments[13] = { train, "--resume", "--quiet", "--yes", "--out", folder };
    int n = 6;
    if (from != NULL) {
        arguments[n++] = "--from";
        arguments[n++] = from;
    }
    arguments[n++] = "--";
    arguments[n++] = config.text;
    arguments[n++] = n_threads;
    arguments[n] = more;
    return hl_child_start(arguments, running->log, running->log, &running->process);
}

/* ---- ending ---- */

/* The last line that the log gained since the start, "" where there is none; it may point into `log`. */
static const char *last_line(char *log, size_t size, int64_t begin)
{
    size_t from = begin >= 0 && (size_t)begin <= size ? (size_t)begin : size;
    while (size > from && log[size - 1] == '\n') {
        log[--size] = '\0';
    }
    const char *line = log + size;
    while (line > log + from && line[-1] != '\n') {
        line--;
    }
    return line;
}

static hl_status failure(const hl_ablate_running *running, int end)
{
    char *log;
    size_t size;
    hl_status found =
        hl_file_read(hl_ablate_path_in(running->folder.text, "log.txt").text, MOST_LOG_BYTES, &log, &size);
    if (found.code == HL_NO_MEMORY) {
        return found;
    }
    found = hl_child_failure(end, found.code == HL_OK ? last_line(log, size, running->log_begin) : found.text);
    hl_free(log);
    return hl_error(HL_FAILED, "%s", found.text); /* the training ran out of memory; this program did not */
}

bool hl_ablate_process_ended(const hl_ablate_running *running, hl_status *status)
{
    int end;
    if (!hl_child_ended(running->process, false, &end)) {
        return false;
    }
    *status = end == 0 ? hl_ok() : failure(running, end);
    return true;
}
