#include "heads/shares.h"

#include "heads/word_join.h"

/* ---- kinds of keys ---- */

bool hl_special_kind(const hl_pattern *pattern, int64_t query, int64_t key)
{
    (void)query;
    const unsigned char *kinds = pattern->text.kinds;
    if (pattern->tokens == NULL || kinds == NULL) {
        return pattern->tokens != NULL && pattern->tokens[key] < HL_SPECIAL_TOKENS;
    }
    unsigned kind = kinds[pattern->tokens[key]];
    if (pattern->text.words == NULL) {
        return (kind & HL_TOKEN_SPECIAL) != 0;
    }
    return (kind & HL_TOKEN_SEPARATOR) != 0 && !(key == 0 && (kind & HL_TOKEN_FIRST) != 0);
}

bool hl_first_kind(const hl_pattern *pattern, int64_t query, int64_t key)
{
    (void)pattern;
    (void)query;
    return key == 0;
}

bool hl_duplicate_kind(const hl_pattern *pattern, int64_t query, int64_t key)
{
    return key != query && hl_pattern_is_ordinary(pattern, query) && pattern->tokens[key] == pattern->tokens[query];
}

static bool is_past_duplicate(const hl_pattern *pattern, int64_t query, int64_t key)
{
    return key < query && hl_duplicate_kind(pattern, query, key);
}

static bool is_future_duplicate(const hl_pattern *pattern, int64_t query, int64_t key)
{
    return key > query && hl_duplicate_kind(pattern, query, key);
}

bool hl_induction_kind(const hl_pattern *pattern, int64_t query, int64_t key)
{
    int64_t before = key - 1;
    return before >= 0 && before < query && hl_pattern_is_ordinary(pattern, query) &&
           hl_pattern_is_ordinary(pattern, key) && pattern->tokens[before] == pattern->tokens[query];
}

static bool is_mirrored_induction(const hl_pattern *pattern, int64_t query, int64_t key)
{
    int64_t after = key + 1;
    return after < pattern->n && after > query && hl_pattern_is_ordinary(pattern, query) &&
           hl_pattern_is_ordinary(pattern, key) && pattern->tokens[after] == pattern->tokens[query];
}

/* ---- of words ---- */

static bool is_word_at(const hl_pattern *pattern, int64_t query, int64_t key, int k)
{
    const int32_t *words = pattern->text.words;
    return words != NULL && words[query] >= 0 && words[key] >= 0 && words[key] == words[query] + k;
}

bool hl_previous_word_kind(const hl_pattern *pattern, int64_t query, int64_t key)
{
    return is_word_at(pattern, query, key, -1);
}

bool hl_next_word_kind(const hl_pattern *pattern, int64_t query, int64_t key)
{
    return is_word_at(pattern, query, key, 1);
}

/* The form of the word that the token belongs to; -1: none, or not known. */
static int32_t form_at(const hl_pattern *pattern, int64_t position)
{
    return pattern->text.forms != NULL ? pattern->text.forms[position] : -1;
}

bool hl_same_word_kind(const hl_pattern *pattern, int64_t query, int64_t key)
{
    int32_t form = form_at(pattern, query);
    return form >= 0 && form == form_at(pattern, key) && pattern->text.words[query] != pattern->text.words[key] &&
           (pattern->text.form_kinds[form] & HL_TOKEN_UNKNOWN) == 0;
}

bool hl_punctuation_kind(const hl_pattern *pattern, int64_t query, int64_t key)
{
    int32_t form = form_at(pattern, key);
    return form >= 0 && form_at(pattern, query) >= 0 && (pattern->text.form_kinds[form] & HL_TOKEN_PUNCTUATION) != 0;
}

bool hl_rare_kind(const hl_pattern *pattern, int64_t query, int64_t key)
{
    const hl_pattern_text *text = &pattern->text;
    return text->rarest != NULL && *text->rarest >= 0 && text->words[query] >= 0 && text->words[key] == *text->rarest;
}

/* ---- means ---- */

/* Whether the mean is over all queries, or only over those that may attend to a key of the kind. */
typedef enum queries { ALL, KEYED } queries;

/* Over tokens. The walks are inline so that `kind`, which is called for every number of a map, is inlined too. */
__attribute__((always_inline)) static inline hl_score over_tokens(const hl_patterns *patterns, hl_key_kind *kind,
                                                                  queries of)
{
    hl_score score = { 0 };
    for (int64_t e = 0; e < patterns->n_examples; e++) {
        hl_pattern pattern = hl_patterns_at(patterns, e);
        for (int64_t i = 0; i < pattern.n; i++) {
            const hl_real *row = hl_pattern_row(&pattern, i);
            int64_t n_keys = hl_pattern_keys(&pattern, i), n_kind = 0;
            for (int64_t j = 0; j < n_keys; j++) {
                if (kind(&pattern, i, j)) {
                    score.value += (double)row[j];
                    n_kind++;
                }
            }
            score.baseline += (double)n_kind / (double)n_keys;
            score.n += n_kind > 0 || of == ALL;
        }
    }
    return hl_score_mean(score);
}

/* Over words. */
__attribute__((always_inline)) static inline hl_score over_words(const hl_patterns *patterns, hl_key_kind *kind,
                                                                 queries of)
{
    hl_score score = { 0 };
    for (int64_t e = 0; e < patterns->n_examples; e++) {
        hl_pattern pattern = hl_patterns_at(patterns, e);
        for (hl_word_span query = { 0 }; hl_word_next(&pattern, &query);) {
            int64_t n_words = 0, n_kind = 0;
            for (hl_word_span key = { 0 };
                 hl_word_next(&pattern, &key) && key.begin < hl_pattern_keys(&pattern, query.begin);) {
                n_words++;
                if (kind(&pattern, query.begin, key.begin)) {
                    score.value += hl_word_weight(&pattern, query, key);
                    n_kind++;
                }
            }
            score.baseline += (double)n_kind / (double)n_words;
            score.n += n_kind > 0 || of == ALL;
        }
    }
    return hl_score_mean(score);
}

/* ---- the metrics: without what its keys need, a metric finds none ---- */

hl_score hl_special_of(const hl_patterns *patterns)
{
    return patterns->tokens != NULL ? over_tokens(patterns, hl_special_kind, ALL) : (hl_score){ 0 };
}

hl_score hl_first_of(const hl_patterns *patterns)
{
    return over_tokens(patterns, hl_first_kind, ALL);
}

hl_score hl_duplicate_of(const hl_patterns *patterns)
{
    return over_tokens(patterns, hl_duplicate_kind, KEYED);
}

hl_score hl_duplicate_past_of(const hl_patterns *patterns)
{
    return over_tokens(patterns, is_past_duplicate, KEYED);
}

hl_score hl_duplicate_future_of(const hl_patterns *patterns)
{
    return over_tokens(patterns, is_future_duplicate, KEYED);
}

hl_score hl_induction_of(const hl_patterns *patterns)
{
    return over_tokens(patterns, hl_induction_kind, KEYED);
}

hl_score hl_induction_mirrored_of(const hl_patterns *patterns)
{
    return over_tokens(patterns, is_mirrored_induction, KEYED);
}

hl_score hl_previous_word_of(const hl_patterns *patterns)
{
    return over_words(patterns, hl_previous_word_kind, KEYED);
}

hl_score hl_next_word_of(const hl_patterns *patterns)
{
    return over_words(patterns, hl_next_word_kind, KEYED);
}

hl_score hl_same_word_of(const hl_patterns *patterns)
{
    return over_words(patterns, hl_same_word_kind, KEYED);
}

hl_score hl_punctuation_of(const hl_patterns *patterns)
{
    return patterns->text.forms != NULL ? over_words(patterns, hl_punctuation_kind, ALL) : (hl_score){ 0 };
}

hl_score hl_rare_of(const hl_patterns *patterns)
{
    return over_words(patterns, hl_rare_kind, KEYED);
}

double hl_word_offset_hit_rate(const hl_patterns *patterns, int64_t k)
{
    int64_t n = 0, hits = 0;
    for (int64_t e = 0; e < patterns->n_examples; e++) {
        hl_pattern pattern = hl_patterns_at(patterns, e);
        for (hl_word_span query = { 0 }; hl_word_next(&pattern, &query);) {
            double most = -1;
            bool has = false, hit = false;
            for (hl_word_span key = { 0 };
                 hl_word_next(&pattern, &key) && key.begin < hl_pattern_keys(&pattern, query.begin);) {
                bool is_meant = pattern.text.words[key.begin] == pattern.text.words[query.begin] + k;
                double weight = hl_word_weight(&pattern, query, key);
                has = has || is_meant;
                hit = weight > most ? is_meant : hit;
                most = weight > most ? weight : most;
            }
            n += has;
            hits += hit;
        }
    }
    return n > 0 ? (double)hits / (double)n : 0;
}
