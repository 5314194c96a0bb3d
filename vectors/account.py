#!/usr/bin/env python3
"""Writes vectors/account.csv and vectors/w2.txt: reference values for the accountant.

Source: mpmath at 50 digits with the methods of vectors/reference.py; no code of this repository.
Run from the root of the repository (about three minutes of CPU):  python3 vectors/account.py

Columns
  expression  the mechanism; `@w2.txt` stands for the text in that file, `?` for what is solved for
  neighbours  add-remove (the worse of both directions), replace, or one direction: `remove` has
              the world with the unit in the numerator of the loss, `add` the world without.
              For poisson and infinitely_divisible the second rate belongs to the world with.
  kind        epsilon (of delta), delta (of epsilon), tradeoff (miss rate of a false-alarm rate; the
              null hypothesis is the denominator of the loss; add-remove: the convex hull of both
              directions), renyi (of the order), calibration (the parameter for "epsilon delta")
  argument    decimals, exact
  value       as many digits as are right, at most 30
  digits      how many that is
  method      `contour` is the integral of reference.py on two lines that agree in these digits;
              `a = b` means that two methods were compared and agree in these digits
"""
import csv

from mpmath import exp, log, mp, mpf, nstr, sqrt

import reference as ref

RATE = mpf(256) / 60000
FULL = 30


def both(build, times):
    """The composition in each direction."""
    return {d: [(times, build(d))] for d in ("remove", "add")}


def dp_sgd(sigma, rate, times):
    return both(lambda d: ref.sampled_gaussian(sigma, rate, d), times)


def worse(directions, answer, choose=max):
    """The worse of both directions, with its digits."""
    return choose((answer(parts) for parts in directions.values()), key=lambda found: found[0])


def epsilons(text, directions, deltas, single=()):
    for d in deltas:
        value, digits = worse(directions, lambda parts: ref.epsilon(parts, d))
        yield text, "add-remove", "epsilon", d, value, digits, "contour"
        for name in single if d in ("1e-5", "1e-6") else ():
            value, digits = ref.epsilon(directions[name], d)
            yield text, name, "epsilon", d, value, digits, "contour"


def sampled_gaussians():
    small = ["1e-5", "1e-8", "1e-10", "1e-12", "1e-14", "1e-20"]
    text = "14062 * sampled(gaussian(sigma=0.8), rate=256/60000)"
    w1a = dp_sgd("0.8", RATE, 14062)
    yield from epsilons(text, w1a, small, single=["remove", "add"])
    for e in ["0.5", "2", "4"]:
        value, digits = worse(w1a, lambda parts: ref.delta(parts, e))
        yield text, "add-remove", "delta", e, value, digits, "contour"
    yield from curve(text, w1a)
    text = "1000000 * sampled(gaussian(sigma=2), rate=0.001)"
    yield from epsilons(text, dp_sgd(2, mpf("0.001"), 10**6), small, single=["remove", "add"])
    text = "1000 * sampled(gaussian(sigma=1), rate=0.01)"
    f9 = dp_sgd(1, mpf("0.01"), 1000)
    yield from epsilons(text, f9, ["1e-5"], single=["remove", "add"])
    value, digits = ref.delta(f9["remove"], "1")
    yield text, "remove", "delta", "1", value, digits, "contour"
    for times, sigma in [(10**6, 24), (10**9, 760)]:
        text = f"{times} * sampled(gaussian(sigma={sigma}), rate=0.01)"
        yield from epsilons(text, dp_sgd(sigma, mpf("0.01"), times), ["1e-5"])
    text = "2344 * sampled(gaussian(sigma=1), rate=256/60000)"
    parts = [(2344, ref.sampled_gaussian_replaced(1, RATE))]
    for d in ["1e-5", "1e-10"]:
        value, digits = ref.epsilon(parts, d)
        yield text, "replace", "epsilon", d, value, digits, "contour"
    yield from epsilons(text, dp_sgd(1, RATE, 2344), ["1e-5"])


def curve(text, directions):
    """Each direction by itself and the hull of both."""
    lines = {name: ref.Contour(parts, 1.0, 1.0) for name, parts in directions.items()}

    def profile(e):
        return max(line.delta(e) for line in lines.values())

    for alpha in ["0.01", "0.1", "0.5"]:
        for name, parts in directions.items():
            value, digits = ref.miss_rate(parts, alpha)
            yield text, name, "tradeoff", alpha, value, digits, "contour"
        value = ref.convexified(profile, alpha)
        yield text, "add-remove", "tradeoff", alpha, value, 22, "hull of contour"


def one_step(sigma, q, direction):
    """delta of one sampled Gaussian, any real eps, in closed form: a threshold on x."""
    sigma, q = mpf(sigma), mpf(q)

    def tail(x):
        mixed = (1 - q) * ref.normal_cdf(-x / sigma) + q * ref.normal_cdf((1 - x) / sigma)
        return mixed, ref.normal_cdf(-x / sigma)

    def threshold(ratio):
        return sigma**2 * log((ratio - 1 + q) / q) + mpf(1) / 2

    def remove(e):
        if exp(e) <= 1 - q:
            return 1 - exp(e)
        p, base = tail(threshold(exp(e)))
        return p - exp(e) * base

    def add(e):
        if exp(-e) <= 1 - q:
            return mpf(0)
        p, base = tail(threshold(exp(-e)))
        return (1 - base) - exp(e) * (1 - p)

    return remove if direction == "remove" else add


def few_steps():
    """One step in closed form, two steps as an integral of it, mixed ones also by contour."""
    text, q = "sampled(gaussian(sigma=1), rate=1/10)", mpf(1) / 10
    for name in ("remove", "add"):
        first = one_step(1, q, name)
        law = ref.sampled_gaussian(1, q, name)
        for e in ["0.05", "0.5"]:
            if first(mpf(e)) > 0:
                yield text, name, "delta", e, first(mpf(e)), FULL, "closed form"
        e = {"remove": "0.3", "add": "0.1"}[name]
        value, digits = integral(lambda x: exp(law.log_p(x)) * first(mpf(e) - law.loss(x)), kink(q, name, mpf(e)))
        yield "2 * " + text, name, "delta", e, value, digits, "quadrature of closed form"
    text += " + gaussian(sigma=2)"
    for name in ("remove", "add"):
        law = ref.sampled_gaussian(1, q, name)
        value = mp.quad(lambda x: exp(law.log_p(x)) * ref.gaussian_delta(mpf(1) / 2, 1 - law.loss(x)), range(-18, 22, 2))
        other, digits = ref.delta([(1, law), (1, ref.gaussian(2))], "1")
        yield text, name, "delta", "1", value, min(digits, ref.agreed(value, other)), "quadrature = contour"
    value = laplace_gaussian(mpf(1) / 2, mpf(1), mpf(1))
    other, digits = ref.delta([(1, ref.laplace(2)), (1, ref.gaussian(1))], "1")
    yield "laplace(scale=2) + gaussian(sigma=1)", "add-remove", "delta", "1", value, min(digits, ref.agreed(value, other)), "quadrature = contour"


def kink(q, name, e):
    """Where the second step's profile turns into its straight part: Z(x) = e - ln(1 - q) for
    remove, e + ln(1 - q) for add."""
    ratio = exp(e) / (1 - q) if name == "remove" else exp(-e) / (1 - q)
    return log((ratio - 1 + q) / q) + mpf(1) / 2


def integral(f, special):
    """Over the real line, on two meshes that break at a special point."""
    found = []
    for step in (2, 3):
        low, high = special - 8 * 3, special + 8 * 3
        count = int((high - low) / step)
        found.append(mp.quad(f, [low + i * mpf(step) for i in range(count + 1)]))
    return found[0], ref.agreed(*found)


def laplace_gaussian(mu, nu, e):
    def g(x):
        return ref.gaussian_delta(nu, x)

    atoms = g(e - mu) / 2 + exp(-mu) / 2 * g(e + mu)
    return atoms + mp.quad(lambda z: exp((z - mu) / 2) / 4 * g(e - z), [-mu, 0, mu])


def gaussians():
    mu = sqrt(mpf(1000)) / 30
    for d, guess in [("1e-12", 7.67), ("1e-15", 8.64), ("1e-20", 10.06), ("1e-50", 16.6)]:
        value = ref.solve(lambda e: ref.gaussian_delta(mu, e), d, guess - 0.5, guess + 0.5)
        other, digits = ref.epsilon([(1000, ref.gaussian(30))], d)
        yield "1000 * gaussian(sigma=30)", "add-remove", "epsilon", d, value, min(digits, ref.agreed(value, other)), "closed form = contour"
    for sigma, guess in [("2", 1.99), ("1", 4.38), ("0.5", 10)]:
        value = ref.solve(lambda e: ref.gaussian_delta(1 / mpf(sigma), e), "1e-5", guess - 0.3, guess + 0.3)
        yield f"gaussian(sigma={sigma})", "add-remove", "epsilon", "1e-5", value, FULL, "closed form"
    for e in ["0", "0.5", "1", "2", "4"]:
        yield "gaussian(sigma=1)", "add-remove", "delta", e, ref.gaussian_delta(1, e), FULL, "closed form"
    for alpha in ["0.05", "0.25", "0.5"]:
        value = ref.normal_cdf(ref.normal_quantile(1 - mpf(alpha)) - 1)
        yield "gaussian(sigma=1)", "add-remove", "tradeoff", alpha, value, FULL, "closed form"
    yield "gaussian(sigma=1)", "replace", "epsilon", "1e-5", ref.solve(lambda e: ref.gaussian_delta(2, e), "1e-5", 9.7, 10.3), FULL, "closed form"
    for text, d, guess in [("1", "1e-5", 3.73), ("0.5", "1e-6", 8.06), ("10", "1e-5", 0.5)]:
        sigma = 1 / ref.solve(lambda mu: ref.gaussian_delta(mu, text), d, 1 / (guess * 1.05), 1 / (guess * 0.95))
        yield "gaussian(sigma=?)", "add-remove", "calibration", f"{text} {d}", sigma, FULL, "closed form"


def laplaces():
    for e in ["0", "0.25", "0.9"]:
        yield "laplace(scale=1)", "add-remove", "delta", e, 1 - exp((mpf(e) - 1) / 2), FULL, "closed form"
    yield "laplace(scale=1)", "add-remove", "epsilon", "1e-6", 1 + 2 * log(1 - mpf("1e-6")), FULL, "closed form"
    curve_of = [("0.05", 1 - exp(mpf(1)) * mpf("0.05")), ("0.3", exp(mpf(-1)) / (4 * mpf("0.3"))), ("0.7", exp(mpf(-1)) * mpf("0.3"))]
    for alpha, value in curve_of:
        yield "laplace(scale=1)", "add-remove", "tradeoff", alpha, value, FULL, "closed form"
    for a in [2, 8]:
        value = log((a * exp(mpf(a - 1)) + (a - 1) * exp(mpf(-a))) / (2 * a - 1)) / (a - 1)
        yield "laplace(scale=1)", "add-remove", "renyi", str(a), value, FULL, "closed form"


def pures():
    yield "1000 * pure(eps=0.1)", "add-remove", "epsilon", "1e-6", ref.binomial_epsilon(1000, "0.1", "1e-6"), FULL, "binomial sum"
    yield "1000000 * pure(eps=0.003)", "add-remove", "epsilon", "1e-6", ref.binomial_epsilon(10**6, "0.003", "1e-6"), FULL, "binomial sum"
    yield "1000000000 * pure(eps=0.0001)", "add-remove", "epsilon", "1e-6", ref.binomial_epsilon(10**9, "0.0001", "1e-6"), FULL, "binomial sum"
    for eps, k, d in [("0.1", 30, "1e-6"), ("0.1", 100, "1e-5"), ("1", 100, "1e-5")]:
        yield f"{k} * pure(eps={eps})", "add-remove", "epsilon", d, ref.binomial_epsilon(k, eps, d), FULL, "binomial sum"
    one = ref.binomial_delta(30, "0.1", 1)
    yield "30 * pure(eps=0.1)", "add-remove", "delta", "1", one, FULL, "binomial sum"
    yield "30 * approx_dp(eps=0.1, delta=1e-6)", "add-remove", "delta", "1", 1 - (1 - mpf("1e-6")) ** 30 * (1 - one), FULL, "binomial sum"
    for a in [2, 8]:
        p = 1 / (1 + exp(mpf(-1)))
        value = log(p**a * (1 - p) ** (1 - a) + (1 - p) ** a * p ** (1 - a)) / (a - 1)
        yield "pure(eps=1)", "add-remove", "renyi", str(a), value, FULL, "closed form"
    yield from mixed_pures()
    yield from sampled_pures()


def mixed_pures():
    eps = ["0.1", "0.2", "0.3", "0.15", "0.25", "0.4", "0.05", "0.35"]
    atoms = [(mpf(0), mpf(1))]
    for e in eps:
        p = 1 / (1 + exp(-mpf(e)))
        atoms = [(z + s * mpf(e), w * c) for z, w in atoms for s, c in ((1, p), (-1, 1 - p))]
    # Sums of equal losses differ by rounding; 40 digits are plenty to merge them.
    merged = {}
    for z, w in atoms:
        merged[nstr(z, 40)] = merged.get(nstr(z, 40), 0) + w
    atoms = [(mpf(z), w) for z, w in merged.items()]
    text = " + ".join(f"pure(eps={e})" for e in eps)
    yield text, "add-remove", "delta", "0.8", ref.atoms_delta(atoms, "0.8"), FULL, "exhaustive sum"
    yield text, "add-remove", "epsilon", "1e-3", ref.atoms_epsilon(atoms, "1e-3"), FULL, "exhaustive sum"


def sampled_pures():
    """Each step answers with one of two losses, so the composition is binomial."""
    text, q, k = "100 * sampled(pure(eps=1), rate=1/10)", mpf(1) / 10, 100
    p0 = 1 / (1 + exp(mpf(-1)))
    q0 = 1 - p0
    p = [(1 - q) * q0 + q * p0, (1 - q) * p0 + q * q0]
    base = [q0, p0]
    for name, (num, den) in {"remove": (p, base), "add": (base, p)}.items():
        losses = [log(n / d) for n, d in zip(num, den)]
        atoms = [((k - l) * losses[0] + l * losses[1], mp.binomial(k, l) * num[0] ** (k - l) * num[1] ** l) for l in range(k + 1)]
        yield text, name, "epsilon", "1e-6", ref.atoms_epsilon(atoms, "1e-6"), FULL, "binomial sum"


def lattices():
    s2, n = mpf(100), 100
    width = 1700
    raw = [exp(-mpf(s) ** 2 / (2 * n * s2)) for s in range(-width, width + 1)]
    norm = mp.fsum(raw)  # a sum of discrete Gaussians is one to e^(-pi^2 sigma^2) < 1e-400
    atoms = [((n - 2 * mpf(s)) / (2 * s2), w / norm) for s, w in zip(range(-width, width + 1), raw)]
    for d in ["1e-6", "1e-12"]:
        yield "100 * discrete_gaussian(sigma=10)", "add-remove", "epsilon", d, ref.atoms_epsilon(atoms, d), 28, "lattice sum"
    small = small_discrete_gaussian()
    yield "8 * discrete_gaussian(sigma=1/2)", "add-remove", "epsilon", "1e-6", ref.atoms_epsilon(small, "1e-6"), 28, "lattice sum"
    a = mpf(1) / 20
    head = 1 / (1 + exp(-a))  # P(x <= 0)
    one = mp.tanh(a / 2)
    pmf = [head, one * exp(-a), one * exp(-2 * a), one * exp(-3 * a) / (1 - exp(-a))]
    total = ref.power(pmf, 100)
    atoms = [((300 - 2 * i) * a, w) for i, w in enumerate(total)]
    for d in ["1e-6", "1e-12"]:
        yield "100 * discrete_laplace(scale=20, sensitivity=3)", "add-remove", "epsilon", d, ref.atoms_epsilon(atoms, d), 28, "lattice sum"


def small_discrete_gaussian():
    """sigma = 1/2, so narrow that a sum is no discrete Gaussian: convolved."""
    reach = 9
    raw = [exp(-2 * mpf(x) ** 2) for x in range(-reach, reach + 1)]
    pmf = [w / mp.fsum(raw) for w in raw]
    total = ref.power(pmf, 8)
    return [(2 * (8 - 2 * mpf(i - 8 * reach)), w) for i, w in enumerate(total)]


def poissons():
    for m1, m2 in [(1, 2), (4, 9), (100, 110)]:
        text, upto = f"poisson(mu1={m1}, mu2={m2})", 160 + 4 * m2
        p, q = ref.poisson_pmf(m1, upto), ref.poisson_pmf(m2, upto)
        for alpha in ["0.05", "0.25"]:
            yield text, "remove", "tradeoff", alpha, ref.staircase_curve(p, q, alpha), FULL, "sum"
            yield text, "add", "tradeoff", alpha, ref.staircase_curve(q, p, alpha), FULL, "sum"
        up = [(log(b / a), b) for a, b in zip(p, q)]
        down = [(log(a / b), a) for a, b in zip(p, q)]
        for e in ["0.5", "1"]:
            yield text, "remove", "delta", e, ref.atoms_delta(up, e), FULL, "sum"
            if ref.atoms_delta(down, e) > 0:
                yield text, "add", "delta", e, ref.atoms_delta(down, e), FULL, "sum"
    text, (p, q) = "poisson(mu1=1, mu2=2)", (ref.poisson_pmf(1, 160), ref.poisson_pmf(2, 160))
    up = [(log(b / a), b) for a, b in zip(p, q)]
    down = [(log(a / b), a) for a, b in zip(p, q)]
    for alpha in ["0.3", "0.4"]:
        value = ref.convexified(lambda e: max(ref.atoms_delta(up, e), ref.atoms_delta(down, e)), alpha, 0, 3)
        yield text, "add-remove", "tradeoff", alpha, value, 12, "hull of sums"
    for a in [2, 8]:
        yield text, "remove", "renyi", str(a), (mpf(2) ** a - 2 * a - (1 - a)) / (a - 1), FULL, "closed form"
        yield text, "add", "renyi", str(a), (mpf(2) ** (1 - a) - a - 2 * (1 - a)) / (a - 1), FULL, "closed form"


def infinitely_divisible():
    text, s2 = "infinitely_divisible(s2=1/4, jumps=[(1, 2)])", mpf(1) / 4
    for e in ["0", "0.5", "1", "2"]:
        yield text, "remove", "delta", e, gaussian_and_jumps(s2, [(1, 2)], mpf(e)), FULL, "sum"
        if e != "0":
            yield text, "add", "delta", e, gaussian_and_jumps(s2, [(2, 1)], mpf(e)), FULL, "sum"
    for alpha in ["0.05", "0.25", "0.5"]:
        yield text, "remove", "tradeoff", alpha, curve_of_jump(s2, 1, 2, mpf(alpha)), FULL, "sum"
    text, jumps = "infinitely_divisible(s2=0, jumps=[(4/5, 1), (3/10, 1/5)])", [(mpf(4) / 5, mpf(1)), (mpf(3) / 10, mpf(1) / 5)]
    back = [(b, a) for a, b in jumps]
    for e in ["0.25", "0.5"]:
        yield text, "remove", "delta", e, jumps_only(jumps, mpf(e)), FULL, "sum"
        yield text, "add", "delta", e, jumps_only(back, mpf(e)), FULL, "sum"


def gaussian_and_jumps(s2, jumps, e):
    """The numerator of the loss has the second rate of the one jump."""
    (a, b), = jumps
    a, b, s = mpf(a), mpf(b), sqrt(s2)
    pa, pb = ref.poisson_pmf(a, 120), ref.poisson_pmf(b, 120)
    middles = [-s2 / 2 - (b - a) + k * log(b / a) for k in range(120)]
    terms = [pb[k] * ref.normal_cdf((m + s2 - e) / s) - exp(e) * pa[k] * ref.normal_cdf((m - e) / s) for k, m in enumerate(middles)]
    return mp.fsum(terms)


def curve_of_jump(s2, a, b, alpha):
    a, b, s = mpf(a), mpf(b), sqrt(s2)
    pa, pb = ref.poisson_pmf(a, 90), ref.poisson_pmf(b, 90)
    middles = [-s2 / 2 - (b - a) + k * log(b / a) for k in range(90)]

    def false_alarms(t):
        return mp.fsum(p * ref.normal_cdf((m - t) / s) for p, m in zip(pa, middles))

    t = mp.findroot(lambda x: false_alarms(x) - alpha, (mpf(-1), mpf(1)), solver="anderson", tol=mpf(10) ** -80, verify=False)
    return mp.fsum(p * ref.normal_cdf((t - m - s2) / s) for p, m in zip(pb, middles))


def jumps_only(jumps, e):
    (a1, b1), (a2, b2) = jumps
    drift = (b1 - a1) + (b2 - a2)
    first, second = ref.poisson_pmf(b1, 60), ref.poisson_pmf(b2, 60)
    atoms = [(i * log(b1 / a1) + j * log(b2 / a2) - drift, x * y) for i, x in enumerate(first) for j, y in enumerate(second)]
    return ref.atoms_delta(atoms, e)


def renyis():
    """One step of DP-SGD at a whole order: a binomial sum."""
    q, a = mpf("0.01"), 8
    total = mp.fsum(mp.binomial(a, k) * (1 - q) ** (a - k) * q**k * exp(mpf(k * (k - 1)) / 2) for k in range(a + 1))
    text = "sampled(gaussian(sigma=1), rate=0.01)"
    yield text, "remove", "renyi", str(a), log(total) / (a - 1), FULL, "binomial sum"
    yield "1000 * " + text, "remove", "renyi", str(a), 1000 * log(total) / (a - 1), FULL, "binomial sum"
    yield "gaussian(sigma=2)", "add-remove", "renyi", "3", mpf(3) / 8, FULL, "closed form"


def w2():
    """310 mechanisms, no two alike: (text, law in one direction)."""
    for i in range(100):
        yield f"laplace(scale={310 + i}/10)", lambda d, i=i: ref.laplace(mpf(310 + i) / 10)
    for i in range(100):
        yield f"gaussian(sigma={621 + 2 * i}/20)", lambda d, i=i: ref.gaussian(mpf(621 + 2 * i) / 20)
    for i in range(100):
        yield f"pure(eps={265 + i}/10000)", lambda d, i=i: ref.pure(mpf(265 + i) / 10000)
    for i in range(10):
        yield (f"sampled(gaussian(sigma={10 + i}/10), rate={10 + i}/1000)",
               lambda d, i=i: ref.sampled_gaussian(mpf(10 + i) / 10, mpf(10 + i) / 1000, d))


def heterogeneous():
    items = list(w2())
    with open("vectors/w2.txt", "w", encoding="utf-8", newline="\n") as file:
        file.write(" +\n".join(text for text, _ in items) + "\n")
    lines = {d: two_lines([(1, law(d)) for _, law in items], "1e-6") for d in ("remove", "add")}

    def answer(question):
        found = max(([question(line) for line in pair] for pair in lines.values()), key=lambda pair: pair[0])
        return found[0], ref.agreed(*found)

    for d in ["1e-6", "1e-10"]:
        value, digits = answer(lambda line: line.epsilon(d))
        yield "@w2.txt", "add-remove", "epsilon", d, value, digits, "contour"
    for e in ["0.5", "1", "1.5", "2"]:
        value, digits = answer(lambda line: line.delta(mpf(e)))
        yield "@w2.txt", "add-remove", "delta", e, value, digits, "contour"


def two_lines(parts, delta):
    """Lines that serve all questions nearby, for a table of 310 laws is slow to make."""
    c, e = ref.saddle(parts, delta=delta)
    return ref.Contour(parts, c, e), ref.Contour(parts, c, e, shift=0.9, fineness=0.85)


def calibration():
    """sigma of DP-SGD for (1, 1e-6): secant steps on eps(sigma), which remove decides."""
    def miss(sigma):
        c, e = ref.saddle([(14062, law := ref.sampled_gaussian(sigma, RATE, "remove"))], delta="1e-6")
        return ref.Contour([(14062, law)], c, e).epsilon("1e-6") - 1

    a, b = mpf("2.2643"), mpf("2.26431")
    fa, fb = miss(a), miss(b)
    while abs(b - a) > mpf(10) ** -26:
        a, fa, b = b, fb, b - fb * (b - a) / (fb - fa)
        fb = miss(b)
    yield "14062 * sampled(gaussian(sigma=?), rate=256/60000)", "add-remove", "calibration", "1 1e-6", b, 24, "secant on contour"


SECTIONS = [gaussians, laplaces, pures, lattices, poissons, infinitely_divisible, renyis, few_steps, sampled_gaussians, heterogeneous, calibration]


def main():
    with open("vectors/account.csv", "w", encoding="utf-8", newline="\n") as file:
        file.write("# Written by vectors/account.py with mpmath; see there. Do not edit.\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["expression", "neighbours", "kind", "argument", "value", "digits", "method"])
        for section in SECTIONS:
            for text, neighbours, kind, argument, value, digits, method in section():
                writer.writerow([text, neighbours, kind, argument, nstr(value, digits, strip_zeros=False), digits, method])
            file.flush()


if __name__ == "__main__":
    main()
