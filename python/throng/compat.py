"""The calls that users of Opacus and dp-accounting know, answered by Throng's accountant.

``Accountant`` takes the place of an accountant of Opacus: ``step(noise_multiplier=..., sample_rate=...)``,
``get_epsilon(delta)``. ``PLDAccountant`` with its events takes the place of dp-accounting's; events of
dp-accounting itself are understood as well. All numbers are promises: the upper ends of certified brackets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from throng._bracket import Bracket
from throng._errors import InvalidInput, Refused
from throng._mechanism import Mechanism, calibrate
from throng._number import Number
from throng._words import gaussian, laplace

__all__ = [
    "Accountant",
    "ComposedDpEvent",
    "GaussianDpEvent",
    "LaplaceDpEvent",
    "NoOpDpEvent",
    "PLDAccountant",
    "PoissonSampledDpEvent",
    "SelfComposedDpEvent",
    "calibrate_dp_mechanism",
    "get_noise_multiplier",
]


class Accountant:
    """An accountant with the interface of Opacus' accountants.

    Examples
    --------
    >>> from throng.compat import Accountant
    >>> accountant = Accountant()
    >>> for _ in range(3):
    ...     accountant.step(noise_multiplier=0.8, sample_rate=0.01)
    >>> round(accountant.get_epsilon(delta=1e-5), 3)
    0.667

    In Opacus: ``privacy_engine.accountant = Accountant()``.
    """

    def __init__(self, neighbours: str = "add-remove") -> None:
        self._neighbours = neighbours
        #: (noise multiplier, sample rate, steps), as Opacus keeps them.
        self.history: list[tuple[float, float, int]] = []

    def step(self, *, noise_multiplier: float, sample_rate: float) -> None:
        """Take note of one step of training."""
        if self.history:
            noise, rate, steps = self.history[-1]
            if (noise, rate) == (noise_multiplier, sample_rate):
                self.history[-1] = (noise, rate, steps + 1)
                return
        # Fail at the step that is wrong, not when epsilon is asked for.
        _step(noise_multiplier, sample_rate)
        self.history.append((noise_multiplier, sample_rate, 1))

    def as_mechanism(self) -> Mechanism | None:
        """All steps so far as one mechanism; None before the first."""
        if not self.history:
            return None
        parts = (steps * _step(noise, rate) for noise, rate, steps in self.history)
        return _sum(parts).under(self._neighbours)

    def get_epsilon(self, delta: Number, **_: Any) -> float:
        """Epsilon at a delta, for all steps so far; a certified upper bound.

        Options of Opacus' accountants, such as ``alphas`` or ``eps_error``, are not needed.
        """
        return self.bracket(delta).upper

    def bracket(self, delta: Number) -> Bracket:
        """The same, from both sides."""
        mechanism = self.as_mechanism()
        return Bracket(0.0, 0.0) if mechanism is None else mechanism.epsilon(delta)

    def __len__(self) -> int:
        return sum(steps for _, _, steps in self.history)

    @classmethod
    def mechanism(cls) -> str:
        """The name of the accountant, as Opacus asks for it."""
        return "throng"

    def get_optimizer_hook_fn(self, sample_rate: float) -> Callable[[Any], None]:
        """The hook that Opacus calls after each step of an optimiser."""

        def hook(optimizer: Any) -> None:
            # Several batches may be accumulated into one step.
            steps = getattr(optimizer, "accumulated_iterations", 1)
            self.step(
                noise_multiplier=optimizer.noise_multiplier, sample_rate=sample_rate * steps
            )

        return hook

    def state_dict(self, destination: dict[str, Any] | None = None) -> dict[str, Any]:
        """What a checkpoint keeps."""
        state = {} if destination is None else destination
        state["history"] = list(self.history)
        state["mechanism"] = self.mechanism()
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """What a checkpoint kept; histories of Opacus' own accountants are read too."""
        history = state_dict.get("history")
        if history is None:
            raise InvalidInput("there is no history in this state", "give what state_dict() wrote")
        self.history = [(float(noise), float(rate), int(n)) for noise, rate, n in history]


def _step(noise_multiplier: Number, sample_rate: Number) -> Mechanism:
    mechanism = gaussian(sigma=noise_multiplier)
    return mechanism if sample_rate == 1 else mechanism.sampled(rate=sample_rate)


def _sum(parts: Iterable[Mechanism]) -> Mechanism:
    first, *rest = parts
    for part in rest:
        first = first + part
    return first


def get_noise_multiplier(
    *,
    target_epsilon: Number,
    target_delta: Number,
    sample_rate: Number,
    epochs: int | None = None,
    steps: int | None = None,
    **_: Any,
) -> float:
    """The smallest noise multiplier for a target, as ``opacus.accountants.utils`` has it.

    Examples
    --------
    >>> from throng.compat import get_noise_multiplier
    >>> get_noise_multiplier(target_epsilon=1, target_delta=1e-6, sample_rate="256/60000", steps=14062)
    2.264309
    """
    if (epochs is None) == (steps is None):
        raise InvalidInput("how long to train is not said, or said twice", "give steps or epochs")
    if steps is None:
        steps = int(epochs / float(sample_rate))  # type: ignore[operator]  # one of them is given
    found = calibrate(
        lambda sigma: steps * _step(sigma, sample_rate), epsilon=target_epsilon, delta=target_delta
    )
    return found.value


@dataclass(frozen=True)
class NoOpDpEvent:
    """Nothing happens."""


@dataclass(frozen=True)
class GaussianDpEvent:
    """Normal noise."""

    noise_multiplier: float


@dataclass(frozen=True)
class LaplaceDpEvent:
    """Laplace noise."""

    noise_multiplier: float


@dataclass(frozen=True)
class PoissonSampledDpEvent:
    """An event on a sample that holds each unit with a chance."""

    sampling_probability: float
    event: Any


@dataclass(frozen=True)
class SelfComposedDpEvent:
    """An event several times."""

    event: Any
    count: int


@dataclass(frozen=True)
class ComposedDpEvent:
    """Events on the same data."""

    events: list[Any]


def event_as_mechanism(event: Any) -> Mechanism | None:
    """The mechanism that an event describes, ours or dp-accounting's; None for no event.

    A field of an event that this does not know would change its meaning: events are taken by the name
    of their class, and everything else is refused.
    """
    name = type(event).__name__
    if name == "NoOpDpEvent":
        return None
    if name == "GaussianDpEvent":
        return gaussian(sigma=event.noise_multiplier)
    if name == "LaplaceDpEvent":
        return laplace(scale=event.noise_multiplier)
    if name == "PoissonSampledDpEvent":
        inner = event_as_mechanism(event.event)
        return None if inner is None else inner.sampled(rate=event.sampling_probability)
    if name == "SelfComposedDpEvent":
        inner = event_as_mechanism(event.event)
        return None if inner is None or event.count == 0 else event.count * inner
    if name == "ComposedDpEvent":
        parts = [part for part in map(event_as_mechanism, event.events) if part is not None]
        return _sum(parts) if parts else None
    raise Refused(
        f"the event {name} is not understood",
        "write the mechanism as an expression: see throng.spec and `throng help expressions`",
    )


class PLDAccountant:
    """An accountant with the interface of ``dp_accounting.pld.PLDAccountant``.

    Parameters
    ----------
    neighboring_relation : optional
        ``"add-remove"`` (the default) or what dp-accounting calls ``ADD_OR_REMOVE_ONE``. Its other
        relations mean different things for different events there, and are refused here.

    Examples
    --------
    >>> from throng.compat import GaussianDpEvent, PLDAccountant, PoissonSampledDpEvent
    >>> accountant = PLDAccountant()
    >>> accountant = accountant.compose(PoissonSampledDpEvent(0.01, GaussianDpEvent(1.0)), 1000)
    >>> round(accountant.get_epsilon(target_delta=1e-6), 4)
    2.1245
    """

    def __init__(self, neighboring_relation: Any = None, **_: Any) -> None:
        name = getattr(neighboring_relation, "name", neighboring_relation)
        if name not in (None, "add-remove", "ADD_OR_REMOVE_ONE"):
            raise Refused(
                f"the relation {name} has more than one meaning in dp-accounting",
                "use Mechanism.under('replace'), whose meaning is stated",
            )
        self._mechanism: Mechanism | None = None

    def compose(self, event: Any, count: int = 1) -> PLDAccountant:
        """Add an event, `count` times."""
        part = event_as_mechanism(event)
        if part is not None and count > 0:
            part = count * part
            self._mechanism = part if self._mechanism is None else self._mechanism + part
        return self

    @property
    def mechanism(self) -> Mechanism | None:
        """Everything composed so far."""
        return self._mechanism

    def get_epsilon(self, target_delta: Number) -> float:
        """Epsilon at a delta; a certified upper bound."""
        return 0.0 if self._mechanism is None else self._mechanism.epsilon(target_delta).upper

    def get_delta(self, target_epsilon: Number) -> float:
        """Delta at an epsilon; a certified upper bound."""
        return 0.0 if self._mechanism is None else self._mechanism.delta(target_epsilon).upper


def calibrate_dp_mechanism(
    make_fresh_accountant: Callable[[], Any],
    make_event_from_param: Callable[[float], Any],
    target_epsilon: float,
    target_delta: float,
    bracket_interval: Any = None,
    *,
    tol: float = 1e-6,
) -> float:
    """The smallest parameter at which a target holds, as ``dp_accounting.calibrate_dp_mechanism``.

    More of the parameter must protect more, as noise does. The target was checked, by its certified
    bound, at the value returned.

    Examples
    --------
    >>> from throng.compat import GaussianDpEvent, PLDAccountant, calibrate_dp_mechanism
    >>> round(calibrate_dp_mechanism(PLDAccountant, GaussianDpEvent, 1.0, 1e-5), 4)
    3.7306
    """

    def holds(parameter: float) -> bool:
        accountant = make_fresh_accountant().compose(make_event_from_param(parameter))
        return bool(accountant.get_epsilon(target_delta) <= target_epsilon)

    low = float(getattr(bracket_interval, "endpoint_1", 0.0))
    high = float(getattr(bracket_interval, "endpoint_2", 1.0))
    while not holds(high):
        low, high = high, 2 * high
        if high > 1e12:
            raise Refused(
                "no parameter up to 1e12 reaches the target", "ask for a larger epsilon or delta"
            )
    while high - low > tol * max(1.0, high):
        middle = (low + high) / 2
        if holds(middle):
            high = middle
        else:
            low = middle
    return high
