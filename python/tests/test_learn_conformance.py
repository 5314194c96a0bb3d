"""scikit-learn's own checks of estimators: all of them, and a list of those that privacy forbids.

The checks fit default estimators on arbitrary tables, so the estimators here declare what makes that
legal: wide bounds, a large epsilon (a few dozen records have to be enough), and ``classes="public"``. The
checks set ``random_state`` and fit twice, so they run in the testing mode.
"""

from __future__ import annotations

import warnings

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import throng as tg
from throng import learn

DECLARED = {"epsilon": 1000, "delta": 0.01, "bounds": (-3, 3)}
CLASSES = {**DECLARED, "classes": "public"}
NUMBER = {**DECLARED, "label_bounds": (-4, 4)}

ESTIMATORS = [
    learn.LogisticRegression(**CLASSES),
    learn.LinearSVC(**CLASSES),
    learn.SVC(**CLASSES),
    learn.GaussianNB(**CLASSES),
    learn.CategoricalNB(epsilon=1000, classes="public", n_categories=20),
    learn.DecisionTreeClassifier(**CLASSES, max_depth=12),
    learn.RandomForestClassifier(**CLASSES),
    learn.GradientBoostingClassifier(**CLASSES),
    learn.MLPClassifier(**CLASSES, records=100),
    learn.LinearRegression(**NUMBER),
    learn.DecisionTreeRegressor(**NUMBER, max_depth=12),
    learn.RandomForestRegressor(**NUMBER),
    learn.GradientBoostingRegressor(**NUMBER),
    learn.MLPRegressor(**NUMBER, records=200, max_iter=300),
    learn.KMeans(**DECLARED),
    learn.PCA(**DECLARED),
    learn.StandardScaler(**DECLARED),
    learn.Synthesizer(**DECLARED),
]

#: What is not so, and why. Nothing else may fail, and all of these must.
NO_RECORDS = "no records are a table like any other: an error would tell whether there was one"
NO_NUMBER = "a record whose label is no number is left out: an error would tell that there is one"
NO_LABELS = "the groups of the fitted rows are not published: there is no labels_"
TOO_FEW = "trees drawn without the data need more than 200 records to find one column among ten"


def expected(estimator: object) -> dict[str, str]:
    """The checks that must fail."""
    found = {}
    # Which labels occur is public here, so that none occur may be told.
    if not isinstance(estimator, learn._base.PrivateClassifier):
        found["check_estimators_empty_data_messages"] = NO_RECORDS
    if isinstance(estimator, learn._base.PrivateRegressor):
        found["check_supervised_y_no_nan"] = NO_NUMBER
    if isinstance(estimator, learn.KMeans):
        found["check_clustering"] = NO_LABELS
    if isinstance(estimator, learn.RandomForestRegressor):
        found["check_regressors_train"] = TOO_FEW
    return found


@pytest.fixture(autouse=True)
def testing_mode():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.testing.InsecureSeedWarning)
        with tg.testing.insecure_seed(0):
            yield


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected, xfail_strict=True)
def test_checks_of_scikit_learn(estimator, check):
    # Some checks hand over what scikit-learn itself warns of.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


def test_every_estimator_is_checked():
    special = {"ImageClassifier"}  # needs images: see test_learn.py
    names = {name for name in learn.__all__ if hasattr(getattr(learn, name), "fit")}
    assert names == {type(estimator).__name__ for estimator in ESTIMATORS} | special
