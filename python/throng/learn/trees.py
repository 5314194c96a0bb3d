"""Trees drawn without the data, with noise in their leaves."""

from __future__ import annotations

from typing import Any

from throng._budget import Budget
from throng._number import Number
from throng.learn._base import Bounds, PrivateRegressor, Progress, WithChances
from throng.learn._words import documented


@documented
class DecisionTreeClassifier(WithChances):
    """One decision tree, each node with a question of its own.

    Parameters
    ----------
    {classes}
    max_depth : int
        How many questions a row is asked, from 1 to 14; they are drawn without the data.

    Attributes
    ----------
    classes_ : array
    guarantee_ : Guarantee
    """

    _kind = "tree"
    _one_hot = False

    def __init__(
        self,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        bounds: Bounds = None,
        bounds_share: float = 0.1,
        classes: Any = None,
        max_depth: int = 8,
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
        self.max_depth = max_depth
        self.neighbours = neighbours
        self.budget = budget
        self.progress = progress
        self.random_state = random_state

    def _options(self) -> dict[str, Any]:
        return {"depth": self.max_depth}


@documented
class DecisionTreeRegressor(PrivateRegressor):
    """One decision tree, each node with a question of its own, for a number.

    Parameters
    ----------
    {label}
    max_depth : int
        How many questions a row is asked, from 1 to 14; they are drawn without the data.

    Attributes
    ----------
    guarantee_ : Guarantee
    """

    _kind = "tree-regression"
    _one_hot = False

    def __init__(
        self,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        bounds: Bounds = None,
        bounds_share: float = 0.1,
        label_bounds: tuple[float, float] | None = None,
        max_depth: int = 8,
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
        self.max_depth = max_depth
        self.neighbours = neighbours
        self.budget = budget
        self.progress = progress
        self.random_state = random_state

    def _options(self) -> dict[str, Any]:
        return {"depth": self.max_depth}


@documented
class RandomForestClassifier(WithChances):
    """Random trees with noisy counts in their leaves.

    Parameters
    ----------
    {classes}
    n_estimators : int
        How many trees.
    max_depth : int
        How many questions each asks, from 1 to 14; they are drawn without the data.
    seen : {"all", "disjoint"}
        Whether each record is in every tree, or in one that is drawn for it alone.
    asks : {"level", "node"}
        Whether all rows of a level are asked the same question, or those of a node.

    Attributes
    ----------
    classes_ : array
    guarantee_ : Guarantee
    """

    _kind = "forest"
    _one_hot = False

    def __init__(
        self,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        bounds: Bounds = None,
        bounds_share: float = 0.1,
        classes: Any = None,
        n_estimators: int = 20,
        max_depth: int = 5,
        seen: str = "all",
        asks: str = "level",
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
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.seen = seen
        self.asks = asks
        self.neighbours = neighbours
        self.budget = budget
        self.progress = progress
        self.random_state = random_state

    def _options(self) -> dict[str, Any]:
        return {
            "trees": self.n_estimators,
            "depth": self.max_depth,
            "seen": self.seen,
            "asks": self.asks,
        }


@documented
class RandomForestRegressor(PrivateRegressor):
    """Random trees with noisy counts in their leaves, for a number.

    Parameters
    ----------
    {label}
    n_estimators : int
        How many trees.
    max_depth : int
        How many questions each asks, from 1 to 14; they are drawn without the data.
    seen : {"all", "disjoint"}
        Whether each record is in every tree, or in one that is drawn for it alone.
    asks : {"level", "node"}
        Whether all rows of a level are asked the same question, or those of a node.

    Attributes
    ----------
    guarantee_ : Guarantee
    """

    _kind = "forest-regression"
    _one_hot = False

    def __init__(
        self,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        bounds: Bounds = None,
        bounds_share: float = 0.1,
        label_bounds: tuple[float, float] | None = None,
        n_estimators: int = 20,
        max_depth: int = 5,
        seen: str = "all",
        asks: str = "level",
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
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.seen = seen
        self.asks = asks
        self.neighbours = neighbours
        self.budget = budget
        self.progress = progress
        self.random_state = random_state

    def _options(self) -> dict[str, Any]:
        return {
            "trees": self.n_estimators,
            "depth": self.max_depth,
            "seen": self.seen,
            "asks": self.asks,
        }


@documented
class GradientBoostingClassifier(WithChances):
    """Boosted trees with noise in their leaves.

    Parameters
    ----------
    {classes}
    n_estimators : int, optional
        How many trees; if left out 16 for each column, but from 200 to 300.
    learning_rate : float
        Which part of a Newton step a leaf says.
    max_depth : int
        How many questions each tree asks; they are drawn without the data.
    parts : int
        Into how many parts a question divides a column.
    ridge : float
        What is added to the curvature of a leaf: as many records whose labels are not known.
    caution : float
        What is added to it more, in standard deviations of the noise of a gradient.
    residual : float
        For numbers: the largest residual that counts, as a fraction of half the width of
        their interval.

    Attributes
    ----------
    classes_ : array
    guarantee_ : Guarantee
    """

    _kind = "boosting"
    _one_hot = False

    def __init__(
        self,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        bounds: Bounds = None,
        bounds_share: float = 0.1,
        classes: Any = None,
        n_estimators: int | None = None,
        learning_rate: float = 0.3,
        max_depth: int = 1,
        parts: int = 8,
        ridge: float = 1.0,
        caution: float = 3.0,
        residual: float = 0.5,
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
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_depth = max_depth
        self.parts = parts
        self.ridge = ridge
        self.caution = caution
        self.residual = residual
        self.neighbours = neighbours
        self.budget = budget
        self.progress = progress
        self.random_state = random_state

    def _options(self) -> dict[str, Any]:
        return {
            "trees": self.n_estimators,
            "rate": self.learning_rate,
            "depth": self.max_depth,
            "parts": self.parts,
            "ridge": self.ridge,
            "caution": self.caution,
            "residual": self.residual,
        }


@documented
class GradientBoostingRegressor(PrivateRegressor):
    """Boosted trees with noise in their leaves, for a number.

    Parameters
    ----------
    {label}
    n_estimators : int, optional
        How many trees; if left out 16 for each column, but from 200 to 300.
    learning_rate : float
        Which part of a Newton step a leaf says.
    max_depth : int
        How many questions each tree asks; they are drawn without the data.
    parts : int
        Into how many parts a question divides a column.
    ridge : float
        What is added to the curvature of a leaf: as many records whose labels are not known.
    caution : float
        What is added to it more, in standard deviations of the noise of a gradient.
    residual : float
        For numbers: the largest residual that counts, as a fraction of half the width of
        their interval.

    Attributes
    ----------
    guarantee_ : Guarantee
    """

    _kind = "boosting-regression"
    _one_hot = False

    def __init__(
        self,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        bounds: Bounds = None,
        bounds_share: float = 0.1,
        label_bounds: tuple[float, float] | None = None,
        n_estimators: int | None = None,
        learning_rate: float = 0.3,
        max_depth: int = 1,
        parts: int = 8,
        ridge: float = 1.0,
        caution: float = 3.0,
        residual: float = 0.5,
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
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_depth = max_depth
        self.parts = parts
        self.ridge = ridge
        self.caution = caution
        self.residual = residual
        self.neighbours = neighbours
        self.budget = budget
        self.progress = progress
        self.random_state = random_state

    def _options(self) -> dict[str, Any]:
        return {
            "trees": self.n_estimators,
            "rate": self.learning_rate,
            "depth": self.max_depth,
            "parts": self.parts,
            "ridge": self.ridge,
            "caution": self.caution,
            "residual": self.residual,
        }
