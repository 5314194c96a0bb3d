"""Private models that are scikit-learn estimators.

They go into pipelines, cross-validation and grid search like any other. What is different: parameters
are given by name; ``epsilon`` says how private the model is; ``bounds``, ``classes`` and ``label_bounds``
say what is known about the table beforehand, and are never read from it silently; ``guarantee_`` says
what a fitted model tells about any one record.

>>> import numpy as np
>>> import throng as tg
>>> from sklearn.model_selection import cross_val_score
>>> from throng.learn import LogisticRegression
>>> rng = np.random.default_rng(0)
>>> X = rng.uniform(0, 1, size=(3000, 2))
>>> y = (X.sum(axis=1) > 1).astype(int)
>>> budget = tg.Budget(epsilon=10, delta=1e-5)
>>> model = LogisticRegression(epsilon=1, delta=1e-6, bounds=(0, 1), classes=[0, 1], budget=budget)
>>> scores = cross_val_score(model, X, y, cv=3)  # three fits: the budget pays for each
>>> bool(scores.mean() > 0.8), round(budget.spent["epsilon"], 3)
(True, 3.0)

==============  =================================================================================
classes         :class:`LogisticRegression`, :class:`LinearSVC`, :class:`SVC`, :class:`GaussianNB`,
                :class:`CategoricalNB`, :class:`DecisionTreeClassifier`,
                :class:`RandomForestClassifier`, :class:`GradientBoostingClassifier`,
                :class:`MLPClassifier`, :class:`ImageClassifier`
a number        :class:`LinearRegression`, :class:`DecisionTreeRegressor`,
                :class:`RandomForestRegressor`, :class:`GradientBoostingRegressor`,
                :class:`MLPRegressor`
groups          :class:`KMeans`
features        :class:`PCA`, :class:`StandardScaler`
made-up tables  :class:`Synthesizer`
bounds          :func:`buy_bounds`
files           ``model.save(path)``, :func:`load`
==============  =================================================================================
"""

from throng._guarantee import Guarantee
from throng._optional import needed

needed("numpy")
needed("sklearn")

from throng.learn.bayes import CategoricalNB, GaussianNB  # noqa: E402
from throng.learn.cluster import KMeans  # noqa: E402
from throng.learn.distribution import Synthesizer  # noqa: E402
from throng.learn.features import PCA, StandardScaler  # noqa: E402
from throng.learn.image import ImageClassifier  # noqa: E402
from throng.learn.linear import (  # noqa: E402
    SVC,
    LinearRegression,
    LinearSVC,
    LogisticRegression,
)
from throng.learn.network import MLPClassifier, MLPRegressor  # noqa: E402
from throng.learn.saved import buy_bounds, load  # noqa: E402
from throng.learn.trees import (  # noqa: E402
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

__all__ = [
    "PCA",
    "SVC",
    "CategoricalNB",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "GaussianNB",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "Guarantee",
    "ImageClassifier",
    "KMeans",
    "LinearRegression",
    "LinearSVC",
    "LogisticRegression",
    "MLPClassifier",
    "MLPRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "StandardScaler",
    "Synthesizer",
    "buy_bounds",
    "load",
]
