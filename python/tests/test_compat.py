"""The calls of other accountants."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import throng as tg
from throng import compat


def test_an_accountant_of_opacus():
    accountant = compat.Accountant()
    assert accountant.get_epsilon(1e-5) == 0 and len(accountant) == 0
    for _ in range(1000):
        accountant.step(noise_multiplier=1.0, sample_rate=0.01)
    accountant.step(noise_multiplier=2.0, sample_rate=1)
    assert accountant.history == [(1.0, 0.01, 1000), (2.0, 1, 1)] and len(accountant) == 1001
    same = 1000 * tg.gaussian(sigma=1.0).sampled(rate=0.01) + tg.gaussian(sigma=2.0)
    assert accountant.get_epsilon(delta=1e-6) == same.epsilon(1e-6).upper
    again = compat.Accountant()
    again.load_state_dict(accountant.state_dict())
    assert again.get_epsilon(1e-6) == accountant.get_epsilon(1e-6)
    hook = again.get_optimizer_hook_fn(0.01)
    hook(SimpleNamespace(noise_multiplier=1.0, accumulated_iterations=2))
    assert again.history[-1] == (1.0, 0.02, 1)
    with pytest.raises(tg.InvalidInput):
        again.load_state_dict({})


@pytest.mark.parametrize("noise, rate", [(-1, 0.1), (1, 1.5), (1, -0.1), (float("nan"), 0.1)])
def test_a_wrong_step_is_refused_when_it_is_taken(noise, rate):
    accountant = compat.Accountant()
    with pytest.raises(tg.InvalidInput):
        accountant.step(noise_multiplier=noise, sample_rate=rate)
    assert len(accountant) == 0


def test_events_of_dp_accounting():
    step = compat.PoissonSampledDpEvent(0.01, compat.GaussianDpEvent(1.0))
    accountant = compat.PLDAccountant().compose(compat.SelfComposedDpEvent(step, 1000))
    accountant.compose(compat.NoOpDpEvent())
    same = 1000 * tg.gaussian(sigma=1.0).sampled(rate=0.01)
    assert accountant.get_epsilon(1e-6) == same.epsilon(1e-6).upper
    one = compat.PLDAccountant().compose(compat.GaussianDpEvent(2.0))
    assert one.get_delta(1.0) == tg.gaussian(sigma=2.0).delta(1.0).upper
    both = compat.ComposedDpEvent([compat.LaplaceDpEvent(2.0), compat.GaussianDpEvent(3.0)])
    found = compat.PLDAccountant().compose(both).get_epsilon(1e-6)
    assert found == (tg.laplace(scale=2.0) + tg.gaussian(sigma=3.0)).epsilon(1e-6).upper
    assert compat.PLDAccountant().get_epsilon(1e-6) == compat.PLDAccountant().get_delta(1) == 0
    with pytest.raises(tg.Refused, match="not understood"):
        compat.PLDAccountant().compose(SimpleNamespace())
    with pytest.raises(tg.Refused, match="more than one meaning"):
        compat.PLDAccountant("REPLACE_ONE")


def test_noise_for_a_target():
    noise = compat.get_noise_multiplier(
        target_epsilon=3, target_delta=1e-5, sample_rate=0.01, steps=1000
    )
    assert (1000 * tg.gaussian(sigma=noise).sampled(rate=0.01)).epsilon(1e-5).upper <= 3 * (1 + 1e-4)
    by_epochs = compat.get_noise_multiplier(
        target_epsilon=3, target_delta=1e-5, sample_rate=0.01, epochs=10
    )
    assert by_epochs == noise
    with pytest.raises(tg.InvalidInput):
        compat.get_noise_multiplier(target_epsilon=3, target_delta=1e-5, sample_rate=0.01)
    found = compat.calibrate_dp_mechanism(
        compat.PLDAccountant, compat.GaussianDpEvent, 1.0, 1e-5
    )
    assert tg.gaussian(sigma=found).epsilon(1e-5).upper <= 1
    assert found == pytest.approx(tg.calibrate("gaussian(sigma=?)", epsilon=1, delta=1e-5).value, rel=1e-5)
