"""The parts of documentation that all estimators share."""

from __future__ import annotations

from typing import TypeVar

_T = TypeVar("_T", bound=type)

_SHARED = '''    epsilon : number
        How private the model is: alone, pure privacy; needed.
    delta : number, optional
        With epsilon: the chance of anything worse, such as 1e-5.
    bounds : (lower, upper), (array, array), dict or "buy"
        Where the numbers of columns lie, as declared: the same for all, for each, or by name, where
        a list instead gives the levels of a category. ``"buy"`` buys bounds with a part of
        the privacy. There is no default: bounds are never read from the table.
    bounds_share : float
        The share of the privacy that buys bounds.'''

_MORE = '''    neighbours : {"add-remove", "replace"}
        What it means that two tables differ in one record.
    budget : throng.Budget, optional
        What pays; else the budget of the context, else nobody adds up. It is shared by clones.
    progress : callable, optional
        Called with the steps taken, all steps, and epsilon so far, at most ten times a second. An
        exception in it stops the fit; what was paid stays paid.
    random_state : None
        Noise that can be repeated protects nobody: refused, but for tests inside of
        :func:`throng.testing.insecure_seed`.'''

_CLASSES = '''    classes : list or "public"
        All classes, of any type. There is no default: they are never read from `y` silently;
        ``"public"`` declares that which labels occur is no secret, and reads them.'''

_LABEL = '''    label_bounds : (lower, upper)
        Where the label lies, as declared. There is no default.'''


def documented(cls: _T) -> _T:
    """Puts the shared parameters where a docstring says ``{shared}``."""
    text = cls.__doc__ or ""
    label = _CLASSES if "{classes}" in text else _LABEL if "{label}" in text else ""
    shared = "\n".join(part for part in (_SHARED, label, _MORE) if part)
    for mark in ("    {classes}", "    {label}", "    {shared}"):
        text = text.replace(mark, shared)
    cls.__doc__ = text
    return cls


