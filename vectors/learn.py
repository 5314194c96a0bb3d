#!/usr/bin/env python3
"""Writes vectors/learn.csv: reference values for the learners.

Source: mpmath 1.3.0 at 30 digits, and double precision for what is only compared; no code of this
repository. Every number is computed in two ways
that share nothing but the model, and the script stops if they disagree: posteriors by summing over what
the data may have been and by integrating over the parameter; standard errors by the formula and by
differentiating the solution; sensitivities by a bound and by trying all corners; means of random
numbers of runs by the formula and term by term; sensitivities of bands by the formula and by
trying all patterns.
Run from the root of the repository (some seconds of CPU):  python3 vectors/learn.py

Columns
  quantity   what is computed; see the functions below
  arguments  decimals or fractions, exact, separated by spaces; lists by commas
  value      20 digits, or an integer
crates/learn/tests/vectors.rs checks every row, or names the module beside whose code it is checked.
"""
import csv
import math
from fractions import Fraction
from itertools import combinations, product

from mpmath import beta, binomial, erfc, exp, factorial, gamma, log, matrix, mp, mpf, nstr, pi, quad, sqrt

mp.dps = 30


def q(text):
    """The number that a text means."""
    f = Fraction(text)
    return mpf(f.numerator) / f.denominator


def agree(one, other, digits=12):
    if abs(one - other) > mpf(10) ** -digits * max(1, abs(one)):
        raise SystemExit(f"{nstr(one, 20)} is not {nstr(other, 20)}")
    return one


def noise(law, size):
    """Weights of noise on the integers, up to a constant."""
    size = q(size)
    if law == "laplace":
        return lambda k: exp(-abs(mpf(k)) / size), int(35 * size) + 10
    return lambda k: exp(-mpf(k) ** 2 / (2 * size * size)), int(9 * size) + 10


def moments(parts):
    """Mean and deviation of a mixture of (weight, mean, second moment)."""
    total = sum(w for w, _, _ in parts)
    mean = sum(w * m for w, m, _ in parts) / total
    return mean, sqrt(sum(w * s for w, _, s in parts) / total - mean ** 2)


def integrated(density, low, high, at=lambda t: t, steps=2000):
    """Mean and deviation of at(t) for a density of t known up to a constant: Simpson's rule."""
    sums = [0.0, 0.0, 0.0]
    for k in range(steps + 1):
        t = low + (high - low) * k / steps
        height = density(t) * (1 if k in (0, steps) else 4 if k % 2 else 2)
        for power in range(3):
            sums[power] += height * at(t) ** power
    mean = sums[1] / sums[0]
    return mean, math.sqrt(sums[2] / sums[0] - mean ** 2)


def angle(seen, a, b):
    """Beta(a, b) times what is seen, where the chance is sin² of an angle: no spikes for a, b >= 1/2."""
    chance = lambda t: math.sin(t) ** 2
    density = lambda t: math.sin(t) ** (2 * a - 1) * math.cos(t) ** (2 * b - 1) * seen(chance(t))
    return integrated(density, 0.0, math.pi / 2, chance)


def both(name, arguments, one, other, digits=8):
    yield name + "_mean", arguments, agree(one[0], other[0], digits)
    yield name + "_deviation", arguments, agree(one[1], other[1], digits)


def beta_parts(a, b):
    mean = a / (a + b)
    return mean, mean * (a + 1) / (a + b + 1)


def chances():
    """Yeses of n records, n public; the prior is Beta(a, b)."""
    cases = [("laplace", "1", "4", "10", "1", "1"), ("laplace", "10", "-3", "20", "2", "3"),
             ("gaussian", "3", "9", "12", "1/2", "1/2"), ("gaussian", "7/2", "40", "30", "1", "2")]
    for case in cases:
        law, size, yes, n, a, b = case
        weight, _ = noise(law, size)
        yes, n, a, b = int(yes), int(n), q(a), q(b)
        parts = [(binomial(n, s) * beta(a + s, b + n - s) * weight(yes - s), *beta_parts(a + s, b + n - s))
                 for s in range(n + 1)]

        weights = [float(binomial(n, s) * weight(yes - s)) for s in range(n + 1)]
        seen = lambda x: sum(w * x ** s * (1 - x) ** (n - s) for s, w in enumerate(weights))
        yield from both("chance", case, moments(parts), angle(seen, float(a), float(b)))


def chances_of_both():
    """Yeses and noes, all numbers of records equally likely beforehand."""
    cases = [("laplace", "1", "5", "9", "1", "1"), ("laplace", "4", "-2", "12", "2", "1"),
             ("gaussian", "2", "7", "3", "1", "1")]
    for case in cases:
        law, size, yes, no, a, b = case
        weight, far = noise(law, size)
        yes, no, a, b = int(yes), int(no), q(a), q(b)
        some = [(s, weight(yes - s)) for s in range(max(0, yes + far) + 1)]
        none = [(f, weight(no - f)) for f in range(max(0, no + far) + 1)]
        parts = [(binomial(s + f, s) * beta(a + s, b + f) * v * w, *beta_parts(a + s, b + f))
                 for s, v in some for f, w in none]
        ways = [[float(binomial(s + f, s) * v * w) for f, w in none] for s, v in some]

        def seen(x):
            total = 0.0
            for s, row in enumerate(ways):
                inner = 0.0
                for c in reversed(row):
                    inner = inner * (1 - x) + c
                total += x ** s * inner
            return total

        yield from both("chance_of_both", case, moments(parts), angle(seen, float(a), float(b)))


def rates():
    """A sum of Poisson counts, n public; the prior is Gamma(shape, rate)."""
    for case in [("laplace", "3", "20", "8", "2", "1"), ("gaussian", "5", "-4", "6", "2", "1/2")]:
        law, size, total, n, shape, rate = case
        weight, far = noise(law, size)
        total, n, shape, rate = int(total), int(n), q(shape), q(rate)
        possible = range(max(total, 0) + far)
        chance = lambda s: gamma(shape + s) / factorial(s) * (n / (rate + n)) ** s
        parts = [(chance(s) * weight(total - s), (shape + s) / (rate + n),
                  (shape + s) * (shape + s + 1) / (rate + n) ** 2) for s in possible]

        ways = [(s, float(log(weight(total - s)) - log(factorial(s)))) for s in possible]

        def density(x):
            if x == 0.0:
                return 0.0
            seen = sum(math.exp(s * math.log(n * x) - n * x + w) for s, w in ways)
            return x ** (float(shape) - 1) * math.exp(-float(rate) * x) * seen

        yield from both("rate", case, moments(parts), integrated(density, 0.0, 25.0, steps=4000), 6)


def means():
    """A sum of n normal numbers with Gaussian noise: prior (m0, v0), variance s2."""
    for case in [("12", "5", "4", "1/2", "4", "9/4"), ("-30", "20", "50", "3", "1", "16")]:
        total, size, n, m0, v0, s2 = (q(x) for x in case)
        spread = n * s2 + size ** 2
        v = 1 / (1 / v0 + n ** 2 / spread)
        m = v * (m0 / v0 + n * total / spread)
        near, far, wide, most = (float(x) for x in (m0, total, 2 * v0, 2 * spread))
        density = lambda x: math.exp(-(x - near) ** 2 / wide - (far - float(n) * x) ** 2 / most)
        reach = 12 * math.sqrt(v)
        yield from both("mean", case, (m, sqrt(v)), integrated(density, float(m) - reach, float(m) + reach))


def linear():
    """The solution of noisy normal equations, with standard errors. Arguments: the upper triangle of the
    moments of (1, x1, x2, y), row by row, and the deviation of their noise. Values are of (1, x1, x2)."""
    upper = ["5000", "310", "-820", "1400", "1900", "260", "1010", "2400", "-900", "1300"]
    for deviation in ["0", "20", "37/2"]:
        noisy = [q(x) for x in upper]
        places = [(i, j) for i in range(4) for j in range(i, 4)]

        def solved(values):
            table = dict(zip(places, values))
            at = lambda i, j: table[min(i, j), max(i, j)]
            a = matrix([[at(i, j) for j in range(3)] for i in range(3)])
            b = matrix([at(i, 3) for i in range(3)])
            return a, b, mp.lu_solve(a, b)

        a, b, theta = solved(noisy)
        left = noisy[-1] - sum(theta[i] * b[i] for i in range(3))
        residual = max(left / noisy[0], 0)
        inverse = a ** -1
        sigma = q(deviation)
        # The formula: e - E theta, propagated.
        inner = matrix(3, 3)
        for i, j in product(range(3), range(3)):
            diagonal = sum(theta[k] ** 2 for k in range(3)) + 1
            inner[i, j] = sigma ** 2 * (diagonal if i == j else theta[i] * theta[j])
        formula = inverse * inner * inverse
        # The derivative with respect to each moment.
        step = mpf(10) ** -10
        slopes = []
        for k in range(9):
            moved = [x + (step if place == k else 0) for place, x in enumerate(noisy)]
            other = [x - (step if place == k else 0) for place, x in enumerate(noisy)]
            slopes.append((solved(moved)[2] - solved(other)[2]) / (2 * step))
        arguments = (",".join(upper), deviation)
        for i in range(3):
            numeric = sum((sigma * slope[i]) ** 2 for slope in slopes)
            error = sqrt(agree(formula[i, i], numeric, 12) + residual * inverse[i, i])
            yield f"linear_estimate_{i}", arguments, theta[i]
            yield f"linear_error_{i}", arguments, error


def corners(d, of):
    return max(of(signs) for signs in product([-1, 1], repeat=d))


def sensitivities():
    """L1 distances of one record, times 1 (add or remove) or 2 (replace)."""
    # Coefficients of (y - w0 - x'w)² for x, y in [-1, 1]: all products, different ones twice.
    for features, times in [(1, 1), (3, 2), (13, 1), (13, 2)]:
        bound = times * (features + 2) ** 2
        if features < 8:
            each = lambda z: sum(abs(a * b) for a in (1, *z) for b in (1, *z))
            agree(mpf(bound), mpf(times * corners(features + 1, each)))
        yield "functional", (str(features), str(times)), bound
    # (1, x) of L1 norm N, all numbers at most 1: products once. At corners N = d + 1.
    for features, times in [(1, 1), (4, 2)]:
        n = features + 1
        bound = Fraction(times) * (Fraction(n * n + n, 2) + n + 1)
        once = lambda z: sum(abs(a * b) for i, a in enumerate((1, *z)) for b in (1, *z)[i:])
        agree(q(bound), mpf(times * corners(features + 1, once)))
        yield "products", (str(features), str(times)), q(bound)
    # Naive Bayes on m categories: a class count and one level of each; a forest: a leaf of each tree.
    for m, times in [(1, 1), (6, 1), (6, 2)]:
        rows = [0] * (2 * (1 + 3 * m))
        rows[0] += 1
        for column in range(m):
            rows[1 + 3 * column + 2] += 1
        agree(mpf(times * (m + 1)), mpf(times * sum(rows)))
        yield "naive_bayes", (str(m), str(times)), times * (m + 1)
    for trees, times in [(1, 1), (9, 2)]:
        yield "forest", (str(trees), str(times)), times * trees


def thresholds():
    """The count that an empty bin passes with a chance of at most beta, over 121 bins of each column."""
    for epsilon, columns, chance in [("1", 1, "1e-3"), ("1/10", 1, "1e-12"), ("1/2", 7, "1e-6")]:
        scale = columns / q(epsilon)
        fall = exp(-1 / scale)
        most = q(chance) / (121 * columns)
        # P(X > t) = fall^(t+1)/(1 + fall), and the same added up.
        t = 0
        while fall ** (t + 1) / (1 + fall) > most:
            t += 1
        law = lambda k: (1 - fall) / (1 + fall) * fall ** k
        tail = sum(law(k) for k in range(t + 1, t + 1 + int(100 * scale)))
        before = tail + law(t)
        if not tail <= most < before:
            raise SystemExit("the threshold is wrong")
        yield "bound_threshold", (epsilon, str(columns), chance), t


def runs():
    """How often a search runs on average."""
    for eta, fall in [("1", "1/8"), ("0", "1/10"), ("-1/2", "1/20"), ("1/2", "1/3")]:
        e, g = q(eta), q(fall)
        mean = (1 / g - 1) / log(1 / g) if e == 0 else e * (1 - g) / (g * (1 - g ** e))
        weights, term, k = [], mpf(1), 1
        while term > mpf(10) ** -30 or k < 50:
            term = (1 - g) ** k * mp.fprod((l + e) / (l + 1) for l in range(1, k))
            weights.append((k, term))
            k += 1
        direct = sum(k * w for k, w in weights) / sum(w for _, w in weights)
        yield "mean_runs", (eta, fall), agree(mean, direct, 15)


ORDERS = ["1.25", "1.5", "1.75", "2", "2.5", "3", "4", "5", "6", "7", "8", "10", "12", "14", "16", "20", "24",
          "32", "40", "48", "64", "96", "128", "256"]


def normal_profile(epsilon, mu):
    upper = lambda x: erfc(x / sqrt(mpf(2))) / 2
    return upper(epsilon / mu - mu / 2) - exp(epsilon) * upper(epsilon / mu + mu / 2)


def searches():
    """Renyi bounds of the best of a random number of runs of Gaussian noise, at an order; the chance of an
    event under a pair of normal laws shows that none is below the truth."""
    for eta, fall in [("1", "1/8"), ("0", "1/10"), ("-1/2", "1/20")]:
        for sigma in ["2", "8"]:
            e, g, s = q(eta), q(fall), q(sigma)
            mean = (1 / g - 1) / log(1 / g) if e == 0 else e * (1 - g) / (g * (1 - g ** e))
            hats = [(1 + e) * log(1 / g)]
            for hat in map(q, ORDERS):
                hats.append((1 + e) * ((1 - 1 / hat) * hat / (2 * s * s) + log(1 / g) / hat))
            for order in ["2", "8", "32"]:
                l = q(order)
                bound = l / (2 * s * s) + min(hats) + log(mean) / (l - 1)
                yield "search", (eta, fall, sigma, order), above(bound, l, s, e, g)
    for mean in ["1", "10"]:
        for sigma in ["4", "20"]:
            m, s = q(mean), q(sigma)
            for order in ["2", "8"]:
                l = q(order)
                delta = normal_profile(log(1 + 1 / (l - 1)), 1 / s)
                bound = log(exp(-m) + m * exp((l - 1) * (l / (2 * s * s) + m * delta))) / (l - 1)
                yield "poisson_search", (mean, sigma, order), above(bound, l, s, None, m)


def above(bound, order, sigma, eta, parameter):
    """The bound, unless the divergence of the best of K threshold tests exceeds it."""
    cdf = lambda x: erfc(-x / sqrt(mpf(2))) / 2

    def generating(x):
        if eta is None:
            return exp(parameter * (x - 1))
        rest = 1 - (1 - parameter) * x
        return log(rest) / log(parameter) if eta == 0 else (rest ** -eta - 1) / (parameter ** -eta - 1)

    for k in range(-12, 13):
        t = mpf(k) / 2
        # One run says no below t; the best of all says no if each does, or none ran.
        p, p2 = generating(cdf(t / sigma)), generating(cdf((t - 1) / sigma))
        for a, b in [(p, p2), (p2, p)]:
            if 0 < a < 1 and 0 < b < 1:
                found = log(a ** order * b ** (1 - order) + (1 - a) ** order * (1 - b) ** (1 - order))
                if found / (order - 1) > bound:
                    raise SystemExit("a bound is below the truth")
    return bound


def by_corners():
    """The same by the corners of what a record's gradient can be: classes, penalty, sigma, epsilon. Two
    classes have one score: one corner, curvature 1/4. More have one score each: a corner of squared length 2 for
    every other class, and the trace of the curvature is 1 - 1/classes."""
    for case in [("2", "1", "4", "1"), ("2", "3/10", "1", "6/5"), ("3", "2", "5", "1"), ("10", "20", "8", "1/2")]:
        classes = int(case[0])
        penalty, sigma, epsilon = map(q, case[1:])
        number, trace, square = (1, q("1/4"), 1) if classes == 2 else (classes - 1, 1 - mpf(1) / classes, 2)
        e = epsilon - number * log(1 + trace / (number * penalty))
        c = sqrt(mpf(square)) / sigma
        start = (e - c * c / 2) / c
        tail = lambda x: exp(-x * x / 2) / sqrt(2 * pi) * (1 - exp(e - c * c / 2 - c * x))
        direct = number * quad(tail, [start, start + 2, start + 6, start + 30])
        yield "corners", case, agree(number * normal_profile(e, c), direct, 15)


def objectives():
    """delta(eps) of the exact minimum of a perturbed objective as published (Redberg, Koskela, Wang 2023):
    curvature, penalty, sigma, epsilon."""
    for case in [("1/4", "1", "4", "1"), ("1/4", "10", "2", "1/2"), ("1/4", "1", "1", "1/2")]:
        curvature, penalty, sigma, epsilon = map(q, case)
        c = 1 / sigma
        e = epsilon + log(1 - curvature / penalty)
        half = c * c / 2
        if e >= half:
            closed = 2 * normal_profile(e, c)
        else:
            closed = 1 - exp(e - half) * (1 - 2 * normal_profile(half, c))
        start = max((e - half) / c, mpf(0))
        tail = lambda x: sqrt(2 / pi) * exp(-x * x / 2) * (1 - exp(e - half - c * x))
        direct = quad(tail, [start, start + 2, start + 6, start + 30])
        yield "objective", case, agree(closed, direct, 15)


def bands():
    """The square of the distance of a record that comes back, for the square root cut after some
    diagonals, coefficients rounded to 2^-12: bands, steps, times, separation."""
    for band, steps, times, apart in [(1, 6, 3, 2), (3, 7, 2, 3), (4, 8, 3, 2), (16, 64, 4, 16)]:
        exact = [binomial(2 * k, k) / mpf(4) ** k for k in range(band)]
        column = [Fraction(int(mp.nint(c * 4096)), 4096) for c in exact]

        def square(when):
            sums = [Fraction(0)] * steps
            for t in when:
                for k, c in enumerate(column):
                    if t + k < steps:
                        sums[t + k] += c
            return sum(x * x for x in sums)

        found = square([k * apart for k in range(times)])
        if steps <= 8:
            patterns = [p for n in range(1, times + 1) for p in combinations(range(steps), n)
                        if all(b - a >= apart for a, b in zip(p, p[1:]))]
            if max(map(square, patterns)) != found:
                raise SystemExit("another pattern is worse")
        yield "bands", tuple(map(str, (band, steps, times, apart))), q(found)


PARTS = [chances, chances_of_both, rates, means, linear, sensitivities, thresholds, runs, searches, objectives,
         by_corners, bands]


def main():
    with open("vectors/learn.csv", "w", encoding="utf-8", newline="\n") as file:
        file.write("# Written by vectors/learn.py with mpmath; see there. Do not edit.\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["quantity", "arguments", "value"])
        for part in PARTS:
            for quantity, arguments, value in part():
                text = str(value) if isinstance(value, int) else nstr(value, 20)
                writer.writerow([quantity, " ".join(arguments), text])


main()
