"""What type checkers see: mypy reads this file, nobody runs it."""

from typing import assert_type

import throng as tg
from throng.compat import Accountant

mechanism = 14062 * tg.gaussian(sigma=0.8).sampled(rate="256/60000") + tg.laplace(scale=2)
assert_type(mechanism, tg.Mechanism)
assert_type(mechanism.epsilon(delta=1e-5), tg.Bracket)
assert_type(float(mechanism.epsilon(delta=1e-5)), float)
assert_type(mechanism.tradeoff(0.05), tg.Bracket)
assert_type(mechanism.tradeoff([0.05, 0.1]), tg.Curve)
assert_type(tg.calibrate(lambda s: tg.gaussian(sigma=s), epsilon=1, delta=1e-6).value, float)
assert_type(tg.Budget(epsilon=1).remaining, dict[str, float])
assert_type(Accountant().get_epsilon(delta=1e-5), float)
