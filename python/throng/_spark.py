"""Small pictures for notebooks: SVG, nothing needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from throng._mechanism import Curve

WIDTH, HEIGHT, EDGE = 132, 132, 6
INK, BAND, GREY = "#2a78d6", "#cfe1f7", "#999"


def _places(values: Sequence[float], most: float) -> list[float]:
    return [min(1.0, max(0.0, value / most)) if most > 0 else 0.0 for value in values]


def _line(x: Sequence[float], y: Sequence[float]) -> str:
    across, up = WIDTH - 2 * EDGE, HEIGHT - 2 * EDGE
    points = zip(x, y, strict=True)
    return " ".join(f"{EDGE + across * a:.1f},{HEIGHT - EDGE - up * b:.1f}" for a, b in points)


def _picture(label: str, inside: str) -> str:
    return (
        f"<svg width='{WIDTH}' height='{HEIGHT}' viewBox='0 0 {WIDTH} {HEIGHT}' role='img' "
        f"aria-label='{label}'><rect width='{WIDTH}' height='{HEIGHT}' fill='white'/>"
        f"{inside}</svg>"
    )


def curve(shown: Curve) -> str:
    """A curve with the band that is certified."""
    most_x, most_y = max(shown.x), max(1e-300, *shown.upper)
    if shown.kind == "tradeoff":
        most_x = most_y = 1.0
    x = _places(shown.x, most_x)
    low, high = _places(shown.lower, most_y), _places(shown.upper, most_y)
    promise = low if shown.kind == "tradeoff" else high
    inside = (
        f"<polygon points='{_line(x, low)} {_line(x[::-1], high[::-1])}' fill='{BAND}'/>"
        f"<polyline points='{_line(x, promise)}' fill='none' stroke='{INK}' stroke-width='1.5'/>"
    )
    if shown.kind == "tradeoff":
        blind = _line([0.0, 1.0], [1.0, 0.0])
        inside = f"<polyline points='{blind}' fill='none' stroke='{GREY}' stroke-dasharray='3'/>{inside}"
    names = {"tradeoff": "trade-off curve", "profile": "privacy profile", "renyi": "Renyi curve"}
    return _picture(names[shown.kind], inside)


def tradeoff(shown: Curve) -> str:
    """A trade-off curve with what its axes mean."""
    return f"{curve(shown)}<br><small>missed by false alarms; dashed: no information</small>"
