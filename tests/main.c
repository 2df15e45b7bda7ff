#include "tests/check_suite.h"

#include "tests/scratch.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SUITES = 64, MAX_TESTS = 1024, TIMEOUT_SECONDS = 120 };

static struct {
    const char *file;
    suite_options options;
} suites[MAX_SUITES];
static int n_suites;

static struct {
    const TTest *test;
    int first, end;
    bool added;
} tests[MAX_TESTS];
static int n_tests;

void suite_register(const char *file, suite_options options)
{
    if (n_suites == MAX_SUITES) {
        abort();
    }
    suites[n_suites].file = file;
    suites[n_suites++].options = options;
}

void suite_register_test(const TTest *test, int first, int end)
{
    if (n_tests == MAX_TESTS) {
        abort();
    }
    tests[n_tests].test = test;
    tests[n_tests].first = first;
    tests[n_tests++].end = end;
}

static Suite *make_suite(const char *file, suite_options options)
{
    Suite *suite = suite_create(options.name);
    TCase *tcase = tcase_create(options.name);
    tcase_set_timeout(tcase, options.seconds != 0 ? options.seconds : TIMEOUT_SECONDS);
    tcase_add_checked_fixture(tcase, NULL, scratch_end);
    tcase_add_checked_fixture(tcase, options.before, options.after);
    if (options.add_tests != NULL) {
        options.add_tests(tcase);
    }
    for (int i = 0; i < n_tests; i++) {
        if (strcmp(tests[i].test->file, file) == 0) {
            tcase_add_loop_test(tcase, tests[i].test, tests[i].first, tests[i].end);
            tests[i].added = true;
        }
    }
    suite_add_tcase(suite, tcase);
    return suite;
}

int main(void)
{
    signal(SIGHUP, SIG_DFL); /* under nohup it is ignored, and so it would be in the programs that tests send it to */
    SRunner *runner = srunner_create(NULL);
    for (int i = 0; i < n_suites; i++) {
        srunner_add_suite(runner, make_suite(suites[i].file, suites[i].options));
    }
    for (int i = 0; i < n_tests; i++) {
        if (!tests[i].added) {
            fprintf(stderr, "%s has tests and no SUITE\n", tests[i].test->file);
            return EXIT_FAILURE;
        }
    }
    scratch_share_begin();
    srunner_run_all(runner, CK_ENV);
    scratch_share_end();
    int n_run = srunner_ntests_run(runner);
    int n_failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return n_run > 0 && n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
