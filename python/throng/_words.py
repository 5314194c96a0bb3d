"""The words of the expression language, as functions: each makes a :class:`throng.Mechanism`.

``throng help expressions`` lists them on the command line; the tests hold this file against that list.
A number may be an int, a float (which means what it prints as), a ``Fraction``, a ``Decimal`` or a text
such as ``"256/60000"``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from throng._errors import InvalidInput
from throng._mechanism import Expression, Hole, Mechanism, made, text_of
from throng._number import Number

Real = Number | Hole
Pairs = Iterable[tuple[Number, Number]]


def _leaf(word: str, **arguments: Any) -> Mechanism:
    shown = (f"{name}={_written(value)}" for name, value in arguments.items() if value is not None)
    return made(f"{word}({', '.join(shown)})")


def _written(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        items = (
            f"({', '.join(map(text_of, item))})" if isinstance(item, tuple) else text_of(item)
            for item in value
        )
        return f"[{', '.join(items)}]"
    return text_of(value)


def gaussian(
    sigma: Real | None = None, sensitivity: Real = 1, *, noise_multiplier: Real | None = None
) -> Mechanism:
    """Normal noise of standard deviation `sigma`; ``noise_multiplier=z`` alone means ``sigma=z``.

    Examples
    --------
    >>> import throng as tg
    >>> tg.gaussian(sigma=2, sensitivity=2) == tg.gaussian(noise_multiplier=1)
    False
    >>> tg.gaussian(sigma=2, sensitivity=2).gdp() == tg.gaussian(noise_multiplier=1).gdp()
    True
    """
    if (sigma is None) == (noise_multiplier is None):
        raise InvalidInput("how much noise is not said, or said twice", "give sigma")
    if noise_multiplier is not None:
        return _leaf("gaussian", noise_multiplier=noise_multiplier)
    return _leaf("gaussian", sigma=sigma, sensitivity=sensitivity)


def laplace(scale: Real, sensitivity: Real = 1) -> Mechanism:
    """Laplace noise."""
    return _leaf("laplace", scale=scale, sensitivity=sensitivity)


def discrete_gaussian(sigma: Real, sensitivity: Real = 1) -> Mechanism:
    """Normal noise on the integers."""
    return _leaf("discrete_gaussian", sigma=sigma, sensitivity=sensitivity)


def discrete_laplace(scale: Real, sensitivity: Real = 1) -> Mechanism:
    """Laplace noise on the integers, also known as the geometric mechanism."""
    return _leaf("discrete_laplace", scale=scale, sensitivity=sensitivity)


def staircase(eps: Real, gamma: Real) -> Mechanism:
    """The staircase mechanism with step fraction `gamma`."""
    return _leaf("staircase", eps=eps, gamma=gamma)


def uniform(width: Real, sensitivity: Real = 1) -> Mechanism:
    """Uniform noise on an interval of length `width`."""
    return _leaf("uniform", width=width, sensitivity=sensitivity)


def truncated_laplace(scale: Real, bound: Real, sensitivity: Real = 1) -> Mechanism:
    """Laplace noise conditioned on being at most `bound` in size."""
    return _leaf("truncated_laplace", scale=scale, bound=bound, sensitivity=sensitivity)


def truncated_gaussian(sigma: Real, bound: Real, sensitivity: Real = 1) -> Mechanism:
    """Normal noise conditioned on being at most `bound` in size."""
    return _leaf("truncated_gaussian", sigma=sigma, bound=bound, sensitivity=sensitivity)


def randomized_response(
    p: Real | None = None, q: Real | None = None, *, eps: Real | None = None
) -> Mechanism:
    """One bit: a 0 reported as 1 with chance `p`, a 1 as 0 with chance `q` (the same if left out).

    ``eps=e`` alone means ``pure(eps=e)``.
    """
    if (p is None) == (eps is None):
        raise InvalidInput("the chances are not said, or said twice", "give p, or eps alone")
    return _leaf("randomized_response", p=p, q=q, eps=eps)


def kary_response(k: int | Hole, eps: Real) -> Mechanism:
    """One of `k` answers: the true one e^eps times as likely as any other."""
    return _leaf("kary_response", k=k, eps=eps)


def approx_dp(eps: Real, delta: Real) -> Mechanism:
    """Any (eps, delta)-private mechanism."""
    return _leaf("approx_dp", eps=eps, delta=delta)


def pure(eps: Real) -> Mechanism:
    """Any eps-private mechanism."""
    return _leaf("pure", eps=eps)


def tv(delta: Real) -> Mechanism:
    """Any mechanism whose output laws are within `delta` in total variation."""
    return _leaf("tv", delta=delta)


def exponential(eps: Real) -> Mechanism:
    """Selection of eps-bounded range, such as the exponential mechanism."""
    return _leaf("exponential", eps=eps)


def permute_and_flip(eps: Real) -> Mechanism:
    """Selection by permute-and-flip."""
    return _leaf("permute_and_flip", eps=eps)


def noisy_max(eps: Real) -> Mechanism:
    """Selection by report-noisy-max with Laplace or exponential noise."""
    return _leaf("noisy_max", eps=eps)


def gdp(mu: Real) -> Mechanism:
    """Any mu-Gaussian-private mechanism."""
    return _leaf("gdp", mu=mu)


def zcdp(rho: Real, xi: Real = 0) -> Mechanism:
    """Any mechanism with Renyi divergence at most ``xi + rho a`` at every order a > 1."""
    return _leaf("zcdp", rho=rho, xi=xi)


def renyi(table: Pairs) -> Mechanism:
    """Any mechanism with these bounds (order, divergence) on its Renyi divergence."""
    return _leaf("renyi", table=list(table))


def poisson(mu1: Real, mu2: Real) -> Mechanism:
    """Counts of rates `mu1` and `mu2` on neighbours."""
    return _leaf("poisson", mu1=mu1, mu2=mu2)


def infinitely_divisible(s2: Real, jumps: Pairs = ()) -> Mechanism:
    """A Gaussian part of variance `s2` and Poisson event streams of rates (a, b)."""
    return _leaf("infinitely_divisible", s2=s2, jumps=list(jumps))


def tradeoff(knots: Pairs) -> Mechanism:
    """Any mechanism whose trade-off curve lies above the polygon through (alpha, beta)."""
    return _leaf("tradeoff", knots=list(knots))


def profile(knots: Pairs) -> Mechanism:
    """Any mechanism that is (eps, delta)-private for each of the pairs."""
    return _leaf("profile", knots=list(knots))


def discrete(p: Iterable[Number], q: Iterable[Number]) -> Mechanism:
    """Outcomes 0, 1, ... with these chances on the two neighbours."""
    return _leaf("discrete", p=list(p), q=list(q))


def nonprivate() -> Mechanism:
    """No protection at all."""
    return Mechanism("nonprivate()")


def composed(*parts: Expression) -> Mechanism:
    """All of them on the same data; also written ``a + b``."""
    return made(f"composed({', '.join(map(str, parts))})", like=_first(parts))


def parallel(*parts: Expression) -> Mechanism:
    """One on each of disjoint parts of the data."""
    return made(f"parallel({', '.join(map(str, parts))})", like=_first(parts))


def mixed(*parts: tuple[Number, Expression]) -> Mechanism:
    """One of them, chosen with public chances: pairs (chance, mechanism).

    Examples
    --------
    >>> import throng as tg
    >>> print(tg.mixed((0.5, tg.pure(eps=1)), (0.5, tg.pure(eps=2))))
    mixed([(0.5, pure(eps=1)), (0.5, pure(eps=2))])
    """
    pairs = ", ".join(f"({text_of(chance)}, {part})" for chance, part in parts)
    return made(f"mixed([{pairs}])", like=_first([part for _, part in parts]))


def _first(parts: Iterable[Expression]) -> Expression | None:
    return next(iter(parts), None)


__all__ = [
    "approx_dp",
    "composed",
    "discrete",
    "discrete_gaussian",
    "discrete_laplace",
    "exponential",
    "gaussian",
    "gdp",
    "infinitely_divisible",
    "kary_response",
    "laplace",
    "mixed",
    "noisy_max",
    "nonprivate",
    "parallel",
    "permute_and_flip",
    "poisson",
    "profile",
    "pure",
    "randomized_response",
    "renyi",
    "staircase",
    "tradeoff",
    "truncated_gaussian",
    "truncated_laplace",
    "tv",
    "uniform",
    "zcdp",
]
