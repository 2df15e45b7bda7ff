#include "study/hidden_states.h"

#include "core/base/memory.h"
#include "heads/evaluator.h"

static bool keep_states(void *context, hl_evaluator_slice *slice)
{
    slice->states = ((const hl_hidden_states *)context)->rows;
    return true;
}

hl_status hl_hidden_states_make(const hl_model *model, const hl_batch *batch, int threads, hl_hidden_states *states)
{
    int64_t n_rows = batch->n_rows, d_model = model->config.d_model;
    int n_states = model->config.n_layers + 1;
    *states = (hl_hidden_states){ .rows = hl_calloc(hl_size_product((size_t)(n_rows * d_model), (size_t)n_states),
                                                    sizeof *states->rows) };
    HL_NEED(states->rows != NULL, "hidden states");
    states->n_rows = n_rows;
    states->d_model = d_model;
    states->n_states = n_states;
    const hl_evaluator evaluator = { .model = model,
                                     .rows = batch->n_rows,
                                     .threads = threads,
                                     .hidden = true,
                                     .begin = keep_states,
                                     .context = states };
    hl_status status = hl_evaluate_once(evaluator, batch, NULL);
    if (status.code != HL_OK) {
        hl_hidden_states_free(states);
    }
    return status;
}

void hl_hidden_states_free(hl_hidden_states *states)
{
    hl_free(states->rows);
    *states = (hl_hidden_states){ 0 };
}
