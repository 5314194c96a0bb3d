"""Plots with matplotlib, which is read only when something is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from throng._bracket import Bracket
from throng._optional import needed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from throng._mechanism import Curve

AXES = {
    "tradeoff": ("false alarms", "missed"),
    "profile": ("epsilon", "delta"),
    "renyi": ("order", "Renyi divergence"),
}


def axes(ax: Axes | None) -> Axes:
    """The axes given, or those of a new figure."""
    if ax is not None:
        return ax
    figure, new = needed("matplotlib.pyplot").subplots(figsize=(4.5, 4))
    return new  # type: ignore[no-any-return]


def curve(shown: Curve, *, ax: Axes | None = None, **style: Any) -> Axes:
    """A curve; the band between the certified ends is filled."""
    ax = axes(ax)
    style.setdefault("label", shown.of)
    [line] = ax.plot(shown.x, shown.promise, **style)
    ax.fill_between(shown.x, shown.lower, shown.upper, color=line.get_color(), alpha=0.25, lw=0)
    across, up = AXES[shown.kind]
    ax.set_xlabel(across)
    ax.set_ylabel(up)
    if shown.kind == "tradeoff":
        ax.plot([0, 1], [1, 0], color="0.6", linestyle=":", lw=1)
        ax.set_xlim(0, 1)
        ax.set_ylim(0, 1)
        ax.set_aspect("equal")
    if shown.kind == "profile":
        ax.set_yscale("log")
    if shown.kind == "renyi":
        ax.set_xscale("log")
    return ax


def histogram(
    cells: list[tuple[float, float, Bracket]], label: str, *, ax: Axes | None = None, **style: Any
) -> Axes:
    """The privacy loss distribution."""
    ax = axes(ax)
    inner = [cell for cell in cells if abs(cell[0]) < 1e300 and abs(cell[1]) < 1e300]
    heights = [chance.upper / (b - a) for a, b, chance in inner]
    style.setdefault("label", label)
    ax.stairs(heights, [inner[0][0], *(b for _, b, _ in inner)], **style)
    ax.set_xlabel("privacy loss")
    ax.set_ylabel("density, at most")
    return ax
