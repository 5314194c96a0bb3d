"""Releases: values, error bars, guarantees, who pays, and what is refused."""

from __future__ import annotations

import math
import threading
import time
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import throng as tg

AGES = np.arange(1000.0) % 100

RELEASES = {
    "count": lambda **how: tg.release.count(AGES, **how),
    "count where": lambda **how: tg.release.count(AGES, where=AGES > 17, **how),
    "count units": lambda **how: tg.release.count(AGES, unit=AGES, max_per_unit=3, **how),
    "sum": lambda **how: tg.release.sum(AGES, 0, 100, **how),
    "mean": lambda **how: tg.release.mean(AGES, 0, 100, **how),
    "variance": lambda **how: tg.release.variance(AGES, 0, 100, **how),
    "histogram": lambda **how: tg.release.histogram(AGES, keys=[1, 2, 3], **how),
    "bins": lambda **how: tg.release.histogram(AGES, bins=[0, 18, 65, 100], **how),
    "bounds": lambda **how: tg.release.bounds(AGES, **how),
    "noise": lambda **how: tg.release.noise([3.5, 4.5], sensitivity=2, **how),
}
QUANTILES = {
    "median": lambda **how: tg.release.median(AGES, 0, 100, **how),
    "quantiles": lambda **how: tg.release.quantile(AGES, [0.9, 0.1], 0, 100, **how),
}


@pytest.mark.parametrize("release", [*RELEASES.values(), *QUANTILES.values()])
def test_the_guarantee_is_what_was_asked_for(release):
    made = release(epsilon="1/2")
    assert made.guarantee.epsilon(0).upper <= 0.5 * (1 + 1e-9)
    assert made.guarantee.epsilon(0).upper > 0.2
    assert made.guarantee.neighbours == "add-remove"
    assert made.guarantee.cost["epsilon"] == pytest.approx(0.5, rel=1e-6)
    assert made.guarantee.receipt is None
    assert str(made.guarantee.mechanism) == made.guarantee.spec
    assert made.guarantee.spec in repr(made)
    assert "<" in made._repr_html_()
    assert isinstance(made.uncovered, list)


@pytest.mark.parametrize("release", RELEASES.values())
def test_gaussian_noise_reaches_its_target(release):
    pair = release(epsilon=1, delta=1e-6)
    assert pair.guarantee.epsilon(1e-6).upper <= 1 * (1 + 1e-6)
    assert release(gdp=0.5).guarantee.mechanism.gdp().upper <= 0.5 * (1 + 1e-6)
    assert release(zcdp="1/10").guarantee.mechanism.zcdp().upper <= 0.1 * (1 + 1e-6)


@pytest.mark.parametrize("relation", ["replace", "zero-out"])
def test_other_relations(relation):
    asked = {"epsilon": 1, "neighbours": relation}
    with pytest.raises(tg.Refused, match="public"):
        tg.release.count(AGES, **asked)
    if relation == "zero-out":
        for name in ("histogram", "bins", "bounds"):
            with pytest.raises(tg.Refused, match="zero-out"):
                RELEASES[name](**asked)
    else:
        assert RELEASES["histogram"](**asked).guarantee.neighbours == relation
    for name in ("count where", "count units", "sum", "mean", "variance", "noise"):
        made = RELEASES[name](**asked)
        assert made.guarantee.neighbours == relation
        upper = made.guarantee.mechanism.epsilon(0).upper
        assert upper <= 1 * (1 + 1e-9)
    assert QUANTILES["median"](**asked).guarantee.neighbours == relation
    assert tg.release.mean(AGES, 0, 100, **asked).records == 1000


def test_values_are_near_and_within_their_bars():
    inside = 0
    for _ in range(200):
        release = tg.release.count(AGES, epsilon=1)
        lower, upper = release.interval(0.95)
        assert isinstance(release.value, int)
        inside += lower <= 1000 <= upper
    assert inside >= 165  # of 200 with a chance of 0.95 each: fewer once in 10^9 times
    mean = tg.release.mean(AGES, 0, 100, epsilon=1)
    lower, upper = mean.interval(0.999999)
    assert lower <= 49.5 <= upper and lower <= mean.value <= upper
    spread = tg.release.variance(AGES, 0, 100, epsilon=5)
    assert spread.interval(0.999999)[0] <= AGES.var() <= spread.interval(0.999999)[1]
    assert spread.deviation == pytest.approx(AGES.std(), rel=0.2)


def test_wider_confidence_is_wider():
    release = tg.release.sum(AGES, 0, 100, epsilon=1)
    wide, narrow = release.interval(0.99), release.interval(0.5)
    assert wide[0] < narrow[0] <= release.value <= narrow[1] < wide[1]
    for wrong in (0, 1, 2, -1, math.nan):
        with pytest.raises(tg.InvalidInput, match="confidence"):
            release.interval(wrong)


def test_quantiles_tell_ranks():
    release = tg.release.quantile(AGES, [0.75, "1/4", 0.75], 0, 200, epsilon=50)
    high, low, again = release.value
    assert high == again and 20 < low < 30 and 70 < high < 80
    assert 0 < release.rank_error() < release.rank_error(0.999) < 1000
    with pytest.raises(tg.Refused, match="ranks"):
        release.interval()
    with pytest.raises(tg.InvalidInput):
        tg.release.count(AGES, epsilon=1).rank_error()
    assert "ranks" in repr(tg.release.median(AGES, 0, 200, epsilon=1))


def test_histograms():
    made = tg.release.histogram(["b", "a", "a"], keys=("b", "a", "c"), epsilon=50)
    assert made.value == {"b": 1, "a": 2, "c": 0}
    assert set(made.interval()) == {"b", "a", "c"}
    lower, upper = made.interval(0.9)["a"]
    assert lower <= 2 <= upper
    assert made.half_width_of_all(0.99) >= 0
    frame = made.to_pandas()
    assert list(frame.index) == ["b", "a", "c"] and list(frame.value) == [1, 2, 0]
    assert made.threshold is None
    private = tg.release.histogram(["a"] * 500 + ["rare"], epsilon=2, delta=1e-6)
    assert list(private.value) == ["a"] and private.threshold > 1
    assert "small cells are not shown" in private.uncovered
    bins = tg.release.histogram(AGES, bins=4, lower=0, upper=100, epsilon=50)
    assert bins.edges == [0, 25, 50, 75, 100] and bins.value == [250] * 4
    assert bins.to_pandas().index[0] == pd.Interval(0, 25, closed="left")
    last = tg.release.histogram([0, 1, 2, 2.5, -1, math.nan], bins=[0, 1, 2], epsilon=50)
    assert last.value == [1, 2]


def test_units_are_bounded():
    who = ["ann"] * 100 + ["bob"]
    assert tg.release.count(who, unit=who, epsilon=50).value == 2
    assert tg.release.count(who, unit=who, max_per_unit=7, epsilon=500).value == 8
    where = [True] * 3 + [False] * 98
    assert tg.release.count(who, unit=who, where=where, max_per_unit=7, epsilon=500).value == 3
    at = ["x", "y"] * 50 + ["x"]
    made = tg.release.histogram(
        at, unit=who, keys=["x", "y"], max_keys=2, max_rows=4, epsilon=500
    )
    assert made.value == {"x": 5, "y": 4}
    assert "contributions beyond the bound were left out" in made.uncovered
    nobody = [None, None, "ann"]
    assert tg.release.count(nobody, unit=nobody, epsilon=50).value == 2


def test_a_budget_pays():
    budget = tg.Budget(epsilon=1)
    tg.release.count(AGES, epsilon=0.75, budget=budget)
    assert budget.remaining["epsilon"] == pytest.approx(0.25)
    with pytest.raises(tg.BudgetExhausted):
        tg.release.count(AGES, epsilon=0.5, budget=budget)
    with budget:
        tg.release.count(AGES, epsilon="1/4")
    assert budget.remaining["epsilon"] == 0
    pairs = tg.Budget(epsilon=2, delta=1e-5)
    tg.release.sum(AGES, 0, 100, epsilon=1, delta=1e-6, budget=pairs)
    assert pairs.spent["delta"] == pytest.approx(1e-6) and pairs.spent["epsilon"] <= 1.001


def test_a_budget_brings_its_relation_and_wants_it():
    budget = tg.Budget(epsilon=1, neighbours="replace")
    made = tg.release.mean(AGES, 0, 100, epsilon=0.5, budget=budget)
    assert made.guarantee.neighbours == "replace"
    with pytest.raises(tg.Refused, match="relation|neighbours"):
        tg.release.mean(AGES, 0, 100, epsilon=0.5, neighbours="add-remove", budget=budget)
    assert budget.remaining["epsilon"] == pytest.approx(0.5)


def test_a_ledger_keeps_a_receipt(tmp_path):
    budget = tg.Budget(epsilon=1, ledger=tmp_path / "team.ledger")
    made = tg.release.mean(AGES, 0, 100, epsilon=0.5, budget=budget)
    assert made.guarantee.receipt
    assert tg.Budget(ledger=tmp_path / "team.ledger").spent["epsilon"] == pytest.approx(0.5)


def test_what_is_wrong_costs_nothing():
    budget = tg.Budget(epsilon=1)
    for call in (
        lambda: tg.release.sum(AGES, 1, 0, epsilon=1, budget=budget),
        lambda: tg.release.sum("text", 0, 1, epsilon=1, budget=budget),
        lambda: tg.release.count(AGES, where=[True], epsilon=1, budget=budget),
        lambda: tg.release.histogram(["a"], epsilon=1, budget=budget),
        lambda: tg.release.histogram(["a"], keys=[], epsilon=1, budget=budget),
    ):
        with pytest.raises(tg.InvalidInput):
            call()
    assert budget.spent["epsilon"] == 0


WRONG = [
    {},
    {"epsilon": 0},
    {"epsilon": -1},
    {"epsilon": math.nan},
    {"epsilon": math.inf},
    {"epsilon": "many"},
    {"epsilon": True},
    {"epsilon": 1, "delta": 0},
    {"epsilon": 1, "delta": 1},
    {"epsilon": 1, "delta": 2},
    {"delta": 1e-6},
    {"epsilon": 1, "gdp": 1},
    {"gdp": 1, "zcdp": 1},
    {"gdp": 0},
    {"zcdp": -1},
    {"epsilon": 1, "neighbours": "strangers"},
    {"epsilon": [1]},
    {"epsilon": None},
]


@pytest.mark.parametrize("how", WRONG, ids=str)
@pytest.mark.parametrize("release", RELEASES.values(), ids=RELEASES.keys())
def test_how_private_must_be_said_once_and_make_sense(release, how):
    with pytest.raises(tg.InvalidInput):
        release(**how)


@pytest.mark.parametrize(
    ("lower", "upper"),
    [(1, 0), (1, 1), (math.nan, 1), (0, math.inf), ("a", 1), (None, 1), (0, "1e400000")],
)
def test_bounds_must_make_sense(lower, upper):
    for release in (tg.release.sum, tg.release.mean, tg.release.variance, tg.release.median):
        with pytest.raises(tg.InvalidInput):
            release([1.0, 2.0], lower, upper, epsilon=1)


def test_bounds_are_required():
    for release in (tg.release.sum, tg.release.mean, tg.release.variance, tg.release.median):
        with pytest.raises(TypeError):
            release([1.0, 2.0], epsilon=1)


@pytest.mark.parametrize(
    "call",
    [
        lambda: tg.release.quantile(AGES, 1.5, 0, 1, epsilon=1),
        lambda: tg.release.quantile(AGES, [], 0, 1, epsilon=1),
        lambda: tg.release.quantile(AGES, [0, 1], 0, 1, epsilon=1),
        lambda: tg.release.quantile(AGES, "half", 0, 1, epsilon=1),
        lambda: tg.release.histogram(AGES, bins=10, epsilon=1),
        lambda: tg.release.histogram(AGES, bins=[1], epsilon=1),
        lambda: tg.release.histogram(AGES, bins=[1, 1], epsilon=1),
        lambda: tg.release.histogram(AGES, bins=[0, math.nan], epsilon=1),
        lambda: tg.release.histogram(AGES, bins=["a", "b"], epsilon=1),
        lambda: tg.release.histogram(AGES, bins=[0, 1], keys=[1], epsilon=1),
        lambda: tg.release.histogram(AGES, max_keys=2, keys=[1], epsilon=1),
        lambda: tg.release.histogram(AGES, unit=AGES, max_keys=0, keys=[1], epsilon=1),
        lambda: tg.release.histogram(AGES, unit=AGES[1:], keys=[1], epsilon=1),
        lambda: tg.release.histogram(AGES, noise="uniform", epsilon=1, delta=1e-6),
        lambda: tg.release.histogram(AGES, epsilon=1),
        lambda: tg.release.count(AGES, where=AGES, epsilon=1),
        lambda: tg.release.count(AGES, max_per_unit=2, epsilon=1),
        lambda: tg.release.count(AGES, unit=AGES, max_per_unit=2.5, epsilon=1),
        lambda: tg.release.count(3, epsilon=1),
        lambda: tg.release.noise([1.0], sensitivity=-1, epsilon=1),
        lambda: tg.release.noise([1], sensitivity="1/2", integers=True, epsilon=1),
        lambda: tg.release.noise([1.0], cells=0, epsilon=1),
        lambda: tg.release.noise([], epsilon=1),
        lambda: tg.release.bounds(AGES, step=0, epsilon=1),
        lambda: tg.release.bounds(AGES, beta=1, epsilon=1),
    ],
)
def test_wrong_calls_are_told_so(call):
    with pytest.raises((tg.InvalidInput, tg.Refused)):
        call()


SECRET = 987654.321


@settings(max_examples=80, deadline=None)
@given(
    epsilon=st.one_of(st.floats(), st.integers(), st.text(max_size=5), st.none()),
    lower=st.one_of(st.floats(), st.integers(-(10**40), 10**40), st.none()),
    upper=st.one_of(st.floats(), st.fractions(), st.none()),
    q=st.one_of(st.floats(), st.lists(st.floats(), max_size=3)),
)
def test_nothing_but_our_own_exceptions_and_no_row_in_them(epsilon, lower, upper, q):
    data = [SECRET, SECRET]
    for call in (
        lambda: tg.release.count(data, epsilon=epsilon),
        lambda: tg.release.sum(data, lower, upper, epsilon=epsilon),
        lambda: tg.release.mean(data, lower, upper, epsilon=epsilon),
        lambda: tg.release.variance(data, lower, upper, epsilon=epsilon),
        lambda: tg.release.quantile(data, q, lower, upper, epsilon=epsilon),
        lambda: tg.release.noise(data, sensitivity=upper, epsilon=epsilon),
        lambda: tg.release.bounds(data, epsilon=epsilon),
    ):
        try:
            call()
        except (tg.InvalidInput, tg.Refused) as error:
            assert "98765" not in str(error)


def test_noise_moves_no_numbers_apart():
    # Floats are 1024 apart there: 2^63 - 1 and 2^63 - 2 must stay 1 apart.
    for x in (2**61 + 1, -(2**61) - 1):
        for column in ([x], np.array([x]), pd.Series([x]), pd.Series([x], dtype="Int64")):
            made = tg.release.noise(column, integers=True, epsilon=50)
            assert made.value == [x]
    for column in (np.array([2**63 + 5], dtype=np.uint64), [2**63 + 5]):
        assert tg.release.noise(column, integers=True, epsilon=50).value == [2**62 - 1]
    assert tg.release.noise([2**30 + 1], epsilon=1000).value[0] == pytest.approx(2**30 + 1, abs=0.1)
    with pytest.raises(tg.InvalidInput):
        tg.release.noise(np.array([1.5], dtype=np.longdouble), epsilon=1)
    assert tg.release.noise([math.nan, None, "x", -0.5], integers=True, epsilon=50).value == [
        0,
        0,
        0,
        -1,
    ]


def test_numbers_are_exact():
    made = tg.release.count(AGES, epsilon=Fraction(1, 3))
    assert made.guarantee.spec == "discrete_laplace(scale=3)"


def test_other_threads_run_meanwhile():
    data = np.zeros(20_000_000)
    done = threading.Event()
    ticks = 0

    def work():
        for _ in range(3):
            tg.release.variance(data, 0, 1, epsilon=1)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        time.sleep(0.001)
        ticks += 1
    thread.join()
    assert ticks > 10


def test_a_release_is_a_number():
    release = tg.release.count([1, 2, 3], epsilon=50)
    assert float(release) == 3.0 and int(release) == 3
    assert repr(release).startswith("3 ± 0 (95 %)  guarantee discrete_laplace(scale=0.02)")
    with pytest.raises(TypeError):
        float(tg.release.noise([1, 2], integers=True, epsilon=50))
