"""The findings of the Twenty-nine study as tables to read."""

from __future__ import annotations

from typing import Any

from bidarena.evaluate.reports.tables import TableSpec

TITLES = {
    "iterations": "equal iterations",
    "duels": "one option on against off",
    "time": "equal time",
}


def tables_of(found: dict[str, Any]) -> list[TableSpec]:
    """Return the tables of the parts that were played."""
    tables = []
    for part, findings in found.items():
        title = f"{TITLES[part]}, {findings['deals']} deals a pair"
        if part != "duels":
            single = set(findings["techniques"]) == set(findings["players"])
            kinds = ("techniques",) if single else ("players", "techniques", "selections")
            tables += [_scores(f"{title}: {kind}", findings[kind]) for kind in kinds]
            tables.append(_matrix(title, findings["techniques_head_to_head"]))
        tables.append(_claims(f"{title}: claims", findings["claims"]))
        tables.append(_speeds(f"{title}: time", findings["speed"]))
        if findings.get("beliefs_missing"):
            names = ", ".join(findings["beliefs_missing"])
            tables.append(TableSpec(f"{title}: left out", ["belief not registered"], [[names]]))
    return tables


def plus_minus(found: dict[str, Any]) -> str:
    """Return an estimate as text, with the half width of its interval if that is known."""
    if found["interval"] is None:
        return f"{found['mean']:+.3f}"
    low, high = found["interval"]
    return f"{found['mean']:+.3f} ± {(high - low) / 2:.3f}"


def _scores(title: str, table: dict[str, Any]) -> TableSpec:
    rows = [[name, plus_minus(found)] for name, found in table.items()]
    return TableSpec(title, ["", "mean return over all opponents (95 %)"], rows)


def _matrix(title: str, matrix: dict[str, dict[str, Any]]) -> TableSpec:
    names = list(matrix)
    rows = [
        [one, *(plus_minus(matrix[one][two]) if one != two else "·" for two in names)]
        for one in names
    ]
    return TableSpec(f"{title}: mean return of row against column", ["", *names], rows)


def _claims(title: str, claims: list[dict[str, Any]]) -> TableSpec:
    rows = [[claim["claim"], plus_minus(claim), claim["verdict"]] for claim in claims]
    return TableSpec(title, ["claim", "difference in mean return (95 %)", "verdict"], rows)


def _speeds(title: str, speeds: dict[str, Any]) -> TableSpec:
    rows = [
        [
            name,
            f"{found['ms_per_decision']:.3f}",
            f"{found['iterations_per_s']:,.0f}" if "iterations_per_s" in found else "",
        ]
        for name, found in speeds.items()
    ]
    return TableSpec(title, ["", "ms a decision", "iterations/s"], rows)
