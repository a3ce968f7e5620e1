"""A footer that lies about keys drops no row: rows are looked at one by one."""

import struct
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import dpratio as dpr
from dpratio.curator import measure

ROWS = 400


def lie_about(path: Path, told: dict[bytes, bytes]) -> None:
    """Write other smallest and largest keys into a footer."""
    content = path.read_bytes()
    (length,) = struct.unpack("<I", content[-8:-4])
    body, footer, end = content[: -8 - length], content[-8 - length : -8], content[-8:]
    for true, false in told.items():
        assert true in footer
        assert len(true) == len(false)
        footer = footer.replace(true, false)
    path.write_bytes(body + footer + end)


def as_bytes(key: Any) -> bytes:  # noqa: ANN401 (an integer, a text)
    return key.encode() if isinstance(key, str) else struct.pack("<q", key)


@pytest.mark.parametrize(
    ("keys", "false"),
    [
        ((70_001, 70_002), (990_001, 990_002)),
        ((70_001, 70_009), (990_001, 990_009)),
        (("apple-a", "apple-b"), ("zebra-a", "zebra-b")),
    ],
    ids=["a range", "integers", "text"],
)
def test_a_footer_that_lies_about_keys_drops_no_row(
    keys: tuple[Any, Any],
    false: tuple[Any, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "people.parquet"
    held = {"k": list(keys) * (ROWS // 2), "s": np.full(ROWS, 0.5), "y": np.ones(ROWS)}
    pq.write_table(pa.table(held), path, use_dictionary=False, compression="none")
    lie_about(path, dict(zip(map(as_bytes, keys), map(as_bytes, false), strict=True)))
    asked = " OR ".join(f"k = {key!r}" for key in keys)
    file = duckdb.read_parquet(str(path))
    seen = file.filter(asked).count("k").fetchall()
    assert seen == [(0,)]  # DuckDB believes the footer.
    plan = dpr.make_plan(
        dpr.Ratio("s", per="y", guess=1),
        bounds={"s": dpr.Bounds(0, 1), "y": dpr.Bounds(0, 1)},
        groups=dpr.Groups("k", keys),
        budget=dpr.Budget(1),
    )
    monkeypatch.setattr(
        measure,
        "draw_noise",
        lambda _law, scales, count, _bits: np.zeros((count, len(scales)), np.int64),
    )
    (found,) = dpr.release_sums(path, plan, ledger=None).questions
    assert (found.values[:, 1] * plan.measurements[0].sums[1].step).tolist() == [
        300.0
    ] * 2
