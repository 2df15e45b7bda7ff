#include "heads/catalogue.h"

#include "heads/alignment.h"
#include "heads/distance.h"
#include "heads/entropy.h"
#include "heads/head_set.h"
#include "heads/metrics.h"
#include "heads/offset.h"
#include "heads/words.h"

#include <string.h>

/* Receives the readings. */
typedef struct recipient {
    hl_reading_visit *visit;
    void *context;
} recipient;

static void give(recipient to, hl_metric metric, int64_t parameter, hl_score score)
{
    if (score.n > 0) {
        hl_reading reading = { metric, 0, parameter, score.value, score.baseline };
        to.visit(to.context, &reading);
    }
}

/* Offsets that follow one another are measured in one pass. */
static void give_offsets(recipient to, const hl_patterns *scoring, const int64_t *offsets, int64_t n)
{
    for (int64_t i = 0, run; i < n; i += run) {
        hl_score scores[HL_OFFSETS_AT_ONCE];
        run = 1;
        while (i + run < n && run < HL_OFFSETS_AT_ONCE && offsets[i + run] == offsets[i + run - 1] + 1) {
            run++;
        }
        hl_offset_scores(scoring, offsets[i], run, scores);
        for (int64_t k = 0; k < run; k++) {
            give(to, HL_METRIC_OFFSET, offsets[i + k], scores[k]);
        }
    }
}

void hl_catalogue_measure(const hl_patterns *all, const int64_t *offsets, int64_t n, hl_reading_visit *visit,
                          void *context)
{
    recipient to = { visit, context };
    hl_patterns scoring = hl_patterns_scoring(all);
    give_offsets(to, &scoring, offsets, n);
    hl_head_metrics metrics = hl_head_measure(0, all);
    hl_score alignment = metrics.alignment;
    hl_entropy entropy = metrics.entropy;
    hl_distance distance = hl_distance_of(&scoring);
    give(to, HL_METRIC_BEST, 0, metrics.offset);
    give(to, HL_METRIC_BEST_OFFSET, 0, (hl_score){ (double)metrics.best_offset, NAN, metrics.offset.n });
    give(to, HL_METRIC_ALIGNMENT, 0, alignment);
    give(to, HL_METRIC_ALIGNMENT_HIT_RATE, 0, (hl_score){ metrics.hit_rate, alignment.baseline, alignment.n });
    give(to, HL_METRIC_ENTROPY, 0, (hl_score){ entropy.nats, entropy.uniform, entropy.n });
    give(to, HL_METRIC_ENTROPY_NORMALISED, 0, (hl_score){ entropy.normalised, 1, entropy.n_normalised });
    give(to, HL_METRIC_CONFIDENCE, 0, metrics.confidence);
    give(to, HL_METRIC_DISTANCE, 0, distance.absolute);
    give(to, HL_METRIC_DISTANCE_SIGNED, 0, distance.directed);
#define GIVE(constant, name, measure, meaning) give(to, constant, 0, measure(&scoring));
    HL_METRIC_SHARES(GIVE)
    for (int64_t r = 0; r < all->n_relations; r++) {
        give(to, HL_METRIC_RELATION, r, hl_relation_score(hl_relation_of(all, r)));
    }
}

void hl_catalogue_measure_sums(const hl_validation_sums *sums, int layer, int64_t head, const int64_t *offsets,
                               int64_t n, hl_reading_visit *visit, void *context)
{
    recipient to = { visit, context };
    for (int64_t i = 0; i < n; i++) {
        give(to, HL_METRIC_ALL_OFFSET, offsets[i], hl_validation_sums_offset(sums, layer, head, offsets[i]));
    }
    hl_validation_scores scores = hl_validation_sums_scores(sums, layer, head);
    give(to, HL_METRIC_ALL_ENTROPY, 0, scores.entropy);
    give(to, HL_METRIC_ALL_ENTROPY_NORMALISED, 0, scores.normalised);
    give(to, HL_METRIC_ALL_CONFIDENCE, 0, scores.confidence);
    give(to, HL_METRIC_ALL_DISTANCE, 0, scores.distance);
    give(to, HL_METRIC_ALL_DISTANCE_SIGNED, 0, scores.directed);
}

void hl_metric_print(hl_text *text, const hl_reading *reading, const char *const *relations)
{
    const hl_word *word = hl_word_of_metric(reading->metric);
    if (word == NULL) {
        hl_text_fail(text, hl_error(HL_INVALID, "unknown metric number %d", (int)reading->metric));
        return;
    }
    int length = (int)strcspn(word->name, "(");
    long long parameter = (long long)reading->parameter;
    if (reading->metric == HL_METRIC_JS) {
        hl_text_print(text, "%.*s(%s)", length, word->name, hl_head_name_of(reading->layer, reading->parameter).text);
    } else if (reading->metric == HL_METRIC_RELATION && relations != NULL) {
        hl_text_print(text, "%.*s(%s)", length, word->name, relations[parameter]);
    } else if (reading->metric == HL_METRIC_RELATION || reading->metric == HL_METRIC_OFFSET ||
               reading->metric == HL_METRIC_ALL_OFFSET) {
        hl_text_print(text, "%.*s(%lld)", length, word->name, parameter);
    } else {
        hl_text_print(text, "%s", word->name);
    }
}
