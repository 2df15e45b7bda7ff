#include "tests/train/thread_ranks.h"

#include "core/base/threads.h"

#include <check.h>
#include <pthread.h>
#include <string.h>

typedef struct world {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int n;
    const void *sent[THREAD_RANKS_MOST][THREAD_RANKS_MOST]; /* from, to: NULL when it is received */
    size_t sent_bytes[THREAD_RANKS_MOST][THREAD_RANKS_MOST];
    pthread_barrier_t barrier;
    void *at[THREAD_RANKS_MOST]; /* what each rank brings to an exchange of all */
    size_t all_sent;
} world;

typedef struct seat {
    world *all;
    hl_ranks ranks;
    void (*work)(hl_ranks *ranks, void *context);
    void *work_context;
} seat;

static size_t last_sent;

static void send_to(void *context, int to, const void *data, size_t bytes)
{
    const seat *s = context;
    world *w = s->all;
    pthread_mutex_lock(&w->mutex);
    w->sent[s->ranks.rank][to] = data;
    w->sent_bytes[s->ranks.rank][to] = bytes;
    w->all_sent += bytes;
    pthread_cond_broadcast(&w->changed);
    while (w->sent[s->ranks.rank][to] != NULL) {
        pthread_cond_wait(&w->changed, &w->mutex);
    }
    pthread_mutex_unlock(&w->mutex);
}

static void receive_from(void *context, int from, void *data, size_t bytes)
{
    const seat *s = context;
    world *w = s->all;
    pthread_mutex_lock(&w->mutex);
    while (w->sent[from][s->ranks.rank] == NULL) {
        pthread_cond_wait(&w->changed, &w->mutex);
    }
    ck_assert_uint_eq(w->sent_bytes[from][s->ranks.rank], bytes);
    memcpy(data, w->sent[from][s->ranks.rank], bytes);
    w->sent[from][s->ranks.rank] = NULL;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->mutex);
}

static void broadcast_from(void *context, int from, void *data, size_t bytes)
{
    const seat *s = context;
    s->all->at[s->ranks.rank] = data;
    pthread_barrier_wait(&s->all->barrier);
    if (s->ranks.rank != from) {
        memcpy(data, s->all->at[from], bytes);
    }
    pthread_barrier_wait(&s->all->barrier);
}

static void combine(const seat *s, int64_t *values, int64_t count, bool largest)
{
    world *w = s->all;
    w->at[s->ranks.rank] = values;
    pthread_barrier_wait(&w->barrier);
    int64_t found[1 << 14];
    ck_assert_int_le(count, 1 << 14);
    for (int64_t i = 0; i < count; i++) {
        found[i] = ((const int64_t *)w->at[0])[i];
        for (int r = 1; r < w->n; r++) {
            int64_t other = ((const int64_t *)w->at[r])[i];
            found[i] = !largest ? found[i] + other : other > found[i] ? other : found[i];
        }
    }
    pthread_barrier_wait(&w->barrier);
    memcpy(values, found, (size_t)count * sizeof *values);
}

static void maximum(void *context, int64_t *values, int64_t count)
{
    combine(context, values, count, true);
}

static void sum(void *context, int64_t *values, int64_t count)
{
    combine(context, values, count, false);
}

static void *take_seat(void *context)
{
    seat *s = context;
    hl_threads_setup();
    s->work(&s->ranks, s->work_context);
    return NULL;
}

void thread_ranks_run(int n, void (*work)(hl_ranks *ranks, void *context), void *context)
{
    ck_assert_int_le(n, THREAD_RANKS_MOST);
    world all = { .n = n };
    pthread_mutex_init(&all.mutex, NULL);
    pthread_cond_init(&all.changed, NULL);
    pthread_barrier_init(&all.barrier, NULL, (unsigned)n);
    seat seats[THREAD_RANKS_MOST];
    pthread_t threads[THREAD_RANKS_MOST];
    for (int r = 0; r < n; r++) {
        seats[r] = (seat){ .all = &all, .work = work, .work_context = context };
        seats[r].ranks = (hl_ranks){ .rank = r,
                                     .n = n,
                                     .context = &seats[r],
                                     .send = send_to,
                                     .receive = receive_from,
                                     .broadcast = broadcast_from,
                                     .maximum = maximum,
                                     .sum = sum };
        ck_assert_int_eq(pthread_create(&threads[r], NULL, take_seat, &seats[r]), 0);
    }
    for (int r = 0; r < n; r++) {
        pthread_join(threads[r], NULL);
    }
    last_sent = all.all_sent;
    pthread_barrier_destroy(&all.barrier);
    pthread_cond_destroy(&all.changed);
    pthread_mutex_destroy(&all.mutex);
}

size_t thread_ranks_sent(void)
{
    return last_sent;
}
