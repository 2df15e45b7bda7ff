#include "heads/induction.h"

bool hl_induction_kind(const hl_pattern *pattern, int64_t query, int64_t key)
{
    int64_t before = key - 1;
    return before >= 0 && before < query && hl_pattern_is_ordinary(pattern, query) &&
           hl_pattern_is_ordinary(pattern, key) && pattern->tokens[before] == pattern->tokens[query];
}

static bool is_mirrored(const hl_pattern *pattern, int64_t query, int64_t key)
{
    int64_t after = key + 1;
    return after < pattern->n && after > query && hl_pattern_is_ordinary(pattern, query) &&
           hl_pattern_is_ordinary(pattern, key) && pattern->tokens[after] == pattern->tokens[query];
}

hl_score hl_induction_of(const hl_patterns *patterns)
{
    return hl_key_share(patterns, hl_induction_kind, HL_SHARE_OF_KEYED);
}

hl_score hl_induction_mirrored_of(const hl_patterns *patterns)
{
    return hl_key_share(patterns, is_mirrored, HL_SHARE_OF_KEYED);
}
