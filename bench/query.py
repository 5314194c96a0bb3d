"""Private SQL beside the plain engine and a peer: CPU seconds, memory, error. See README.md.

Every number is of a whole process, started by this one: CPU is user + system time, memory the peak
resident size, as the operating system counts them for the child.
"""

import argparse
import csv
import io
import multiprocessing
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

Q1 = "SELECT city, COUNT(*) AS n, SUM(income) AS total, AVG(age) AS age FROM events GROUP BY city"
Q3 = "SELECT MEDIAN(income) AS m FROM events"
Q4 = "SELECT COUNT(DISTINCT user_id) AS users FROM events"
PAIRS = "SELECT user_id, city, COUNT(*), SUM(income), AVG(age) FROM events GROUP BY user_id, city"
BOUNDS = ["--bound", "income=0..200000", "--bound", "age=0..120"]
COST = ["--epsilon", "1", "--delta", "1e-6", "--yes", "--format", "csv", "--no-intervals"]


def run(command, directory):
    """(output, CPU seconds, peak MiB) of a process."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen(command, stdout=out, stderr=err, cwd=directory)
        _, status, usage = os.wait4(child.pid, 0)
        out.seek(0)
        err.seek(0)
        if status != 0:
            sys.exit(f"{command[0]} failed: {err.read().decode()}")
        return out.read().decode(), usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


class Bench:
    def __init__(self, binaries, events, repeats):
        self.throng = binaries / "throng"
        self.plain = binaries / "examples" / "plain"
        self.events = events
        self.repeats = repeats

    def ours(self, sql, *options):
        directory = tempfile.mkdtemp()
        try:
            table = ["--table", f"events={self.events}"]
            command = [self.throng, "query", *table, *BOUNDS, *options, *COST, sql]
            return run([str(part) for part in command], directory)
        finally:
            shutil.rmtree(directory)

    def runs(self, what):
        """Several runs, that with the least CPU time first."""
        return sorted((what() for _ in range(self.repeats)), key=lambda result: result[1])

    def best(self, what):
        return self.runs(what)[0]


def apart(what, *arguments):
    """In a process of its own: the peak memory of a child starts at that of its parent."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(what, arguments)


def truth(events):
    import polars as pl

    frame = pl.scan_parquet(events).group_by("city").agg(
        pl.len().alias("n"),
        pl.col("income").clip(0, 200_000).sum().alias("total"),
        pl.col("age").mean().alias("age"),
    )
    return {row["city"]: row for row in frame.collect().iter_rows(named=True)}


def bounded(events, groups, rows):
    """The exact expectation after bounding: what is left is the noise."""
    import polars as pl

    pairs = pl.scan_parquet(events).group_by("user_id", "city").agg(
        pl.len().alias("n"), pl.col("income").clip(0, 200_000).sum().alias("total")
    )
    kept = (pl.lit(groups) / pl.len().over("user_id")).clip(upper_bound=1.0)
    cut = (pl.lit(rows) / pl.col("n")).clip(upper_bound=1.0)
    cells = pairs.with_columns((kept * cut).alias("share")).group_by("city").agg(
        (pl.col("n") * pl.col("share")).sum(), (pl.col("total") * pl.col("share")).sum()
    )
    return {row["city"]: row for row in cells.collect().iter_rows(named=True)}


def errors(texts, exact, cities):
    """The median relative errors over the largest cities, and how many cities were released: the
    medians over some answers."""
    found = [errors_of(text, exact, cities) for text in texts]
    columns = zip(*(columns for columns, _ in found))
    return [statistics.median(column) for column in columns], statistics.median_low(n for _, n in found)


def errors_of(text, exact, cities):
    rows = {row["city"]: row for row in csv.DictReader(io.StringIO(text))}

    def error(column):
        off = [abs(float(rows[c][column]) - exact[c][column]) / exact[c][column]
               for c in cities if c in rows and column in exact[c] and rows[c][column]]
        return statistics.median(off) if off else float("nan")

    return [error(column) for column in ("n", "total", "age")], len(rows)


def percent(values):
    return " | ".join(f"{100 * value:.1f} %" for value in values)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binaries", type=pathlib.Path, required=True)
    parser.add_argument("--rows", type=int, nargs="*", default=[1_000_000, 10_000_000])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--no-peers", action="store_true")
    options = parser.parse_args()
    binaries = options.binaries.resolve()
    here = pathlib.Path(__file__).resolve().parent
    with tempfile.TemporaryDirectory() as directory:
        for rows in options.rows:
            events = pathlib.Path(directory) / f"events-{rows}.parquet"
            run([str(binaries / "examples" / "workload"), str(rows), str(events)], directory)
            report(Bench(binaries, events, options.repeats), rows, here, options.no_peers)
        latencies(binaries, directory)


def latencies(binaries, directory):
    """What a person waits for: wall-clock time, the median and the worst of 21 runs."""
    events = pathlib.Path(directory) / "small.parquet"
    run([str(binaries / "examples" / "workload"), "10000", str(events)], directory)
    throng = str(binaries / "throng")
    table = ["--table", f"events={events}", "--unit", "user_id", *BOUNDS]
    fixed = [*table, "--max-groups", "3", "--max-rows", "10", "--budget", "1000,0.1"]
    cost = ["--epsilon", "0.001", "--delta", "1e-9"]
    # Another question each time: the same one is free, and reads nothing.
    ask = lambda i: Q1 + f" HAVING COUNT(*) > {i}"
    calls = {
        "start-up (`throng --version`)": lambda i: [throng, "--version"],
        "`throng explain` of Q1": lambda i: [throng, "explain", *fixed, *cost, ask(i)],
        "Q1 on 10,000 rows, charge included": lambda i: [
            throng, "query", *fixed, *cost, "--yes", ask(i)],
    }
    print("\n## What a person waits for\n\n| what | median ms | worst ms |\n|---|---|---|")
    for name, call in calls.items():
        times = []
        for i in range(21):
            start = time.perf_counter()
            run(call(i), directory)
            times.append(1e3 * (time.perf_counter() - start))
        print(f"| {name} | {statistics.median(times):.1f} | {max(times):.1f} |", flush=True)


def report(bench, rows, here, no_peers):
    exact = apart(truth, bench.events)
    cities = sorted(exact, key=lambda city: -exact[city]["n"])[:25]
    expected = apart(bounded, bench.events, 3, 10)
    public = ",".join(f"city_{i:02}" for i in range(50))
    user = ["--unit", "user_id"]
    fixed = [*user, "--max-groups", "3", "--max-rows", "10"]
    auto = [*user, "--max-groups", "auto", "--max-rows", "auto"]
    plain = lambda sql: run([str(bench.plain), f"events={bench.events}", sql], here)
    pairs = bench.best(lambda: plain(PAIRS))
    city = bench.best(lambda: plain(Q1))
    runs = {
        "Q1 private keys, bounds 3 x 10": (lambda: bench.ours(Q1, *fixed), pairs),
        "Q1 private keys, bounds auto": (lambda: bench.ours(Q1, *auto), pairs),
        "Q2 50 public keys, bounds 3 x 10": (
            lambda: bench.ours(Q1, *fixed, "--key", f"city={public}"), pairs),
        "Q3 median": (lambda: bench.ours(Q3, *user, "--max-groups", "1", "--max-rows", "10"), None),
        "Q4 distinct users": (lambda: bench.ours(Q4, *fixed), None),
        "Q1 each row a unit": (lambda: bench.ours(Q1, "--unit-row"), city),
    }
    print(f"\n## {rows} rows\n")
    print("| what | CPU s | of plain | MiB | count | sum | avg | groups |")
    print("|---|---|---|---|---|---|---|---|")
    print(f"| plain GROUP BY user_id, city | {pairs[1]:.2f} | 1 | {pairs[2]:.0f} | | | | |")
    print(f"| plain GROUP BY city | {city[1]:.2f} | 1 | {city[2]:.0f} | | | | |")
    ours = None
    for name, (what, base) in runs.items():
        found = bench.runs(what)
        texts, (_, cpu, memory) = [text for text, _, _ in found], found[0]
        ratio = f"{cpu / base[1]:.2f}" if base else ""
        line = f"| {name} | {cpu:.2f} | {ratio} | {memory:.0f} |"
        if name.startswith(("Q1", "Q2")):
            found, groups = errors(texts, exact, cities)
            line += f" {percent(found)} | {groups} |"
            if name.endswith("3 x 10"):
                noise, _ = errors(texts, expected, cities)
                line += f" noise alone {percent(noise[:2])}"
        else:
            line += " | | | |"
        print(line, flush=True)
        ours = ours or cpu
    if no_peers:
        return
    peer = [sys.executable, str(here / "query_opendp.py"), str(bench.events)]
    text, cpu, memory = run(peer, here)
    found, groups = errors([text], exact, cities)
    noise, _ = errors([text], expected, cities)
    print(f"| OpenDP, Q1 3 x 10 | {cpu:.2f} | {cpu / ours:.1f} x ours | {memory:.0f} |"
          f" {percent(found)} | {groups} | noise alone {percent(noise[:2])}")


if __name__ == "__main__":
    main()
