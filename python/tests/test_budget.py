"""Budgets: shared, never copied, never overspent."""

from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

import throng as tg


def test_a_budget_pays_until_it_is_spent():
    budget = tg.Budget(epsilon=1)
    budget.charge(tg.laplace(scale=4))
    assert budget.remaining == {"epsilon": 0.75} and budget.spent == {"epsilon": 0.25}
    assert budget.preview(tg.laplace(scale=4)) == {"epsilon": 0.25}
    with pytest.raises(tg.BudgetExhausted, match="does not cover"):
        budget.charge(tg.laplace(scale=1))
    assert budget.remaining == {"epsilon": 0.75}


@given(st.integers(min_value=1, max_value=60))
def test_thousandths_fill_a_budget_exactly(parts):
    budget = tg.Budget(epsilon=1)
    for _ in range(parts):
        budget.charge(tg.laplace(scale=parts))
    assert budget.remaining == {"epsilon": 0}
    with pytest.raises(tg.BudgetExhausted):
        budget.charge(tg.laplace(scale=10**9))


def test_copies_are_the_same_budget():
    budget = tg.Budget(epsilon=1)
    for other in (copy.copy(budget), copy.deepcopy(budget), copy.deepcopy([budget])[0]):
        other.charge(tg.laplace(scale=8))
    assert budget.spent == {"epsilon": 0.375}


def test_a_budget_in_memory_is_not_sent_elsewhere_and_one_in_a_ledger_is(tmp_path):
    with pytest.raises(tg.Refused, match="another process"):
        pickle.dumps(tg.Budget(epsilon=1))
    budget = tg.Budget(epsilon=1, delta=1e-6, ledger=tmp_path / "books" / "team.ledger")
    receipt = budget.charge(tg.gaussian(sigma=10), delta=1e-7, label="a Gaussian")
    assert receipt
    again = pickle.loads(pickle.dumps(budget))
    assert again.spent == budget.spent != {"epsilon": 0, "delta": 0}
    again.charge(tg.laplace(scale=4))
    assert budget.spent == again.spent
    assert tg.Budget(ledger=budget.ledger).remaining == budget.remaining


@pytest.mark.parametrize("currency", ["approximate", "gdp", "zcdp"])
def test_currencies(currency):
    budget = tg.Budget(epsilon=3, delta=1e-5, currency=currency)
    count = 0
    try:
        while count < 1000:
            budget.charge(tg.gaussian(sigma=5), delta=1e-7)
            count += 1
    except tg.BudgetExhausted:
        pass
    # Whatever was granted is within what was promised.
    assert 1 < count < 1000
    assert (count * tg.gaussian(sigma=5)).epsilon(1e-5).lower <= 3


def test_contexts_nest():
    from throng._budget import current

    outer, inner = tg.Budget(epsilon=1), tg.Budget(epsilon=2)
    assert current(None) is None
    with outer:
        assert current(None) is outer
        with inner, inner:
            assert current(None) is inner
        assert current(None) is outer and current(inner) is inner
    assert current(None) is None


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"epsilon": -1},
        {"epsilon": float("nan")},
        {"epsilon": 1, "delta": 2},
        {"delta": 1e-5},
        {"epsilon": 1, "gdp": 1},
        {"epsilon": 1, "delta": 1e-5, "currency": "pounds"},
        {"epsilon": 1, "neighbours": "cousins"},
        {"ledger": "/nowhere/at/all"},
    ],
)
def test_what_cannot_be_spent_is_refused(wrong):
    with pytest.raises(tg.InvalidInput) as caught:
        tg.Budget(**wrong)
    assert caught.value.hint


def test_pictures():
    budget = tg.Budget(epsilon=1, delta=1e-6)
    assert "left" in repr(budget) and "<svg" in budget._repr_html_()


def test_a_budget_of_people_does_not_pay_for_what_protects_rows():
    budget = tg.Budget(epsilon=1)
    visits = {"person": [1, 1, 2], "clinic": ["Oak", "Elm", "Oak"]}
    tg.Session(visits, unit="person", budget=budget)
    with pytest.raises(tg.Refused, match="protects unit person, and this unit row"):
        tg.release.count([1, 2, 3], epsilon=0.1, budget=budget)
    # Whose rows they are is said: people are protected.
    tg.release.count([1, 2, 3], unit=[1, 1, 2], epsilon=0.1, budget=budget)
