"""A complete bot that speaks the line protocol of docs/protocol.md, for any game.

    bidarena match scotch "json:python3 examples/line_bot.py" uniform --games 100

In Scotch it bids an equal share of its money for every step that is left. It plays any other game
at random. It needs nothing but the standard library.
"""

import json
import random
import sys

PROTOCOL = 1


def scotch_bid(rules, move):
    """Return an equal share of the money for each step to the own end, and one more for ties."""
    seat = move["seat"]
    money = move["state"]["money"][seat]
    position = move["state"]["position"][0]
    steps = position if seat == 0 else rules["length"] - position
    wish = money // steps + 1
    return min(max(wish, move["legal"][0]), move["legal"][-1])


def main():
    """Answer every message that needs an answer, until there are no more."""
    game, rules = None, {}
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            game, rules = message["game"], message["rules"]
            answer = {"type": "hello", "protocol": PROTOCOL, "name": "an equal share"}
        elif message["type"] == "move":
            if game == "scotch":
                action = scotch_bid(rules, message)
            else:
                # The seed makes games repeatable: the same match gives the same moves again.
                action = random.Random(message["seed"]).choice(message["legal"])
            answer = {"action": action}
        else:
            continue  # the end of a game, or a message of a later version
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
