"""Audits from Python: honest mechanisms stand, broken ones fall. False alarms: 1e-6 for each call."""

from __future__ import annotations

import json
import math
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import throng as tg
from throng._audit import audit_canaries, audit_outcomes, exhibits

SURE = 1 - 1e-6
RNG = np.random.default_rng()


def laplace(scale):
    """Batches of rounded Laplace noise: coarse enough to hide low bits."""
    return lambda x, n: np.round(x + RNG.laplace(0, scale, n), 1)


def test_an_honest_mechanism_stands():
    report = tg.audit(laplace(1), 0, 1, claim=1.01, runs=20_000, batch=True, confidence=SURE)
    assert not report.violated and report.verdict == "not violated"
    assert report.epsilon <= 1.01 and report.p_value > 1e-6
    assert "no proof" in report.sentence


def test_noise_of_half_the_scale_falls():
    report = tg.audit(laplace(0.5), 0, 1, claim=1, batch=True, confidence=SURE)
    assert report.violated
    assert 1 < report.epsilon <= 2 and report.delta == 0
    assert report.false_alarm == pytest.approx(1e-6)
    assert report.witness is not None and sum(report.witness.runs) <= report.samples


def test_laplace_noise_in_floating_point_falls():
    def textbook(x, n):
        u = RNG.random(n) - 0.5
        return x - np.sign(u) * np.log(1 - 2 * np.abs(u)) / 0.5

    report = tg.audit(textbook, 0.0, 1.0, claim=0.5, runs=20_000, batch=True, confidence=SURE)
    assert report.violated
    rounded = tg.audit(
        textbook, 0.0, 1.0, claim=0.51, runs=20_000, batch=True, grid="1/4", confidence=SURE
    )
    assert not rounded.violated


def test_one_call_at_a_time():
    def coin(truth):
        return truth if random.random() < 0.75 else not truth

    assert tg.audit(coin, False, True, claim=0.5, confidence=SURE).violated
    assert not tg.audit(coin, False, True, claim=1.1, runs=3000, confidence=SURE).violated


def test_claims_in_every_form():
    def gauss(x, n):
        return np.round(x + RNG.normal(0, 1, n), 1)

    for claim in ("gdp(mu=1)", tg.gaussian(sigma=1), "gaussian(sigma=1)"):
        report = tg.audit(gauss, 0, 1, claim=claim, runs=5000, batch=True, confidence=SURE)
        assert not report.violated
    pair = tg.audit(gauss, 0, 1, claim=0.1, delta=1e-3, runs=20_000, batch=True)
    assert pair.violated and pair.delta == 1e-3
    replaced = tg.audit(
        gauss, 0, 1, claim="gaussian(sigma=1)", neighbours="replace", runs=2000, batch=True
    )
    assert replaced.neighbours == "replace"


@pytest.mark.parametrize(
    ("zero", "one"),
    [
        (0, 1),
        (0.5, 1.5),
        ("no", "yes"),
        (b"no", b"yes"),
        (None, 0),
        (False, True),
        ([1, 2], [2, 1]),
        ((1,), (1, 1)),
        ({1, 2}, {2}),
        ({"a": 1}, {"a": 2}),
        (np.array([1.0, 2.0]), np.array([1.0, 3.0])),
        (np.float32(1), np.float32(2)),
        (np.int64(1), np.int64(2)),
        (10**30, 10**31),
        ([[1], {"x"}], [[1], {"y"}]),
    ],
)
def test_outcomes_of_every_kind(zero, one):
    report = tg.audit(lambda x: x, zero, one, claim=1, runs=300, confidence=SURE)
    assert report.violated


def test_order_does_not_count_in_sets_and_dicts():
    a, b = {"x": 1, "y": 2}, {"y": 2, "x": 1}
    flip = lambda pair: pair[random.random() < 0.5]
    report = tg.audit(flip, (a, {"x": 5}), (b, {"x": 5}), claim=0.5, runs=500, confidence=SURE)
    assert not report.violated


def test_what_is_no_outcome_is_told():
    with pytest.raises(tg.InvalidInput, match="of type object"):
        tg.audit(lambda x: object(), 0, 1, claim=1, runs=100)
    with pytest.raises(tg.InvalidInput, match="NaN"):
        tg.audit(lambda x: math.nan, 0, 1, claim=1, runs=100)
    with pytest.raises(tg.InvalidInput, match="the same"):
        tg.audit(lambda x: 1, 0, 1, claim=1, runs=100)
    with pytest.raises(tg.InvalidInput, match="outcomes where"):
        tg.audit(lambda x, n: [x] * (n + 1), 0, 1, claim=1, runs=100, batch=True)


class OwnError(Exception):
    pass


def test_what_a_mechanism_raises_is_raised():
    error = OwnError("mine")

    def fails(x):
        raise error

    with pytest.raises(OwnError) as caught:
        tg.audit(fails, 0, 1, claim=1)
    assert caught.value is error
    with pytest.raises(TypeError):
        tg.audit(lambda: 1, 0, 1, claim=1)


def test_progress_is_told_and_may_stop():
    seen = []
    tg.audit(
        laplace(1), 0, 1, claim=2, runs=2000, batch=True, progress=lambda *at: seen.append(at)
    )
    assert seen[-1][:2] == (2000, 2000)

    def enough(runs, most, evidence):
        raise OwnError

    with pytest.raises(OwnError):
        tg.audit(laplace(1), 0, 1, claim=2, most=10**6, batch=True, progress=enough)


INTERRUPTED = """
import sys
import random
import throng as tg
print("ready", flush=True)
try:
    tg.audit(lambda x: random.random(), 0, 0, claim=5, most=10**9, progress=False)
except KeyboardInterrupt:
    print("stopped", flush=True)
    sys.exit(7)
"""


def test_ctrl_c_stops_it():
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        time.sleep(2)
        child.send_signal(signal.SIGINT)
        assert child.wait(timeout=30) == 7
        assert child.stdout.read() == "stopped\n"


@pytest.mark.parametrize(
    "how",
    [
        {"claim": None},
        {"claim": 0, "confidence": 1},
        {"claim": 1, "confidence": 0},
        {"claim": "nonsense("},
        {"claim": "nonsense"},
        {"claim": 1, "runs": 1},
        {"claim": 1, "runs": 2.5},
        {"claim": 1, "runs": 100, "most": 100},
        {"claim": 1, "unit_in": 2},
        {"claim": 1, "grid": 0},
        {"claim": 1, "neighbours": "strangers"},
        {"claim": 1, "delta": 2},
    ],
    ids=str,
)
def test_wrong_calls_are_told_so(how):
    with pytest.raises((tg.InvalidInput, tg.Refused)):
        tg.audit(lambda x: x, 0, 1, **how)
    with pytest.raises(tg.InvalidInput):
        tg.audit(3, 0, 1, claim=1)


def test_a_report_says_it_in_every_form(tmp_path):
    report = tg.audit(laplace(0.5), 0, 1, claim=1, batch=True, confidence=SURE)
    text = repr(report)
    assert text.startswith("violated: the target is less private than pure(eps=1)")
    for words in ("epsilon at delta 0", "p-value", "runs in both worlds", "witness:", "world 1:"):
        assert words in text
    data = json.loads(report.to_json())
    assert data["verdict"] == "violated" and data["witness"]["hits"] == list(report.witness.hits)
    report.save(tmp_path / "audit.json")
    assert json.loads((tmp_path / "audit.json").read_text()) == data
    assert "<b>violated" in report._repr_html_()
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    ax = report.plot()
    assert len(ax.get_lines()) >= 3
    assert report.plot(ax) is ax


def test_recorded_outcomes_and_a_witness_again():
    draw = laplace(0.4)
    first = audit_outcomes(draw(0, 20_000), draw(1, 20_000), claim=1, confidence=SURE)
    assert first.violated
    again = audit_outcomes(
        draw(0, 20_000), draw(1, 20_000), claim=1, witness=first.witness, confidence=SURE
    )
    assert again.violated and again.explored == 0
    with pytest.raises(tg.InvalidInput):
        audit_outcomes([1] * 100, [2] * 99, claim=1)
    with pytest.raises(tg.InvalidInput, match="witness"):
        audit_outcomes([1] * 100, [2] * 100, claim=1, witness="{}")
    assert tg.audit.outcomes is audit_outcomes and tg.audit.canaries is audit_canaries


def test_canaries():
    coins = RNG.random(1000) < 0.5
    told = audit_canaries(coins + RNG.normal(0, 0.1, 1000), coins, claim=1, confidence=SURE)
    assert told.violated and told.epsilon > 1
    silent = audit_canaries(
        RNG.random(1000), coins, claim="gdp(mu=1)", guesses=[100, 1000], confidence=SURE
    )
    assert not silent.violated and "guesses" in repr(silent)
    pytest.importorskip("matplotlib").use("agg")
    silent.plot()
    with pytest.raises(tg.InvalidInput):
        audit_canaries([1.0], [True, False], claim=1)


def test_exhibits_and_their_twins():
    zoo = {one.name: one for one in exhibits()}
    assert len(zoo) >= 90
    broken = zoo["truncated-geometric"]
    assert broken.audit().violated
    assert not broken.audit(mended=True).violated


def test_a_described_mechanism_is_acted_out():
    mechanism = 10 * tg.gaussian(sigma=10)
    assert not tg.audit(mechanism, runs=2000).violated
    assert tg.audit(mechanism, claim="gdp(mu=0.1)", runs=20_000).violated


ONE, TWO = [5.0] * 4, [5.0] * 5  # one record more, at the upper bound
OURS = {
    "count": lambda x: tg.release.count(x, epsilon=1),
    "count units": lambda x: tg.release.count(x, unit=list(range(len(x))), epsilon=1),
    "sum": lambda x: tg.release.sum(x, 0, 5, epsilon=1),
    "sum of integers": lambda x: tg.release.sum(x, 0, 5, integers=True, epsilon=1),
    "mean": lambda x: tg.release.mean(x, 0, 5, epsilon=1),
    "variance": lambda x: tg.release.variance(x, 0, 5, epsilon=1),
    "median": lambda x: tg.release.median(x, 0, 8, integers=True, epsilon=1),
    "histogram": lambda x: tg.release.histogram(x, keys=[4, 5], epsilon=1),
    "bins": lambda x: tg.release.histogram(x, bins=[0, 4, 6], epsilon=1),
    "noise": lambda x: tg.release.noise([len(x)], integers=True, epsilon=1),
}


@pytest.mark.parametrize("mechanism", OURS.values(), ids=OURS.keys())
def test_our_releases_stand_by_their_own_claim(mechanism):
    claim = mechanism(ONE).guarantee.mechanism
    report = tg.audit(mechanism, ONE, TWO, claim=claim, runs=4000, confidence=SURE)
    assert not report.violated


@pytest.mark.parametrize(
    "name", ["count", "count units", "sum", "sum of integers", "histogram", "bins", "noise"]
)
def test_our_releases_fall_by_half_of_it(name):
    # What they lose is what they say: half of epsilon is refuted. Missed less than once in 10^6 times.
    report = tg.audit(OURS[name], ONE, TWO, claim="1/2", most=100_000, confidence=1 - 1e-4)
    assert report.violated


def test_unknown_keys_stand_by_their_claim():
    mechanism = lambda x: tg.release.histogram(x, noise="laplace", epsilon=1, delta=0.01)
    claim = mechanism(["a"]).guarantee.mechanism
    one, two = ["a"] * 5, [*["a"] * 5, "b"]
    assert not tg.audit(mechanism, one, two, claim=claim, runs=4000, confidence=SURE).violated
