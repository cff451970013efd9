#!/bin/sh
# Asks the sidecar at $SHAPED_URL, through the unix socket $SHAPED_SOCKET if that is set.
set -eu
curl -sS --fail-with-body --retry 5 --retry-delay 1 --retry-all-errors ${SHAPED_SOCKET:+--unix-socket "$SHAPED_SOCKET"} \
    "${SHAPED_URL:-http://localhost:8000}/v2/models/expand/infer" -d '{"inputs":[
        {"name":"input","datatype":"FP32","shape":[3,1],"data":[1,2.5,-3]},
        {"name":"shape","datatype":"INT64","shape":[2],"data":[3,2]}]}'
