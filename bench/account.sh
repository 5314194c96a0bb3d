#!/usr/bin/env bash
# Throng's accountant and its peers, side by side; see bench/README.md.
# `bench/account.sh --peers` measures the peers only, `--ours` Throng only.
set -euo pipefail
cd "$(dirname "$0")"

export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
python=.venv/bin/python

if [[ " $* " == *" --ours "* ]]; then
    [ -x "$python" ] || python=python3 # the runner itself needs the standard library only
elif ! cmp -s requirements.txt .venv/installed.txt; then
    "${PYTHON:-$(command -v python3.11 || echo python3)}" -m venv --clear .venv
    "$python" -m pip install --quiet --requirement requirements.txt
    cp requirements.txt .venv/installed.txt
fi

if [[ " $* " != *" --peers "* ]]; then
    cargo build --quiet --release --no-default-features --features account --bin account
    cargo build --quiet --release --manifest-path ../Cargo.toml --bin throng \
        || echo "no command line to time" >&2
fi
exec "$python" account.py "$@"
