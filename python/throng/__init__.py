"""Throng: publish what the crowd says, reveal nothing about anyone in it.

>>> import throng as tg
>>> training = 14062 * tg.gaussian(sigma=0.8).sampled(rate="256/60000")
>>> training.epsilon(delta=1e-5)
Bracket(lower=4.549838..., upper=4.549838...)

================  ==========================================================================
accounting        ``gaussian``, ``laplace``, ... make a :class:`Mechanism`; ``calibrate``
releasing         :mod:`throng.release`: counts, sums, means, quantiles, histograms of arrays
asking SQL        ``connect("throng.toml")``, ``Session(frame, unit=..., budget=...)``
fitting models    :mod:`throng.learn`: scikit-learn estimators with a guarantee
auditing          ``audit(mechanism, x0, x1, claim=...)``
budgets           :class:`Budget`
other accountants :mod:`throng.compat`: the calls of Opacus and dp-accounting
================  ==========================================================================

Failures are :class:`InvalidInput`, :class:`Refused` and :class:`BudgetExhausted`, with the texts of
the command line.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from throng import _native
from throng._bracket import Bracket
from throng._budget import Budget
from throng._errors import (
    BudgetExhausted,
    InternalError,
    InvalidInput,
    Refused,
    ThrongError,
)
from throng._guarantee import Guarantee
from throng._mechanism import Calibration, Comparison, Curve, Mechanism, calibrate, spec
from throng._words import *  # noqa: F403
from throng._words import __all__ as _words

__version__: str = _native.__version__

if TYPE_CHECKING:
    from throng import compat, learn, release, testing
    from throng._audit import audit
    from throng._query import ROW, Session, connect

# Whatever needs more than Python itself is read when it is first used: importing Throng takes
# milliseconds.
_LATER = {
    "audit": ("throng._audit", "audit"),
    "ROW": ("throng._query", "ROW"),
    "Session": ("throng._query", "Session"),
    "connect": ("throng._query", "connect"),
    "compat": ("throng.compat", None),
    "learn": ("throng.learn", None),
    "release": ("throng.release", None),
    "testing": ("throng.testing", None),
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'throng' has no attribute {name!r}")
    module, attribute = _LATER[name]
    found = importlib.import_module(module)
    value = found if attribute is None else getattr(found, attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})


__all__ = [
    "Bracket",
    "Budget",
    "BudgetExhausted",
    "Calibration",
    "Comparison",
    "Curve",
    "Guarantee",
    "InternalError",
    "InvalidInput",
    "Mechanism",
    "ROW",
    "Refused",
    "Session",
    "ThrongError",
    "audit",
    "calibrate",
    "compat",
    "connect",
    "learn",
    "release",
    "spec",
    "testing",
    *_words,
]
