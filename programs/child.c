#include "programs/child.h"

#include "programs/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_STARTED = 127 };

/* In a process group of its own: Ctrl-C is for the parent, which then asks once, and not for the child a second
 * time. A training of a sweep is a run of its own, also where a launcher has started several sweeps. */
static _Noreturn void become(const char *const *arguments, int output, int errors, pid_t parent, const sigset_t *mask)
{
    int nothing = open("/dev/null", O_RDONLY);
    hl_launcher_forget();
    signal(SIGTERM, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    sigprocmask(SIG_SETMASK, mask, NULL);
    /* A parent that is gone already sends no signal. */
    if (setpgid(0, 0) == 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent && nothing >= 0 &&
        dup2(nothing, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0 && dup2(errors, STDERR_FILENO) >= 0) {
        execv(arguments[0], (char **)(size_t)arguments); /* exec changes no argument */
        dprintf(STDOUT_FILENO, "%s: cannot be started: %s\n", arguments[0], strerror(errno));
    }
    _exit(NOT_STARTED);
}

/* SIGTERM waits until the new program runs; a handler of this one's would take it before. SIGCHLD gets its default:
 * where it is ignored, as inherited from the caller, the system forgets how processes ended. */
hl_status hl_child_start(const char *const *arguments, int output, int errors, pid_t *child)
{
    sigset_t term, before;
    signal(SIGCHLD, SIG_DFL);
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    sigprocmask(SIG_BLOCK, &term, &before);
    pid_t parent = getpid();
    *child = fork();
    if (*child == 0) {
        become(arguments, output, errors, parent, &before);
    }
    int error = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    return *child > 0 ? hl_ok() : hl_error(HL_FAILED, "no process for %s: %s", arguments[0], strerror(error));
}

bool hl_child_ended(pid_t child, bool wait, int *end)
{
    pid_t found;
    *end = HL_FAILED << 8; /* where the system does not know: exit code 1 */
    do {
        found = waitpid(child, end, wait ? 0 : WNOHANG);
    } while (found < 0 && errno == EINTR);
    return found != 0;
}

hl_status hl_child_failure(int end, const char *said)
{
    if (WIFSIGNALED(end)) {
        int signal = WTERMSIG(end);
        return hl_error(HL_FAILED, "killed by signal %d (%s)%s", signal, strsignal(signal),
                        signal == SIGKILL ? "; perhaps because memory ran out" : "");
    }
    int number = WEXITSTATUS(end);
    hl_code code = number <= HL_NO_MEMORY ? (hl_code)number : HL_FAILED;
    return *said != '\0' ? hl_error(code, "%s", said) : hl_error(code, "exit code %d, without a message", number);
}
