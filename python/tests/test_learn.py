"""Private models as scikit-learn estimators."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import textwrap
import time
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline

import throng as tg
from throng import learn

RNG = np.random.default_rng(0)
X = RNG.uniform(0, 10, size=(3000, 3))
Y = np.where(X[:, 0] > X[:, 1], "more", "less")
Z = 3 * X[:, 0] - X[:, 1] + 5
KNOWN = {"epsilon": 2, "delta": 1e-6, "bounds": (0, 10)}
CLASSES = {**KNOWN, "classes": ["less", "more"]}
NUMBER = {**KNOWN, "label_bounds": (-5, 35)}

CLASSIFIERS = [
    learn.LogisticRegression(**CLASSES),
    learn.LinearSVC(**CLASSES),
    learn.SVC(**CLASSES),
    learn.GaussianNB(**CLASSES),
    learn.DecisionTreeClassifier(**CLASSES),
    learn.RandomForestClassifier(**CLASSES),
    learn.GradientBoostingClassifier(**CLASSES),
    learn.MLPClassifier(**CLASSES, records=3000),
]
REGRESSORS = [
    learn.LinearRegression(**NUMBER),
    learn.DecisionTreeRegressor(**NUMBER),
    learn.RandomForestRegressor(**NUMBER),
    learn.GradientBoostingRegressor(**NUMBER),
    learn.MLPRegressor(**NUMBER, records=3000),
]
OTHERS = [learn.KMeans(**KNOWN, n_clusters=3), learn.PCA(**KNOWN), learn.StandardScaler(**KNOWN)]


def name_of(estimator: object) -> str:
    return type(estimator).__name__


def fitted(estimator):
    estimator = clone(estimator)
    if isinstance(estimator, learn._base.PrivateClassifier):
        return estimator.fit(X, Y)
    if isinstance(estimator, learn._base.PrivateRegressor):
        return estimator.fit(X, Z)
    return estimator.fit(X)


def said(estimator, table):
    return (estimator.predict if hasattr(estimator, "predict") else estimator.transform)(table)


# Learning. The thresholds are so far below what is usual that a failure is far less likely than one in a
# million: scores of repeated fits spread by less than 0.02, and are at least 0.1 above them.


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=name_of)
def test_classes_are_learnt(estimator):
    model = fitted(estimator)
    assert model.score(X, Y) > 0.65
    assert model.classes_.tolist() == ["less", "more"]
    if hasattr(model, "predict_proba"):
        chances = model.predict_proba(X)
        assert chances.shape == (3000, 2) and np.allclose(chances.sum(axis=1), 1)
        assert np.isfinite(model.predict_log_proba(X)).any()


@pytest.mark.parametrize("estimator", REGRESSORS, ids=name_of)
def test_numbers_are_learnt(estimator):
    assert fitted(estimator).score(X, Z) > 0.3


def test_digits():
    """Scores spread by about 0.01 around 0.87 (all records, epsilon 5)."""
    images, digits = load_digits(return_X_y=True)
    model = learn.LogisticRegression(epsilon=5, delta=1e-5, bounds=(0, 16), classes=range(10))
    assert model.fit(images, digits).score(images, digits) > 0.7
    assert model.coef_.shape == (10, 64) and model.intercept_.shape == (10,)


def test_breast_cancer():
    """Scores spread by about 0.02 around 0.92."""
    table, labels = load_breast_cancer(return_X_y=True)
    model = learn.LogisticRegression(
        epsilon=4, delta=1e-4, bounds=(np.zeros(30), 2 * np.median(table, axis=0)), classes=[0, 1]
    )
    assert model.fit(table, labels).score(table, labels) > 0.75


def test_images():
    images, digits = load_digits(return_X_y=True)
    model = learn.ImageClassifier(
        epsilon=8, delta=1e-4, bounds=(0, 16), classes=range(10), height=8, width=8
    )
    assert model.fit(images, digits).score(images, digits) > 0.5


def test_categories():
    codes = RNG.integers(0, 4, size=(4000, 3))
    labels = codes[:, 0] > 1
    model = learn.CategoricalNB(epsilon=1, n_categories=4, classes=[False, True]).fit(codes, labels)
    assert model.score(codes, labels) > 0.9
    assert [table.shape for table in model.feature_log_prob_] == [(2, 4)] * 3
    words = pd.DataFrame({"work": np.array(["a", "b", "c", "d"])[codes[:, 0]], "age": codes[:, 1]})
    bounds = {"work": ["a", "b", "c", "d"], "age": (0, 3)}
    for Model in (learn.LogisticRegression, learn.GaussianNB, learn.GradientBoostingClassifier):
        model = Model(epsilon=2, delta=1e-6, bounds=bounds, classes=[0, 1]).fit(words, labels)
        assert model.score(words, labels) > 0.9
        odd = words.head(2).assign(work=["zebra", None])
        assert len(model.predict(odd)) == 2


def test_groups_features_and_made_up_tables():
    centres = np.array([[1.0, 1, 1], [9, 9, 9], [1, 9, 5]])
    points = np.clip(centres[RNG.integers(0, 3, size=3000)] + RNG.normal(0, 0.3, (3000, 3)), 0, 10)
    model = learn.KMeans(**KNOWN, n_clusters=3).fit(points)
    assert model.cluster_centers_.shape == (3, 3)
    assert not hasattr(model, "labels_") and not hasattr(model, "inertia_")
    groups = model.fit_predict(points)
    assert groups.shape == (3000,) and set(groups) <= {0, 1, 2}
    scaler = learn.StandardScaler(**KNOWN).fit(points)
    scores = scaler.transform(points)
    assert np.abs(scores.mean(axis=0)).max() < 0.3 and not hasattr(scaler, "n_samples_seen_")
    raw = learn.StandardScaler(**KNOWN, with_mean=False, with_std=False).fit(points)
    assert np.allclose(raw.transform(points), points)
    pca = learn.PCA(**KNOWN).fit(points)
    expected = ((points - pca.mean_) / pca.half_widths_) @ pca.components_.T
    assert np.allclose(pca.transform(points), expected)
    frame = pd.DataFrame({"x": X[:, 0], "kind": np.where(X[:, 1] > 5, "a", "b")})
    bounds = {"x": (0, 10), "kind": ["a", "b"]}
    table = learn.Synthesizer(epsilon=1, bounds=bounds).fit(frame).sample(50)
    assert isinstance(table, pd.DataFrame) and set(table["kind"]) <= {"a", "b"} and len(table) == 50
    assert isinstance(
        learn.Synthesizer(epsilon=1, bounds=bounds).fit(pl.DataFrame(frame)).sample(5), pl.DataFrame
    )


# What a model guarantees.


@pytest.mark.parametrize("estimator", CLASSIFIERS + REGRESSORS + OTHERS, ids=name_of)
def test_the_guarantee_is_what_was_asked_for(estimator):
    guarantee = fitted(estimator).guarantee_
    found = guarantee.epsilon(1e-6)
    assert isinstance(found, tg.Bracket) and found.upper <= 2 and found.lower > 1.9
    assert guarantee.neighbours == "add-remove" and guarantee.unit == "a record"
    assert isinstance(guarantee.mechanism, tg.Mechanism)
    assert guarantee.cost is None and guarantee.receipt is None and not guarantee.insecure
    assert "epsilon: 2 at delta 1e-06" in repr(guarantee) and "<table>" in guarantee._repr_html_()
    assert guarantee.mechanism == clone(estimator).explain(X)


def test_pure_privacy_where_there_is_some():
    for Model in (learn.GaussianNB, learn.RandomForestClassifier):
        model = Model(epsilon=1, bounds=(0, 10), classes=["less", "more"]).fit(X, Y)
        assert model.guarantee_.epsilon().upper <= 1.0001
    with pytest.raises(tg.Refused, match="no epsilon without a delta"):
        learn.LogisticRegression(epsilon=1, bounds=(0, 10), classes=["less", "more"]).fit(X, Y)
    output = learn.LogisticRegression(
        epsilon=1, bounds=(0, 10), classes=["less", "more"], method="output", C=1.0
    )
    assert output.fit(X, Y).guarantee_.epsilon(0).upper <= 1.0001


def test_replace_is_a_relation_of_its_own():
    model = learn.GaussianNB(**{**CLASSES, "neighbours": "replace"}).fit(X, Y)
    assert model.guarantee_.neighbours == "replace" and model.guarantee_.epsilon(1e-6).upper <= 2
    with pytest.raises(tg.Refused, match="zeroed out"):
        learn.GaussianNB(**{**CLASSES, "neighbours": "zero-out"}).fit(X, Y)


def test_intervals_of_coefficients():
    model = learn.LinearRegression(**NUMBER).fit(X, Z)
    ends = model.coef_interval(0.999999)
    assert ends.shape == (3, 2)
    assert (ends[:, 0] < [3, -1, 0]).all() and (ends[:, 1] > [3, -1, 0]).all()
    assert model.intercept_interval(0.999999)[0] < 5 < model.intercept_interval(0.999999)[1]
    with pytest.raises(tg.InvalidInput, match="confidence"):
        model.coef_interval(1.5)


# What is declared.


def test_bounds_can_be_given_in_several_ways():
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    ways = [
        (0, 10),
        ([0, 0, 0], [10, 10, 10]),
        (np.zeros(3), 10),
        {"a": (0, 10), "b": (0, 10), "c": (0, 10)},
        {0: (0, 10), 1: (0, 10), "c": (0, 10)},
    ]
    for bounds in ways:
        for table in (frame, pl.DataFrame(X, schema=["a", "b", "c"])):
            model = learn.GaussianNB(**{**CLASSES, "bounds": bounds}).fit(table, Y)
            assert model.feature_names_in_.tolist() == ["a", "b", "c"]
            assert model.score(table, Y) > 0.8


def test_bounds_can_be_bought():
    model = learn.LinearRegression(**{**NUMBER, "bounds": "buy", "bounds_share": 0.2}).fit(X, Z)
    assert model.guarantee_.epsilon(1e-6).upper <= 2 and model.score(X, Z) > 0.8
    assert all(column.bounds[1] == 16 for column in model._declared.columns)
    budget = tg.Budget(epsilon=2, delta=1e-6)
    mixed = learn.LinearRegression(
        **{**NUMBER, "bounds": {0: "buy", 1: (0, 10), 2: (0, 10)}, "budget": budget}
    ).fit(X, Z)
    spent = budget.spent
    assert spent["epsilon"] <= 2 and spent["delta"] <= 1e-6 and spent["epsilon"] > 1.9
    assert mixed.guarantee_.cost["epsilon"] == pytest.approx(spent["epsilon"])
    found, guarantee = learn.buy_bounds(X, epsilon=1)
    assert all(lower < 1 and upper == 16 for lower, upper in found.values())
    assert guarantee.epsilon().upper <= 1.0001
    with pytest.raises(tg.Refused, match="too few records"):
        learn.GaussianNB(**{**CLASSES, "bounds": "buy"}).fit(X[:5], Y[:5])


def test_whatever_is_in_a_cell_counts_as_something():
    odd = X.astype(object)
    odd[:6, 0] = [None, "zebra", float("nan"), float("inf"), "3.5", {"a": 1}]
    model = learn.GaussianNB(**CLASSES).fit(odd, Y)
    assert model.predict(odd).shape == (3000,)
    labels = Y.astype(object)
    labels[:3] = ["zebra", None, float("nan")]
    assert learn.GaussianNB(**CLASSES).fit(X, labels).score(X, Y) > 0.8
    numbers = Z.astype(object)
    numbers[:3] = ["zebra", None, float("inf")]
    assert learn.LinearRegression(**NUMBER).fit(X, numbers).score(X, Z) > 0.8
    # No records at all: a model of noise.
    assert learn.GaussianNB(**CLASSES).fit(X[:0], Y[:0]).predict(X).shape == (3000,)
    assert learn.LinearRegression(**NUMBER).fit(X[:0], Z[:0]).predict(X).shape == (3000,)


def test_classes_of_any_type():
    for classes in ([0, 1], [-1.5, 2.0], [False, True], ["a", "b"], np.array(["x", "y"], object)):
        known = np.asarray(classes)
        labels = known[(Y == "more").astype(int)]
        model = learn.GaussianNB(**{**CLASSES, "classes": classes}).fit(X, labels)
        assert (model.predict(X) == labels).mean() > 0.8 and model.classes_.dtype == known.dtype


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"epsilon": None}, tg.InvalidInput, "how private"),
        ({"epsilon": -1}, tg.InvalidInput, "epsilon must be above 0"),
        ({"epsilon": "much"}, tg.InvalidInput, "not a finite number"),
        ({"delta": 1.5}, tg.InvalidInput, "delta"),
        ({"bounds": None}, tg.InvalidInput, "bounds of the columns are not declared"),
        ({"bounds": (1, 0)}, tg.InvalidInput, "interval"),
        ({"bounds": (0, np.inf)}, tg.InvalidInput, "interval|finite"),
        ({"bounds": "guess"}, tg.InvalidInput, "'buy'"),
        ({"bounds": {"x0": (0, 1)}}, tg.InvalidInput, "bounds of column x1"),
        ({"bounds": {"age": (0, 1)}}, tg.InvalidInput, "no such column"),
        ({"bounds": ([0, 0], [1, 1])}, tg.InvalidInput, "3 columns"),
        ({"classes": None}, tg.InvalidInput, "classes are not declared"),
        ({"classes": ["less"]}, tg.InvalidInput, "class"),
        ({"classes": ["less", "less"]}, tg.InvalidInput, "once"),
        ({"classes": [0, 1]}, tg.InvalidInput, "type"),
        ({"neighbours": "friends"}, tg.InvalidInput, "friends"),
        ({"budget": 3}, tg.InvalidInput, "Budget"),
        ({"reach": -1.0}, tg.InvalidInput, "reach"),
        ({"reach": "far"}, tg.InvalidInput, "option"),
        ({"random_state": 3}, tg.Refused, "random_state"),
    ],
)
def test_wrong_parameters_are_told_before_anything_is_paid(change, error, words):
    budget = tg.Budget(epsilon=10, delta=1e-5)
    with pytest.raises(error, match=words) as told:
        learn.GaussianNB(**{**CLASSES, "budget": budget, **change}).fit(X, Y)
    assert budget.spent["epsilon"] == 0
    assert told.value.message and "3000" not in str(told.value)


def test_weights_and_sparse_tables_are_refused():
    with pytest.raises(tg.InvalidInput, match="sample_weight"):
        learn.GaussianNB(**CLASSES).fit(X, Y, sample_weight=np.ones(3000))
    with pytest.raises(TypeError, match="unexpected"):
        learn.GaussianNB(**CLASSES).fit(X, Y, weights=1)
    from scipy.sparse import csr_array

    with pytest.raises(TypeError, match="[Ss]parse"):
        learn.GaussianNB(**CLASSES).fit(csr_array(X), Y)


# In scikit-learn's company.


def test_in_a_pipeline_with_data_frames():
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    pipeline = make_pipeline(
        learn.StandardScaler(**KNOWN), learn.LogisticRegression(**{**CLASSES, "bounds": (-3, 3)})
    ).set_output(transform="pandas")
    assert pipeline.fit(frame, Y).score(frame, Y) > 0.8
    scores = pipeline[0].transform(frame)
    assert isinstance(scores, pd.DataFrame) and list(scores.columns) == ["a", "b", "c"]
    components = learn.PCA(**KNOWN).set_output(transform="polars").fit_transform(frame)
    assert isinstance(components, pl.DataFrame) and components.columns == ["pca0", "pca1"]
    names = learn.PCA(**KNOWN).fit(frame).get_feature_names_out()
    assert names.tolist() == ["pca0", "pca1"]


def test_cross_validation_and_grids():
    model = learn.LogisticRegression(**CLASSES)
    assert cross_val_score(model, X, Y, cv=3).mean() > 0.8
    # scikit-learn hands over the places of the labels here, so these are the classes.
    places = clone(model).set_params(classes=[0, 1])
    assert cross_val_predict(places, X, Y, cv=3, method="predict_proba").shape == (3000, 2)
    assert cross_val_score(model, X, Y, cv=3, scoring="roc_auc").mean() > 0.8
    grid = GridSearchCV(model, {"max_iter": [20, 60]}, cv=2).fit(X, Y)
    assert grid.best_score_ > 0.8 and grid.best_estimator_.guarantee_.epsilon(1e-6).upper <= 2


@pytest.mark.parametrize("estimator", CLASSIFIERS + REGRESSORS + OTHERS, ids=name_of)
def test_pickles_and_files_say_the_same(estimator, tmp_path):
    model = fitted(estimator)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(said(again, X), said(model, X))
    assert again.guarantee_ == model.guarantee_
    for name in ("model.json", "model.safetensors"):
        model.save(tmp_path / name)
        read = learn.load(tmp_path / name)
        tree = {"DecisionTreeClassifier": "RandomForestClassifier"} | {
            "DecisionTreeRegressor": "RandomForestRegressor"
        }
        assert name_of(read) == tree.get(name_of(model), name_of(model))
        assert np.array_equal(said(read, X), said(model, X))
        assert read.guarantee_.mechanism == model.guarantee_.mechanism
    with pytest.raises(tg.InvalidInput, match="ending|end the name"):
        model.save(tmp_path / "model.txt")


def throng(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "throng", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True)


def test_the_command_uses_what_python_fits(tmp_path):
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame["work"] = np.where(X[:, 2] > 5, "yes", "no")
    bounds = {"a": (0, 10), "b": (0, 10), "c": (0, 10), "work": ["no", "yes"]}
    model = learn.LogisticRegression(**{**CLASSES, "bounds": bounds})
    model.fit(frame, pd.Series(Y, name="label"))
    model.save(tmp_path / "model.safetensors")
    frame.assign(label=Y).to_csv(tmp_path / "rows.csv", index=False)
    throng_says = throng(
        "learn", "predict", tmp_path / "model.safetensors", "--data", tmp_path / "rows.csv"
    )
    predictions = throng_says.stdout.split()[1:]
    assert predictions == model.predict(frame).tolist()
    inspected = json.loads(
        throng("learn", "inspect", tmp_path / "model.safetensors", "--json", "--delta", "1e-6").stdout
    )
    assert inspected["epsilon"]["upper"] <= 2
    assert inspected["mechanism"] == str(model.guarantee_.mechanism)


def test_python_uses_what_the_command_fits(tmp_path):
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(label=Y)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    (tmp_path / "bounds.toml").write_text(
        '[columns]\na = [0, 10]\nb = [0, 10]\nc = [0, 10]\n'
        '[label]\ncolumn = "label"\nclasses = ["less", "more"]\n'
    )
    throng(
        *("learn", "fit", "logistic", "--data", tmp_path / "rows.csv"),
        *("--bounds", tmp_path / "bounds.toml", "--epsilon", 2, "--delta", "1e-6"),
        *("-o", tmp_path / "model.json"),
    )
    model = learn.load(tmp_path / "model.json")
    assert model.score(frame[["a", "b", "c"]], Y) > 0.8
    says = throng("learn", "predict", tmp_path / "model.json", "--data", tmp_path / "rows.csv")
    assert says.stdout.split()[1:] == model.predict(frame[["a", "b", "c"]]).tolist()


# Progress, and an end to patience.


def test_progress_is_told():
    told = []
    model = learn.MLPClassifier(
        **CLASSES, records=3000, max_iter=30, progress=lambda *step: told.append(step)
    )
    model.fit(X, Y)
    assert told[-1][:2] == (30, 30) and told[-1][2] <= 2
    assert [step for step, _, _ in told] == sorted(step for step, _, _ in told)
    told.clear()
    learn.GaussianNB(**CLASSES, progress=lambda *step: told.append(step)).fit(X, Y)
    assert [step[:2] for step in told] == [(0, 1), (1, 1)]


def test_an_exception_stops_the_fit():
    class Enough(Exception):
        pass

    def progress(step, steps, epsilon):
        raise Enough

    budget = tg.Budget(epsilon=10, delta=1e-5)
    known = {**CLASSES, "budget": budget, "progress": progress}
    start = time.monotonic()
    with pytest.raises(Enough):
        learn.MLPClassifier(**known, records=3000, max_iter=1_000_000).fit(X, Y)
    assert time.monotonic() - start < 30
    # What was paid for a training that began stays paid.
    assert 1.9 < budget.spent["epsilon"] <= 2
    with pytest.raises(Enough):
        learn.GaussianNB(**known).fit(X, Y)
    assert budget.spent["epsilon"] <= 2, "nothing had begun"


def test_ctrl_c_stops_the_fit():
    code = """
        import signal, threading, time
        import numpy as np
        from throng.learn import MLPClassifier
        X = np.zeros((2000, 20)); y = np.zeros(2000, dtype=int)
        model = MLPClassifier(epsilon=1, delta=1e-5, bounds=(0, 1), classes=[0, 1], records=2000,
                              max_iter=1_000_000)
        threading.Timer(1.5, lambda: signal.raise_signal(signal.SIGINT)).start()
        start = time.monotonic()
        try:
            model.fit(X, y)
        except KeyboardInterrupt:
            print("stopped", time.monotonic() - start < 30)
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.split() == ["stopped", "True"], done.stderr


def test_the_interpreter_is_free_meanwhile():
    """Another thread counts while a network is trained."""
    code = """
        import threading
        import numpy as np
        from throng.learn import MLPClassifier
        X = np.zeros((20_000, 50)); y = np.zeros(20_000, dtype=int)
        model = MLPClassifier(epsilon=1, delta=1e-5, bounds=(0, 1), classes=[0, 1], records=20_000)
        fit = threading.Thread(target=model.fit, args=(X, y))
        fit.start()
        turns = 0
        while fit.is_alive():
            fit.join(0.001)
            turns += 1
        print(turns)
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert int(done.stdout) > 20


# Repeatable noise.


def test_seeds_are_for_tests_and_are_marked():
    model = learn.LogisticRegression(**CLASSES)
    seeded = clone(model).set_params(random_state=5)
    with pytest.warns(tg.testing.InsecureSeedWarning, match="protects nobody"):
        with tg.testing.insecure_seed(7):
            first, second = clone(model).fit(X, Y), clone(model).fit(X, Y)
            third, fourth = clone(seeded).fit(X, Y), clone(seeded).fit(X, Y)
    assert not np.array_equal(first.coef_, second.coef_)
    assert np.array_equal(third.coef_, fourth.coef_)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with tg.testing.insecure_seed(7):
            assert np.array_equal(clone(model).fit(X, Y).coef_, first.coef_)
    assert first.guarantee_.insecure and "INSECURE" in repr(first.guarantee_)
    assert "INSECURE" in first.guarantee_._repr_html_()
    assert pickle.loads(pickle.dumps(first))._model.insecure
    with pytest.raises(tg.Refused, match="known seed"):
        first.save("never.json")
    # And afterwards noise is noise again.
    assert not np.array_equal(clone(model).fit(X, Y).coef_, clone(model).fit(X, Y).coef_)
    with pytest.raises(tg.Refused):
        seeded.fit(X, Y)
    with pytest.raises(tg.InvalidInput, match="seed"):
        with tg.testing.insecure_seed(-1):
            pass
