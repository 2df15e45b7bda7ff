/* Tests and suites register themselves with the program they are linked into: a new test and a new file need no list.
 *
 *     TEST(it_holds) { ... }
 *     LOOP_TEST(each_row_holds, 0, N_ROWS) { ... rows[_i] ... }
 *     SUITE("arena")
 *
 * Check runs every test in a process of its own: OpenMP and BLAS may be used inside a test, never before one. */
#pragma once

#include "core/base/status.h"

#include <check.h>
#include <string.h>

/* Check writes to a file which lines a test has passed, to tell where it crashed: seconds for a loop of a million
 * assertions. The first ten thousand of a file, and of a thread, tell as much. */
static inline void suite_mark_point(const char *file, int line)
{
    enum { ENOUGH = 10000 };
    static _Thread_local int passed;
    if (passed < ENOUGH) {
        passed++;
        _mark_point(file, line);
    }
}
#define _mark_point(file, line) suite_mark_point(file, line)

/* Fails the test, with the message, unless all is well. */
#define CHECK_OK(call)                                                  \
    do {                                                                \
        hl_status its_status = (call);                                  \
        ck_assert_msg(its_status.code == HL_OK, "%s", its_status.text); \
    } while (0)

/* Fails the test unless the text has these parts. */
#define CHECK_HOLDS(text, ...) check_holds(text, (const char *const[]){ __VA_ARGS__, NULL })
static inline void check_holds(const char *text, const char *const *parts)
{
    for (; *parts != NULL; parts++) {
        ck_assert_msg(strstr(text, *parts) != NULL, "no \"%s\" in: %.4000s", *parts, text);
    }
}

/* Fails the test unless this fails with the code and a text that has these parts, for texts that are not fixed. */
#define CHECK_FAILS(call, code, ...) check_fails(call, code, (const char *const[]){ __VA_ARGS__, NULL })
static inline void check_fails(hl_status status, hl_code code, const char *const *parts)
{
    ck_assert_msg(status.code == code, "%s: code %d, not %d: %s", *parts, (int)status.code, (int)code, status.text);
    check_holds(status.text, parts);
}

typedef struct suite_options {
    const char *name;
    void (*add_tests)(TCase *);           /* adds tests that do not register themselves; may be NULL */
    int seconds;                          /* the limit of each test; 0: 120 */
    void (*before)(void), (*after)(void); /* called in the process of each test; may be NULL */
} suite_options;

void suite_register(const char *file, suite_options options);
void suite_register_test(const TTest *test, int first, int end);

/* All tests of this file are one suite. Options follow its name: SUITE("kills", .seconds = 600) */
#define SUITE(...)                                                        \
    __attribute__((constructor)) static void register_this_suite(void)    \
    {                                                                     \
        suite_register(__FILE__, (suite_options){ .name = __VA_ARGS__ }); \
    }

/* A test that runs once for each _i, first <= _i < end. */
#define LOOP_TEST(test, first, end)                                        \
    static void test(int _i);                                              \
    __attribute__((constructor)) static void register_##test(void)         \
    {                                                                      \
        static const TTest its_test = { #test, test, __FILE__, __LINE__ }; \
        suite_register_test(&its_test, first, end);                        \
    }                                                                      \
    static void test(int _i CK_ATTRIBUTE_UNUSED)

#define TEST(test) LOOP_TEST(test, 0, 1)

/* How many rows a table has: LOOP_TEST(each_row_holds, 0, ROWS(rows)). */
#define ROWS(table) (int)(sizeof(table) / sizeof *(table))
