/* One value as text and back. */
#include "core/base/nearest.h"
#include "train/config_keys.h"
#include "train/ini.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_QUOTED = 60 };

__attribute__((format(printf, 2, 3))) static bool refuse(char wrong[HL_CONFIG_WRONG_TEXT], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(wrong, HL_CONFIG_WRONG_TEXT, format, arguments);
    va_end(arguments);
    return false;
}

/* The text as a message quotes it: a long one is cut, but no character of it, and ends in "...". */
typedef struct quoted {
    char text[MOST_QUOTED + sizeof "..."];
} quoted;

static quoted quote(const char *text)
{
    quoted q;
    size_t length = strlen(text);
    bool cut = length > MOST_QUOTED;
    if (cut) {
        length = MOST_QUOTED;
        while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80) {
            length--;
        }
    }
    snprintf(q.text, sizeof q.text, "%.*s%s", (int)length, text, cut ? "..." : "");
    return q;
}

static bool refuse_as(char wrong[HL_CONFIG_WRONG_TEXT], const char *text, const char *what)
{
    refuse(wrong, "\"%s\" is not %s", quote(text).text, what);
    return false;
}

static bool check_range(const hl_config_key *key, double value, const char *text, char wrong[HL_CONFIG_WRONG_TEXT])
{
    bool inside = value >= key->least && value <= key->most;
    if (!inside) {
        refuse(wrong, "%s is outside %.16g .. %.16g", quote(text).text, key->least, key->most);
    }
    return inside;
}

static size_t count_digits(const char *text)
{
    return strspn(text, "0123456789");
}

/* A decimal integer: an optional '-' and digits, nothing else. `what`: what the text should be. */
static bool read_integer(const hl_config_key *key, const char *text, const char *what, int64_t *value,
                         char wrong[HL_CONFIG_WRONG_TEXT])
{
    const char *digits = text + (*text == '-');
    if (*digits == '\0' || digits[count_digits(digits)] != '\0') {
        return refuse_as(wrong, text, what);
    }
    intmax_t number =
        strtoimax(text, NULL, 10); /* an overflow gives the nearest intmax_t, which is outside every range */
    if (!check_range(key, (double)number, text, wrong)) {
        return false;
    }
    *value = number;
    return true;
}

/* The field of a key of HL_CONFIG_INTEGER. */
static int64_t get_integer(const hl_config_key *key, const void *field)
{
    return key->size == sizeof(int) ? *(const int *)field : *(const int64_t *)field;
}

static bool read_integer_field(const hl_config_key *key, const char *text, void *field,
                               char wrong[HL_CONFIG_WRONG_TEXT])
{
    int64_t value;
    if (!read_integer(key, text, "an integer", &value, wrong)) {
        return false;
    }
    if (key->size == sizeof(int)) {
        *(int *)field = (int)value;
    } else {
        *(int64_t *)field = value;
    }
    return true;
}

/* Whether the text is a decimal number: digits with at most one point, and an exponent. strtod accepts more than
 * that. */
static bool is_decimal(const char *text)
{
    text += *text == '-';
    size_t digits = count_digits(text);
    text += digits;
    if (*text == '.') {
        size_t decimals = count_digits(text + 1);
        text += 1 + decimals;
        digits += decimals;
    }
    if (digits > 0 && (*text == 'e' || *text == 'E')) {
        text++;
        text += *text == '-' || *text == '+';
        size_t exponent = count_digits(text);
        return exponent > 0 && text[exponent] == '\0';
    }
    return digits > 0 && *text == '\0';
}

static bool read_real(const hl_config_key *key, const char *text, double *value, char wrong[HL_CONFIG_WRONG_TEXT])
{
    if (!is_decimal(text)) {
        return refuse_as(wrong, text, "a number");
    }
    errno = 0;
    double number = strtod(text, NULL);
    if (!check_range(key, number, text, wrong)) {
        return false;
    }
    if (errno == ERANGE) {
        return refuse_as(wrong, text, "0, but too small to be told from it");
    }
    *value = number + 0.0; /* -0 becomes 0 */
    return true;
}

static bool read_boolean(const hl_config_key *key, const char *text, bool *value, char wrong[HL_CONFIG_WRONG_TEXT])
{
    static const char *const words[2][4] = { { "false", "no", "off", "0" }, { "true", "yes", "on", "1" } };
    for (int truth = 0; truth < 2; truth++) {
        for (int i = 0; i < 4; i++) {
            if (strcmp(text, words[truth][i]) == 0) {
                *value = (truth == 1) != key->negated;
                return true;
            }
        }
    }
    return refuse_as(wrong, text, "true or false (yes, no, on, off, 1 and 0 also do)");
}

static bool read_choice(const hl_config_key *key, const char *text, int *value, char wrong[HL_CONFIG_WRONG_TEXT])
{
    char list[HL_CONFIG_WRONG_TEXT / 2] = "one of ";
    int n = hl_config_count_choices(key);
    for (int i = 0; i < n; i++) {
        if (strcmp(text, key->choices[i]) == 0) {
            *value = i;
            return true;
        }
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", key->choices[i]);
    }
    int nearest = hl_nearest_name(text, key->choices, n);
    if (nearest >= 0) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, " (did you mean \"%s\"?)", key->choices[nearest]);
    }
    return refuse_as(wrong, text, list);
}

/* Numbers with commas between them. */
static bool read_per_layer(const hl_config_key *key, const char *text, int32_t values[HL_MAX_LAYERS],
                           char wrong[HL_CONFIG_WRONG_TEXT])
{
    int32_t numbers[HL_MAX_LAYERS];
    int n = 0;
    for (bool more = true; more; n++) {
        if (n == HL_MAX_LAYERS) {
            return refuse(wrong, "more than %d numbers", (int)HL_MAX_LAYERS);
        }
        size_t length = strcspn(text, ",");
        more = text[length] == ',';
        char number[HL_CONFIG_VALUE_TEXT];
        snprintf(number, sizeof number, "%.*s", (int)length, text);
        char *one = hl_ini_trim(number);
        if (*one == '\0') {
            return refuse(wrong, "a number is missing beside a comma");
        }
        int64_t value;
        if (!read_integer(key, one, "an integer", &value, wrong)) {
            return false;
        }
        numbers[n] = (int32_t)value;
        text += length + more;
    }
    for (int l = 0; l < HL_MAX_LAYERS; l++) {
        values[l] = l < n ? numbers[l] : HL_CONFIG_NO_NUMBER;
    }
    return true;
}

/* Each byte of a path may be written as four. */
static_assert(4 * HL_CONFIG_MAX_PATH + 16 <= HL_CONFIG_VALUE_TEXT && 4 * HL_CONFIG_MAX_PATH + 16 <= HL_INI_MAX_LINE,
              "a path in quotes fits into a line");

/* Adds the text after the existing ones. */
static bool read_string(const char *text, hl_config *config, hl_config_string_at *field,
                        char wrong[HL_CONFIG_WRONG_TEXT])
{
    if (strcmp(config->texts + *field, text) == 0) {
        return true;
    }
    size_t used = 1, size = strlen(text) + 1;
    while (used < HL_CONFIG_TEXTS && config->texts[used] != '\0') {
        used += strlen(config->texts + used) + 1;
    }
    if (size == 1) {
        *field = 0;
        return true;
    }
    if (size > HL_CONFIG_TEXTS - 1 - used) { /* a zero byte stays after the last text */
        return refuse(wrong, "the paths and names of a config are longer than %d bytes together", HL_CONFIG_TEXTS - 2);
    }
    memcpy(config->texts + used, text, size);
    *field = (hl_config_string_at)used;
    return true;
}

bool hl_config_read_value(const hl_config_key *key, const char *text, hl_config *config,
                          char wrong[HL_CONFIG_WRONG_TEXT])
{
    void *field = (char *)config + key->offset;
    switch (key->type) {
    case HL_CONFIG_INTEGER:
        return read_integer_field(key, text, field, wrong);
    case HL_CONFIG_PER_LAYER:
        return read_per_layer(key, text, field, wrong);
    case HL_CONFIG_STEPS:
        if (strcmp(text, "log") == 0) {
            *(int64_t *)field = HL_CONFIG_LOG;
            return true;
        }
        return read_integer(key, text, "a number of steps or log", field, wrong);
    case HL_CONFIG_REAL:
        return read_real(key, text, field, wrong);
    case HL_CONFIG_BOOLEAN:
        return read_boolean(key, text, field, wrong);
    case HL_CONFIG_CHOICE:
        return read_choice(key, text, field, wrong);
    case HL_CONFIG_PATH:
        if (strlen(text) >= HL_CONFIG_MAX_PATH) {
            return refuse(wrong, "the path is longer than %d bytes", HL_CONFIG_MAX_PATH - 1);
        }
        memset(field, 0, HL_CONFIG_MAX_PATH);
        memcpy(field, text, strlen(text));
        return true;
    case HL_CONFIG_STRING:
        return read_string(text, config, field, wrong);
    }
    assert(!"a type of key");
    return false;
}

static void write_real(double value, char text[HL_CONFIG_VALUE_TEXT])
{
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, HL_CONFIG_VALUE_TEXT, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            return;
        }
    }
}

static void write_per_layer(const int32_t *values, int64_t layers, char text[HL_CONFIG_VALUE_TEXT])
{
    int64_t n = 1;
    for (int64_t l = 1; l < layers; l++) {
        if (values[l] != values[0]) {
            n = layers;
        }
    }
    size_t used = 0;
    for (int64_t l = 0; l < n; l++) {
        used += (size_t)snprintf(text + used, HL_CONFIG_VALUE_TEXT - used, "%s%" PRId32, l > 0 ? ", " : "", values[l]);
        assert(used < HL_CONFIG_VALUE_TEXT);
    }
}

void hl_config_write_value(const hl_config_key *key, const hl_config *config, char text[HL_CONFIG_VALUE_TEXT])
{
    const void *field = (const char *)config + key->offset;
    switch (key->type) {
    case HL_CONFIG_INTEGER:
    case HL_CONFIG_STEPS:
        if (key->type == HL_CONFIG_STEPS && *(const int64_t *)field == HL_CONFIG_LOG) {
            snprintf(text, HL_CONFIG_VALUE_TEXT, "log");
        } else {
            snprintf(text, HL_CONFIG_VALUE_TEXT, "%" PRId64, get_integer(key, field));
        }
        return;
    case HL_CONFIG_PER_LAYER:
        write_per_layer(field, config->model.n_layers, text);
        return;
    case HL_CONFIG_REAL:
        write_real(*(const double *)field, text);
        return;
    case HL_CONFIG_BOOLEAN:
        snprintf(text, HL_CONFIG_VALUE_TEXT, "%s", *(const bool *)field != key->negated ? "true" : "false");
        return;
    case HL_CONFIG_CHOICE:
        snprintf(text, HL_CONFIG_VALUE_TEXT, "%s", key->choices[*(const int *)field]);
        return;
    case HL_CONFIG_PATH:
        hl_ini_quote(field, text, HL_CONFIG_VALUE_TEXT); /* cannot fail: there is room (static_assert above) */
        return;
    case HL_CONFIG_STRING:
        hl_ini_quote(hl_config_string(config, *(const hl_config_string_at *)field), text, HL_CONFIG_VALUE_TEXT);
        return;
    }
    assert(!"a type of key");
}

bool hl_config_copy_value(const hl_config_key *key, const hl_config *from, hl_config *to,
                          char wrong[HL_CONFIG_WRONG_TEXT])
{
    const void *field = (const char *)from + key->offset;
    char value[HL_CONFIG_VALUE_TEXT];
    if (key->type == HL_CONFIG_STRING) {
        field = hl_config_string(from, *(const hl_config_string_at *)field);
    } else if (key->type != HL_CONFIG_PATH) {
        hl_config_write_value(key, from, value);
        field = value;
    }
    return hl_config_read_value(key, field, to, wrong);
}
