#!/bin/sh
# What the unit tests and the corpus of the fuzz targets reach of ops and api, measured by gcov and added up by gcovr. Run it
# in a build directory of: configure --enable-coverage. Two TAP results: the share of lines and of branches.
set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
lines=95 branches=85 # per cent, at least

# gcovr_total OPTION...: the last line of a report.
gcovr_total()
{
    gcovr -r "$top" --object-directory . -f "$top/ops/" -f "$top/api/" --exclude-throw-branches \
        --exclude-unreachable-branches "$@"
}

# result NUMBER WHAT WANTED REPORT
result()
{
    percent=$(awk '$1 == "TOTAL" { print substr($4, 1, length($4) - 1) }' "$4")
    [ "$percent" -ge "$3" ] || printf 'not '
    echo "ok $1 - $percent % of $2 are reached (at least $3)"
    [ "$percent" -ge "$3" ] || sed 's/^/# /' "$4"
}

command -v gcovr >/dev/null || { echo "1..0 # SKIP gcovr is not installed"; exit 0; }
find . -name '*.gcda' -delete
TESTS_EVERY=97 make check-unit >coverage.log 2>&1 || { tail -n 40 coverage.log; exit 1; }
gcovr_total >coverage-lines.txt
gcovr_total --branches >coverage-branches.txt
echo 1..2
result 1 lines "$lines" coverage-lines.txt
result 2 branches "$branches" coverage-branches.txt
! { result 1 lines "$lines" coverage-lines.txt; result 2 branches "$branches" coverage-branches.txt; } | grep -q '^not'
