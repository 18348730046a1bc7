"""A deal of Twenty-nine as JSON: written from any state, and played again step by step.

    record = export(game, state)             # everything
    record = export(game, state, seat=2)     # what seat 2 knows, to read, not to play again
    game, states = replay(record)            # states[k]: after k actions; or replay("deal.json")
    state = deal_state(game, hands)          # a fresh deal of chosen cards

Cards are written as in the competition: JS, 1H, TC. A record has these keys:

| key | value |
|---|---|
| `format`, `version` | "bidarena/twentynine", 1 |
| `rules` | the keywords of the game |
| `seat` | whose view it is; null: everything |
| `first` | the seat that spoke first |
| `match` | in a match the `score` of both sides and the `deals` before this one, else null |
| `redeals` | how often the cards were dealt anew before |
| `hands` | the eight cards of each seat; in a view, those that it has seen |
| `halves` | do the first four cards that a seat got stand first? |
| `auction` | [[seat, bid], ...], 0 for a pass |
| `bidder`, `contract`, `target` | null before the end of the auction |
| `stake` | 1, 2 if doubled, 4 if redoubled |
| `trump` | a suit, null if not chosen, "hidden" in the view of a seat that does not know it |
| `seventh_card` | the card that decided the trump; true if the view does not know it, else false |
| `single_hand` | the seat that plays one, or null |
| `tricks` | [[leader, [cards in order of play], winner], ...], winner null for an unfinished one |
| `trump_revealed`, `marriage` | {"hand": trick from 1, "seat": who}, or false |
| `points` | of both sides |
| `phase`, `turn` | what is going on and who acts; "over" and null at the end |
| `result` | at the end: `made` (null: void), `game_points` of that side, `returns` of the seats |

A state does not keep everything. Which four cards came first is known until the trump is chosen;
after that a replay deals them in an order of its own, which no later state depends on. Who of two
partners doubled or redoubled is not kept: a replay lets the one do it who is asked first, and the
states are the same from there on. A redeal forgets the deal before it, and so does the next deal of
a match: export a deal of a match before its last card.
"""

from bidarena.envs.twentynine.fixed_deal import deal_state
from bidarena.envs.twentynine.record_export import export
from bidarena.envs.twentynine.record_replay import actions, replay

__all__ = ["actions", "deal_state", "export", "replay"]
