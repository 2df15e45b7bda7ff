#include "programs/ablate/sweep.h"

#include "core/base/clock.h"
#include "core/base/memory.h"
#include "core/base/threads.h"
#include "core/files/files.h"
#include "programs/ablate/progress.h"
#include "train/checkpoint.h"
#include "train/memory_check.h"
#include "train/signals.h"

#include <math.h>
#include <signal.h>
#include <time.h>

/* A call that found no cell looks again: the one that had it may have been killed. */
enum { PAUSE_NANOSECONDS = 20 * 1000 * 1000, LOOKS_A_SECOND = 4 };

typedef struct sweep {
    const hl_ablate_sweep *options;
    const hl_ablate_plan *plan;
    hl_ablate_result *results;
    int64_t cells;
    hl_ablate_running *running; /* n of at most `jobs`; owned */
    int n, jobs, cores;
    size_t memory;    /* bytes that there were for all of them */
    bool *told;       /* of each cell: its end is told; owned */
    double next_look; /* hl_clock_seconds */
    hl_ablate_progress progress;
    double started, work; /* hl_clock_seconds at the start; work done since, in steps times flops */
    bool stopping;
} sweep;

int hl_ablate_sweep_threads(int free_cores, int free_jobs, int64_t waiting)
{
    int64_t sharing = waiting < free_jobs ? waiting : free_jobs;
    int64_t threads = (free_cores + sharing - 1) / sharing;
    threads = threads < HL_MAX_THREADS ? threads : HL_MAX_THREADS;
    return threads > 1 ? (int)threads : 1;
}

/* ---- how much there is to do ---- */

static bool has_ended(const hl_ablate_result *result)
{
    return result->state == HL_ABLATE_DONE || result->state == HL_ABLATE_FAILED;
}

/* Neither has it ended nor is it trained here. */
static bool is_open(const hl_ablate_result *result)
{
    return result->state == HL_ABLATE_WAITING || result->state == HL_ABLATE_ELSEWHERE;
}

static int64_t count(const sweep *s, hl_ablate_state state)
{
    return hl_ablate_count(s->results, s->cells, state);
}

static double work_of(const sweep *s, int64_t cell, int64_t steps)
{
    return hl_ablate_plan_variant(s->plan, cell)->flops * (double)steps;
}

static int64_t steps_of(const sweep *s, int64_t cell)
{
    return hl_ablate_plan_variant(s->plan, cell)->config.train.steps;
}

/* The seconds that the remaining work takes at the rate so far; NaN before any work is done. */
static double seconds_left(const sweep *s)
{
    double rest = 0, done = s->work;
    for (int64_t i = 0; i < s->cells; i++) {
        rest += is_open(&s->results[i]) ? work_of(s, i, steps_of(s, i)) : 0;
    }
    for (int i = 0; i < s->n; i++) {
        const hl_ablate_running *r = &s->running[i];
        int64_t step = r->glimpse.step > r->first_step ? r->glimpse.step : r->first_step;
        rest += work_of(s, r->cell, steps_of(s, r->cell) - step);
        done += work_of(s, r->cell, step - r->first_step);
    }
    return done > 0 ? rest / done * (hl_clock_seconds() - s->started) : NAN;
}

static int free_cores(const sweep *s)
{
    int cores = s->cores;
    for (int i = 0; i < s->n; i++) {
        cores -= s->running[i].threads;
    }
    return cores;
}

/* ---- what other calls have done ---- */

static hl_status read_result(const hl_ablate_sweep *options, int64_t cell)
{
    return hl_ablate_result_read(hl_ablate_plan_path(options->plan, cell).text,
                                 &hl_ablate_plan_variant(options->plan, cell)->config.train, options->target,
                                 &options->results[cell]);
}

hl_status hl_ablate_sweep_recall(const hl_ablate_sweep *options)
{
    HL_TRY(hl_ablate_csv_read(options->folder->csv.text, options->plan, options->results));
    for (int64_t i = 0; i < hl_ablate_plan_cells(options->plan); i++) {
        hl_ablate_result *result = &options->results[i];
        if (result->state != HL_ABLATE_DONE || result->steps >= 0) {
            continue;
        }
        hl_status status = hl_ablate_cell_check(options->plan, i);
        HL_THEN(status, read_result(options, i));
        if (status.code == HL_BAD_FILE || status.code == HL_INVALID) {
            result->state = HL_ABLATE_WAITING; /* its seconds stay: it may turn out to be finished */
        } else {
            HL_TRY(status);
        }
    }
    return hl_ok();
}

/* Enters the folder and tells what others have ended. */
static hl_status enter(sweep *s)
{
    HL_TRY(hl_ablate_folder_enter(s->options->folder));
    HL_TRY(hl_ablate_sweep_recall(s->options));
    for (int64_t i = 0; i < s->cells; i++) {
        const hl_ablate_result *result = &s->results[i];
        bool ended = has_ended(result);
        if (ended && !s->told[i]) {
            hl_ablate_running r = {
                .cell = i, .folder = hl_ablate_plan_path(s->plan, i), .began = true, .elsewhere = true
            };
            hl_status status = result->state == HL_ABLATE_DONE ? hl_ok() : hl_error(HL_FAILED, "in another call");
            hl_ablate_progress_ended(&s->progress, &r, result, &status);
            s->work += work_of(s, i, result->steps > 0 ? result->steps : 0);
        }
        s->progress.n_ended -= s->told[i] && !ended; /* another call tries it again */
        s->told[i] = ended;
    }
    return hl_ok();
}

/* ---- ending ---- */

/* Takes note of how a training ended, in ablation.csv, too. The folder is entered. */
static hl_status settle(sweep *s, const hl_ablate_running *r, hl_status ended)
{
    hl_ablate_result *result = &s->results[r->cell];
    HL_THEN(ended, read_result(s->options, r->cell));
    if (ended.code == HL_NO_MEMORY) { /* free memory ran short in this program, not in the training */
        return ended;
    }
    if (ended.code != HL_OK && s->stopping) {
        result->state = HL_ABLATE_WAITING;
        return hl_ok();
    }
    result->state = ended.code == HL_OK ? HL_ABLATE_DONE : HL_ABLATE_FAILED;
    if (ended.code == HL_OK) {
        int64_t steps = result->steps - r->first_step;
        if (steps > 0) { /* the time of a resumed run is scaled up to what the whole run would have taken */
            result->seconds = (hl_clock_seconds() - r->started) * (double)result->steps / (double)steps;
        }
        s->work += work_of(s, r->cell, steps);
    }
    hl_ablate_progress_ended(&s->progress, r, result, &ended);
    s->told[r->cell] = true;
    s->next_look = 0;
    hl_text text = { 0 };
    hl_ablate_csv_print(s->plan, s->results, &text);
    return hl_file_replace_text(s->options->folder->csv.text, &text, HL_DURABLE);
}

/* The cell is no longer this call's. */
static void close_log(const hl_ablate_running *r)
{
    if (r->log >= 0) {
        hl_file_calls_get()->close(r->log);
    }
}

/* ---- from one to the next ---- */

/* A cell whose own files are in the way fails alone; the others go on. */
static hl_status begin(sweep *s, int64_t cell)
{
    hl_ablate_running *r = &s->running[s->n];
    *r = (hl_ablate_running){ .cell = cell,
                              .folder = hl_ablate_plan_path(s->plan, cell),
                              .started = hl_clock_seconds(),
                              .glimpse = { .step = -1 } };
    hl_status status = hl_ablate_cell_take(s->plan, cell, &r->log);
    bool elsewhere = status.code == HL_OK && r->log < 0;
    s->results[cell].state = elsewhere ? HL_ABLATE_ELSEWHERE : HL_ABLATE_WAITING;
    if (elsewhere) {
        return hl_ok();
    }
    r->threads = hl_ablate_sweep_threads(free_cores(s), s->jobs - s->n, count(s, HL_ABLATE_WAITING));
    HL_THEN(status, hl_ablate_cell_prepare(s->plan, cell));
    HL_THEN(status,
            hl_checkpoint_read_step(hl_ablate_path_in(r->folder.text, "checkpoint.safetensors").text, &r->first_step));
    r->first_step = r->first_step > 0 ? r->first_step : 0; /* there may be no checkpoint */
    HL_THEN(status, hl_ablate_process_start(s->options->train, s->plan->from, s->plan->cache, r));
    if (status.code != HL_OK) {
        status = status.code == HL_BAD_FILE || status.code == HL_INVALID ? settle(s, r, status) : status;
        close_log(r);
        return status;
    }
    r->began = true;
    s->results[cell].state = HL_ABLATE_RUNNING;
    s->n++;
    hl_ablate_progress_started(&s->progress, r);
    return hl_ok();
}

/* Trainings run one after the other where together they would need more memory than there is. A single one checks that
 * itself. */
static bool has_memory(const sweep *s, int64_t cell)
{
    size_t left = s->memory;
    for (int i = 0; i < s->n; i++) {
        size_t needed = hl_ablate_plan_variant(s->plan, s->running[i].cell)->memory;
        left -= needed < left ? needed : left;
    }
    return s->n == 0 || hl_ablate_plan_variant(s->plan, cell)->memory <= left;
}

/* The first cells come first; those of other calls, which may have been killed, are tried again. */
static hl_status begin_what_fits(sweep *s)
{
    hl_status status = enter(s);
    for (int64_t i = 0; i < s->cells && s->n < s->jobs && status.code == HL_OK; i++) {
        if (is_open(&s->results[i])) {
            if (!has_memory(s, i)) {
                break;
            }
            status = begin(s, i);
        }
    }
    hl_ablate_folder_leave(s->options->folder);
    return status;
}

static hl_status look_around(sweep *s)
{
    hl_status first = hl_ok();
    for (int i = s->n - 1; i >= 0; i--) {
        hl_ablate_running *r = &s->running[i];
        hl_status ended;
        if (!hl_ablate_process_ended(r, &ended)) {
            continue;
        }
        hl_status status = enter(s);
        HL_THEN(status, settle(s, r, ended));
        hl_ablate_folder_leave(s->options->folder);
        close_log(r);
        *r = s->running[--s->n];
        first = first.code == HL_OK ? status : first;
    }
    return first;
}

/* ---- all of it ---- */

/* A failure that concerns all trainings ends them all, as a signal does. */
static hl_status run(sweep *s)
{
    hl_status first = hl_ok();
    for (;;) {
        bool open = count(s, HL_ABLATE_WAITING) + count(s, HL_ABLATE_ELSEWHERE) > 0;
        bool goes_on = first.code == HL_OK && !s->stopping;
        if (open && goes_on && s->n < s->jobs && hl_clock_seconds() >= s->next_look) {
            s->next_look = hl_clock_seconds() + 1.0 / LOOKS_A_SECOND;
            first = begin_what_fits(s);
            hl_ablate_progress_waits(&s->progress, s->n == 0 ? count(s, HL_ABLATE_ELSEWHERE) : 0);
        }
        if (first.code != HL_OK || hl_signals_received() != 0) {
            for (int i = 0; i < s->n && !s->stopping; i++) {
                kill(s->running[i].process, SIGTERM); /* it saves and ends */
            }
            s->stopping = true;
        }
        if (s->n == 0 && (s->stopping || !open)) {
            return first;
        }
        nanosleep(&(struct timespec){ .tv_nsec = PAUSE_NANOSECONDS }, NULL);
        hl_status status = look_around(s);
        first = first.code == HL_OK ? status : first;
        if (hl_ablate_progress_due(&s->progress)) {
            for (int i = 0; i < s->n; i++) {
                s->running[i].glimpse = hl_ablate_glimpse_of(s->running[i].folder.text);
            }
            hl_ablate_progress_draw(&s->progress, s->running, s->n, count(s, HL_ABLATE_ELSEWHERE), seconds_left(s));
        }
    }
}

hl_status hl_ablate_sweep_run(const hl_ablate_sweep *options)
{
    int cores = hl_threads_default(), jobs = options->jobs > 0 ? options->jobs : cores;
    int64_t cells = hl_ablate_plan_cells(options->plan), ended = 0;
    sweep s = { .options = options,
                .plan = options->plan,
                .results = options->results,
                .cells = cells,
                .running = hl_calloc((size_t)jobs, sizeof *s.running),
                .told = hl_calloc((size_t)cells, sizeof *s.told),
                .jobs = jobs,
                .cores = cores,
                .memory = hl_memory_at_hand_now().bytes,
                .started = hl_clock_seconds() };
    bool complete = s.running != NULL && s.told != NULL;
    for (int64_t i = 0; i < cells && complete; i++) {
        s.told[i] = has_ended(&s.results[i]);
        ended += s.told[i];
    }
    s.progress = hl_ablate_progress_begin(options->out, options->plan, ended);
    hl_status status = complete ? run(&s) : hl_error_memory("the trainings");
    hl_ablate_progress_clear(&s.progress);
    hl_free(s.running);
    hl_free(s.told);
    return status;
}
