#include "core/base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *hl_units_number(double number, int decimals, char text[HL_UNITS_TEXT])
{
    if (!isfinite(number)) {
        snprintf(text, HL_UNITS_TEXT, "-");
    } else if (fabs(number) < 1e6) {
        snprintf(text, HL_UNITS_TEXT, "%.*f", decimals, number);
    } else {
        snprintf(text, HL_UNITS_TEXT, "%.3g", number);
    }
    return text;
}

const char *hl_units_field(double number, char text[HL_UNITS_TEXT])
{
    text[0] = '\0';
    if (isfinite(number)) {
        snprintf(text, HL_UNITS_TEXT, "%.9g", number);
    }
    return text;
}

const char *hl_units_count(int64_t number, char text[HL_UNITS_TEXT])
{
    char digits[HL_UNITS_TEXT];
    int n = snprintf(digits, sizeof digits, "%" PRId64, number), at = 0;
    for (int i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0 && digits[i - 1] != '-') {
            text[at++] = ',';
        }
        text[at++] = digits[i];
    }
    text[at] = '\0';
    return text;
}

const char *hl_units_bytes(size_t bytes, char text[HL_UNITS_TEXT])
{
    static const char units[] = "KMGTPE";
    if (bytes < 1024) {
        snprintf(text, HL_UNITS_TEXT, "%zu bytes", bytes);
        return text;
    }
    double number = (double)bytes / 1024;
    int unit = 0;
    while (number >= 1023.95) { /* numbers that would be printed as 1024.0 */
        number /= 1024;
        unit++;
    }
    snprintf(text, HL_UNITS_TEXT, "%.1f %ciB", number, units[unit]);
    return text;
}

const char *hl_units_flops(double flops, char text[HL_UNITS_TEXT])
{
    static const char *const units[] = { "", "K", "M", "G", "T", "P", "E", "Z", "Y" };
    size_t unit = 0;
    while (flops >= 999.995 && unit + 1 < sizeof units / sizeof *units) {
        flops /= 1000;
        unit++;
    }
    snprintf(text, HL_UNITS_TEXT, "%.2f %sFLOP", flops, units[unit]);
    return text;
}

const char *hl_units_duration(double seconds, char text[HL_UNITS_TEXT])
{
    int64_t s = seconds < 1e15 ? (int64_t)(seconds + 0.5) : (int64_t)1e15;
    if (s < 60) {
        snprintf(text, HL_UNITS_TEXT, "%" PRId64 " s", s);
    } else if (s < 3600) {
        snprintf(text, HL_UNITS_TEXT, "%" PRId64 " min %02" PRId64 " s", s / 60, s % 60);
    } else if (s < 100 * 3600) {
        snprintf(text, HL_UNITS_TEXT, "%" PRId64 " h %02" PRId64 " min", s / 3600, s % 3600 / 60);
    } else {
        snprintf(text, HL_UNITS_TEXT, "%" PRId64 " d %02" PRId64 " h", s / 86400, s % 86400 / 3600);
    }
    return text;
}

const char *hl_units_roughly(double seconds, char text[HL_UNITS_TEXT])
{
    enum { MINUTE = 60, HOUR = 60 * MINUTE, DAY = 24 * HOUR, YEAR = 365 * DAY };
    static const struct {
        double below, unit; /* the last unit has no upper limit */
        const char *name;
    } units[] = { { 1.5 * HOUR, MINUTE, "minutes" },
                  { 1.5 * DAY, HOUR, "hours" },
                  { 60.0 * DAY, DAY, "days" },
                  { 2.0 * YEAR, YEAR / 12.0, "months" },
                  { 0, YEAR, "years" } };
    if (seconds < 1.5 * MINUTE) {
        snprintf(text, HL_UNITS_TEXT, "a minute");
        return text;
    }
    int i = 0;
    while (units[i].below > 0 && seconds >= units[i].below) {
        i++;
    }
    double many = seconds / units[i].unit;
    hl_units_count(many < 1e15 ? (int64_t)(many + 0.5) : (int64_t)1e15, text);
    size_t n = strlen(text);
    snprintf(text + n, HL_UNITS_TEXT - n, " %s", units[i].name);
    return text;
}
