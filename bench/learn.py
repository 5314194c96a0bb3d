"""Private models beside their peers: score on held-out rows, CPU seconds, memory. See README.md.

Throng's side is `bench/src/learn`, started once for each model and data set; it
prints one line of JSON for each run. Peers are fitted by this process, on the same rows.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

import learn_data
import learn_peers as peers
import learn_python

HERE = pathlib.Path(__file__).resolve().parent
EPSILONS = [0.1, 1, 3]
DELTA = "1e-5"


class Verdicts:
    """What was asked for and what came out."""

    def __init__(self):
        self.missed = []

    def at_least(self, what, value, bound):
        return self.note(what, value is not None and value >= bound, f">= {bound:g}")

    def at_most(self, what, value, bound, shown=None):
        return self.note(what, value is not None and value <= bound, f"<= {shown or f'{bound:g}'}")

    def note(self, what, met, target):
        if not met:
            self.missed.append(f"{what} {target}")
        return f"{target}: {'met' if met else '**missed**'}"


def on_one_core():
    """Of this process: with one core to run on, Throng starts no threads."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


class Throng:
    def __init__(self, binary, runs):
        self.binary, self.runs = binary, runs

    def ask(self, *arguments):
        """The lines of JSON a call prints; nothing if there is no such model (yet)."""
        command = [str(part) for part in (self.binary, *arguments)]
        done = subprocess.run(command, capture_output=True, text=True, preexec_fn=on_one_core)
        if done.returncode != 0:
            print(f"{' '.join(command[1:3])}: {done.stderr.strip()}", file=sys.stderr)
            return []
        return [json.loads(line) for line in done.stdout.splitlines()]

    def fits(self, model, data, *options, epsilons=EPSILONS, runs=None):
        """The runs of each epsilon: {epsilon: [{score, cpu_seconds}]}."""
        public = ["--clusters", data.clusters] if data.clusters else []
        lines = self.ask(model, "--data", data.directory, "--epsilon", ",".join(map(str, epsilons)),
                         "--delta", DELTA, "--runs", runs or self.runs, *public, *options)
        return {epsilon: [line for line in lines if line["epsilon"] == epsilon] for epsilon in epsilons}


def scores(lines):
    return [line["score"] for line in lines]


def seconds(lines):
    return min((line["cpu_seconds"] for line in lines), default=None)


def mean(values):
    return statistics.fmean(values) if values else None


def median(values):
    return statistics.median(values) if values else None


def shown(value):
    if value is None:
        return ""
    return f"{value:.3f}" if abs(value) < 1000 else f"{value:.1e}"


def table(*columns):
    print("\n| " + " | ".join(columns) + " |\n|" + "---|" * len(columns), flush=True)


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


class Bench:
    def __init__(self, options):
        self.data_directory = options.data.resolve()
        self.seeds = options.seeds
        self.throng = Throng(options.binary, options.seeds)
        self.peers = peers.Peers(self.data_directory / "peers.json", options.fresh)
        self.with_peers = not options.no_peers
        self.verdicts = Verdicts()
        self.times = []  # (model, data, runs of ours, what makes the peer)
        self.net_times = None  # (data, runs of ours, epsilon)

    def data(self, name, clusters=None):
        return peers.Data(self.data_directory / name, clusters)

    def scores_of(self, make, grid, data, epsilon):
        if make is None or not self.with_peers:
            return None
        return self.peers.best(make, grid, data, epsilon, self.seeds)

    def compare(self, model, data, rivals, plain, targets, summary=mean, timed=True):
        """One row for each epsilon; a rival is (make, grid), the plain model has no privacy."""
        found = self.throng.fits(model, data)
        open_score = None
        if self.with_peers:
            open_score = summary(self.peers.scores(plain, {}, data, 0, self.seeds if data.splits else 1))
        for epsilon in EPSILONS:
            ours = summary(scores(found[epsilon]))
            others = [self.scores_of(make, grid, data, epsilon) for make, grid in rivals]
            target = targets.get(epsilon)
            verdict = self.verdicts.at_least(f"{model}, {data.name}, epsilon {epsilon}:", ours, target) if target else ""
            row(data.name, epsilon, shown(ours), *(shown(summary(other)) if other else "" for other in others),
                shown(open_score), verdict)
        if timed:
            self.times.append((model, data, found[1], rivals[0][0]))
        return found

    # The families.

    def logistic(self):
        print("\n### Logistic regression: accuracy, mean")
        table("data", "epsilon", "Throng", "diffprivlib", "its best of 6", "no privacy", "target")
        rivals = [(peers.logistic, [{}]), (peers.logistic, peers.LOGISTIC)]
        targets = {"adult-one-hot": {0.1: 0.838, 1: 0.846}, "breast-cancer": {1: 0.90}, "digits": {1: 0.88}}
        for name, wanted in targets.items():
            self.compare("logistic", self.data(name), rivals, peers.plain_logistic, wanted)

    def linear(self):
        print("\n### Linear regression: R², median")
        table("data", "epsilon", "Throng", "diffprivlib", "DP-EBM", "no privacy", "target")
        targets = {"housing": {1: 0.52, 3: 0.60}, "diamonds": {1: 0.97}, "diabetes": {}}
        rivals = [(peers.linear, [{}]), (peers.boosting, [{}])]
        for name, wanted in targets.items():
            found = self.compare("linear", self.data(name), rivals, peers.plain_linear, wanted, summary=median)
            if name != "diabetes":
                worst = min((score for lines in found.values() for score in scores(lines)), default=None)
                verdict = self.verdicts.at_least(f"linear, {name}, worst run:", worst, 0)
                row(name, "worst run", shown(worst), "", "", "", verdict)

    def bayes(self):
        print("\n### Gaussian naive Bayes: accuracy, mean")
        table("data", "epsilon", "Throng", "diffprivlib", "its best of 4", "no privacy", "target")
        rivals = [(peers.bayes, [{}]), (peers.bayes, peers.BAYES)]
        for name, wanted in {"breast-cancer": {1: 0.88}, "digits": {1: 0.72}, "adult-numeric": {}}.items():
            self.compare("naive-bayes", self.data(name), rivals, peers.plain_bayes, wanted)

    def trees(self):
        print("\n### Trees: accuracy, mean (Throng: boosted trees; diffprivlib: forest, single tree)")
        table("data", "epsilon", "Throng", "forest", "its best of 4", "tree, best of 2", "DP-EBM", "no privacy", "target")
        rivals = [(peers.forest, [{}]), (peers.forest, peers.FOREST), (peers.tree, peers.TREE), (peers.boosting, [{}])]
        adult = {0.1: 0.83, 1: 0.846, 3: 0.85}
        for name, wanted in {"adult-one-hot": adult, "adult-raw": {}, "adult-numeric": {}, "breast-cancer": {}}.items():
            # The peers have no boosted trees to time these by.
            found = self.compare("boosting", self.data(name), rivals, peers.plain_trees, wanted, timed=False)
            if name == "adult-one-hot":
                took = max((seconds(lines) for lines in found.values() if lines), default=None)
                verdict = self.verdicts.at_most("boosting, adult-one-hot, CPU s:", took, 0.5)
                row(name, "CPU s", shown(took), "", "", "", "", "", verdict)

        print("\n### Forest and tree drawn without data: accuracy, mean (diffprivlib: the same)")
        table("data", "epsilon", "Throng", "diffprivlib", "its best", "no privacy", "target")
        for model, make, grid in (("forest", peers.forest, peers.FOREST), ("tree", peers.tree, peers.TREE)):
            for name in ("adult-numeric", "breast-cancer"):
                self.compare(model, self.data(name), [(make, [{}]), (make, grid)], peers.plain_trees, {})

        print("\n### Trees: R², median")
        table("data", "epsilon", "Throng", "DP-EBM", "no privacy", "target")
        for name in ("housing", "diamonds"):
            self.compare("boosting", self.data(name), [(peers.boosting, [{}])], peers.plain_trees, {},
                         summary=median, timed=False)

    def kmeans(self):
        print("\n### K-means: inertia over the best of ten starts without privacy, mean")
        table("data", "clusters", "epsilon", "Throng", "diffprivlib", "target")
        wanted = {"housing-places": 1.06, "shuttle": 1.2}
        for data in (self.data("housing-places"), self.data("shuttle"), self.data("adult-numeric", 6),
                     self.data("digits", 10)):
            found = self.throng.fits("kmeans", data)
            seeds = self.seeds if data.splits else 1
            base = self.peers.scores(peers.plain_kmeans, {}, data, 0, seeds)
            ratio = lambda values: mean([value / base[at % len(base)] for at, value in enumerate(values)])
            for epsilon in EPSILONS:
                ours, other = ratio(scores(found[epsilon])), self.scores_of(peers.kmeans, [{}], data, epsilon)
                verdict = ""
                if epsilon == 1 and data.name in wanted:
                    verdict = self.verdicts.at_most(f"k-means, {data.name}, epsilon 1:", ours, wanted[data.name])
                row(data.name, data.clusters, epsilon, shown(ours), shown(ratio(other)) if other else "", verdict)
            self.times.append(("kmeans", data, found[1], peers.kmeans))

    def histogram(self):
        print("\n### Histogram of one column, 32,561 rows: CPU time, best")
        table("bins", "Throng µs", "diffprivlib µs", "ratio", "target")
        data = self.data("adult-raw")
        names = [column["name"] for column in data.schema["columns"]]
        for column, bins in (("age", 100), ("capital-gain", 16384)):
            lines = self.throng.ask("histogram", "--data", data.directory, "--column", column, "--bins", bins,
                                    "--epsilon", 1, "--runs", 20)
            at = names.index(column)
            ours = seconds(lines)
            if not self.with_peers:
                row(bins, f"{1e6 * ours:.1f}" if ours else "", "", "", "")
                continue
            other = peers.histogram_seconds(data.table("train.csv")[:, at], bins, data.schema["columns"][at]["upper"])
            ratio = ours / other if ours else None
            verdict = self.verdicts.at_most(f"histogram, {bins} bins:", ratio, 1 / 50, "1/50")
            row(bins, f"{1e6 * ours:.1f}" if ours else "", f"{1e6 * other:.0f}", f"1/{1 / ratio:.0f}" if ratio else "", verdict)

    def nets(self):
        print("\n### Nets: accuracy, mean")
        table("net", "data", "epsilon", "runs", "Throng", "CPU s", "target")
        few = min(self.seeds, 3)
        wanted = [
            ("mlp", "digits", 3, self.seeds, 0.93, None),
            ("mlp", "mnist", 3, self.seeds, 0.949, None),
            ("features", "mnist", 1, few, 0.97, 60),
            ("features", "mnist", 3, few, 0.98, 60),
        ]
        for model, name, epsilon, runs, bound, limit in wanted:
            lines = self.throng.ask(model, "--data", self.data_directory / name, "--epsilon", epsilon,
                                    "--delta", DELTA, "--runs", runs)
            ours, took = mean(scores(lines)), mean([line["cpu_seconds"] for line in lines])
            verdict = self.verdicts.at_least(f"{model}, {name}, epsilon {epsilon}:", ours, bound)
            if limit:
                verdict += "; " + self.verdicts.at_most(f"{model}, {name}, CPU s:", took, limit, f"{limit} s")
            row(model, name, epsilon, len(lines), shown(ours), shown(took), verdict)
            if name == "digits":
                self.net_times = (self.data("digits"), lines, epsilon)

    def sgd(self):
        print("\n### DP-SGD: thousands of samples per CPU second, one thread (peak MiB)")
        modes = ["plain", "ghost", "hooks", "ew"] if self.with_peers else []
        table("net", "batch", "Throng private", "Throng plain", "torch plain", "Opacus ghost", "Opacus hooks (default)",
              "Opacus expanded weights", "x ghost", "x default", "of plain", "targets")
        for net, batch in (("mlp", 256), ("mlp", 1024), ("cnn", 256), ("cnn", 1024)):
            lines = self.throng.ask("sgd", "--data", self.data_directory / "mnist", "--net", net, "--batch", batch)
            ours = lines[0] if lines else {}
            other = {mode: self.opacus(net, batch, mode) for mode in modes}
            self.sgd_row(net, batch, ours, other)

    def opacus(self, net, batch, mode):
        command = [sys.executable, HERE / "learn_torch.py", "--mnist", self.data_directory / "mnist", "--net", net,
                   "--mode", mode, "--batch", batch]
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True)
        return json.loads(done.stdout.splitlines()[-1])

    def sgd_row(self, net, batch, ours, other):
        rate = lambda found: found["samples_per_second"] if found else None
        cell = lambda found: f"{rate(found) / 1e3:.1f} ({found['peak_mib']:.0f})" if found else ""
        private, plain = ours.get("private"), ours.get("plain")
        over = lambda mode: rate(private) / rate(other[mode]) if private and mode in other else None
        own = rate(private) / rate(plain) if private and plain else None
        name = f"{net}, batch {batch}"
        verdicts = []
        if other and net == "mlp":
            verdicts.append(self.verdicts.at_least(f"{name}, x ghost:", over("ghost"), {256: 3.5, 1024: 2.2}[batch]))
            verdicts.append(self.verdicts.at_least(f"{name}, x default:", over("hooks"), 60))
        if net == "mlp":
            verdicts.append(self.verdicts.at_least(f"{name}, of plain:", own, {256: 0.6, 1024: 0.8}[batch]))
            verdicts.append(self.verdicts.at_most(f"{name}, MiB:", private["peak_mib"] if private else None, 50))
        elif other:
            best = max((mode for mode in other if mode != "plain"), key=lambda mode: rate(other[mode]))
            verdicts.append(self.verdicts.at_least(f"{name}, x best ({best}):", over(best), 2.5))
        ratio = lambda value: f"{value:.2f}" if value else ""
        row(net, batch, cell(private), cell(plain), *(cell(other.get(mode)) for mode in ("plain", "ghost", "hooks", "ew")),
            ratio(over("ghost")), ratio(over("hooks")), ratio(own), "; ".join(verdicts))

    def cpu(self):
        """CPU of a fit at epsilon 1, all sides in this run: never from the kept results."""
        if not (self.times and self.with_peers):
            return
        print("\n### CPU time of a fit at epsilon 1, best, from Rust and from Python")
        table("model", "data", "Throng ms", "from Python ms", "diffprivlib ms", "ratio", "from Python", "target")
        on_one_core()
        for model, data, lines, make in self.times:
            ours = seconds(lines)
            python = self.fastest(learn_python.MAKERS[model], data) if learn_python.AVAILABLE else None
            other = self.fastest(make, data)
            ratios = [value / other if value else None for value in (ours, python)]
            verdict = self.verdicts.at_most(f"{model}, {data.name}, CPU:", ratios[0], 1)
            if python:
                verdict += "; " + self.verdicts.at_most(f"{model}, {data.name}, CPU from Python:", ratios[1], 1)
            row(model, data.name, *(f"{1e3 * value:.2f}" if value else "" for value in (ours, python, other)),
                *map(shown, ratios), verdict)

    def net_from_python(self):
        """CPU of a whole fit of a net, calibration and all, from Python over that from Rust."""
        if not (self.net_times and learn_python.AVAILABLE):
            return
        data, lines, epsilon = self.net_times
        print("\n### CPU time of a fit of the net on digits, best, from Python over that from Rust")
        table("Rust ms", "Python ms", "ratio", "target")
        on_one_core()
        ours, python = seconds(lines), self.fastest(learn_python.mlp, data, epsilon)
        verdict = self.verdicts.at_most("mlp, digits, CPU from Python over Rust:", python / ours, 1.1)
        row(f"{1e3 * ours:.1f}", f"{1e3 * python:.1f}", shown(python / ours), verdict)

    def fastest(self, make, data, epsilon=1):
        """CPU seconds of a fit, the best of some."""
        return min(peers.fit(make, {}, data, epsilon, seed)[1] for seed in range(min(self.seeds, 5)))


PARTS = ["logistic", "linear", "bayes", "trees", "kmeans", "histogram", "nets", "sgd"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", type=pathlib.Path, required=True)
    parser.add_argument("--data", type=pathlib.Path, default=HERE / ".data")
    parser.add_argument("--seeds", type=int, default=learn_data.SPLITS)
    parser.add_argument("--only", choices=PARTS, action="append", help="a part; may be given again")
    parser.add_argument("--fresh", action="store_true", help="fit the peers again instead of using kept scores")
    parser.add_argument("--no-peers", action="store_true")
    options = parser.parse_args()
    learn_data.prepare(options.data.resolve(), options.data.resolve())
    bench = Bench(options)
    for part in options.only or PARTS:
        getattr(bench, part)()
    bench.cpu()
    bench.net_from_python()
    missed = bench.verdicts.missed
    print("\ntargets: " + ("all met" if not missed else "missed: " + "; ".join(missed)))
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    # One thread for all; read by the libraries as they load.
    assert os.environ.get("OMP_NUM_THREADS") == "1", "start me by learn.sh"
    main()
