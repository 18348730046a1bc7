"""The games that come with the package, for tests over all of them; toys of tests are left out."""

from bidarena.envs.registry import env_id, games

OUR_GAMES = tuple(name for name in games() if env_id(name).startswith("bidarena/"))

# the rules under which each game is tested, the usual ones first
VARIANTS = {
    "scotch": [
        {},
        {"payment": "opponent", "max_rounds": 30},
        {"tie": "coin", "both_broke": "play_on", "money": (5, 9)},
        {"tie": "holder", "both_broke": "play_on", "length": 4},
        {"broke": "lose", "length": 3, "money": (7, 4)},
        {"know_opponent_money": False, "money": (12, 12)},
        {"know_opponent_money": False, "payment": "opponent", "money": 9, "max_rounds": 20},
        {"know_opponent_money": False, "tie": "holder", "broke": "lose", "money": 15},
    ],
    "richman": [
        {},
        {"payment": "bank", "money": (20, 30)},
        {"graph": "line6", "tie": "coin", "money": 12, "max_rounds": 40},
    ],
    "raj": [
        {},
        {"players": 3, "tie": "split"},
        {"players": 5, "reward": "margin", "cards": [2, 4, 7], "items": [-3, 5, 5]},
        {"tie": "discard", "reward": "bank", "cards": [1, 2, 3, 4], "items": [1, 2, 3, 4]},
    ],
    "coins": [
        {},
        {"board": "triangle5", "last_coin": "wins"},
        {"board": "rectangle3x4", "gaps": True, "max_take": 3},
        {"board": "*/**/****", "values": [2, -1, 3, 1, 0, -4, 2], "last_bonus": 2},
        {"board": "square4", "diagonals": True, "colours": "seeded", "reward": "margin"},
    ],
    "twentynine": [
        {},
        {"auction": "round_robin", "first_lead": "bidder", "unrevealed": "score"},
        {"marriage": True, "doubling": True, "last_trick": 1, "reward": "margin"},
        {"match_to": 2, "max_deals": 3},
        {
            "last_trick": 1,
            "marriage": True,
            "doubling": True,
            "single_hand": True,
            "seventh_card": True,
            "redeal": "no_points",
            "all_pass": "redeal",
            "match_to": 3,
            "max_deals": 4,
        },
    ],
}
