"""Progress bars: on stderr only, one place for all of them, and imported late."""

import subprocess
import sys

from bidarena.envs.progress import one_bar_at_a_time, progress_bar, progress_bars


def test_progress_bar__leaves_stdout_alone(capsys):
    with progress_bar(10, "games") as advance:
        advance(4)
        advance(6)
    assert capsys.readouterr().out == ""


def test_progress_bars__one_for_each_name_with_news(monkeypatch):
    from rich.progress import Progress

    drawn = []
    update = Progress.update
    monkeypatch.setattr(
        Progress,
        "update",
        lambda self, task, **told: (drawn.append((task, told)), update(self, task, **told)),
    )
    with progress_bars() as show:
        show("training", 5, 10)
        show("playing", 1, 4)
        show("training", 12, 10, news="100 steps/s")
    assert [task for task, _ in drawn] == [0, 1, 0]
    assert [told["completed"] for _, told in drawn] == [5, 1, 10]
    assert [told["count"] for _, told in drawn] == ["5/10", "1/4", "100 %"]


def test_one_bar_at_a_time__closes_the_bar_before():
    with one_bar_at_a_time() as begin:
        for what in ("first", "second"):
            begin(3, what)(2)


def test_progress__rich_is_imported_late():
    code = "import sys, bidarena.envs.progress; print('rich' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
