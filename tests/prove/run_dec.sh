#!/bin/sh
# `make prove`: what tests can only sample, for all inputs up to a bound, or for all. TAP. README.md says what is shown.
#
# Needs a compiler with sanitizers; what Frama-C (Debian: frama-c-base) and the provers z3 and cvc4 are for is skipped
# without them.
set -u

top=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0
number=0

# result STATUS NAME: a line, and what is in the log if it is not 0.
result()
{
    number=$((number + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $number - $2"
        return
    fi
    echo "not ok $number - $2"
    tail -n 40 "$scratch/log" | sed 's/^/# /'
    failed=1
}

# skip NAME TOOL...: whether one of the tools is missing; says so.
skip()
{
    name=$1
    shift
    for tool; do
        if ! command -v "$tool" >/dev/null; then
            number=$((number + 1))
            echo "ok $number - $name # SKIP $tool is not installed"
            return 0
        fi
    done
    return 1
}

# ---- a small world, in a folder that has ops/

# world FOLDER NAME
world()
{
    ${CC:-cc} -std=gnu11 -O2 -fsanitize=address,undefined -fno-sanitize-recover=all "-I$1" "-I$top" -o "$scratch/world" \
        "$1"/ops/*.c "$top/tests/prove/kernel.c" >"$scratch/log" 2>&1 && "$scratch/world" >"$scratch/views" 2>>"$scratch/log"
    result $? "$2"
    sed -n 's/^ok [0-9]* -/#/p' "$scratch/views"
}

# scale NAME VALUE: in the scaled sources; each must be there once.
scale()
{
    if [ "$(cat "$scratch"/scaled/ops/* | grep -c "^#define $1 ")" -ne 1 ]; then
        echo "Bail out! $1 is not defined once"
        exit 1
    fi
    sed -i "s/^#define $1 .*/#define $1 $2/" "$scratch"/scaled/ops/*
}

# ---- Frama-C

# Its other warnings are that the model of printf keeps the address of its arguments.
eva()
{
    skip "all inputs: $1" frama-c && return
    (cd "$top" && frama-c -c11 -eva -machdep gcc_x86_64 -cpp-extra-args="-I. -include tests/prove/builtins.h" \
        -main "prove_$1" -eva-precision 3 -eva-auto-loop-unroll 70 -eva-slevel 300 \
        ops/dtype.c ops/shape.c tests/prove/sizes.c) \
        >"$scratch/log" 2>&1
    grep -q '^  0 alarms generated' "$scratch/log"
    result $? "all inputs: $1"
}

# The sources with their annotations.
annotate()
{
    mkdir -p "$scratch/annotated/ops" "$scratch/annotated/tests/prove"
    cp "$top"/ops/* "$scratch/annotated/ops"
    cp "$top"/tests/prove/*.[ch] "$scratch/annotated/tests/prove"
    for source in $(grep -E '^[a-z_]+\.[ch]$' "$top/tests/prove/loops.acsl" | sort -u); do
        python3 "$top/tests/prove/annotate.py" "$top/tests/prove/loops.acsl" "$top/ops/$source" \
            "$scratch/annotated/ops/$source" || return
    done
}

# wp FILE FUNCTIONS [OPTION [OPEN]]: every goal of these must be proved, but for as many as are known to be open.
wp()
{
    skip "$1: $2" frama-c why3 z3 cvc4 && return
    (cd "$scratch/annotated" && frama-c -c11 -machdep gcc_x86_64 \
        -cpp-extra-args="-I. -include tests/prove/builtins.h" ${3:-} -wp -wp-rte -wp-prover z3,cvc4 \
        -wp-par 2 -wp-timeout 20 -wp-fct "$2" "tests/prove/$1.c") 2>&1 | grep -v ' Valid ' >"$scratch/log"
    sed -n 's/.*Proved goals: *\([0-9]*\) \/ \([0-9]*\)$/\1 \2/p' "$scratch/log" >"$scratch/goals"
    read -r proved all <"$scratch/goals" && [ "$all" -gt 0 ] && [ "$proved" -ge $((all - ${4:-0})) ]
    result $? "$1: $2"
    echo "# $proved of $all goals"
}

echo 1..12
#world "$top" "all views of a small world"
#mkdir "$scratch/scaled" && cp -r "$top/ops" "$scratch/scaled"
#scale COPY_SHORT '((uint64_t)24)'
#scale TILE '((uint64_t)64)'
#scale BATCH '((uint64_t)64)'
#scale MANY 2
#world "$scratch/scaled" "all views of a small world, where 24 bytes are a long block"

eva sizes
eva decimal

export WHY3CONFIG="$scratch/why3.conf"
command -v why3 >/dev/null && why3 config detect >"$scratch/log" 2>&1
annotate || { echo "Bail out! An annotation does not fit its source"; exit 1; }
unsigned=-warn-unsigned-overflow # where wrapping would be a mistake, too
#wp ranges prove_steps,prove_further,prove_one_more,prove_loop,prove_less,prove_whole "$unsigned"
#wp ranges copy_run,repeat "$unsigned"
#wp ranges copy_block,copy_blocks "$unsigned"
#wp ranges copy_part "$unsigned" 2
wp operators shape_known,shape_elements,shape_bytes,dim_broadcast
wp operators read_target,broadcast
wp operators expand_infer
wp operators refuse_axis,read_axes,insert,unsqueeze_infer "" 2
exit "$failed"
