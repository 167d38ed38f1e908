"""Games under regulation 7 of 1994: lawful ones, and changes that break its rules."""

from __future__ import annotations

from pathlib import Path

from scripted import Game, read_faults, read_games

HERE = Path(__file__).parent

GAME = Game(
    "uk/blackjack-1994",
    {"table_marked": True},
    {
        "w": "wager",
        "d": "deal",
        "hits": "draw",
        "stands": "stand",
        "splits": "separate",
        "takes": "collect",
        "back": "give_back",
        "end": "end_game",
    },
)

GAMES = read_games(HERE / "games.yaml")
FAULTS = read_faults(HERE / "faults.yaml")
