#include "pretrained/private/config_reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char file[] = "config.json";

const json_t *hl_config_json_member(const hl_pretrained *folder, const char *key)
{
    const json_t *value = key != NULL ? json_object_get(folder->config, key) : NULL;
    return json_is_null(value) ? NULL : value;
}

const char *hl_config_json_text(const hl_pretrained *folder, const char *key, const char *otherwise)
{
    const json_t *value = hl_config_json_member(folder, key);
    return value == NULL ? otherwise : json_is_string(value) ? json_string_value(value) : "what stands here";
}

hl_status hl_config_json_size(const hl_pretrained *folder, const char *key, int64_t least, int64_t otherwise,
                              int64_t *size)
{
    enum { MOST = 1 << 30 };
    const json_t *value = hl_config_json_member(folder, key);
    double number = value == NULL ? (double)otherwise : json_is_number(value) ? json_number_value(value) : -1;
    if (value == NULL && otherwise < least) {
        return hl_pretrained_error(folder, file, "has no %s", key);
    }
    if (!(number >= (double)least && number <= MOST && floor(number) == number)) {
        return hl_pretrained_error(folder, file, "%s is no whole number from %lld to %d", key, (long long)least,
                                   (int)MOST);
    }
    *size = (int64_t)number;
    return hl_ok();
}

double hl_config_json_plain(hl_real value)
{
    char text[32];
    for (int digits = 1; digits < 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)value);
        double number = strtod(text, NULL);
        if ((hl_real)number == value) {
            return number;
        }
    }
    return (double)value;
}

hl_status hl_config_json_share(const hl_pretrained *folder, const char *key, double otherwise, double *share)
{
    const json_t *value = hl_config_json_member(folder, key);
    double number = value == NULL ? otherwise : json_is_number(value) ? json_number_value(value) : -1;
    *share = hl_config_json_plain((hl_real)number);
    return number >= 0 && (hl_real)*share < 1
               ? hl_ok()
               : hl_pretrained_error(folder, file, "%s is no number from 0 to below 1", key);
}

hl_status hl_config_json_bool(const hl_pretrained *folder, const char *key, bool otherwise, bool *is)
{
    const json_t *value = hl_config_json_member(folder, key);
    *is = value == NULL ? otherwise : json_is_true(value);
    return value == NULL || json_is_boolean(value)
               ? hl_ok()
               : hl_pretrained_error(folder, file, "%s is neither true nor false", key);
}
