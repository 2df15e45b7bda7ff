#include "programs/bench/runs.h"

#include "core/base/memory.h"
#include "core/base/units.h"
#include "programs/bench/cluster_cost.h"
#include "programs/beside.h"
#include "programs/print_line.h"
#include "programs/timing.h"
#include "train/footprint.h"
#include "train/setup.h"
#include "train/trainer.h"

#include <math.h>

enum { WIDTH = 80, WARM_UP = 3, SMALLEST = 8 };

typedef struct cluster {
    const hl_bench_job *job;
    hl_ranks *ranks;
    FILE *out;
    int leaves;
    size_t bytes; /* of gradients */
    hl_bench_link link;
} cluster;

/* ---- messages ---- */

typedef struct message {
    hl_ranks *ranks;
    unsigned char *data;
    size_t bytes;
} message;

/* There and back, between the first rank and the last one. */
static hl_status send_and_return(void *context)
{
    const message *m = context;
    hl_ranks *ranks = m->ranks;
    int other = ranks->rank == 0 ? ranks->n - 1 : 0;
    if (ranks->rank == 0) {
        ranks->send(ranks->context, other, m->data, m->bytes);
    }
    if (ranks->rank == 0 || ranks->rank == ranks->n - 1) {
        ranks->receive(ranks->context, other, m->data, m->bytes);
    }
    if (ranks->rank == ranks->n - 1) {
        ranks->send(ranks->context, other, m->data, m->bytes);
    }
    return hl_ok();
}

/* The seconds of a message one way, on rank 0. */
static hl_status time_message(const cluster *c, unsigned char *data, size_t bytes, double *seconds)
{
    enum { MOST = 500, LEAST = 9, BYTES = 1 << 28 };
    int64_t fit = BYTES / (int64_t)bytes, n = fit > MOST ? MOST : fit < LEAST ? LEAST : fit;
    message m = { c->ranks, data, bytes };
    hl_bench_times times;
    for (int i = 0; i < WARM_UP; i++) {
        send_and_return(&m);
    }
    HL_TRY(hl_ranks_agree(c->ranks, hl_bench_repeat(n, 0, send_and_return, &m, &times)));
    *seconds = times.median / 2;
    return hl_ok();
}

static hl_status measure_link(cluster *c, unsigned char *data)
{
    const size_t sizes[] = { SMALLEST, c->bytes / 256, c->bytes / 16, c->bytes };
    fprintf(c->out, "\n%-14s%16s%12s\n", "message", "ms, one way", "GB/s");
    for (int i = 0; i < 4; i++) {
        char size[HL_UNITS_TEXT];
        double seconds = 0;
        size_t bytes = sizes[i] > SMALLEST ? sizes[i] : SMALLEST;
        HL_TRY(time_message(c, data, bytes, &seconds));
        fprintf(c->out, "%-14s%16.4f%12.3f\n", hl_units_bytes(bytes, size), 1e3 * seconds,
                1e-9 * (double)bytes / seconds);
        c->link.latency = i == 0 ? seconds : c->link.latency;
        c->link.bandwidth = (double)bytes / fmax(seconds - c->link.latency, 1e-9);
    }
    return hl_ok();
}

/* ---- steps ---- */

static void send_nothing(void *context, int to, const void *data, size_t bytes)
{
    (void)context, (void)to, (void)data, (void)bytes;
}

static void exchange_nothing(void *context, int from, void *data, size_t bytes)
{
    (void)context, (void)from, (void)data, (void)bytes;
}

static void change_nothing(void *context, int64_t *values, int64_t count)
{
    (void)context, (void)values, (void)count;
}

static hl_status update_once(void *trainer)
{
    hl_update update;
    return hl_trainer_update(trainer, &update);
}

/* The seconds of a step of these ranks (NULL: one process), in a new trainer: of at least so many, for so long. */
static hl_status time_steps(const hl_bench_job *job, hl_ranks *ranks, int64_t least, double seconds, double *a_step)
{
    hl_config config;
    hl_dataset *dataset;
    hl_trainer trainer = { 0 };
    hl_bench_times found = { 0 };
    hl_status status = hl_bench_job_open(job, NULL, &config, &dataset);
    HL_THEN(status, hl_trainer_reserve(&trainer, &config, dataset, ranks));
    status = hl_ranks_agree(ranks, status);
    if (status.code == HL_OK) {
        hl_trainer_draw(&trainer);
    }
    for (int i = 0; i < WARM_UP; i++) {
        HL_THEN(status, update_once(&trainer));
    }
    HL_THEN(status, hl_bench_repeat(least, seconds, update_once, &trainer, &found));
    hl_trainer_free(&trainer);
    *a_step = found.median;
    return hl_ranks_agree(ranks, status); /* with those that still wait for this rank, where it alone failed */
}

/* The seconds that one of n processes computes in a step, with exchanges that take no time. All ranks measure it at
 * once, since they share their machine's memory also when they train together, and the slowest counts; what one
 * process alone takes, the first does. */
static hl_status time_computing(const cluster *c, int n, double *seconds)
{
    hl_ranks alone = { .rank = c->leaves % n == 0 ? 0 : n - 1, /* none has more leaves */
                       .n = n,
                       .send = send_nothing,
                       .receive = exchange_nothing,
                       .broadcast = exchange_nothing,
                       .maximum = change_nothing,
                       .sum = change_nothing };
    hl_status status = hl_ok();
    *seconds = 0;
    if (n > 1 || hl_ranks_leads(c->ranks)) {
        status = time_steps(c->job, n > 1 ? &alone : NULL, HL_BENCH_LEAST_REPEATS, c->job->seconds, seconds);
    }
    HL_TRY(hl_ranks_agree(c->ranks, status));
    int64_t nanoseconds = (int64_t)(1e9 * *seconds);
    c->ranks->maximum(c->ranks->context, &nanoseconds, 1);
    *seconds = 1e-9 * (double)nanoseconds;
    return hl_ok();
}

/* 1, 2, 4 ..., and in its place how many there are. */
static int next_after(int n, int there)
{
    int power = 1;
    while (power <= n) {
        power *= 2;
    }
    return n < there && there < power ? there : power;
}

static hl_status measure_steps(const cluster *c)
{
    double alone = 0;
    fprintf(c->out, "\n%-10s%12s%14s%14s%12s%14s\n", "processes", "computes", "exchanges", "a step, ms", "times",
            "measured, ms");
    for (int n = 1; n <= c->leaves; n = next_after(n, c->ranks->n)) {
        double computing = 0, measured = 0;
        HL_TRY(time_computing(c, n, &computing));
        double exchange = hl_bench_cluster_exchange(c->link, c->leaves, n, c->bytes), step = computing + exchange;
        alone = n == 1 ? step : alone;
        if (n == c->ranks->n) {
            /* steps of the ranks together, as many as take the job's seconds */
            int64_t times = (int64_t)fmin(c->job->seconds / step, 1e5);
            times = times > HL_BENCH_LEAST_REPEATS ? times : HL_BENCH_LEAST_REPEATS;
            hl_ranks_broadcast(c->ranks, &times, sizeof times);
            HL_TRY(time_steps(c->job, c->ranks, times, 0, &measured));
        }
        fprintf(c->out, "%-10d%12.3f%14.3f%14.3f%11.2fx", n, 1e3 * computing, 1e3 * exchange, 1e3 * step, alone / step);
        fprintf(c->out, measured > 0 ? "%14.3f\n" : "\n", 1e3 * measured);
        fflush(c->out);
    }
    return hl_ok();
}

static hl_status print_legend(FILE *out)
{
    hl_text text = { 0 };
    hl_text_print(&text, "\n");
    hl_text_paragraph(&text, WIDTH,
                      "\"computes\": a step of one process of so many, without what they exchange, measured by all "
                      "ranks at once. \"exchanges\": the gradients on their way up the tree of leaves and back, each "
                      "message as between the first rank and the last one. For more processes than there are this "
                      "holds where they are connected and placed as these.");
    return hl_print_text(out, &text);
}

static hl_status run(cluster *c)
{
    hl_config config;
    hl_footprint footprint = { 0 };
    hl_dataset *dataset;
    char size[HL_UNITS_TEXT];
    hl_status status = hl_bench_job_open(c->job, NULL, &config, &dataset);
    if (status.code == HL_OK) {
        hl_dataset_free(dataset);
        status = hl_footprint_of_config(&config, &footprint);
    }
    HL_TRY(hl_ranks_agree(c->ranks, status));
    c->leaves = (int)config.train.leaves;
    c->bytes = (size_t)footprint.parameters * sizeof(hl_real);
    int n = hl_ranks_count(c->ranks);
    if (n < 2 || n > c->leaves) {
        return hl_error(HL_INVALID,
                        "command line: --cluster: %d process%s of a config with train.leaves = %d; start at least two, "
                        "and as many leaves, as in: mpirun -n 2 %s --cluster CONFIG train.leaves=8",
                        n, n > 1 ? "es" : "", c->leaves, hl_program_name("bench"));
    }
    fprintf(c->out, "%d processes of %d thread%s, %d leaves, gradients of %s%s\n", n, hl_setup_threads(&config),
            hl_setup_threads(&config) > 1 ? "s" : "", c->leaves, hl_units_bytes(c->bytes, size),
            config.train.precision == HL_PRECISION_BF16 ? ", products in bf16" : "");
    unsigned char *data = hl_calloc(1, c->bytes + SMALLEST);
    status = hl_ranks_agree(c->ranks, data != NULL ? hl_ok() : hl_error_memory("a message"));
    HL_THEN(status, measure_link(c, data));
    hl_free(data);
    HL_TRY(status);
    HL_TRY(measure_steps(c));
    return print_legend(c->out);
}

hl_status hl_bench_cluster(const hl_bench_job *job, hl_ranks *ranks, FILE *out)
{
    return run(&(cluster){ .job = job, .ranks = ranks, .out = out });
}
