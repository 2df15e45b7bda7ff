#include "heads/words.h"

#include "heads/label.h"

#include <stddef.h>
#include <string.h>

static const char WHERE[] = "Where it looks";
static const char HOW[] = "How it looks";
static const char ALL[] = "Over the whole validation set";
static const char WORTH[] = "What it is worth";
static const char BESIDE[] = "Beside other heads";

#define SHARE(constant, name, measure, meaning) [constant] = { WHERE, name, meaning },
static const hl_word metrics[] = {
    [HL_METRIC_OFFSET] = { WHERE, "offset(k)", "attention k tokens ahead, or back where k is negative" },
    [HL_METRIC_BEST] = { WHERE, "best", "attention at the one distance that gets most" },
    [HL_METRIC_BEST_OFFSET] = { WHERE, "best.offset",
                                "the distance that gets most attention, in tokens, negative where it is back" },
    [HL_METRIC_ALIGNMENT] = { WHERE, "alignment", "attention on the token that holds the answer" },
    [HL_METRIC_ALIGNMENT_HIT_RATE] = { WHERE, "alignment.hit_rate",
                                       "how often the token that holds the answer gets the largest weight" },
    [HL_METRIC_RELATION] = { WHERE, "relation(a_b)", "how often the b of an a gets its largest weight" },
    HL_METRIC_SHARES(SHARE) /* each at its own number */
        [HL_METRIC_ENTROPY] = { HOW, "entropy",
                                "how widely attention is spread, in nats: 0 on one token, ln n evenly on n" },
    [HL_METRIC_ENTROPY_NORMALISED] = { HOW, "entropy.normalised",
                                       "how widely attention is spread, as a share of an even spread's: 0 on one "
                                       "token, 1 spread evenly" },
    [HL_METRIC_CONFIDENCE] = { HOW, "confidence", "the largest weight of a query" },
    [HL_METRIC_DISTANCE] = { HOW, "distance", "how many tokens away it looks" },
    [HL_METRIC_DISTANCE_SIGNED] = { HOW, "distance.signed", "how many tokens ahead; below 0 it looks back" },
    [HL_METRIC_ALL_OFFSET] = { ALL, "all.offset(k)", "attention k tokens ahead, or back where k is negative" },
    [HL_METRIC_ALL_ENTROPY] = { ALL, "all.entropy", "how widely attention is spread, in nats" },
    [HL_METRIC_ALL_ENTROPY_NORMALISED] = { ALL, "all.entropy.normalised",
                                           "how widely attention is spread, as a share of an even spread's" },
    [HL_METRIC_ALL_CONFIDENCE] = { ALL, "all.confidence", "the largest weight of a query" },
    [HL_METRIC_ALL_DISTANCE] = { ALL, "all.distance", "how many tokens away it looks" },
    [HL_METRIC_ALL_DISTANCE_SIGNED] = { ALL, "all.distance.signed", "how many tokens ahead; below 0 it looks back" },
    [HL_METRIC_IMPORTANCE] = { WORTH, "importance", "how much the loss depends on the head, by its gradient" },
    [HL_METRIC_IMPORTANCE_NORMALISED] = { WORTH, "importance.normalised",
                                          "the same, beside its layer's other heads: the squares sum to 1" },
    [HL_METRIC_LOSS_WITHOUT] = { WORTH, "loss_without", "how much the loss grows when the head is taken out" },
    [HL_METRIC_JS] = { BESIDE, "js(head)",
                       "how far apart it and another head are (Jensen-Shannon divergence): 0 the same, 0.693 nats no "
                       "key in common" },
};
static const char *const groups[] = { WHERE, HOW, ALL, WORTH, BESIDE };
enum { METRICS = sizeof metrics / sizeof *metrics, GROUPS = sizeof groups / sizeof *groups };

static const char JUDGED[] = "How it is judged";
static const hl_word terms[] = {
    { JUDGED, "label", "what the head does: given where its score lies at least half the way from the baseline to 1" },
    { JUDGED, "score",
      "how far the head does what its label says, 1 being always; of mixed and uniform heads the share "
      "of attention at one distance, the best" },
    { JUDGED, "baseline", "the score without skill, of attention spread evenly or at one distance" },
    { JUDGED, "null", "the score by the weights of step 0, before training; on sentences of yours by random weights" },
    { JUDGED, "lift", "how far a score is on its way from the baseline to 1: (score - baseline) / (1 - baseline)" },
    { JUDGED, "faithful",
      "whether a head that does nothing but its label could take its place, keeping 80% of what the head does for the "
      "loss (-: without it the loss is the same, or the label is mixed)" },
};
enum { TERMS = sizeof terms / sizeof *terms, LABELS = HL_LABEL_MIXED + 1 };

bool hl_word_at(int i, hl_word *word)
{
    if (i < 0 || i >= LABELS + TERMS + METRICS) {
        return false;
    }
    if (i < LABELS) {
        word->group = "Labels";
        word->meaning = hl_label_kind_meaning((hl_label_kind)i, &word->name);
        return true;
    }
    if (i < LABELS + TERMS) {
        *word = terms[i - LABELS];
        return true;
    }
    int before = LABELS + TERMS;
    for (int g = 0; g < GROUPS; g++) {
        for (int m = 0; m < METRICS; m++) {
            if (metrics[m].group == groups[g] && before++ == i) {
                *word = metrics[m];
            }
        }
    }
    return true;
}

const char *hl_word_meaning(const char *name)
{
    hl_word word;
    for (int i = LABELS; hl_word_at(i, &word); i++) {
        if (strcmp(word.name, name) == 0) {
            return word.meaning;
        }
    }
    return "";
}

const hl_word *hl_word_of_metric(hl_metric metric)
{
    return (size_t)metric < METRICS ? &metrics[metric] : NULL;
}
