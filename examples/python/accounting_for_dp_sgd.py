"""What does a private training run guarantee, and how much noise does a target take?

Sixty epochs on 60 000 examples in batches of about 256: 14 062 steps, each on a sample that holds every example
with chance 256/60000, each adding Gaussian noise to a clipped gradient.
"""

import throng as tg

step = tg.gaussian(sigma=0.8).sampled(rate="256/60000")
training = 14062 * step
print(training)

# Every privacy number is a bracket; its upper end is the promise, rounding errors included.
epsilon = training.epsilon(delta=1e-5)
print(f"epsilon at delta 1e-5: {epsilon}, promised: {float(epsilon):.6f}")

# An evaluation on the same data afterwards is one more part, not one more epsilon.
evaluated = training + tg.laplace(scale=2)
apart = float(epsilon) + float(tg.laplace(scale=2).epsilon())
print(f"with an evaluation: {evaluated.epsilon(delta=1e-5):.4f}, adding up would say {apart:.4f}")

# What it means to somebody whose record is in the data.
print(training.attacker(false_alarm=0.01))

# The least noise for a target: certified at exactly the value that is returned.
found = tg.calibrate(lambda sigma: 14062 * tg.gaussian(sigma=sigma).sampled(rate="256/60000"), epsilon=1, delta=1e-6)
print(f"sigma = {found.text} for epsilon 1 at delta 1e-6; achieved: {found.achieved}")

# The same target said in the attacker's words: at 1 % false alarms at most 3 % of the members are found.
found = tg.calibrate("14062 * sampled(gaussian(sigma=?), rate=256/60000)", fpr=0.01, tpr=0.03)
print(f"sigma = {found.text} for at most 3 % found at 1 % false alarms")

# For code written for Opacus: the accountant in its place.
from throng.compat import Accountant  # noqa: E402

accountant = Accountant()
for _ in range(14062):
    accountant.step(noise_multiplier=0.8, sample_rate=256 / 60000)
assert abs(accountant.get_epsilon(delta=1e-5) - float(epsilon)) < 1e-6
