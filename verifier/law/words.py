"""What counts as a word of the law, and which differences of type do not count."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

_PLAIN = str.maketrans(
    {
        **dict.fromkeys("“”„‟«»", '"'),
        **dict.fromkeys("‘’‚‛", "'"),
        **dict.fromkeys("‐‑‒–—―−", "-"),
    }
)


@lru_cache(maxsize=4096)
def split_words(text: str) -> tuple[str, ...]:
    """The words of `text`: what white space separates, less what is punctuation and nothing else."""
    return tuple(word for word in text.split() if not is_punctuation(word))


def plain(text: str) -> str:
    """`text` with typographic quotation marks and dashes made plain; nothing else is changed."""
    return text.translate(_PLAIN)


def is_punctuation(text: str) -> bool:
    """Whether `text` has no character but punctuation (Unicode's P categories: `$` and `+` are none)."""
    return all(unicodedata.category(character)[0] == "P" for character in text)
