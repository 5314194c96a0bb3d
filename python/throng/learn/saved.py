"""Models from files, and bounds that are bought on their own."""

from __future__ import annotations

import json
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from throng import _native, testing
from throng._budget import Budget, current
from throng._errors import InvalidInput
from throng._guarantee import Guarantee
from throng._mechanism import Mechanism
from throng._number import Number
from throng.learn import _declared as declared
from throng.learn._base import PrivateClassifier, PrivateEstimator, _summed
from throng.learn.bayes import CategoricalNB, GaussianNB
from throng.learn.cluster import KMeans
from throng.learn.distribution import Synthesizer
from throng.learn.features import PCA, StandardScaler
from throng.learn.image import ImageClassifier
from throng.learn.linear import SVC, LinearRegression, LinearSVC, LogisticRegression
from throng.learn.network import MLPClassifier, MLPRegressor
from throng.learn.trees import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

_KINDS: dict[str, type[PrivateEstimator]] = {
    "linear": LinearRegression,
    "logistic": LogisticRegression,
    "svm": LinearSVC,
    "naive-bayes": GaussianNB,
    "k-means": KMeans,
    "forest": RandomForestClassifier,
    "forest-regression": RandomForestRegressor,
    "boosting": GradientBoostingClassifier,
    "boosting-regression": GradientBoostingRegressor,
    "network": MLPClassifier,
    "network-regression": MLPRegressor,
    "pca": PCA,
    "scaler": StandardScaler,
    "image-classifier": ImageClassifier,
    "synthetic": Synthesizer,
}


def load(path: str | PathLike[str], *, classes: Any = None) -> PrivateEstimator:
    """Read a fitted model that ``save`` or ``throng learn fit`` wrote.

    Parameters
    ----------
    path : path
        A ``.json`` or ``.safetensors`` file.
    classes : list, optional
        The classes as Python values, in the order of the file; if left out, texts that are all whole
        numbers, numbers, or true and false are read as such.

    Returns
    -------
    estimator
        It predicts and has a ``guarantee_``: a statement of whoever wrote the file. Its parameters are
        not those that it was fitted with, which a file does not have.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> from throng.learn import LinearRegression, load
    >>> X = np.random.default_rng(0).uniform(size=(1000, 1))
    >>> model = LinearRegression(epsilon=1, bounds=(0, 1), label_bounds=(0, 2)).fit(X, 2 * X[:, 0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "model.json")
    ...     model.save(path)
    ...     again = load(path)
    >>> bool((again.predict(X) == model.predict(X)).all())
    True
    """
    model = _native.Model.load(Path(fspath(path)).read_bytes())
    table = model.table()
    if model.kind not in _KINDS or table is None:
        raise InvalidInput(
            f"no estimator stands for this {model.kind}", "look at it with `throng learn inspect`"
        )
    document = json.loads(table[0])
    columns = declared.Declared(
        tuple(
            declared.Column(
                column["name"],
                tuple(column["bounds"]) if "bounds" in column else None,
                tuple(column["levels"]) if "levels" in column else None,
            )
            for column in document["columns"]
        )
    )
    kind = _KINDS[model.kind]
    if kind is LinearSVC and json.loads(model.parameters()).get("features") is not None:
        kind = SVC
    if kind is GaussianNB and not any(column.bounds for column in columns.columns):
        kind = CategoricalNB
    estimator = kind()
    label = document.get("label", {})
    if isinstance(estimator, PrivateClassifier):
        estimator.classes_ = _classes(label["classes"], classes)
    estimator._take(model, columns)
    estimator.guarantee_ = replace(estimator.guarantee_, asked=1e-5)
    estimator.n_features_in_ = len(columns.columns)
    names = [column.name for column in columns.columns]
    if names != [f"x{place}" for place in range(len(names))]:
        estimator.feature_names_in_ = np.asarray(names, dtype=object)
    return estimator


def _classes(written: list[str], given: Any) -> NDArray[Any]:
    if given is not None:
        found = np.asarray(given)
        if found.shape != (len(written),):
            raise InvalidInput(f"the model has {len(written)} classes", "give as many")
        return found
    for kind in (int, float):
        try:
            numbers = [kind(text) for text in written]
        except ValueError:
            continue
        if [str(number) for number in numbers] == written:
            return np.asarray(numbers)
    if written == ["False", "True"]:
        return np.asarray([False, True])
    return np.asarray(written)


def buy_bounds(
    X: Any,
    *,
    epsilon: Number,
    delta: Number | None = None,
    neighbours: str = "add-remove",
    resolution: float = 1 / 1024,
    budget: Budget | None = None,
    random_state: Any = None,
) -> tuple[dict[str, tuple[float, float] | None], Guarantee]:
    """Buy bounds of columns that nobody can declare.

    They are powers of two times the resolution, the outermost with many records between them. What they
    cost adds to what a fit costs.

    Parameters
    ----------
    X : table
        Columns of numbers.
    epsilon, delta, neighbours, budget, random_state
        As for estimators.
    resolution : float
        The smallest magnitude that is told from 0.

    Returns
    -------
    bounds : dict
        To be given as ``bounds``; None for a column in which too few records show.
    guarantee : Guarantee

    Examples
    --------
    >>> import numpy as np
    >>> from throng.learn import buy_bounds
    >>> ages = np.random.default_rng(0).integers(18, 90, size=(5000, 1))
    >>> bounds, guarantee = buy_bounds(ages, epsilon=1)
    >>> bounds
    {'x0': (16.0, 128.0)}
    """
    cells = [declared.numbers_in(np.asarray(column)) for column in declared.columns_in(X)]
    table = np.ascontiguousarray(np.column_stack(cells))
    budget = current(budget)
    found, spec, (receipt, costs) = _native.buy_bounds(
        table,
        (epsilon, delta, neighbours),
        float(resolution),
        None if budget is None else budget._native,
        testing.seed(random_state),
    )
    guarantee = Guarantee(
        Mechanism(str(spec), neighbours=neighbours),
        unit="a record",
        cost=None if budget is None else _summed(costs),
        receipt=receipt,
        insecure=testing.active(),
        asked=0 if delta is None else delta,
    )
    return dict(zip(declared.names_of(X, table.shape[1]), found, strict=True)), guarantee
