/* What every unit test program shares: a suite of one case, run as TAP on standard output.
 *
 *     START_TEST(adds) { ck_assert_int_eq(rows[_i].want, add(rows[_i].in)); } END_TEST
 *     SUITE("shape", TEST_ROWS(adds, rows) TEST_ONE(empty))
 */
#ifndef TESTS_SUITE_H
#define TESTS_SUITE_H

#include <check.h>
#include <stdlib.h>

/* The step of a loop over very many cases: 1, or TESTS_EVERY of the environment, where each case is slow (valgrind). */
static inline unsigned every(void)
{
    const char *step = getenv("TESTS_EVERY");
    return step != NULL ? (unsigned)strtoul(step, NULL, 10) : 1;
}

#define ROWS(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* One test per row of a table; the test reads rows[_i]. */
#define TEST_ROWS(test, rows) tcase_add_loop_test(tcase, test, 0, ROWS(rows));
#define TEST_TIMES(test, times) tcase_add_loop_test(tcase, test, 0, times);
#define TEST_ONE(test) tcase_add_test(tcase, test);

#define SUITE(name, tests)                                    \
    int main(void)                                            \
    {                                                         \
        Suite *suite = suite_create(name);                    \
        TCase *tcase = tcase_create(name);                    \
        tcase_set_timeout(tcase, 120);                        \
        tests                                                 \
        suite_add_tcase(suite, tcase);                        \
        SRunner *runner = srunner_create(suite);              \
        srunner_run_all(runner, CK_ENV);                      \
        int failed = srunner_ntests_failed(runner);           \
        srunner_free(runner);                                 \
        return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;     \
    }

#endif
