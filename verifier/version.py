"""The version of this package, stated once: pyproject.toml reads it from here; and the digest of its code."""

from functools import cache

VERSION = "0.1.0"


@cache
def code_digest() -> str:
    """The SHA-256 of this package's code, each file with its name: copies of one version that differ are told apart."""
    import hashlib
    from pathlib import Path

    package = Path(__file__).parent
    digest = hashlib.sha256()
    for name in sorted(path.relative_to(package).as_posix() for path in package.rglob("*.py")):
        text = (package / name).read_bytes()
        digest.update(f"{len(name)} {name} {len(text)} ".encode() + text)
    return digest.hexdigest()
