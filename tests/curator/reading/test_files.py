"""Which files a path or pattern names: each physical file once."""

import os
from pathlib import Path

import pytest

from curator.door_for_tests import release_with
from curator.tables_for_tests import plan_of
from dpratio.curator.reading.files import find_files, identity_of
from dpratio.errors import FileRefused


def test_files_are_found_in_a_fixed_order(tmp_path: Path) -> None:
    for name in ("b.csv", "a.csv", "[c].csv", "d.txt"):
        (tmp_path / name).touch()
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "folder.csv" / "e.csv").touch()
    found = find_files(str(tmp_path / "*.csv"))
    assert [Path(each).name for each in found] == ["[c].csv", "a.csv", "b.csv"]
    found = find_files(str(tmp_path / "**" / "*.csv"))
    assert [Path(each).name for each in found] == ["[c].csv", "a.csv", "b.csv", "e.csv"]


def test_the_name_of_a_file_that_exists_is_not_taken_for_a_pattern(
    tmp_path: Path,
) -> None:
    for name in ("[c].csv", "c.csv"):
        (tmp_path / name).touch()
    assert find_files(str(tmp_path / "[c].csv")) == [str(tmp_path / "[c].csv")]


@pytest.mark.parametrize(
    "name",
    [
        "none.parquet",
        "none*.parquet",
        "none.csv",
        "folder.csv",
        "a\x00.csv",
        "x" * 999 + ".csv",
    ],
    ids=["parquet", "glob", "csv", "folder", "nul", "too_long"],
)
@pytest.mark.parametrize("engine", ["auto", "duckdb"])
def test_a_file_that_is_not_there_is_refused(
    name: str, engine: str, tmp_path: Path
) -> None:
    (tmp_path / "folder.csv").mkdir()
    path = f"{tmp_path}/{name}"
    with pytest.raises(FileRefused) as refused:
        release_with(engine, path, plan_of(), ledger=None)
    assert str(refused.value) == (
        f"no file at '{path}'. Give the path or glob of a file that exists."
    )


@pytest.mark.parametrize("engine", ["auto", "duckdb"])
def test_files_elsewhere_are_left_to_a_cluster(engine: str) -> None:
    with pytest.raises(FileRefused, match="from this machine, got the address 's3://l"):
        release_with(engine, "s3://lake/a.parquet", plan_of(), ledger=None)


@pytest.fixture
def years(tmp_path: Path) -> Path:
    """Two files, each two folders deep."""
    for month in ("01", "02"):
        (tmp_path / "2026" / month).mkdir(parents=True)
        (tmp_path / "2026" / month / "rows.csv").write_text(month)
    return tmp_path


def both(folder: Path) -> list[str]:
    return [str(folder / "2026" / month / "rows.csv") for month in ("01", "02")]


@pytest.mark.parametrize(
    "pattern",
    [
        "**/rows.csv",
        "**/**/rows.csv",
        "**/**/**/*.csv",
        "**//**/*.csv",
        "**/" * 30 + "*.csv",
        "**/*/**/*.csv",
        "*/**/**/*.csv",
        "**/2026/**/*.csv",
    ],
)
def test_a_pattern_that_finds_a_file_on_many_ways_gives_it_once(
    pattern: str, years: Path
) -> None:
    assert [os.path.normpath(each) for each in find_files(f"{years}/{pattern}")] == (
        both(years)
    )


def test_a_file_with_many_names_is_found_once(years: Path) -> None:
    (years / "latest").symlink_to(years / "2026" / "01")
    (years / "around").symlink_to(years)
    (years / "2026" / "linked.csv").symlink_to(years / "2026" / "02" / "rows.csv")
    os.link(years / "2026" / "02" / "rows.csv", years / "2026" / "02" / "second.csv")
    assert len({identity_of(each) for each in both(years)}) == 2
    found = find_files(f"{years}/*/*/*.csv")
    assert {identity_of(each) for each in found} == set(map(identity_of, both(years)))
    assert len(found) == 2
    assert len(find_files(f"{years}/**/*.csv")) == 2


def test_which_of_its_names_a_file_keeps_is_told_by_real_paths(tmp_path: Path) -> None:
    (tmp_path / "z").mkdir()
    (tmp_path / "z" / "rows.csv").touch()
    os.link(tmp_path / "z" / "rows.csv", tmp_path / "m.csv")
    (tmp_path / "a.csv").symlink_to(tmp_path / "z" / "rows.csv")
    # The real path of a.csv is the last one.
    assert find_files(f"{tmp_path}/**/*.csv") == [str(tmp_path / "m.csv")]
    (tmp_path / "m.csv").unlink()
    assert find_files(f"{tmp_path}/**/*.csv") == [str(tmp_path / "a.csv")]


def test_copies_are_files_of_their_own(years: Path) -> None:
    (years / "copy.csv").write_bytes((years / "2026/01/rows.csv").read_bytes())
    assert len(find_files(f"{years}/**/*.csv")) == 3


def test_a_link_that_leads_nowhere_is_no_file(years: Path) -> None:
    (years / "2026" / "lost.csv").symlink_to(years / "nowhere.csv")
    (years / "2026" / "round.csv").symlink_to(years / "2026" / "round.csv")
    assert find_files(f"{years}/**/*.csv") == both(years)


def test_a_file_that_cannot_be_asked_is_told_by_its_real_path(tmp_path: Path) -> None:
    (tmp_path / "folder").symlink_to(tmp_path)
    assert identity_of(f"{tmp_path}/folder/none") == f"{tmp_path.resolve()}/none"


def test_files_without_numbers_are_told_by_their_real_paths(
    years: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some network file systems number every file 0."""
    stat = Path.stat

    def without_number(path: Path, **options: bool) -> os.stat_result:
        return os.stat_result([*stat(path, **options)[:1], 0, *stat(path)[2:]])

    (years / "latest").symlink_to(years / "2026" / "01")
    monkeypatch.setattr(Path, "stat", without_number)
    assert len(find_files(f"{years}/**/*.csv")) == 2
