/* A predictor's texts as pieces, and what is cut off them. */
#include "data/text/private/tokens_encode.h"
#include "study/predictor.h"

#include <string.h>

int64_t hl_predictor_room(const hl_predictor *p, bool pair)
{
    const hl_tokens *tokens = p->spec.tokens;
    int around = !p->spec.wraps ? 0 : pair ? tokens->pair.n - 2 : tokens->single.n - 1;
    return p->spec.length - around;
}

/* Cuts a text that is too long. */
static void cut(hl_predictor *p)
{
    size_t first = p->n_first, second = p->text.n - first;
    int64_t room = hl_predictor_room(p, second > 0);
    p->uncut = (int64_t)p->text.n;
    if (second == 0 && p->spec.stride > 0) {
        return;
    }
    while (first + second > (size_t)(room > 1 ? room : 1)) {
        *(second > first ? &second : &first) -= 1;
    }
    if (second > 0) {
        memmove(p->text.at + first, p->text.at + p->n_first, second * sizeof *p->text.at);
    }
    p->n_first = first;
    p->text.n = first + second;
}

hl_status hl_predictor_read(hl_predictor *p, hl_span text, hl_span second, bool specials)
{
    p->text.n = 0;
    hl_status status = hl_tokens_encode(p->spec.tokens, text.text, text.size, specials, &p->text);
    p->n_first = p->text.n;
    if (second.size > 0) {
        HL_THEN(status, hl_tokens_encode(p->spec.tokens, second.text, second.size, specials, &p->text));
    }
    if (status.code != HL_OK) {
        p->text.n = 0;
        return status;
    }
    if (p->n_first < p->text.n && hl_predictor_room(p, true) < 1) {
        p->text.n = 0;
        return hl_error(HL_INVALID, "the model has no room for two texts");
    }
    cut(p);
    return status;
}

hl_status hl_predictor_read_words(hl_predictor *p, const hl_span *words, int64_t n, int32_t *firsts)
{
    p->text.n = 0;
    for (int64_t i = 0; i < n; i++) {
        firsts[i] = (int32_t)p->text.n;
        hl_status status = hl_tokens_encode_word(p->spec.tokens, words[i].text, words[i].size, i == 0, &p->text);
        if (status.code != HL_OK) {
            p->text.n = 0;
            return status;
        }
    }
    p->n_first = p->text.n;
    cut(p);
    for (int64_t i = 0; i < n; i++) {
        firsts[i] = firsts[i] < (int32_t)p->text.n ? firsts[i] : -1;
    }
    return hl_ok();
}
