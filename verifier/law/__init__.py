"""The law, addressable: texts under spec/law/ as clauses, and quotes and references in them."""

from verifier.law.load import known_laws, load_law, read_law
from verifier.law.outline import Clause, ClauseKind, Header, Law
from verifier.law.quote import QuoteSpan, clauses_with, find_quote, nearest_words
from verifier.law.references import Reference, references
from verifier.law.words import split_words

__all__ = [
    "Clause",
    "ClauseKind",
    "Header",
    "Law",
    "QuoteSpan",
    "Reference",
    "clauses_with",
    "find_quote",
    "known_laws",
    "load_law",
    "nearest_words",
    "read_law",
    "references",
    "split_words",
]
