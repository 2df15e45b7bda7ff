#include "heads/answers.h"

#include <stdbool.h>

int32_t hl_answer_of(const hl_real *logits, int64_t n)
{
    int64_t best = 0;
    for (int64_t i = 1; i < n; i++) {
        best = logits[i] > logits[best] ? i : best;
    }
    return (int32_t)best;
}

void hl_answers_predict(const hl_answers *answers, int64_t e, int64_t length, int64_t n_tokens, int32_t *predictions)
{
    for (int64_t i = 0; i < n_tokens; i++) {
        int64_t place = e * n_tokens + i;
        bool asked = i < length && answers->targets[place] != HL_IGNORE;
        predictions[i] =
            asked ? hl_answer_of(answers->logits + place * answers->vocabulary, answers->vocabulary) : HL_IGNORE;
    }
}
