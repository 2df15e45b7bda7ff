#include "core/base/units.h"

#include "tests/check_suite.h"

#include <math.h>

TEST(counts_have_separators)
{
    static const struct {
        int64_t number;
        const char *text;
    } cases[] = {
        { 0, "0" },
        { 7, "7" },
        { 999, "999" },
        { 1000, "1,000" },
        { 18914304, "18,914,304" },
        { 123456, "123,456" },
        { -123456, "-123,456" },
        { -1234, "-1,234" },
        { INT64_MIN, "-9,223,372,036,854,775,808" },
        { INT64_MAX, "9,223,372,036,854,775,807" },
    };
    for (int i = 0; i < ROWS(cases); i++) {
        char text[HL_UNITS_TEXT];
        ck_assert_str_eq(hl_units_count(cases[i].number, text), cases[i].text);
    }
}

TEST(bytes_go_by_1024)
{
    static const struct {
        size_t bytes;
        const char *text;
    } cases[] = {
        { 0, "0 bytes" },
        { 1023, "1023 bytes" },
        { 1024, "1.0 KiB" },
        { 1536, "1.5 KiB" },
        { (1 << 20) - 1, "1.0 MiB" },
        { (size_t)5 << 30, "5.0 GiB" },
        { (size_t)3 << 40, "3.0 TiB" },
        { (size_t)7 << 50, "7.0 PiB" },
        { SIZE_MAX, "16.0 EiB" },
    };
    for (int i = 0; i < ROWS(cases); i++) {
        char text[HL_UNITS_TEXT];
        ck_assert_str_eq(hl_units_bytes(cases[i].bytes, text), cases[i].text);
    }
}

TEST(flops_go_by_1000)
{
    static const struct {
        double flops;
        const char *text;
    } cases[] = {
        { 0, "0.00 FLOP" },           { 999, "999.00 FLOP" },    { 1000, "1.00 KFLOP" },   { 999999, "1.00 MFLOP" },
        { 845.88e6, "845.88 MFLOP" }, { 3.14e18, "3.14 EFLOP" }, { 2.5e24, "2.50 YFLOP" }, { 2.5e27, "2500.00 YFLOP" },
    };
    for (int i = 0; i < ROWS(cases); i++) {
        char text[HL_UNITS_TEXT];
        ck_assert_str_eq(hl_units_flops(cases[i].flops, text), cases[i].text);
    }
}

TEST(numbers_stay_short_and_what_is_none_is_a_dash)
{
    static const struct {
        double number;
        const char *text, *field;
    } cases[] = {
        { 0.00136, "0.0014", "0.00136" },
        { -12.5, "-12.5000", "-12.5" },
        { 999999.5, "999999.5000", "999999.5" },
        { 7524175.302734, "7.52e+06", "7524175.3" },
        { -3e260, "-3e+260", "-3e+260" },
        { (double)INFINITY, "-", "" },
        { (double)NAN, "-", "" },
    };
    for (int i = 0; i < ROWS(cases); i++) {
        char text[HL_UNITS_TEXT];
        ck_assert_str_eq(hl_units_number(cases[i].number, 4, text), cases[i].text);
        ck_assert_str_eq(hl_units_field(cases[i].number, text), cases[i].field);
    }
}

TEST(durations_have_two_units)
{
    static const struct {
        double seconds;
        const char *text;
    } cases[] = {
        { 0, "0 s" },          { 59.4, "59 s" },       { 59.6, "1 min 00 s" },
        { 185, "3 min 05 s" }, { 7620, "2 h 07 min" }, { 443000, "5 d 03 h" },
    };
    for (int i = 0; i < ROWS(cases); i++) {
        char text[HL_UNITS_TEXT];
        ck_assert_str_eq(hl_units_duration(cases[i].seconds, text), cases[i].text);
    }
}

TEST(rough_durations_have_one_unit)
{
    enum { HOUR = 3600, DAY = 24 * HOUR };
    static const struct {
        double seconds;
        const char *text;
    } cases[] = {
        { 0, "a minute" },
        { 89, "a minute" },
        { 91, "2 minutes" },
        { 5399, "90 minutes" },
        { 5401, "2 hours" },
        { 7.2 * HOUR, "7 hours" },
        { 37.0 * HOUR, "2 days" },
        { 59.6 * DAY, "60 days" },
        { 61.0 * DAY, "2 months" },
        { 366.0 * DAY, "12 months" },
        { 4745.0 * DAY, "13 years" },
        { 5e12, "158,549 years" },
        { 1e30, "1,000,000,000,000,000 years" },
        { (double)INFINITY, "1,000,000,000,000,000 years" },
    };
    for (int i = 0; i < ROWS(cases); i++) {
        char text[HL_UNITS_TEXT];
        ck_assert_str_eq(hl_units_roughly(cases[i].seconds, text), cases[i].text);
    }
}

SUITE("units")
