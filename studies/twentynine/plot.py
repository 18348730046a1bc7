"""The picture of the Twenty-nine study: scores with intervals, and techniques head to head."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from bidarena.envs.files import write_whole
from bidarena.studies.twentynine.findings import RULES, SELECTIONS, TECHNIQUES

COLOURS = {"ucb1": "#3b6fb6", "ucb_tuned": "#d98c21", "thompson": "#3f9b62", "": "#555555"}
MARKS = {"ucb1": "o", "ucb_tuned": "s", "thompson": "^", "": "D"}
LABELS = {"ucb1": "UCB1", "ucb_tuned": "UCB-tuned", "thompson": "Thompson", "": RULES}
TITLES = {"iterations": "equal iterations", "time": "equal time"}


def draw(found: dict[str, Any], path: Path) -> Path:
    """Write a PNG with a row of two panels for each round robin in `found`."""
    try:
        import matplotlib
    except ImportError:
        raise ImportError(
            'pictures need matplotlib: pip install "bidarena[plot]"; the same command then only '
            "draws, because all results are kept"
        ) from None
    matplotlib.use("Agg")
    from matplotlib import pyplot

    parts = [part for part in TITLES if part in found]
    figure, axes = pyplot.subplots(
        len(parts),
        2,
        figsize=(12.5, 4.9 * len(parts)),
        squeeze=False,
        layout="constrained",
        width_ratios=(1.25, 1),
    )
    for (left, right), part in zip(axes, parts, strict=True):
        findings = found[part]
        left.set_title(f"{TITLES[part]}, {findings['deals']} deals a pair: mean return", loc="left")
        _scores(left, findings["players"])
        right.set_title("row against column", loc="left")
        _heat_map(figure, right, findings["techniques_head_to_head"])
    figure.suptitle("Searching in Twenty-nine: 95 % intervals by duplicate deals", fontsize=13)
    png = io.BytesIO()
    figure.savefig(png, dpi=120, format="png")
    pyplot.close(figure)
    write_whole(path, png.getvalue())
    return path


def _ordered(names: Any) -> list[str]:
    """Return the techniques among `names`, from the weakest to the strongest by the slides."""
    order = (RULES, "bandit", "pom", "dmcts", "mom", "ismcts")
    assert set(order) == {RULES, *TECHNIQUES}
    return [name for name in order if name in names]


def _scores(axes: Any, players: dict[str, Any]) -> None:
    techniques = _ordered({name.partition("/")[0] for name in players})
    shown = set()
    for name, score in players.items():
        technique, _, selection = name.partition("/")
        offset = 0.2 * (SELECTIONS.index(selection) - 1) if selection else 0.0
        low, high = score["interval"] or (score["mean"], score["mean"])
        axes.errorbar(
            techniques.index(technique) + offset,
            score["mean"],
            yerr=[[score["mean"] - low], [high - score["mean"]]],
            fmt=MARKS[selection],
            color=COLOURS[selection],
            markersize=6,
            capsize=3,
            label=LABELS[selection] if selection and selection not in shown else None,
        )
        shown.add(selection)
    axes.axhline(0, color="#999999", linewidth=0.8, zorder=0)
    axes.set_xticks(range(len(techniques)), techniques)
    axes.set_xlim(-0.5, len(techniques) - 0.5)
    axes.set_ylabel("mean return over all opponents")
    axes.grid(axis="y", color="#e6e6e6")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    if shown - {""}:
        handles, labels = axes.get_legend_handles_labels()
        known = dict(zip(labels, handles, strict=True))
        order = [LABELS[rule] for rule in SELECTIONS if LABELS[rule] in known]
        axes.legend([known[label] for label in order], order, frameon=False, loc="upper left")


def _heat_map(figure: Any, axes: Any, matrix: dict[str, dict[str, Any]]) -> None:
    names = _ordered(matrix)[::-1]
    nothing = float("nan")
    values = [
        [matrix[one][two]["mean"] if one != two else nothing for two in names] for one in names
    ]
    top = max(0.1, *(abs(v) for row in values for v in row if v == v))  # noqa: PLR0124 (NaN)
    image = axes.imshow(values, cmap="RdBu", vmin=-top, vmax=top)
    for i, one in enumerate(names):
        for j, two in enumerate(names):
            if one != two:
                _cell(axes, i, j, matrix[one][two], top)
    axes.set_xticks(range(len(names)), names)
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    figure.colorbar(image, ax=axes, shrink=0.85, label="mean return")


def _cell(axes: Any, i: int, j: int, found: dict[str, Any], top: float) -> None:
    text = f"{found['mean']:+.2f}"
    if found["interval"] is not None:
        low, high = found["interval"]
        text += f"\n±{(high - low) / 2:.2f}"
    colour = "white" if abs(found["mean"]) > 0.6 * top else "black"
    axes.text(j, i, text, ha="center", va="center", fontsize=8.5, color=colour)
