"""Playing on for one question only: what is found for it must not hang on what was asked before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from verifier.prove.explore.explorer import Explorer


@contextmanager
def as_it_was(explorer: Explorer) -> Iterator[None]:
    """Leaves an explorer as it was before, what it draws by too."""
    mover, corpus, walker = explorer.mover, explorer.corpus, explorer.mover.walker
    size, nodes = len(corpus.nodes), [(node.fresh, node.visits) for node in corpus.nodes]
    seen, features = dict(corpus.seen), dict(corpus.features)
    returns = {key: list(parents) for key, parents in corpus.returns.items()}
    opened, owing, unseen = list(mover.open), dict(mover.owing), dict(mover.unseen)
    records = {key: (record.uses, record.gains) for key, record in mover.records.items()}
    credit, uses, gains, usual = (
        dict(walker.credit),
        Counter(walker.uses),
        Counter(walker.gains),
        walker.usual,
    )
    taken, rng = explorer.runner.taken, explorer.rng.getstate()
    try:
        yield
    finally:
        del corpus.nodes[size:]
        for node, (fresh, visits) in zip(corpus.nodes, nodes, strict=True):
            node.fresh, node.visits = fresh, visits
        corpus.seen, corpus.features, corpus.returns = seen, features, returns
        mover.open, mover.owing, mover.unseen = opened, owing, unseen
        for key in list(mover.records):
            if key in records:
                mover.records[key].uses, mover.records[key].gains = records[key]
            else:
                del mover.records[key]
        walker.credit, walker.uses, walker.gains, walker.usual = credit, uses, gains, usual
        explorer.runner.taken = taken
        explorer.rng.setstate(rng)
