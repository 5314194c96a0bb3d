"""The package as it is installed."""

from __future__ import annotations

import importlib.metadata
import importlib.resources
import subprocess
import sys
import sysconfig
from pathlib import Path

import throng as tg


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_versions_agree():
    assert importlib.metadata.version("throng") == tg.__version__


def test_types_are_shipped():
    package = importlib.resources.files("throng")
    assert package.joinpath("py.typed").is_file() and package.joinpath("_native.pyi").is_file()


def test_the_command_is_installed():
    throng = Path(sysconfig.get_path("scripts")) / "throng"
    said = subprocess.run([throng, "--version"], capture_output=True, text=True, check=True).stdout
    assert tg.__version__ in said
    wrong = subprocess.run([throng, "acount"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2 and "hint" in wrong.stderr
    module = subprocess.run(
        [sys.executable, "-m", "throng", "account", "pure(eps=1)"], capture_output=True, text=True, check=True
    )
    assert "pure(eps=1)" in module.stdout


def test_nothing_but_python_is_needed_to_account():
    """Importing Throng reads neither numpy nor anything else that takes long."""
    heavy = ["numpy", "pandas", "polars", "pyarrow", "sklearn", "matplotlib"]
    code = (
        "import sys\n"
        f"for name in {heavy}: sys.modules[name] = None\n"
        "import throng as tg\n"
        "assert tg.gaussian(sigma=1).epsilon(1e-5).upper < 5\n"
    )
    assert run(code).returncode == 0, run(code).stderr


def test_what_is_missing_is_said_with_how_to_get_it():
    code = "import sys; sys.modules['matplotlib'] = None; import throng; throng.pure(eps=1).plot()"
    assert "pip install 'throng[plot]'" in run(code).stderr
    code = "import sys; sys.modules['sklearn'] = None; import throng.learn"
    assert "pip install 'throng[learn]'" in run(code).stderr


def test_everything_that_is_exported_is_there_and_documented():
    for name in tg.__all__:
        assert (getattr(tg, name).__doc__ or "").strip(), name
    assert set(tg.__all__) <= set(dir(tg))
    try:
        tg.nothing
    except AttributeError as error:
        assert "nothing" in str(error)
    else:
        raise AssertionError
