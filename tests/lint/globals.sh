#!/bin/sh
# No global state that can change: whatever a function works on, it is given. Looks at the symbols of the built libraries,
# where constants lie in read-only sections.
. "${srcdir:-.}/tests/lint/lint.sh"

offences()
{
    nm -A -f sysv "$@" 2>/dev/null | awk -F '|' '
        $NF ~ /^[.](data|bss|tdata|tbss)/ && $NF !~ /^[.]data[.]rel[.]ro/ && $4 ~ /OBJECT|TLS/ {
            gsub(/ +/, "")
            print $1 " can change (" $NF ")"
        }'
}

grep -q '^#define SHAPED_SANITIZER "no"' config.h || skip_all "sanitizers add state of their own"
grep -qs "coverage" config.status && nm libops.a 2>/dev/null | grep -q gcov && skip_all "coverage counters are state"
echo 1..2

clean "nothing global can change" "$(offences libops.a libapi.a libshaped.a)"

cat >"$scratch/bad.c" <<'END'
static const char *const names[] = {"a", "b"};
static int calls;
int limit = 3;
static _Thread_local int last;
const char *name(int i)
{
    static const int good = 1;
    last = calls++;
    return names[i % 2] + good;
}
END
if ${CC:-cc} -fPIE -c -o "$scratch/bad.o" "$scratch/bad.c" 2>"$scratch/log"; then
    catches 3 "variables in a scratch file are found, constants are not" "$(offences "$scratch/bad.o")"
else
    report false "scratch file compiles" "$(cat "$scratch/log")"
fi
