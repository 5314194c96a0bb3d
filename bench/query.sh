#!/usr/bin/env bash
# SQL on private tables: Throng, the plain engine and OpenDP in one run; see bench/README.md.
set -euo pipefail
cd "$(dirname "$0")"

python=.venv-query/bin/python
if ! cmp -s requirements-query.txt .venv-query/installed.txt; then
    "${PYTHON:-$(command -v python3.11 || echo python3)}" -m venv --clear .venv-query
    "$python" -m pip install --quiet --requirement requirements-query.txt
    cp requirements-query.txt .venv-query/installed.txt
fi
target="${CARGO_TARGET_DIR:-../target}"
cargo build --quiet --release --manifest-path ../Cargo.toml -p throng-cli -p throng-query --bins --examples
exec "$python" query.py --binaries "$target/release" "$@"
