#include "study/hidden_states.h"

#include "core/arena.h"
#include "core/base/memory.h"
#include "core/tape.h"

#include <string.h>

static hl_real *state_at(const hl_hidden_states *states, int i)
{
    return states->rows + i * states->n_rows * states->d_model;
}

/* The pass that makes state i. */
typedef struct state_pass {
    const hl_model *model;
    const hl_batch *batch;
    const hl_hidden_states *states;
    int i;
} state_pass;

/* State i: the embedding, or what layer i - 1 makes of the state before. */
static hl_tensor *forward(hl_tape *tape, const state_pass *p)
{
    if (p->i == 0) {
        return hl_model_embed(tape, p->model, p->batch);
    }
    const hl_hidden_states *states = p->states;
    hl_attention_rules rules = hl_model_rules(p->model, p->batch);
    hl_tensor *x = hl_tape_tensor(tape, HL_SHAPE(states->n_rows, states->d_model), state_at(states, p->i - 1), false);
    x = hl_encoder_layer_forward(tape, &p->model->encoder.layers[p->i - 1], x, &rules, NULL);
    return p->i == p->model->config.n_layers ? hl_encoder_end(tape, &p->model->encoder, x) : x;
}

static hl_status record_state(hl_tape *tape, void *context)
{
    forward(tape, context);
    return hl_tape_status(tape);
}

static hl_status make_state(state_pass p, int threads)
{
    hl_tape_options options = { .threads = threads, .memory = { .reuse = true } };
    hl_tape_plan plan;
    hl_arena arena;
    HL_TRY(hl_tape_plan_pass(hl_model_record_bytes(p.model), options, record_state, &p, &plan));
    hl_status status = hl_arena_init(&arena, plan.bytes);
    if (status.code == HL_OK) {
        options.memory.plan = &plan;
        hl_tape tape;
        hl_tape_begin(&tape, &arena, options);
        const hl_tensor *x = forward(&tape, &p);
        status = hl_tape_status(&tape);
        if (status.code == HL_OK) {
            memcpy(state_at(p.states, p.i), x->data, (size_t)hl_shape_count(x->shape) * sizeof *x->data);
        }
        hl_arena_free(&arena);
    }
    hl_tape_plan_free(&plan);
    return status;
}

hl_status hl_hidden_states_make(const hl_model *model, const hl_batch *batch, int threads, hl_hidden_states *states)
{
    *states = (hl_hidden_states){ .n_rows = batch->n_rows,
                                  .d_model = model->config.d_model,
                                  .n_states = model->config.n_layers + 1 };
    size_t count;
    bool fits = hl_multiply_sizes((size_t)(states->n_rows * states->d_model), (size_t)states->n_states, &count);
    states->rows = fits ? hl_calloc(count, sizeof *states->rows) : NULL;
    hl_status status = states->rows != NULL ? hl_ok() : hl_error_memory("hidden states");
    for (int i = 0; i < states->n_states; i++) {
        HL_THEN(status, make_state((state_pass){ model, batch, states, i }, threads));
    }
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
