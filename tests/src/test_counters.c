#include "src/counters.h"

#include "tests/suite.h"

static struct reply reply_of(const struct op *op, int status)
{
    return (struct reply){.status = status, .op = op, .phases = {.decode = 1, .infer = 2, .encode = 3}};
}

START_TEST(sums_by_operator_version)
{
    struct counters *one = counters_create(), *two = counters_create();
    ck_assert(one != NULL && two != NULL);
    const struct op *expand = op_find("expand", 13), *older = op_find("expand", 8);
    struct reply good = reply_of(expand, 200), bad = reply_of(expand, 400), other = reply_of(older, 200);
    counters_count(one, &good, 100, 10, 5000);
    counters_count(one, &good, 200, 20, 7000);
    counters_count(one, &bad, 50, 5, 9000);
    counters_count(two, &good, 400, 40, 6000);
    counters_count(two, &other, 1, 1, 1);
    struct op_stats sum = {0};
    counters_add(one, expand, &sum);
    counters_add(two, expand, &sum);
    ck_assert_uint_eq(sum.success, 3);
    ck_assert_uint_eq(sum.success_ns, 700);
    ck_assert_uint_eq(sum.queue_ns, 70);
    ck_assert_uint_eq(sum.fail, 1);
    ck_assert_uint_eq(sum.fail_ns, 50);
    ck_assert_uint_eq(sum.decode_ns, 3);
    ck_assert_uint_eq(sum.infer_ns, 6);
    ck_assert_uint_eq(sum.encode_ns, 9);
    ck_assert_uint_eq(sum.last_ms, 7000); /* the latest success; failures do not count */
    counters_destroy(one);
    counters_destroy(two);
}
END_TEST

SUITE("counters", TEST_ONE(sums_by_operator_version))
