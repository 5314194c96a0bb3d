"""SQL on private tables: in memory, and of a policy."""

from __future__ import annotations

import datetime
import os
import resource
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import throng as tg

ROWS = 4000
COLUMNS = {
    "user_id": [i // 4 for i in range(ROWS)],
    "city": ["Oslo" if i % 3 else "Bergen" for i in range(ROWS)],
    "age": [float(i % 90) for i in range(ROWS)],
}
BY_CITY = "SELECT city, count(*) AS n FROM data GROUP BY city"


def arrow():
    return pa.table(COLUMNS)


def session(frame=None, **said):
    options = {
        "unit": "user_id",
        "budget": (10, 1e-5),
        "keys": {"city": ["Oslo", "Bergen"]},
        "bounds": {"age": (0, 100)},
        "max_groups": 2,
        "max_rows": 4,
    }
    options.update(said)
    return tg.Session(arrow() if frame is None else frame, **options)


FRAMES = {
    "dictionary": lambda: COLUMNS,
    "numpy": lambda: {name: np.array(values) for name, values in COLUMNS.items()},
    "pyarrow": arrow,
    "batch": lambda: arrow().combine_chunks().to_batches()[0],
    "reader": lambda: arrow().to_reader(max_chunksize=100),
    "large": lambda: arrow().set_column(1, "city", arrow()["city"].cast(pa.large_string())),
    "listed": lambda: arrow().set_column(1, "city", arrow()["city"].dictionary_encode()),
    "view": lambda: arrow().set_column(1, "city", arrow()["city"].cast(pa.string_view())),
    "pandas": lambda: pd.DataFrame(COLUMNS),
    "categorical": lambda: pd.DataFrame(COLUMNS).astype({"city": "category"}),
    "nullable": lambda: pd.DataFrame(COLUMNS).convert_dtypes(),
    "object": lambda: pd.DataFrame(COLUMNS).astype({"city": object}),
    "index": lambda: pd.DataFrame(COLUMNS).set_index("user_id"),
    "polars": lambda: pl.DataFrame(COLUMNS),
    "polars categorical": lambda: pl.DataFrame(COLUMNS).with_columns(pl.col("city").cast(pl.Categorical)),
}


def near(value):
    """Noise is charged what it costs, which may be a little less than what was asked for."""
    return pytest.approx(value, abs=1e-4)



@pytest.mark.parametrize("kind", FRAMES)
def test_every_kind_of_frame_gives_the_same_table(kind):
    asked = session(FRAMES[kind]())
    result = asked.sql("SELECT city, count(*) AS n, avg(age) AS age FROM data GROUP BY city", epsilon=5)
    rows = {row["city"]: row for row in result}
    assert set(rows) == {"Oslo", "Bergen"}
    assert abs(rows["Oslo"]["n"] - 2666) < 150 and abs(rows["Bergen"]["n"] - 1334) < 150
    assert rows["Oslo"]["n_low"] < rows["Oslo"]["n"] < rows["Oslo"]["n_high"]
    assert abs(rows["Oslo"]["age"] - 44.5) < 15
    assert asked.tables["data"]["unit"] == "user_id"
    assert set(asked.tables["data"]["columns"]) == set(COLUMNS)


def test_answers_leave_in_every_way():
    result = session().sql(BY_CITY, epsilon=1)
    assert result.columns == ["city", "n"] and len(result) == 2
    names = ["city", "n", "n_low", "n_high"]
    table = result.to_arrow()
    assert table.column_names == names and table["n"].type == pa.int64()
    assert pa.table(result).equals(table)
    assert result.to_polars().columns == names and list(result.to_pandas().columns) == names
    assert pl.DataFrame(result).rows() == result.to_polars().rows()
    assert result.to_dict() == table.to_pydict() and result.rows() == table.to_pylist()
    assert result.to_arrow(intervals=False).column_names == ["city", "n"]
    assert result.interval("n") == list(zip(result.to_dict()["n_low"], result.to_dict()["n_high"]))
    assert result.confidence == 0.95
    with pytest.raises(tg.InvalidInput, match="no column city with intervals"):
        result.interval("city")
    assert "±" in repr(result) and "left: " in repr(result) and "receipt: " in repr(result)
    assert "<svg" in result._repr_html_() and "Oslo" in result._repr_html_()


def test_an_answer_says_what_protects_it():
    asked = session()
    result = asked.sql("SELECT city, count(*) AS n, sum(age) AS age FROM data GROUP BY city", epsilon=2, delta=1e-6)
    assert result.fresh and result.cost["epsilon"] <= 2 and result.receipt
    assert result.delta == pytest.approx(1e-6) and result.epsilon.upper <= 2
    assert result.guarantee.neighbours == "add-remove"
    again = result.guarantee.mechanism.epsilon(delta=1e-6)
    assert again.upper <= 2.0001 and again.upper >= result.epsilon.lower
    assert result.remaining == asked.budget.remaining == result.budget.remaining
    assert "mechanism: " in result.explain().text
    assert any("leave out" in note for note in result.notes)


def test_the_same_question_is_free():
    asked = session()
    first = asked.sql(BY_CITY, epsilon=1)
    spent = asked.budget.spent
    again = asked.sql("select CITY, COUNT(*) as n from DATA group by city order by city", epsilon=1)
    assert not again.fresh and again.receipt == first.receipt and asked.budget.spent == spent
    assert again.rows() == first.rows()
    assert len(asked.history()) == 1 and asked.history()[0]["answered"]
    assert session().sql(BY_CITY, epsilon=1).fresh, "another session asks anew"


def test_several_statements_give_several_tables():
    result = session().sql("SELECT count(*) AS n FROM data; SELECT avg(age) AS a FROM data", epsilon=2)
    assert [table.columns for table in result.tables] == [["n"], ["a"]]
    with pytest.raises(tg.InvalidInput, match="2 tables"):
        result.to_arrow()
    assert len(result.tables[0].to_arrow()) == 1 and "n" in str(result)


def test_explaining_spends_nothing():
    asked = session()
    said = asked.explain(BY_CITY, epsilon=1)
    assert said.cost["epsilon"] == near(1) and not said.stored and said.left["epsilon"] == near(9)
    assert str(said).startswith(BY_CITY) and "unit: " in str(said) and "<pre>" in said._repr_html_()
    assert asked.budget.spent["epsilon"] == 0 and asked.history() == []
    asked.sql(BY_CITY, epsilon=1)
    assert asked.explain(BY_CITY, epsilon=1).stored


def test_explaining_does_not_depend_on_rows():
    def explained(rows):
        frame = arrow().slice(0, rows)
        return session(frame).explain("SELECT city, sum(age) AS a FROM data WHERE age > 3 GROUP BY city", epsilon=1).text

    assert explained(0) == explained(1) == explained(ROWS)


def test_the_options_of_the_command():
    asked = session()
    one = asked.sql(BY_CITY, error={"n": 40}, delta=1e-7)
    low, high = one.interval("n")[0]
    assert (high - low) / 2 <= 41
    assert asked.sql(BY_CITY, error="n: 40 @95%", delta=1e-7).receipt == one.receipt
    assert asked.sql(BY_CITY, error={"n": (80, 0.5)}, delta=1e-7).fresh
    two = asked.sql(BY_CITY, epsilon=1, noise="laplace", confidence=0.5, weights={"n": 2})
    assert two.confidence == 0.5 and "laplace" in two.guarantee.spec
    assert all(n >= 0 for n in asked.sql(BY_CITY, epsilon="1/7", non_negative=True).to_dict()["n"])
    for currency, price in ({"zcdp": 1}, {"rho": 0.1}), ({"gdp": 1}, {"mu": 0.2}):
        paid = session(budget=tg.Budget(**currency))
        assert paid.sql(BY_CITY, **price).fresh and len(paid.history()) == 1


def test_several_tables_and_public_ones():
    people = {"user_id": list(range(1000)), "born": [1950 + i % 50 for i in range(1000)]}
    cities = pl.DataFrame({"city": ["Oslo", "Bergen"], "region": ["east", "west"]})
    asked = tg.Session(
        {"visits": arrow(), "people": people},
        public={"cities": cities},
        unit="user_id",
        budget=(10, 1e-5),
        keys={"visits.city": ["Oslo", "Bergen"], "region": ["east", "west"]},
        bounds={"born": (1900, 2020)},
        max_groups=2,
        max_rows=4,
    )
    assert {name: t["unit"] for name, t in asked.tables.items()} == {
        "visits": "user_id", "people": "user_id", "cities": "public",
    }
    joined = "SELECT c.region, count(*) AS n FROM visits v JOIN cities c ON v.city = c.city GROUP BY c.region"
    assert {row["region"] for row in asked.sql(joined, epsilon=2)} == {"east", "west"}
    units = "SELECT count(*) AS n FROM visits v JOIN people p ON v.user_id = p.user_id WHERE p.born > 1960"
    assert asked.sql(units, epsilon=2).fresh
    exact = asked.sql("SELECT count(*) AS n FROM cities", epsilon=1)
    assert exact.rows() == [{"n": 2}] and exact.cost == {} and exact.guarantee is None


def test_rows_as_units_and_dates():
    days = [datetime.date(2026, 1, 1 + i % 2) for i in range(100)]
    asked = tg.Session(
        pa.table({"day": days}), unit=tg.ROW, budget=5, keys={"day": [datetime.date(2026, 1, 1), datetime.date(2026, 1, 2)]}
    )
    rows = asked.sql("SELECT day, count(*) AS n FROM data GROUP BY day", epsilon=2).rows()
    assert [row["day"] for row in rows] == [datetime.date(2026, 1, 1), datetime.date(2026, 1, 2)]
    assert repr(tg.ROW) == "throng.ROW" and "day" in asked._repr_html_() and repr(asked) == "<Session data>"


# Budgets.


def test_the_budget_is_the_limit():
    asked = session(budget=(1, 1e-6))
    asked.sql(BY_CITY, epsilon=0.75)
    with pytest.raises(tg.BudgetExhausted, match="the budget does not cover this: .* asked, .* left"):
        asked.sql("SELECT count(*) AS n FROM data", epsilon=0.5)
    assert asked.budget.remaining["epsilon"] == near(0.25) and len(asked.history()) == 1
    assert asked.sql(BY_CITY, epsilon=0.75).fresh is False


def test_a_budget_is_shared():
    budget = tg.Budget(1, 1e-6)
    one, other = session(budget=budget), session(budget=budget)
    one.sql(BY_CITY, epsilon=0.5)
    budget.charge(tg.laplace(scale=4))
    assert one.budget is budget and budget.remaining["epsilon"] == near(0.25)
    with pytest.raises(tg.BudgetExhausted):
        other.sql(BY_CITY, epsilon=0.5)
    with tg.Budget(2) as inside:
        assert session(budget=None).budget is inside


def test_one_budget_protects_one_kind_of_unit(tmp_path):
    for budget in (tg.Budget(1), tg.Budget(1, 1e-6, ledger=tmp_path / "a.ledger")):
        session(budget=budget)
        session(budget=budget)
        with pytest.raises(tg.Refused, match="protects unit user_id, and this unit row"):
            session(budget=budget, unit=tg.ROW, max_groups=None, max_rows=None)
    again = tg.Budget(ledger=tmp_path / "a.ledger")
    with pytest.raises(tg.Refused, match="protects unit user_id"):
        session(budget=again, unit=tg.ROW, max_groups=None, max_rows=None)


def test_a_ledger_outlives_the_session(tmp_path):
    place = tmp_path / "team.ledger"
    first = session(budget=(2, 1e-6), ledger=place)
    first.sql(BY_CITY, epsilon=1)
    assert place.exists() and first.budget.ledger == str(place)
    again = session(budget=None, ledger=place)
    assert again.budget.remaining["epsilon"] == near(1) and len(again.history()) == 1
    assert again.sql(BY_CITY, epsilon=1).fresh, "rows in memory have no version: nothing says they are the same"
    with pytest.raises(tg.BudgetExhausted):
        again.sql("SELECT count(*) AS n FROM data", epsilon=0.5)


# What goes wrong.


@pytest.mark.parametrize(
    ("said", "part"),
    [
        ({"unit": None}, "it is not said who is protected"),
        ({"unit": ""}, "it is not said who is protected"),
        ({"unit": {"data": None}}, "it is not said who is protected"),
        ({"unit": {"dta": "user_id"}}, "there is no private table dta"),
        ({"unit": "user"}, "table data has no column user\nhint: did you mean user_id?"),
        ({"unit": "age"}, "cannot name units"),
        ({"budget": None}, "it is not said what may be spent"),
        ({"budget": -1}, "at least 0"),
        ({"budget": "many"}, "is not a finite number"),
        ({"bounds": {"agee": (0, 1)}}, "no table has a column agee\nhint: did you mean age?"),
        ({"bounds": {"age": (1, 1)}}, "the lower bound of age must be below the upper one"),
        ({"bounds": {"age": 5}}, "the bounds of age are not a pair"),
        ({"bounds": {"age": (0, float("inf"))}}, "is not a finite number"),
        ({"bounds": {"city": (0, 1)}}, "column city has bounds but is Utf8"),
        ({"keys": {"city": "Oslo"}}, "the keys of city are not a list"),
        ({"keys": {"city": ["Oslo", "Oslo"]}}, "each once"),
        ({"keys": {"city": [1]}}, "the key 1 of city is not of type Utf8"),
        ({"keys": {"city": [object()]}}, "not a value that a column can have"),
        ({"max_rows": 0}, "at least 1"),
        ({"max_rows": "many"}, "at least 1"),
        ({"max_groups": True}, "at least 1"),
        ({"neighbours": "nobody"}, "nobody"),
        ({"public": {"DATA": pa.table({"x": [1]})}}, "not in lower case"),
    ],
)
def test_wrong_sessions_say_why(said, part):
    with pytest.raises(tg.InvalidInput) as caught:
        session(**said)
    assert part in str(caught.value)


@pytest.mark.parametrize(
    ("sql", "options", "kind", "part"),
    [
        ("SELECT * FROM data", {"epsilon": 1}, tg.Refused, ""),
        ("SELECT user_id FROM data LIMIT 5", {"epsilon": 1}, tg.Refused, ""),
        ("SELECT max(city) FROM data", {"epsilon": 1}, tg.ThrongError, ""),
        ("DROP TABLE data", {"epsilon": 1}, tg.ThrongError, ""),
        ("COPY data TO 'x.csv'", {"epsilon": 1}, tg.ThrongError, ""),
        ("SELECT count(*) FROM '/etc/passwd'", {"epsilon": 1}, tg.ThrongError, ""),
        ("SELECT count(*) FROM dta", {"epsilon": 1}, tg.ThrongError, "dta"),
        ("SELECT sum(agee) FROM data", {"epsilon": 1}, tg.ThrongError, "agee"),
        ("SELECT count(*) FROM data WHERE random() < 0.5", {"epsilon": 1}, tg.ThrongError, ""),
        ("SELEC count(*)", {"epsilon": 1}, tg.ThrongError, ""),
        ("", {"epsilon": 1}, tg.ThrongError, ""),
        (None, {"epsilon": 1}, tg.InvalidInput, "the question is not text"),
        ("SELECT count(*) FROM data", {}, tg.InvalidInput, "the cost of the query is not stated"),
        ("SELECT count(*) FROM data", {"epsilon": -1}, tg.InvalidInput, "invalid value '-1' for 'epsilon': must be above 0"),
        ("SELECT count(*) FROM data", {"epsilon": float("nan")}, tg.InvalidInput, "nan is not a finite number"),
        ("SELECT count(*) FROM data", {"epsilon": True}, tg.InvalidInput, "not a finite number"),
        ("SELECT count(*) FROM data", {"epsilon": 1, "delta": 2}, tg.InvalidInput, "above 0 and below 1"),
        ("SELECT count(*) FROM data", {"epsilon": 1, "mu": 1}, tg.InvalidInput, "said in two ways"),
        ("SELECT count(*) FROM data", {"delta": 1e-6}, tg.InvalidInput, "--delta needs --epsilon"),
        ("SELECT count(*) AS n FROM data", {"error": {"m": 5}}, tg.InvalidInput, "called `m`"),
        ("SELECT count(*) AS n FROM data", {"error": "n"}, tg.InvalidInput, "must be like"),
        ("SELECT count(*) AS n FROM data", {"error": 5}, tg.InvalidInput, "which column"),
        ("SELECT count(*) AS n FROM data", {"epsilon": 1, "noise": "white"}, tg.InvalidInput, "laplace"),
        ("SELECT count(*) AS n FROM data", {"epsilon": 1, "weights": {"n": 0}}, tg.InvalidInput, "weight"),
    ],
)
def test_wrong_questions_say_why_and_cost_nothing(sql, options, kind, part):
    asked = session()
    with pytest.raises(kind) as caught:
        asked.sql(sql, **options)
    assert part in str(caught.value)
    with pytest.raises(kind):
        asked.explain(sql, **options)
    assert asked.budget.spent["epsilon"] == 0 and asked.history() == []


SECRET = "a-secret-value"


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"user_id": [1, 2], "city": pd.Series([SECRET, 5], dtype=object)}),
        pd.DataFrame({"user_id": [1, 2], "city": pd.Series([SECRET, [1]], dtype=object)}),
        {"user_id": [1, 2], "city": [SECRET, 5]},
        {"user_id": [1, 2], "city": [SECRET, b"x"]},
        {"user_id": [1], "city": [SECRET, SECRET]},
        {"user_id": [1, 2], "city": SECRET},
        [SECRET],
        SECRET,
        pl.DataFrame({"user_id": [1], "city": [SECRET]}).lazy(),
        pl.DataFrame({"user_id": [1], "city": [SECRET]})["city"],
        pa.chunked_array([[SECRET]]),
        {},
        pa.table({}),
    ],
)
def test_frames_that_cannot_be_read_do_not_tell_values(frame):
    with pytest.raises(tg.InvalidInput) as caught:
        tg.Session(frame, unit="user_id", budget=1)
    error = caught.value
    assert SECRET not in str(error) and error.__context__ is None and error.__cause__ is None


@pytest.mark.parametrize("rows", [0, 1])
def test_tables_of_nobody_and_of_one_are_answered(rows):
    empty = arrow().slice(0, rows)
    for frame in (empty, empty.to_pandas(), pl.DataFrame(empty)):
        row = session(frame).sql("SELECT count(*) AS n, avg(age) AS a FROM data", epsilon=1).rows()[0]
        assert abs(row["n"]) < 1000


def test_whatever_is_in_the_rows_is_answered():
    strange = {
        "user_id": [None, 1, 2, 2**62, -5],
        "city": ["", None, "Oslo", "\x00", "🦀"],
        "age": [float("nan"), None, float("inf"), -float("inf"), 1e308],
    }
    frames = [strange, pl.DataFrame(strange, strict=False), pa.table(strange), pa.table(strange).to_pandas()]
    for frame in frames:
        options = {"unit": "user_id", "bounds": {"age": (0, 100)}}
        if isinstance(frame, pd.DataFrame):
            frame["user_id"] = pa.table(strange)["user_id"].to_pandas(types_mapper=pd.ArrowDtype)
        rows = session(frame, **options).sql(
            "SELECT city, count(*) AS n, sum(age) AS a, median(age) AS m FROM data GROUP BY city", epsilon=3
        ).rows()
        assert len(rows) == 2


WORDS = ["SELECT", "count(*)", "sum(age)", "FROM", "data", "WHERE", "GROUP BY", "city", "user_id", ",", "(", ")",
         "'", '"', ";", "--", "1", "/", "0", "OVER", "UNION", "ALL", "LIMIT", "JOIN", "ON", "=", "\x00", "é"]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join) | st.text(max_size=40))
def test_hostile_sql_is_answered_or_refused(text):
    asked = hostile()
    try:
        asked.explain(text, epsilon=1)
    except tg.InternalError:
        raise
    except tg.ThrongError as error:
        assert "Oslo" not in str(error) or "Oslo" in text


def hostile(kept=[]):
    if not kept:
        kept.append(session())
    return kept[0]


# Nothing is copied.


def test_large_columns_are_shared_and_not_copied():
    many = 10_000_000
    x = np.arange(many, dtype=np.int64)
    users = x // 4
    def grown():
        with open("/proc/self/statm") as statm:
            return int(statm.read().split()[1]) * resource.getpagesize()
    frames = {
        "arrow": pa.table({"user_id": pa.array(users), "x": pa.array(x)}),
        "pandas": pd.DataFrame({"user_id": users, "x": x}, copy=False),
        "polars": pl.DataFrame({"user_id": users, "x": x}),
    }
    for name, frame in frames.items():
        before = grown()
        asked = tg.Session(frame, unit="user_id", budget=1, bounds={"x": (0, many)}, max_groups=1, max_rows=4)
        assert grown() - before < 8 * many // 2, name
        del asked


def test_what_is_shared_is_the_memory_of_the_frame():
    x = np.zeros(20_000, dtype=np.int64)
    frame = pa.table({"x": pa.array(x)})
    asked = tg.Session(frame, unit=tg.ROW, budget=10, bounds={"x": (0, 1)})
    before = asked.sql("SELECT sum(x) AS x FROM data", epsilon=2).rows()[0]["x"]
    x[:] = 1
    after = asked.sql("SELECT sum(x) AS x FROM data WHERE x >= 0", epsilon=2).rows()[0]["x"]
    assert abs(before) < 500 and abs(after - 20_000) < 500


# Ctrl-C, processes and policies.


@pytest.mark.skipif(not hasattr(signal, "SIGINT") or os.name == "nt", reason="signals")
def test_ctrl_c_stops_a_question_and_the_charge_stays():
    script = textwrap.dedent(
        """
        import os, signal, sys, threading, time
        import numpy as np, pyarrow as pa
        import throng as tg
        many = 20_000_000
        x = np.arange(many, dtype=np.int64)
        frame = pa.table({"user_id": pa.array(x), "x": pa.array(x)})
        session = tg.Session(frame, unit="user_id", budget=(10, 1e-5), bounds={"x": (0, many)}, max_groups=1, max_rows=1)
        sent = []
        def interrupt():
            while not session.history():
                time.sleep(0.01)
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)
        threading.Thread(target=interrupt, daemon=True).start()
        try:
            session.sql("SELECT count(DISTINCT x) AS n FROM data WHERE x % 7 < 6", epsilon=1)
        except KeyboardInterrupt:
            took = time.monotonic() - sent[0]
            assert 0.99 < session.budget.spent["epsilon"] <= 1.0, session.budget
            assert [line["answered"] for line in session.history()] == [False]
            print("stopped after", took)
            sys.exit(0 if took < 5 else 3)
        sys.exit(4)
        """
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr[-2000:])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="fork")
def test_a_session_is_of_one_process():
    asked = session()
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            asked.sql(BY_CITY, epsilon=1)
            said = b"answered"
        except BaseException as error:  # noqa: BLE001
            said = str(error).encode()
        os.write(write, said[:500])
        os._exit(0)
    os.close(write)
    said = os.read(read, 1000).decode()
    os.close(read)
    os.waitpid(child, 0)
    assert "opened by another process" in said


POLICY = """
[budget]
epsilon = 3
delta = 1e-6
[budget.analysts]
ann = { epsilon = 1, delta = 1e-7 }
[query]
epsilon = 0.5
delta = 1e-8
[tables.visits]
path = "visits.csv"
unit = "user_id"
max_groups = 2
max_rows = 4
[tables.visits.columns]
user_id = { type = "integer" }
city = { keys = ["Oslo", "Bergen"] }
age = { type = "number", lower = 0, upper = 100 }
"""
QUESTION = "SELECT city, count(*) AS n FROM visits GROUP BY city"


@pytest.fixture
def project(tmp_path):
    (tmp_path / "throng.toml").write_text(POLICY)
    pd.DataFrame(COLUMNS).to_csv(tmp_path / "visits.csv", index=False)
    return tmp_path


def test_a_policy_is_connected_to(project, monkeypatch):
    asked = tg.connect(project / "throng.toml")
    said = asked.explain(QUESTION)
    assert said.cost["epsilon"] == near(0.5) and not (project / "throng.ledger").exists()
    result = asked.sql(QUESTION)
    assert result.fresh and result.cost["epsilon"] == near(0.5)
    assert (project / "throng.ledger").exists() and asked.budget.ledger == str(project / "throng.ledger")
    assert asked.explain(QUESTION).stored
    # Another connection, and the command, find the stored answer.
    monkeypatch.chdir(project)
    assert tg.connect().sql(QUESTION).receipt == result.receipt
    assert not tg.connect(project).sql(QUESTION).fresh
    assert asked.tables == {"visits": {"unit": "visits.user_id", "columns": {"user_id": "Int64", "city": "Utf8", "age": "Float64"}}}
    asked.sql("SELECT avg(age) AS a FROM visits", epsilon=1, analyst="ann")
    assert asked.remaining("ann")["epsilon"] < 1e-3 and asked.remaining()["epsilon"] == near(1.5)
    with pytest.raises(tg.BudgetExhausted, match='the quota of "ann"'):
        asked.sql("SELECT sum(age) AS a FROM visits", epsilon=0.5, analyst="ann")
    assert [line["analyst"] for line in asked.history()] == ["ann", None]
    assert len(asked.history(1)) == 1 and asked.history(analyst="bob") == []


def test_changed_files_are_new_data(project):
    asked = tg.connect(project)
    first = asked.sql(QUESTION)
    time.sleep(0.01)
    pd.DataFrame(COLUMNS).iloc[:100].to_csv(project / "visits.csv", index=False)
    again = asked.sql(QUESTION)
    assert again.fresh and again.receipt != first.receipt


def test_policies_that_cannot_be_opened_say_why(tmp_path):
    with pytest.raises(tg.InvalidInput, match="throng init"):
        tg.connect(tmp_path / "none.toml")
    (tmp_path / "throng.toml").write_text(POLICY.replace("epsilon = 3", "epsilom = 3"))
    with pytest.raises(tg.InvalidInput, match=r"throng.toml:3:1: unknown field epsilom"):
        tg.connect(tmp_path)
