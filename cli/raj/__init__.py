"""Commands that only Raj has."""
