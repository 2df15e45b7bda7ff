#include "heads/duplicate.h"

bool hl_duplicate_kind(const hl_pattern *pattern, int64_t query, int64_t key)
{
    return key != query && hl_pattern_is_ordinary(pattern, query) && pattern->tokens[key] == pattern->tokens[query];
}

static bool is_past(const hl_pattern *pattern, int64_t query, int64_t key)
{
    return key < query && hl_duplicate_kind(pattern, query, key);
}

static bool is_future(const hl_pattern *pattern, int64_t query, int64_t key)
{
    return key > query && hl_duplicate_kind(pattern, query, key);
}

hl_score hl_duplicate_of(const hl_patterns *patterns)
{
    return hl_key_share(patterns, hl_duplicate_kind, HL_SHARE_OF_KEYED);
}

hl_score hl_duplicate_past_of(const hl_patterns *patterns)
{
    return hl_key_share(patterns, is_past, HL_SHARE_OF_KEYED);
}

hl_score hl_duplicate_future_of(const hl_patterns *patterns)
{
    return hl_key_share(patterns, is_future, HL_SHARE_OF_KEYED);
}
