"""Asking SQL of a private data frame: who is protected, what may be spent, and answers with error bars."""

import numpy as np
import pandas as pd

import throng as tg

# A made-up table: 20 000 visits of 2 000 people to five clinics.
rng = np.random.default_rng(0)
clinics = ["Birch", "Elm", "Fir", "Oak", "Yew"]
visits = pd.DataFrame(
    {
        "person": rng.integers(0, 2000, 20_000),
        "clinic": rng.choice(clinics, 20_000, p=[0.4, 0.25, 0.2, 0.1, 0.05]),
        "minutes": rng.gamma(4, 6, 20_000).round(1),
    }
)

# The owner's decisions. Nothing of this is read from the rows: that would tell about people in them.
session = tg.Session(
    {"visits": visits},
    unit="person",  # whose privacy is protected, however many rows they have
    budget=(3, 1e-6),  # what all answers together may tell about any one of them
    bounds={"minutes": (0, 120)},
    keys={"clinic": clinics},  # the list of clinics is public
    max_groups=5,
    max_rows=20,
)

# What a question would do and cost: reads no row, spends nothing.
question = "SELECT clinic, count(*) AS visits, avg(minutes) AS minutes FROM visits GROUP BY clinic"
plan = session.explain(question, epsilon=1)
print(plan)
assert session.budget.spent["epsilon"] == 0

answer = session.sql(question, epsilon=1)
print(answer)
print(answer.guarantee)
print("left:", session.budget.remaining)

# The same question again is answered from the books: the same numbers, free of charge.
again = session.sql(question, epsilon=1)
assert not again.fresh and session.budget.spent["epsilon"] <= 1

# As a data frame, with the error bars in columns of their own.
print(answer.to_pandas())

# What would show a row is refused, before anything is read or spent.
try:
    session.sql("SELECT minutes FROM visits LIMIT 5", epsilon=1)
except tg.Refused as refusal:
    print("refused:", refusal)

# And so is what the budget does not cover.
try:
    session.sql("SELECT count(*) AS n FROM visits", epsilon=5)
except tg.BudgetExhausted as refusal:
    print("exhausted:", refusal)
