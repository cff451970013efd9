#!/bin/sh
# Functions that are not used: those that cannot be told how much room there is, hide errors, or keep static state.
. "${srcdir:-.}/tests/lint/lint.sh"

banned='sprintf vsprintf strcpy stpcpy strcat strncpy strncat strtok gets scanf sscanf fscanf
        atoi atol atoll atof alloca setjmp longjmp system popen
        gmtime localtime asctime ctime rand srand tmpnam mktemp gethostbyname'

offences()
{
    pattern=$(printf '%s' "$banned" | tr -s ' \n' '||')
    (cd "$1" && sources . ops api src tests | while read -r file; do
        grep -nE "(^|[^A-Za-z0-9_.>])($pattern)[[:space:]]*\(" "$file" /dev/null
    done)
}

echo 1..2

clean "no banned function is called" "$(offences "$top")"

scratch_file ops/bad.c <<'END'
n = atoi(text);
sprintf (out, "%d", n);
strcpy(out, text);
snprintf(out, size, "%d", n);
my_atoi(text);
table.system(text);
END
catches 3 "calls in a scratch file are found, similar names are not" "$(offences "$scratch")"
