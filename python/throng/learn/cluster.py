"""Groups."""

from __future__ import annotations

from typing import Any

from throng._budget import Budget
from throng._number import Number
from throng.learn._base import Bounds, PrivateClusterer, Progress
from throng.learn._words import documented


@documented
class KMeans(PrivateClusterer):
    """K-means: a start on a private sketch, then noisy steps.

    The groups of the fitted rows and their distances are not published: there is no ``labels_`` and
    no ``inertia_``; :meth:`predict` tells the group of a row.

    Parameters
    ----------
    {shared}
    n_clusters : int
        How many clusters.
    max_iter : int
        How many steps on the data follow the start.
    n_init : int
        How many starts are tried on the sketch, or on each block; they cost nothing.
    method : {"sketch", "sample-and-aggregate"}
        How centres are found.
    levels, cuts : int
        How often the space is cut for the sketch, and in how many directions each time.
    reach, radius : float
        How far from the middle rows may be in the moments, as a fraction of the largest distance;
        how far from its centre a point counts, in root mean squared distances.
    share_of_moments, share_of_sketch : float
        The shares of the privacy that moments and sketch take.
    blocks : int
        How many blocks there are, if there are blocks.

    Attributes
    ----------
    cluster_centers_ : array of shape (n_clusters, features)
    n_iter_ : int
    guarantee_ : Guarantee
    """

    _kind = "k-means"

    def __init__(
        self,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        bounds: Bounds = None,
        bounds_share: float = 0.1,
        n_clusters: int = 8,
        max_iter: int = 3,
        n_init: int = 16,
        method: str = "sketch",
        levels: int = 6,
        cuts: int = 2,
        reach: float = 0.5,
        radius: float = 1.5,
        share_of_moments: float = 0.1,
        share_of_sketch: float = 0.4,
        blocks: int = 50,
        neighbours: str = "add-remove",
        budget: Budget | None = None,
        progress: Progress | None = None,
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.bounds = bounds
        self.bounds_share = bounds_share
        self.n_clusters = n_clusters
        self.max_iter = max_iter
        self.n_init = n_init
        self.method = method
        self.levels = levels
        self.cuts = cuts
        self.reach = reach
        self.radius = radius
        self.share_of_moments = share_of_moments
        self.share_of_sketch = share_of_sketch
        self.blocks = blocks
        self.neighbours = neighbours
        self.budget = budget
        self.progress = progress
        self.random_state = random_state

    def _options(self) -> dict[str, Any]:
        return {
            "clusters": self.n_clusters,
            "steps": self.max_iter,
            "starts": self.n_init,
            "method": self.method,
            "levels": self.levels,
            "cuts": self.cuts,
            "reach": self.reach,
            "radius": self.radius,
            "share_of_moments": self.share_of_moments,
            "share_of_sketch": self.share_of_sketch,
            "blocks": self.blocks,
        }

    def _finish(self) -> None:
        self.n_iter_ = max(1, self.max_iter)
