/* What Frama-C does not know of GCC, for Eva: as GCC's manual describes it ("Built-in Functions to Perform Arithmetic with
 * Overflow Checking"). */
#ifndef TESTS_PROVE_BUILTINS_H
#define TESTS_PROVE_BUILTINS_H

#include <stdbool.h>
#include <stdint.h>

/*@ requires \valid(ret);
    assigns *ret, \result \from a, b;
    ensures \result == 0 || \result == 1;
    ensures \result == 0 <==> INT64_MIN <= a * b <= INT64_MAX;
    ensures \result == 0 ==> *ret == a * b; */
bool prove_mul_overflow(int64_t a, int64_t b, int64_t *ret);

#define __builtin_mul_overflow(a, b, ret) prove_mul_overflow(a, b, ret)

#endif
