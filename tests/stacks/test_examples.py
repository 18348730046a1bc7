"""Every example of examples/stacks learns, with the real library, as the page on stacks says."""

import re
from pathlib import Path

import nbformat
import pytest
from example_runs import PATIENCE, STACKS, Result, result_in, run_example
from nbclient import NotebookClient

ELSEWHERE = {"with_rllib.py"}  # tests/ray runs it, in the environment of Ray
SCRIPTS = sorted(path.name for path in STACKS.glob("*.py") if path.name not in ELSEWHERE)
PAGE = Path(__file__).parents[2] / "docs" / "stacks.md"


@pytest.mark.parametrize("script", SCRIPTS)
def test_example__learns(script, tmp_path):
    found = run_example(script, tmp_path)
    assert found.shows_learning(), found


def test_page__names_every_example_and_no_other():
    named = set(re.findall(r"examples/stacks/([\w.]+)\)", PAGE.read_text()))
    assert named == {p.name for p in STACKS.iterdir() if p.is_file()}


def test_notebook__learns(tmp_path):
    notebook = nbformat.read(STACKS / "notebook.ipynb", 4)
    where = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(notebook, timeout=PATIENCE, resources=where).execute()
    found = result_in(notebook.cells[-1].outputs[-1].text)
    assert found.shows_learning(), found
    assert any(
        "image/png" in o.get("data", {}) for c in notebook.cells for o in c.get("outputs", [])
    )


def test_notebook__is_kept_without_results():
    notebook = nbformat.read(STACKS / "notebook.ipynb", 4)
    assert not any(cell.get("outputs") for cell in notebook.cells)


def test_result__of_a_policy_that_learns_nothing_is_told_apart():
    assert result_in("Games won against value: 20.0% before, 90.0% after 1 steps.").shows_learning()
    assert not Result("value", 0.2, 0.3).shows_learning()
    assert not Result("value", 0.5, 0.7).shows_learning()
    with pytest.raises(AssertionError, match="no result"):
        result_in("Nothing was learned.")
