/* What the task files share. Private to this folder. */
#pragma once

#include "core/examples.h"
#include "data/task.h"

#define HL_TASK_DECLARATION(name) extern const hl_task hl_task_##name;
HL_TASKS(HL_TASK_DECLARATION)

/* HL_INVALID "task.<key> = <value>: must be from <low> to <high>" if the value is outside. */
hl_status hl_task_check_range(const char *key, int64_t value, int64_t low, int64_t high);

/* HL_INVALID as above if `length` is outside shortest .. HL_TASK_MAX_SIZE, or min_length outside shortest .. length. */
hl_status hl_task_check_lengths(const hl_task_spec *spec, int64_t shortest);

/* Adds n tokens named a, b, c, ... (or s0, s1, ... if there are more than 26), or the n words. */
void hl_task_add_letters(int64_t n, hl_text *text);
void hl_task_add_words(const char *const *words, int n, hl_text *text);

/* Sequence tasks read x_1 .. x_n, uniform among `symbols`, with n from min_length to length. */
hl_status hl_sequence_check(const hl_task_spec *spec);

/* Writes x_1 .. x_n into n tokens. */
void hl_sequence_draw(const hl_task_spec *spec, int64_t n, hl_draw *draw, int32_t *tokens);

/* Slot tasks are sequence tasks that read x_1 .. x_n <sep> <mask> * n and score only the masks (the slots). So only a
 * head can fetch the answers. */
int64_t hl_slots_n_tokens(const hl_task_spec *spec, int64_t n);

/* Writes that sequence without answers: nothing is scored. */
void hl_slots_draw(const hl_task_spec *spec, int64_t n, hl_draw *draw, hl_example example);

/* Makes the symbol at position `source` the answer in slot `slot`, both counted from 0. */
void hl_slots_answer(int64_t n, int64_t slot, int64_t source, hl_example example);
