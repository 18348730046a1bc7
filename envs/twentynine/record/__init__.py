"""A deal of Twenty-nine as JSON: exported from any state, and replayed step by step.

    record = export(game, state)             # everything
    record = export(game, state, seat=2)     # what seat 2 knows: to read, not to replay
    game, states = replay(record)            # states[k]: after k actions; or replay("deal.json")
    state = deal_state(game, hands)          # a new deal of chosen cards

Cards are written as in the competition: JS, 1H, TC. A record has these keys:

| key | value |
|---|---|
| `format`, `version` | "bidarena/twentynine", 1 |
| `rules` | the keywords of the game |
| `seat` | the seat whose view it is; null: everything |
| `first` | the seat that spoke first |
| `match` | in a match the `score` of both sides and the `deals` before this one, else null |
| `redeals` | how often the cards were dealt again before this deal |
| `hands` | the eight cards of each seat; in a view, those that the seat has seen |
| `halves` | true if the first four cards of each hand are those that were dealt first |
| `auction` | [[seat, bid], ...], 0 for a pass |
| `bidder`, `contract`, `target` | null before the end of the auction |
| `stake` | 1, 2 if doubled, 4 if redoubled |
| `trump` | a suit, null if not chosen, "hidden" in the view of a seat that does not know it |
| `seventh_card` | the card that decided the trump; true if the view does not know it, else false |
| `single_hand` | the seat that plays one, or null |
| `tricks` | [[leader, [cards in order of play], winner], ...]; winner null while unfinished |
| `trump_revealed`, `marriage` | {"hand": trick from 1, "seat": seat}, or false |
| `points` | the points of both sides |
| `phase`, `turn` | the phase and the seat to act; "over" and null at the end |
| `result` | at the end: `made` (null: void), `game_points` (declarer's side), `returns` (seats) |

A state does not keep everything. It keeps which four cards came first only until the trump is
chosen; after that a replay deals the cards in an order of its own, and no later state depends on
that order. It does not keep which of two partners doubled or redoubled: in a replay the one who is
asked first does it, and all later states are equal. A redeal and the next deal of a match erase the
deal before them: export a deal of a match before its last card.
"""

from bidarena.envs.twentynine.record.export import export
from bidarena.envs.twentynine.record.fixed_deal import deal_state
from bidarena.envs.twentynine.record.replay import actions, replay

__all__ = ["actions", "deal_state", "export", "replay"]
