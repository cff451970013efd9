#!/bin/sh
# Mixed traffic for a long time: tests/soak.sh MINUTES, in a build directory. See soak.py.
exec "${PYTHON:-python3}" "$(dirname "$0")/soak.py" "${1:?usage: soak.sh MINUTES}"
