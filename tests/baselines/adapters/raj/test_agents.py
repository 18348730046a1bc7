"""RajAgent files as bots, a settings.py as the original program plays it, our bots as RajAgents."""

from __future__ import annotations

import importlib.util
import json
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from outsiders import moves_of

from bidarena.baselines.adapters.faults import Fault
from bidarena.baselines.adapters.limits import Limits
from bidarena.baselines.adapters.own import chooser, words_from
from bidarena.baselines.adapters.raj.agents import percepts_from
from bidarena.baselines.adapters.raj.series import play_settings, read_settings
from bidarena.baselines.adapters.raj.server import write_agent
from bidarena.baselines.adapters.raj.table import item_order, play_game
from bidarena.baselines.adapters.seats import Seats
from bidarena.baselines.common import _random_act
from bidarena.baselines.solvers import by_position
from bidarena.cli.main import main
from bidarena.envs import Bot, make_bot, make_game
from bidarena.envs.raj.rules import S
from bidarena.envs.testing import check_bot, random_states
from bidarena.evaluate.exploit import exploit
from bidarena.evaluate.match import play_match

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="agents are run on Linux")

VALUE = """
class RajAgent:
    def __init__(self, card_values, item_values):
        assert isinstance(card_values, list) and isinstance(item_values, list)
    def AgentFunction(self, percepts):
        pot, items_left, mine = percepts[:3]
        assert len(mine) > 1, "the last card is played, not asked for"
        return min(mine, key=lambda card: (abs(card - pot), card))
"""
# An agent that is trained and writes down which of its methods are called.
LEARNER = """
import pickle
agentName = "learner"
training = [("value_agent.py", 3), ("value_agent.py", "value_agent.py", 2)]
save_filename = "learner.pkl"
class RajAgent:
    def __init__(self, item_values, card_values):
        self.log, self.seen = [], []
    def load(self, filename):
        self.__dict__.update(pickle.load(open(filename, "rb")))
    def save(self, filename):
        pickle.dump(self.__dict__, open(filename, "wb"))
    def train_start(self): self.log.append("start")
    def train_session_start(self): self.log.append("session")
    def train_game_start(self): self.log.append("game")
    def train_game_end(self, banks): self.log.append([float(bank) for bank in banks])
    def train_session_end(self): self.log.append("session ends")
    def train_end(self): self.log.append("end")
    def AgentFunction(self, percepts):
        self.seen.append([float(percepts[0]), len(percepts)])
        return percepts[2][0]
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "value_agent.py").write_text(VALUE.replace("assert len(mine)", "pass; len(mine)"))
    (tmp_path / "strict_agent.py").write_text(VALUE)
    (tmp_path / "learner.py").write_text(LEARNER)
    return tmp_path


def test_raj_file__plays_move_for_move_like_the_same_strategy_of_ours(folder):
    for players in (2, 3):
        game = make_game("raj", players=players)
        others = ["random"] * (players - 1)
        outside = make_bot(game, f"file:{folder / 'strict_agent.py'}")
        assert moves_of(game, [outside, *others], 30, 4) == moves_of(
            game, ["value", *others], 30, 4
        )
        outside.outside.close()


def test_raj_file__passes_the_conformance_kit(folder):
    check_bot("raj", f"file:{folder / 'strict_agent.py'}", games=3, players=3)


def test_percepts__tell_what_everybody_can_see_in_ascending_order():
    game = make_game("raj", players=3, cards=(5, 1, 3), items=(4, -2, 4))
    for state, mover, _ in random_states(game, 5, 1):
        pot, left, own, bank, *others = percepts_from(game, state, mover)
        assert pot == state[S.pot]
        assert len(others) == 2
        assert all(list(hand) == sorted(hand) for hand in (left, own, *others))
        assert len(own) == len(left) + 1 == len(others[0])
        assert bank == state[game.state["banks"]][mover]
        seats = [seat for seat in range(3) if seat != mover]
        for seat, hand in zip(seats, others, strict=True):
            mask = int(state[game.state["hands"]][seat])
            assert hand == tuple(card for k, card in enumerate((1, 3, 5)) if mask >> k & 1)


def test_raj_file__is_passed_the_types_of_the_original(tmp_path):
    file = tmp_path / "agent.py"
    file.write_text(
        "import numpy as np\n"
        "class RajAgent:\n"
        "    def __init__(self, item_values, card_values): pass\n"
        "    def AgentFunction(self, percepts):\n"
        "        kinds = [type(part) for part in percepts]\n"
        "        assert kinds[:4] == [np.float64, tuple, tuple, np.float64], kinds\n"
        "        assert {type(item) for item in percepts[1]} <= {float}\n"
        "        assert {type(card) for hand in percepts[4:] for card in hand} == {int}\n"
        "        return np.int64(percepts[2][0])\n"
    )
    game = make_game("raj")
    bot = make_bot(game, f"file:{file}")
    assert moves_of(game, [bot, "random"], 2, 1)
    bot.outside.close()


def test_raj_file__games_side_by_side_do_not_share_a_memory(tmp_path):
    """The agent counts its own moves of a game, as agents for one game after another may."""
    file = tmp_path / "counter.py"
    file.write_text(
        "class RajAgent:\n"
        "    def __init__(self, item_values, card_values): self.moves = []\n"
        "    def AgentFunction(self, percepts):\n"
        "        if len(percepts[2]) == 6: self.moves.clear()\n"
        "        assert len(self.moves) == 6 - len(percepts[2]), 'games were mixed up'\n"
        "        self.moves.append(percepts[0])\n"
        "        return percepts[2][len(self.moves) % len(percepts[2])]\n"
    )
    game = make_game("raj")
    bot = make_bot(game, f"file:{file}")
    assert len(moves_of(game, [bot, bot], 20, 1)) == 20
    bot.outside.close()


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("return 9", "bid 9, which is not among its cards [1, 2, 3, 4, 5, 6]"),
        ("return None", "returned None, expected a whole number"),
        ("return percepts[9]", "IndexError: tuple index out of range (bad.py:3)"),
    ],
)
def test_raj_file__trouble_is_a_fault_with_its_reason(tmp_path, code, words):
    file = tmp_path / "bad.py"
    head = "class RajAgent:\n    def __init__(self, item_values, card_values): pass\n"
    file.write_text(f"{head}    def AgentFunction(self, percepts): {code}\n")
    game = make_game("raj")
    bot = make_bot(game, f"file:{file}")
    with pytest.raises(Fault) as fault:
        bot.outside(game.new_state(np.ones(2, np.uint64)), 0, np.ones(2, np.uint64))
    assert words in str(fault.value)
    bot.outside.close()


SMALL = {"cards": (1, 2, 3, 4), "items": (-2, 1, 2, 3)}


def test_raj_file__is_measured_in_all_positions(folder):
    """The agent of the course plays like our `value`, so both are exploited alike."""
    game, told = make_game("raj", **SMALL), []
    found = exploit(game, f"file:{folder / 'value_agent.py'}", progress=told.append)
    ours = exploit(game, "value")
    assert found.exact and "taken to be stateless" in found.method
    assert found.seat_values == ours.seat_values and found.asked == ours.asked
    assert any("times, about" in sentence for sentence in told)


def test_raj_file__that_draws_or_remembers_is_sampled(folder):
    (folder / "moody.py").write_text(GLOBAL.format(seeding=""))
    game = make_game("raj", cards=(1, 2, 3), items=(-1, 1, 2))
    found = exploit(game, f"file:{folder / 'moody.py'}", samples=5, games=20)
    assert not found.exact and found.samples == 5 and found.interval is not None
    assert "answered differently when positions were asked again" in found.method


def test_best_response__to_a_file_is_a_bot(folder):
    game = make_game("raj", **SMALL)
    against = play_match(
        game,
        [f"best_response:of=file:{folder / 'value_agent.py'}", "value"],
        200,
        seed=1,
    )
    same = play_match(game, ["best_response:of=value", "value"], 200, seed=1)
    assert (against.results == same.results).all()


def test_raj_file__that_would_take_too_long_is_refused(folder, monkeypatch):
    monkeypatch.setattr(by_position, "LONGEST", 0.01)
    with pytest.raises(ValueError, match=r"would be asked .* questions, .* or play a match"):
        exploit(make_game("raj"), f"file:{folder / 'strict_agent.py'}")


def test_raj_file__without_an_agent_says_so(tmp_path):
    file = tmp_path / "empty.py"
    for text, words in (
        ("", "expected a class RajAgent"),
        ("class RajAgent:\n    def __init__(self, item_values, card_values): pass", "no method"),
        ("training = []\n" + VALUE, "no `save_filename`"),
    ):
        file.write_text(text)
        bot = make_bot(make_game("raj"), f"file:{file}")
        with pytest.raises(Fault, match=words):
            bot.outside.program.load()
        bot.outside.close()


def test_raj_file__is_trained_once_and_then_loaded(folder):
    game = make_game("raj", players=2)
    for _ in range(2):
        bot = make_bot(game, f"file:{folder / 'learner.py'}")
        assert moves_of(game, [bot, "random"], 1, 1)[0][::2] == [0, 1, 2, 3, 4, 5]
        bot.outside.close()
    import pickle

    kept = pickle.loads((folder / "learner.pkl").read_bytes())
    log = kept["log"]
    sessions = [["session", *["game", None] * games, "session ends"] for games in (3, 2)]
    shape = [None if isinstance(entry, list) else entry for entry in log]
    assert shape == ["start", *sessions[0], *sessions[1], "end"]
    banks = [entry for entry in log if isinstance(entry, list)]
    assert [len(entry) for entry in banks] == [2, 2, 2, 3, 3]
    assert len(kept["seen"]) == 5 * 6  # the last card is asked for where there is training


def settings_file(folder, **changes):
    settings = {
        "agentFiles": ("value_agent.py", "strict_agent.py"),
        "cardValues": (1, 2, 3, 4, 5, 6),
        "itemValues": (-2, -1, 1, 2, 3, 4),
        "totalNumberOfGames": 5,
        "verbose": True,
        "seed": 3,
        **changes,
    }
    (folder / "settings.py").write_text(f"game_settings = {settings!r}\n")
    return str(folder / "settings.py")


RECORDER = """
import json
class RajAgent:
    def __init__(self, item_values, card_values): pass
    def AgentFunction(self, percepts):
        with open({file!r}, "a") as out:
            json.dump(percepts, out)
            out.write("\\n")
        return percepts[2][0]
"""


def test_series__items_come_in_the_order_of_the_original_for_a_seed(folder):
    """Items are drawn by NumPy's old generator: one choice per game from the values as written."""
    told = folder / "told"
    (folder / "recorder.py").write_text(RECORDER.format(file=str(told)))
    items = (4, -2, 3, -1)
    series = play_settings(
        settings_file(
            folder,
            agentFiles=("strict_agent.py", "recorder.py", "value_agent.py"),
            cardValues=(2, 9, 4, 7),
            itemValues=items,
        )
    )
    assert series.fault == ""
    assert series.names == ["strict_agent.py", "recorder.py", "value_agent.py"]
    percepts = [json.loads(line) for line in told.read_text().splitlines()]
    generator = np.random.RandomState(3)
    for game in range(5):
        order = generator.choice(items, size=4, replace=False)
        asked = percepts[3 * game : 3 * game + 3]
        assert asked[0][0] == order[0]
        assert [row[1] for row in asked] == [sorted(order[k:].tolist()) for k in (1, 2, 3)]
        assert asked[0][2] == [2, 4, 7, 9]


def test_series__trains_first_and_goes_on_with_the_same_generator(folder):
    told = folder / "told"
    (folder / "recorder.py").write_text(RECORDER.format(file=str(told)))
    file = settings_file(folder, agentFiles=("recorder.py", "learner.py"), totalNumberOfGames=2)
    reports = []
    series = play_settings(file, progress=lambda *report: reports.append(report))
    assert series.names == ["recorder.py", "learner"]
    assert reports[-1] == ("playing", 2, 2)
    generator = np.random.RandomState(3)
    orders = [item_order(generator, (-2, -1, 1, 2, 3, 4)) for _ in range(5 + 2)]
    pots = [json.loads(line)[0] for line in told.read_text().splitlines()]
    assert [pots[0], pots[5]] == [orders[5][0], orders[6][0]]


def test_series__of_a_seed_is_the_same_again_and_ends_with_a_fault(folder):
    file = settings_file(folder)
    first, again = play_settings(file), play_settings(read_settings(file), folder=str(folder))
    assert first.banks == again.banks
    assert len(first.banks) == 5
    (folder / "bad.py").write_text(VALUE.replace("card - pot", "card / 0"))
    broken = play_settings(settings_file(folder, agentFiles=("value_agent.py", "bad.py")))
    assert broken.fault.startswith("bad.py: ZeroDivisionError")
    assert broken.banks == []
    with pytest.raises(ValueError, match="at least two agent files"):
        play_settings(settings_file(folder, agentFiles=()))
    with pytest.raises(ValueError, match="expected a dict game_settings"):
        read_settings(str(folder / "value_agent.py"))


# As the course's own random agent does, it draws from NumPy's global generator.
GLOBAL = """
import numpy as np
{seeding}
class RajAgent:
    def __init__(self, item_values, card_values):
        pass
    def AgentFunction(self, percepts):
        return percepts[2][np.random.randint(len(percepts[2]))]
"""


def test_series__agents_share_the_generator_of_numpy_as_in_the_original(folder):
    files = [folder / "seeding.py", folder / "random_agent.py"]
    files[0].write_text(GLOBAL.format(seeding="np.random.seed(11)"))
    files[1].write_text(GLOBAL.format(seeding=""))
    settings = settings_file(
        folder, agentFiles=("seeding.py", "random_agent.py"), totalNumberOfGames=50
    )
    series = play_settings(settings)
    agents = []
    before = np.random.get_state()  # noqa: NPY002
    try:
        for file in files:  # the original: all in one interpreter
            spec = importlib.util.spec_from_file_location(file.stem, file)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            agents.append(module.RajAgent(item_values=[], card_values=[]))
        generator = np.random.RandomState(3)
        items = [item_order(generator, (-2, -1, 1, 2, 3, 4)).astype(float) for _ in range(50)]
        bidders = [agent.AgentFunction for agent in agents]
        cards = [1, 2, 3, 4, 5, 6]
        expected = [play_game(bidders, [False] * 2, cards, order).tolist() for order in items]
    finally:
        np.random.set_state(before)  # noqa: NPY002
    assert series.fault == "" and series.banks == expected


def test_series__an_agent_that_hangs_is_named(folder):
    (folder / "sleeper.py").write_text(
        VALUE.replace("pot, items_left", "import time; time.sleep(9)\n        pot, items_left")
    )
    file = settings_file(folder, agentFiles=("value_agent.py", "sleeper.py"))
    series = play_settings(file, limits=Limits(seconds=0.3))
    assert series.fault == "sleeper.py: gave no answer within 0.3 s"


def test_series__a_training_that_takes_too_long_names_the_limit(folder):
    (folder / "slow.py").write_text(
        LEARNER.replace('self.log.append("game")', "__import__('time').sleep(0.3)")
    )
    bot = make_bot(make_game("raj"), f"file:{folder / 'slow.py'}:training=1")
    with pytest.raises(ValueError, match="did not finish its training within 1 s"):
        play_match("raj", [bot, "random"], 2)
    file = settings_file(folder, agentFiles=("slow.py", "value_agent.py"))
    series = play_settings(file, limits=Limits(training=1.0))
    assert series.fault == "learner: gave no answer within 1 s"


def test_series__without_a_game_is_json_and_fails(folder, capsys):
    (folder / "broken.py").write_text("class RajAgent: pass")
    file = settings_file(folder, agentFiles=("value_agent.py", "broken.py"), colour="red")
    assert main(["series", file, "--json"]) == 1
    out, err = capsys.readouterr()
    told = json.loads(out, parse_constant=pytest.fail)  # NaN is no JSON
    assert told["mean_banks"] == [None, None] and told["games"] == 0
    assert told["fault"].startswith("broken.py: ") and "broken.py" in err
    assert main(["series", file]) == 1
    assert "-" in capsys.readouterr().out


def test_series__shared_wins_are_counted(folder):
    names = ("strict_agent.py", "value_agent.py", "value_agent.py")
    series = play_settings(settings_file(folder, agentFiles=names, totalNumberOfGames=20))
    best = [max(banks) for banks in series.banks]
    for seat in range(3):
        games = sum(banks[seat] == top for banks, top in zip(series.banks, best, strict=True))
        assert series.wins[seat] + series.ties[seat] == games
    assert sum(series.ties) > 0


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 5), st.integers(0, 2**32 - 1))
def test_table__counts_like_the_rules_of_the_environment(players, seed):
    """Two implementations of the rules give equal banks for equal bids and items."""
    game = make_game("raj", players=players, items=(-3, -1, -1, 2, 4, 4))
    luck = np.random.default_rng(seed)
    words = luck.integers(1, 2**63, 2, dtype=np.uint64)
    state = game.new_state(words)
    items, bids, left = [], [[] for _ in range(players)], state[S.items]
    values = game.options["items"]

    def turned_up(before, after):
        gone = before & ~after
        return values[gone.bit_length() - 1]

    items.append(turned_up(0b111111, int(left)))
    while (seat := int(game.call("to_move")(game.cfg, state))) >= 0:
        mask = np.zeros(6, np.int8)
        game.call("legal")(game.cfg, state, mask)
        bid = int(luck.choice(np.flatnonzero(mask)))
        bids[seat].append(game.options["cards"][bid])
        before = int(state[S.items])
        game.call("step")(game.cfg, state, bid, words)
        if int(state[S.items]) != before:
            items.append(turned_up(before, int(state[S.items])))
    wishes = [iter(row) for row in bids]
    bidders = [lambda percepts, row=row: next(row) for row in wishes]
    banks = play_game(bidders, [True] * players, (1, 2, 3, 4, 5, 6), np.array(items))
    assert banks.tolist() == state[game.state["banks"]].tolist()


def load_agent(file):
    """Import an agent file as the original program does, and return the module."""
    spec = importlib.util.spec_from_file_location("an_agent", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("bot", ["published", "greedy"])
def test_written_agent__plays_move_for_move_like_the_bot(tmp_path, bot):
    """These bots use the opponent's bank, which percepts do not tell and the agent must count."""
    game = make_game("raj")
    file = tmp_path / "my_agent.py"
    write_agent(bot, str(file))
    outside = make_bot(game, f"file:{file}:start=200")
    assert moves_of(game, [outside, "random"], 12, 7) == moves_of(game, [bot, "random"], 12, 7)
    outside.outside.close()


class Numbered:
    """A bot of ours that draws the random numbers of a written agent, by the number of the move."""

    def __init__(self, game, bot, seed):
        self.choose, self.seats, self.seed = chooser(game, bot), Seats(game), seed

    def __call__(self, state, player, rng):
        seat, _ = self.seats.find(state, player, rng)
        seat.kept = (seat.kept or 0) + 1
        return self.choose(state, player, words_from(self.seed, seat.kept))

    def forget(self):
        self.seats.clear()


def test_written_agent__that_draws_its_bids_draws_by_its_seed(tmp_path):
    game = make_game("raj")
    file = tmp_path / "my_agent.py"
    write_agent("minimax:depth=1", str(file), seed=9)
    outside = make_bot(game, f"file:{file}:start=200")
    direct = Bot("direct", _random_act, outside=Numbered(game, "minimax:depth=1", 9))
    played = moves_of(game, [outside, "random"], 12, 7)
    assert played == moves_of(game, [direct, "random"], 12, 7)
    direct.outside.forget()
    direct.outside.seed = 10
    assert played != moves_of(game, [direct, "random"], 12, 7)
    outside.outside.close()


def test_written_agent__runs_in_a_plain_program_with_any_number_of_players(tmp_path):
    file = tmp_path / "my_agent.py"
    write_agent("random", str(file), seed=4)
    module = load_agent(file)
    assert module.agentName == "bidarena random"
    agents = [module.RajAgent(item_values=[-1, 2, 3], card_values=[9, 2, 5]) for _ in range(3)]
    generator = np.random.RandomState(1)
    for _ in range(5):
        items = item_order(generator, (-1, 2, 3)).astype(float)
        bidders = [agent.AgentFunction for agent in agents]
        assert len(play_game(bidders, [True, False, True], (9, 2, 5), items)) == 3


def test_written_agent__of_an_unknown_bot_is_refused(tmp_path):
    with pytest.raises(ValueError, match="did you mean 'minimax'"):
        write_agent("minmax", str(tmp_path / "my_agent.py"))
    assert not list(tmp_path.iterdir())
