# What the lint tests share; sourced by them. A lint test prints offences, one a line, for a tree of sources; it is run on
# the project, which must have none, and on a scratch tree with one of each kind, all of which it must find.
# shellcheck shell=sh disable=SC2034 # top and scratch are for the tests
set -u
LC_ALL=C
export LC_ALL

top=${srcdir:-.}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
number=0

# report OK TITLE LINES: one TAP result, with lines that explain it.
report()
{
    number=$((number + 1))
    if "$1"; then echo "ok $number - $2"; else echo "not ok $number - $2"; fi
    [ -z "$3" ] || printf "%s\n" "$3" | head -n 50 | sed 's/^/# /'
}

# clean TITLE OFFENCES
clean()
{
    if [ -z "$2" ]; then report true "$1" ""; else report false "$1" "$2"; fi
}

# catches N TITLE OFFENCES: there must be N of them.
catches()
{
    found=$(printf '%s' "$3" | grep -c .)
    if [ "$found" -eq "$1" ]; then
        report true "$2" ""
    else
        report false "$2" "expected $1 offences, found $found:
$3"
    fi
}

# skip_all WHY: ends the test.
skip_all()
{
    echo "1..0 # SKIP $1"
    exit 0
}

# sources TREE FOLDER...: the C and C++ files under the folders, relative to TREE.
sources()
{
    (cd "$1" && shift && for folder; do
        [ ! -d "$folder" ] || find "$folder" -name '*.[ch]' -o -name '*.cc'
    done | sort)
}

# scratch_file PATH: makes a file of the scratch tree from standard input.
scratch_file()
{
    mkdir -p "$scratch/$(dirname "$1")"
    cat >"$scratch/$1"
}
