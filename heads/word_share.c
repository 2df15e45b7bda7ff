#include "heads/word_share.h"

double hl_word_weight(const hl_pattern *pattern, hl_word_span query, hl_word_span key)
{
    double sum = 0;
    for (int64_t i = query.begin; i < query.end; i++) {
        const hl_real *row = hl_pattern_row(pattern, i);
        int64_t n_keys = hl_pattern_keys(pattern, i), end = key.end < n_keys ? key.end : n_keys;
        for (int64_t j = key.begin; j < end; j++) {
            sum += (double)row[j];
        }
    }
    return sum / (double)(query.end - query.begin);
}

/* The mean over words, as hl_key_share is over tokens. */
__attribute__((always_inline)) static inline hl_score share(const hl_patterns *patterns, hl_key_kind *kind,
                                                            hl_share_of queries)
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
            score.n += n_kind > 0 || queries == HL_SHARE_OF_ALL;
        }
    }
    return hl_score_mean(score);
}

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

hl_score hl_previous_word_of(const hl_patterns *patterns)
{
    return share(patterns, hl_previous_word_kind, HL_SHARE_OF_KEYED);
}

hl_score hl_next_word_of(const hl_patterns *patterns)
{
    return share(patterns, hl_next_word_kind, HL_SHARE_OF_KEYED);
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

hl_score hl_same_word_of(const hl_patterns *patterns)
{
    return share(patterns, hl_same_word_kind, HL_SHARE_OF_KEYED);
}

bool hl_punctuation_kind(const hl_pattern *pattern, int64_t query, int64_t key)
{
    int32_t form = form_at(pattern, key);
    return form >= 0 && form_at(pattern, query) >= 0 && (pattern->text.form_kinds[form] & HL_TOKEN_PUNCTUATION) != 0;
}

hl_score hl_punctuation_of(const hl_patterns *patterns)
{
    return patterns->text.forms != NULL ? share(patterns, hl_punctuation_kind, HL_SHARE_OF_ALL) : (hl_score){ 0 };
}

bool hl_rare_kind(const hl_pattern *pattern, int64_t query, int64_t key)
{
    const hl_pattern_text *text = &pattern->text;
    return text->rarest != NULL && *text->rarest >= 0 && text->words[query] >= 0 && text->words[key] == *text->rarest;
}

hl_score hl_rare_of(const hl_patterns *patterns)
{
    return share(patterns, hl_rare_kind, HL_SHARE_OF_KEYED);
}
