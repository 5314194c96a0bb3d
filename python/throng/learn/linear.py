"""Linear models."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from throng._budget import Budget
from throng._errors import InvalidInput
from throng._number import Number
from throng.learn._base import (
    Bounds,
    PrivateRegressor,
    Progress,
    WithChances,
    WithScores,
)
from throng.learn._declared import Floats
from throng.learn._words import documented

#: How long steps are, if nothing is said.
PACE = 1.6


def _penalty(c: float | None) -> float | None:
    if c is None:
        return None
    if not c > 0:
        raise InvalidInput(f"C is {c}, but must be above 0", "leave it out")
    return 1 / c


def _scale(gamma: float) -> float:
    if not gamma > 0:
        raise InvalidInput(f"gamma is {gamma}, but must be above 0", "leave it out")
    return float((0.5 / gamma) ** 0.5)


@documented
class LinearRegression(PrivateRegressor):
    """Linear regression from noisy second moments, with standard errors.

    Parameters
    ----------
    {label}
    alpha : float, optional
        A fixed penalty on the sum of squared coefficients, where features and label run from -1 to
        1; if left out it follows the noise.
    method : {"moments", "functional"}
        Noisy moments, or the functional mechanism (pure privacy; for comparison).
    norm : float, optional
        The largest norm of (1, features), where each runs from -1 to 1.
    caution : float
        How strongly the penalty follows the noise.

    Attributes
    ----------
    coef_ : array of shape (features,)
    intercept_ : float
    guarantee_ : Guarantee

    Examples
    --------
    >>> import numpy as np
    >>> from throng.learn import LinearRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(0, 10, size=(2000, 2))
    >>> y = 3 * X[:, 0] - X[:, 1] + 5
    >>> model = LinearRegression(epsilon=2, delta=1e-6, bounds=(0, 10), label_bounds=(-5, 35))
    >>> model.fit(X, y).score(X, y) > 0.9
    True
    >>> model.coef_interval(0.95).shape
    (2, 2)
    >>> float(model.guarantee_.epsilon(1e-6)) <= 2
    True
    """

    _kind = "linear"

    def __init__(
        self,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        bounds: Bounds = None,
        bounds_share: float = 0.1,
        label_bounds: tuple[float, float] | None = None,
        alpha: float | None = None,
        method: str = "moments",
        norm: float | None = None,
        caution: float = 0.7,
        neighbours: str = "add-remove",
        budget: Budget | None = None,
        progress: Progress | None = None,
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.bounds = bounds
        self.bounds_share = bounds_share
        self.label_bounds = label_bounds
        self.alpha = alpha
        self.method = method
        self.norm = norm
        self.caution = caution
        self.neighbours = neighbours
        self.budget = budget
        self.progress = progress
        self.random_state = random_state

    def _options(self) -> dict[str, Any]:
        return {
            "method": self.method,
            "ridge": self.alpha,
            "norm": self.norm,
            "caution": self.caution,
        }

    def coef_interval(self, confidence: float = 0.95) -> Floats | None:
        """Where each coefficient of the population lies, with a chance of about `confidence`.

        Sampling and the noise for privacy are both in it, to first order.

        Returns
        -------
        array of shape (features, 2) or None
            None if the noise is too large to say anything. The intervals are about estimates without a
            penalty, so ``coef_``, drawn towards 0, need not lie in the middle.
        """
        check_is_fitted(self)
        rows = self._model.summary(confidence) or []
        ends = [interval for _, _, _, interval in rows[1:]]
        if not ends or None in ends:
            return None
        return np.array(ends, dtype=np.float64)

    def intercept_interval(self, confidence: float = 0.95) -> tuple[float, float] | None:
        """The same for the label where all features are 0."""
        check_is_fitted(self)
        rows = self._model.summary(confidence) or []
        return rows[0][3] if rows else None


@documented
class LogisticRegression(WithScores, WithChances):
    """Logistic regression, two classes or more.

    Parameters
    ----------
    {classes}
    C : float, optional
        ``method="output"`` or ``"objective"``: the inverse of the penalty on squared weights, where rows
        are at most 1 long; if left out it suits the noise.
    method : {"gradient", "output", "objective"}
        How the minimum of the loss is made private: noisy gradient steps (needs delta), noise on the
        minimum (also for epsilon alone), or a perturbed objective.
    max_iter : int
        ``method="gradient"``: how many steps; all of them are taken.
    pace : float
        ``method="gradient"``: how long steps are, relative to what suits the noise.
    norm : float, optional
        ``method="output"`` or ``"objective"``: the largest norm of (1, features), where features run
        from -1 to 1.

    Attributes
    ----------
    classes_ : array
    coef_ : array of shape (1 or classes, features)
    intercept_ : array of shape (1 or classes,)
    n_iter_ : int
    guarantee_ : Guarantee

    Examples
    --------
    >>> import numpy as np
    >>> from throng.learn import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(0, 10, size=(2000, 2))
    >>> y = np.where(X[:, 0] > X[:, 1], "more", "less")
    >>> model = LogisticRegression(
    ...     epsilon=2, delta=1e-6, bounds=(0, 10), classes=["less", "more"]
    ... )
    >>> model.fit(X, y).score(X, y) > 0.8
    True
    >>> model.predict([[9, 1]])
    array(['more'], dtype='<U4')
    >>> LogisticRegression(epsilon=2, delta=1e-6, bounds=(0, 10)).fit(X, y)
    Traceback (most recent call last):
        ...
    throng._errors.InvalidInput: the classes are not declared
    hint: give classes=['no', 'yes']: they are not read from y, ...
    """

    _kind = "logistic"

    def __init__(
        self,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        bounds: Bounds = None,
        bounds_share: float = 0.1,
        classes: Any = None,
        C: float | None = None,
        method: str = "gradient",
        max_iter: int = 60,
        pace: float = PACE,
        norm: float | None = None,
        neighbours: str = "add-remove",
        budget: Budget | None = None,
        progress: Progress | None = None,
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.bounds = bounds
        self.bounds_share = bounds_share
        self.classes = classes
        self.C = C
        self.method = method
        self.max_iter = max_iter
        self.pace = pace
        self.norm = norm
        self.neighbours = neighbours
        self.budget = budget
        self.progress = progress
        self.random_state = random_state

    def _options(self) -> dict[str, Any]:
        return {
            "method": self.method,
            "steps": self.max_iter,
            "pace": self.pace,
            "penalty": _penalty(self.C),
            "norm": self.norm,
        }

    def _finish(self) -> None:
        self.n_iter_ = self.max_iter


@documented
class LinearSVC(WithScores):
    """A linear support vector machine.

    Parameters
    ----------
    {classes}
    C : float, optional
        ``method="output"`` or ``"objective"``: the inverse of the penalty on squared weights, where rows
        are at most 1 long; if left out it suits the noise.
    method : {"gradient", "output", "objective"}
        How the minimum of the loss is made private: noisy gradient steps (needs delta), noise on the
        minimum (also for epsilon alone), or a perturbed objective.
    max_iter : int
        ``method="gradient"``: how many steps; all of them are taken.
    pace : float
        ``method="gradient"``: how long steps are, relative to what suits the noise.
    norm : float, optional
        ``method="output"`` or ``"objective"``: the largest norm of (1, features), where features run
        from -1 to 1.
    width : float
        Half the width of the bend of the hinge.

    Attributes
    ----------
    classes_ : array
    coef_ : array of shape (1 or classes, features)
    intercept_ : array of shape (1 or classes,)
    n_iter_ : int
    guarantee_ : Guarantee
    """

    _kind = "svm"

    def __init__(
        self,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        bounds: Bounds = None,
        bounds_share: float = 0.1,
        classes: Any = None,
        C: float | None = None,
        method: str = "gradient",
        max_iter: int = 60,
        pace: float = PACE,
        norm: float | None = None,
        width: float = 0.5,
        neighbours: str = "add-remove",
        budget: Budget | None = None,
        progress: Progress | None = None,
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.bounds = bounds
        self.bounds_share = bounds_share
        self.classes = classes
        self.C = C
        self.method = method
        self.max_iter = max_iter
        self.pace = pace
        self.norm = norm
        self.width = width
        self.neighbours = neighbours
        self.budget = budget
        self.progress = progress
        self.random_state = random_state

    def _options(self) -> dict[str, Any]:
        return {
            "method": self.method,
            "steps": self.max_iter,
            "pace": self.pace,
            "penalty": _penalty(self.C),
            "norm": self.norm,
            "width": self.width,
        }

    def _finish(self) -> None:
        self.n_iter_ = self.max_iter


@documented
class SVC(WithScores):
    """A support vector machine with the Gaussian kernel, by random features.

    Parameters
    ----------
    {classes}
    C : float, optional
        ``method="output"`` or ``"objective"``: the inverse of the penalty on squared weights, where rows
        are at most 1 long; if left out it suits the noise.
    method : {"gradient", "output", "objective"}
        How the minimum of the loss is made private: noisy gradient steps (needs delta), noise on the
        minimum (also for epsilon alone), or a perturbed objective.
    max_iter : int
        ``method="gradient"``: how many steps; all of them are taken.
    pace : float
        ``method="gradient"``: how long steps are, relative to what suits the noise.
    norm : float, optional
        ``method="output"`` or ``"objective"``: the largest norm of (1, features), where features run
        from -1 to 1.
    width : float
        Half the width of the bend of the hinge.
    gamma : float
        The kernel is exp(-gamma |x - y|^2), where features run from -1 to 1.
    n_components : int
        How many random features stand for the kernel.

    Attributes
    ----------
    classes_ : array
    n_iter_ : int
    guarantee_ : Guarantee
    """

    _kind = "svm"

    def __init__(
        self,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        bounds: Bounds = None,
        bounds_share: float = 0.1,
        classes: Any = None,
        C: float | None = None,
        method: str = "gradient",
        max_iter: int = 60,
        pace: float = PACE,
        norm: float | None = None,
        width: float = 0.5,
        gamma: float = 0.5,
        n_components: int = 200,
        neighbours: str = "add-remove",
        budget: Budget | None = None,
        progress: Progress | None = None,
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.bounds = bounds
        self.bounds_share = bounds_share
        self.classes = classes
        self.C = C
        self.method = method
        self.max_iter = max_iter
        self.pace = pace
        self.norm = norm
        self.width = width
        self.gamma = gamma
        self.n_components = n_components
        self.neighbours = neighbours
        self.budget = budget
        self.progress = progress
        self.random_state = random_state

    def _options(self) -> dict[str, Any]:
        return {
            "method": self.method,
            "steps": self.max_iter,
            "pace": self.pace,
            "penalty": _penalty(self.C),
            "norm": self.norm,
            "width": self.width,
            "kernel": {"scale": _scale(self.gamma), "features": self.n_components},
        }

    def _finish(self) -> None:
        self.n_iter_ = self.max_iter

    def _set(self, name: str, value: Any) -> None:
        # Coefficients of random features are of no use to anybody.
        if name not in ("coef_", "intercept_"):
            super()._set(name, value)
