"""Defects that other private estimators have had, and these must not have."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

import throng as tg
from throng import learn

RNG = np.random.default_rng(1)
X = RNG.uniform(0, 1, size=(600, 2))
Y = (X.sum(axis=1) > 1).astype(int)
KNOWN = {"epsilon": 1, "delta": 1e-7, "bounds": (0, 1), "classes": [0, 1]}


def spent(budget: tg.Budget) -> float:
    return budget.spent["epsilon"]


def test_clones_folds_and_grids_are_charged():
    """A budget that clones do not share pays nothing for 21 fits."""
    budget = tg.Budget(epsilon=100, delta=1e-5)
    model = learn.LogisticRegression(**KNOWN, budget=budget)
    assert clone(model).budget is budget and clone(clone(model)).get_params()["budget"] is budget
    cross_val_score(model, X, Y, cv=5)
    assert 4.99 < spent(budget) <= 5
    GridSearchCV(model, {"max_iter": [5, 10, 20]}, cv=5).fit(X, Y)
    assert 20.9 < spent(budget) <= 21


def test_the_budget_of_a_context_is_charged_too():
    with tg.Budget(epsilon=2, delta=1e-5) as budget:
        learn.GaussianNB(**KNOWN).fit(X, Y)
        learn.GaussianNB(**KNOWN).fit(X, Y)
        with pytest.raises(tg.BudgetExhausted):
            learn.GaussianNB(**KNOWN).fit(X, Y)
    assert 1.99 < spent(budget) <= 2


def test_other_processes_pay_from_the_same_ledger(tmp_path):
    budget = tg.Budget(epsilon=100, delta=1e-5, ledger=tmp_path / "team.ledger")
    model = learn.GaussianNB(**KNOWN, budget=budget)
    GridSearchCV(model, {"reach": [0.5, 1.0]}, cv=2, n_jobs=2).fit(X, Y)
    assert 4.99 < spent(budget) <= 5
    fitted = clone(model).fit(X, Y)
    assert fitted.guarantee_.receipt and 5.99 < spent(tg.Budget(ledger=tmp_path / "team.ledger")) <= 6
    # In memory both would spend it.
    alone = learn.GaussianNB(**KNOWN, budget=tg.Budget(epsilon=100, delta=1e-5))
    with pytest.raises(Exception, match="cannot be sent to another process|could not be pickled|pickle"):
        GridSearchCV(alone, {"reach": [0.5, 1.0]}, cv=2, n_jobs=2).fit(X, Y)


def test_what_fails_before_it_begins_costs_nothing():
    budget = tg.Budget(epsilon=1, delta=1e-6)
    model = learn.LogisticRegression(**KNOWN, budget=budget)
    for wrong in (lambda: model.fit(X[:5], Y), lambda: model.fit(X[0], Y[:1]), lambda: model.fit(X, None)):
        with pytest.raises(ValueError):
            wrong()
        assert spent(budget) == 0
    with pytest.raises(tg.InvalidInput):
        clone(model).set_params(max_iter=0).fit(X, Y)
    with pytest.raises(tg.BudgetExhausted):
        clone(model).set_params(epsilon=3).fit(X, Y)
    assert spent(budget) == 0
    model.fit(X, Y)
    assert 0.99 < spent(budget) <= 1
    with pytest.raises(tg.BudgetExhausted):
        model.fit(X, Y)
    assert spent(budget) <= 1


def test_one_relation_throughout():
    budget = tg.Budget(epsilon=10, delta=1e-5, neighbours="replace")
    with pytest.raises(tg.Refused, match="neighbours"):
        learn.GaussianNB(**KNOWN, budget=budget).fit(X, Y)
    assert spent(budget) == 0


@pytest.mark.parametrize("columns", [2, 9, 30])
def test_a_fit_spends_what_it_says(columns):
    """K-means elsewhere spends up to twice its epsilon, the more the more columns there are."""
    table = RNG.uniform(size=(500, columns))
    budget = tg.Budget(epsilon=10, delta=1e-5)
    model = learn.KMeans(epsilon=1, delta=1e-7, bounds=(0, 1), n_clusters=3, budget=budget).fit(table)
    assert model.guarantee_.epsilon(1e-7).upper <= 1 and spent(budget) <= 1
    assert model.guarantee_.cost == budget.spent
    for secret in ("labels_", "inertia_", "n_samples_seen_"):
        assert not hasattr(model, secret)


def test_noise_is_never_zero():
    """Regression elsewhere adds no noise at all if bounds are [0, 1]: two fits are the same."""
    for bounds in ((0, 1), (-1, 1), (0, 1e-9), (1e6, 1e6 + 1)):
        linear = learn.LinearRegression(epsilon=1, bounds=bounds, label_bounds=(0, 2))
        fits = [clone(linear).fit(X, X.sum(axis=1)) for _ in range(2)]
        assert (fits[0].coef_ != fits[1].coef_).all() and fits[0].intercept_ != fits[1].intercept_
    for Model in (learn.LogisticRegression, learn.LinearSVC):
        fits = [Model(**KNOWN).fit(X, Y) for _ in range(2)]
        assert (fits[0].coef_ != fits[1].coef_).all()
    fits = [learn.StandardScaler(epsilon=1, bounds=(0, 1)).fit(X) for _ in range(2)]
    assert (fits[0].mean_ != fits[1].mean_).all() and (fits[0].scale_ != fits[1].scale_).all()
    fits = [learn.GaussianNB(**KNOWN).fit(X, Y) for _ in range(2)]
    assert (fits[0].theta_ != fits[1].theta_).all() and (fits[0].class_prior_ != fits[1].class_prior_).all()


def test_global_seeds_change_nothing():
    """Noise elsewhere comes from numpy's global generator, which anybody may seed."""
    found = []
    for _ in range(2):
        np.random.seed(0)
        found.append(learn.GaussianNB(**KNOWN).fit(X, Y).theta_)
    assert not np.array_equal(*found)


def test_nothing_is_read_silently():
    """Bounds and classes elsewhere are read from the table, with a warning or without."""
    for missing in ("bounds", "classes", "epsilon"):
        known = {name: value for name, value in KNOWN.items() if name != missing}
        with pytest.raises(tg.InvalidInput):
            learn.LogisticRegression(**known).fit(X, Y)
    with pytest.raises(tg.InvalidInput, match="label"):
        learn.LinearRegression(epsilon=1, bounds=(0, 1)).fit(X, Y)
    model = learn.LogisticRegression(**{**KNOWN, "classes": [0, 1, 2]}).fit(X, Y)
    assert model.classes_.tolist() == [0, 1, 2], "also a class that nobody has"
    assert model.guarantee_.assumptions == ()
    public = learn.LogisticRegression(**{**KNOWN, "classes": "public"}).fit(X, Y)
    assert "public" in public.guarantee_.assumptions[0] and "public" in repr(public.guarantee_)


def test_what_a_fit_costs_does_not_depend_on_the_records():
    model = learn.GradientBoostingClassifier(**KNOWN)
    tables = [(X, Y), (X[:1], Y[:1]), (X[:0], Y[:0]), (X * np.nan, Y), (X, Y + 7)]
    specs = {str(clone(model).fit(*table).guarantee_.mechanism) for table in tables}
    assert len(specs) == 1 and specs == {str(model.explain(columns=2))}


def test_errors_tell_no_row():
    secret = "4815162342"
    table = np.full((5, 2), secret, dtype=object)
    labels = np.full(5, secret, dtype=object)
    for wrong in (
        lambda: learn.GaussianNB(epsilon=1).fit(table, labels),
        lambda: learn.GaussianNB(epsilon=1, bounds=(0, 1)).fit(table, labels),
        lambda: learn.GaussianNB(**KNOWN).fit(table, labels[:2]),
        lambda: learn.GaussianNB(**{**KNOWN, "epsilon": -1}).fit(table, labels),
    ):
        with pytest.raises(ValueError) as told:
            wrong()
        assert secret not in str(told.value)
    assert learn.GaussianNB(**KNOWN).fit(table, labels).predict(table).shape == (5,)
