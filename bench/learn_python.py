"""Throng's estimators as Python calls them, beside the same learners called from Rust.

The makers have the shape of those in learn_peers.py. The package is the wheel that bench/python.sh
built; without it the column stays empty.
"""

import importlib.util

AVAILABLE = importlib.util.find_spec("throng") is not None

DELTA = 1e-5


def classifier(name):
    def make(data, epsilon, seed):
        from throng import learn

        return getattr(learn, name)(epsilon=epsilon, delta=DELTA, bounds=data.bounds(),
                                    classes=list(range(len(data.schema["classes"]))))

    return make


def linear(data, epsilon, seed):
    from throng.learn import LinearRegression

    return LinearRegression(epsilon=epsilon, delta=DELTA, bounds=data.bounds(),
                            label_bounds=tuple(data.schema["label_bounds"]))


def kmeans(data, epsilon, seed):
    from throng.learn import KMeans

    return KMeans(n_clusters=data.clusters, epsilon=epsilon, delta=DELTA, bounds=data.bounds())


def mlp(data, epsilon, seed):
    from throng.learn import MLPClassifier

    return MLPClassifier(epsilon=epsilon, delta=DELTA, bounds=data.bounds(), records=1348,
                         classes=list(range(len(data.schema["classes"]))))


# The learners by the names of the Rust side.
MAKERS = {
    "logistic": classifier("LogisticRegression"),
    "linear": linear,
    "naive-bayes": classifier("GaussianNB"),
    "boosting": classifier("GradientBoostingClassifier"),
    "forest": classifier("RandomForestClassifier"),
    "tree": classifier("DecisionTreeClassifier"),
    "kmeans": kmeans,
}
