#!/usr/bin/env python3
"""Writes crates/numeric/src/constants.rs: the numbers on which the special functions stand.

Source: mpmath (any version since 1.0) at 80 digits; nothing is copied from another library.
Run from the root of the repository:  python3 vectors/constants.py
Every number is checked again, against MPFR, by crates/oracle/tests/constants.rs.
"""
import subprocess

from mpmath import mp, mpf, log, sqrt, pi, erfc, exp, sinpi, zeta, bernoulli, euler, nint

PATH = "crates/numeric/src/constants.rs"
mp.dps = 80


def double(x):
    return float(mpf(x))  # mpmath rounds to nearest, ties to even


def pair(x):
    hi = double(x)
    return hi, double(mpf(x) - mpf(hi))


def text(v):
    s = repr(v)
    return s if any(c in s for c in ".einf") else s + ".0"


def wide(x):
    hi, lo = pair(x)
    return f"wide({text(hi)}, {text(lo)})"


def chop(x, bits):
    """The multiple of 2^-bits nearest to x, which then has few significant bits."""
    return nint(mpf(x) * mpf(2) ** bits) / mpf(2) ** bits


def scalar(name, doc, value):
    return f"/// {doc}\npub(crate) const {name}: Wide = {wide(value)};\n"


def array(name, doc, kind, rows):
    body = "".join(f"    {row},\n" for row in rows)
    return f"/// {doc}\n#[rustfmt::skip]\npub(crate) const {name}: [{kind}; {len(rows)}] = [\n{body}];\n"


def ln2_parts():
    head = chop(log(2), 32)
    middle = chop(log(2) - head, 64)
    tail = log(2) - head - middle
    return (
        "/// ln 2 = head + middle + tail, where a product of the head or the middle with an\n"
        "/// integer below 2^20 is exact (they have at most 32 bits), and the tail is rounded.\n"
        f"pub(crate) const LN_2_PARTS: [f64; 3] =\n    [{text(double(head))}, {text(double(middle))}, {text(double(tail))}];\n"
    )


def reciprocal_rows():
    rows, worst = [], mpf(0)
    for j in range(256):
        lo, hi = 1 + mpf(j) / 256, 1 + mpf(j + 1) / 256
        if hi * hi > 2:  # the upper half is halved, so that the numbers surround 1
            lo, hi = lo / 2, hi / 2
        near_one = j in (0, 255)
        r = mpf(1) if near_one else chop(2 / (lo + hi), 10)
        worst = max(worst, abs(lo * r - 1), abs(hi * r - 1))
        rows.append(f"({text(double(r))}, {wide(-log(r))})")
    assert worst <= mpf(2) ** -8, worst
    return rows


def erfcx_rows(wide_terms=4, all_terms=15):
    nodes = [(mpf(j) + 0.5) / 16 for j in range(16)]
    nodes += [mpf(2) ** e * (1 + (mpf(j) + 0.5) / 16) for e in range(4) for j in range(16)]
    rows = []
    mp.dps = 120  # the recurrence loses digits
    for x in nodes:
        c = [exp(x * x) * erfc(x)]
        c.append(2 * x * c[0] - 2 / sqrt(pi))
        for n in range(1, all_terms):
            c.append(2 * (x * c[n] + c[n - 1]) / (n + 1))
        head = ", ".join(wide(v) for v in c[:wide_terms])
        tail = ", ".join(text(double(v)) for v in c[wide_terms:all_terms])
        rows.append(f"ErfcxNode {{ head: [{head}], tail: [{tail}] }}")
    mp.dps = 80
    return rows


HEADER = """//! Constants of the special functions. Written by `vectors/constants.py`; do not edit.
//!
//! A [`Wide`] constant is the true number to within 2^-105 of itself: its head is the nearest
//! `f64`, its tail the nearest `f64` to what is left.
#![expect(clippy::approx_constant, reason = "the tails matter, so std's constants do not do")]

use crate::wide::Wide;

const fn wide(hi: f64, lo: f64) -> Wide {
    Wide { hi, lo }
}

/// Taylor coefficients of erfcx at one node: the first four wide, the others plain.
pub(crate) struct ErfcxNode {
    /// `c_0` to `c_3`.
    pub(crate) head: [Wide; 4],
    /// `c_4` to `c_14`.
    pub(crate) tail: [f64; 11],
}

"""


def main():
    out = HEADER
    out += ln2_parts()
    out += scalar("FRAC_1_SQRT_2", "1/sqrt 2.", 1 / sqrt(mpf(2)))
    out += scalar("FRAC_1_SQRT_PI", "1/sqrt pi.", 1 / sqrt(pi))
    out += scalar("FRAC_1_SQRT_TAU", "1/sqrt(2 pi), the height of the normal density.", 1 / sqrt(2 * pi))
    out += scalar("LN_SQRT_TAU", "(ln 2 pi)/2.", log(2 * pi) / 2)
    out += scalar("ONE_THIRD", "1/3.", mpf(1) / 3)
    out += scalar("ONE_TENTH", "1/10.", mpf(1) / 10)
    out += scalar("ONE_MINUS_EULER", "1 - Euler's constant.", 1 - euler)
    out += scalar("FRAC_PI_64", "pi/64.", pi / 64)
    out += array(
        "SINES",
        "sin(j pi/64) for j = 0 .. 127, exactly 0 and 1 where it is.",
        "Wide",
        [wide(sinpi(mpf(j) / 64)) for j in range(128)],
    )
    out += array("EXP2", "2^(j/32) for j = 0 .. 31.", "Wide", [wide(mpf(2) ** (mpf(j) / 32)) for j in range(32)])
    out += array(
        "RECIPROCALS",
        "For the j-th 256th part of [1, 2) (halved from sqrt 2 on): a short number r within 2^-8\n"
        "/// of 1/m for every m there, exactly 1 next to 1, and -ln r.",
        "(f64, Wide)",
        reciprocal_rows(),
    )
    out += array(
        "STIRLING",
        "`B_2k` / (2k (2k - 1)) for k = 1 .. 14, the coefficients of Stirling's series.",
        "Wide",
        [wide(bernoulli(2 * k) / (2 * k * (2 * k - 1))) for k in range(1, 15)],
    )
    out += array(
        "ZETA_TAIL",
        "(-1)^k (zeta(k) - 1)/k for k = 2 .. 41, the Taylor coefficients of ln Gamma at 2.",
        "Wide",
        [wide((-1) ** k * (zeta(k) - 1) / k) for k in range(2, 42)],
    )
    out += array(
        "ERFCX",
        "erfcx around (j + 1/2)/16, then around 2^e (1 + (j + 1/2)/16) for e = 0 .. 3.",
        "ErfcxNode",
        erfcx_rows(),
    )
    with open(PATH, "w", encoding="utf-8") as file:
        file.write(out)
    subprocess.run(["rustfmt", "--edition", "2024", PATH], check=True)


main()
