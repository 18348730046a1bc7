"""A complete bot that reads positions in words and answers in words, as a language model would.

    bidarena match raj "text:python3 examples/text_bot.py" random --games 100 --regret

It speaks the text protocol of docs/protocol.md and plays any game from the text alone. Where the
text shows a pot and cards, it bids a card that ranks as the pot does among the items. Where bids
pull something step by step, it bids an equal share of its money for each step. Elsewhere it plays
at random. It needs nothing but the standard library. To seat a language model, replace `answer` by
a function that sends the text to the model and returns what it writes.
"""

import json
import random
import re
import sys

PROTOCOL = 1


def answer(text, moves, seed):
    """Return a move in words for a position in words."""
    for rule in (bid_a_card, bid_a_share):
        wish = rule(text, moves)
        if wish is not None:
            return wish
    # The seed makes games repeatable: the same match gives the same moves again.
    return random.Random(seed).choice(moves)


def bid_a_card(text, moves):
    """Return the card whose rank among ours is that of the pot among the items, if there is one."""
    pot = re.search(r"pot (-?\d+)", text)
    cards = [re.fullmatch(r"card (\d+)", move) for move in moves]
    if pot is None or not all(cards):
        return None
    coming = re.search(r"items to come(.*)", text)
    items = [abs(int(item)) for item in re.findall(r"-?\d+", coming[1] if coming else "")]
    lower = sum(item < abs(int(pot[1])) for item in items)
    place = round(lower / max(len(items), 1) * (len(moves) - 1))
    return sorted(moves, key=lambda move: int(move.split()[1]))[place]


def bid_a_share(text, moves):
    """Return an equal share of our money for each step to our end, if moves are bids."""
    steps = re.search(r"(\d+) from you", text)
    if steps is None or not all(re.fullmatch(r"bid \d+", move) for move in moves):
        return None
    money = int(moves[-1].split()[1])
    return f"bid {min(max(money // max(int(steps[1]), 1) + 1, int(moves[0].split()[1])), money)}"


def main():
    """Answer every message that needs an answer, until there are no more."""
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            said = {"type": "hello", "protocol": PROTOCOL, "name": "rules over words"}
        elif message["type"] == "move":
            said = {"move": answer(message["text"], message["moves"], message["seed"])}
        else:
            continue  # the end of a game, or a message of a later version
        print(json.dumps(said), flush=True)


if __name__ == "__main__":
    main()
