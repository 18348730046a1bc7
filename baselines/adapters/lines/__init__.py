"""The line protocol of docs/protocol.md: a bot and its game exchange lines of JSON.

bot.py asks a program of somebody else that speaks it; words.py asks it in words, for seats of
language models; server.py answers for our own bots.
"""

from bidarena.baselines.adapters.lines.bot import PROTOCOL, decision, hello, lines_bot, seed_for

__all__ = ["PROTOCOL", "decision", "hello", "lines_bot", "seed_for"]
