#include "heads/private/effect_losses.h"

#include "core/base/memory.h"
#include "core/base/threads.h"

#include <assert.h>
#include <string.h>

static hl_effect_workspace_size size_of(const hl_effect_losses *s)
{
    return (hl_effect_workspace_size){ s->n, s->slice, s->T };
}

/* The output of the layer's heads on a slice, with zero or `instead` for that of the chosen ones. */
static const hl_real *set_outputs(const hl_effect_losses *s, const hl_effect_workspace *workspace,
                                  const hl_effect_change *what, const hl_batch *slice)
{
    const hl_real *kept = hl_effect_losses_z(s, slice);
    int64_t H = s->model->config.heads[what->layer], Dv = s->model->config.d_v[what->layer], width = H * Dv;
    size_t head = (size_t)Dv * sizeof *kept;
    memcpy(workspace->z, kept, (size_t)(slice->n_rows * width) * sizeof *kept);
    for (int64_t i = 0; i < slice->n_rows * H; i++) {
        if (what->chosen[i % H] && what->instead != NULL) {
            memcpy(workspace->z + i * Dv, what->instead + i % H * Dv, head);
        } else if (what->chosen[i % H]) {
            memset(workspace->z + i * Dv, 0, head);
        }
    }
    return workspace->z;
}

static const hl_real *const *set_ideal(const hl_effect_losses *s, const hl_effect_workspace *workspace,
                                       const hl_effect_change *what, int64_t first, int64_t count)
{
    for (int64_t e = 0; e < count; e++) {
        hl_patterns one = s->layers[what->layer];
        one.first = s->rows[first + e];
        hl_pattern example = hl_patterns_at(&one, 0);
        hl_label_ideal(*what->label, &example, workspace->ideal + e * s->T * s->T);
    }
    for (int64_t h = 0; h < s->model->config.heads[what->layer]; h++) {
        workspace->replace[h] = what->chosen[h] ? workspace->ideal : NULL;
    }
    return workspace->replace;
}

static hl_status measure(const hl_effect_losses *s, hl_effect_workspace *workspace, int threads,
                         const hl_effect_change *what, double *losses)
{
    for (int64_t first = 0; first < s->n; first += s->slice) {
        /* The slice of examples that begins at `first`. */
        hl_batch slice = hl_effect_losses_slice(s, first);
        hl_effect_workspace_begin begin = { .layer = s->layer, .x = hl_effect_losses_x(s, &slice) };
        if (what != NULL && what->label == NULL) {
            begin.z = set_outputs(s, workspace, what, &slice);
        } else if (what != NULL) {
            begin.replace = set_ideal(s, workspace, what, first, slice.n_examples);
        }
        HL_TRY(hl_effect_workspace_pass(workspace, s->model, &slice, &begin, &s->packed, threads));
        hl_effect_losses_of_rows(&slice, workspace->row_losses, losses + first);
    }
    return hl_ok();
}

hl_status hl_effect_losses_measure(hl_effect_losses *s, const hl_effect_change *what, double *losses)
{
    HL_TRY(hl_effect_losses_begin_at(s, what != NULL ? what->layer : 0));
    hl_effect_workspace workspace = hl_effect_workspace_in(s->arena.block, s->arena.capacity, s->model, size_of(s));
    HL_TRY(measure(s, &workspace, s->threads, what, losses));
    s->packed.made = s->packed.made || what == NULL;
    return hl_ok();
}

/* ---- many changes ---- */

typedef struct work {
    const hl_effect_losses *s;
    hl_effect_change *changes;
    size_t bytes;     /* of a worker's workspace */
    int threads;      /* of each pass */
    hl_status *first; /* (workers): the first failure of each */
} work;

static void measure_changes(const void *context, hl_range range)
{
    const work *w = context;
    const hl_effect_losses *s = w->s;
    char *block = s->arena.block + (size_t)range.thread * w->bytes;
    hl_effect_workspace workspace = hl_effect_workspace_in(block, w->bytes, s->model, size_of(s));
    hl_status *status = &w->first[range.thread];
    for (int64_t i = range.begin; i < range.end && status->code == HL_OK; i++) {
        *status = measure(s, &workspace, w->threads, &w->changes[i], workspace.losses);
        for (int64_t e = 0; e < s->n; e++) {
            workspace.losses[e] -= s->losses[e];
        }
        w->changes[i].loss = hl_estimate_of(workspace.losses, 1, s->n);
    }
}

/* How many passes run at once, each on one thread; 1 where a pass uses all threads. */
static int workers_for(const hl_effect_losses *s, int64_t n)
{
    int threads = s->threads < HL_MAX_THREADS ? s->threads : HL_MAX_THREADS;
    int64_t spaces = (int64_t)(s->arena.capacity / s->workspace), workers = n < spaces ? n : spaces;
    workers = workers < threads ? workers : threads;
    return 2 * workers > threads ? (int)workers : 1;
}

static hl_status measure_at_once(const hl_effect_losses *s, hl_effect_change *changes, int64_t n, int n_workers)
{
    const work w = { .s = s,
                     .changes = changes,
                     .bytes = n_workers > 1 ? s->workspace : s->arena.capacity,
                     .threads = n_workers > 1 ? 1 : s->threads,
                     .first = hl_calloc((size_t)n_workers, sizeof *w.first) };
    HL_NEED(w.first != NULL, "the effects of heads");
    hl_threads_run(n_workers, n, 1, measure_changes, &w);
    hl_status status = hl_ok();
    for (int i = 0; i < n_workers; i++) {
        HL_THEN(status, w.first[i]);
    }
    hl_free(w.first);
    return status;
}

hl_status hl_effect_losses_changes(hl_effect_losses *s, hl_effect_change *changes, int64_t n)
{
    if (n == 0) {
        return hl_ok();
    }
    assert(s->packed.numbers == NULL || s->packed.made);
    HL_TRY(hl_effect_losses_begin_at(s, changes[0].layer));
    int n_workers = workers_for(s, n);
    int64_t left = n % n_workers, shared = 2 * left <= n_workers ? left : 0;
    HL_TRY(measure_at_once(s, changes, n - shared, n_workers));
    return shared == 0 ? hl_ok() : measure_at_once(s, changes + n - shared, shared, 1);
}
