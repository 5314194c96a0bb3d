#!/usr/bin/env bash
# Private models: Throng, diffprivlib, DP-EBM and Opacus in one run; see bench/README.md.
set -euo pipefail
cd "$(dirname "$0")"

python=.venv-learn/bin/python
if ! cmp -s requirements-learn.txt .venv-learn/installed.txt; then
    "${PYTHON:-$(command -v python3.11 || echo python3)}" -m venv --clear .venv-learn
    # Without pip's cache: torch alone is gigabytes.
    "$python" -m pip install --quiet --no-cache-dir --requirement requirements-learn.txt
    cp requirements-learn.txt .venv-learn/installed.txt
fi
# The Python package, if python.sh has built it: the estimators beside the Rust they call.
if compgen -G ".venv-python/wheels/*.whl" >/dev/null; then
    "$python" -m pip install --quiet --force-reinstall --no-deps .venv-python/wheels/*.whl
fi
target="${CARGO_TARGET_DIR:-target}"
cargo build --quiet --release --no-default-features --features learn --bin learn
# One thread on both sides.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 RAYON_NUM_THREADS=1
exec "$python" learn.py --binary "$target/release/learn" "$@"
