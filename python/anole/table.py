"""Tables of results, read on demand and no further than needed.

A `Table` is a CSV file of a run folder. Its columns come from the first line. Rows and columns are read from the file at each use, so
an unused table of millions of flows costs nothing, and a loop over rows never holds more than one.
"""
from __future__ import annotations

import csv
import os
import pathlib
from typing import Any, Iterator, Mapping, Optional, Sequence, Union

import numpy as np
from numpy.typing import NDArray

__all__ = ["Rows", "Table"]

Value = Union[int, float, str, None]


def _value(text: str) -> Value:
    """Converts a cell to a number if possible; None if it is empty.

    >>> [_value(text) for text in ("3", "2.5", "", "h1")]
    [3, 2.5, None, 'h1']
    """
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text or None


def _array(cells: Sequence[str]) -> NDArray[Any]:
    """Returns integers if possible, otherwise numbers with NaN for empty cells, otherwise strings.

    >>> _array(["1", "2"]).dtype.kind, _array(["1", "", "2.5"]).tolist(), _array(["1", "h1"]).tolist()
    ('i', [1.0, nan, 2.5], ['1', 'h1'])
    """
    for kind in (np.int64, np.float64):
        try:
            return np.array([cell if cell or kind is np.int64 else "nan" for cell in cells], dtype=str).astype(kind)
        except (ValueError, OverflowError):
            pass
    return np.array(cells, dtype=str)


def _pandas() -> Any:
    try:
        import pandas
    except ImportError:
        raise ImportError("pandas is not installed (Debian: python3-pandas); arrays() has the same as numpy arrays") from None
    return pandas


class Table:
    """One CSV file. Iterating gives rows as dictionaries; `table["bytes"]` is a column as a numpy array.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "flows.csv")
    >>> _ = path.write_text("src,bytes\\nh0,100\\nh1,200\\n")
    >>> table = Table(path)
    >>> table.columns
    ('src', 'bytes')
    >>> len(table), int(table["bytes"].sum())
    (2, 300)
    >>> next(iter(table))
    {'src': 'h0', 'bytes': 100}
    >>> table
    Table('flows.csv', 2 columns)
    >>> folder.cleanup()
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"], result: object = None):
        self.path = pathlib.Path(path)
        self._result = result                                    # its folder may be deleted with it
        self._columns: Optional[tuple[str, ...]] = None

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, from the first line of the file."""
        if self._columns is None:
            with self._open() as file:
                self._columns = tuple(next(csv.reader(file), ()))
        return self._columns

    def _open(self) -> Any:
        return open(self.path, newline="", encoding="utf-8")

    def _cells(self) -> Iterator[list[str]]:
        with self._open() as file:
            reader = csv.reader(file)
            next(reader, None)
            yield from reader

    def __iter__(self) -> Iterator[dict[str, Value]]:
        for cells in self._cells():
            yield {name: _value(cell) for name, cell in zip(self.columns, cells)}

    def __len__(self) -> int:
        return sum(1 for _ in self._cells())

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def _index(self, name: str) -> int:
        try:
            return self.columns.index(name)
        except ValueError:
            raise KeyError(f"{self.path.name} has no column {name!r}; there are {', '.join(self.columns)}") from None

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Returns one column; only its cells are kept in memory."""
        at = self._index(name)
        return _array([cells[at] for cells in self._cells()])

    def arrays(self, *names: str) -> dict[str, NDArray[Any]]:
        """Returns several columns in one pass (default: all)."""
        wanted = names or self.columns
        places = [self._index(name) for name in wanted]
        held: list[list[str]] = [[] for _ in wanted]
        for cells in self._cells():
            for column, at in zip(held, places):
                column.append(cells[at])
        return {name: _array(column) for name, column in zip(wanted, held)}

    def frame(self) -> Any:
        """The table as a pandas frame."""
        return _pandas().read_csv(self.path)

    def __repr__(self) -> str:
        return f"Table({self.path.name!r}, {len(self.columns)} columns)"


class Rows(Table):
    """A table in memory, with what a Table has.

    >>> rows = Rows("sizes", [{"size_bytes": 8, "time_us": 2.5}, {"size_bytes": 16, "time_us": None}])
    >>> rows["time_us"].tolist(), rows["size_bytes"].dtype.kind, list(rows)[0]
    ([2.5, nan], 'i', {'size_bytes': 8, 'time_us': 2.5})
    >>> rows
    Rows('sizes', 2 columns)
    """

    def __init__(self, name: str, rows: Sequence[Mapping[str, Any]]):
        super().__init__(name)
        self._rows = [dict(row) for row in rows]
        self._columns = tuple(dict.fromkeys(name for row in self._rows for name in row))

    def _cells(self) -> Iterator[list[str]]:
        for row in self._rows:
            values = (row.get(name) for name in self.columns)
            yield ["" if value is None else str(value) for value in values]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (dict(row) for row in self._rows)

    def frame(self) -> Any:
        """The table as a pandas frame."""
        return _pandas().DataFrame(self._rows, columns=list(self.columns))

    def __repr__(self) -> str:
        return f"Rows({self.path.name!r}, {len(self.columns)} columns)"
