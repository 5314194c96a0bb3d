"""Reading a trade-off curve: what an attacker's test can achieve.

An attacker wants to know whether one person is in the data. Of the people who are not, he accuses a share alpha
(false alarms); of those who are, he misses a share beta. A mechanism is private if every test with few false
alarms misses nearly everybody; the trade-off curve is the smallest beta at each alpha.
"""

import sys

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt

import throng as tg

laplace, gaussian = tg.laplace(scale=1), tg.gaussian(sigma=1)

# No information at all: beta = 1 - alpha. With Laplace noise of scale 1 (epsilon 1) an attacker who allows
# himself 5 % false alarms misses at least 86 %.
for mechanism in (laplace, gaussian, 10 * gaussian):
    missed = mechanism.tradeoff(0.05)
    print(f"{mechanism!s:32} at 5 % false alarms at least {100 * float(missed):.1f} % are missed")

# The curve says more than any single epsilon: here neither mechanism is better everywhere.
print(laplace.compare(gaussian))

# Epsilon and delta are lines under the curve. The whole curve is one number only for Gaussian noise: mu.
print("mu of the Gaussian:", gaussian.gdp(), " of the Laplace:", laplace.gdp())

# Composition bends every curve towards the corner.
figure, axes = plt.subplots(1, 2, figsize=(9, 4.2))
for mechanism in (laplace, gaussian, 10 * gaussian):
    mechanism.plot("tradeoff", ax=axes[0])
    mechanism.plot("profile", ax=axes[1])
axes[0].legend(fontsize=8)
figure.tight_layout()
if len(sys.argv) > 1:
    figure.savefig(sys.argv[1])
    print("written:", sys.argv[1])
