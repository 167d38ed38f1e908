"""The faults of a check written into a folder as they come: pages of data for the script, an index, CSV and Parquet."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from verifier.check.result import Entry
from verifier.report.html.faults import COLUMNS, PAGE, FaultBook, harmless, table_row
from verifier.report.html.page import data_text


@dataclass(slots=True)
class FaultFolder:
    """Takes faults one by one; `first` are the rows of the first page of data, which the page itself holds."""

    into: Path
    book: FaultBook
    first: list[dict[str, Any]] = field(default_factory=list)
    _rows: list[dict[str, Any]] = field(default_factory=list)
    _tables: Tables = field(init=False)

    def __enter__(self) -> FaultFolder:
        (self.into / "data").mkdir()
        self._tables = Tables(self.into)
        self._tables.__enter__()
        return self

    def add(self, entry: Entry) -> None:
        """Take an entry in."""
        self._rows.append(self.book.add(entry))
        self._tables.add(entry)
        if len(self._rows) == PAGE:
            self._flush()

    def _flush(self) -> None:
        self.book.pages += 1
        if self.book.pages == 1:
            self.first = list(self._rows)
        text = f"gazette.page({self.book.pages},{data_text(self._rows)});\n"
        (self.into / "data" / f"faults-{self.book.pages:04d}.js").write_text(text, encoding="utf-8")
        self._rows.clear()

    def write_links(self, links: Mapping[int, list[int]]) -> None:
        """Where the rounds of the faults are, in as many files as there are of faults; the page holds the first."""
        for page in range(2, self.book.pages + 1):
            numbers = range((page - 1) * PAGE + 1, page * PAGE + 1)
            found = {n: links[n] for n in numbers if n in links}
            text = f"gazette.links({page},{data_text(found)});\n"
            (self.into / "data" / f"links-{page:04d}.js").write_text(text, encoding="utf-8")

    def __exit__(self, *raised: object) -> None:
        self._tables.__exit__(*raised)
        if raised[0] is None:
            if self._rows:
                self._flush()
            index = f"gazette.index({data_text(self.book.index())});\n"
            (self.into / "data" / "index.js").write_text(index, encoding="utf-8")


@dataclass(slots=True)
class Tables:
    """The list of all faults as CSV and as Parquet, written as they come."""

    into: Path
    rows: list[dict[str, Any]] = field(default_factory=list)
    _csv: Any = None
    _stream: Any = None
    _parquet: Any = None

    def __enter__(self) -> Tables:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self._stream = (self.into / "faults.csv").open("w", encoding="utf-8", newline="")
        self._csv = csv.writer(self._stream)
        self._csv.writerow(COLUMNS)
        whole_numbers = {"number", "line", "seq"}
        schema = pa.schema([(name, pa.int64() if name in whole_numbers else pa.string()) for name in COLUMNS])
        self._parquet = pq.ParquetWriter(self.into / "faults.parquet", schema)
        return self

    def add(self, entry: Entry) -> None:
        row = table_row(entry)
        self._csv.writerow(
            "" if v is None else v if isinstance(v, int) else harmless(v) for v in row.values()
        )
        self.rows.append(row)
        if len(self.rows) >= 10_000:
            self._flush()

    def _flush(self) -> None:
        import pyarrow as pa

        self._parquet.write_table(pa.Table.from_pylist(self.rows, self._parquet.schema))
        self.rows.clear()

    def __exit__(self, *raised: object) -> None:
        if self.rows and raised[0] is None:
            self._flush()
        self._parquet.close()
        self._stream.close()
