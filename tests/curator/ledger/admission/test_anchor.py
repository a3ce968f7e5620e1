"""Heads outside of the ledger: appended whole, read strictly."""

import json
import os
from pathlib import Path

import pytest

from dpratio.curator.ledger.admission.anchor import Anchor, Head, SeenAnchor
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


# --- From where it was read before ----------------------------------------------------


def test_only_what_is_new_is_read(anchor: Anchor) -> None:
    names = ["loans", "größe", "cards"]
    heads = [Head(name, seq, f"{seq:x}") for seq in range(4) for name in names]
    anchor.append(*heads[:6])
    first, seen = anchor.since(SeenAnchor(), "größe", anchor.mark())
    assert first == [heads[1], heads[4]]
    assert (seen.mark, seen.newest) == (anchor.mark(), (heads[4],))
    assert anchor.since(seen, "größe", anchor.mark()) == ([], seen)
    anchor.append(*heads[6:])
    second, seen = anchor.since(seen, "größe", anchor.mark())
    assert second == [heads[7], heads[10]]
    assert seen.newest == (heads[10],)
    assert anchor.since(SeenAnchor(), "none", anchor.mark())[0] == []


def test_nothing_is_seen_of_an_anchor_that_is_not_there(anchor: Anchor) -> None:
    assert anchor.mark() == 0
    assert anchor.since(SeenAnchor(), "loans", 0) == ([], SeenAnchor())


def test_a_newest_head_stays_the_newest(anchor: Anchor) -> None:
    anchor.append(Head("loans", 5, "a"))
    _, seen = anchor.since(SeenAnchor(), "loans", anchor.mark())
    anchor.append(Head("loans", 3, "b"))
    heads, seen = anchor.since(seen, "loans", anchor.mark())
    assert (heads, seen.newest) == ([Head("loans", 3, "b")], (Head("loans", 5, "a"),))


def test_an_anchor_that_lost_lines_while_it_was_in_use_is_refused(
    anchor: Anchor,
) -> None:
    anchor.append(Head("loans", 0, "a"), Head("loans", 1, "b"))
    _, seen = anchor.since(SeenAnchor(), "loans", anchor.mark())
    whole = anchor.path.read_bytes()
    for content in (whole[:-1], b"", whole.replace(b"b", b"c") * 2):
        anchor.path.write_bytes(content)
        with pytest.raises(LedgerFailed, match="truncated or replaced while it was in"):
            anchor.since(seen, "loans", anchor.mark())


def test_lines_that_are_written_otherwise_are_read_all_the_same(
    anchor: Anchor,
) -> None:
    line = '{"hash":"b","scope":"l\\u006fans","seq":1}\n'
    anchor.append(Head("loans", 0, "a"))
    with anchor.path.open("a", encoding="utf-8") as file:
        file.write(line)
    heads, seen = anchor.since(SeenAnchor(), "loans", anchor.mark())
    assert heads == [Head("loans", 0, "a"), Head("loans", 1, "b")]
    assert seen.newest == (Head("loans", 1, "b"),)


@pytest.mark.parametrize("line", ["{}\n", '{"scope": "loans"', "\n"])
def test_a_damaged_line_of_any_scope_is_told_with_its_number(
    line: str, anchor: Anchor
) -> None:
    anchor.append(Head("loans", 0, "a"))
    with anchor.path.open("a", encoding="utf-8") as file:
        file.write(line)
    with pytest.raises(LedgerFailed, match="is damaged in line 2"):
        anchor.since(SeenAnchor(), "cards", anchor.mark())


def test_an_anchor_that_cannot_be_looked_at_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(LedgerFailed, match="cannot be read: Not a directory"):
        Anchor(tmp_path / "file" / "heads").mark()


def test_a_head_says_what_was_spent(anchor: Anchor) -> None:
    head = Head("loans", 1, "a" * 64, "1/10", "0/1")
    anchor.append(head)
    anchor.append(Head("loans", 2, "b" * 64))
    assert [(each.loss, each.delta) for each in anchor.heads()] == [
        ("1/10", "0/1"),
        ("", ""),
    ]
    found, _ = anchor.since(SeenAnchor(), "loans", anchor.mark())
    assert [each.loss for each in found] == ["1/10", ""]
    # Written by hand, with other spaces, it is read as well.
    line = anchor.path.read_text().splitlines()[0].replace('": ', '":')
    anchor.path.write_text(f"{line}\n")
    assert [(each.loss, each.delta) for each in anchor.heads()] == [("1/10", "0/1")]


@pytest.mark.parametrize(
    "amounts",
    [
        '"loss": "1/10"',
        '"loss": "0.1", "delta": "0/1"',
        '"loss": "-1/10", "delta": "0/1"',
        '"loss": "1/0", "delta": "0/1"',
        '"loss": "1/10", "delta": 0',
    ],
)
def test_amounts_are_exact_or_the_line_is_refused(amounts: str, anchor: Anchor) -> None:
    anchor.path.write_text(f'{{"scope": "loans", "seq": 1, "hash": "aa", {amounts}}}\n')
    assert "is damaged in line 1" in refusal(anchor)
