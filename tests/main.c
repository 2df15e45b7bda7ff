#include "tests/check_suite.h"

#include "tests/scratch.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SUITES = 64, MAX_TESTS = 1024, TIMEOUT_SECONDS = 120 };

static struct {
    const char *file;
    suite_head head;
} suites[MAX_SUITES];

static struct {
    const char *file;
    const TTest *test;
    int from, to;
} tests[MAX_TESTS];

static int n_suites, n_tests;

void suite_register(const char *file, suite_head head)
{
    if (n_suites == MAX_SUITES) {
        abort();
    }
    suites[n_suites].file = file;
    suites[n_suites++].head = head;
}

void suite_register_test(const char *file, const TTest *test, int from, int to)
{
    if (n_tests == MAX_TESTS) {
        abort();
    }
    tests[n_tests].file = file;
    tests[n_tests].test = test;
    tests[n_tests].from = from;
    tests[n_tests++].to = to;
}

/* Adds a file's tests; returns how many they are. */
static int add_tests(TCase *tc, const char *file)
{
    int added = 0;
    for (int i = 0; i < n_tests; i++) {
        if (strcmp(tests[i].file, file) == 0) {
            tcase_add_loop_test(tc, tests[i].test, tests[i].from, tests[i].to);
            added++;
        }
    }
    return added;
}

int main(void)
{
    signal(SIGHUP, SIG_DFL); /* under nohup it is ignored, and so it would be in the programs that tests send it to */
    SRunner *runner = srunner_create(NULL);
    int n_added = 0;
    for (int i = 0; i < n_suites; i++) {
        const suite_head *head = &suites[i].head;
        Suite *suite = suite_create(head->name);
        TCase *tc = tcase_create(head->name);
        tcase_set_timeout(tc, head->seconds > 0 ? head->seconds : TIMEOUT_SECONDS);
        tcase_add_checked_fixture(tc, head->begin, head->end);
        tcase_add_checked_fixture(tc, NULL, scratch_end);
        if (head->add_tests != NULL) {
            head->add_tests(tc);
        }
        n_added += add_tests(tc, suites[i].file);
        suite_add_tcase(suite, tc);
        srunner_add_suite(runner, suite);
    }
    if (n_added < n_tests) {
        fprintf(stderr, "a file has tests and no SUITE, so they would not run\n");
        return EXIT_FAILURE;
    }
    srunner_run_all(runner, CK_ENV);
    int n_run = srunner_ntests_run(runner);
    int n_failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return n_run > 0 && n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
