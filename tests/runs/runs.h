/* Runs of the program train in a test, each in a process of its own, and what they leave. Failures here end the
 * test. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

enum { RUN_KILLED = 1000 /* + the signal, for `code` */ };

typedef struct run_result {
    int code; /* the exit code */
    const char *out, *err;
    const char *command; /* its arguments, which failures show */
    double mib;          /* of memory that the process held at most */
} run_result;

typedef struct run_options {
    const char *const *arguments; /* after the program's name, up to a NULL */
    bool built;                   /* whether the built program is executed, instead of its function called */
    const char *built_program;    /* that one; NULL: train */
    const char *folder;           /* the working folder; NULL: the test's */
    bool no_streams;              /* whether it starts with stdin, stdout and stderr closed; `built` only */
    void (*before)(void);         /* called in the new process before the program; may be NULL */
    void (*after)(void);          /* called after its function; may be NULL */
    int (*program)(int argc, char **argv, FILE *out, FILE *err); /* the function; NULL: train's */
} run_options;

/* Starts the run and returns its process; one at a time, except that several with `built` may go on together. */
pid_t run_start(run_options options);

/* Waits for it. The texts stand until the next run. */
run_result run_wait(pid_t process);

/* Waits for so long. */
void run_pause(int milliseconds);

/* Both. */
run_result run_with(run_options options);

/* Both, calling the program's function. RUN("tiny.ini", "--out", folder) */
run_result run_train(const char *const *arguments);
#define RUN(...) run_train((const char *const[]){ __VA_ARGS__, NULL })

/* The same of the program heads. HEADS(folder, "--json") */
run_result run_heads(const char *const *arguments);
#define HEADS(...) run_heads((const char *const[]){ __VA_ARGS__, NULL })

/* The same with the built program. */
run_result run_built(const char *const *arguments);
#define RUN_BUILT(...) run_built((const char *const[]){ __VA_ARGS__, NULL })

/* The run, which must have ended well (OK), with these parts on standard output (SAYS), or with another exit code and
 * these parts there (TELLS). Or it must have ended with another exit code and the message of this id on standard error
 * (FAILS; tests/messages.h), with nothing on standard output (REFUSED). A message with numbers that differ from machine
 * to machine is known by its parts (FAILS_SAYING; REFUSED_SAYING: one line of them, and nothing on standard output).
 *
 *     run_result run = OK(HEADS(folder, "--json"));
 *     SAYS(HEADS(folder), "step 24: 4 heads", "L0H0");
 *     REFUSED(HEADS(folder, "--step", "7"), 2, "heads.no_snapshot_of_step"); */
#define OK(run) run_expect(__FILE__, __LINE__, run, 0, NULL)
#define SAYS(run, ...) TELLS(run, 0, __VA_ARGS__)
#define TELLS(run, code, ...) run_tells(__FILE__, __LINE__, run, code, (const char *const[]){ __VA_ARGS__, NULL })
#define FAILS_SAYING(run, code, ...) \
    run_expect(__FILE__, __LINE__, run, code, (const char *const[]){ __VA_ARGS__, NULL })
#define REFUSED_SAYING(run, code, ...) \
    run_refused_saying(__FILE__, __LINE__, run, code, (const char *const[]){ __VA_ARGS__, NULL })
#define FAILS(run, code, ...) run_fails(__FILE__, __LINE__, run, code, (const char *const[]){ __VA_ARGS__, NULL })
#define REFUSED(run, code, ...) run_refused(__FILE__, __LINE__, run, code, (const char *const[]){ __VA_ARGS__, NULL })
#define EXPECT_RUN(code, ...) run_expect(__FILE__, __LINE__, RUN(__VA_ARGS__), code, NULL)

/* What these call: run_expect looks for the parts on standard error, and `parts` may be NULL there. */
run_result run_expect(const char *file, int line, run_result run, int code, const char *const *parts);
run_result run_tells(const char *file, int line, run_result run, int code, const char *const *parts);
run_result run_refused_saying(const char *file, int line, run_result run, int code, const char *const *parts);
run_result run_fails(const char *file, int line, run_result run, int code, const char *const *message);
run_result run_refused(const char *file, int line, run_result run, int code, const char *const *message);

/* The path of a config of a tiny copy task, 24 steps in a few hundredths of a second: two layers of two heads, three
 * symbols of four; training rows every 2 steps, validation every 4, checkpoints every 6, snapshots of 4 examples. */
const char *run_tiny_config(void);

/* The folder that a run leaves, which tests share and none may change: the first one that asks for it has it made, with
 * these arguments and --out. The content of its config, and what else makes it another run than the arguments after the
 * config do, is `key`. To be called before a test changes its environment. */
const char *run_shared(const char *key, run_options options);

/* A copy of such a run, of the tiny config with these overrides, in the folder `name` of the test's own:
 * TINY_RUN("run", "train.steps=12") */
const char *run_tiny(const char *const *name_and_overrides);
#define TINY_RUN(...) run_tiny((const char *const[]){ __VA_ARGS__, NULL })

/* The path of a new config with this content. */
const char *run_config(const char *name, const char *content);

/* The path of config `name` of the source tree. */
const char *run_shipped_config(const char *name);

/* The path of a folder or file in the test's scratch folder; stands to the end of the test. */
const char *run_path(const char *name);

/* "<folder>/<name>"; stands to the end of the test. */
const char *run_file(const char *folder, const char *name);

/* A copy of the text that stands to the end of the test. */
const char *run_kept(const char *text);

/* The file's content, "" where there is none; stands to the end of the test. */
const char *run_read(const char *path);

/* metrics.csv without tokens_per_second, which is a matter of time. */
const char *run_metrics(const char *folder);

/* The last row of metrics.csv of that split: its loss and accuracy. */
void run_last_row(const char *folder, const char *split, double *loss, double *accuracy);

/* The step of a file of weights; -1 where there is none. */
int64_t run_weights_step(const char *path);

/* The names in a folder in order, each followed by a blank, temporary and all; "" where there is no such folder. */
const char *run_list(const char *folder);

/* This file must have the same bytes in both folders. */
void run_assert_same_file(const char *folder, const char *other, const char *name);

/* Two runs must have left the same bytes: weights, checkpoint, metrics but for the times, and every snapshot. */
void run_assert_same(const char *folder, const char *other);

/* The same but for the snapshots. */
void run_assert_same_results(const char *folder, const char *other);

/* The step that a checkpoint says it is of, and that of the folder's checkpoint.safetensors. */
const char *run_checkpoint_step_of(const char *path);
const char *run_checkpoint_step(const char *folder);

/* The snapshots in the run's folder. */
int run_count_snapshots(const char *folder);
