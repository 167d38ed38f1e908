"""Every bound the log readers keep, in one place: what a file may cost before it is refused."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on one log file. Sizes are bytes after decompression unless said otherwise."""

    line: int = 8 << 20
    """Bytes of one line of JSON Lines, or of one record of CSV: room for a megabyte of text, however escaped."""
    depth: int = 8
    """Nesting of brackets in one line of JSON."""
    columns: int = 512
    """Columns of a CSV or Parquet file."""
    tables: int = 65_536
    """Tables (values of the first life) in one file."""
    held: int = 500_000
    """Rows held back at one time until their rounds end, so that corrections can be applied."""
    held_text: int = 64 << 20
    """Characters of x_ columns in the rows held back."""
    manifest: int = 4 << 20
    """Bytes of a manifest."""
    transcript: int = 4 << 20
    """Bytes of a YAML transcript."""
    yaml_depth: int = 16
    """Nesting of a YAML document."""
    yaml_nodes: int = 200_000
    """Nodes of a YAML document once its aliases are expanded."""
    yaml_aliases: int = 256
    """Aliases of a YAML document."""
    inflated_free: int = 64 << 20
    """Decompressed bytes up to which the ratio below is not looked at."""
    inflation: int = 2_000
    """Decompressed bytes for each compressed byte."""
    window: int = 128 << 20
    """Window of a zstd frame, which is the memory it claims."""
    inflated: int = 1 << 40
    """Decompressed bytes of one file."""
    spooled: int = 16 << 30
    """Bytes of a Parquet file that comes compressed or through a pipe, and is set down to be read."""
    row_group: int = 1 << 30
    """Decompressed bytes of one Parquet row group, as its footer declares them."""
    footer: int = 16 << 20
    """Bytes of any text in a Parquet footer."""
    batch: int = 8_192
    """Parquet rows in memory at one time; fewer where their texts are long."""
    batch_text: int = 64 << 20
    """Bytes of long texts that those rows have."""
    faults: int = 20
    """Faults of one row or one header that are reported."""


LIMITS = Limits()

INT64_MIN = -(2**63)
INT64_MAX = 2**63 - 1
