"""Plain minimax for Twenty-nine after the reveal: no pruning, merging or memory."""

WORTH = {"J": 3, "9": 2, "1": 1, "T": 1, "K": 0, "Q": 0, "8": 0, "7": 0}
STRENGTH = "78QKT19J"


def plain_minimax(hands, to_play, table, trump, last_trick):
    """Return the points that side 0 takes from here on; cards are codes, hands are sets."""
    if len(table) == 4:
        led = table[0][1][1]

        def power(play):
            rank, suit = play[1]
            return (suit == trump, suit == led, STRENGTH.index(rank))

        winner = max(table, key=power)[0]
        points = sum(WORTH[card[0]] for _, card in table)
        last = not any(hands)
        points += last_trick if last else 0
        own = points if winner % 2 == 0 else 0
        return own if last else own + plain_minimax(hands, winner, [], trump, last_trick)
    values = card_values(hands, to_play, table, trump, last_trick).values()
    return max(values) if to_play % 2 == 0 else min(values)


def card_values(hands, to_play, table, trump, last_trick):
    """Return the points that side 0 takes after each legal card of the seat to play."""
    hand = hands[to_play]
    following = [card for card in hand if table and card[1] == table[0][1][1]]
    values = {}
    for card in following or hand:
        left = [h - {card} if seat == to_play else h for seat, h in enumerate(hands)]
        after = [*table, (to_play, card)]
        values[card] = plain_minimax(left, (to_play + 1) % 4, after, trump, last_trick)
    return values
