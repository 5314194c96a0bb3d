"""The accountant from Python: the same numbers as the command, to the last bit."""

from __future__ import annotations

import csv
import json
import pickle
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import throng as tg
from throng import _native

ROOT = Path(__file__).parents[2]
TRAINING = "14062 * sampled(gaussian(sigma=0.8), rate=256/60000)"


def command(*arguments: str) -> str:
    """What `throng` prints."""
    run = subprocess.run(
        [sys.executable, "-m", "throng", *arguments], capture_output=True, text=True, check=True
    )
    return run.stdout


def test_the_snippet_of_the_readme():
    mechanism = 14062 * tg.gaussian(sigma=0.8).sampled(rate=256 / 60000) + tg.laplace(scale=2)
    epsilon = mechanism.epsilon(delta=1e-5)
    assert epsilon.lower <= epsilon.upper == float(epsilon)
    assert 4.895 < epsilon.upper < 4.896
    assert str(tg.spec(TRAINING)) == str(14062 * tg.gaussian(sigma=0.8).sampled(rate="256/60000"))


def vectors():
    with (ROOT / "vectors" / "account.csv").open() as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        for row in rows:
            direct = row["neighbours"] in ("remove", "add")
            if not direct and "?" not in row["expression"] and row["kind"] != "calibration":
                yield pytest.param(row, id=f"{row['expression']} {row['kind']} {row['argument']}")


@pytest.mark.parametrize("row", list(vectors()))
def test_brackets_hold_the_golden_vectors(row):
    text = row["expression"]
    if text.startswith("@"):
        text = (ROOT / "vectors" / text[1:]).read_text()
    mechanism = tg.spec(text, neighbours=row["neighbours"])
    ask = {
        "epsilon": mechanism.epsilon,
        "delta": mechanism.delta,
        "tradeoff": mechanism.tradeoff,
        "renyi": mechanism.renyi,
    }[row["kind"]]
    found = ask(row["argument"])
    # A question is asked on the side of its number that keeps the promise, hence the last digits.
    value, slack = float(row["value"]), max(1e-14, 10.0 ** (1 - int(row["digits"])))
    assert found.lower <= value * (1 + slack) and value * (1 - slack) <= found.upper


def test_the_command_says_the_same_to_the_last_bit():
    said = json.loads(
        command("account", TRAINING, "--delta", "1e-5", "--epsilon", "2", "--alpha", "0.05", "--json")
    )
    mechanism = tg.spec(TRAINING)
    for found, told in [
        (mechanism.epsilon(1e-5), said["epsilon"][0]),
        (mechanism.delta(2), said["delta"][0]),
        (mechanism.tradeoff(0.05), said["tradeoff"][0]),
    ]:
        assert (found.lower, found.upper) == (told["lower"], told["upper"])
    template = "14062 * sampled(gaussian(sigma=?), rate=256/60000)"
    said = json.loads(command("calibrate", template, "--epsilon", "1", "--delta", "1e-6", "--json"))
    found = tg.calibrate(template, epsilon=1, delta=1e-6)
    assert found.text == said["value"] and found.achieved.upper == said["achieved"]["upper"]


def test_every_word_of_the_language_is_a_function_or_a_method():
    methods = {
        "repeated": "__mul__",
        "sampled": "sampled",
        "without_replacement": "without_replacement",
        "shuffled": "shuffled",
        "allocated": "allocated",
        "group": "group",
        "postprocessed": "postprocessed",
        "quantised": "quantised",
    }
    import inspect

    for name, _, arguments, meaning, _ in _native.vocabulary():
        assert meaning
        if name in methods:
            assert hasattr(tg.Mechanism, methods[name]), name
            continue
        made = getattr(tg, name)
        wanted = [argument for argument, kind, _ in arguments if kind not in ("specs", "chances")]
        has = inspect.signature(made).parameters
        assert [argument for argument in wanted if argument not in has] == [], name


EXAMPLES = [
    tg.gaussian(sigma=2),
    tg.laplace(scale=2, sensitivity=Fraction(1, 2)),
    tg.discrete_gaussian(sigma=3),
    tg.discrete_laplace(scale=3),
    tg.staircase(eps=1, gamma="1/4"),
    tg.uniform(width=10),
    tg.truncated_laplace(scale=1, bound=20),
    tg.truncated_gaussian(sigma=2, bound=20),
    tg.randomized_response(p=0.25),
    tg.randomized_response(eps=1),
    tg.kary_response(k=4, eps=1),
    tg.approx_dp(eps=1, delta=1e-6),
    tg.pure(eps=0.5),
    tg.tv(delta=0.1),
    tg.exponential(eps=1),
    tg.permute_and_flip(eps=1),
    tg.noisy_max(eps=1),
    tg.gdp(mu=1),
    tg.zcdp(rho=0.1),
    tg.renyi([(2, 0.5), (4, 1)]),
    tg.poisson(mu1=4, mu2=5),
    tg.infinitely_divisible(s2=0.25, jumps=[(1, 2)]),
    tg.tradeoff([(0, 1), ("1/4", "1/2"), (1, 0)]),
    tg.profile([(0, 0.5), (1, 0.1)]),
    tg.discrete([0.5, 0.5], [0.25, 0.75]),
    tg.gaussian(sigma=1).quantised([-1, 0, 1]),
    tg.nonprivate(),
    tg.gaussian(sigma=1).sampled(rate=0.01),
    tg.gaussian(sigma=1).group(2),
    tg.gaussian(sigma=1).postprocessed(),
    tg.gaussian(sigma=1).allocated(steps=10),
    tg.mixed((0.5, tg.pure(eps=1)), (0.5, tg.gaussian(sigma=1))),
    tg.parallel(tg.pure(eps=1), tg.laplace(scale=2)),
    tg.composed(tg.pure(eps=1), tg.laplace(scale=2)),
    tg.kary_response(k=4, eps=1).shuffled(users=1000).under("replace"),
    tg.gaussian(sigma=1).without_replacement(batch=10, population=100).under("replace"),
]


@pytest.mark.parametrize("mechanism", EXAMPLES, ids=str)
def test_every_mechanism_is_data(mechanism):
    assert tg.spec(str(mechanism), neighbours=mechanism.neighbours) == mechanism
    again = tg.Mechanism.from_json(mechanism.to_json(), neighbours=mechanism.neighbours)
    assert again == mechanism and hash(again) == hash(mechanism)
    assert pickle.loads(pickle.dumps(mechanism)) == mechanism
    assert str(mechanism) in repr(mechanism)


@pytest.mark.parametrize(
    "mechanism", [m for m in EXAMPLES if str(m) != "nonprivate()"], ids=str
)
def test_a_curve_is_within_its_brackets_and_a_picture(mechanism):
    delta = mechanism.delta(0.5)
    assert 0 <= delta.lower <= delta.upper <= 1
    curve = mechanism.curve(points=5)
    assert all(a <= b for a, b in zip(curve.lower, curve.upper, strict=True))
    assert curve.promise is curve.lower
    assert "<svg" in mechanism._repr_html_()


def test_numbers_are_exact_however_they_are_written():
    third = [Fraction(1, 3), "1/3"]
    assert len({tg.gaussian(sigma=number) for number in third}) == 1
    half = [0.5, Decimal("0.5"), Fraction(1, 2), "0.5", "1/2", np.float64(0.5), np.float32(0.5)]
    assert len({tg.gaussian(sigma=number) for number in half}) == 1
    whole = [2, 2.0, np.int64(2), "2"]
    assert len({tg.gaussian(sigma=number) for number in whole}) == 1
    assert tg.gaussian(sigma=1).epsilon(np.float64(1e-5)) == tg.gaussian(sigma=1).epsilon("1e-5")


@pytest.mark.parametrize("number", [float("nan"), float("inf"), True, None, "one", "", [1], 1j, "1)"])
def test_what_is_no_number_is_refused(number):
    with pytest.raises((tg.InvalidInput, TypeError)):
        tg.laplace(scale=number)
    with pytest.raises((tg.InvalidInput, TypeError)):
        tg.pure(eps=1).epsilon(number)


@given(st.text(max_size=60))
def test_any_text_is_a_mechanism_or_an_error(text):
    try:
        tg.spec(text)
    except tg.ThrongError as error:
        assert error.hint


@given(st.floats(min_value=1e-3, max_value=1e3), st.floats(min_value=1e-12, max_value=0.5))
def test_composition_never_helps_an_attacker_less(sigma, delta):
    one = tg.gaussian(sigma=sigma)
    assert (2 * one).epsilon(delta).upper >= one.epsilon(delta).lower
    assert (one + one) == 2 * one or (one + one).epsilon(delta).lower <= (2 * one).epsilon(delta).upper


def test_errors_say_where_and_what_to_do():
    with pytest.raises(tg.InvalidInput, match="column") as caught:
        tg.spec("gaussian(sgima=1)")
    assert "^" in str(caught.value) and "hint:" in str(caught.value)
    with pytest.raises(tg.InvalidInput, match="delta is 2"):
        tg.gaussian(sigma=1).epsilon(2)
    with pytest.raises(tg.Refused):
        tg.kary_response(k=4, eps=2).shuffled(users=10).epsilon(1e-6)
    with pytest.raises(tg.InvalidInput):
        tg.gaussian(sigma=1).under("neighbouring").epsilon(1e-6)
    with pytest.raises(tg.InvalidInput, match="targets given"):
        tg.calibrate("gaussian(sigma=?)", epsilon=1, delta=1e-6, gdp=1)
    with pytest.raises(tg.InvalidInput, match="half of a target"):
        tg.calibrate("gaussian(sigma=?)", epsilon=1)
    with pytest.raises(tg.InvalidInput, match="no number is missing"):
        tg.calibrate("gaussian(sigma=1)", epsilon=1, delta=1e-6)


def test_errors_have_the_text_of_the_command():
    run = subprocess.run(
        [sys.executable, "-m", "throng", "account", "gaussian(sigma=-1)"],
        capture_output=True,
        text=True,
        check=False,
    )
    with pytest.raises(tg.InvalidInput) as caught:
        tg.spec("gaussian(sigma=-1)")
    assert run.returncode == 2
    assert caught.value.message.splitlines()[0] in run.stderr and caught.value.hint in run.stderr


def test_calibration_by_text_template_and_function_agree():
    found = [
        tg.calibrate("100 * gaussian(sigma=?)", epsilon=1, delta=1e-6),
        tg.calibrate(lambda sigma: 100 * tg.gaussian(sigma=sigma), epsilon=1, delta=1e-6),
    ]
    assert found[0].text == found[1].text and float(found[0]) == found[0].value
    assert found[0].mechanism.epsilon(1e-6).upper <= 1
    count = tg.calibrate(lambda n: n * tg.gaussian(sigma=50), epsilon=1, delta=1e-6)
    assert count.text == "140"
    attacked = tg.calibrate("gaussian(sigma=?)", fpr=0.01, tpr=0.02)
    assert 1 - attacked.mechanism.tradeoff(0.01).lower <= 0.02
    assert tg.calibrate("gaussian(sigma=?)", gdp="1/2").value == pytest.approx(2, rel=1e-6)
    assert tg.calibrate("gaussian(sigma=?)", zcdp="1/8").value == pytest.approx(2, rel=1e-6)
    assert tg.calibrate("gaussian(sigma=?)", advantage=0.1).achieved.upper <= 0.1


def test_readings_agree_with_closed_forms():
    gaussian = tg.gaussian(sigma=2)
    assert 0.5 in gaussian.gdp() and 0.125 in gaussian.zcdp()
    assert gaussian.renyi(3).lower <= 3 / 8 <= gaussian.renyi(3).upper
    assert tg.pure(eps=1).posterior(0.5) == pytest.approx(np.e / (1 + np.e), rel=1e-9)
    assert tg.pure(eps=1).advantage().upper == pytest.approx((np.e - 1) / (np.e + 1), rel=1e-9)
    curve = gaussian.tradeoff([0.05, 0.5])
    assert curve.lower[0] == pytest.approx(gaussian.tradeoff(0.05).lower, rel=1e-12)
    chances = sum(chance.upper for _, _, chance in gaussian.loss())
    assert chances == pytest.approx(1, abs=1e-2)


def test_comparisons():
    better, worse = tg.gaussian(sigma=2), tg.gaussian(sigma=1)
    assert better.compare(worse).verdict == "more private"
    assert worse.compare(better).verdict == "less private"
    assert better.compare(better).verdict == "alike"
    crossing = tg.laplace(scale=1).compare(tg.gaussian(sigma=1))
    assert crossing.verdict == "incomparable" and crossing.crossing is not None
    assert tg.pure(eps=0.1).classical(1e-6)


@pytest.mark.parametrize("kind", ["tradeoff", "profile", "renyi", "loss"])
def test_plots(kind):
    axes = tg.gaussian(sigma=1).plot(kind)
    assert axes.get_xlabel() and tg.laplace(scale=1).plot(kind, ax=axes) is axes
    import matplotlib.pyplot as plt

    plt.close("all")


def test_brackets():
    with pytest.raises(ValueError):
        tg.Bracket(2, 1)
    lower, upper = tg.Bracket(1, 2)
    assert (lower, upper) == (1, 2) and 1.5 in tg.Bracket(1, 2) and 3 not in tg.Bracket(1, 2)
    assert float(tg.Bracket(1, 2, promise="lower")) == 1
    assert f"{tg.Bracket(1, 2)}" == "1 .. 2" and f"{tg.Bracket(1, 2):.1f}" == "2.0"
