#!/bin/sh
# Runs every fuzz target for a while, one after another, and says what became of each.
#
#     tests/fuzz/run.sh SECONDS [TARGET...]      in a build directory of: configure --with-fuzzer CC=clang CXX=clang++
#
# New inputs go to fuzz/TARGET/corpus, what breaks a target to fuzz/TARGET/found. To keep one, copy it to
# tests/fuzz/corpus/TARGET.
set -eu

sources=$(cd "$(dirname "$0")" && pwd)
usage="usage: run.sh SECONDS [TARGET...]"
seconds=${1:?$usage}
shift
[ $# -gt 0 ] || set -- $(find "$sources/corpus" -mindepth 1 -maxdepth 1 -type d -exec basename {} \; | sort)
found=0

# The dictionary of a target, if there is one: its own, or that of JSON.
dictionary()
{
    case $1 in
    codec_json) echo "$sources/dictionaries/json" ;;
    memory) echo "$sources/dictionaries/dispatch" ;;
    *) [ ! -e "$sources/dictionaries/$1" ] || echo "$sources/dictionaries/$1" ;;
    esac
}

# run_target NAME: prints a line of figures.
run_target()
{
    mkdir -p "fuzz/$1/corpus" "fuzz/$1/found"
    words=$(dictionary "$1")
    status=0
    "tests/fuzz/$1" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -max_len=4096 -print_final_stats=1 \
        -artifact_prefix="fuzz/$1/found/" ${words:+-dict="$words"} "fuzz/$1/corpus" "$sources/corpus/$1" \
        >"fuzz/$1/log" 2>&1 || status=$?
    awk -v target="$1" -v status="$status" '
        /^#[0-9]+.* cov: / { for (i = 1; i < NF; i++) if ($i == "cov:") edges = $(i + 1) }
        /^stat::number_of_executed_units:/ { runs = $2 }
        END { printf "%-16s %s, %d executions, %d edges\n", target, status == 0 ? "good" : "FOUND", runs, edges }
    ' "fuzz/$1/log"
    [ "$status" -eq 0 ] || found=$((found + 1))
}

for target; do
    run_target "$target"
done
[ "$found" -eq 0 ] || echo "$found targets found something: see fuzz/TARGET/log and fuzz/TARGET/found" >&2
[ "$found" -eq 0 ]
