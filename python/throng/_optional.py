"""Packages that Throng works with, but does not need."""

from __future__ import annotations

import importlib
from typing import Any

#: Which extra brings a package.
_EXTRAS = {"numpy": "arrays", "sklearn": "learn", "matplotlib": "plot"}


def needed(name: str) -> Any:
    """The module of that name, or an error that says how to get it."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        top = name.partition(".")[0]
        if error.name is not None and error.name.partition(".")[0] != top:
            raise
        extra = _EXTRAS.get(top, "all")
        raise ModuleNotFoundError(
            f"this needs {top}, which is not installed\nhint: pip install 'throng[{extra}]'",
            name=top,
        ) from None
