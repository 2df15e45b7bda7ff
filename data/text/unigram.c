/* The scores of a Unigram's pieces. */
#include "data/text/private/unigram.h"

#include "core/base/memory.h"
#include "data/text/private/tokens_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

hl_status hl_unigram_reserve(hl_unigram *unigram, size_t n)
{
    unigram->scores = hl_calloc(n, sizeof *unigram->scores);
    unigram->n_scores = n;
    HL_NEED(unigram->scores != NULL, "scores of pieces");
    return hl_ok();
}

void hl_unigram_free(hl_unigram *unigram)
{
    if (unigram != NULL) {
        hl_free(unigram->scores);
        hl_charsmap_free(&unigram->charsmap);
        hl_trie_free(&unigram->trie);
        hl_free(unigram->used);
        hl_free(unigram);
    }
}

static double power_of_ten(int exponent)
{
    char text[16];
    snprintf(text, sizeof text, "1e%d", exponent);
    return strtod(text, NULL);
}

/* The library does not read a number as the nearest double: it rounds the digits to a double, and divides by a power of
 * ten or multiplies by it, which rounds again. Sums of scores are compared, so the last bit counts. */
static double as_read(double score)
{
    enum { FEWEST = 15, MOST = 17, MOST_EXPONENT = 308 }; /* digits that tell any double */
    char text[32];
    for (int digits = FEWEST; digits <= MOST; digits++) {
        snprintf(text, sizeof text, "%.*e", digits - 1, score);
        if (strtod(text, NULL) == score) {
            break;
        }
    }
    char *at = text;
    uint64_t digits = 0;
    int after_point = -1, zeros = 0; /* zeros at the end are not in the file */
    for (; *at != 'e'; at++) {
        bool digit = *at >= '0' && *at <= '9';
        digits = digit ? 10 * digits + (uint64_t)(*at - '0') : digits;
        after_point += digit;
    }
    while (digits != 0 && digits % 10 == 0) {
        digits /= 10;
        zeros++;
    }
    int exponent = (int)strtol(at + 1, NULL, 10) - after_point + zeros;
    double read = (double)digits;
    for (; exponent < -MOST_EXPONENT; exponent += MOST_EXPONENT) {
        read /= power_of_ten(MOST_EXPONENT);
    }
    read = exponent < 0 ? read / power_of_ten(-exponent) : read * power_of_ten(exponent);
    return score < 0 ? -read : read;
}

hl_status hl_unigram_index(const hl_tokens *tokens, hl_unigram *unigram)
{
    enum { PENALTY = 10 };
    double least = INFINITY;
    unigram->used = hl_calloc(unigram->n_scores, sizeof *unigram->used);
    HL_NEED(unigram->used != NULL, "scores of pieces");
    for (size_t id = 0; id < unigram->n_scores; id++) {
        unigram->used[id] = as_read(unigram->scores[id]);
        least = fmin(least, unigram->used[id]);
    }
    unigram->unknown = least - PENALTY;
    return hl_trie_make(&unigram->trie, tokens->pieces.bytes.bytes, tokens->n_model);
}
