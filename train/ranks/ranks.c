#include "train/ranks/ranks.h"

#include "train/signals.h"

bool hl_ranks_leads(const hl_ranks *ranks)
{
    return hl_ranks_rank(ranks) == 0;
}

int hl_ranks_count(const hl_ranks *ranks)
{
    return ranks != NULL ? ranks->n : 1;
}

int hl_ranks_rank(const hl_ranks *ranks)
{
    return ranks != NULL ? ranks->rank : 0;
}

static bool exchanges(const hl_ranks *ranks)
{
    return ranks != NULL && ranks->n > 1 && !ranks->parted;
}

hl_status hl_ranks_agree(hl_ranks *ranks, hl_status own)
{
    if (!exchanges(ranks)) {
        return own;
    }
    enum { FAILED, SIGNAL, N_VALUES };
    /* The largest of these belongs to the lowest rank that has failed. */
    int64_t values[N_VALUES] = {
        [FAILED] = own.code != HL_OK ? ranks->n - ranks->rank : 0, [SIGNAL] = hl_signals_received()
    };
    ranks->maximum(ranks->context, values, N_VALUES);
    ranks->signal = (int)values[SIGNAL];
    if (values[FAILED] == 0) {
        return own;
    }
    int failed = ranks->n - (int)values[FAILED];
    hl_status status =
        ranks->rank == failed ? own : hl_error(HL_FAILED, "failed, and was lost before it could say why");
    ranks->broadcast(ranks->context, failed, &status, sizeof status);
    ranks->parted = true;
    return failed == 0 ? status : hl_error(status.code, "rank %d: %s", failed, status.text);
}

int hl_ranks_signal(const hl_ranks *ranks)
{
    return exchanges(ranks) ? ranks->signal : hl_signals_received();
}

void hl_ranks_broadcast(hl_ranks *ranks, void *data, size_t bytes)
{
    if (exchanges(ranks)) {
        ranks->broadcast(ranks->context, 0, data, bytes);
    }
}

void hl_ranks_sum(hl_ranks *ranks, int64_t *values, int64_t count)
{
    if (exchanges(ranks)) {
        ranks->sum(ranks->context, values, count);
        ranks->broadcast(ranks->context, 0, values, (size_t)count * sizeof *values); /* ranks.h, rule 1 */
    }
}

/* All numbers but one are zero, and so are their bits. So the sum of the bits is that one number. */
static hl_status join(void *context, hl_status own, double *numbers, int64_t n)
{
    hl_ranks *ranks = context;
    HL_TRY(hl_ranks_agree(ranks, own));
    hl_ranks_sum(ranks, (int64_t *)numbers, n);
    return hl_ranks_agree(ranks, hl_ok()); /* rule 2 */
}

hl_share hl_ranks_share(hl_ranks *ranks)
{
    return (hl_share){ .index = hl_ranks_rank(ranks), .count = hl_ranks_count(ranks), .join = join, .context = ranks };
}
