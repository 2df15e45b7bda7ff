#include "study/hidden_states.h"

#include "core/arena.h"
#include "core/memory.h"
#include "core/tape.h"

#include <string.h>

static hl_real *state_at(const hl_hidden_states *states, int i)
{
    return states->rows + i * states->n_rows * states->d_model;
}

/* State i: the embedding, or what layer i - 1 makes of the state before. */
static hl_tensor *forward(hl_tape *tape, const hl_model *model, const hl_batch *batch, const hl_hidden_states *states,
                          int i)
{
    if (i == 0) {
        return hl_model_embed(tape, model, batch);
    }
    hl_attention_rules rules = hl_model_rules(model, batch);
    hl_tensor *x = hl_tape_tensor(tape, HL_SHAPE(states->n_rows, states->d_model), state_at(states, i - 1), false);
    x = hl_encoder_layer_forward(tape, &model->encoder.layers[i - 1], x, &rules, NULL);
    return i == model->config.n_layers ? hl_encoder_end(tape, &model->encoder, x) : x;
}

static hl_status plan_state(const hl_model *model, const hl_batch *batch, int threads, const hl_hidden_states *states,
                            int i, hl_tape_plan *plan)
{
    hl_arena records;
    HL_TRY(hl_arena_init(&records, hl_model_record_bytes(model)));
    hl_tape tape;
    hl_tape_begin(&tape, &records, (hl_tape_options){ .threads = threads, .dry = true, .reuse = true });
    forward(&tape, model, batch, states, i);
    hl_status status = hl_tape_plan_make(&tape, plan);
    hl_arena_free(&records);
    return status;
}

static hl_status make_state(const hl_model *model, const hl_batch *batch, int threads, hl_hidden_states *states, int i)
{
    hl_tape_plan plan;
    hl_arena arena;
    HL_TRY(plan_state(model, batch, threads, states, i, &plan));
    hl_status status = hl_arena_init(&arena, plan.bytes);
    if (status.code == HL_OK) {
        hl_tape tape;
        hl_tape_begin(&tape, &arena, (hl_tape_options){ .threads = threads, .plan = &plan });
        const hl_tensor *x = forward(&tape, model, batch, states, i);
        status = hl_tape_status(&tape);
        if (status.code == HL_OK) {
            memcpy(state_at(states, i), x->data, (size_t)(states->n_rows * states->d_model) * sizeof *x->data);
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
        HL_THEN(status, make_state(model, batch, threads, states, i));
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
