"""What all estimators share: describe, pay, fit, hand over."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClusterMixin,
    RegressorMixin,
    TransformerMixin,
)
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    check_array,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from throng import _native, testing
from throng._budget import Budget, current
from throng._errors import InvalidInput
from throng._guarantee import Guarantee
from throng._mechanism import Mechanism
from throng._number import Number
from throng.learn import _declared as declared
from throng.learn._declared import Declared, Floats

#: What tells of progress: steps taken, all steps, epsilon so far (None where it is not known).
Progress = Callable[[int, int, float | None], object]

#: Bounds of columns, as people give them.
Bounds = (
    tuple[Any, Any]
    | Mapping[Any, tuple[float, float] | list[Any] | Literal["buy"]]
    | Literal["buy"]
    | None
)

_HOW_PRIVATE = "give epsilon=1 for pure privacy, or epsilon=1, delta=1e-5"


class PrivateEstimator(BaseEstimator):  # type: ignore[misc]
    """The part that does not depend on the model.

    Parameters are kept as they are given and looked at by ``fit``, before anything is paid.
    """

    #: The kind of model, by the name that ``throng learn`` gives it.
    _kind: str
    #: How categories become numbers.
    _one_hot = True

    epsilon: Number | None
    delta: Number | None
    bounds: Bounds
    bounds_share: float
    neighbours: str
    budget: Budget | None
    progress: Progress | None
    random_state: Any

    n_features_in_: int
    guarantee_: Guarantee
    _model: _native.Model
    _declared: Declared

    # What is declared.

    def _options(self) -> dict[str, Any]:
        """The options of the learner."""
        return {}

    def _columns(self, names: list[str]) -> Declared:
        return declared.columns_of(self.bounds, names)

    def _wanted(self, columns: Declared, label: dict[str, Any] | None) -> dict[str, Any]:
        """What is asked for, as plain data."""
        options = {name: value for name, value in self._options().items() if value is not None}
        wanting = columns.wanting
        return {
            "kind": self._kind,
            "schema": columns.schema(label),
            "options": json.dumps(options, default=_plain),
            "buy": (float(self.bounds_share), wanting) if wanting else None,
        }

    def _privacy(self) -> tuple[Number, Number | None, str]:
        if self.epsilon is None:
            raise InvalidInput("it is not said how private the model shall be", _HOW_PRIVATE)
        return self.epsilon, self.delta, self.neighbours

    # From tables to numbers.

    def _table(self, X: Any, *, reset: bool) -> Any:
        """The table, checked for its shape alone: numbers as they are, all else to be read by columns."""
        if declared.is_frame(X) and not isinstance(X, np.ndarray):
            validate_data(self, X, skip_check_array=True, reset=reset)
            if X.shape[1] == 0:
                self._shaped(np.empty(X.shape))
            return X
        table = X if hasattr(X, "toarray") else np.asarray(X)
        if table.dtype.kind in "OUS":
            # Zeros of the same shape: what is in the cells is nobody's business yet.
            self._shaped(np.broadcast_to(np.float64(0), table.shape))
        else:
            table = self._shaped(table)
        validate_data(self, table, skip_check_array=True, reset=reset)
        return table

    def _shaped(self, table: Any) -> Floats:
        found: Floats = check_array(
            table,
            dtype=np.float64,
            order="C",
            ensure_all_finite=False,
            ensure_min_samples=0,
            estimator=self,
            input_name="X",
        )
        return found

    def _encoded(self, table: Any, columns: Declared) -> Floats:
        if isinstance(table, np.ndarray) and table.dtype == np.float64 and columns.plain:
            return table
        return declared.encoded(table, columns, one_hot=self._one_hot)

    def _numbers(self, X: Any) -> Floats:
        """The table as the model wants it."""
        return self._encoded(self._table(X, reset=False), self._declared)

    def _needs(self, y: Any) -> None:
        if y is None:
            name = type(self).__name__
            raise InvalidInput(
                f"This {name} estimator requires y to be passed, but the target y is None.",
                "give the labels",
            )

    # Describe, pay, fit, hand over.

    def _fitted(
        self,
        X: Any,
        label: dict[str, Any] | None = None,
        y: NDArray[Any] | None = None,
        assumptions: tuple[str, ...] = (),
    ) -> Self:
        table = self._table(X, reset=True)
        if y is not None:
            check_consistent_length(table, y)
        columns = self._columns(declared.names_of(X, table.shape[1]))
        wanted, privacy = self._wanted(columns, _named(label, columns)), self._privacy()
        numbers = self._encoded(table, columns)
        budget = current(self.budget)
        if budget is not None and not isinstance(budget, Budget):
            raise InvalidInput("budget is no throng.Budget", "give throng.Budget(epsilon, delta)")
        seed = testing.seed(self.random_state)
        steps = self.progress is not None and not self._kind.startswith("network")
        if steps and self.progress is not None:
            self.progress(0, 1, None)
        native = None if budget is None else budget._native
        model, (receipt, costs) = _native.fit(
            wanted, privacy, numbers, y, native, self.progress, seed
        )
        cost = None if budget is None else _summed(costs)
        self._take(model, columns, receipt=receipt, cost=cost, assumptions=assumptions)
        if steps and self.progress is not None:
            self.progress(1, 1, self.guarantee_.epsilon().upper)
        return self

    def _take(
        self,
        model: _native.Model,
        columns: Declared,
        *,
        receipt: str | None = None,
        cost: dict[str, float] | None = None,
        assumptions: tuple[str, ...] = (),
    ) -> None:
        """Becomes a fitted model."""
        self._model = model
        table = model.table()
        self._declared = columns if table is None else columns.with_bounds(table[0])
        mechanism = Mechanism(str(model.spec), neighbours=model.neighbours)
        self.guarantee_ = Guarantee(
            mechanism,
            unit=model.unit,
            cost=cost,
            receipt=receipt,
            assumptions=assumptions,
            insecure=model.insecure,
            asked=0 if self.delta is None else self.delta,
        )
        for name, value in model.arrays().items():
            self._set(name, value)
        self._finish()

    def _set(self, name: str, value: Any) -> None:
        setattr(self, name, value)

    def _finish(self) -> None:
        """What else is told of a fitted model."""

    def explain(self, X: Any = None, *, columns: int | list[str] | None = None) -> Mechanism:
        """What a fit would run; no row is looked at and nothing is spent.

        Parameters
        ----------
        X : table, optional
            Only its columns matter.
        columns : int or list of str, optional
            Or the columns themselves.

        Returns
        -------
        throng.Mechanism
        """
        if isinstance(columns, list):
            names = columns
        else:
            count = columns if columns is not None else X.shape[1]
            names = declared.names_of(X, count)
        known = self._columns(names)
        wanted = self._wanted(known, _named(self._label(), known))
        return Mechanism(str(_native.plan_of(wanted, self._privacy())), neighbours=self.neighbours)

    def _label(self) -> dict[str, Any] | None:
        """What is declared of the label."""
        return None

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted model, with its guarantee, to a ``.json`` or ``.safetensors`` file.

        The file is as public as the model. ``throng learn`` reads it, and :func:`throng.learn.load`.
        """
        check_is_fitted(self)
        place = Path(fspath(path))
        if place.suffix not in (".json", ".safetensors"):
            raise InvalidInput(
                f"models are not written to {place.suffix or 'files without an ending'}",
                "end the name in .json or .safetensors",
            )
        place.write_bytes(self._model.save(place.suffix[1:]))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # What a cell holds never makes a fit fail, or the failure would tell of it: NaN and texts
        # that are no numbers count as the middle of the bounds.
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.sparse = False
        return tags


def _refused(others: dict[str, object]) -> None:
    """Arguments of ``fit`` that scikit-learn knows and a private fit has no proof for."""
    for name in others:
        if name == "sample_weight":
            raise InvalidInput(
                "sample_weight is not taken: a record with a larger weight would tell more of itself",
                "leave it out; every record counts the same",
            )
        raise TypeError(f"fit() got an unexpected keyword argument {name!r}")


def _named(label: dict[str, Any] | None, columns: Declared) -> dict[str, Any] | None:
    """The label under a name that no column has."""
    if label is None:
        return None
    taken = {column.name for column in columns.columns}
    name = str(label["name"])
    while name in taken or not name:
        name += "_"
    return {**label, "name": name}


def _summed(costs: list[list[tuple[str, float]]]) -> dict[str, float]:
    """What several charges cost together, rounded up."""
    total: dict[str, float] = {}
    for cost in costs:
        for name, value in cost:
            known = total.get(name)
            total[name] = value if known is None else math.nextafter(known + value, math.inf)
    return total


def _plain(value: Any) -> Any:
    """Numbers of numpy's as those of JSON."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise InvalidInput(f"an option is a {type(value).__name__}", "give a number, a text or a list")


class PrivateClassifier(ClassifierMixin, PrivateEstimator):  # type: ignore[misc]
    """Estimators that learn classes."""

    classes: Any
    classes_: NDArray[Any]

    def _label(self) -> dict[str, Any]:
        return self._of_classes(declared.class_array(self._given()), "label")

    @staticmethod
    def _of_classes(classes: NDArray[Any], name: str) -> dict[str, Any]:
        return {"name": name, "classes": [declared.text_of(one) for one in classes]}

    def _given(self) -> Any:
        if self.classes is None:
            raise InvalidInput(
                "the classes are not declared",
                "give classes=['no', 'yes']: they are not read from y, where they may be somebody's; "
                "classes='public' says that which labels occur is no secret",
            )
        return self.classes

    def fit(self, X: Any, y: Any, **refused: object) -> Self:
        """Pay, and fit.

        Parameters
        ----------
        X : table of shape (records, columns)
            Numbers are clamped to their bounds; what is no number counts as their middle.
        y : array of shape (records,)
            A record whose label is not among the classes is left out.
        **refused
            ``sample_weight`` is not taken.

        Returns
        -------
        self
        """
        _refused(refused)
        self._needs(y)
        labels = column_or_1d(y, warn=True)
        assumptions: tuple[str, ...] = ()
        given = self._given()
        if isinstance(given, str) and given == "public":
            classes = _occurring(labels)
            assumptions = ("which labels occur in y is public",)
        else:
            classes = declared.class_array(given)
            declared.same_kind(labels, classes)
        name = getattr(y, "name", None)
        label = self._of_classes(classes, name if isinstance(name, str) else "label")
        codes = declared.codes_in(labels, classes)
        self._fitted(X, label, codes, assumptions)
        self.classes_ = classes
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The likeliest class of each row.

        What a model says about a row shows that row, and of the table that it was fitted on no more
        than the model itself.
        """
        check_is_fitted(self)
        found: NDArray[Any] = self.classes_[self._model.codes(self._numbers(X))]
        return found


class WithChances(PrivateClassifier):
    """Classifiers that know how likely classes are."""

    def predict_proba(self, X: Any) -> Floats:
        """How likely each class is: a row for each row, a column for each of ``classes_``."""
        check_is_fitted(self)
        return self._model.chances(self._numbers(X))

    def predict_log_proba(self, X: Any) -> Floats:
        """The logarithms of :meth:`predict_proba`."""
        with np.errstate(divide="ignore"):
            found: Floats = np.log(self.predict_proba(X))
        return found


class WithScores(PrivateClassifier):
    """Classifiers that choose by scores."""

    def decision_function(self, X: Any) -> Floats:
        """The scores: above 0 for the second of two classes, else a column for each class."""
        check_is_fitted(self)
        scores = self._model.scores(self._numbers(X))
        return scores.ravel() if scores.shape[1] == 1 else scores


def _occurring(labels: NDArray[Any]) -> NDArray[Any]:
    """The labels that occur, where that is public."""
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise InvalidInput("a label is no number, and is no class", "declare the classes")
    check_classification_targets(labels)
    classes: NDArray[Any] = np.unique(labels)
    if len(classes) < 2:
        raise InvalidInput("there is one class at most, and a classifier needs 2", "")
    return classes


class PrivateRegressor(RegressorMixin, PrivateEstimator):  # type: ignore[misc]
    """Estimators that learn a number."""

    label_bounds: tuple[float, float] | None

    def _label(self) -> dict[str, Any]:
        return {"name": "label", "bounds": declared.interval(self.label_bounds)}

    def fit(self, X: Any, y: Any, **refused: object) -> Self:
        """Pay, and fit.

        Parameters
        ----------
        X : table of shape (records, columns)
            Numbers are clamped to their bounds; what is no number counts as their middle.
        y : array of shape (records,)
            Clamped to ``label_bounds``; a record whose label is no number is left out.
        **refused
            ``sample_weight`` is not taken.

        Returns
        -------
        self
        """
        _refused(refused)
        self._needs(y)
        labels = column_or_1d(y, warn=True)
        if labels.dtype.kind == "c":
            raise InvalidInput("Complex data not supported", "give numbers")
        name = getattr(y, "name", None)
        label = {**self._label(), "name": name if isinstance(name, str) else "label"}
        numbers = np.ascontiguousarray(declared.numbers_in(labels), dtype=np.float64)
        return self._fitted(X, label, numbers)

    def predict(self, X: Any) -> Floats:
        """A number for each row, within ``label_bounds``."""
        check_is_fitted(self)
        return self._model.numbers(self._numbers(X))


class PrivateTransformer(TransformerMixin, PrivateEstimator):  # type: ignore[misc]
    """Estimators that make other features."""

    def fit(self, X: Any, y: Any = None, **refused: object) -> Self:
        """Pay, and fit; `y` is not looked at."""
        _refused(refused)
        return self._fitted(X)

    def transform(self, X: Any) -> Any:
        """The new features of each row."""
        check_is_fitted(self)
        return self._model.features(self._numbers(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64"]
        return tags


class PrivateClusterer(ClusterMixin, PrivateEstimator):  # type: ignore[misc]
    """Estimators that find groups."""

    def fit(self, X: Any, y: Any = None, **refused: object) -> Self:
        """Pay, and fit; `y` is not looked at."""
        _refused(refused)
        return self._fitted(X)

    def predict(self, X: Any) -> NDArray[np.int32]:
        """The group of each row."""
        check_is_fitted(self)
        return self._model.codes(self._numbers(X)).astype(np.int32)

    def fit_predict(self, X: Any, y: Any = None, **refused: object) -> NDArray[np.int32]:
        """Fit, and the groups of the same rows.

        The model is private; which group a row is in shows that row, so the groups of private rows
        are for whoever holds them, and no release.
        """
        return self.fit(X, y, **refused).predict(X)
