#include "heads/special.h"

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
