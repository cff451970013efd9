#!/bin/sh
# Who may include whom: ops <- api <- src, and which libraries each layer may know.
. "${srcdir:-.}/tests/lint/lint.sh"

offences()
{
    # shellcheck disable=SC2046 # no path of ours has a space
    (cd "$1" && awk '
        function offence(what) { printf "%s:%d: %s: %s\n", FILENAME, FNR, what, $0 }
        function matches(list) { return name ~ "^(" list ")$" }
        BEGIN {
            ours["ops"] = "ops/.*"
            ours["api"] = "(api|ops)/.*"
            ours["src"] = "(src|api|ops)/.*"
            libc = "(assert|ctype|errno|float|inttypes|limits|math|stdalign|stdarg|stdbool|stddef|stdint|stdio|stdlib|" \
                   "string)[.]h"
            process = "(microhttpd|uv|pthread|threads|signal|poll|unistd|fcntl|time|syslog|netdb)[.]h|" \
                      "(sys|netinet|arpa)/.*"
        }
        FNR == 1 { split(FILENAME, part, "/"); layer = part[1]; guarded = FILENAME !~ /[.]h$/ }
        !guarded && /^#/ {
            guarded = 1
            guard = toupper(FILENAME); gsub(/[^A-Z0-9]/, "_", guard)
            if ($0 != "#ifndef " guard) offence("header guard is not " guard)
        }
        /^ *# *include/ {
            name = $0; gsub(/^[^"<]*["<]|[">].*$/, "", name)
            if (/"/ && !matches(ours[layer])) offence(layer " may not include this, or not by this path")
            if (/</ && layer == "ops" && !matches(libc)) offence("ops knows nothing but the C library")
            if (/</ && layer == "api" && matches(process)) offence("api knows no sockets, threads or clocks")
            if (/</ && layer == "src" && name ~ /cJSON/) offence("src never sees cJSON")
            if (name == "microhttpd.h" && FILENAME !~ /^src\/http[a-z_]*[.]c$/) offence("only src/http*.c may")
        }
    ' $(sources . ops api src) /dev/null)
}

echo 1..2

clean "layers include only what is below them" "$(offences "$top")"

scratch_file ops/up.c <<'END'
#include <stdint.h>
#include "ops/op.h"
#include "api/reply.h"
#include <zlib.h>
#include "op.h"
END
scratch_file api/up.h <<'END'
/* A header. */
#ifndef UP_H
#define UP_H
#include <cjson/cJSON.h>
#include "src/pool.h"
#include <uv.h>
#endif
END
scratch_file src/up.c <<'END'
#include <uv.h>
#include <microhttpd.h>
#include <cjson/cJSON.h>
END
scratch_file src/http_body.c <<'END'
#include <microhttpd.h>
END
catches 8 "each rule finds its offence in a scratch tree" "$(offences "$scratch")"
