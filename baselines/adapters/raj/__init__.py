"""RajAgent files as bots, and our Raj bots as RajAgents."""
