"""Repeatable noise, for tests alone: noise that can be repeated protects nobody.

>>> import warnings
>>> import throng as tg
>>> with warnings.catch_warnings():
...     warnings.simplefilter("ignore", tg.testing.InsecureSeedWarning)
...     with tg.testing.insecure_seed(7):
...         pass  # whatever is fitted here is the same every time, and marked as insecure
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from throng import _native
from throng._errors import InvalidInput, Refused

__all__ = ["InsecureSeedWarning", "insecure_seed"]


class InsecureSeedWarning(UserWarning):
    """Noise is drawn from a known seed: for tests only, never for a release."""


class _Testing:
    """A testing mode: where its noise comes from."""

    def __init__(self, seed: int) -> None:
        self._seed = _native.InsecureSeed(seed)
        self._drawn = 0

    def next(self, random_state: object) -> _native.InsecureSeed:
        """The seed of the next fit: by its place, or by the `random_state` that was asked for."""
        if random_state is None:
            self._drawn += 1
            return self._seed.child(2 * self._drawn)
        return self._seed.child(2 * _whole(random_state) + 1)


_testing: ContextVar[_Testing | None] = ContextVar("throng_testing", default=None)


@contextmanager
def insecure_seed(seed: int) -> Iterator[None]:
    """Draw all noise inside from a known seed.

    For tests and examples. What is made inside protects nobody, says so in its ``guarantee_``, and
    cannot be saved; a :class:`InsecureSeedWarning` is given. Inside, and only there, estimators take a
    ``random_state``.

    Parameters
    ----------
    seed : int
        From 0 to 2**64 - 1.
    """
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**64:
        raise InvalidInput(f"the seed is {seed!r}, but must be a whole number below 2**64", "")
    token = _testing.set(_Testing(seed))
    try:
        yield
    finally:
        _testing.reset(token)


def seed(random_state: Any = None) -> _native.InsecureSeed | None:
    """The seed to draw noise from: none, but in the testing mode.

    Raises
    ------
    Refused
        If a `random_state` is asked for outside of it.
    """
    mode = _testing.get()
    if mode is not None:
        return mode.next(random_state)
    if random_state is None:
        return None
    raise Refused(
        "random_state is given, but noise that can be repeated protects nobody",
        "leave it out; in tests, fit inside of `with throng.testing.insecure_seed(0):`",
    )


def _whole(random_state: Any) -> int:
    """A number for a random state of scikit-learn's kinds."""
    if isinstance(random_state, int) and not isinstance(random_state, bool):
        return random_state % 2**62
    if hasattr(random_state, "__index__"):
        return int(random_state) % 2**62
    if hasattr(random_state, "integers"):
        return int(random_state.integers(2**31))
    if hasattr(random_state, "randint"):
        return int(random_state.randint(2**31 - 1))
    raise InvalidInput("random_state is none of scikit-learn's kinds", "give a whole number")


def active() -> bool:
    """Whether noise is drawn from a known seed."""
    return _testing.get() is not None
