"""Heads outside of the ledger: appended whole, read strictly."""

import json
import os
from pathlib import Path

import pytest

from dpratio.curator.ledger.anchor import Anchor, Head
from dpratio.errors import LedgerFailed

HEADS = [Head("loans", 0, "a" * 64), Head("größe 😀", 7, "b" * 64)]


@pytest.fixture
def anchor(tmp_path: Path) -> Anchor:
    return Anchor(tmp_path / "heads.jsonl")


def refusal(anchor: Anchor) -> str:
    with pytest.raises(LedgerFailed) as refused:
        anchor.heads()
    assert refused.value.__cause__ is None
    return str(refused.value).replace(str(anchor.path), "FILE")


def test_heads_are_read_in_the_order_they_were_written(anchor: Anchor) -> None:
    for head in HEADS:
        anchor.append(head)
    assert anchor.heads() == HEADS
    lines = anchor.path.read_text(encoding="ascii").splitlines()
    assert json.loads(lines[0]) == {"scope": "loans", "seq": 0, "hash": "a" * 64}


def test_an_empty_anchor_has_no_heads(anchor: Anchor) -> None:
    anchor.path.touch()
    assert anchor.heads() == []


def test_a_head_is_synced_before_the_call_returns(
    anchor: Anchor, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda at: sizes.append(os.fstat(at).st_size))
    anchor.append(HEADS[0])
    assert sizes == [anchor.path.stat().st_size]


def test_a_missing_anchor_is_refused(anchor: Anchor) -> None:
    assert refusal(anchor) == (
        "the anchor 'FILE' cannot be read: No such file or directory."
    )


def test_a_folder_is_no_anchor(tmp_path: Path) -> None:
    anchor = Anchor(tmp_path)
    assert refusal(anchor) == "the anchor 'FILE' cannot be read: Is a directory."
    with pytest.raises(LedgerFailed, match="cannot be written: Is a directory"):
        anchor.append(HEADS[0])


def test_an_anchor_in_a_missing_folder_cannot_be_written(tmp_path: Path) -> None:
    anchor = Anchor(tmp_path / "missing" / "heads")
    with pytest.raises(LedgerFailed, match="cannot be written: No such file"):
        anchor.append(HEADS[0])


def test_half_a_line_on_a_full_disk_is_told(
    anchor: Anchor, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda at, content: write(at, content[:9]))
    with pytest.raises(LedgerFailed, match=r"cannot be written: the disk is full\.$"):
        anchor.append(HEADS[0])
    monkeypatch.undo()
    assert "is damaged in line 1." in refusal(anchor)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{}",
        b"[]",
        b"7",
        b"not JSON",
        b'{"scope": "loans", "seq": 1}',
        b'{"scope": "loans", "seq": "1", "hash": "a"}',
        b'{"scope": "loans", "seq": true, "hash": "a"}',
        b'{"scope": "loans", "seq": 1, "hash": null}',
        b'{"scope": "loans", "seq": 1, "seq": 1, "hash": "a"}',
        b'{"scope": "loans", "seq": 1, "hash": "a", "more": 1}',
        b'{"scope": "loans", "seq": NaN, "hash": "a"}',
        b'{"scope": "lo\xffans", "seq": 1, "hash": "a"}',
        b"[" * 100_000,
    ],
)
def test_a_damaged_line_is_refused_with_its_number(line: bytes, anchor: Anchor) -> None:
    anchor.append(HEADS[0])
    with anchor.path.open("ab") as file:
        file.write(line + b"\n")
    assert refusal(anchor) == (
        "the anchor 'FILE' is damaged in line 2. If the machine stopped while it was "
        "written, remove that line; otherwise find the last sound copy."
    )


def test_a_line_that_was_not_finished_is_refused(anchor: Anchor) -> None:
    for head in HEADS:
        anchor.append(head)
    anchor.path.write_bytes(anchor.path.read_bytes()[:-1])
    assert "is damaged in line 2." in refusal(anchor)
