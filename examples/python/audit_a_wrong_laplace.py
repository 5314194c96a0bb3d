"""Is a claim true? Auditing Python functions that add Laplace noise: one right, two wrong."""

import numpy as np

import throng as tg

rng = np.random.default_rng()


def right(count, n):
    """Noise of scale 1 on a count that one person changes by 1, on the integers: epsilon 1."""
    return np.array([tg.release.noise([count], sensitivity=1, epsilon=1).value[0] for _ in range(n)])


def half(count, n):
    """The scale was computed as epsilon / 2 instead of 1 / epsilon."""
    return np.rint(count + rng.laplace(scale=0.5, size=n)).astype(int)


def textbook(count, n):
    """The right scale, in floating point: the low bits of the sum tell which count it was made of."""
    return count + rng.laplace(scale=1.0, size=n)


# Each is run on two neighbouring inputs; whatever tells them apart better than the claim allows refutes it.
# `batch=True`: the function gives many outcomes at once.
for mechanism, runs in ((right, 4_000), (half, 20_000), (textbook, 100_000)):
    report = tg.audit(mechanism, 0, 1, claim=tg.pure(eps=1), runs=runs, batch=True, progress=False)
    print(f"{mechanism.__name__}: {report.verdict}")
    print(report)
    # The verdict "violated" is wrong with a chance of at most report.false_alarm, whatever the function does.
    assert report.violated == (mechanism is not right)
