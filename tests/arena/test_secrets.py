"""Nothing that the person cannot know leaves the server while a game is on."""

import re

import numpy as np
import pytest
from arena_server import arena

from bidarena.arena.sights import sight
from bidarena.envs import make_game
from bidarena.evaluate.session import Session


def scrambled(session, seat, seed):
    """The session with all that the seat cannot know replaced by another consistent guess."""
    point = session.points[-1]
    state = point.state.copy()
    rng = np.random.default_rng(seed).integers(1, 2**63, 2).astype(np.uint64)
    session.game.call("determinize")(session.game.cfg, state, seat, rng)
    other = Session.__new__(Session)
    other.__dict__.update(session.__dict__)
    other.points = [*session.points[:-1], point._replace(state=state)]
    return other


@pytest.mark.parametrize(
    ("name", "rules", "bots"),
    [
        ("scotch", {"money": 12}, ["random", None]),
        ("scotch", {"money": 12, "know_opponent_money": False}, ["random", None]),
        ("richman", {"money": 7}, ["random", None]),
        ("raj", {"players": 3}, ["random", None, "random"]),
        ("twentynine", {}, ["rules", "rules", None, "rules"]),
    ],
)
def test_secrets__what_is_sent_does_not_depend_on_what_is_hidden(name, rules, bots):
    game, you = make_game(name, **rules), bots.index(None)
    choose = np.random.default_rng(2)
    compared = 0
    for seed in range(3):
        session = Session(game, bots, seed)
        while not session.over:
            shown = sight(session, you)
            hidden = scrambled(session, you, seed)
            if hidden.state.tolist() != session.state.tolist():
                told = sight(hidden, you)
                # the last move was told before the guess; it is compared in the traffic below
                for part in ("view", "legal", "phrases", "mover", "over", "names"):
                    assert told[part] == shown[part], part
                compared += 1
            if session.bot_to_move():
                session.ask()
            else:
                session.play(int(choose.choice(session.legal())))
    assert compared > 3


def test_secrets__the_traffic_of_a_card_game_holds_no_hidden_card_trump_or_seed(tmp_path):
    """Everything that is sent in 4 games is searched for cards and numbers of the others."""
    with arena(tmp_path) as house:
        for you in range(4):
            seats = [None if seat == you else "rules" for seat in range(4)]
            house.heard.clear()
            table = house.begin("twentynine", seats)
            session = house.hall.tables[table["id"]].session
            for part in ("record", "moves", "position?ply=0", "judgement?ply=0"):
                answer = house.client.get(f"/api/tables/{table['id']}/{part}")
                assert answer.status_code == 409
                house.heard.append(answer.text)
            house.post(f"tables/{table['id']}/hint")
            wrong = {"action": 31, "ply": table["ply"] + 1}
            house.heard.append(
                house.client.post(f"/api/tables/{table['id']}/move", json=wrong).text
            )
            secret = [f"{word:016x}" for word in session.chance.tolist()]
            secret += [str(word) for word in session.chance.tolist()] + [str(session.seed)]
            while table["status"] == "waiting":
                heard = "\n".join(house.heard)
                for word in secret:
                    assert word not in heard
                for seat, place in enumerate(table["view"]["seats"]):
                    if seat != you:
                        assert place["hand"] is None and place["to_come"] is None
                check_cards(session, you, table)
                house.heard.clear()
                table = house.move(table)
            assert table["status"] == "over"


def check_cards(session, you, table):
    """Fail if a card that the person cannot know is named in what was sent."""
    game, view = session.game, table["view"]
    dealt = {
        seat: {c for c in range(32) if int(session.state[where]) >> c & 1}
        for seat, where in enumerate(
            range(game.state["hands"].start, game.state["hands"].start + 4)
        )
    }
    others = set().union(*(dealt[seat] for seat in range(4) if seat != you))
    named = set()
    for trick in [*view["tricks"], *([view["table"]] if view["table"] else [])]:
        named |= {card for _, card in trick["cards"]}
    named |= set(view["seats"][you]["hand"] or [])
    assert not named & others
    if view["trump"] is not None and view["revealed_in"] is None:
        assert view["bidder"] == you  # only the bidder knows a trump that is not revealed
    said = " ".join(table["log"])
    if view["revealed_in"] is None and view["bidder"] != you:
        assert not re.search(r"trump (is|was) (spades|hearts|diamonds|clubs)", said)


def test_secrets__a_pending_bid_is_not_told(tmp_path):
    with arena(tmp_path) as house:
        table = house.begin("scotch", ["dp", None], money="97")
        while table["status"] == "waiting":
            session = house.hall.tables[table["id"]].session
            bid = session.points[-1].move.action
            assert session.points[-1].move.seat == 0  # it is in, and hidden
            assert table["view"]["players"][0]["bid"] is None
            assert table["last"].get("action") is None and str(bid) not in table["last"]["words"]
            table = house.move(table)
