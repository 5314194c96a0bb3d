#!/usr/bin/env python3
"""Writes vectors/special.csv: reference values of the special functions.

Source: mpmath at 50 digits (60 to 400 working digits), which shares no code with MPFR or with
this repository. Run from the root of the repository:  python3 vectors/special.py
Columns: function, arguments (shortest decimals that give the `f64`, separated by spaces), value (30 digits).
crates/numeric/tests/vectors.rs checks that each value lies in the enclosure.
"""
import csv
import random

from mpmath import mp, mpf, betainc, cos, erf, erfc, exp, expm1, gammainc, log, log1p, loggamma, npdf, nstr, sin, sqrt

random.seed(20240601)


def quantile(p):
    """Newton's method on ncdf, far beyond double precision."""
    p = mpf(p)
    t = min(p, 1 - p)
    x = sqrt(-2 * log(t))
    for _ in range(300):
        step = (log(erfc(x / sqrt(mpf(2))) / 2) - log(t)) * (erfc(x / sqrt(mpf(2))) / 2) / npdf(x)
        x += step
        if abs(step) < mpf(10) ** -55:
            break
    return x if p > 0.5 else -x


def ln_cdf(x):
    x = mpf(x)
    if x > 0:
        return log1p(-erfc(x / sqrt(mpf(2))) / 2)
    if x > -1000:
        return log(erfc(-x / sqrt(mpf(2))) / 2)
    w = 1 / x**2
    series, term = mpf(0), mpf(1)
    for n in range(12):
        series += term
        term *= -(2 * n + 1) * w
    return -x * x / 2 - log(-x * sqrt(2 * mp.pi)) + log(series)


def lower(a, x):
    return gammainc(mpf(a), 0, mpf(x), regularized=True)


def upper(a, x):
    return gammainc(mpf(a), mpf(x), mp.inf, regularized=True)


def beta(a, b, x):
    return betainc(mpf(a), mpf(b), 0, mpf(x), regularized=True)


def points(low, high, count):
    return [random.uniform(low, high) for _ in range(count)]


def rows():
    mp.dps = 60
    for x in [-745.0, -1e-9, 1e-300, 709.0] + points(-700, 700, 16):
        yield "exp", [x], exp(mpf(x))
        yield "expm1", [x / 700], expm1(mpf(x / 700))
    for x in [5e-324, 1e-300, 0.999999999, 1.000000001, 1e300] + points(0, 3, 16):
        yield "ln", [x], log(mpf(x))
        yield "ln_1p", [x], log1p(mpf(x))
    for x in [-5.5, 1e-300, 1e-8, 0.25, 6.0] + points(-3, 3, 16):
        yield "erf", [x], erf(mpf(x))
    for x in [-38.4, -37.5, -8.0, 0.0, 8.3] + points(-30, 8, 20):
        yield "erfc", [-x / 1.5], erfc(mpf(-x / 1.5))
        yield "normal_cdf", [x], erfc(-mpf(x) / sqrt(mpf(2))) / 2
        yield "normal_density", [x], npdf(mpf(x))
        yield "erfcx", [abs(x)], exp(mpf(x) ** 2) * erfc(mpf(abs(x)))
    for x in [-1e8, -1e20, -5e5, -40.0, -1.0, 0.0, 1.0, 30.0] + points(-100, 10, 12):
        yield "normal_ln_cdf", [x], ln_cdf(x)
    for p in [5e-324, 1e-310, 1e-20, 0.025, 0.499999999, 0.500000001, 0.975, 1 - 2.0**-53] + points(0, 1, 20):
        mp.dps = 400 if p < 1e-300 else 80
        yield "normal_quantile", [p], quantile(p)
    mp.dps = 60
    for x in [1e-300, 0.1, 0.999999, 1.000001, 1.4616321449683623, 1.999999, 2.000001, 15.9, 1e3, 1e20] + points(0, 40, 12):
        yield "ln_gamma", [x], loggamma(mpf(x))
    yield "gamma_lower", [60.0, 45.7863209500073], lower(60.0, 45.7863209500073)
    yield "gamma_upper", [61.0, 77.2318934066433], upper(61.0, 77.2318934066433)
    for a, x in [(1e-20, 0.5), (1e-5, 1.2), (0.5, 1.4), (0.5, 1.6), (0.3, 40.0), (1.0, 700.0), (100.0, 30.0),
                 (100.0, 300.0), (1000.5, 1000.0), (1e-3, 1e-100)] + [(random.uniform(0, 60), random.uniform(0, 60)) for _ in range(20)]:
        yield "gamma_lower", [a, x], lower(a, x)
        mp.dps = 100
        yield "gamma_upper", [a, x], upper(a, x)
        mp.dps = 60
    for a, b, x in [(2.0, 3.0, 0.5), (0.5, 0.5, 0.999), (1e-10, 2.0, 0.3), (0.01, 0.02, 0.7), (1000.0, 0.5, 0.999),
                    (200.5, 300.25, 0.4), (40.0, 2.0, 0.01), (3.0, 500.0, 0.9)] + [
                        (random.uniform(0, 50), random.uniform(0, 50), random.random()) for _ in range(20)]:
        mp.dps = 400
        value = beta(a, b, x)
        yield "beta", [a, b, x], value
        yield "beta_complement", [a, b, x], 1 - value
        mp.dps = 60
    for x in [1e-300, 1e-9, 0.02454, 0.02455, 1.5707963267948966, 3.141592653589793, 52174.0, 1073741824.0] + points(-10, 10, 16):
        yield "cos", [x], cos(mpf(x))
        yield "sin", [x], sin(mpf(x))


def main():
    with open("vectors/special.csv", "w", encoding="utf-8", newline="\n") as file:
        file.write("# Written by vectors/special.py with mpmath; see there. Do not edit.\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["function", "arguments", "value"])
        for function, arguments, value in rows():
            writer.writerow([function, " ".join(repr(float(v)) for v in arguments), nstr(value, 30)])


main()
