#include "programs/ablate/process.h"

#include "core/files.h"
#include "core/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_ARGUMENTS = 10, NUMBER_TEXT = 32, NOT_STARTED = 127, MOST_LOG_BYTES = 1 << 26 };

/* ---- starting ---- */

typedef struct arguments {
    char *list[MAX_ARGUMENTS];
    int n;
    char threads[NUMBER_TEXT];
} arguments;

static void add(arguments *a, const char *argument)
{
    a->list[a->n++] = (char *)(size_t)argument; /* exec changes no argument */
}

static void write_arguments(arguments *a, const char *train, const char *folder, const char *config, int threads)
{
    *a = (arguments){ 0 };
    snprintf(a->threads, sizeof a->threads, "train.threads=%d", threads);
    add(a, train);
    add(a, "--resume");
    add(a, "--quiet");
    add(a, "--yes"); /* the whole sweep's time was asked about */
    add(a, "--out");
    add(a, folder);
    add(a, "--"); /* a path may begin with dashes */
    add(a, config);
    add(a, a->threads);
}

/* In a process group of its own: Ctrl-C is for the parent, which then asks once, and not for the run a second time. */
static _Noreturn void become(arguments *a, int log, pid_t parent, const sigset_t *mask)
{
    int nothing = open("/dev/null", O_RDONLY);
    signal(SIGTERM, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    sigprocmask(SIG_SETMASK, mask, NULL);
    /* A parent that is gone already will not be noticed any more. */
    if (setpgid(0, 0) == 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent && nothing >= 0 &&
        dup2(nothing, STDIN_FILENO) >= 0 && dup2(log, STDOUT_FILENO) >= 0 && dup2(log, STDERR_FILENO) >= 0) {
        execv(a->list[0], a->list);
        fprintf(stderr, "%s: cannot be started: %s\n", a->list[0], strerror(errno));
    }
    _exit(NOT_STARTED);
}

/* SIGTERM waits until the new process is itself, or it would be taken by a handler of this one's. Where whoever started
 * this program ignores SIGCHLD, and so this one too, the system would forget how processes have ended. */
static hl_status start(arguments *a, int log, hl_ablate_process *process)
{
    sigset_t term, before;
    signal(SIGCHLD, SIG_DFL);
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    sigprocmask(SIG_BLOCK, &term, &before);
    fflush(NULL);
    pid_t parent = getpid();
    process->id = fork();
    if (process->id == 0) {
        become(a, log, parent, &before);
    }
    int error = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    return process->id > 0 ? hl_ok() : hl_error(HL_FAILED, "no process to train in: %s", strerror(error));
}

static hl_status open_log(const char *path, int *log, int64_t *size)
{
    HL_TRY(hl_file_open(path, O_WRONLY | O_CREAT | O_APPEND, log));
    *size = hl_file_calls_get()->lseek(*log, 0, SEEK_END);
    return *size >= 0 ? hl_ok() : hl_file_system_error(path, "cannot be opened");
}

hl_status hl_ablate_process_start(const char *train, const char *folder, int threads, hl_ablate_process *process)
{
    int log = -1;
    char *log_path = hl_path_join(folder, "log.txt"), *config = hl_path_join(folder, "config.ini");
    hl_status status =
        log_path != NULL && config != NULL ? open_log(log_path, &log, &process->log_begin) : hl_error_memory(folder);
    if (status.code == HL_OK) {
        arguments a;
        write_arguments(&a, train, folder, config, threads);
        status = start(&a, log, process);
    }
    if (log >= 0) {
        hl_file_calls_get()->close(log);
    }
    hl_free(log_path);
    hl_free(config);
    return status;
}

/* ---- ending ---- */

void hl_ablate_process_stop(const hl_ablate_process *process)
{
    kill(process->id, SIGTERM);
}

/* The last line of what the log has got since the start; "" where there is none. It may point into `log`. */
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

static hl_status failure(const hl_ablate_process *process, const char *folder, int status)
{
    if (WIFSIGNALED(status)) {
        int signal = WTERMSIG(status);
        return hl_error(HL_FAILED, "killed by signal %d (%s)%s", signal, strsignal(signal),
                        signal == SIGKILL ? "; perhaps for want of memory" : "");
    }
    char *path = hl_path_join(folder, "log.txt"), *log;
    size_t size;
    if (path == NULL) {
        return hl_error_memory(folder);
    }
    hl_status found = hl_file_read(path, MOST_LOG_BYTES, &log, &size);
    hl_free(path);
    if (found.code != HL_OK) {
        return found.code == HL_NO_MEMORY ? found
                                          : hl_error(HL_FAILED, "exit code %d; %s", WEXITSTATUS(status), found.text);
    }
    const char *line = last_line(log, size, process->log_begin);
    found = *line != '\0' ? hl_error(HL_FAILED, "%s", line)
                          : hl_error(HL_FAILED, "exit code %d, without a word", WEXITSTATUS(status));
    hl_free(log);
    return found;
}

bool hl_ablate_process_ended(const hl_ablate_process *process, const char *folder, hl_status *status)
{
    int ended;
    pid_t found = waitpid(process->id, &ended, WNOHANG);
    if (found == 0 || (found < 0 && errno == EINTR)) {
        return false;
    }
    if (found < 0) {
        *status = hl_error(HL_FAILED, "how it ended is not known: %s", strerror(errno));
        return true;
    }
    *status = WIFEXITED(ended) && WEXITSTATUS(ended) == 0 ? hl_ok() : failure(process, folder, ended);
    return true;
}
