"""The Python package: its size, its import, what a call costs beside the Rust call. Run bench/python.sh.

CPU seconds on one thread, the best of several; ratios are to what runs beside it in the same run.
"""
import argparse
import json
import pathlib
import resource
import statistics
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import throng as tg

MISSED = []


def row(what, ours, other, ratio, target, met):
    print(f"| {what} | {ours} | {other} | {ratio} | {target}: {'met' if met else '**missed**'} |")
    if not met:
        MISSED.append(what)


def best(call, runs=7, patience=3.0):
    """The least CPU seconds of several calls."""
    times, started = [], time.perf_counter()
    while len(times) < runs and (not times or time.perf_counter() - started < patience):
        before = time.process_time()
        call()
        times.append(time.process_time() - before)
    return min(times)


def size(wheels):
    [wheel] = pathlib.Path(wheels).glob("*.whl")
    megabytes = wheel.stat().st_size / 1e6
    row("size of the wheel, MB", f"{megabytes:.1f}", "", "", "40", megabytes <= 40)


def imports():
    def seconds(code):
        def once():
            before = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True)
            return time.perf_counter() - before

        return statistics.median(once() for _ in range(15))

    bare = seconds("pass")
    ours, numpy = seconds("import throng") - bare, seconds("import numpy") - bare
    row("import, s", f"{ours:.4f}", f"numpy {numpy:.4f}", f"{ours / numpy:.2f}", "0.15", ours <= 0.15)


CALLS = [
    ("one Gaussian", "gaussian(sigma=1)", "epsilon", "1e-5"),
    ("1000 Gaussians", "1000 * gaussian(sigma=30)", "epsilon", "1e-12"),
    ("DP-SGD", "14062 * sampled(gaussian(sigma=0.8), rate=256/60000)", "epsilon", "1e-5"),
    ("DP-SGD, miss rate", "14062 * sampled(gaussian(sigma=0.8), rate=256/60000)", "tradeoff", "0.01"),
    ("100 discrete Laplaces", "100 * discrete_laplace(scale=20)", "epsilon", "1e-6"),
]


def accountant(binary):
    lines = [f"{name}\tadd-remove\t0.0001\t{kind}\t{argument}\t{text}" for name, text, kind, argument in CALLS]

    def rust():
        said = subprocess.run([binary], input="\n".join(lines), capture_output=True, text=True, check=True)
        return {r["workload"]: r for r in map(json.loads, said.stdout.splitlines())}

    # A call of microseconds is timed many at a time; both sides in turns, the best of each.
    answers = [rust() for _ in range(5)]
    for name, text, kind, argument in CALLS:
        seconds = min(answer[name]["seconds"] for answer in answers)
        # From the parsed expression to the answer, as on the other side: a fresh mechanism each time.
        spec = tg.spec(text)
        batch = max(1, min(500, int(0.01 / seconds)))

        def call():
            for _ in range(batch):
                fresh = spec.under()
                fresh.epsilon(argument) if kind == "epsilon" else fresh.tradeoff(argument)

        ours = best(call) / batch
        ratio = ours / seconds
        row(f"{name}, µs", f"{1e6 * ours:.1f}", f"Rust {1e6 * seconds:.1f}", f"{ratio:.2f}", "1.1", ratio <= 1.1)


def columns():
    """A column of ten million numbers: no copy, whatever holds it."""
    values = np.random.default_rng(1).uniform(0, 100, 10_000_000)
    holders = {
        "numpy": values,
        "pandas": pd.Series(values),
        "polars": pl.Series(values),
        "pyarrow": pa.array(values),
    }
    plain = best(lambda: np.clip(values, 0, 100).sum())
    for name, column in holders.items():
        tg.release.mean(column, 0, 100, epsilon=1)  # tables of noise
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        seconds = best(lambda column=column: tg.release.mean(column, 0, 100, epsilon=1))
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        what = f"mean of 10^7 rows of {name}, s; memory grown, MiB"
        row(what, f"{seconds:.4f}; {grown:.0f}", f"numpy clip and sum {plain:.4f}", f"{seconds / plain:.2f}",
            "no copy (8 MiB)", grown < 8)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--wheels", required=True)
    parser.add_argument("--account", required=True)
    options = parser.parse_args()
    print("| what | ours | beside it | ratio | target |\n|---|---|---|---|---|")
    size(options.wheels)
    imports()
    accountant(options.account)
    columns()
    print("\ntargets:", "all met" if not MISSED else f"missed: {', '.join(MISSED)}")
    sys.exit(1 if MISSED else 0)


if __name__ == "__main__":
    main()
