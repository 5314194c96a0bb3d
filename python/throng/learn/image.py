"""Images."""

from __future__ import annotations

from typing import Any

from throng._budget import Budget
from throng._number import Number
from throng.learn._base import Bounds, Progress, WithChances
from throng.learn._words import documented


@documented
class ImageClassifier(WithChances):
    """Images, by fixed wavelet features and a private linear classifier.

    The columns are the pixels, row by row, with the channels of a pixel side by side; all have the
    same bounds.

    Parameters
    ----------
    {classes}
    height, width, channels : int
        The shape of an image.
    epochs : int
        How often each record takes part.
    batches : int
        How many steps an epoch has.
    band : int
        At most so many bands of correlated noise; 1 is independent noise.
    clip : float
        The longest contribution of a record, in units of a typical record's length times that of its
        residual.
    learning_rate_init : float
        The size of a step.
    momentum : float
        How much of a step is repeated in the next.
    decay : float
        Which part of the rate the last step lacks.
    whitening : float
        How far variances of features are made equal: 0 not at all, 1/2 all the way.
    floor : float
        Variances below this part of the mean are not told apart.
    moments : int
        How many thousandths of the privacy buy the moments that whitening needs.

    Attributes
    ----------
    classes_ : array
    guarantee_ : Guarantee
    """

    _kind = "image-classifier"
    _one_hot = False

    def __init__(
        self,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        bounds: Bounds = None,
        bounds_share: float = 0.1,
        classes: Any = None,
        height: int | None = None,
        width: int | None = None,
        channels: int = 1,
        epochs: int = 40,
        batches: int = 1,
        band: int = 1,
        clip: float = 0.1,
        learning_rate_init: float = 300.0,
        momentum: float = 0.9,
        decay: float = 0.0,
        whitening: float = 0.25,
        floor: float = 0.05,
        moments: int = 80,
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
        self.height = height
        self.width = width
        self.channels = channels
        self.epochs = epochs
        self.batches = batches
        self.band = band
        self.clip = clip
        self.learning_rate_init = learning_rate_init
        self.momentum = momentum
        self.decay = decay
        self.whitening = whitening
        self.floor = floor
        self.moments = moments
        self.neighbours = neighbours
        self.budget = budget
        self.progress = progress
        self.random_state = random_state

    def _options(self) -> dict[str, Any]:
        return {
            "height": self.height,
            "width": self.width,
            "channels": self.channels,
            "epochs": self.epochs,
            "batches": self.batches,
            "band": self.band,
            "clip": self.clip,
            "rate": self.learning_rate_init,
            "momentum": self.momentum,
            "decay": self.decay,
            "whitening": self.whitening,
            "floor": self.floor,
            "moments": self.moments,
        }
