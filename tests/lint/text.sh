#!/bin/sh
# What may not stand in any text: paths of a developer's machine, marks of unfinished work, stray blanks.
. "${srcdir:-.}/tests/lint/lint.sh"

texts()
{
    (cd "$1" && find . -name .git -prune -o -name 'build*' -type d -prune -o -type f \( \
        -name '*.[ch]' -o -name '*.cc' -o -name '*.py' -o -name '*.sh' -o -name '*.md' -o -name '*.txt' -o -name '*.ya*ml' \
        -o -name '*.html' -o -name '*.css' -o -name '*.js' -o -name 'bootstrap' -o -name 'run' -o -name configure.ac -o -name Makefile.am \) -print |
        grep -v '/tests/lint/text[.]sh$' | sort)
}

# lines TREE FILES PATTERN WHAT: offences are the lines of FILES (a pattern) that match.
lines()
{
    (cd "$1" && texts . | grep -E "$2" | while read -r file; do
        grep -nE "$3" "$file" /dev/null | cut -c 1-200 | sed "s|\$| ($4)|"
    done)
}

offences()
{
    lines "$1" . '(^|[^a-z.])/(work|root|home)/[a-z]' "a path of one machine"
    lines "$1" . '(TODO|FIXME|XXX)' "a mark of unfinished work"
    lines "$1" . '[[:blank:]]$' "blank at the end"
    lines "$1" '[.](c|h|cc|py|js|css|html)$' "$(printf '\t')" "a tab"
}

echo 1..2

clean "texts are clean" "$(offences "$top")"

scratch_file ops/bad.c <<'END'
/* See /home/user/notes. */
/* TODO: finish. */
int a; 
	int b;
int c; /* https://example.org/home/page */
END
catches 4 "each kind is found in a scratch file" "$(offences "$scratch")"
