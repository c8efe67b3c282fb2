"""Tables that a service of a plugin gives: hyperparameters of runs, and answers of queries in SQL."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np

from insight_host.arrow import LogColumn
from insight_host.choosing import Chosen, chosen_of
from insight_host.sources import OpenedSource, service_of
from insight_host.tables import LogTable, numbers, of_any


def hyperparameters(source: OpenedSource, runs: Chosen) -> LogTable:
    """See ``Logs.hparams``."""
    with service_of(source, "hyperparameters") as ask:
        columns = ask()
    wanted = set(chosen_of(columns["run"], runs))
    kept = [place for place, run in enumerate(columns["run"]) if run in wanted]
    return LogTable({name: of_any([cells[place] for place in kept]) for name, cells in columns.items()})


def queried(source: OpenedSource, sql: str, rows: int | None, seconds: float) -> tuple[LogTable, str]:
    """See ``Logs.sql``; also what was read, in words. Raises Unavailable without the extra ``sql``."""
    with service_of(source, "sql") as ask:
        answer = ask(sql, rows, seconds)
    read = f"{answer.rows_read:,} rows ({answer.bytes_read:,} bytes) were read in {answer.seconds:.2f} s"
    return _table(answer.table), f"{read}; there are more than {rows:,}" if answer.is_cut else read


def _table(answer: Any) -> LogTable:  # noqa: ANN401
    """The table of a pyarrow Table; a second column of one name gets a number."""
    columns: dict[str, LogColumn] = {}
    for field, values in zip(answer.schema, answer.columns, strict=True):
        name, count = field.name, 1
        while name in columns:
            count += 1
            name = f"{field.name}_{count}"
        columns[name] = _column(values)
    return LogTable(columns)


def _column(values: Any) -> LogColumn:  # noqa: ANN401
    import pyarrow as pa

    kind = values.type
    valid = values.is_valid().to_numpy() if values.null_count else None
    if pa.types.is_string(kind) or pa.types.is_dictionary(kind):
        coded = values.cast(pa.string()).combine_chunks().dictionary_encode()
        codes = coded.indices.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int32)
        return LogColumn(codes, coded.dictionary.to_pylist(), valid)
    for is_of, dtype in (
        (pa.types.is_boolean, np.bool_),
        (pa.types.is_integer, np.int64),
        (pa.types.is_floating, np.float64),
    ):
        if is_of(kind) and kind != pa.uint64():
            plain = values.fill_null(False if dtype is np.bool_ else 0).to_numpy()
            return LogColumn(numbers(plain, dtype).values, valid=valid)
    return of_any([_number(value) for value in values.to_pylist()])


def _number(value: object) -> object:
    """A decimal, such as the sum of integers, as a number."""
    if not isinstance(value, Decimal):
        return value
    return (
        int(value) if value == value.to_integral_value() and value.as_tuple().exponent == 0 else float(value)
    )
