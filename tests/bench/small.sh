#!/bin/sh
# Requests per second of small calls, relative to nginx answering `return 200`. See README.md beside this.
#
#   SHAPED=build/shaped tests/bench/small.sh [OPTION of shaped...]
#
# ROUNDS (5), SECONDS_EACH (4), CONNECTIONS (64)
set -eu

shaped=${SHAPED:-build/shaped}
rounds=${ROUNDS:-5}
duration=${SECONDS_EACH:-4}
connections=${CONNECTIONS:-64}

for tool in nginx wrk curl; do
    command -v "$tool" >/dev/null || { echo "$tool is not installed: apt-get install nginx-light wrk curl"; exit 1; }
done

dir=$(mktemp -d)
nginx_pid='' shaped_pid=''
# shellcheck disable=SC2086 # empty or a number
trap 'kill $nginx_pid $shaped_pid 2>/dev/null; rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM

# wait_for COMMAND...: until it succeeds, at most 5 s.
wait_for()
{
    tries=50
    until "$@"; do
        tries=$((tries - 1))
        [ "$tries" -gt 0 ] || return 1
        sleep 0.1
    done
}

start_nginx()
{
    cat >"$dir/nginx.conf" <<END
daemon off;
worker_processes 1;
pid $dir/nginx.pid;
error_log stderr crit;
events { worker_connections 4096; }
http {
    access_log off;
    keepalive_requests 1000000000;
    client_body_temp_path $dir/body;
    proxy_temp_path $dir/proxy;
    fastcgi_temp_path $dir/fastcgi;
    uwsgi_temp_path $dir/uwsgi;
    scgi_temp_path $dir/scgi;
    server { listen 127.0.0.1:$1; location / { return 200; } }
}
END
    nginx -p "$dir" -c "$dir/nginx.conf" 2>"$dir/nginx.log" &
    nginx_pid=$!
    wait_for curl -s -o /dev/null "http://127.0.0.1:$1/" && kill -0 "$nginx_pid"
}

# nginx cannot listen on a port of the system's choice and tell it, so that some are tried.
start_nginx_somewhere()
{
    for try in 1 2 3 4 5; do
        nginx_port=$((20000 + ($$ * 7 + try * 1009) % 12000))
        if start_nginx "$nginx_port"; then return 0; fi
        kill "$nginx_pid" 2>/dev/null || true
    done
    cat "$dir/nginx.log"
    return 1
}

start_shaped()
{
    "$shaped" --listen 127.0.0.1:0 --log-level warning "$@" 2>"$dir/shaped.log" &
    shaped_pid=$!
    wait_for grep -q 'listening on http' "$dir/shaped.log" || { cat "$dir/shaped.log"; return 1; }
    shaped_port=$(sed -n 's,.*listening on http://127.0.0.1:\([0-9]*\).*,\1,p' "$dir/shaped.log")
}

# The request: Expand of a binary FP32 [3,1] to [3,4], answered in binary.
write_request()
{
    head='{"inputs":[{"name":"input","shape":[3,1],"datatype":"FP32","parameters":{"binary_data_size":12}},'
    head=$head'{"name":"shape","shape":[2],"datatype":"INT64","data":[3,4]}],"parameters":{"binary_data_output":true}}'
    printf '%s\0\0\200?\0\0\0@\0\0@@' "$head" >"$dir/body.bin"
    cat >"$dir/request.lua" <<END
local file = io.open("$dir/body.bin", "rb")
wrk.method = "POST"
wrk.body = file:read("*a")
wrk.headers["Content-Type"] = "application/octet-stream"
wrk.headers["Inference-Header-Content-Length"] = "${#head}"
END
    url=http://127.0.0.1:$shaped_port/v2/models/expand/infer
    status=$(curl -s -o "$dir/answer" -w '%{http_code}' --data-binary "@$dir/body.bin" \
        -H "Inference-Header-Content-Length: ${#head}" "$url")
    # The last 48 bytes of the answer are the tensor; its last element is 3.0.
    last=$(tail -c 4 "$dir/answer" | od -An -tx1 | tr -d ' ')
    if [ "$status" != 200 ] || [ "$last" != 00004040 ]; then
        echo "the request to be measured is not answered right: $status"
        cat "$dir/answer"
        return 1
    fi
}

# rate URL [OPTION of wrk...]: requests per second; fails if there were errors.
rate()
{
    url=$1
    shift
    wrk -t 1 -c "$connections" -d "${duration}s" "$@" "$url" >"$dir/wrk.log"
    if grep -E 'Non-2xx|Socket errors' "$dir/wrk.log" >&2; then return 1; fi
    sed -n 's,^Requests/sec: *,,p' "$dir/wrk.log"
}

median()
{
    sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

start_nginx_somewhere
start_shaped "$@"
write_request
echo "body of $(wc -c <"$dir/body.bin") bytes, $connections connections, $rounds rounds of $duration s"
for round in $(seq "$rounds"); do
    nginx_rate=$(rate "http://127.0.0.1:$nginx_port/")
    shaped_rate=$(rate "http://127.0.0.1:$shaped_port/v2/models/expand/infer" -s "$dir/request.lua")
    ratio=$(awk -v a="$shaped_rate" -v b="$nginx_rate" 'BEGIN { printf "%.3f", a / b }')
    echo "round $round: nginx $nginx_rate/s, shaped $shaped_rate/s, ratio $ratio"
    echo "$ratio" >>"$dir/ratios"
done
echo "median ratio $(median <"$dir/ratios")"
