#!/usr/bin/env python3
"""Writes vectors/mechanism.csv: reference values for the mechanisms.

Source: mpmath 1.3.0 at 60 digits; no code of this repository. Laws are summed term by term,
selections enumerated order by order, smooth bounds searched over all data sets, transcripts
added up over all noises: never by the formulas that crates/mechanism uses.
Run from the root of the repository (about a minute of CPU):  python3 vectors/mechanism.py

Columns
  quantity   what is computed; see the functions below
  arguments  decimals or fractions, exact, separated by spaces; lists by commas
  value      30 digits, or an integer
crates/mechanism/tests/vectors.rs checks every row.
"""
import csv
from fractions import Fraction
from itertools import permutations

from mpmath import betainc, binomial, erfc, exp, factorial, findroot, log, mp, mpf, nstr, quad, sqrt

mp.dps = 60


def q(text):
    """The number that a text means."""
    f = Fraction(text)
    return mpf(f.numerator) / f.denominator


# Noise on the integers, by its weights.

def weights(law, parameters):
    if law == "laplace":
        b = q(parameters[0])
        return (lambda k: exp(-abs(k) / b)), int(150 * b) + 50
    if law == "gaussian":
        s = q(parameters[0])
        return (lambda k: exp(-mpf(k) ** 2 / (2 * s * s))), int(18 * s) + 20
    eps, period, inner = q(parameters[0]), int(parameters[1]), int(parameters[2])

    def stair(k):
        level = 0
        edge = inner
        while abs(k) >= edge:
            level, edge = level + 1, edge + period
        return exp(-level * eps)

    return stair, int(150 / eps + 2) * period


def law_of(law, parameters):
    weight, far = weights(law, parameters)
    table = [weight(k) for k in range(far)]
    total = table[0] + 2 * sum(table[1:])
    return [w / total for w in table]


def noise():
    laws = [("laplace", ["1"]), ("laplace", ["1/2"]), ("laplace", ["7/3"]), ("laplace", ["20"]),
            ("gaussian", ["1/2"]), ("gaussian", ["1"]), ("gaussian", ["19/10"]), ("gaussian", ["3"]),
            ("gaussian", ["25/2"]), ("staircase", ["1", "1", "1"]), ("staircase", ["1", "4", "2"]),
            ("staircase", ["3", "10", "3"])]
    for name, parameters in laws:
        chances = law_of(name, parameters)
        yield f"{name}_variance", parameters, 2 * sum(k * k * p for k, p in enumerate(chances))
        for t in [1, 2, 5, 20]:
            yield f"{name}_beyond", parameters + [str(t)], 2 * sum(chances[t:])
        for beta in ["1/20", "1e-3"]:
            w, tail = 0, 2 * sum(chances[1:])
            while tail > q(beta):
                w += 1
                tail -= 2 * chances[w]
            yield f"{name}_half_width", parameters + [beta], w


# Thresholds and keys.

def thresholds():
    def leak(chances, t, keys, rows):
        at_least = t - rows
        one = sum(chances[at_least:]) if at_least > 0 else 1 - sum(chances[1 - at_least:])
        return 1 - (1 - one) ** keys

    for name, scale, keys, rows, t in [("laplace", "1", 1, 1, 10), ("laplace", "2", 2, 1, 30), ("laplace", "3", 1, 3, 3),
                                       ("gaussian", "1", 1, 1, 5), ("gaussian", "4", 3, 2, 20), ("gaussian", "3", 2, 1, 1)]:
        yield f"{name}_leak", [scale, str(keys), str(rows), str(t)], leak(law_of(name, [scale]), t, keys, rows)
    for eps, delta, keys, rows in [("1", "1e-6", 1, 1), ("1", "1e-6", 2, 1), ("1/2", "1e-8", 3, 2), ("2", "1/10", 1, 1)]:
        scale = Fraction(keys * rows) / Fraction(eps)
        chances = law_of("laplace", [str(scale)])
        t = 1
        while leak(chances, t, keys, rows) > q(delta):
            t += 1
        yield "least_threshold", [eps, delta, str(keys), str(rows)], t


def keys():
    for eps, delta, places in [("1", "1e-6", [1, 2, 5, 14, 20, 27]), ("1/10", "1/1000", [1, 3, 10, 30]), ("3", "1e-9", [1, 4, 8])]:
        e, d = exp(q(eps)), q(delta)
        chance, n = mpf(0), 0
        while chance < 1:
            if n in places:
                yield "key_chance", [eps, delta, str(n)], chance
            # The largest chance that both inequalities of (eps, delta) allow.
            chance, n = min(e * chance + d, 1 - (1 - chance - d) / e, mpf(1)), n + 1
        yield "keys_certain_from", [eps, delta], n


# Selection. The rate is eps/range; all chances of one list are rows of their own.

def exponential(rate, scores):
    top = max(scores)
    w = [exp(rate * (s - top)) for s in scores]
    return [x / sum(w) for x in w]


def permute_and_flip(rate, scores):
    """Over all orders: the first whose coin shows heads; the best one's always does."""
    top, chances = max(scores), [mpf(0)] * len(scores)
    orders = list(permutations(range(len(scores))))
    for order in orders:
        left = mpf(1)
        for i in order:
            heads = exp(rate * (scores[i] - top))
            chances[i] += left * heads / len(orders)
            left *= 1 - heads
            if heads == 1:
                break
    return chances


def noisy_max(rate, scores):
    """Over all integers that the winner may reach; of equal ones the first wins."""
    far = int(80 / rate) + 10
    table = law_of("laplace", [str(Fraction(1) / Fraction(rate_text(rate)))])
    mass = {k: table[abs(k)] if abs(k) < len(table) else mpf(0) for k in range(-far, far + 1)}
    below, running = {}, mpf(0)
    for k in range(-far, far + 1):
        below[k] = running
        running += mass[k]

    def less(k):
        return mpf(0) if k < -far else below[k] if k <= far else mpf(1)

    chances = []
    for i, s in enumerate(scores):
        total = mpf(0)
        for z in range(-far, far + 1):
            value, p = s + z, mass[z]
            for j, other in enumerate(scores):
                if j != i:
                    # Those before must be smaller, those after at most equal.
                    p *= less(value - other + (0 if j < i else 1))
            total += p
        chances.append(total)
    return chances


def rate_text(rate):
    return Fraction(str(rate)) if not isinstance(rate, Fraction) else rate


def selection():
    for eps, scores in [("1", [3, 2, 0]), ("2", [0, 0, 1, -4]), ("1/2", [5, -1, 5]), ("3", [10, 9, 9, 9])]:
        for name, law in [("exponential", exponential), ("permute_and_flip", permute_and_flip)]:
            for i, p in enumerate(law(q(eps) / 2, scores)):
                yield name, [eps, ",".join(map(str, scores)), str(i)], p
        for i, p in enumerate(noisy_max(Fraction(eps) / 2, scores)):
            yield "noisy_max", [eps, ",".join(map(str, scores)), str(i)], p


def quantiles():
    """A fraction of whole numbers on 0..=4, add-remove: R = 2 max(f, 1-f)."""
    for eps, fraction, data in [("1", "1/2", [1, 3, 3]), ("2", "1/4", [0, 4, 4, 1]), ("1", "1/2", [])]:
        f = Fraction(fraction)
        spread = 2 * max(f, 1 - f)
        energies = []
        for y in range(5):
            low, high = sum(x < y for x in data), sum(x <= y for x in data)
            wanted = f * len(data)
            distance = min(abs(Fraction(r) - wanted) for r in [low, high] + ([wanted] if low <= wanted <= high else []))
            energies.append(q(eps) * q(str(distance)) / q(str(spread)))
        w = [exp(-x) for x in energies]
        for y, x in enumerate(w):
            yield "quantile", [eps, fraction, ",".join(map(str, data)), str(y)], x / sum(w)


# Randomised response.

def both(x, n, a, b):
    """The law of Bin(x, a) + Bin(n-x, b)."""
    one = [binomial(x, k) * a**k * (1 - a) ** (x - k) for k in range(x + 1)]
    two = [binomial(n - x, k) * b**k * (1 - b) ** (n - x - k) for k in range(n - x + 1)]
    sums = [mpf(0)] * (n + 1)
    for i, p in enumerate(one):
        for j, r in enumerate(two):
            sums[i + j] += p * r
    return sums


def responses():
    for eps, n, y in [("1", 20, 9), ("2", 12, 3), ("1/2", 30, 14)]:
        b = 1 / (1 + exp(q(eps)))
        a = 1 - b
        yield "response_estimate", [eps, str(n), str(y)], (y - n * b) / (a - b)
        laws = [both(x, n, a, b) for x in range(n + 1)]
        mean = sum(k * p for k, p in enumerate(laws[n // 3]))
        second = sum(k * k * p for k, p in enumerate(laws[n // 3]))
        yield "response_variance", [eps, str(n), str(n // 3)], (second - mean**2) / (a - b) ** 2
        kept = [x for x in range(n + 1) if sum(laws[x][y:]) > mpf("0.025") and sum(laws[x][: y + 1]) > mpf("0.025")]
        yield "response_lower", [eps, str(n), str(y)], min(kept)
        yield "response_upper", [eps, str(n), str(y)], max(kept)
    for zeros, ones, p, r in [(2, 1, "1/4", "1/2"), (10, 15, "1/5", "1/3"), (40, 3, "1/100", "9/10")]:
        law = both(ones, zeros + ones, q(r), q(p))
        for flips in [0, 3, 9]:
            if flips <= zeros + ones:
                yield "flips", [str(zeros), str(ones), p, r, str(flips)], law[flips]
                yield "flips_at_least", [str(zeros), str(ones), p, r, str(flips)], sum(law[flips:])


# Poisson.

def poisson():
    for n in [0, 10, 17, 18, 19, 20]:
        yield "slide", ["4", "9", "2", "20", str(n)], 9 * (mpf(9) / 4) ** (mpf(n - 20) / 2)
        yield "decreasing", ["4", "9", "2", "20", str(n)], 9 * (mpf(9) / 4) ** (mpf(-n) / 2)
    for n in [6, 9, 10, 11, 12, 15]:
        t = mpf(n - 10) / 2
        whole = 0 if t < 0 else int(t)
        yield "hybrid", ["4", "9", "2", "10", str(n)], whole * 5 + 4 * (mpf(9) / 4) ** (t - whole)
    for y in [0, 1, 5, 60]:
        def at_most(rate, k):
            return exp(-rate) * sum(rate**i / factorial(i) for i in range(k + 1))
        half = mpf("0.025")
        low = mpf(0) if y == 0 else findroot(lambda x: 1 - at_most(x, y - 1) - half, (y - 2 * sqrt(mpf(y)) + 1.5, y + mpf("0.1")), solver="anderson", tol=1e-50)
        high = findroot(lambda x: at_most(x, y) - half, (y + 1, y + 2 * sqrt(mpf(y) + 1) + 3), solver="anderson", tol=1e-50)
        yield "garwood_lower", [str(y)], low
        yield "garwood_upper", [str(y)], high


# Streams.

def sparse_vectors():
    """Laplace, monotone, one Above, threshold 0: chance that the first Above is the j-th."""
    for e1, e2, values in [("1/2", "1/2", [0, 1, -1]), ("1", "2", [-2, 0, 3])]:
        one, two = (law_of("laplace", [str(1 / Fraction(e))]) for e in (e1, e2))
        at_least = {}
        far = 120
        for t in range(-far, far + 1):
            at_least[t] = sum(two[t:]) if t > 0 else 1 - sum(two[1 - t:])
        for j in range(len(values) + 1):
            total = mpf(0)
            for z in range(-100, 101):
                p = one[abs(z)]
                for value in values[:j]:
                    p *= 1 - at_least[z - value]
                if j < len(values):
                    p *= at_least[z - values[j]]
                total += p
            yield "first_above", [e1, e2, ",".join(map(str, values)), str(j)], total


def counters():
    def node(level):
        """The best unbiased mean of a noise of variance 1 and of two children."""
        return mpf(1) if level == 0 else 1 / (1 + 1 / (2 * node(level - 1)))

    variance = 2 * sum(k * k * p for k, p in enumerate(law_of("laplace", ["3"])))
    for t in [1, 2, 3, 4, 7, 8, 15]:
        total = sum(node(level) for level in range(5) if t >> level & 1)
        yield "tree_variance", ["3", "15", str(t)], total * variance
    for band, times in [(8, [1, 2, 5, 8]), (3, [1, 4, 12])]:
        # Coefficients of 1/sqrt(1-z), rounded to 2^-20; the matrix of ones times the inverse.
        c = [Fraction(round(Fraction(int(binomial(2 * k, k)), 4**k) * 2**20), 2**20) for k in range(band)]
        size = max(times)
        inverse = [Fraction(1)]
        for t in range(1, size):
            inverse.append(-sum(c[k] * inverse[t - k] for k in range(1, min(band, t + 1))))
        b = [sum(inverse[: t + 1]) for t in range(size)]
        for t in times:
            yield "matrix_variance", ["5", str(size), str(band), str(t)], 25 * q(str(sum(x * x for x in b[:t])))
        yield "matrix_square", [str(band)], q(str(sum(x * x for x in c)))


# Local sensitivity, by looking at all data sets of 0..=4.

TOP = 4


def median(x):
    x = sorted(x)
    return x[(len(x) + 1) // 2 - 1] if x else 0


def around(x, relation):
    x = list(x)
    out = set()
    for i in range(len(x)):
        rest = x[:i] + x[i + 1:]
        if relation == "add-remove":
            out.add(tuple(sorted(rest)))
        else:
            out.update(tuple(sorted(rest + [v])) for v in range(TOP + 1))
    if relation == "add-remove":
        out.update(tuple(sorted(x + [v])) for v in range(TOP + 1))
    return out


def local(x, relation, cache={}):
    if (x, relation) not in cache:
        cache[x, relation] = max(abs(median(x) - median(y)) for y in around(x, relation))
    return cache[x, relation]


def smooth():
    for relation, data, beta in [("add-remove", (0, 2, 4), "1/2"), ("add-remove", (1, 1, 1, 1), "1/2"), ("add-remove", (), "1"),
                                 ("replace", (0, 2, 4), "1/2"), ("replace", (1, 1, 1, 1, 1), "1/4"), ("replace", (0, 4, 4), "1"),
                                 ("replace", (2, 2, 3, 3), "1/2")]:
        seen, layer, best = {data}, {data}, mpf(1)
        for k in range(7):
            best = max([best] + [local(y, relation) * exp(-q(beta) * k) for y in layer])
            layer = {z for y in layer for z in around(y, relation)} - seen
            seen |= layer
        yield "smooth_median", [relation, ",".join(map(str, data)), beta], best
    for eps, degrees, beta in [("1", 4, "1/8"), ("2", 2, "1/10"), ("1/2", 8, "1/100")]:
        # The steepest slope of the logarithm of the density, found where it is flat.
        steepest = max((degrees + 1) * t / degrees / (1 + t * t / degrees) for t in [sqrt(mpf(degrees))])
        yield "student_shift", [eps, str(degrees), beta], (q(eps) - degrees * q(beta)) / steepest
    for rho, sigma, beta in [("1/2", "1/2", "1/4"), ("1/50", "1", "1/20")]:
        slope = quad(lambda y: exp(-2 * q(sigma) * y - y * y / 2), [-40, -5, 0, 5, 40]) / quad(
            lambda y: exp(-q(sigma) * y - y * y / 2), [-40, -5, 0, 5, 40])
        yield "laplace_log_normal_shift", [rho, sigma, beta], (sqrt(2 * q(rho)) - q(beta) / q(sigma)) / slope

    def tail(x):
        return erfc(x / sqrt(mpf(2))) / 2

    for eps, delta, beta in [("1", "1e-6", "1/100"), ("2", "1/1000", "1/20")]:
        half, b = q(eps) / 2, q(beta)
        edge = findroot(lambda x: -b + x * x * (1 - exp(-2 * b)) / 2 - half, 10)
        stretched = 2 * (tail(edge * exp(-b)) - exp(half) * tail(edge))
        left = q(delta) - exp(half) * stretched

        def moved(s):
            x = half / s + s / 2
            return tail(x - s) - exp(half) * tail(x)

        low, high = mpf("1e-6"), mpf(10)
        for _ in range(220):
            middle = (low + high) / 2
            low, high = (middle, high) if moved(middle) <= left else (low, middle)
        yield "normal_shift", [eps, delta, beta], low
    for degrees, miss in [(4, "1/20"), (2, "1e-6"), (10, "1/100")]:
        low, high = mpf(0), mpf(10) ** 8
        for _ in range(230):
            t = (low + high) / 2
            two_sided = betainc(mpf(degrees) / 2, mpf(1) / 2, 0, degrees / (degrees + t * t), regularized=True)
            low, high = (t, high) if two_sided > q(miss) else (low, t)
        yield "student_half_width", [str(degrees), miss], low


def tests():
    for eps, delta in [("1", "1e-6"), ("1/2", "1e-6"), ("2", "1/10"), ("1/10", "1e-9"), ("1", "3/4")]:
        chances = law_of("laplace", [str(1 / Fraction(eps))])
        t, passing = 0, sum(chances[1:])
        while passing > q(delta):
            t += 1
            passing -= chances[t]
        yield "stability_threshold", [eps, delta], t


# Posteriors.

def posteriors():
    def moments(parts):
        total = sum(w for w, _, _ in parts)
        mean = sum(w * m for w, m, _ in parts) / total
        return mean, sqrt(sum(w * (v + (m - mean) ** 2) for w, m, v in parts) / total)

    for eps, a, b, n, noisy in [("1", "1", "1", 6, 4), ("1/2", "1/2", "2", 10, -1)]:
        fa, fb = q(a), q(b)
        parts = []
        for s in range(n + 1):
            x, y = fa + s, fb + n - s
            w = binomial(n, s) * mp.beta(x, y) * exp(-q(eps) * abs(noisy - s))
            parts.append((w, x / (x + y), x * y / (x + y) ** 2 / (x + y + 1)))
        mean, deviation = moments(parts)
        yield "bernoulli_mean", [eps, a, b, str(n), str(noisy)], mean
        yield "bernoulli_deviation", [eps, a, b, str(n), str(noisy)], deviation
    for eps, shape, rate, most, n, noisy in [("1", "1", "1/8", 3, 4, 7)]:
        k, r = q(shape), q(rate)
        parts = []
        for s in range(0, 700):
            w = mp.gamma(k + s) / factorial(s) * (n / (r + n)) ** s * exp(-q(eps) * abs(noisy - s) / most)
            parts.append((w, (k + s) / (r + n), (k + s) / (r + n) ** 2))
        mean, deviation = moments(parts)
        yield "poisson_rate_mean", [eps, shape, rate, str(most), str(n), str(noisy)], mean
        yield "poisson_rate_deviation", [eps, shape, rate, str(most), str(n), str(noisy)], deviation


PARTS = [noise, thresholds, keys, selection, quantiles, responses, poisson, sparse_vectors, counters, smooth, tests, posteriors]


def main():
    with open("vectors/mechanism.csv", "w", encoding="utf-8", newline="\n") as file:
        file.write("# Written by vectors/mechanism.py with mpmath; see there. Do not edit.\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["quantity", "arguments", "value"])
        for part in PARTS:
            for quantity, arguments, value in part():
                text = str(value) if isinstance(value, int) else nstr(value, 30)
                writer.writerow([quantity, " ".join(arguments), text])


main()
