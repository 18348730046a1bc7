"""Phrases of games: every move has a name that is understood, and no seat is told hidden things."""

import numpy as np
import pytest
from our_games import OUR_GAMES

from bidarena.envs import make_game
from bidarena.envs.phrases import legal_actions, mover_of, phrases_of, seat_names
from bidarena.envs.rng import seeded
from bidarena.envs.twentynine.rules.layout import PLAYING, TRUMPING, A, S, card_of

HOUSE = {
    "last_trick": 1,
    "marriage": True,
    "doubling": True,
    "single_hand": True,
    "seventh_card": True,
    "redeal": "no_points",
    "all_pass": "redeal",
}
GAMES = [
    ("scotch", {"money": 12, "length": 6}),
    ("scotch", {"money": 12, "length": 6, "payment": "opponent", "tie": "coin"}),
    ("scotch", {"money": 12, "length": 6, "know_opponent_money": False}),
    ("richman", {"money": 9}),
    ("richman", {"money": 9, "payment": "opponent", "tie": "holder"}),
    ("raj", {}),
    ("raj", {"players": 4, "tie": "split"}),
    ("coins", {}),
    ("coins", {"board": "triangle5", "last_coin": "wins"}),
    ("coins", {"board": "*.**/****/*.**", "gaps": True, "diagonals": True, "max_take": 3}),
    ("coins", {"board": "square4", "colours": "seeded", "last_bonus": 2}),
    ("twentynine", {}),
    ("twentynine", {**HOUSE, "match_to": 2}),
]
GAMES += [(name, {}) for name in OUR_GAMES if name not in dict(GAMES)]  # under the usual rules
IDS = [f"{name}-{'-'.join(map(str, rules)) or 'usual'}" for name, rules in GAMES]


def random_game(game, seed):
    """Yield (before, action, after) for every move of a random game."""
    chance = seeded(np.random.default_rng(seed), 2)
    choose = np.random.default_rng(seed)
    state = game.new_state(chance)
    while mover_of(game, state) >= 0:
        action = int(choose.choice(legal_actions(game, state)))
        after = state.copy()
        game.call("step")(game.cfg, after, action, chance)
        yield state, action, after
        state = after


@pytest.mark.parametrize(("name", "rules"), GAMES, ids=IDS)
def test_phrases__the_name_of_every_legal_move_means_that_move(name, rules):
    game = make_game(name, **rules)
    phrases = phrases_of(game)
    for state, _, _ in random_game(game, 1):
        legal = legal_actions(game, state)
        called = [phrases.name(game, state, action) for action in legal]
        assert len(set(called)) == len(called)
        assert [phrases.read(game, state, text) for text in called] == legal
        assert [phrases.read(game, state, f"  {text.upper()} ") for text in called] == legal


@pytest.mark.parametrize(("name", "rules"), GAMES, ids=IDS)
def test_phrases__every_illegal_move_is_refused_with_a_reason(name, rules):
    game = make_game(name, **rules)
    phrases = phrases_of(game)
    for state, _, _ in random_game(game, 2):
        legal = legal_actions(game, state)
        for action in set(range(game.actions)) - set(legal):
            why = phrases.refuse(game, state, action)
            assert why and "\n" not in why


@pytest.mark.parametrize(("name", "rules"), GAMES, ids=IDS)
@pytest.mark.parametrize("text", ["", "?!", "12.5", "twelve", "9X", "- -", "1 2 3 4 5 6 7 8 9"])
def test_phrases__nonsense_is_answered_with_what_to_type(name, rules, text):
    game = make_game(name, **rules)
    state = game.new_state(seeded(np.random.default_rng(0), 2))
    with pytest.raises(ValueError, match=r"type|coins|no coin"):
        phrases_of(game).read(game, state, text)


@pytest.mark.parametrize(("name", "rules"), GAMES, ids=IDS)
def test_phrases__a_whole_game_is_told_and_every_row_fits_its_columns(name, rules):
    game = make_game(name, **rules)
    phrases = phrases_of(game)
    for seat in (None, *range(game.players)):
        names = seat_names(game, seat or 0)
        told = rows = rounds = 0
        for before, action, after in random_game(game, 3):
            told += bool(phrases.tell(game, before, action, after, seat, names))
            if phrases.row is not None:
                row = phrases.row(game, before, after, seat, names)
                rounds += int(after[game.state["round"]][0] > before[game.state["round"]][0])
                rows += row is not None
                assert row is None or len(row) == len(phrases.columns(game, seat, names))
        assert told
        assert rows == rounds


@pytest.mark.parametrize(("name", "rules"), GAMES, ids=IDS)
def test_phrases__a_seat_is_told_the_same_whatever_it_cannot_know(name, rules):
    game = make_game(name, **rules)
    phrases = phrases_of(game)
    guess = seeded(np.random.default_rng(9), 2)
    blur = game.call("determinize")
    for seat in range(game.players):
        names = seat_names(game, seat)
        for before, action, after in random_game(game, 4):
            if mover_of(game, after) < 0:
                continue  # at the end everything is open
            other_before, other_after = before.copy(), after.copy()
            blur(game.cfg, other_before, seat, guess)
            blur(game.cfg, other_after, seat, guess)
            if name == "scotch" and not game.options["know_opponent_money"]:
                # the seat saw a tie, because the advantage passed; guesses do not keep the old bid
                part = game.state["last_bids"]
                if after[part][0] == after[part][1]:
                    other_after[part] = after[part]
            told = phrases.tell(game, before, action, after, seat, names)
            assert phrases.tell(game, other_before, action, other_after, seat, names) == told
            if phrases.row is not None:
                row = phrases.row(game, before, after, seat, names)
                assert phrases.row(game, other_before, other_after, seat, names) == row


@pytest.mark.parametrize(
    ("name", "rules"),
    [("scotch", {}), ("richman", {}), ("raj", {"players": 3})],
)
def test_phrases__a_bid_that_waits_is_not_told(name, rules):
    game = make_game(name, **rules)
    before = game.new_state(seeded(np.random.default_rng(0), 2))
    for action in legal_actions(game, before)[:5]:
        after = before.copy()
        game.call("step")(game.cfg, after, action, np.zeros(2, np.uint64))
        assert phrases_of(game).tell(game, before, action, after, 1, seat_names(game, 1)) == ""


def test_words_twentynine__only_the_bidder_is_told_which_trump_he_chose():
    game = make_game("twentynine")
    for before, _, _ in random_game(game, 5):
        if before[S.phase] == TRUMPING:
            break
    bidder, told = mover_of(game, before), {None: set(), 0: set(), 1: set(), 2: set(), 3: set()}
    for suit in range(4):
        after = before.copy()
        game.call("step")(game.cfg, after, A.choose + suit, np.ones(2, np.uint64))
        for seat, stories in told.items():
            names = seat_names(game, seat or 0)
            action = A.choose + suit
            stories.add(phrases_of(game).tell(game, before, action, after, seat, names))
    for seat, stories in told.items():
        assert len(stories) == (4 if seat in (None, bidder) else 1)


def test_words_scotch__a_round_is_told_as_it_was_played():
    game = make_game("scotch", money=20)
    chance = seeded(np.random.default_rng(0), 2)
    state = game.new_state(chance)
    stories = []
    for bids in ((7, 9), (5, 5)):
        for bid in bids:
            before = state.copy()
            game.call("step")(game.cfg, state, bid, chance)
        told = phrases_of(game).tell(game, before, bid, state, 0, ("you", "opponent"))
        stories.append(told)
    assert stories == [
        "round 1: you bid 7, opponent bid 9: opponent won and paid $9 to the bank; "
        "the bottle went from 5 to 6.",
        "round 2: you bid 5, opponent bid 5: you won the tie by the draw advantage and paid $5 to "
        "the bank; the draw advantage passed to opponent; the bottle went from 6 to 5.",
    ]


def test_words_scotch__hidden_bids_stay_hidden():
    game = make_game("scotch", money=20, know_opponent_money=False)
    chance = seeded(np.random.default_rng(0), 2)
    state = game.new_state(chance)
    game.call("step")(game.cfg, state, 7, chance)
    before = state.copy()
    game.call("step")(game.cfg, state, 13, chance)
    told = phrases_of(game).tell(game, before, 13, state, 0, ("you", "opponent"))
    assert "13" not in told and "hidden bid: opponent won;" in told
    row = phrases_of(game).row(game, before, state, 0, ("you", "opponent"))
    assert row == ["1", "7", "?", "opponent", "?", "6", "$20", "$0 to $12"]
    assert "13" in phrases_of(game).tell(game, before, 13, state, 1, ("opponent", "you"))


@pytest.mark.parametrize(
    ("text", "card"),
    [
        ("JH", "JH"),
        ("j h", "JH"),
        ("J♥", "JH"),
        ("jack of hearts", "JH"),
        ("the J of hearts", "JH"),
        ("play 9 of spades", "9S"),
        ("10d", "TD"),
        ("td", "TD"),
        ("1c", "1C"),
        ("ace of clubs", "1C"),
        ("AC", "1C"),
        ("7♠", "7S"),
    ],
)
def test_words_twentynine__cards_are_understood_as_people_write_them(text, card):
    game = make_game("twentynine")
    state = game.new_state(seeded(np.random.default_rng(0), 2))
    state[S.phase] = PLAYING
    assert phrases_of(game).read(game, state, text) == card_of(card)


def test_words_coins__runs_are_understood_by_their_ends_and_mistakes_explained():
    game = make_game("coins")
    phrases, state = phrases_of(game), game.new_state(np.ones(2, np.uint64))
    assert phrases.read(game, state, "3-5") == phrases.read(game, state, "3, 4, 5")
    assert phrases.read(game, state, "12 to 0") == phrases.read(game, state, "0 6 12")
    for text, why in {
        "3 5": "4 lies between",
        "0 7": "diagonals do not count",
        "0 8": "not in one straight line",
        "36": "0 to 35",
        "0-8": "no line leads",
    }.items():
        with pytest.raises(ValueError, match=why):
            phrases.read(game, state, text)
    holes = make_game("coins", board="**.*/****")
    with pytest.raises(ValueError, match="a hole between"):
        phrases_of(holes).read(holes, holes.new_state(np.ones(2, np.uint64)), "1 2")
