/* Runs and sweeps that are killed and begun again until they end, and must then have left what undisturbed ones leave.
 * Failures here end the test. */
#pragma once

/* Which calls count. A snapshot is written in hundreds of small pieces before its name is there: tests
 * that lack the time count only its opening, its closing and its renaming. */
typedef enum killing_scope { KILLING_AT_ALL_CALLS, KILLING_BESIDE_SNAPSHOTS } killing_scope;

/* How many kills found a process still at work, and where. */
typedef struct kill_counts {
    int hits;
    int starting, before, during,
        end;                /* of a run: before it had a file; its first checkpoint; its last; or after that */
    int parents, trainings; /* of a sweep: itself, or one of its trainings */
    int finished;           /* runs or sweeps that came to their end and were compared */
} kill_counts;

/* Kills training, recording and keeping checkpoints, with one thread and two, at random moments. After each kill it is
 * resumed, to be killed again or to end: then every file of it must have the bytes of an undisturbed run. Goes on until
 * `n` kills have hit. */
kill_counts kills_of_runs(int n);

/* The same for a sweep of two rows and two seeds, two at a time: either the sweep is killed, and its trainings with it,
 * or one of its trainings. The same command goes on at once; nothing may have failed but what was killed. */
kill_counts kills_of_sweeps(int n);

/* Two or three calls of one sweep at once in one folder, of which one is killed, again and again until `n` kills have
 * hit. The others must end it, whatever it was killed at. */
int kills_of_calls(int n);

/* Kills a sweep at its first file call, at call 1 + stride and so on (tests/faults.h), each time in a new folder,
 * until it is not hit any more. Returns how many were. The calls are those of the sweep's own process: its trainings,
 * each a process, make those of the next function. */
int kills_of_sweeps_at_calls(int stride);

/* The same for a training that does all that a training may, resumed after each kill. */
int kills_of_runs_at_calls(int stride, killing_scope scope);

/* Ends one such training again and again, in one folder, resuming it each time to end `stride` file calls later, those
 * in snapshots not counted: by SIGKILL, or by SIGINT, which saves once it is listened to. Returns how often it was
 * killed, or saved. */
int kills_again_and_again(int signal, int stride);

/* Runs train with these arguments again and again, each time killed later, at calls by chance that `seed` chooses,
 * until it ends. Returns how often it was killed. */
int kills_until_done(unsigned seed, const char *const *arguments);
