"""Scotch as a `Game` and as Gymnasium environments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bidarena.envs.arguments import choice, flag, whole, wholes
from bidarena.envs.bidding import BANK, COIN, OPPONENT, PAYMENTS, TIES
from bidarena.envs.game import Game, rules_of
from bidarena.envs.scotch import rules
from bidarena.envs.solo import SoloEnv
from bidarena.envs.vector import BatchedEnv

BOTH_BROKE = ("draw", "play_on")
BROKE = ("bid_zero", "lose")

ENDLESS = 1000  # a game that could go on for ever is cut short after so many rounds


def scotch(
    *,
    length: int = 10,
    start: int | None = None,
    money: int | Sequence[int] = (100, 100),
    payment: str = "bank",
    tie: str = "alternate",
    both_broke: str = "draw",
    broke: str = "bid_zero",
    know_opponent_money: bool = True,
    max_rounds: int | None = None,
) -> Game:
    """Return the game of Scotch under the given rules; `ScotchEnv` explains them."""
    length = whole("length", length, 2, 10_000)
    start = length // 2 if start is None else whole("start", start, 1, length - 1)
    both = (money, money) if isinstance(money, int | np.integer) else money
    purse = wholes("money", both, 2, 1, 10_000)
    pay = choice("payment", payment, PAYMENTS)
    tied = choice("tie", tie, TIES)
    both_are_broke = choice("both_broke", both_broke, BOTH_BROKE)
    one_is_broke = choice("broke", broke, BROKE)
    know = flag("know_opponent_money", know_opponent_money)
    largest = max(purse) if pay == BANK else sum(purse)

    # Money paid to the bank is gone, so such a game ends by itself, unless both play on without
    # money and a coin moves the bottle.
    endless = pay == OPPONENT or (both_are_broke == rules.PLAY_ON and tied == COIN)
    natural = ENDLESS if endless else sum(purse) + length
    most = natural if max_rounds is None else whole("max_rounds", max_rounds, 1, 1_000_000)

    options = (pay, tied, both_are_broke, one_is_broke, int(know), most, largest)
    return Game(
        name="scotch",
        options={
            "length": length,
            "start": start,
            "money": list(purse),
            "payment": payment,
            "tie": tie,
            "both_broke": both_broke,
            "broke": broke,
            "know_opponent_money": know,
            "max_rounds": max_rounds,
        },
        rules=rules_of(rules),
        cfg=np.array([length, start, *purse, *options], np.int64),
        players=2,
        actions=largest + 1,
        longest=2 * min(most, natural if not endless else most),
        state=rules.STATE,
        observation=rules.OBSERVATION,
        simultaneous="round",
        hidden=not know,
        clock="round",
        limit=most,
        idle=("last_bids", "last_winner"),
        ansi="bidarena.envs.scotch.render:ansi",
        picture="bidarena.envs.scotch.render:picture",
        phrases="bidarena.envs.scotch.phrases:PHRASES",
    )


class ScotchEnv(SoloEnv):
    """Two players bid in secret for a bottle that moves along a line.

    ## Description
    A bottle stands in the middle of a line 0..length. Player 0 sits at 0, player 1 at the other
    end. Each round both bid a whole amount in secret. The higher bid moves the bottle one step
    toward its bidder, who pays; the loser of the round keeps the money. The player who gets the
    bottle to the own end wins. On equal bids the holder of the draw advantage wins the round, and
    the advantage passes to the other player; player 0 holds it first.

    The line is the special case of a Richman game (Lazarus, Loeb, Propp, Ullman) in which the move
    is forced; `bidarena/RichmanGraph-v0` plays on any graph.

    ## Action Space
    `Discrete(largest possible money + 1)`: the amount bid. A player with money may bid from 1 to
    all of it; a player without money must bid 0.

    ## Observation Space
    `Box(0, 1, (5,), float32)`, from the learner's side:

    | index | what | scaled by |
    |---|---|---|
    | 0 | own money | largest possible money |
    | 1 | the opponent's money; if hidden, the most it can be | largest possible money |
    | 2 | the opponent's money; if hidden, the least it can be | largest possible money |
    | 3 | steps of the bottle to the own end | length |
    | 4 | draw advantage: 1 own, 0 the opponent's, 0.5 nobody's (a coin decides) | |

    ## Starting State
    The bottle stands on `start`, both players have their `money`, player 0 has the advantage.

    ## Rewards
    +1 for winning, -1 for losing, 0 for a draw and before the end.

    ## Episode End
    Terminated when the bottle reaches an end, or both players are without money. Truncated after
    `max_rounds`. An illegal action loses at once (`illegal_action="raise"` raises instead).

    ## Information
    `action_mask` (int8, one per action; all ones when the game is over) on every reset and step;
    `illegal_action` and `opponent_illegal_action`: whether that ended the game.

    ## Arguments
    | keyword | default | meaning |
    |---|---|---|
    | `length` | 10 | the line is 0..length |
    | `start` | middle | where the bottle stands first |
    | `money` | (100, 100) | of player 0 and player 1; one number for both |
    | `payment` | `"bank"` | `"opponent"`: the winner of a round pays the loser (Richman) |
    | `tie` | `"alternate"` | `"coin"`: a fair coin; `"holder"`: the advantage never passes |
    | `both_broke` | `"draw"` | when both players are without money: `"play_on"` goes on with ties at 0; a bottle that only goes to and fro is a draw |
    | `broke` | `"bid_zero"` | `"lose"`: a player without money has lost |
    | `know_opponent_money` | True | False: the opponent's money and bids stay hidden; the bounds that can be counted are shown |
    | `max_rounds` | None | rounds before truncation; None: never where the game ends by itself, 1000 elsewhere |
    | `opponent` | `"random"` | a name with options, a list drawn from per episode, or a callable |
    | `seat` | `"random"` | the learner's: 0, 1, `"random"` or `"alternate"` |
    | `illegal_action` | `"lose"` | `"raise"`: raise a ValueError instead |

    ## References
    A student report on "The Bidding Game" (the game of a HackerRank challenge); Lazarus, Loeb,
    Propp, Ullman: Richman Games (1996); Combinatorial Games under Auction Play (1999).

    ## Version History
    v0: first version.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("scotch", **kwargs)


class ScotchVectorEnv(BatchedEnv):
    """Scotch in a batch; see `ScotchEnv` for the game and `BatchedEnv` for the interface."""

    def __init__(self, num_envs: int = 1, **kwargs: Any) -> None:
        super().__init__("scotch", num_envs, **kwargs)
