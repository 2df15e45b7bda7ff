/* Registers tests with the program they are linked into: neither a new test nor a new test file needs a list.
 *
 *     TEST(a_block_is_aligned) { ... }
 *     LOOP_TEST(a_size_is_rounded_up, 0, N_SIZES) { ... sizes[_i] ... }
 *     SUITE("arena")
 *
 * Check runs every test, and every turn of a loop, in a process of its own: OpenMP and BLAS may be used inside a test,
 * never before one. */
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

/* A file's tests together. What is zero is not there. */
typedef struct suite_head {
    const char *name;
    void (*add_tests)(TCase *); /* adds to the suite what the rest cannot say */
    void (*begin)(void);        /* before each test */
    void (*end)(void);          /* after each */
    int seconds;                /* for each; 0: 120 */
} suite_head;

void suite_register(const char *file, suite_head head);
void suite_register_test(const char *file, const TTest *test, int from, int to);

/* SUITE("name") or SUITE("name", .begin = set_up, .seconds = 600), once in each file that has tests. */
#define SUITE(...)                                                     \
    __attribute__((constructor)) static void register_this_suite(void) \
    {                                                                  \
        suite_register(__FILE__, (suite_head){ .name = __VA_ARGS__ }); \
    }

/* A test that is run with _i = from, ..., to - 1; over all rows of a table: (name, 0, ROWS(table)). */
#define LOOP_TEST(test, from, to)                                  \
    static const TTest *test;                                      \
    __attribute__((constructor)) static void register_##test(void) \
    {                                                              \
        suite_register_test(__FILE__, test, from, to);             \
    }                                                              \
    START_TEST(test)

#define TEST(test) LOOP_TEST(test, 0, 1)

#define ROWS(table) (int)(sizeof(table) / sizeof *(table))

#endif
