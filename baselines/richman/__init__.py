"""RichmanGraph: its bots."""
