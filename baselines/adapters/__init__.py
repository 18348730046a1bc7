"""Use programs of others as bots, and let our bots answer the protocols of others.

An outside bot runs in processes of its own. Our process asks it:

- openers.py makes the bot from `cmd:...`, `file:...`, `json:...` or `text:...`; limits.py reads its
  limits
- asked.py: a match or environment calls an `Asked` for each move; a wrong answer is a `Fault`
  (faults.py), which loses the game; seats.py finds out which game a position belongs to
- sandbox.py: the `Asked` sends its questions through a `Sandbox`, which owns the processes
- python_file.py: a `Sandbox` for a Python file, whose program is worker.py
- lines/: programs that speak lines of JSON; a folder per game for the protocols of that game

These scripts run in the other processes:

- keeper.py is started by the `Sandbox`; it starts the program, watches its limits, and kills it
- worker.py is started by the keeper if the bot is a Python file; it loads the file and calls it

In the other direction, our bots answer questions of others: the servers in lines/ and in the
folders of games get each decision from own.py. punctual.py has sockets that keep a deadline.
"""
