"""Every game as a PettingZoo environment: turn by turn (AEC) and all at once (Parallel).

    env = aec_env("scotch", money=(50, 50))
    env = parallel_env("scotch")
    env = pettingzoo.make("aec", "bidarena/Scotch-v0")          PettingZoo 1.27 and later

Agents are named player_0, player_1, ... In the AEC interface players who move at the same time are
asked one after another; their moves stay hidden until all have moved. In the Parallel interface
they give their actions together, and the actions of players who have nothing to decide are ignored.
If several actions of one step are illegal, the player with the lowest number loses the game.

An observation is a dict with "observation" and "action_mask". Every info has

- "action_mask": the same mask. AEC: zeros while another agent is to move. Parallel: ones for an
  agent that has nothing to decide. Both: ones when the game is over.
- "decides": whether this agent's next action counts. This tells a mask of ones that allows
  everything from that of an agent who is not asked.
- "illegal_action": whether this agent has ended the game by an illegal action.

Wrappers that want flat arrays, such as those of SuperSuit, work with `masks="infos"`: observations
are then arrays, and the masks are only in the infos.

`state()` returns, for centralised critics, the observations of all players in the order of their
seats, then for each player 1 if the player decides now. So it has all hands, but neither moves that
are hidden until all have moved nor chances to come. `perfect_information=True` lets the agents
themselves see as much, for training: an observation is then the agent's own, followed by those of
the other players in the order they sit after it.
"""

from __future__ import annotations

from typing import Any

from bidarena.envs.game import Game
from bidarena.envs.multi.aec import RawAEC
from bidarena.envs.multi.parallel import RawParallel
from bidarena.envs.multi.table import OrderEnforcingWrapper
from bidarena.envs.multi.wrappers import NearestLegalAEC, NearestLegalParallel

__all__ = [
    "NearestLegalAEC",
    "NearestLegalParallel",
    "RawAEC",
    "RawParallel",
    "aec_env",
    "parallel_env",
]


def aec_env(game: str | Game, **options: Any) -> Any:
    """Return a game as an AEC environment, which raises if it is called in the wrong order.

    Args:
        game: a name that `bidarena list` shows, a Gymnasium id, or a `Game`.
        **options: `render_mode`, `max_cycles`, `masks` and `perfect_information` as for `RawAEC`,
            and the options of the game's rules.
    """
    return OrderEnforcingWrapper(RawAEC(game, **options))


def parallel_env(game: str | Game, **options: Any) -> Any:
    """Return a game as a Parallel environment.

    Args:
        game: a name that `bidarena list` shows, a Gymnasium id, or a `Game`.
        **options: `render_mode`, `max_cycles`, `masks` and `perfect_information` as for
            `RawParallel`, and the options of the game's rules.
    """
    return RawParallel(game, **options)
