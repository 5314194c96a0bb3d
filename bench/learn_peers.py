"""The peers of the private models: diffprivlib, DP-EBM, and scikit-learn for what privacy costs.

A peer is fitted on the rows that Throng gets, with the same public bounds and classes. CPU seconds
are of `fit` alone, on one thread. What is called best tries the listed settings and keeps, for each
epsilon, the one with the best mean score on the held-out rows: that favours the peer.
"""

import hashlib
import importlib.metadata
import json
import time
import warnings

import numpy as np

DELTA = 1e-5


class Data:
    """One prepared data set; see learn_data.py."""

    def __init__(self, directory, clusters=None):
        self.name = directory.name
        self.directory = directory
        self.schema = json.loads((directory / "schema.json").read_text())
        self.clusters = clusters or self.schema.get("clusters")
        self.splits = sorted((directory / "splits").glob("*.txt"))
        whole = directory / ("data.csv" if self.splits else "train.csv")
        self.digest = hashlib.sha256(whole.read_bytes()).hexdigest()[:12]
        self.tables = {}

    def table(self, file):
        if file not in self.tables:
            self.tables[file] = np.loadtxt(self.directory / file, delimiter=",", skiprows=1)
        return self.tables[file]

    def rows(self, seed):
        """(training rows, held-out rows) of a seed, the label last; without a label, all rows twice."""
        if self.schema["task"] == "clustering":
            return self.table("train.csv"), self.table("train.csv")
        if not self.splits:
            return self.table("train.csv"), self.table("test.csv")
        rows = self.table("data.csv")
        held = np.loadtxt(self.splits[seed % len(self.splits)], dtype=int)
        return np.delete(rows, held, axis=0), rows[held]

    def features(self, rows):
        return rows[:, : len(self.schema["columns"])]

    def bounds(self):
        ends = [(c.get("lower", 0), c.get("upper", len(c.get("levels", "")) - 1)) for c in self.schema["columns"]]
        return tuple(np.array(side, float) for side in zip(*ends))

    def norm(self):
        """The largest norm of a row: of each group of indicators only one is 1."""
        groups = {column["name"].split("=")[0] for column in self.schema["columns"]}
        return float(np.sqrt(len(groups)))


def accuracy(model, data, rows):
    return float(np.mean(np.asarray(model.predict(data.features(rows)), float) == rows[:, -1]))


def r2(model, data, rows):
    label = rows[:, -1]
    off = label - model.predict(data.features(rows))
    return float(1 - np.sum(off**2) / np.sum((label - label.mean()) ** 2))


def inertia(centres, points):
    """The sum of squared distances to the nearest centre."""
    distances = (points**2).sum(1)[:, None] - 2 * points @ centres.T + (centres**2).sum(1)
    return float(np.maximum(distances, 0).min(1).sum())


# What makes a model from (data, epsilon, seed, settings).

def logistic(data, epsilon, seed, C=1.0, unit=False):
    from diffprivlib.models import LogisticRegression

    norm = 1.0 if unit else data.norm()
    model = LogisticRegression(epsilon=epsilon, data_norm=norm, C=C, random_state=seed, max_iter=1000)
    return Scaled(model, 1 / data.norm()) if unit else model


class Scaled:
    """Rows brought into the unit ball first."""

    def __init__(self, model, factor):
        self.model, self.factor = model, factor

    def fit(self, features, label):
        self.model.fit(features * self.factor, label)
        return self

    def predict(self, features):
        return self.model.predict(features * self.factor)


def linear(data, epsilon, seed):
    from diffprivlib.models import LinearRegression

    bounds = tuple(data.schema["label_bounds"])
    return LinearRegression(epsilon=epsilon, bounds_X=data.bounds(), bounds_y=bounds, random_state=seed)


def bayes(data, epsilon, seed, smoothing=1e-9):
    from diffprivlib.models import GaussianNB

    return GaussianNB(epsilon=epsilon, bounds=data.bounds(), var_smoothing=smoothing, random_state=seed)


def classes(data):
    return list(range(len(data.schema["classes"])))


def forest(data, epsilon, seed, trees=10, depth=5):
    from diffprivlib.models import RandomForestClassifier

    return RandomForestClassifier(epsilon=epsilon, bounds=data.bounds(), classes=classes(data),
                                  n_estimators=trees, max_depth=depth, random_state=seed)


def tree(data, epsilon, seed, depth=5):
    from diffprivlib.models import DecisionTreeClassifier

    return DecisionTreeClassifier(epsilon=epsilon, bounds=data.bounds(), classes=classes(data),
                                  max_depth=depth, random_state=seed)


def boosting(data, epsilon, seed):
    from interpret.privacy import DPExplainableBoostingClassifier, DPExplainableBoostingRegressor

    columns = data.schema["columns"]
    options = {
        "epsilon": epsilon, "delta": DELTA, "random_state": seed, "n_jobs": 1,
        "feature_types": ["nominal" if c["kind"] == "category" else "continuous" for c in columns],
        "privacy_bounds": {at: (c["lower"], c["upper"]) for at, c in enumerate(columns) if "lower" in c},
    }
    if data.schema["task"] == "classification":
        return DPExplainableBoostingClassifier(**options)
    lower, upper = data.schema["label_bounds"]
    return DPExplainableBoostingRegressor(privacy_target_min=lower, privacy_target_max=upper, **options)


def kmeans(data, epsilon, seed):
    from diffprivlib.models import KMeans

    return KMeans(n_clusters=data.clusters, epsilon=epsilon, bounds=data.bounds(), random_state=seed)


# Without privacy.

def plain_logistic(data, epsilon, seed):
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(max_iter=2000)


def plain_linear(data, epsilon, seed):
    from sklearn.linear_model import LinearRegression

    return LinearRegression()


def plain_bayes(data, epsilon, seed):
    from sklearn.naive_bayes import GaussianNB

    return GaussianNB()


def plain_trees(data, epsilon, seed):
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    classes = data.schema["task"] == "classification"
    return (HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor)(random_state=seed)


def plain_kmeans(data, epsilon, seed):
    from sklearn.cluster import KMeans

    return KMeans(data.clusters, n_init=10, random_state=0)


LIBRARY = {boosting: "interpret-core", plain_logistic: "scikit-learn", plain_linear: "scikit-learn",
           plain_bayes: "scikit-learn", plain_trees: "scikit-learn", plain_kmeans: "scikit-learn"}

LOGISTIC = [{}, *({"C": C, "unit": True} for C in (0.01, 0.1, 1.0, 10.0, 100.0))]
BAYES = [{"smoothing": smoothing} for smoothing in (1e-9, 1e-3, 1e-2, 1e-1)]
FOREST = [{}, {"trees": 1, "depth": 8}, {"trees": 5, "depth": 10}, {"trees": 30, "depth": 8}]
TREE = [{"depth": 5}, {"depth": 10}]


class Peers:
    """Scores of peers, kept in a file, because some of them take minutes."""

    def __init__(self, path, fresh):
        self.path = path
        self.known = {} if fresh else self.kept()

    def kept(self):
        return json.loads(self.path.read_text()) if self.path.exists() else {}

    def keep(self):
        """What another run kept in the meantime stays."""
        beside = self.path.with_suffix(".new")
        beside.write_text(json.dumps({**self.kept(), **self.known}, indent=0))
        beside.replace(self.path)

    def score(self, make, settings, data, epsilon, seed):
        library = LIBRARY.get(make, "diffprivlib")
        key = "|".join(map(str, (library, importlib.metadata.version(library), make.__name__,
                                 json.dumps(settings), data.name, data.clusters, data.digest, epsilon, seed)))
        if key not in self.known:
            self.known[key] = fit(make, settings, data, epsilon, seed)[0]
        return self.known[key]

    def scores(self, make, settings, data, epsilon, seeds):
        before = len(self.known)
        found = [self.score(make, settings, data, epsilon, seed) for seed in range(seeds)]
        if len(self.known) > before:
            self.keep()
        return found

    def best(self, make, grid, data, epsilon, seeds):
        return max((self.scores(make, settings, data, epsilon, seeds) for settings in grid), key=np.mean)


def fit(make, settings, data, epsilon, seed):
    """(score on the held-out rows, CPU seconds of the fit)."""
    train, held = data.rows(seed)
    clustering = make.__name__.endswith("kmeans")
    features = np.ascontiguousarray(data.features(train))
    label = train[:, -1]
    if data.schema["task"] == "classification":
        label = label.astype(int)
    model = make(data, epsilon, seed, **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.process_time()
        model.fit(features) if clustering else model.fit(features, label)
        seconds = time.process_time() - start
        if clustering:
            return inertia(model.cluster_centers_, features), seconds
        judge = r2 if data.schema["task"] == "regression" else accuracy
        return judge(model, data, held), seconds


def histogram_seconds(values, bins, upper, repeats=5):
    """CPU seconds of diffprivlib's histogram, the best of some."""
    from diffprivlib.tools import histogram

    def once():
        start = time.process_time()
        histogram(values, epsilon=1.0, bins=bins, range=(0, upper))
        return time.process_time() - start

    return min(once() for _ in range(repeats))
