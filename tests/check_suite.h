/* Registers a file's tests with the program they are linked into, so that a new test file needs no list.
 *
 *     static void add_tests(TCase *tc) { tcase_add_test(tc, that_it_holds); }
 *     SUITE("arena", add_tests)
 *
 * Check runs every test in a process of its own: OpenMP and BLAS may be used inside a test, never before one. */
#ifndef HL_TESTS_CHECK_SUITE_H
#define HL_TESTS_CHECK_SUITE_H

#include <check.h>

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

void suite_register(const char *name, void (*add_tests)(TCase *));

#define SUITE(name, add_tests)                                         \
    __attribute__((constructor)) static void register_this_suite(void) \
    {                                                                  \
        suite_register(name, add_tests);                               \
    }

#endif
