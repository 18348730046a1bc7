"""Parts of a game that can be exchanged without changing it, such as the suits of a pack of cards.

If all cards of two suits are exchanged, a game goes on as before, with the names of the suits
exchanged. A learner that knows this (`bidarena.train.selfplay.tied`) learns about all suits from
each of them. A game tells it by the tool `exchange` (registry/tools.py).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Exchange:
    """Which numbers of an observation, and which actions, belong to each exchangeable part.

    Entry k of one part means there what entry k of another part means there. What is in no part,
    such as a bid, is shared by all.

    Attributes:
        inputs: (parts, n) indexes into the observation.
        actions: (parts, m) actions.
    """

    inputs: NDArray[np.int64]
    actions: NDArray[np.int64]

    def __post_init__(self) -> None:
        for name, indexes in (("inputs", self.inputs), ("actions", self.actions)):
            if indexes.ndim != 2 or len(np.unique(indexes)) != indexes.size:
                raise ValueError(f"{name}: expected rows of different indexes, one row per part")
        if len(self.inputs) != len(self.actions) or len(self.inputs) < 2:
            raise ValueError(
                f"inputs, actions: expected rows for the same parts, two or more, got "
                f"{len(self.inputs)} and {len(self.actions)}"
            )

    @property
    def parts(self) -> int:
        """How many exchangeable parts there are."""
        return len(self.inputs)
