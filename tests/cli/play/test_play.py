"""`bidarena play` in a pseudo-terminal: whole games, wrong input, hints, undo, going on."""

import json
import random
import re

import pytest
from terminal import PROMPT, Terminal, listed, play_through

QUICK = {
    "scotch": ("--money", "9", "--length", "4"),
    "richman": ("--money", "9"),
    "raj": ("--vs", "valueplus"),
    "coins": ("--board", "triangle4", "--vs", "random"),
    "twentynine": ("--vs", "rules"),
}


@pytest.mark.parametrize("game", list(QUICK))
def test_play__a_person_can_play_a_whole_game_by_the_moves_that_are_shown(game, tmp_path):
    words = ("play", game, *QUICK[game], "--seed", "5", "--seat", "1")
    with Terminal(*words, cwd=tmp_path) as terminal:
        made = play_through(terminal, random.Random(1).randrange)
        terminal.type("q")
        assert terminal.end() == 0
        shown = terminal.text
    assert made >= 2
    assert re.search(
        r"^(you (win|lose)|partner and you win|you and partner win|the game is drawn|\w+.* wins? )",
        shown,
        re.M,
    )
    assert "is no move" not in shown and "out of range" not in shown
    lines = [line for line in shown.splitlines() if "is thinking" not in line]  # drawn over
    assert max(map(len, lines)) <= 80
    assert list(tmp_path.iterdir()) == []  # a finished game needs no file


def test_play__scotch_shows_at_least_what_the_report_does(tmp_path):
    words = ("play", "scotch", "--vs", "dp", "--seed", "5")
    with Terminal(*words, cwd=tmp_path) as terminal:
        first = terminal.until(PROMPT)
        second = terminal.say("20")
    for shown in ("round 1", "bottle at 5", "$100  ◆ wins ties", "bid from 1 to 100", "●"):
        assert shown in first
    story = re.search(r"» round 1: you bid 20, opponent bid (\d+): (you|opponent) won", second)
    his, winner = int(story[1]), story[2]
    assert winner == ("you" if his <= 20 else "opponent")
    paid = max(20, his)
    assert f"paid ${paid}" in second and f"${100 - paid}" in second
    assert f"bottle at {4 if winner == 'you' else 6}" in second
    row = rf"^ +1 +20 +{his} +{winner}( \(tie\))? +\${paid} +{4 if winner == 'you' else 6} "
    assert re.search(row, second, re.M)


def test_play__wrong_input_is_explained_and_asked_again(tmp_path):
    with Terminal("play", "scotch", "--money", "30", "--seed", "1", cwd=tmp_path) as terminal:
        terminal.until(PROMPT)
        for typed, answer in {
            "31": "a bid of 31 is out of range: you have $30, so bid from 1 to 30",
            "-4": "out of range",
            "0": "only for a player without money",
            "12.5": "type a whole number of dollars",
            "hello": "'hello' is no bid",
            "9" * 60: "out of range",
            "x" * 500: "too long",
            "#31": "#1 to #30",
            "": "type a move, or `help`",
            "ünïcode": "is no bid",
            "save": "save where?",
            "save /no/such/folder/x.json": "not saved",
            "undo": "nothing to take back",
            "log": "no moves yet",
        }.items():
            said = terminal.say(typed)
            assert answer in " ".join(said.split()), (typed, said)
        assert "round 2" in terminal.say("bid $3")


@pytest.mark.parametrize(
    ("game", "options", "answers"),
    [
        ("raj", ("--vs", "value"), {"7": "there is no card 7", "x": "is no card"}),
        (
            "coins",
            ("--board", "square4", "--vs", "random"),
            {"0 5": "diagonals do not count", "16": "0 to 15", "1 3": "2 lies between"},
        ),
        (
            "twentynine",
            ("--vs", "rules"),
            {
                "15": "a bid of 15 is out of range: you may bid 16 to 28",
                "JH": "this is the auction",
                "3": "out of range",
                "reveal": "this is the auction",
                "blah": "type a bid, such as 17, or pass",
            },
        ),
    ],
)
def test_play__wrong_moves_of_every_game_are_explained(game, options, answers, tmp_path):
    with Terminal("play", game, *options, "--seed", "1", cwd=tmp_path) as terminal:
        terminal.until(PROMPT)
        for typed, answer in answers.items():
            assert answer in " ".join(terminal.say(typed).split())


def test_play__twentynine_says_which_card_must_be_played(tmp_path):
    # Seat 3 has to follow whatever is led before it is its turn.
    words = ("play", "twentynine", "--vs", "rules", "--seed", "2", "--seat", "3")
    with Terminal(*words, cwd=tmp_path) as terminal:
        answer = terminal.until(PROMPT)
        for _ in range(20):
            if "follow" in answer.rpartition("your card: ")[2]:
                break
            move = "pass" if "auction" in answer.rpartition("Twenty-nine")[2][:20] else "1"
            answer = terminal.say(move)
        hand = re.search(r"^  you +(.*)$", answer[answer.rindex("Twenty-nine") :], re.M)[1]
        legal = listed(answer[answer.rindex("your card") :])
        held = [rank + group[0] for group in hand.split("   ") for rank in group.split()[1:]]
        barred = [card for card in held if card not in legal]
        absent = next(f"{r}{s}" for s in "♠♦♥♣" for r in "J9A" if f"{r}{s}" not in held)
        assert set(legal) < set(held) and barred
        said = " ".join(terminal.say(barred[0]).split())
        assert "were led and you have some: play " + " ".join(legal) in said
        assert f"the {absent} is not in your hand" in terminal.say(absent)
        assert "you may not ask for the trump: you can follow" in terminal.say("reveal")


def test_play__hints_name_their_source_and_put_the_best_first(tmp_path):
    with Terminal("play", "raj", "--vs", "value", "--seed", "1", cwd=tmp_path) as terminal:
        terminal.until(PROMPT)
        said = terminal.say("hint")
        shares = [float(share) for share in re.findall(r"([\d.]+) %", said)]
        assert "from the exact solution" in said and "at worst" in said
        assert len(shares) == 6 and shares == sorted(shares, reverse=True)
        assert sum(shares) == pytest.approx(100, abs=0.4)
    words = ("play", "twentynine", "--vs", "rules", "--hints", "ismcts:iterations=400,book=none")
    with Terminal(*words, "--seed", "1", cwd=tmp_path) as terminal:
        terminal.until(PROMPT)
        said = terminal.say("hint")
        assert "from ismcts:iterations=400,book=none: 400 iterations" in said
        assert "share of the search" in said and "pass" in said


def test_play__a_hint_that_cannot_be_given_says_why(tmp_path):
    words = ("play", "twentynine", "--vs", "rules", "--hints", "exact", "--seed", "1")
    with Terminal(*words, cwd=tmp_path) as terminal:
        terminal.until(PROMPT)
        assert "no hint: twentynine cannot be solved" in terminal.say("hint")


def test_play__undo_takes_back_the_reply_too(tmp_path):
    with Terminal("play", "coins", "--board", "square4", "--seed", "1", cwd=tmp_path) as terminal:
        terminal.until(PROMPT)
        terminal.say("0-3")
        terminal.say("undo")
        back = terminal.say("board")
        assert "16 of 16 coins left" in back and "no coin has been taken yet" in back
        assert "nothing to take back" in terminal.say("undo")


def test_play__quit_saves_and_load_goes_on_as_if_nothing_had_happened(tmp_path):
    words = ("play", "twentynine", "--vs", "rules", "--partner", "random", "--seed", "4")
    with Terminal(*words, cwd=tmp_path) as straight:
        straight.until(PROMPT)
        for _ in range(2):
            moves = listed(straight.say("moves"))
            straight.say(moves[0])
        play_through_from_here = straight.say("board")
        last = straight.say(listed(straight.say("moves"))[0])
    with Terminal(*words, cwd=tmp_path) as stopped:
        stopped.until(PROMPT)
        for _ in range(2):
            moves = listed(stopped.say("moves"))
            stopped.say(moves[0])
        stopped.type("quit")
        assert stopped.end() == 0
        told = re.search(r"to go on: bidarena (play twentynine --load (\S+))", stopped.text)
    assert (tmp_path / told[2]).exists()
    for command in (told[1].split(), ["play", "--load", told[2]]):
        with Terminal(*command, cwd=tmp_path) as again:
            begun = again.until(PROMPT)
            board = play_through_from_here[play_through_from_here.index("Twenty-nine") :]
            assert board in begun
            going_on = again.say(listed(again.say("moves"))[0])
            assert going_on == last
            again.press(b"\x03")
            assert again.end() == 0
        assert len(list(tmp_path.iterdir())) == 1  # the same file is used again
        with Terminal(*command, cwd=tmp_path) as back:
            back.until(PROMPT)
            back.say("undo")
            back.type("quit")
            assert back.end() == 0


@pytest.mark.parametrize("key", [b"\x03", b"\x04"], ids=["ctrl-c", "ctrl-d"])
def test_play__leaving_by_a_key_saves_like_quit(key, tmp_path):
    with Terminal("play", "scotch", "--money", "9", "--seed", "2", cwd=tmp_path) as terminal:
        terminal.until(PROMPT)
        terminal.say("2")
        terminal.press(key)
        assert terminal.end() == 0
        assert "to go on: bidarena play scotch --load bidarena-scotch-2.json" in terminal.text
    record = json.loads((tmp_path / "bidarena-scotch-2.json").read_text())
    assert record["actions"][0] == 2
    assert len(record["actions"]) == 2


def test_play__another_game_never_overwrites_a_saved_one(tmp_path):
    for _ in range(2):
        with Terminal("play", "scotch", "--money", "9", "--seed", "2", cwd=tmp_path) as terminal:
            terminal.until(PROMPT)
            terminal.type("quit")
            assert terminal.end() == 0
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["bidarena-scotch-2-2.json", "bidarena-scotch-2.json"]


def test_play__again_changes_seats_and_the_end_can_be_taken_back(tmp_path):
    with Terminal("play", "coins", "--board", "**", "--seed", "1", cwd=tmp_path) as terminal:
        assert "you are player 0" in terminal.until(PROMPT)
        terminal.type("0 1")
        assert "you lose: opponent wins" in terminal.until("q: quit> ")
        terminal.type("undo")
        assert "2 of 2 coins left" in terminal.until(PROMPT)
        terminal.type("0")
        assert "you win" in terminal.until("q: quit> ")
        terminal.type("")
        terminal.until("you are player 1")
        terminal.press(b"\x04")
        assert terminal.end() == 0


def test_play__colours_are_left_out_when_they_are_not_wanted(tmp_path):
    words = ("play", "scotch", "--money", "9", "--seed", "2")
    shown = {}
    for name, more, environment in (
        ("usual", (), {}),
        ("option", ("--no-color",), {}),
        ("variable", (), {"NO_COLOR": "1"}),
    ):
        with Terminal(*words, *more, cwd=tmp_path, environment=environment) as terminal:
            terminal.until(PROMPT)
            shown[name] = terminal.raw
    assert "\x1b[1;34m" in shown["usual"]
    for name in ("option", "variable"):
        assert not re.search(r"\x1b\[[\d;]*m", shown[name])


def test_play__bots_are_watched_frame_by_frame(tmp_path):
    words = ("play", "scotch", "--watch", "dp", "uniform", "--money", "9", "--seed", "1")
    with Terminal(*words, cwd=tmp_path) as terminal:
        assert "dp, uniform; seed 1" in terminal.until("q: quit> ")
        terminal.type("")
        frame = terminal.until("q: quit> ")
        assert re.search(r"» round 1: dp bid \d, uniform bid \d: (dp|uniform) won", frame)
        assert "round 2" not in frame.partition("Scotch")[0]
        terminal.type("q")
        assert terminal.end() == 0
    with Terminal(*words, "--delay", "0.01", cwd=tmp_path) as terminal:
        assert terminal.end() == 0
        assert re.search(r"^(dp wins|uniform wins|the game is drawn)", terminal.text, re.M)
