#!/bin/sh
# Functions of at most 60 lines, files of at most 500.
. "${srcdir:-.}/tests/lint/lint.sh"

long_functions()
{
    (cd "$1" && sources . ops api src tests |
        ctags --sort=no --languages=C,C++ --map-C=+.h --map-C++=-.h --kinds-C=f --kinds-C++=f --fields=ne -o - -L - |
        awk -F '\t' '
            /^!/ { next }
            {
                first = last = 0
                for (i = 4; i <= NF; i++) {
                    if ($i ~ /^line:/) first = substr($i, 6)
                    if ($i ~ /^end:/) last = substr($i, 5)
                }
                if (last - first + 1 > 60) printf "%s:%d: %s has %d lines\n", $2, first, $1, last - first + 1
            }')
}

long_files()
{
    (cd "$1" && find ops api src tests -type f -name '*.[ch]' -o -name '*.cc' -o -name '*.py' -o -name '*.sh' \
        -o -name '*.js' -o -name '*.css' |
        sort | xargs wc -l | awk '$2 != "total" && $1 > 500 { print $2 " has " $1 " lines" }')
}

ctags --version 2>/dev/null | grep -q '^Universal Ctags' || skip_all "universal-ctags is not installed"
echo 1..4

clean "no function has more than 60 lines" "$(long_functions "$top")"
clean "no file has more than 500 lines" "$(long_files "$top")"

mkdir -p "$scratch/ops" "$scratch/api" "$scratch/src" "$scratch/tests"
# function_of N: a function with N lines.
function_of()
{
    awk -v n="$1" 'BEGIN { print "static int f(void)\n{"; for (i = 3; i < n; i++) print "    g();"; print "}" }'
}
function_of 60 | scratch_file ops/good.c
function_of 61 | scratch_file ops/bad.c
catches 1 "a function of 61 lines is found, one of 60 is not" "$(long_functions "$scratch")"
awk 'BEGIN { for (i = 0; i < 500; i++) print "" }' | scratch_file api/good.h
awk 'BEGIN { for (i = 0; i < 501; i++) print "" }' | scratch_file api/bad.h
catches 1 "a file of 501 lines is found, one of 500 is not" "$(long_files "$scratch")"
