#include "heads/special.h"

bool hl_special_kind(const hl_pattern *pattern, int64_t query, int64_t key)
{
    (void)query;
    return hl_pattern_is_special(pattern, key);
}

hl_score hl_special_of(const hl_patterns *patterns)
{
    if (patterns->tokens == NULL) {
        return (hl_score){ 0 };
    }
    return hl_key_share(patterns, hl_special_kind, HL_SHARE_OF_ALL);
}

bool hl_first_kind(const hl_pattern *pattern, int64_t query, int64_t key)
{
    (void)pattern;
    (void)query;
    return key == 0;
}

hl_score hl_first_of(const hl_patterns *patterns)
{
    return hl_key_share(patterns, hl_first_kind, HL_SHARE_OF_ALL);
}
