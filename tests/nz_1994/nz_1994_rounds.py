"""Rounds under the one page of 1994: lawful ones, and changes that break its rules."""

from __future__ import annotations

from pathlib import Path

from scripted import Game, read_faults, read_games

HERE = Path(__file__).parent

GAME = Game(
    "nz/blackjack-1994",
    {"decks": 6},
    {"w": "wager", "d": "deal", "takes": "collect", "back": "give_back", "end": "end_round"},
)

ROUNDS = read_games(HERE / "rounds.yaml")
FAULTS = read_faults(HERE / "faults.yaml")
