#!/bin/sh
# `make prove`: what tests can only sample, for all inputs up to a bound. TAP.
#
#   kernel.c  every byte range of every view of a small world, compiled with the sanitizers, against the oracle
#   sizes.c   size arithmetic, broadcast rule, and whole numbers as text, for all values of all arguments and all ranks to
#             the limit: Frama-C's Eva shows that no operation overflows, shifts too far, reads what was not set, or leaves
#             its array. It is skipped where Frama-C (Debian: frama-c-base) is not installed
set -u

top=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# eva NUMBER NAME: Eva on prove_NAME, which must have no alarm. Its other warnings are that the model of printf keeps the
# address of its arguments.
eva()
{
    if ! command -v frama-c >/dev/null; then
        echo "ok $1 - all inputs: $2 # SKIP frama-c is not installed"
        return
    fi
    (cd "$top" && frama-c -c11 -eva -machdep gcc_x86_64 -cpp-extra-args="-I. -include tests/prove/builtins.h" \
        -main "prove_$2" -eva-precision 3 -eva-auto-loop-unroll 70 -eva-slevel 300 \
        ops/dtype.c ops/shape.c tests/prove/sizes.c) \
        >"$scratch/log" 2>&1
    if grep -q '^  0 alarms generated' "$scratch/log"; then
        echo "ok $1 - all inputs: $2"
    else
        echo "not ok $1 - all inputs: $2"
        grep -A 2 -E 'eva:alarm|rror' "$scratch/log" | sed 's/^/# /'
        failed=1
    fi
}

echo 1..3
if ${CC:-cc} -std=gnu11 -O2 -fsanitize=address,undefined -fno-sanitize-recover=all "-I$top" -o "$scratch/kernel" \
    "$top"/ops/*.c "$top/tests/prove/kernel.c" && "$scratch/kernel" >"$scratch/views"; then
    echo "ok 1 - all views of a small world"
    sed -n 's/^ok [0-9]* -/#/p' "$scratch/views"
else
    echo "not ok 1 - all views of a small world"
    failed=1
fi
eva 2 sizes
eva 3 decimal
exit "$failed"
