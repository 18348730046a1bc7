"""Coins: two players take coins in lines, and nobody wants the last one."""
