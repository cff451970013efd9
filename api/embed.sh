#!/bin/sh
# Files that become part of the program: each as it is, as gzip, and with a hash that names its content (asset.h).
#
#     embed.sh table FILE...   the rows of ASSET_TABLE, a C header
#     embed.sh bytes FILE...   the contents, in assembler, which takes megabytes at once; needs FILE.gz in the folder api
#     embed.sh gzip FILE...    makes these
#
# Of a file above LARGE bytes only the gzip form is kept, and the table says 0 bytes of the other.
#
# A file's name on the wire is its own without folders; the same with "_" for all but letters and digits is its symbol.
set -eu
LC_ALL=C
export LC_ALL

symbol()
{
    basename "$1" | tr -c 'A-Za-z0-9\n' '_'
}

compressed()
{
    echo "api/$(basename "$1").gz"
}

LARGE=131072

plain_size()
{
    bytes=$(size "$1")
    [ "$bytes" -le $LARGE ] || bytes=0
    echo "$bytes"
}

size()
{
    wc -c <"$1" | tr -d ' '
}

table()
{
    printf '/* Made by api/embed.sh: X(symbol, name, bytes, bytes as gzip, hash). */\n#define ASSET_TABLE(X)'
    for file; do
        hash=$(sha256sum <"$file" | cut -c 1-16)
        printf ' \\\n    X(%s, "%s", %s, %s, "%s")' "$(symbol "$file")" "$(basename "$file")" "$(plain_size "$file")" \
            "$(size "$(compressed "$file")")" "$hash"
    done
    echo
}

# One symbol with the content of a file behind it; nothing if the file's name is empty.
content()
{
    cat <<END
    .global $1
    .type $1, %object
    .balign 16
$1:
END
    [ -z "$2" ] || echo "    .incbin \"$2\""
    echo "    .size $1, . - $1"
}

bytes()
{
    echo '/* Made by api/embed.sh. */'
    echo '    .section .rodata'
    for file; do
        plain=$file
        [ "$(plain_size "$file")" -gt 0 ] || plain=
        content "asset_$(symbol "$file")" "$plain"
        content "asset_$(symbol "$file")_gzip" "$(compressed "$file")"
    done
    echo '    .section .note.GNU-stack,"",%progbits'
}

make_gzip()
{
    for file; do
        gzip -9nc "$file" >"$(compressed "$file")"
    done
}

what=$1
shift
case $what in
table) table "$@" ;;
bytes) bytes "$@" ;;
gzip) make_gzip "$@" ;;
esac
