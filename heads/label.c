#include "heads/label.h"

#include "core/base/shown_text.h"
#include "heads/alignment.h"
#include "heads/metrics.h"
#include "heads/offset.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double CLEAR_HITS = 0.9, SPREAD_EVENLY = 0.95;

/* Names and meanings of the kinds of labels. hl_label_meaning_of is more specific for offsets and relations. */
#define KIND(constant, name, meaning) [constant] = { #name, #name, meaning },
static const struct {
    const char *name, *written, *meaning;
} kinds[] = {
    [HL_LABEL_PREVIOUS] = { "previous", "previous", "looks at the previous token" },
    [HL_LABEL_NEXT] = { "next", "next", "looks at the next token" },
    [HL_LABEL_SELF] = { "self", "self", "looks at the token itself" },
    [HL_LABEL_OFFSET] = { "offset", "offset(k)", "looks k tokens ahead (negative k: back)" },
    [HL_LABEL_ALIGNMENT] = { "alignment", "alignment", "looks at the token that holds the answer" },
    [HL_LABEL_RELATION] = { "relation", "relation(a_b)", "finds the partner b of a token a" },
    [HL_LABEL_UNIFORM] = { "uniform", "uniform", "spreads its attention evenly" },
    [HL_LABEL_MIXED] = { "mixed", "mixed", "does no one thing clearly" },
    HL_LABEL_SHARES(KIND) /* each at its own number */
};

/* The metric and the keys of the labels in HL_LABEL_SHARES. */
#define SHARE(constant, name, meaning) [constant] = { hl_##name##_of, hl_##name##_kind },
static const struct {
    hl_score (*measure)(const hl_patterns *patterns);
    bool (*names_key)(const hl_pattern *example, int64_t query, int64_t key);
} shares[] = { HL_LABEL_SHARES(SHARE) };

/* Which label a head earns */

/* Examples, as in hl_head_measure. */
typedef struct halves {
    const hl_patterns *all;
    hl_patterns choosing, scoring;
} halves;

/* The hit rate beside attention spread evenly; zero if there is no such relation. */
static hl_score relation_hits(const hl_patterns *patterns, int64_t r)
{
    if (r < 0) {
        return (hl_score){ 0 };
    }
    hl_patterns paired = hl_relation_as_source(patterns, r);
    hl_alignment alignment = hl_alignment_of(&paired);
    return (hl_score){ alignment.hit_rate, alignment.weight.baseline, alignment.weight.n };
}

/* The relation with the most lift; -1 if there is none. */
static int64_t best_relation(const halves *examples)
{
    int64_t best = -1;
    double most = -INFINITY;
    for (int64_t r = 0; r < examples->all->n_relations; r++) {
        double lift = hl_score_lift(relation_hits(&examples->choosing, r));
        if (lift > most) {
            best = r;
            most = lift;
        }
    }
    return best;
}

static int64_t parameter_of(hl_label_kind kind, const halves *examples, const hl_head_metrics *metrics)
{
    return kind == HL_LABEL_PREVIOUS   ? -1
           : kind == HL_LABEL_NEXT     ? 1
           : kind == HL_LABEL_OFFSET   ? metrics->best_offset
           : kind == HL_LABEL_RELATION ? best_relation(examples)
                                       : 0;
}

/* The label's score beside attention spread evenly. */
static hl_score over_uniform(hl_label label, const hl_patterns *scoring)
{
    switch (label.kind) {
    case HL_LABEL_PREVIOUS:
    case HL_LABEL_NEXT:
    case HL_LABEL_SELF:
    case HL_LABEL_OFFSET:
        return hl_offset_score(scoring, label.parameter);
    case HL_LABEL_ALIGNMENT:
        return hl_alignment_of(scoring).weight;
    case HL_LABEL_RELATION:
        return relation_hits(scoring, label.parameter);
    default: /* those of HL_LABEL_SHARES */
        return shares[label.kind].measure(scoring);
    }
}

/* What a label with a clear score asks for besides, and does not get; NULL: nothing. */
static const char *lack_of(hl_label label, const hl_patterns *scoring)
{
    switch (label.kind) {
    case HL_LABEL_PREVIOUS:
    case HL_LABEL_NEXT:
    case HL_LABEL_SELF:
    case HL_LABEL_OFFSET:
        return hl_offset_hit_rate(scoring, label.parameter) < CLEAR_HITS
                   ? "in more than 10% of the queries another token gets most"
                   : NULL;
    case HL_LABEL_PREVIOUS_WORD:
    case HL_LABEL_NEXT_WORD:
        return hl_word_offset_hit_rate(scoring, label.kind == HL_LABEL_NEXT_WORD ? 1 : -1) < CLEAR_HITS
                   ? "of more than 10% of the words another word gets most"
                   : NULL;
    case HL_LABEL_ALIGNMENT:
        return hl_alignment_fixed_rate(scoring, hl_alignment_fixed_best(scoring)) >= CLEAR_HITS
                   ? "one fixed offset finds at least 90% of the answers"
                   : NULL;
    default:
        return NULL;
    }
}

/* On text, in the order in which they are tried. */
static const hl_label_kind of_text[] = { HL_LABEL_PREVIOUS_WORD, HL_LABEL_NEXT_WORD, HL_LABEL_SELF,  HL_LABEL_OFFSET,
                                         HL_LABEL_INDUCTION,     HL_LABEL_SAME_WORD, HL_LABEL_FIRST, HL_LABEL_SPECIAL,
                                         HL_LABEL_PUNCTUATION,   HL_LABEL_RARE };

hl_label hl_label_of(const hl_patterns *all)
{
    halves examples = { all, hl_patterns_choosing(all), hl_patterns_scoring(all) };
    hl_head_metrics metrics = hl_head_measure(0, all);
    hl_label_miss nearest = { 0 };
    double most = 0;
    bool text = all->text.words != NULL;
    int n = text ? (int)(sizeof of_text / sizeof *of_text) : HL_LABEL_PREVIOUS_WORD;
    for (int i = 0; i < n; i++) {
        hl_label_kind kind = text ? of_text[i] : (hl_label_kind)i;
        hl_label label = { .kind = kind, .parameter = parameter_of(kind, &examples, &metrics) };
        hl_score score = over_uniform(label, &examples.scoring);
        double lift = hl_score_lift(score); /* NaN if there is nothing to measure */
        const char *lacks = lift >= HL_SCORE_CLEAR_LIFT ? lack_of(label, &examples.scoring) : NULL;
        if (lift >= HL_SCORE_CLEAR_LIFT && lacks == NULL) {
            label.score = kind == HL_LABEL_ALIGNMENT  ? metrics.alignment
                          : kind == HL_LABEL_RELATION ? hl_label_score(label, all)
                                                      : score;
            return label;
        }
        if (lift > most) {
            most = lift;
            nearest = (hl_label_miss){ .kind = kind, .parameter = label.parameter, .score = score, .lacks = lacks };
        }
    }
    bool even = metrics.entropy.normalised > SPREAD_EVENLY;
    return (hl_label){ .kind = even ? HL_LABEL_UNIFORM : HL_LABEL_MIXED, .score = metrics.offset, .nearest = nearest };
}

hl_score hl_label_score(hl_label label, const hl_patterns *all)
{
    hl_patterns scoring = hl_patterns_scoring(all);
    switch (label.kind) {
    case HL_LABEL_ALIGNMENT:
        return hl_head_measure(0, all).alignment;
    case HL_LABEL_RELATION:
        return hl_relation_score(hl_relation_of(all, label.parameter));
    case HL_LABEL_UNIFORM:
    case HL_LABEL_MIXED:
        return hl_head_measure(0, all).offset;
    default:
        return over_uniform(label, &scoring);
    }
}

/* Its text */

__attribute__((format(printf, 1, 2))) static hl_label_text text_of(const char *format, ...)
{
    hl_label_text text;
    va_list arguments;
    va_start(arguments, format);
    hl_shown_print(text.text, sizeof text.text, format, arguments);
    va_end(arguments);
    return text;
}

static bool is_known(hl_label_kind kind)
{
    return (size_t)kind < sizeof kinds / sizeof *kinds;
}

hl_label_text hl_label_text_of(hl_label label, const char *const *relations)
{
    if (!is_known(label.kind)) {
        return text_of("unknown(%d)", (int)label.kind);
    }
    const char *name = kinds[label.kind].name;
    if (label.kind == HL_LABEL_RELATION && relations != NULL) {
        return text_of("%s(%s)", name, relations[label.parameter]);
    }
    bool of_number = label.kind == HL_LABEL_RELATION || label.kind == HL_LABEL_OFFSET;
    return of_number ? text_of("%s(%lld)", name, (long long)label.parameter) : text_of("%s", name);
}

const char *hl_label_kind_meaning(hl_label_kind kind, const char **written)
{
    *written = is_known(kind) ? kinds[kind].written : "unknown";
    return is_known(kind) ? kinds[kind].meaning : "unknown";
}

static const char *whole_word(const char *word)
{
    return strcmp(word, "det") == 0 ? "determiner" : strcmp(word, "adj") == 0 ? "adjective" : word;
}

hl_label_text hl_label_meaning_of(hl_label label, const char *const *relations)
{
    if (label.kind == HL_LABEL_OFFSET && llabs((long long)label.parameter) == 1) {
        label.kind = label.parameter < 0 ? HL_LABEL_PREVIOUS : HL_LABEL_NEXT;
    }
    if (label.kind == HL_LABEL_OFFSET) {
        return text_of("looks %lld tokens %s", llabs((long long)label.parameter),
                       label.parameter < 0 ? "back" : "ahead");
    }
    if (label.kind == HL_LABEL_RELATION && relations != NULL) {
        char a[32], b[32];
        if (sscanf(relations[label.parameter], "%31[^_]_%31s", a, b) != 2) {
            return text_of("finds the partner in pairs %s", relations[label.parameter]);
        }
        const char *from = whole_word(a);
        return text_of("finds the %s that belongs to a%s %s", whole_word(b), strchr("aeiou", *from) != NULL ? "n" : "",
                       from);
    }
    const char *written;
    return text_of("%s", hl_label_kind_meaning(label.kind, &written));
}

hl_label_text hl_label_title_of(hl_label label, const char *const *relations)
{
    hl_label_text text = hl_label_text_of(label, relations);
    if (label.kind == HL_LABEL_RELATION && relations != NULL) {
        text = text_of("%s", relations[label.parameter]);
    }
    return label.kind < HL_LABEL_UNIFORM ? text_of("%s %.2f", text.text, label.score.value) : text;
}

void hl_label_print_miss(hl_text *text, hl_label label, const char *const *relations)
{
    const hl_label_miss *miss = &label.nearest;
    if (label.kind != HL_LABEL_MIXED) {
        return;
    }
    if (miss->score.n == 0) {
        hl_text_print(text, "no label's score is above its baseline");
        return;
    }
    hl_label nearest = { .kind = miss->kind, .parameter = miss->parameter };
    double takes = miss->score.baseline + HL_SCORE_CLEAR_LIFT * (1 - miss->score.baseline);
    hl_text_print(text, "nearest is %s: ", hl_label_text_of(nearest, relations).text);
    if (miss->lacks != NULL) {
        hl_text_print(text, "%.3f would do, but %s", miss->score.value, miss->lacks);
    } else {
        hl_text_print(text, "%.3f, and that label takes %.3f", miss->score.value, takes);
    }
}

/* Its ideal */

/* Whether the gold relation pairs the query with the key, or where it is reversed the key with the query; where words
 * are known, with any token of its word. HL_IGNORE is no place. */
static bool is_paired(hl_label label, const hl_pattern *example, int64_t query, int64_t key)
{
    const int32_t *partners = example->relations + label.parameter * example->n_tokens, *words = example->text.words;
    int32_t partner = partners[label.reversed ? key : query];
    int64_t other = label.reversed ? query : key;
    return partner >= 0 && (words != NULL ? words[partner] == words[other] : partner == other);
}

/* Whether the label names that key, one that the query may attend to. HL_IGNORE equals no key. */
static bool names_key(hl_label label, const hl_pattern *example, int64_t query, int64_t key)
{
    switch (label.kind) {
    case HL_LABEL_PREVIOUS:
    case HL_LABEL_NEXT:
    case HL_LABEL_SELF:
    case HL_LABEL_OFFSET:
        return key - query == label.parameter;
    case HL_LABEL_ALIGNMENT:
        return example->sources != NULL && example->sources[query] == key;
    case HL_LABEL_RELATION:
        return label.parameter < example->n_relations && is_paired(label, example, query, key);
    case HL_LABEL_UNIFORM:
        return true;
    case HL_LABEL_MIXED:
        return false;
    default:
        return label.kind < HL_LABEL_UNIFORM && shares[label.kind].names_key(example, query, key);
    }
}

/* How many of the keys from `key` on, below n_keys, are of its word. */
static int64_t pieces_from(const hl_pattern *example, int64_t key, int64_t n_keys)
{
    const int32_t *words = example->text.words;
    int64_t end = key + 1;
    while (end < n_keys && words[end] == words[key]) {
        end++;
    }
    return end - key;
}

void hl_label_ideal(hl_label label, const hl_pattern *example, hl_real *ideal)
{
    int64_t T = example->n_tokens;
    bool of_words =
        label.kind == HL_LABEL_RELATION || (label.kind >= HL_LABEL_PREVIOUS_WORD && label.kind < HL_LABEL_UNIFORM);
    memset(ideal, 0, (size_t)(T * T) * sizeof *ideal);
    for (int64_t i = 0; i < T; i++) {
        hl_real *row = ideal + i * T;
        int64_t n_keys = i < example->n ? hl_pattern_keys(example, i) : 0, n_named = 0;
        for (int64_t j = 0, n; j < n_keys; j += n) { /* keys that share what one gets */
            n = of_words && example->text.words != NULL ? pieces_from(example, j, n_keys) : 1;
            bool named = names_key(label, example, i, j);
            for (int64_t k = j; k < j + n; k++) {
                row[k] = named / (hl_real)n;
            }
            n_named += named;
        }
        for (int64_t j = 0; j < n_keys && n_named > 1; j++) {
            row[j] /= (hl_real)n_named;
        }
        if (n_named == 0) {
            row[0] = -1;
        }
    }
}
