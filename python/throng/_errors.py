"""What can go wrong, as exceptions; the texts are those of the command line."""

from __future__ import annotations

from typing import Any


class ThrongError(Exception):
    """Any failure that Throng tells of.

    Attributes
    ----------
    message : str
        What went wrong. It never contains a row of data.
    hint : str
        What to do about it.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\nhint: {self.hint}" if self.hint else self.message

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message, self.hint)


class InvalidInput(ThrongError, ValueError):
    """An argument is not what it must be; the caller can fix it."""


class Refused(ThrongError):
    """There is no sound answer, or none that can be vouched for."""


class BudgetExhausted(ThrongError):
    """The budget does not cover it; nothing was spent."""


class InternalError(ThrongError, RuntimeError):
    """A bug of Throng's; please report it."""
