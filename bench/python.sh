#!/usr/bin/env bash
# The Python package beside the Rust it calls, and beside numpy's import; see bench/README.md.
set -euo pipefail
cd "$(dirname "$0")"

home=.venv-python
if ! cmp -s ../python/requirements.txt "$home/installed.txt"; then
    "${PYTHON:-$(command -v python3.11 || echo python3)}" -m venv --clear "$home"
    "$home/bin/python" -m pip install --quiet --requirement ../python/requirements.txt
    cp ../python/requirements.txt "$home/installed.txt"
fi
# The wheel as `pip install .` builds it.
rm -rf "$home/wheels"
(cd .. && "bench/$home/bin/maturin" build --quiet --release --out "bench/$home/wheels" \
    --interpreter "bench/$home/bin/python")
"$home/bin/python" -m pip install --quiet --force-reinstall --no-deps "$home"/wheels/*.whl
target="${CARGO_TARGET_DIR:-target}"
# The Rust beside it, compiled as the wheel is.
cargo build --quiet --profile wheel --no-default-features --features account --bin account
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
exec "$home/bin/python" python.py --wheels "$home/wheels" --account "$target/wheel/account" "$@"
