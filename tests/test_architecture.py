"""Floors, the wall between curator and analyst, and one home per dangerous import.

Standard library only: the house is checked by reading its source.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from draw_house import arrows, house_svg

HOUSE = Path(__file__).parent.parent / "src" / "dpratio"

FLOORS = {
    "errors": 0,
    "version": 0,
    "checks": 1,
    "strict": 2,
    "tabular": 2,
    "terms": 3,
    "plan": 4,
    "release": 5,
    "curator": 6,
    "analyst": 6,
    "study": 7,
    "show": 8,
    "web": 9,
    "cli": 10,
    "__init__": 11,
    "__main__": 11,
}

HOMES = {
    "duckdb": {"curator/duck.py", "curator/duck_sources.py"},
    "ibis": {
        f"curator/warehouse/{file}.py"
        for file in (
            "databases",
            "dialect",
            "functions",
            "keys",
            "numbers",
            "on_duckdb",
            "on_polars",
            "on_postgres",
            "on_spark",
            "on_sqlite",
            "open",
            "spark_frames",
            "on_polars",
            "units",
            "views",
        )
    },
    "secrets": {"curator/entropy.py"},
    "random": set[str](),
    "sqlite3": {"curator/ledger/sqlite.py", "curator/warehouse/databases.py"},
    "psycopg": {"curator/ledger/postgres.py", "curator/warehouse/databases.py"},
    "pickle": set[str](),
    "subprocess": set[str](),
    "time": {"curator/ledger/clock.py"},
    "datetime": {
        "curator/days.py",
        "curator/duck_keys.py",
        "curator/engine.py",
        "curator/frames.py",
        "curator/keys.py",
        "curator/ledger/clock.py",
        "curator/warehouse/dialect.py",
        "curator/warehouse/keys.py",
        "curator/warehouse/on_duckdb.py",
        "curator/warehouse/on_postgres.py",
        "curator/warehouse/units.py",
        "curator/warehouse/views.py",
        "plan/groups_document.py",
        "show/text.py",
        "terms/dimensions.py",
        "terms/key_table.py",
        "terms/study_groups.py",
    },
    "typer": {
        "cli/audit.py",
        "cli/main.py",
        "cli/options.py",
        "cli/output.py",
        "cli/combine.py",
        "cli/coverage.py",
        "cli/curate.py",
        "cli/curve.py",
        "cli/analyse.py",
        "cli/compare.py",
        "cli/explore.py",
        "cli/forecast.py",
        "cli/ledger.py",
        "cli/page.py",
    },
}

FILES = sorted(HOUSE.rglob("*.py"))
ROOMS = sorted(path.parent for path in HOUSE.rglob("*/__init__.py"))


def room_of(path: Path) -> str:
    parts = path.relative_to(HOUSE).with_suffix("").parts
    return parts[0]


@cache
def imports_of(path: Path) -> tuple[str, ...]:
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            names.append(str(node.module))
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return tuple(names)


def rooms_used(path: Path) -> set[str]:
    used = {
        name.split(".")[1]
        for name in imports_of(path)
        if name.count(".") >= 1 and name.startswith("dpratio.")
    }
    return used & set(FLOORS)


def attributes_of(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute):
            yield ast.unparse(node)


def used_by(path: Path) -> tuple[set[str], set[str]]:
    """What a file imports, in the words of headers: rooms, and files of its own."""
    own, rooms = set(), set()
    for name in imports_of(path):
        parts = name.split(".")[1:]
        while parts and not HOUSE.joinpath(*parts).with_suffix(".py").is_file():
            parts.pop()
        if not parts or not name.startswith("dpratio."):
            continue
        if parts[0] != room_of(path):
            rooms.add(parts[0])
        else:
            in_folder = parts[1:-1] == [*path.relative_to(HOUSE).parent.parts[1:]]
            own.add(parts[-1 if in_folder else 1])
    return rooms, own


def header_of(path: Path) -> str:
    return ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""


@pytest.mark.parametrize(
    "path", [path for path in FILES if "Floor: " in header_of(path)], ids=str
)
def test_a_header_names_what_its_file_imports(path: Path) -> None:
    """Neighbours may be left out where "this room" or "this folder" is said."""
    said = " ".join(header_of(path).partition("Imports: ")[2].split())
    rooms, own = used_by(path)
    if "everything below" not in said:
        wanted = rooms if " of this " in said else rooms | own
        assert wanted <= set(re.findall(r"\w+", said))
    listed = set(re.findall(r"(?:^|, )(\w+)(?=[,.;])", said.partition(";")[0]))
    assert listed - {"nothing"} <= rooms | own


@pytest.mark.parametrize("room", ROOMS, ids=str)
def test_the_table_of_rooms_names_every_file(room: Path) -> None:
    name = room.relative_to(HOUSE).as_posix()
    pages = (HOUSE.parent.parent / "ARCHITECTURE.md").read_text(encoding="utf-8")
    (listed,) = re.findall(rf"^\| `{name}/` \| ([^|]*) \|", pages, re.MULTILINE)
    named = re.findall(r"\w+", re.sub(r"\([^)]*\)", "", listed))
    files = [path.stem for path in room.glob("*.py") if path.stem != "__init__"]
    assert sorted(named) == sorted(files)


def test_the_picture_of_the_house_is_of_this_house() -> None:
    """Draw it again with tools/site/draw_house.py where rooms or imports change."""
    picture = HOUSE.parent.parent / "docs" / "pictures" / "house.svg"
    assert picture.read_text(encoding="utf-8") == house_svg()
    assert {FLOORS.get(end, 0) < FLOORS.get(start, 11) for start, end in arrows()} == {
        True
    }


def test_every_file_but_the_doors_has_a_header() -> None:
    bare = {path.name for path in FILES if "Floor: " not in header_of(path)}
    assert bare == {"__init__.py", "__main__.py", "version.py"}


def test_there_is_a_house_to_check() -> None:
    assert len(FILES) > 30


@pytest.mark.parametrize("path", FILES, ids=str)
def test_a_file_imports_only_from_lower_floors_and_its_own_room(path: Path) -> None:
    room = room_of(path)
    for used in rooms_used(path):
        assert used == room or FLOORS[used] < FLOORS[room], f"{room} imports {used}"


def test_rooms_have_no_circles_inside() -> None:
    graph = {
        module_of(path): {
            name for name in imports_of(path) if name.startswith("dpratio.")
        }
        for path in FILES
        if path.name != "__init__.py"
    }
    settled: set[str] = set()

    def visit(module: str, trail: tuple[str, ...]) -> None:
        assert module not in trail, f"circle: {' -> '.join([*trail, module])}"
        if module in graph and module not in settled:
            for used in graph[module]:
                visit(used, (*trail, module))
            settled.add(module)

    for module in graph:
        visit(module, ())


def module_of(path: Path) -> str:
    return ".".join(["dpratio", *path.relative_to(HOUSE).with_suffix("").parts])


def test_curator_and_analyst_do_not_see_each_other() -> None:
    for path in FILES:
        forbidden = {"curator": "analyst", "analyst": "curator"}.get(room_of(path))
        assert forbidden not in rooms_used(path), path


def test_no_path_of_imports_leads_from_the_page_to_the_curator() -> None:
    graph = {
        module_of(path): {
            name for name in imports_of(path) if name.startswith("dpratio.")
        }
        for path in FILES
    }
    seen: set[str] = set()
    waiting = [name for name in graph if name.startswith("dpratio.web")]
    assert waiting
    while waiting:
        module = waiting.pop()
        assert not module.startswith("dpratio.curator"), module
        if module in graph and module not in seen:
            seen.add(module)
            waiting += graph[module]


@pytest.mark.parametrize("dangerous", HOMES)
def test_a_dangerous_import_has_one_home(dangerous: str) -> None:
    users = {
        path.relative_to(HOUSE).as_posix()
        for path in FILES
        if any(name.split(".")[0] == dangerous for name in imports_of(path))
    }
    assert users <= HOMES[dangerous]


def test_entropy_of_the_system_is_read_in_one_place() -> None:
    users = {
        path.relative_to(HOUSE).as_posix()
        for path in FILES
        if {"os.urandom", "os.getrandom"} & set(attributes_of(path))
    }
    assert users == {"curator/entropy.py"}


def test_the_clock_is_read_for_the_ledger_alone() -> None:
    for path in FILES:
        if path.match("curator/ledger/clock.py"):
            continue
        asked = {name.rpartition(".")[2] for name in attributes_of(path)}
        clock = {"now", "utcnow", "today", "localtime", "perf_counter", "monotonic"}
        assert not asked & clock, path


def test_pseudo_random_draws_stay_with_invented_people_and_monte_carlo() -> None:
    makers = {
        path.relative_to(HOUSE).as_posix()
        for path in FILES
        if any("random." in name and "np." in name for name in attributes_of(path))
    }
    allowed = {
        "analyst/estimate.py",
        "analyst/estimate_function.py",
        "analyst/options.py",
        "analyst/interval.py",
        "analyst/monte_carlo.py",
        "analyst/wald.py",
        "cli/explore.py",
        "cli/forecast.py",
    }
    assert {name for name in makers if not name.startswith("study/")} <= allowed


def test_files_stay_small() -> None:
    for path in [*FILES, *Path(__file__).parent.rglob("*.py")]:
        lines = len(path.read_text(encoding="utf-8").splitlines())
        assert lines <= 350, f"{path.name} has {lines} lines: more than one idea?"
