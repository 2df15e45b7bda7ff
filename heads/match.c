#include "heads/match.h"

#include "core/base/memory.h"
#include "heads/divergence.h"
#include "heads/entropy.h"

#include <math.h>

int64_t hl_model_heads_count(hl_model_heads heads)
{
    int64_t n = 0;
    for (int l = 0; l < heads.n_layers; l++) {
        n += heads.layers[l].n_heads;
    }
    return n;
}

hl_patterns hl_model_heads_at(hl_model_heads heads, int64_t place)
{
    int l = 0;
    while (place >= heads.layers[l].n_heads) {
        place -= heads.layers[l++].n_heads;
    }
    hl_patterns head = heads.layers[l];
    head.head = place;
    return head;
}

static hl_patterns scoring_at(hl_model_heads heads, int64_t place)
{
    hl_patterns all = hl_model_heads_at(heads, place);
    return hl_patterns_scoring(&all);
}

/* Begins the search for the matches of n heads. */
static void begin(hl_model_heads heads, int64_t n, double *entropies, hl_head_match *matches)
{
    for (int64_t i = 0; i < n; i++) {
        hl_patterns head = scoring_at(heads, i);
        entropies[i] = hl_entropy_of(&head).nats;
        matches[i] = (hl_head_match){ 0, INFINITY };
    }
}

static void consider(hl_head_match *match, int64_t head, double js)
{
    if (js < match->js) {
        *match = (hl_head_match){ head, js };
    }
}

hl_status hl_heads_match(hl_model_heads a, hl_model_heads b, hl_head_match *of_a, hl_head_match *of_b)
{
    int64_t n_a = hl_model_heads_count(a), n_b = hl_model_heads_count(b);
    double *entropies = hl_calloc((size_t)(n_a + n_b), sizeof *entropies);
    HL_NEED(entropies != NULL, "the heads' matches");
    begin(a, n_a, entropies, of_a);
    begin(b, n_b, entropies + n_a, of_b);
    for (int64_t i = 0; i < n_a; i++) {
        hl_patterns one = scoring_at(a, i);
        for (int64_t j = 0; j < n_b; j++) {
            hl_patterns other = scoring_at(b, j);
            double js = hl_divergence_given(&one, &other, entropies[i], entropies[n_a + j]);
            consider(&of_a[i], j, js);
            consider(&of_b[j], i, js);
        }
    }
    hl_free(entropies);
    return hl_ok();
}
