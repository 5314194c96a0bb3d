"""Neural networks."""

from __future__ import annotations

from typing import Any

import numpy as np

from throng._budget import Budget
from throng._errors import InvalidInput
from throng._number import Number
from throng.learn._base import Bounds, PrivateRegressor, Progress, WithChances
from throng.learn._words import documented


def _network(of: Any) -> dict[str, Any]:
    """The options of a network."""
    layers = of.layers
    if layers is None:
        layers = []
        for units in np.atleast_1d(of.hidden_layer_sizes).tolist():
            layers += [{"layer": "dense", "units": units}, {"layer": of.activation}]
    optimisers = {
        "sgd": {"sgd": {"momentum": of.momentum}},
        "adam": {"adam": {"beta1": of.beta_1, "beta2": of.beta_2}},
    }
    if of.solver not in optimisers:
        raise InvalidInput(f"solver is {of.solver!r}, but must be 'sgd' or 'adam'", "")
    return {
        "layers": layers,
        "image": of.image,
        "records": of.records,
        "batch": of.batch_size,
        "steps": of.max_iter,
        "clip": of.clip,
        "clipping": of.clipping,
        "noise": of.noise,
        "optimiser": optimisers[of.solver],
        "learning_rate": of.learning_rate_init,
        "schedule": of.learning_rate,
        "warm_up": of.warm_up,
        "averaging": of.averaging,
    }


@documented
class MLPClassifier(WithChances):
    """A neural network by private gradient descent.

    Parameters
    ----------
    {classes}
    hidden_layer_sizes : tuple of int
        The units of each hidden layer.
    activation : {"tanh", "relu"}
        What follows each.
    layers : list of dict, optional
        Instead of both: the layers before the last, such as
        ``[{"layer": "dense", "units": 64}, {"layer": "relu"}]``.
    image : dict, optional
        ``{"height": h, "width": w, "channels": c}`` if a row is an image.
    records : int, optional
        About how many records there are, as declared: the true number is private and is not used.
        Adam without batches does not need it.
    batch_size : int, optional
        How many records a step takes on average; all of them if left out.
    max_iter : int
        How many steps; all of them are taken.
    solver : {"sgd", "adam"}
        How weights follow noisy gradients.
    learning_rate_init : float
        How far a step goes.
    learning_rate : {"linear", "cosine", "constant"}
        How that changes from step to step.
    warm_up : int
        It grows to its value in so many steps.
    momentum, beta_1, beta_2 : float
        How slowly gradients are forgotten, by SGD and by Adam.
    clip : float
        The largest norm of a record's gradient.
    clipping : str or dict
        ``"flat"``, ``"per-layer"`` or ``{"adaptive": {"quantile": 0.5}}``.
    noise : str or dict
        ``"independent"`` (DP-SGD), or ``{"correlated": {"band": 8}}`` (DP-FTRL: no secret sampling).
    averaging : float
        Each step weighs this many times as much as the next in the model; 0 for the last weights alone.

    Attributes
    ----------
    classes_ : array
    n_iter_ : int
    guarantee_ : Guarantee
    """

    _kind = "network"

    def __init__(
        self,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        bounds: Bounds = None,
        bounds_share: float = 0.1,
        classes: Any = None,
        hidden_layer_sizes: Any = (128,),
        activation: str = "tanh",
        layers: list[dict[str, Any]] | None = None,
        image: dict[str, int] | None = None,
        records: int | None = None,
        batch_size: int | None = None,
        max_iter: int = 60,
        solver: str = "sgd",
        learning_rate_init: float = 3.0,
        learning_rate: str = "linear",
        warm_up: int = 0,
        momentum: float = 0.9,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        clip: float = 0.4,
        clipping: str | dict[str, Any] = "flat",
        noise: str | dict[str, Any] = "independent",
        averaging: float = 0.0,
        neighbours: str = "add-remove",
        budget: Budget | None = None,
        progress: Progress | None = None,
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.bounds = bounds
        self.bounds_share = bounds_share
        self.classes = classes
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.layers = layers
        self.image = image
        self.records = records
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.solver = solver
        self.learning_rate_init = learning_rate_init
        self.learning_rate = learning_rate
        self.warm_up = warm_up
        self.momentum = momentum
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.clip = clip
        self.clipping = clipping
        self.noise = noise
        self.averaging = averaging
        self.neighbours = neighbours
        self.budget = budget
        self.progress = progress
        self.random_state = random_state

    def _options(self) -> dict[str, Any]:
        return _network(self)

    def _finish(self) -> None:
        self.n_iter_ = self.max_iter


@documented
class MLPRegressor(PrivateRegressor):
    """A neural network for a number, by private gradient descent.

    Parameters
    ----------
    {label}
    hidden_layer_sizes : tuple of int
        The units of each hidden layer.
    activation : {"tanh", "relu"}
        What follows each.
    layers : list of dict, optional
        Instead of both: the layers before the last, such as
        ``[{"layer": "dense", "units": 64}, {"layer": "relu"}]``.
    image : dict, optional
        ``{"height": h, "width": w, "channels": c}`` if a row is an image.
    records : int, optional
        About how many records there are, as declared: the true number is private and is not used.
        Adam without batches does not need it.
    batch_size : int, optional
        How many records a step takes on average; all of them if left out.
    max_iter : int
        How many steps; all of them are taken.
    solver : {"sgd", "adam"}
        How weights follow noisy gradients.
    learning_rate_init : float
        How far a step goes.
    learning_rate : {"linear", "cosine", "constant"}
        How that changes from step to step.
    warm_up : int
        It grows to its value in so many steps.
    momentum, beta_1, beta_2 : float
        How slowly gradients are forgotten, by SGD and by Adam.
    clip : float
        The largest norm of a record's gradient.
    clipping : str or dict
        ``"flat"``, ``"per-layer"`` or ``{"adaptive": {"quantile": 0.5}}``.
    noise : str or dict
        ``"independent"`` (DP-SGD), or ``{"correlated": {"band": 8}}`` (DP-FTRL: no secret sampling).
    averaging : float
        Each step weighs this many times as much as the next in the model; 0 for the last weights alone.

    Attributes
    ----------
    n_iter_ : int
    guarantee_ : Guarantee
    """

    _kind = "network-regression"

    def __init__(
        self,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        bounds: Bounds = None,
        bounds_share: float = 0.1,
        label_bounds: tuple[float, float] | None = None,
        hidden_layer_sizes: Any = (128,),
        activation: str = "tanh",
        layers: list[dict[str, Any]] | None = None,
        image: dict[str, int] | None = None,
        records: int | None = None,
        batch_size: int | None = None,
        max_iter: int = 60,
        solver: str = "sgd",
        learning_rate_init: float = 3.0,
        learning_rate: str = "linear",
        warm_up: int = 0,
        momentum: float = 0.9,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        clip: float = 0.4,
        clipping: str | dict[str, Any] = "flat",
        noise: str | dict[str, Any] = "independent",
        averaging: float = 0.0,
        neighbours: str = "add-remove",
        budget: Budget | None = None,
        progress: Progress | None = None,
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.bounds = bounds
        self.bounds_share = bounds_share
        self.label_bounds = label_bounds
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.layers = layers
        self.image = image
        self.records = records
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.solver = solver
        self.learning_rate_init = learning_rate_init
        self.learning_rate = learning_rate
        self.warm_up = warm_up
        self.momentum = momentum
        self.beta_1 = beta_1
        self.beta_2 = beta_2
        self.clip = clip
        self.clipping = clipping
        self.noise = noise
        self.averaging = averaging
        self.neighbours = neighbours
        self.budget = budget
        self.progress = progress
        self.random_state = random_state

    def _options(self) -> dict[str, Any]:
        return _network(self)

    def _finish(self) -> None:
        self.n_iter_ = self.max_iter
