"""The accountant against its peers: one table. Run it through bench/account.sh.

CPU seconds of the computation alone (imports excluded), one thread, best of three for the peers
and of seven for Throng. A peer's value is an upper bound on epsilon unless it says otherwise; its
error is the value minus the exact one, so a minus sign means that it claims too much privacy.
"""
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
VECTORS = HERE.parent / "vectors"
DP_SGD = "14062 * sampled(gaussian(sigma=0.8), rate=256/60000)"
MANY = "1000000 * sampled(gaussian(sigma=2), rate=0.001)"
RATE = 256 / 60000
W2_EPSILONS = [0.02 * i for i in range(1, 101)]


def exact_values():
    import csv

    with open(VECTORS / "account.csv", encoding="utf-8") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return {(r["expression"], r["neighbours"], r["kind"], r["argument"]): float(r["value"]) for r in rows}


EXACT = exact_values()


class Workload:
    """One question: what Throng is asked, what a peer does about it, what is aimed at.

    `within` are the ends between which the promise must lie if no exact value is known;
    `gap` is the most that its bracket may be wide (for a miss rate: that the promised end may be
    below the exact value), `width` what it is asked for if that is not the same, `relative` the
    most that a curve may be wide; `ratio` the most CPU seconds, as a multiple of the peer's or
    of those of the row `against`.
    """

    def __init__(self, name, expression, kind, argument, peer=None, *, neighbours="add-remove", width=None,
                 gap=None, ratio=None, relative=None, within=None, exact=None, against=None):
        self.name, self.expression, self.kind, self.argument = name, expression, kind, argument
        self.peer, self.neighbours, self.width, self.gap = peer, neighbours, width or gap or 1e-4, gap
        self.ratio, self.relative, self.within, self.against = ratio, relative, within, against
        asked = argument.split()[0] if kind == "curve" else argument
        key = (expression, neighbours, "epsilon" if kind == "curve" else kind, asked)
        self.exact = EXACT.get(key) if exact is None else exact

    def line(self):
        text = self.expression
        if text.startswith("@"):
            text = " ".join((VECTORS / text[1:]).read_text(encoding="utf-8").split())
        return "\t".join([self.name, self.neighbours, repr(self.width), self.kind, self.argument, text])


# The peers.


class Peers:
    """Imported late: Throng's half runs without them."""

    def __init__(self):
        import dp_accounting
        import prv_accountant
        from dp_accounting.pld import common, pld_privacy_accountant, privacy_loss_distribution
        from dp_accounting.rdp import rdp_privacy_accountant

        self.dp, self.prv, self.common = dp_accounting, prv_accountant, common
        self.pld = privacy_loss_distribution
        self.pld_accountant = pld_privacy_accountant.PLDAccountant
        self.rdp_accountant = rdp_privacy_accountant.RdpAccountant

    def sampled(self, sigma, rate, times):
        step = self.dp.PoissonSampledDpEvent(rate, self.dp.GaussianDpEvent(sigma))
        return self.dp.SelfComposedDpEvent(step, times)

    def event_epsilon(self, event, delta, relation="ADD_OR_REMOVE_ONE"):
        """dp-accounting's PLD accountant as it comes: connect the dots, step 1e-4."""
        accountant = self.pld_accountant(self.dp.NeighboringRelation[relation])
        return accountant.compose(event).get_epsilon(delta)

    def dp_sgd(self, sigma, rate, times, delta):
        return lambda: self.event_epsilon(self.sampled(sigma, rate, times), delta)

    def prv_dp_sgd(self, sigma, rate, times, delta):
        def run():
            law = self.prv.PoissonSubsampledGaussianMechanism(noise_multiplier=sigma, sampling_probability=rate)
            found = self.prv.PRVAccountant(prvs=[law], max_self_compositions=[times], eps_error=0.01, delta_error=delta / 1000)
            low, _, high = found.compute_epsilon(delta, [times])
            return f"[{low:.4f}, {high:.4f}]", high
        return run

    def gaussians(self, sigmas, delta):
        def run():
            accountant = self.pld_accountant(self.dp.NeighboringRelation.ADD_OR_REMOVE_ONE)
            for sigma in sigmas:
                accountant.compose(self.dp.GaussianDpEvent(sigma))
            return accountant.get_epsilon(delta)
        return run

    def self_composed(self, make, times, delta):
        return lambda: make().self_compose(times).get_epsilon_for_delta(delta)

    def pure(self, eps):
        return self.pld.from_privacy_parameters(self.common.DifferentialPrivacyParameters(eps, 0))

    def w2(self):
        losses = [self.pld.from_laplace_mechanism((310 + i) / 10) for i in range(100)]
        losses += [self.pld.from_gaussian_mechanism((621 + 2 * i) / 20) for i in range(100)]
        losses += [self.pure((265 + i) / 10000) for i in range(100)]
        losses += [self.pld.from_gaussian_mechanism((10 + i) / 10, sampling_prob=(10 + i) / 1000) for i in range(10)]
        total = losses[0]
        for loss in losses[1:]:
            total = total.compose(loss)
        for epsilon in W2_EPSILONS:
            total.get_delta_for_epsilon(epsilon)
        return total.get_epsilon_for_delta(1e-6)

    def without_replacement(self):
        """Replacing one unit moves a sum of unit contributions by two: half the multiplier."""
        accountant = self.rdp_accountant(neighboring_relation=self.dp.NeighboringRelation.REPLACE_ONE)
        step = self.dp.SampledWithoutReplacementDpEvent(60000, 256, self.dp.GaussianDpEvent(0.5))
        return accountant.compose(step, 2344).get_epsilon(1e-5)

    def miss_rate(self, alpha):
        """The best line under the profile, on 2401 epsilons: the conversion is ours."""
        def run():
            accountant = self.pld_accountant().compose(self.sampled(0.8, RATE, 14062))
            points = [(e, accountant.get_delta(e)) for e in (0.005 * i for i in range(2401))]
            return max(max(1 - d - math.exp(e) * alpha, math.exp(-e) * (1 - d - alpha)) for e, d in points)
        return run

    def calibrated(self):
        return self.dp.calibrate_dp_mechanism(
            self.pld_accountant, lambda sigma: self.sampled(sigma, RATE, 14062), 1.0, 1e-6,
            bracket_interval=self.dp.LowerEndpointAndGuess(0.5, 2.0), tol=1e-4)


def gaussian_delta(mu, eps):
    def cdf(x):
        return math.erfc(-x / math.sqrt(2)) / 2
    return cdf(mu / 2 - eps / mu) - math.exp(eps) * cdf(-mu / 2 - eps / mu)


def gaussian_epsilon(mu, delta):
    low, high = 0.0, 100.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if gaussian_delta(mu, middle) > delta else (low, middle)
    return high


def workloads(p):
    """`p` is None where the peers are left out."""
    def peer(make):
        return make(p) if p else None

    yield Workload("a DP-SGD, dp-accounting", DP_SGD, "epsilon", "1e-5", peer(lambda p: p.dp_sgd(0.8, RATE, 14062, 1e-5)),
                   gap=1e-5, ratio=1 / 25)
    yield Workload("a DP-SGD, prv-accountant", DP_SGD, "epsilon", "1e-5", peer(lambda p: p.prv_dp_sgd(0.8, RATE, 14062, 1e-5)),
                   gap=1e-5, ratio=1 / 100)
    yield Workload("b a million steps", MANY, "epsilon", "1e-5", peer(lambda p: p.dp_sgd(2, 0.001, 10**6, 1e-5)), ratio=1)
    first = "c 10^3 steps"
    for name, times, sigma in [(first, 10**3, 1), ("c 10^6 steps", 10**6, 24), ("c 10^9 steps", 10**9, 760)]:
        yield Workload(name, f"{times} * sampled(gaussian(sigma={sigma}), rate=0.01)", "epsilon", "1e-5",
                       ratio=3, against=first)
    argument = " ".join(["1e-6"] + [repr(e) for e in W2_EPSILONS])
    yield Workload("d 310 mechanisms, curve", "@w2.txt", "curve", argument, peer(lambda p: p.w2),
                   ratio=1 / 10, relative=1e-3)
    yield from tiny_deltas(peer)
    yield from exact_cases(peer)
    yield Workload("g without replacement", "2344 * without_replacement(gaussian(sigma=1), batch=256, population=60000)",
                   "epsilon", "1e-5", peer(lambda p: p.without_replacement), neighbours="replace", within=(9.44, 10.44))
    yield Workload("g allocation, 1 of 1000", "allocated(gaussian(sigma=1), steps=1000)", "epsilon", "1e-6", within=(0.16, 0.1857))
    for alpha in ["0.01", "0.1", "0.5"]:
        yield Workload(f"h miss rate at {alpha}", DP_SGD, "tradeoff", alpha,
                       peer(lambda p: p.miss_rate(float(alpha))), gap=1e-5)
    yield Workload("i sigma for (1, 1e-6)", "14062 * sampled(gaussian(sigma=?), rate=256/60000)", "calibration", "1 1e-6",
                   peer(lambda p: p.calibrated), gap=1e-6, ratio=1 / 20)


def tiny_deltas(peer):
    text = "1000 * gaussian(sigma=30)"
    for d in ["1e-12", "1e-15", "1e-20", "1e-50"]:
        yield Workload(f"e 1000 Gaussians at {d}", text, "epsilon", d,
                       peer(lambda p: p.self_composed(lambda: p.pld.from_gaussian_mechanism(30), 1000, float(d))), gap=1e-6)
    sigmas = [30 + i / 100 for i in range(1000)]
    text = " + ".join(f"gaussian(sigma={3000 + i}/100)" for i in range(1000))
    mu = math.sqrt(math.fsum(1 / s**2 for s in sigmas))
    for d in ["1e-12", "1e-20"]:
        yield Workload(f"e 1000 different sigmas at {d}", text, "epsilon", d,
                       peer(lambda p: p.gaussians(sigmas, float(d))), exact=gaussian_epsilon(mu, float(d)), gap=1e-6)
    for d in ["1e-10", "1e-12", "1e-14", "1e-20"]:
        yield Workload(f"e DP-SGD at {d}", DP_SGD, "epsilon", d, peer(lambda p: p.dp_sgd(0.8, RATE, 14062, float(d))), gap=1e-4)


def exact_cases(peer):
    yield Workload("f 1000 pure 0.1", "1000 * pure(eps=0.1)", "epsilon", "1e-6",
                   peer(lambda p: p.self_composed(lambda: p.pure(0.1), 1000, 1e-6)), gap=1e-9)
    yield Workload("f 10^6 pure 0.003", "1000000 * pure(eps=0.003)", "epsilon", "1e-6", gap=1e-9)
    yield Workload("f 10^9 pure 0.0001", "1000000000 * pure(eps=0.0001)", "epsilon", "1e-6", gap=1e-9)
    yield Workload("f 100 discrete Gaussians", "100 * discrete_gaussian(sigma=10)", "epsilon", "1e-6",
                   peer(lambda p: p.self_composed(lambda: p.pld.from_discrete_gaussian_mechanism(10, use_connect_dots=True), 100, 1e-6)), gap=1e-6)
    yield Workload("f 100 discrete Laplaces", "100 * discrete_laplace(scale=20, sensitivity=3)", "epsilon", "1e-6",
                   peer(lambda p: p.self_composed(lambda: p.pld.from_discrete_laplace_mechanism(0.05, sensitivity=3, use_connect_dots=True), 100, 1e-6)), gap=1e-6)


# Measuring.


def best_of(run, runs=3):
    """CPU seconds and the answer: a number, or a text and the number that counts."""
    best, answer = math.inf, None
    try:
        for _ in range(runs):
            start = time.process_time()
            answer = run()
            best = min(best, time.process_time() - start)
            if best > 5:
                break
    except Exception as error:  # a peer's refusal is a result, too
        return best, type(error).__name__, None
    if isinstance(answer, tuple):
        return best, answer[0], answer[1]
    return best, f"{answer:.7g}", float(answer)


def built(workspace, name):
    return pathlib.Path(os.environ.get("CARGO_TARGET_DIR", workspace / "target")) / "release" / name


def ours(works):
    """Throng's answers by name, and its peak memory."""
    binary = built(HERE, "account")
    text = "".join(work.line() + "\n" for work in works)
    done = subprocess.run([binary], input=text, capture_output=True, text=True, check=True)
    answers = {row["workload"]: row for row in map(json.loads, done.stdout.splitlines())}
    return answers, answers.pop("memory", {}).get("megabytes")


def start_to_answer(runs=20):
    """Median wall-clock seconds of the command line, from start to answer."""
    binary = built(HERE.parent, "throng")
    if not binary.exists():
        return None
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run([binary, "account", "gaussian(sigma=1)", "--delta", "1e-5"], capture_output=True, check=True)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


# The table.


def judge(work, found, ratio):
    """What is not as it should be."""
    lower, upper = float(found["lower"]), float(found["upper"])
    slack = 1e-12 * max(1.0, abs(upper))  # the exact value is a rounded f64 here
    if work.kind == "calibration":
        if not -slack <= lower - work.exact <= work.gap:
            yield "off"
    elif work.within and not work.within[0] <= upper <= work.within[1]:
        yield "outside"
    elif work.exact is not None and not lower - slack <= work.exact <= upper + slack:
        yield "wrong"
    elif work.exact is not None and work.gap:
        gap = work.exact - lower if work.kind == "tradeoff" else upper - lower
        if gap > work.gap:
            yield f"gap {gap:.1e}"
    if work.relative and found["relative_width"] > work.relative:
        yield f"width {found['relative_width']:.1e}"
    if work.ratio and ratio and ratio > work.ratio:
        yield "slow"


def target(work):
    parts = []
    if work.gap:
        parts.append(f"gap {work.gap:g}")
    if work.within:
        parts.append(f"in [{work.within[0]:g}, {work.within[1]:g}]")
    if work.relative:
        parts.append(f"rel. width {work.relative:g}")
    if work.ratio:
        parts.append(f"<= 1/{1 / work.ratio:.0f} CPU" if work.ratio < 1 else f"<= {work.ratio:g} x CPU")
    return ", ".join(parts) or "sound"


def row(work, found, peer, base):
    """The cells of one line, and whether everything is met (None: nothing to judge)."""
    seconds, text, value = peer or (None, "", None)
    if value is not None and work.exact is not None and math.isfinite(value):
        text += f" ({value - work.exact:+.1e})"
    cells = [work.name, "", "", text, "" if seconds is None else f"{seconds:.3g}", "", target(work), ""]
    if found is None:
        return cells, None
    if "error" in found:
        cells[1], cells[7] = found["error"], "**no**"
        return cells, False
    reference = base if work.against else seconds
    ratio = found["seconds"] / reference if reference else None
    faults = list(judge(work, found, ratio))
    cells[1] = f"[{float(found['lower']):.9g}, {float(found['upper']):.9g}]"
    cells[2] = f"{found['seconds']:.3g}"
    cells[5] = "" if ratio is None else f"{ratio:.3g}" if ratio > 0.5 else f"1/{1 / ratio:.0f}"
    cells[7] = "yes" if not faults else "**no**: " + ", ".join(faults)
    return cells, not faults


def footer(memory):
    """Start to answer and memory: (cells, met)."""
    seconds = start_to_answer()
    met = None if seconds is None else seconds <= 0.010
    yield ["j start to answer", "", "" if seconds is None else f"{seconds:.4f} (wall)", "", "", "", "<= 10 ms", verdict(met)], met
    met = None if memory is None else memory <= 200
    yield ["k peak memory", "" if memory is None else f"{memory:.0f} MB", "", "", "", "", "<= 200 MB", verdict(met)], met


def verdict(met):
    return {None: "", True: "yes", False: "**no**"}[met]


def show(cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def main():
    peers = None if "--ours" in sys.argv else Peers()
    works = list(workloads(peers))
    answers, memory = ({}, None) if "--peers" in sys.argv else ours(works)
    base = next((answers[w.name].get("seconds") for w in works if w.against == w.name and w.name in answers), None)
    show(["workload", "ours", "CPU s", "peer (error)", "CPU s", "ratio", "target", "met"])
    show(["---"] * 8)
    verdicts = []
    for work in works:
        measured = best_of(work.peer) if work.peer else None
        cells, met = row(work, answers.get(work.name), measured, base)
        show(cells)
        verdicts.append(met)
    for cells, met in footer(memory) if answers else ():
        show(cells)
        verdicts.append(met)
    missed, judged = verdicts.count(False), len(verdicts) - verdicts.count(None)
    print(f"\n{judged} targets judged, {missed} missed")
    return 1 if missed else 0


sys.exit(main())
