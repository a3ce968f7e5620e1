"""The header, the name and the packing of a file of text."""

import gzip
from pathlib import Path

import pytest

from curator.door_for_tests import release_with
from curator.tables_for_tests import ENGINES, ROW, exact, plan_of
from dpratio.errors import FileRefused
from dpratio.terms.source import CsvFile

PLAIN = plan_of()


def test_the_header_is_the_first_line_or_the_declared_columns(tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    path.write_bytes(b'\xef\xbb\xbf"label","b,""c"\r\n1,0.5\r\n')
    plan = plan_of(names=('b,"c', "label", "", ""))
    assert exact(CsvFile(path), plan, "duckdb")[0][:3] == [ROW, ROW, ROW // 2]
    declared = CsvFile(path, columns=["label", "score"])
    assert exact(declared, PLAIN, "duckdb")[0][:3] == [ROW, ROW, ROW // 2]


def test_a_compressed_file_is_read_like_any_other(tmp_path: Path) -> None:
    path = tmp_path / "f.csv.gz"
    packed = gzip.compress(b"score,label\n0.5,1\n") + gzip.compress(b"1,1")
    path.write_bytes(packed)
    assert exact(path, PLAIN, "duckdb")[0][:3] == [2 * ROW, 2 * ROW, ROW + ROW // 2]
    assert exact(path, PLAIN, "duckdb") == exact(path, PLAIN, "python")


UNREADABLE_HEADERS = {
    "empty.csv": b"",
    "empty_line.csv": b"\nscore,label\n",
    "unclosed.csv": b'score,"label\n1,1\n',
    "twice.csv": b"score,label,score\n1,1,1\n",
    "not_gzip.csv.gz": b"score,label\n1,1\n",
    "cut.csv.gz": gzip.compress(b"score,label\n1,1\n")[:15],
    "broken.csv.gz": gzip.compress(b"")[:10] + b"\xff" * 40,
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", UNREADABLE_HEADERS)
def test_a_header_that_cannot_be_read_is_refused(
    name: str, engine: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(UNREADABLE_HEADERS[name])
    with pytest.raises(FileRefused) as refused:
        exact(path, PLAIN, engine)
    assert str(refused.value) == (
        f"the header of '{path}' cannot be read. The first line must name each "
        "column once, in UTF-8 and the declared dialect."
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_a_header_in_another_encoding_is_advised_about(
    engine: str, tmp_path: Path
) -> None:
    path = tmp_path / "f.csv"
    path.write_bytes("score,größe\n1,1\n".encode("latin-1"))
    with pytest.raises(FileRefused) as refused:
        exact(path, PLAIN, engine)
    assert str(refused.value) == (
        f"the header of '{path}' is not UTF-8. Rewrite the file, for instance with: "
        "iconv -f latin1 -t utf-8 OLD.csv > NEW.csv"
    )
    assert refused.value.__context__ is None


@pytest.mark.parametrize("engine", ENGINES)
def test_a_column_without_a_name_is_no_obstacle(engine: str, tmp_path: Path) -> None:
    """pandas writes the index of a frame under an empty name."""
    path = tmp_path / "f.csv"
    path.write_text(",score,label\n0,0.5,1\n", encoding="utf-8")
    assert exact(str(path), PLAIN, engine)[0][2] == ROW // 2


@pytest.mark.parametrize("engine", ENGINES)
def test_a_file_is_decompressed_where_its_name_ends_in_gz_and_nowhere_else(
    engine: str, tmp_path: Path
) -> None:
    for name in ("f.csv.zst", "f.gz.txt", "f.csv.bz2", "f.csv.xz"):
        path = tmp_path / name
        path.write_text("score,label\n0.5,1\n", encoding="utf-8")
        assert exact(CsvFile(path), PLAIN, engine)[0][2] == ROW // 2, name


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "name",
    [
        "[1].csv",
        "*.csv",
        "a?.csv",
        "it's.csv",
        "ü 😀.csv",
        "~.csv",
        "\\b.csv",
    ],
)
def test_a_file_may_have_any_name(
    name: str, engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text("score,label\n0.5,1\n", encoding="utf-8")
    assert exact(name, PLAIN, engine)[0][2] == ROW // 2


def test_a_glob_of_packed_and_plain_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("score,label\n0.5,1\n", encoding="utf-8")
    with gzip.open(tmp_path / "b.csv.gz", "wb") as file:
        file.write(b"score,label\n0.5,1\n")
    plan = plan_of()
    with pytest.raises(FileRefused, match="compressed and some are not"):
        release_with("duckdb", CsvFile(tmp_path / "*.csv*"), plan, ledger=None)
