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
    [HL_METRIC_OFFSET] = { WHERE, "offset(k)", "attention to the token k positions ahead (negative k: back)" },
    [HL_METRIC_BEST] = { WHERE, "best", "attention at the distance that gets most of it" },
    [HL_METRIC_BEST_OFFSET] = { WHERE, "best.offset", "that distance, in tokens (negative: back)" },
    [HL_METRIC_ALIGNMENT] = { WHERE, "alignment", "attention to the token that holds the answer" },
    [HL_METRIC_ALIGNMENT_HIT_RATE] = { WHERE, "alignment.hit_rate", "how often that token gets the largest weight" },
    [HL_METRIC_RELATION] = { WHERE, "relation(a_b)", "how often a token a gives its largest weight to its partner b" },
    HL_METRIC_SHARES(SHARE) /* each at its own number */
        [HL_METRIC_ENTROPY] = { HOW, "entropy",
                                "how widely attention is spread, in nats: 0 for one token, ln n for n tokens equally" },
    [HL_METRIC_ENTROPY_NORMALISED] = { HOW, "entropy.normalised",
                                       "how widely attention is spread: 0 for one token, 1 for all tokens equally" },
    [HL_METRIC_CONFIDENCE] = { HOW, "confidence", "the largest weight of a query" },
    [HL_METRIC_DISTANCE] = { HOW, "distance", "the mean distance of attention, in tokens" },
    [HL_METRIC_DISTANCE_SIGNED] = { HOW, "distance.signed",
                                    "the same with direction: above 0 is ahead, below 0 is back" },
    [HL_METRIC_ALL_OFFSET] = { ALL, "all.offset(k)", "attention to the token k positions ahead (negative k: back)" },
    [HL_METRIC_ALL_ENTROPY] = { ALL, "all.entropy", "how widely attention is spread, in nats" },
    [HL_METRIC_ALL_ENTROPY_NORMALISED] = { ALL, "all.entropy.normalised",
                                           "how widely attention is spread: 0 for one token, 1 for all tokens "
                                           "equally" },
    [HL_METRIC_ALL_CONFIDENCE] = { ALL, "all.confidence", "the largest weight of a query" },
    [HL_METRIC_ALL_DISTANCE] = { ALL, "all.distance", "the mean distance of attention, in tokens" },
    [HL_METRIC_ALL_DISTANCE_SIGNED] = { ALL, "all.distance.signed",
                                        "the same with direction: above 0 is ahead, below 0 is back" },
    [HL_METRIC_IMPORTANCE] = { WORTH, "importance", "how much the loss depends on the head, measured by its gradient" },
    [HL_METRIC_IMPORTANCE_NORMALISED] = { WORTH, "importance.normalised",
                                          "the same, scaled so that the squares in a layer sum to 1" },
    [HL_METRIC_LOSS_WITHOUT] = { WORTH, "loss_without", "how much the loss grows without the head" },
    [HL_METRIC_JS] = { BESIDE, "js(head)",
                       "how different two heads' attention is (Jensen-Shannon divergence, in nats): 0 if equal, "
                       "0.693 if they share no key" },
};
static const char *const groups[] = { WHERE, HOW, ALL, WORTH, BESIDE };
enum { METRICS = sizeof metrics / sizeof *metrics, GROUPS = sizeof groups / sizeof *groups };

static const char JUDGED[] = "How it is judged";
static const hl_word terms[] = {
    { JUDGED, "label", "what the head does; it needs a score at least halfway from the baseline to 1" },
    { JUDGED, "score",
      "how well the label fits (1: always); for mixed and uniform heads the share of attention at the most-attended "
      "distance" },
    { JUDGED, "baseline", "the score without skill: attention spread evenly, or always at one distance" },
    { JUDGED, "null", "the score with untrained weights: those of step 0, or random weights for your own sentences" },
    { JUDGED, "lift", "how far the score is from the baseline towards 1: (score - baseline) / (1 - baseline)" },
    { JUDGED, "faithful",
      "yes if the label's ideal pattern can replace the head and keep at least 80% of what it does for the loss (-: "
      "the loss hardly changes without the head, or the label is mixed)" },
    { JUDGED, "direct",
      "what the head itself adds to the logit of the right answer, counted from the mean of all logits" },
    { JUDGED, "copies",
      "how often the token whose logit the head raises most is the token that it attends to most (*: clearly more "
      "often than one fixed token)" },
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
