"""Fitting private models in scikit-learn's way, and what privacy costs in accuracy."""

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import cross_val_score, train_test_split

import throng as tg
from throng.learn import GaussianNB, GradientBoostingClassifier, LogisticRegression, load

features, labels = load_digits(return_X_y=True)
train, test, train_labels, test_labels = train_test_split(features, labels, test_size=0.25, random_state=0)

# What is known beforehand, and never read from the records: a pixel is between 0 and 16, there are ten digits.
known = {"bounds": (0, 16), "classes": np.arange(10)}

# Every fit pays from one budget, also inside a cross-validation. In the currency of Gaussian privacy
# many fits cost much less than the sum of their epsilons.
budget = tg.Budget(epsilon=10, delta=1e-5, currency="gdp")

for epsilon in (0.5, 2):
    for Model in (LogisticRegression, GaussianNB, GradientBoostingClassifier):
        model = Model(epsilon=epsilon, delta=1e-6, budget=budget, **known).fit(train, train_labels)
        score = model.score(test, test_labels)
        print(f"epsilon {epsilon:<4} {Model.__name__:<28} accuracy on public test records {score:.3f}")

print(model.guarantee_)
print("left:", budget.remaining)

# Folds and grids are fits like any other: each is charged, and refused once the budget is spent.
folds = LogisticRegression(epsilon=1, delta=1e-6, budget=budget, **known)
print("cross-validated:", cross_val_score(folds, train, train_labels, cv=3).round(3))
print("left:", budget.remaining)

# A model carries its guarantee into its file; `throng learn inspect digits.json` shows it.
model = LogisticRegression(epsilon=2, delta=1e-6, budget=budget, **known).fit(train, train_labels)
model.save("digits.json")
again = load("digits.json")
assert (again.predict(test) == model.predict(test)).all()
print("of the file:", again.guarantee_.epsilon(delta=1e-6))
