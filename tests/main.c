#include "tests/check_suite.h"

#include "tests/scratch.h"

#include <signal.h>
#include <stdlib.h>

enum { MAX_SUITES = 64, TIMEOUT_SECONDS = 120 };

static struct {
    const char *name;
    void (*add_tests)(TCase *);
} suites[MAX_SUITES];
static int n_suites;

void suite_register(const char *name, void (*add_tests)(TCase *))
{
    if (n_suites == MAX_SUITES) {
        abort();
    }
    suites[n_suites].name = name;
    suites[n_suites].add_tests = add_tests;
    n_suites++;
}

int main(void)
{
    signal(SIGHUP, SIG_DFL); /* under nohup it is ignored, and so it would be in the programs that tests send it to */
    SRunner *runner = srunner_create(NULL);
    for (int i = 0; i < n_suites; i++) {
        Suite *suite = suite_create(suites[i].name);
        TCase *tests = tcase_create(suites[i].name);
        tcase_set_timeout(tests, TIMEOUT_SECONDS);
        tcase_add_checked_fixture(tests, NULL, scratch_end);
        suites[i].add_tests(tests);
        suite_add_tcase(suite, tests);
        srunner_add_suite(runner, suite);
    }
    srunner_run_all(runner, CK_ENV);
    int n_run = srunner_ntests_run(runner);
    int n_failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return n_run > 0 && n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
