"""The Twenty-nine competition: its HTTP bots as bots here, and our bots as servers for it."""
