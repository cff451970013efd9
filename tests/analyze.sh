#!/bin/sh
# Static analysis of ops, api and src: cppcheck, clang-tidy, gcc -fanalyzer. Run it in a build directory that was made. One
# TAP result for each tool; what a tool says is a failure, unless it is listed with its reason in tests/cppcheck.txt or
# .clang-tidy. A tool that is not installed is skipped by name.
set -u

top=$(cd "$(dirname "$0")/.." && pwd)
build=$PWD
flags="-std=c11 -I$top -I$build -include $build/config.h
       $(pkg-config --cflags libcjson libmicrohttpd libuv libprotobuf-c zlib gnutls)"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
number=0 failed=0

sources()
{
    (cd "$top" && ls ops/*.c api/*.c src/*.c)
}

# tool COMMAND TITLE FUNCTION: one result.
tool()
{
    number=$((number + 1))
    if ! command -v "$1" >/dev/null; then
        echo "ok $number - $2 # SKIP $1 is not installed"
    elif (cd "$top" && "$3") >"$log" 2>&1; then
        echo "ok $number - $2"
    else
        echo "not ok $number - $2"
        failed=1
        grep -v 'warnings\{0,1\} generated' "$log" | head -n 100 | sed 's/^/# /'
    fi
}

run_cppcheck()
{
    cppcheck --quiet --error-exitcode=1 --std=c11 --language=c --enable=warning,performance,portability \
        --suppressions-list=tests/cppcheck.txt --suppress=missingInclude -I. "-I$build" \
        "--include=$build/config.h" $(sources)
}

run_tidy()
{
    sources | xargs -P "$(nproc)" -n 8 sh -c 'clang-tidy --quiet "$@" -- '"$(echo $flags)" clang-tidy
}

# At -O1: without optimisation it follows fewer paths, at -O2 it forgets the names of things.
run_fanalyzer()
{
    sources | xargs -P "$(nproc)" -n 1 gcc $flags -O1 -fanalyzer -Werror -c -o /dev/null
}

echo 1..3
tool cppcheck "cppcheck has nothing to say" run_cppcheck
tool clang-tidy "clang-tidy has nothing to say" run_tidy
tool gcc "gcc -fanalyzer has nothing to say" run_fanalyzer
exit "$failed"
