"""Programs for the Scotch contest as bots, and our Scotch bots as such programs."""
